"""A gallery: fifty kept questions of several data sets, as a static page.

    python -m benchmarks.gallery WORLD_RUN/dataset SLICE_RUN/dataset --out FOLDER [--number 50] [--seed 1]

Writes `FOLDER/index.html` and small pictures beside it. Each data set gives an equal share, or all that it has. Questions with equal words
are shown once. A picture whose licence is only inferred is linked, not copied.
"""

import argparse
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
from jinja2 import Environment
from PIL import Image

from questloom.records.identity import priority

WIDTH = 320
ROWS, ATTRIBUTION = "data/[rsb]*/*.parquet", "attribution.parquet"
REJECTED = "rejected"
PAGE = Environment(autoescape=True, trim_blocks=True).from_string(
    """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Gallery</title>
<style>
body { font: 16px/1.5 sans-serif; max-width: 1100px; margin: 2rem auto; padding: 0 1rem; }
main { display: grid; grid-template-columns: repeat(auto-fill, minmax(320px, 1fr)); gap: 1.5rem; }
article { border: 1px solid #ccc; border-radius: 8px; padding: 1rem; }
img { max-width: 100%; max-height: 240px; } small, blockquote { color: #555; } blockquote { margin: .5rem 0 0; }
</style>
<h1>{{ questions | length }} questions</h1>
<p>Each has one answer that its picture and several searches lead to. The route is the cheapest way there.</p>
<main>
{% for each in questions %}
<article>
{% if each.picture %}<img src="{{ each.picture }}" alt="Picture {{ loop.index }}">{% endif %}
<h3>{{ loop.index }}. {{ each.question }}</h3>
<details><summary>Answer</summary><b>{{ each.answer }}</b>
{% for sentence in each.sentences %}<blockquote>{{ sentence }}</blockquote>{% endfor %}</details>
<p>{{ each.level }}, {{ each.hops }} hops; {{ each.rivals }}{% if each.route %}; {{ each.route | join(" → ") }}{% endif %}</p>
<small>Picture: {{ each.credit }}{% if each.source.startswith("https://") %}, <a href="{{ each.source }}">source</a>{% endif %}</small>
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
    route: list[str]
    """The moves: "image_search", "text_search", …; none where the run computed no route."""
    rivals: str
    sentences: list[str]
    """The sentences that state the hops, in their order; none where the recipe asks for none."""
    picture: str
    """File beside the page; "" for a picture that is linked only."""
    credit: str
    source: str


def rows(dataset: Path) -> list[dict[str, Any]]:
    """The kept questions of a data set, once each.

    Raises:
        FileNotFoundError: it has none.
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
    """That many questions with different words, at random by the seed."""
    order = sorted(questions, key=lambda row: priority(seed, row["id"], "gallery"))
    first = {row["question"]: row for row in reversed(order)}
    return [row for row in order if first[row["question"]] is row][:number]


def shares(sizes: Sequence[int], number: int) -> list[int]:
    """How many questions each data set gives: equal shares; what one lacks the others give.

    >>> shares([300, 12], 50)
    [38, 12]
    """
    left, given = number, [0] * len(sizes)
    for place, at in enumerate(sorted(range(len(sizes)), key=lambda i: sizes[i])):
        given[at] = min(sizes[at], left // (len(sizes) - place))
        left -= given[at]
    return given


def shown(row: dict[str, Any], credit: dict[str, str], picture: str) -> Shown:
    """A question's row, with its row of `attribution.parquet` and the file of its picture."""
    certificate = row["certificate"]
    rival = certificate["nearest_rival"]
    return Shown(
        question=row["question"],
        answer=row["answer"] + (f" {row['answer_unit']}" if row["answer_unit"] else ""),
        level=row["level"],
        hops=row["effective_hops"],
        route=[move.split()[0] for move in (row["route"] or {"moves": []})["moves"]],
        rivals=(
            f"nearest rival: {rival['label']}, of which {rival['num_gaps']} facts would have to be missing"
            if rival
            else "no rival"
        ),
        sentences=[hop["evidence"] for hop in row["evidence"] if hop["evidence"]],
        picture=picture,
        credit=", ".join(filter(None, (credit["author"], credit["licence"]))),
        source=credit["source_page"],
    )


def write_gallery(datasets: Sequence[Path], out: Path, *, number: int, seed: int) -> int:
    """Writes the page and its pictures; gives the number of questions. Pictures of an earlier gallery are removed."""
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
        for row in found[:share]:
            credit = credits[row["image_sha256"]]
            picture = ""
            if not re.search(r"\binferred\b", credit["credit"]):
                picture = f"{row['id'][:12]}.jpg"
                image = Image.open(io.BytesIO(row["image"]["bytes"])).convert("RGB")
                image.thumbnail((WIDTH, WIDTH))
                image.save(out / picture, quality=80)
            questions.append(shown(row, credit, picture))
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
