"""Hides a third of a slice's items from `questloom gather`, gives them back to `gather --complete`, and
compares the plans and kept questions with those of the whole slice.

    python -m benchmarks.gather_complete SLICE --out FOLDER [--things 300] [--share 0.33] [--seed 0]

Local services serve the slice's items and articles. The anchors (things where questions start) are
things with an article from which two claims lead on, one after the other. Each gets a stand-in
picture (`benchmarks/slice_cards.py`). Three stores are made, and the recipe `slice` makes questions
from each:

* hidden: a random share of the items cannot be fetched. The query service counts and lists them, as
  it does where a real gathering holds a part of a class. Anchors, and things that are classes, are
  never hidden: a user names the anchors, and every gathering fetches the classes.
* completed: the same folder, after `gather --complete` with the list that the run on the hidden store
  wrote (`lacking.tsv`). All items can be fetched now. The list alone does not bring all depth back: it
  names pairs of planless seeds, and relations are then measured on other things than in a whole store.
* whole: a folder of its own, gathered with nothing hidden, and then given the same list. Without the
  list it would hold fewer members of the classes, and a relation's share of things with one value,
  which decides whether a question may follow the relation, would be measured on other things.

The script ends with status 1 if nothing is lost by hiding, or if the completed store has fewer plans
or kept questions of two or of three hops than the whole one, by more than the tolerance.
"""

import argparse
import json
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import floor
from pathlib import Path

from benchmarks.demo_real import CONTACT, run
from benchmarks.slice_cards import SETTINGS, dumps_of, kept, planned, with_article, write_cards
from benchmarks.wikimedia import serving
from benchmarks.wikimedia_world import World
from questloom.calls.pacing import Pace
from questloom.knowledge.gather.request import GatherRequest
from questloom.knowledge.readers import polite
from questloom.knowledge.store.store import Store
from questloom.pipeline.commands.gather import gather, what_is_lacking
from questloom.prompts.phrases import property_use
from questloom.records.identity import chance

HIDDEN, COMPLETED, WHOLE = "hidden", "completed", "whole"
HOPS = (2, 3)
"""Numbers of hops that are compared."""


@dataclass(frozen=True)
class Counts:
    """What one store gives.

    Args:
        items: number of entities in the store.
        claims: number of claims in the store.
        plans: number of different plans by hops.
        kept: number of kept questions by (hops, level).
    """

    items: int
    claims: int
    plans: Mapping[int, int]
    kept: Mapping[tuple[int, str], int]

    def kept_of(self, hops: int) -> int:
        return sum(number for (of, _), number in self.kept.items() if of == hops)


def leads_on(world: World, name: str, steps: int = 2) -> bool:
    """Whether a walk of some claims leads on from a thing, each with one value that the world has."""
    if not steps:
        return True
    for prop, said in (world.entities[name].get("claims") or {}).items():
        value = said[0]["mainsnak"].get("datavalue", {}).get("value")
        to = value.get("id") if isinstance(value, dict) else None
        if (
            property_use(prop).hop
            and len(said) == 1
            and to in world.entities
            and leads_on(world, to, steps - 1)
        ):
            return True
    return False


def draw_hidden(world: World, anchors: Iterable[str], share: float, seed: int) -> set[str]:
    """The ids of the items to hide: a random share of all items, without anchors and classes."""
    classes = {
        value["value"]["id"]
        for entity in world.entities.values()
        for prop in ("P31", "P279")
        for statement in (entity.get("claims") or {}).get(prop, ())
        if (value := statement["mainsnak"].get("datavalue"))
    }
    classes |= {n for n, e in world.entities.items() if "P279" in (e.get("claims") or {})}
    items = sorted(n for n in world.entities if n.startswith("Q"))
    free = sorted(set(items) - classes - set(anchors))
    number = min(len(free), round(share * len(items)))
    return set(chance(seed, "hidden", "gather_complete").sample(free, number))


def count(folder: Path) -> Counts:
    """Counts the items and claims of FOLDER/store, and the plans and questions of FOLDER/run."""
    store = Store.open(str(folder / "store"))
    seen = {
        (tuple(sorted(plan.bindings.items())), json.dumps(plan.form, sort_keys=True)): plan
        for one in planned(folder)
        for plan in one.plans
    }
    return Counts(
        items=store.num_rows("entities"),
        claims=store.num_rows("claims"),
        plans=Counter(plan.certificate.nominal_hops for plan in seen.values()),
        kept=Counter((q.certificate.nominal_hops, q.level) for q in kept(folder) if q.certificate),
    )


