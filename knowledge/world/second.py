"""Adds statements that can be made only when all things exist: styles, designations, inverse
relations, identifiers.

With the added statements, invented items have about as many statements as real items. Many real
items have twenty statements or more, and most of these statements are dull.
"""

import random

from questloom.knowledge.world import vocabulary
from questloom.knowledge.world.model import Statement, Thing, string
from questloom.knowledge.world.part import Part, heavy
from questloom.knowledge.world.ties import tied_town
from questloom.records.knowledge import Value

BUILT = (
    "lighthouse",
    "bridge",
    "church",
    "tower",
    "castle",
    "windmill",
    "dam",
    "station",
    "theatre",
    "library",
    "museum",
    "stadium",
    "observatory",
)
IDS = tuple(p.id for p in vocabulary.properties().values() if p.datatype == "external-id")
TAXON_IDS, PLACE_IDS = ("P685", "P846", "P3151"), ("P402", "P1566")
ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"


def add_second_order(part: Part) -> None:
    """Adds styles, designations, inverse relations and identifiers to every thing of a complete part."""
    for thing in part.things.values():
        rng = part.rng(f"second-{thing.id}")
        if thing.kind in BUILT:
            _building(part, thing, rng)
        elif thing.kind == "person" and "occupation" in thing.look:
            _person(part, thing, rng)
        elif thing.kind == "painting":
            _painting(part, thing, rng)
        elif thing.kind in ("battle", "expedition", "election"):
            for value in thing.values("P710"):
                other = part.things.get(value.entity)
                if other is not None and other.kind == "person":
                    other.say("P1344", thing)
        if part.number:
            _identifiers(thing, rng)


def _building(part: Part, thing: Thing, rng: random.Random) -> None:
    styles = [s for s in part.nation.kind("style") if s.start <= thing.start]
    if styles:
        thing.say("P149", styles[-1] if rng.random() < 0.7 else rng.choice(styles))
    if thing.start < 1960 and rng.random() < 0.5:
        thing.say("P1435", rng.choice(part.nation.kind("designation")))


def _person(part: Part, person: Thing, rng: random.Random) -> None:
    person.say("P103", part.nation.kind("language")[0])
    if rng.random() < 0.6:
        person.say("P937", heavy(rng, part.kind("town") + part.nation.kind("city")))
    if person.look["occupation"] == "association football player":
        person.say("P641", vocabulary.groups()["sport"]["association football"])
        person.say("P413", rng.choice(list(vocabulary.groups()["football"].values())))
    if rng.random() < 0.04 and not person.values("P26"):
        person.statements.append(Statement("P26", Value(kind="novalue")))


def _painting(part: Part, painting: Thing, rng: random.Random) -> None:
    painter = part.things.get(painting.first("P170"))
    town = tied_town(part, rng, "painting", painter, painting.start, ("P170", "P1071"))
    painting.say("P1071", town)
    if painter is not None:
        painter.say("P6379", painting.values("P195")[0])


def _identifiers(thing: Thing, rng: random.Random) -> None:
    """Adds identifiers in other catalogues; better known things get more identifiers. Identifiers
    are random, so an identifier tells nothing about its thing."""
    number = int(rng.lognormvariate(1.3, 0.75) * (1.5 if thing.fame > 3 else 1))
    allowed = [
        p
        for p in IDS
        if (thing.kind in ("species", "genus")) == (p in TAXON_IDS)
        or p in ("P646", "P2671", "P1417", "P3417")
    ]
    if not thing.values("P625"):
        allowed = [p for p in allowed if p not in PLACE_IDS]
    for prop in sorted(rng.sample(allowed, min(number, len(allowed))), key=lambda p: int(p[1:])):
        thing.statements.append(
            Statement(prop, string("".join(rng.choice(ALPHABET) for _ in range(9))))
        )
