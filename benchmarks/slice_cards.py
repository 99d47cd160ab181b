"""Gives things of a slice of Wikidata a stand-in picture, makes questions, and counts plans and kept
questions by hops.

    python -m benchmarks.slice_cards SLICE --out FOLDER [--things 1500] [--seed 0]

A slice has few pictures, so few of its claims become questions. The script draws a card for each
thing that has an article: a plain mosaic that shows nothing, and that only this store's index
knows. With cards, words and truth can be judged on many real claims. The cards say nothing of
pictures, and they are never published: they lie in FOLDER/cards with the store that was made of
them. Nothing else of the slice is changed. The kept questions are written to
FOLDER/questions.tsv, with the names of the things on their way.
"""

import argparse
import csv
import json
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from random import Random

from PIL import Image

from benchmarks.demo_real import run
from benchmarks.paintings import item_value, statement
from benchmarks.wikimedia_world import World
from questloom.files.parquet import read_records
from questloom.knowledge.store.store import Store
from questloom.records.identity import chance
from questloom.records.plan import PlannedSeed
from questloom.records.synthesis import Question

HUMAN = '"Q5"'
SIDE, FIELDS = 320, 10
"""Side of a card in pixels, and number of its coloured fields in a row."""
SETTINGS = (
    *("seeds.per_entity=2", "seeds.levels.easy=0.5", "seeds.levels.medium=0.5"),
    "filters.visible_text=false",
)
"""A thing gets one seed of each level. A card has no text, so none is read."""


def dumps_of(slice_: Path) -> tuple[Path, list[Path]]:
    """The entities and the articles of a slice. `entities-sitelinked` has more sitelinks than
    `entities`, and comes first in the alphabet."""
    return min(slice_.glob("entities*.json.gz")), sorted(slice_.glob("articles*.xml.bz2"))


def with_article(world: World, num: int, seed: int) -> list[str]:
    """The ids of things with an article, drawn at random, at most `num` of them. People without a
    date of death are left out, since no question shows them."""
    found = [
        name
        for name, entity in world.entities.items()
        if entity.get("sitelinks", {}).get(world.wiki, {}).get("title") in world.pages
        and ("P570" in entity["claims"] or HUMAN not in json.dumps(entity["claims"].get("P31")))
    ]
    print(f"{len(found):,} things with an article may be shown", flush=True)
    chance(seed, "things", "slice_cards").shuffle(found)
    return found[:num]


def card(draw: Random) -> Image.Image:
    """A mosaic of random colours, with soft edges, so that it passes the checks of pictures."""
    fields = bytes(draw.randrange(256) for _ in range(3 * FIELDS * FIELDS))
    small = Image.frombytes("RGB", (FIELDS, FIELDS), fields)
    return small.resize((SIDE, SIDE), Image.Resampling.BICUBIC)


def write_cards(things: Iterable[str], out: Path) -> None:
    """Writes a picture folder with one card for each thing."""
    out.mkdir(parents=True)
    with (out / "metadata.jsonl").open("w", encoding="utf-8") as file:
        for number, thing in enumerate(things, 1):
            name, depicts = f"Card {number}.png", f"M{number}"
            card(chance(0, thing, "card")).save(out / name)
            said = statement(
                depicts, "P180", item_value(thing), "wikibase-entityid", "wikibase-item"
            )
            page = f"https://example.org/{name.replace(' ', '_')}"
            info = {
                **{"url": page, "descriptionurl": page, "width": SIDE, "height": SIDE},
                **{"size": (out / name).stat().st_size, "mime": "image/png"},
                "extmetadata": {
                    "LicenseShortName": {"value": "CC0"},
                    "Artist": {"value": "none: a stand-in card of a benchmark"},
                },
            }
            row = {
                **{"pageid": number, "ns": 6, "title": f"File:{name}", "imagerepository": "shared"},
                **{
                    "imageinfo": [info],
                    "mediainfo": {"id": depicts, "statements": {"P180": [said]}},
                },
            }
            file.write(json.dumps(row) + "\n")


def planned(out: Path) -> Iterator[PlannedSeed]:
    """The seeds of a run that have a plan."""
    for path in sorted(out.glob("run/stages/*-plan/kept-*.parquet")):
        yield from read_records(path, PlannedSeed)


def kept(out: Path) -> Iterator[Question]:
    """The questions that a run kept."""
    for path in sorted(out.glob("run/stages/*-split/kept-*.parquet")):
        yield from read_records(path, Question)


def write_questions(out: Path) -> None:
    """Writes the kept questions with the names of their things, for readers."""
    store = Store.open(str(out / "store"))
    with (out / "questions.tsv").open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, delimiter="\t", lineterminator="\n")
        rows.writerow(("number", "level", "picture", "question", "answer", "relations", "things"))
        for number, q in enumerate(sorted(kept(out), key=lambda q: q.id), 1):
            form = q.logical_form
            relations = [c.property for c in form.clauses if hasattr(c, "property")] if form else []
            things = [f"{var} {store.label(key)}" for var, key in sorted(q.bindings.items())]
            answer, way = q.answer.text, "; ".join(things)
            rows.writerow(
                (number, q.level, store.label(q.anchor), q.text, answer, " ".join(relations), way)
            )


def counts(out: Path, num_things: int) -> str:
    """The table of plans and kept questions by hops."""
    plans, things, held = Counter[int](), dict[int, set[str]](), Counter[int]()
    for one in planned(out):
        for hops in {plan.certificate.nominal_hops for plan in one.plans}:
            things.setdefault(hops, set()).add(one.entity_id)
    seen = {
        (tuple(sorted(plan.bindings.items())), json.dumps(plan.form, sort_keys=True)): plan
        for one in planned(out)
        for plan in one.plans
    }
    plans.update(plan.certificate.nominal_hops for plan in seen.values())
    held.update(q.certificate.nominal_hops for q in kept(out) if q.certificate)
    lines = [f"| hops | of {num_things:,} things with a plan | plans | kept |", "|---|---|---|---|"]
    for hops in sorted(plans):
        lines.append(f"| {hops} | {len(things[hops])} | {plans[hops]} | {held[hops]} |")
    return "\n".join(lines)


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("slice", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--things", type=int, default=1500)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    out: Path = args.out
    for name in ("cards", "store", "run"):
        shutil.rmtree(out / name, ignore_errors=True)
    entities, articles = dumps_of(args.slice)
    things = with_article(World.read([entities], articles, []), args.things, args.seed)
    write_cards(things, out / "cards")
    run(
        *("ingest", "--store", str(out / "store"), "--entities", str(entities)),
        *(word for path in articles for word in ("--articles", str(path))),
        *("--images", str(out / "cards"), "--snapshot", "2021-02-01"),
        *("--popularity", str(args.slice / "popularity.tsv")),
    )
    count = ("--set", f"seeds.count={2 * len(things)}")
    run(
        *("synth", "--store", str(out / "store"), "--out", str(out / "run"), "--recipe", "slice"),
        *(*count, *(word for one in SETTINGS for word in ("--set", one))),
    )
    write_questions(out)
    print(counts(out, len(things)))


if __name__ == "__main__":
    main()
