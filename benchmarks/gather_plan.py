"""Prints how many calls and minutes `questloom gather` takes with Wikimedia's real services. The
table is for 100, 1,000 and 10,000 anchors (things that are shown on pictures).

* `python -m benchmarks.gather_plan` prints the table. The assumed number of seconds per call is in
  `knowledge/gather/plan.py`.
* With `--entities DUMP`, the script also compares the plan with the true number of linked things in
  a dump.

The anchors of the comparison are random things with an article and at least five values (random
seed 1). Random anchors have fewer neighbours in common than anchors of one class, such as bridges.
"""

import argparse
import random
from collections.abc import Mapping
from pathlib import Path

from benchmarks.wikimedia_world import World
from questloom.knowledge.gather.closure import Links, classes_above, links_of
from questloom.knowledge.gather.plan import (
    CLASS_EXPONENT,
    CLASSES,
    EXPONENT,
    REACHED,
    duration,
    plan_of,
)
from questloom.knowledge.gather.request import GatherRequest

ANCHORS = (100, 1000, 10_000)
MEASURED = (30, 100, 300, 1000, 3000)
MIN_VALUES = 5


def table() -> str:
    """Makes a plan for each number of anchors. Each plan assumes a class with ten times as many
    members as anchors."""
    lines = [f"{'anchors':>8}{'pictures':>10}{'calls':>10}{'time':>10}   of which pictures"]
    for anchors in ANCHORS:
        for all_pictures in (False, True):
            request = GatherRequest(class_id="Q1", limit=anchors, all_pictures=all_pictures)
            plan = plan_of(request, members=10 * anchors)
            files = plan.steps[-1]
            lines.append(
                f"{anchors:>8,}{'all' if all_pictures else 'anchors':>10}{plan.calls:>10,}"
                f"{duration(plan.minutes):>10}   {files.calls:,} in {duration(files.seconds / 60)}"
            )
    return "\n".join(lines)


def reached(anchors: list[str], links: Mapping[str, Links], depth: int) -> list[set[str]]:
    """Returns the things that links connect to the anchors. The first set holds the things one link
    away from an anchor, the second set those two links away, and so on.
    """
    all_, frontier, found = set(anchors), set(anchors), []
    for step in range(depth):
        ways = (links[n] for n in frontier if n in links and (not step or links[n].is_way))
        frontier = {value for way in ways for value in way.values} - all_
        all_ |= frontier
        found.append(set(all_))
    return found


def measured(dump: Path) -> str:
    """Prints the number of things to which anchors in a dump link, next to the number in the
    plan."""
    world = World.read([dump], [], [])
    links = {n: links_of(e, "enwiki") for n, e in world.entities.items() if n.startswith("Q")}
    rich = sorted(
        n
        for n, li in links.items()
        if len(li.values) >= MIN_VALUES and li.article and not li.parents
    )
    draw = random.Random(1)
    lines = [
        f"{len(links):,} items; {len(rich):,} could be anchors",
        "anchors  things (planned) at depth 1, 2, 3; classes (planned)",
    ]
    for anchors in (n for n in MEASURED if n <= len(rich)):
        by_depth = reached(draw.sample(rich, anchors), links, 3)
        things = (
            f"{len(found):,} ({round(REACHED[depth] * anchors**EXPONENT):,})"
            for depth, found in enumerate(by_depth, 1)
        )
        classes = classes_above(
            (c for n in by_depth[1] if n in links for c in links[n].classes), links
        )
        planned = round(CLASSES * anchors**CLASS_EXPONENT)
        lines.append(f"{anchors:>7,}  {', '.join(things)}; {len(classes):,} ({planned:,})")
    return "\n".join(lines)


def main() -> None:
    """Prints the table. If a dump is given, also prints the comparison."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--entities", type=Path, help="A Wikidata JSON dump.")
    args = parser.parse_args()
    print(table())
    if args.entities:
        print(measured(args.entities))


if __name__ == "__main__":
    main()
