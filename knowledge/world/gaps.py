"""Decides what the dump leaves out: claims, single values and whole items, at rates that were measured on a real table.
With `absent`, the dumps also leave out a share of all things.

The level `gaps=2` hides everything that the level `gaps=1` hides. Each statement has one random
number, which is compared with the rate at level 1, and with twice the rate at level 2. P31 and
statements about pictures are never hidden. The file truth.jsonl keeps every statement.
"""

import csv
import gzip
import json
import sys
from functools import cache
from pathlib import Path
from typing import Any

from questloom.knowledge.world import vocabulary
from questloom.knowledge.world.model import Statement, Thing
from questloom.records.identity import chance

KEPT = ("P31", "P279", "P18", "P373", "P225")


@cache
def rates() -> dict[str, Any]:
    """The rates of missing values, and the sources of the rates."""
    return json.loads((Path(__file__).parent / "gap_rates.json").read_text(encoding="utf-8"))


@cache
def rate_of(prop: str) -> float:
    """Among the things that truly have a value of a property, the share for which Wikidata lacks
    the value."""
    found = rates()
    for column, properties in found["column_of_property"].items():
        if prop in properties:
            return found["columns"][column]
    datatype = vocabulary.properties()[prop].datatype if prop in vocabulary.properties() else ""
    return found["assumed"]["measure" if datatype == "quantity" else "date"]


def hidden_item(seed: int, gaps: int, thing: Thing) -> bool:
    """Whether the whole item is missing in the dump."""
    return (
        thing.kind not in ("country", "region", "city")
        and chance(seed, thing.id, "gap-item").random() < gaps * rates()["assumed"]["item"]
    )


def absent_thing(seed: int, absent: float, thing: Thing) -> bool:
    """Whether the dumps leave out the thing completely: item, page and pictures.

    Other things still link to an absent thing, just as an excerpt of Wikipedia links to things
    outside the excerpt.
    """
    return (
        thing.kind not in ("country", "region", "city")
        and chance(seed, thing.id, "absent").random() < absent
    )


def remaining(seed: int, gaps: int, thing: Thing) -> list[Statement]:
    """The statements that the dump shows. The dump hides some properties completely, and single
    values of others."""
    if not gaps:
        return thing.statements
    found = []
    by_property: dict[str, int] = {}
    for statement in thing.statements:
        by_property[statement.property] = by_property.get(statement.property, 0) + 1
    gone = {
        p
        for p in by_property
        if p not in KEPT and chance(seed, thing.id, f"gap-{p}").random() < gaps * rate_of(p)
    }
    for statement in thing.statements:
        if statement.property in gone:
            continue
        if by_property[statement.property] > 1 and statement.property not in KEPT:
            key = f"gap-{statement.property}-{statement.value.key()}"
            if chance(seed, thing.id, key).random() < gaps * rates()["columns"]["depicts"]:
                continue
        found.append(statement)
    return found


def measure(path: Path) -> dict[str, float]:
    """For each column of a gzipped CSV table of paintings, the share of empty cells."""
    with gzip.open(path, "rt", encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    return {
        column.lstrip("_"): round(sum(not row[column] for row in rows) / len(rows), 4)
        for column in rows[0]
        if column.startswith("_")
    }


if __name__ == "__main__":
    print(json.dumps(measure(Path(sys.argv[1])), indent=1))
