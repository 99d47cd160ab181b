"""Makes a gallery: a static page with fifty kept questions of several data sets.

    python -m benchmarks.gallery WORLD_RUN/dataset SLICE_RUN/dataset --out FOLDER [--number 50] [--seed 1]

The script writes `FOLDER/index.html` with small pictures beside it. Each question is shown with its
path of facts, its route (the planned tool calls) and its certificate. If the data set has an
episode that solved the question, the page also shows the episode's turns. All data sets give
equally many questions; a data set with too few questions gives them all. If several questions have
the same words, only one is shown. If a picture's licence was only inferred, the page links to the
picture and does not copy it. Questions that an episode solved are chosen first.
"""

import argparse
import io
import json
import re
from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from jinja2 import Environment
from markupsafe import Markup
from PIL import Image

from benchmarks.route_picture import route_svg, steps
from questloom.agent.turns.turn_protocol import TurnProtocol
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
RETURNED = 240
"""Maximum number of characters that the page shows of a tool call's result."""
_RESPONSE = re.compile(r"</?tool_response>|\[picture\]|<image:\d+> \d+×\d+ px")
PAGE = Environment(autoescape=True, trim_blocks=True).from_string(
    """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Gallery</title>
<style>
body { font: 16px/1.5 sans-serif; max-width: 800px; margin: 2rem auto; padding: 0 1rem; }
article { border: 1px solid #ccc; border-radius: 8px; padding: 1rem; margin: 1rem 0; }
img { max-width: 100%; max-height: 320px; } svg { max-width: 100%; height: auto; }
small, blockquote { color: #555; } blockquote { margin: .5rem 0; } code { overflow-wrap: anywhere; } li { margin: .3rem 0; }
</style>
<h1>{{ questions | length }} questions, {{ questions | selectattr("source") | list | length }} of them about real things</h1>
<p>Each has one answer that its picture and several searches lead to. The route is the cheapest way there.
Questions whose picture has no link to a source are about an invented country.</p>
<main>
{% for each in questions %}
<article>
{% if each.picture %}<img src="{{ each.picture }}" alt="Picture {{ loop.index }}" loading="lazy">
{% elif each.source %}<p><a href="{{ each.source }}">The picture at its source</a>; its licence is inferred, so no copy is here.</p>{% endif %}
<h3>{{ loop.index }}. {{ each.question }}</h3>
<p>{{ each.level }}, {{ each.hops }} hops{% if each.calls %}, {{ each.calls }} calls{% endif %}</p>
<details><summary>Answer and route</summary><p><b>{{ each.answer }}</b></p>{{ each.route }}</details>
<details><summary>Path</summary><ol>{% for step in each.path %}<li>{{ step }}</li>{% endfor %}</ol>
{% for sentence in each.sentences %}<blockquote>{{ sentence }}</blockquote>{% endfor %}</details>
<details><summary>Certificate</summary><ul>{% for line in each.certificate %}<li>{{ line }}</li>{% endfor %}</ul></details>
{% if each.turns %}<details><summary>An episode that solved it</summary>
<ol>{% for turn in each.turns %}<li>{{ turn.thought }}
{% if turn.call %}<br><code>{{ turn.call }}</code><br><small>{{ turn.returned }}</small>{% else %}<br><b>{{ turn.answer }}</b>{% endif %}</li>
{% endfor %}</ol></details>{% endif %}
<small>Picture: {{ each.credit }}{% if each.source %}, <a href="{{ each.source }}">source</a>{% endif %}</small>
</article>
{% endfor %}
</main></html>
"""
)


@dataclass(frozen=True, kw_only=True)
class ShownTurn:
    """One turn of an episode as the page shows it: a thought, then a tool call with its result, or
    the answer."""

    thought: str
    call: str = ""
    returned: str = ""
    """The beginning of the call's result, in one line."""
    answer: str = ""


@dataclass(frozen=True, kw_only=True)
class Shown:
    """One question as the page shows it."""

    question: str
    answer: str
    level: str
    hops: int
    calls: int
    """The number of tool calls of the planned route; 0 if the run computed no route."""
    route: Markup
    """The drawing of the planned route (SVG)."""
    path: list[str]
    sentences: list[str]
    """The sentences from pages that state the question's facts, in the order of the facts; empty if
    the recipe demands no such sentences.
    """
    certificate: list[str]
    turns: list[ShownTurn]
    """The turns of an episode that solved the question; empty if no episode solved it."""
    picture: str
    """The name of the picture's file next to the page; "" if the page only links to the picture."""
    credit: str
    source: str
    """The public web address of the picture; "" if there is none."""


