"""Makes a gallery: a static page with fifty kept questions of several data sets.

    python -m benchmarks.gallery WORLD_RUN/dataset SLICE_RUN/dataset --out FOLDER [--number 50] [--seed 1]

The script writes `FOLDER/index.html` with small pictures beside it. Each question is shown with its
path, route and certificate. If the data set has an episode that solved the question, the episode's
turns are shown too. Each data set gives an equal number of questions, or all its questions if it
has fewer. If several questions have the same words, only one is shown. The page only links a
picture whose licence was inferred, and does not copy it.
"""

import argparse
import io
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from jinja2 import Environment
from markupsafe import Markup
from PIL import Image

from benchmarks.route_picture import route_svg, steps
from questloom.files.locations import location
from questloom.knowledge.readers.titles import is_invented
from questloom.pipeline.report.people_names import Names, clause_words
from questloom.pipeline.report.run_reader import open_run, store_of
from questloom.records.form import Form
from questloom.records.identity import priority
from questloom.transforms.reason_words import words

WIDTH = 320
ROWS, ATTRIBUTION = "data/[rsb]*/*.parquet", "attribution.parquet"
REJECTED = "rejected"
EPISODES = "data/trajectories/*.parquet"
MESSAGE = 800
"""The number of characters of an episode's message that are shown."""
PAGE = Environment(autoescape=True, trim_blocks=True).from_string(
    """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Gallery</title>
<style>
body { font: 16px/1.5 sans-serif; max-width: 800px; margin: 2rem auto; padding: 0 1rem; }
article { border: 1px solid #ccc; border-radius: 8px; padding: 1rem; margin: 1rem 0; }
img { max-width: 100%; max-height: 320px; } svg { max-width: 100%; height: auto; }
small, blockquote { color: #555; } blockquote { margin: .5rem 0; } pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: 13px; }
</style>
<h1>{{ questions | length }} questions</h1>
<p>Each has one answer that its picture and several searches lead to. The route is the cheapest way there.
Questions whose picture has no link to a source are about an invented country.</p>
<main>
{% for each in questions %}
<article>
{% if each.picture %}<img src="{{ each.picture }}" alt="Picture {{ loop.index }}" loading="lazy">{% endif %}
<h3>{{ loop.index }}. {{ each.question }}</h3>
<p>{{ each.level }}, {{ each.hops }} hops{% if each.calls %}, {{ each.calls }} calls{% endif %}</p>
<details><summary>Answer and route</summary><p><b>{{ each.answer }}</b></p>{{ each.route }}</details>
<details><summary>Path</summary><ol>{% for step in each.path %}<li>{{ step }}</li>{% endfor %}</ol>
{% for sentence in each.sentences %}<blockquote>{{ sentence }}</blockquote>{% endfor %}</details>
<details><summary>Certificate</summary><ul>{% for line in each.certificate %}<li>{{ line }}</li>{% endfor %}</ul></details>
{% if each.turns %}<details><summary>An episode that solved it</summary>
{% for role, text in each.turns %}<b>{{ role }}</b><pre>{{ text }}</pre>{% endfor %}</details>{% endif %}
<small>Picture: {{ each.credit }}{% if each.source %}, <a href="{{ each.source }}">source</a>{% endif %}</small>
</article>
{% endfor %}
</main></html>
"""
)


@dataclass(frozen=True, kw_only=True)
class Shown:
    """One question as the page shows it."""

    question: str
    answer: str
    level: str
    hops: int
    calls: int
    """The number of calls of the route; 0 if the run computed no route."""
    route: Markup
    """The drawing of the route."""
    path: list[str]
    sentences: list[str]
    """The page sentences that state the question's hops, in the order of the hops; empty if the
    recipe asks for none.
    """
    certificate: list[str]
    turns: list[tuple[str, str]]
    """The role and text of each message after the question, from an episode that solved it; empty
    if there is none.
    """
    picture: str
    """The name of the picture's file next to the page; "" for a picture that is only linked."""
    credit: str
    source: str
    """The picture's address; "" without a public address."""


def rows(dataset: Path) -> list[dict[str, Any]]:
    """The kept questions of a data set, each once.

    Raises:
        FileNotFoundError: the data set has no kept questions.
    """
    found = {
        row["id"]: row
        for path in sorted(dataset.glob(ROWS))
        if path.parent.name != REJECTED
        for row in pq.read_table(path).to_pylist()
    }
    if not found:
        raise FileNotFoundError(f"{dataset}: no kept questions; give the folder `dataset` of a run")
    return list(found.values())


def drawn(questions: Sequence[dict[str, Any]], number: int, seed: int) -> list[dict[str, Any]]:
    """Draws questions with different words at random."""
    order = sorted(questions, key=lambda row: priority(seed, row["id"], "gallery"))
    first = {row["question"]: row for row in reversed(order)}
    return [row for row in order if first[row["question"]] is row][:number]