def table(found: Mapping[str, Counts]) -> str:
    """The counts of all stores, a column for each."""
    hops = sorted({h for one in found.values() for h in one.plans})
    levels = sorted({key for one in found.values() for key in one.kept})
    rows = [
        ("items", [one.items for one in found.values()]),
        ("claims", [one.claims for one in found.values()]),
        *((f"plans of {h} hops", [one.plans.get(h, 0) for one in found.values()]) for h in hops),
        *((f"kept of {h} hops", [one.kept_of(h) for one in found.values()]) for h in hops),
        *(
            (f"kept of {h} hops, {level}", [one.kept.get((h, level), 0) for one in found.values()])
            for h, level in levels
        ),
    ]
    lines = ["| what | " + " | ".join(found) + " |", "|---" * (len(found) + 1) + "|"]
    return "\n".join(
        [*lines, *(f"| {what} | " + " | ".join(f"{n:,}" for n in row) + " |" for what, row in rows)]
    )


def shortfalls(found: Mapping[str, Counts], tolerance: float) -> list[str]:
    """Sentences about what did not come back; [] if all did.

    Args:
        found: the counts of the three stores.
        tolerance: the share of the whole store's plans or questions that may be missing.
    """
    hidden, completed, whole = (found[name] for name in (HIDDEN, COMPLETED, WHOLE))
    said = []
    if hidden.items >= whole.items or all(
        hidden.plans.get(hops, 0) >= whole.plans.get(hops, 0) for hops in HOPS
    ):
        said.append("Hiding took no items, or no plans of two or three hops: nothing is shown.")
    for hops in HOPS:
        for what, has, wanted in (
            ("plans", completed.plans.get(hops, 0), whole.plans.get(hops, 0)),
            ("kept questions", completed.kept_of(hops), whole.kept_of(hops)),
        ):
            if has < floor((1 - tolerance) * wanted):
                said.append(f"{what} of {hops} hops: {has} of {wanted} came back.")
    return said


def _gather(world: World, out: Path, **request: object) -> None:
    print(f"\ngathering into {out}", flush=True)
    with serving(world) as base:
        gather(GatherRequest(**request), out, base=base, contact=CONTACT)  # type: ignore[arg-type]


def _questions(slice_: Path, gathered: Path, folder: Path, seeds: int) -> Counts:
    """Ingests a gathered folder into FOLDER/store, makes questions in FOLDER/run, and counts."""
    dumps = json.loads((gathered / "gather.json").read_text())["dumps"]
    run(
        *("ingest", "--store", str(folder / "store"), "--snapshot", "2021-02-01"),
        *("--entities", str(gathered / dumps["entities"])),
        *("--articles", str(gathered / dumps["articles"])),
        *("--images", str(gathered / dumps["images"])),
        *("--popularity", str(slice_ / "popularity.tsv")),
    )
    run(
        *("synth", "--store", str(folder / "store"), "--out", str(folder / "run")),
        *("--recipe", "slice", "--set", f"seeds.count={seeds}"),
        *(word for one in SETTINGS for word in ("--set", one)),
    )
    return count(folder)


def main() -> None:
    """Runs the command line."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("slice", type=Path)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--things", type=int, default=300)
    parser.add_argument("--share", type=float, default=1 / 3)
    parser.add_argument("--rivals", type=int, default=500)
    parser.add_argument("--tolerance", type=float, default=0.1)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    out: Path = args.out
    shutil.rmtree(out, ignore_errors=True)
    for service in polite.PACES:  # the services are on this machine, and need no pauses
        polite.PACES[service] = Pace(max_in_flight=1)
    entities, articles = dumps_of(args.slice)
    world = World.read([entities], articles, [])
    pool = with_article(world, len(world.entities), args.seed)
    anchors = [name for name in pool if leads_on(world, name)][: args.things]
    write_cards(anchors, out / "cards")
    world.files = World.read([], [], [out / "cards"]).files
    world = world.with_pictures()
    world.select("ASK {}")  # makes the query service's graph: a first reply would come too late
    first = {
        **{"ids": tuple(anchors), "rivals": args.rivals, "views": 0},
        **{"all_pictures": False, "page_views": False},
    }
    folders = {name: out / name for name in (HIDDEN, COMPLETED, WHOLE)}
    gathered, whole = out / "gathered", out / "gathered-whole"
    found = {}
    hidden = draw_hidden(world, anchors, args.share, args.seed)
    print(f"{len(hidden):,} of {len(world.entities):,} entities are hidden at first", flush=True)
    world.deleted |= hidden
    _gather(world, gathered, **first)
    found[HIDDEN] = _questions(args.slice, gathered, folders[HIDDEN], 2 * len(anchors))
    world.deleted -= hidden
    lacking, ways = what_is_lacking(folders[HIDDEN] / "run" / "lacking.tsv")
    more = {"lacking": lacking, "ways": ways, "rivals": args.rivals, "page_views": False}
    _gather(world, gathered, **more)
    found[COMPLETED] = _questions(args.slice, gathered, folders[COMPLETED], 2 * len(anchors))
    _gather(world, whole, **first)
    _gather(world, whole, **more)
    found[WHOLE] = _questions(args.slice, whole, folders[WHOLE], 2 * len(anchors))
    print(f"\n{table(found)}\n")
    said = shortfalls(found, args.tolerance)
    print("\n".join(said) or f"All came back, within {args.tolerance:.0%}.")
    raise SystemExit(bool(said))


if __name__ == "__main__":
    main()