def rows(dataset: Path) -> list[dict[str, Any]]:
    """The kept questions of a data set, without repetitions.

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


def drawn(
    questions: Sequence[dict[str, Any]], number: int, seed: int, played: Container[str] = ()
) -> list[dict[str, Any]]:
    """Draws the given number of questions at random. Questions whose ids are in `played` come
    first. Questions with the same words as an earlier question but another picture come last."""
    order = sorted(
        questions,
        key=lambda row: (row["id"] not in played, priority(seed, row["id"], "gallery")),
    )
    pictures: dict[str, list[str]] = {}
    ranked = []
    for row in order:
        known = pictures.setdefault(row["question"], [])
        if row["image_sha256"] not in known:
            ranked.append((len(known), row))
            known.append(row["image_sha256"])
    return [row for _, row in sorted(ranked, key=lambda pair: pair[0])][:number]


def shares(sizes: Sequence[int], number: int) -> list[int]:
    """How many questions each data set gives. All data sets give equally many questions. If a data
    set is too small, the others give more.

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
    its store no longer exists, the ids are shown instead of names.
    """
    is_run = (dataset.parent / "recipe.json").is_file()
    return Names(store_of(open_run(location(str(dataset.parent)))) if is_run else None)


def solved(dataset: Path) -> dict[str, list[ShownTurn]]:
    """Reads the first kept episode of each question. Returns the turns of the episodes, by the id
    of the question."""
    columns = ["question_id", "rollout", "messages", "tools"]
    episodes = sorted(
        (
            row
            for path in dataset.glob(EPISODES)
            for row in pq.read_table(path, columns=columns).to_pylist()
        ),
        key=lambda row: (row["question_id"], row["rollout"]),
        reverse=True,
    )
    return {row["question_id"]: turns_of(row["messages"], row["tools"]) for row in episodes}


def turns_of(messages: Sequence[dict[str, Any]], tools: str) -> list[ShownTurn]:
    """Reads the turns of an episode from its messages. Checks each turn with the schemas of the
    episode's tools.

    Raises:
        ValueError: a turn breaks the turn protocol, which no turn of a kept episode does.
    """
    protocol, found = TurnProtocol(json.loads(tools)), []
    texts = ["".join(part["text"] or "" for part in message["content"]) for message in messages]
    for number, message in enumerate(messages):
        if message["role"] != "assistant":
            continue
        turn = protocol.check(texts[number])
        if turn.call:
            given: Any = turn.call.arguments
            arguments = ", ".join(
                f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in given.items()
            )
            call, returned = f"{turn.call.name}({arguments})", shorten(texts[number + 1])
            found.append(ShownTurn(thought=turn.thought, call=call, returned=returned))
        elif turn.answer:
            found.append(ShownTurn(thought=turn.thought, answer=turn.answer))
        else:
            raise ValueError(f"turn {number}: {turn.violation}")
    return found


def shorten(text: str) -> str:
    """The beginning of a tool call's result, in one line.

    >>> shorten("<tool_response>\\n[1] Annapolis\\nURL: https://…\\n</tool_response>")
    '[1] Annapolis URL: https://…'
    >>> len(shorten("a" * 5000))
    241
    """
    line = " ".join(_RESPONSE.sub(" ", text).split())
    return line if len(line) <= RETURNED else line[:RETURNED] + "…"


def certificate_lines(row: dict[str, Any]) -> list[str]:
    """Formats the certificate of a question: each check, with what was measured."""
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


def licence_words(credit: dict[str, str]) -> str:
    """The licence of a picture. If the picture's source does not state the licence, the text says
    how it was inferred.

    >>> licence_words({"licence": "Public domain", "credit": "somebody; inferred: by age"})
    'Public domain (inferred: by age)'
    >>> licence_words({"licence": "CC0-1.0", "credit": "somebody"})
    'CC0-1.0'
    """
    grounds = re.search(r"\binferred\b[^;]*", credit["credit"])
    return f"{credit['licence']} ({grounds[0]})" if grounds else credit["licence"]


def shown(
    row: dict[str, Any],
    credit: dict[str, str],
    picture: str,
    names: Names,
    turns: list[ShownTurn],
) -> Shown:
    """A question as the page shows it.

    Args:
        row: the question's row.
        credit: the row of `attribution.parquet` for the question's picture.
        picture: the picture's file.
        turns: the turns of an episode that solved the question.

    Raises:
        ValueError: the planned route has a step of an unknown kind.
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
        credit=", ".join(filter(None, (credit["author"], licence_words(credit)))),
        source=source if source.startswith("https://") and not is_invented(source) else "",
    )


def write_gallery(datasets: Sequence[Path], out: Path, *, number: int, seed: int) -> int:
    """Writes the page and its pictures; returns the number of questions. Pictures of an earlier
    gallery are removed.
    """
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("*.jpg"):
        old.unlink()
    played = [solved(dataset) for dataset in datasets]
    sets = [
        drawn(rows(dataset), number, seed, episodes)
        for dataset, episodes in zip(datasets, played, strict=True)
    ]
    questions = []
    for dataset, episodes, found, share in zip(
        datasets, played, sets, shares([len(each) for each in sets], number), strict=True
    ):
        credits = {
            row["image_sha256"]: row for row in pq.read_table(dataset / ATTRIBUTION).to_pylist()
        }
        names = names_of(dataset)
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
