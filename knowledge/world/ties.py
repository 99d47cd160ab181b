"""Ties: whom and which towns people are bound to, so that what they make leads back to both.

A book is dedicated to its author's teacher, a church stands where its architect's wife was born. Two ways then lead
from the author to the book, and neither tells which of the author's books it is: the things that questions meet in.
"""

import random

from questloom.knowledge.world.model import Thing
from questloom.knowledge.world.part import Part, heavy

TIED = 0.65
"""Share of works and buildings whose place, dedicatee or donor is one that their maker is bound to."""
KIN = ("P1066", "P26", "P22", "P25", "P3373")
"""Teacher, spouse, parents and siblings."""


def kin(part: Part, person: Thing, at: int) -> list[Thing]:
    """A person's teacher, spouse, parents and siblings, and the teacher's teacher, who were of age in a year."""
    ids = [v.entity for p in KIN for v in person.values(p)]
    teacher = part.things.get(person.first("P1066"))
    ids += [teacher.first("P1066")] if teacher is not None else []
    found = (part.things.get(qid) for qid in dict.fromkeys(ids) if qid != person.id)
    return [t for t in found if t is not None and t.start + 18 <= at]


def towns_of(part: Part, person: Thing, at: int) -> list[Thing]:
    """The towns in which a person and those bound to that person were born, each once."""
    ids = dict.fromkeys(one.first("P19") for one in (person, *kin(part, person, at)))
    found = (part.things.get(qid) for qid in ids)
    return [t for t in found if t is not None and t.kind == "town"]


def tied_town(
    part: Part, rng: random.Random, maker: Thing | None, at: int, otherwise: Thing
) -> Thing:
    """A town that the maker is bound to for most works, another one for the rest."""
    towns = towns_of(part, maker, at) if maker is not None else []
    return rng.choice(towns) if towns and rng.random() < TIED else otherwise


def tied_person(
    part: Part, rng: random.Random, maker: Thing | None, at: int, relation: tuple[str, str]
) -> Thing | None:
    """Somebody the maker is bound to and to whom no earlier work of the maker's leads yet; None for the rest.

    Args:
        part: the region.
        rng: for the draw.
        maker: author, composer or discoverer.
        at: the year of the work.
        relation: the properties that lead from a work to its maker and to the person.
    """
    if maker is None or rng.random() >= TIED:
        return None
    of_maker, of_person = relation
    taken = {t.first(of_person) for t in part.things.values() if t.first(of_maker) == maker.id}
    free = [p for p in kin(part, maker, at) if p.id not in taken]
    return heavy(rng, free, 0.6) if free else None


def tied_family(part: Part, rng: random.Random, maker: Thing | None, at: int) -> Thing:
    """The family of somebody the maker is bound to for most works, any other one for the rest."""
    bound = kin(part, maker, at) if maker is not None else []
    families = [f for p in bound if (f := part.things.get(p.first("P53")))]
    return rng.choice(families if families and rng.random() < TIED else part.kind("family"))
