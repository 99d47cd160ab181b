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


def free_of(
    made: list[Thing], maker: Thing, of_maker: str, of_other: str, found: list[Thing]
) -> list[Thing]:
    """Those of some things to which nothing that the maker made yet leads.

    Args:
        made: what may have been made already.
        maker: of what is being made.
        of_maker: the property that leads from a work to its maker.
        of_other: the property that leads from it to one of `found`.
        found: towns, people or families.
    """
    taken = {t.first(of_other) for t in made if t.first(of_maker) == maker.id}
    return [t for t in found if t.id not in taken]


def tied(
    rng: random.Random,
    made: list[Thing],
    maker: Thing | None,
    relations: tuple[str, str],
    found: list[Thing],
) -> Thing | None:
    """For most works one of the things that their maker is bound to, each for one work of a kind alone; None for the rest.

    Args:
        rng: for the draw.
        made: earlier things of the work's kind.
        maker: author, architect, discoverer; None where nobody is known.
        relations: the properties that lead from a work to its maker and to the bound thing.
        found: what the maker is bound to.
    """
    if maker is None or rng.random() >= TIED:
        return None
    free = free_of(made, maker, *relations, found)
    return heavy(rng, free, 0.4) if free else None


def tied_town(
    part: Part,
    rng: random.Random,
    kind: str,
    maker: Thing | None,
    at: int,
    relations: tuple[str, str],
) -> Thing:
    """A town that the maker is bound to for most things of a kind, one of the large ones for the rest."""
    towns = towns_of(part, maker, at) if maker is not None else []
    return tied(rng, part.kind(kind), maker, relations, towns) or heavy(rng, part.kind("town"), 0.5)


def tied_family(
    part: Part,
    rng: random.Random,
    kind: str,
    maker: Thing | None,
    at: int,
    relations: tuple[str, str],
) -> Thing:
    """The family of somebody the maker is bound to for most things of a kind, one of the great ones for the rest."""
    bound = [maker, *kin(part, maker, at)] if maker is not None else []
    families = [f for p in bound if (f := part.things.get(p.first("P53")))]
    return tied(rng, part.kind(kind), maker, relations, families) or heavy(
        rng, part.kind("family"), 0.6
    )


def tied_person(
    part: Part,
    rng: random.Random,
    kind: str,
    maker: Thing | None,
    at: int,
    relations: tuple[str, str],
) -> Thing | None:
    """Somebody the maker is bound to for most things of a kind; None for the rest."""
    bound = kin(part, maker, at) if maker is not None else []
    return tied(rng, part.kind(kind), maker, relations, bound)
