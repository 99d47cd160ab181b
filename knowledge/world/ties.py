"""Ordinary ties between things that are there already: who opened a bridge, whose book became a film, who sat for a painting.

What people ask of things everywhere. They tie things to each other that nothing else does, so that two ways from one
picture meet, and ways go on where they would end. Made of a region, from generators of its own.
"""

import random
from collections.abc import Sequence

from questloom.knowledge.world.model import Thing
from questloom.knowledge.world.part import Part, heavy
from questloom.knowledge.world.people import alive, workers

OPENED = ("bridge", "theatre", "station", "museum", "library", "dam", "stadium", "observatory")
PUBLIC = ("politician", "military officer", "writer", "explorer")
MAKERS = ("painter", "writer", "composer", "architect", "sculptor", "botanist", "civil engineer")
ABOARD = ("sailor", "explorer", "military officer")
OPENERS, SITTERS, SCREENPLAYS, ADAPTED, COVERS, CURATED, SHOWN, GODPARENTS, INFLUENCED, CREWS = (
    0.6,
    0.45,
    0.8,
    0.45,
    0.4,
    0.8,
    0.35,
    0.3,
    0.35,
    0.5,
)
"""Share of the things that can have a tie which have it."""


def make_ties(part: Part) -> None:
    """Ties of buildings, works and people, each in a share of them."""
    for thing in part.kind(*OPENED):
        _tie(part, thing, "P542", workers(part, *PUBLIC), OPENERS, thing.start)
    for painting in part.kind("painting"):
        _tie(part, painting, "P2634", part.kind("person"), SITTERS, painting.start)
        later = [e for e in part.kind("exhibition") if e.start > painting.start]
        _tie(part, painting, "P608", later, SHOWN)
    for film in part.kind("film"):
        _tie(part, film, "P58", workers(part, "writer", "journalist"), SCREENPLAYS, film.start)
        _tie(part, film, "P144", [b for b in part.kind("book") if b.start < film.start], ADAPTED)
    for book in part.kind("book"):
        _tie(part, book, "P736", workers(part, "painter", "sculptor"), COVERS, book.start)
    for shown in part.kind("exhibition"):
        curators = workers(part, "painter", "writer", "historian", "journalist")
        _tie(part, shown, "P1640", curators, CURATED, shown.start)
    for person in part.kind("person"):
        if "occupation" not in person.look:
            continue
        kin = {person.first("P22"), person.first("P25")}
        others = [p for p in part.kind("person") if p.id not in kin and p.surname != person.surname]
        _tie(part, person, "P1290", others, GODPARENTS, person.start)
        if person.look["occupation"] in MAKERS:
            same = workers(part, person.look["occupation"])
            older = [p for p in same if p.start + 12 < person.start]
            _tie(part, person, "P737", older, INFLUENCED)
        if person.look["occupation"] in ABOARD:
            ships = [s for s in part.kind("ship") if person.start + 17 < s.start < person.end - 3]
            _tie(part, person, "P5096", ships, CREWS)


def _tie(
    part: Part, thing: Thing, property: str, others: Sequence[Thing], share: float, at: int = 0
) -> None:
    """Ties a thing to one of some others, the well-known ones more often; of people to one who lived in a year."""
    rng: random.Random = part.rng(f"tie-{property}-{thing.id}")
    able = [o for o in others if o is not thing and (not at or alive(o, at))]
    if able and rng.random() < share:
        thing.say(property, heavy(rng, able, 0.6))