def shares(sizes: Sequence[int], number: int) -> list[int]:
    """How many questions each data set gives. The numbers are equal, unless a data set is too
    small; then the others give more.

    >>> shares([300, 12], 50)
    [38, 12]
    """
    left, given = number, [0] * len(sizes)
    for place, at in enumerate(sorted(range(len(sizes)), key=lambda i: sizes[i])):
        given[at] = min(sizes[at], left // (len(sizes) - place))
        left -= given[at]
    return given


def names_of(dataset: Path) -> Names:
    """Looks up the names of things in the store of the run that made the data set. If the run or
    its store is gone, the ids stand for the names.
    """
    is_run = (dataset.parent / "recipe.json").is_file()
    return Names(store_of(open_run(location(str(dataset.parent)))) if is_run else None)


def solved(dataset: Path) -> dict[str, list[tuple[str, str]]]:
    """Maps each question's id to the messages of its first kept episode, without the system prompt
    and the question.
    """
    episodes = sorted(
        (
            (row["question_id"], row["rollout"], row["messages"])
            for path in dataset.glob(EPISODES)
            for row in pq.read_table(
                path, columns=["question_id", "rollout", "messages"]
            ).to_pylist()
        ),
        key=lambda episode: episode[:2],
        reverse=True,
    )
    return {
        question: [
            (
                message["role"],
                shorten("".join(p["text"] or "[picture]\n" for p in message["content"])),
            )
            for message in messages[2:]
        ]
        for question, _, messages in episodes
    }


def shorten(text: str) -> str:
    """The beginning of a long message.

    >>> len(shorten("a" * 5000))
    801
    """
    return text if len(text) <= MESSAGE else text[:MESSAGE] + "…"


def certificate_lines(row: dict[str, Any]) -> list[str]:
    """Formats a question's certificate: each check with its measurement."""
    made = row["certificate"]
    rival = made["nearest_rival"]
    scores = ((c, "" if c["score"] is None else f": {c['score']:g}") for c in row["checks"])
    return [
        f"nearest rival: {rival['label']}, of which {rival['num_gaps']} facts would have to be missing"
        if rival
        else "no rival",
        f"answers without the picture, counted up to 5: {made['answers_without_picture']}",
        *(f"{words(c['name'])}{score}{'' if c['passed'] else ' (failed)'}" for c, score in scores),
    ]


def shown(
    row: dict[str, Any],
    credit: dict[str, str],
    picture: str,
    names: Names,
    turns: list[tuple[str, str]],
) -> Shown:
    """A question as the page shows it.

    Args:
        row: the question's row.
        credit: its row of `attribution.parquet`.
        picture: the picture's file.
        turns: the turns of an episode.

    Raises:
        ValueError: the route has an unknown move.
    """
    answer = row["answer"] + (f" {row['answer_unit']}" if row["answer_unit"] else "")
    form = Form.from_json(json.loads(row["form"])) if row["form"] else None
    bindings = json.loads(row["bindings"])
    drawn_route = ""
    if form and row["route"]:
        drawn_route = route_svg(steps(row["route"]["moves"], bindings, names, form.ask.var, answer))
    source = credit["source_page"]
    return Shown(
        question=row["question"],
        answer=answer,
        level=row["level"],
        hops=row["effective_hops"],
        calls=row["route"]["calls"] if row["route"] else 0,
        route=Markup(drawn_route),
        path=clause_words(form, names, bindings) if form else [],
        sentences=[hop["evidence"] for hop in row["evidence"] if hop["evidence"]],
        certificate=certificate_lines(row),
        turns=turns,
        picture=picture,
        credit=", ".join(filter(None, (credit["author"], credit["licence"]))),
        source=source if source.startswith("https://") and not is_invented(source) else "",
    )


def write_gallery(datasets: Sequence[Path], out: Path, *, number: int, seed: int) -> int:
    """Writes the page and its pictures; returns the number of questions. Pictures of an earlier
    gallery are removed.
    """
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.jpg"):
        old.unlink()
    sets = [drawn(rows(dataset), number, seed) for dataset in datasets]
    questions = []
    for dataset, found, share in zip(
        datasets, sets, shares([len(each) for each in sets], number), strict=True
    ):
        credits = {
            row["image_sha256"]: row for row in pq.read_table(dataset / ATTRIBUTION).to_pylist()
        }
        names, episodes = names_of(dataset), solved(dataset)
        for row in found[:share]:
            credit = credits[row["image_sha256"]]
            picture = ""
            if not re.search(r"\binferred\b", credit["credit"]):
                picture = f"{row['id'][:12]}.jpg"
                image = Image.open(io.BytesIO(row["image"]["bytes"])).convert("RGB")
                image.thumbnail((WIDTH, WIDTH))
                image.save(out / picture, quality=80)
            questions.append(shown(row, credit, picture, names, episodes.get(row["id"], [])))
    (out / "index.html").write_text(PAGE.render(questions=questions), encoding="utf-8")
    return len(questions)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("datasets", type=Path, nargs="+", help="folders `dataset` of finished runs")
    parser.add_argument("--out", type=Path, required=True, help="folder of the page")
    parser.add_argument("--number", type=int, default=50, help="questions in all")
    parser.add_argument("--seed", type=int, default=1, help="seed of the draw")
    arguments = parser.parse_args()
    made = write_gallery(
        arguments.datasets, arguments.out, number=arguments.number, seed=arguments.seed
    )
    print(f"{arguments.out}/index.html: {made} questions")


if __name__ == "__main__":
    main()
