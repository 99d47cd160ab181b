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
    bound: list[Thing],
    others: list[Thing],
) -> Thing | None:
    """For most works one of the things that their maker is bound to, one of the great ones for the rest; each for one work of a kind alone.

    Args:
        rng: for the draw.
        made: earlier things of the work's kind.
        maker: author, architect, discoverer; None where nobody is known.
        relations: the properties that lead from a work to its maker and to what is drawn.
        bound: what the maker is bound to.
        others: what else there is, the great ones first; none leaves the rest without.
    """
    if maker is not None:
        bound = free_of(made, maker, *relations, bound)
        others = free_of(made, maker, *relations, others) or others
    if bound and rng.random() < TIED:
        return heavy(rng, bound, 0.4)
    return heavy(rng, others, 0.5) if others else None


def tied_town(
    part: Part,
    rng: random.Random,
    kind: str,
    maker: Thing | None,
    at: int,
    relations: tuple[str, str],
) -> Thing:
    """A town for a thing of a kind, most often one that its maker is bound to."""
    towns = towns_of(part, maker, at) if maker is not None else []
    found = tied(rng, part.kind(kind), maker, relations, towns, part.kind("town"))
    assert found is not None
    return found


def tied_family(
    part: Part,
    rng: random.Random,
    kind: str,
    maker: Thing | None,
    at: int,
    relations: tuple[str, str],
) -> Thing:
    """A family for a thing of a kind, most often that of its maker or of somebody bound to the maker."""
    people = [maker, *kin(part, maker, at)] if maker is not None else []
    families = [f for p in people if (f := part.things.get(p.first("P53")))]
    found = tied(rng, part.kind(kind), maker, relations, families, part.kind("family"))
    assert found is not None
    return found


def tied_person(
    part: Part,
    rng: random.Random,
    kind: str,
    maker: Thing | None,
    at: int,
    relations: tuple[str, str],
    others: list[Thing],
) -> Thing | None:
    """Somebody for a thing of a kind, most often one bound to its maker; None where nobody is left."""
    bound = kin(part, maker, at) if maker is not None else []
    return tied(rng, part.kind(kind), maker, relations, bound, others)
