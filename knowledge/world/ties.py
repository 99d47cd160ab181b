"""A tie of a person is a relative, a teacher, or the birthplace of the person or of a relative.
Works and buildings often name a tie of their maker.

For example, a book is dedicated to its author's teacher, or a church stands in the birthplace of
its architect's wife. Two paths of statements then lead from the author to the book: one directly,
one through the teacher. If one path alone leads to several books, a question can join both paths.
"""

import random

from questloom.knowledge.world.model import Thing
from questloom.knowledge.world.part import Part, heavy

TIED = 0.65
"""The share of works and buildings whose place, dedicatee or donor is a tie of the maker."""
KIN = ("P1066", "P26", "P22", "P25", "P3373")
"""Properties of kinship: teacher, spouse, parents and siblings."""


def kin(part: Part, person: Thing, at: int) -> list[Thing]:
    """A person's teacher, spouse, parents and siblings, and the teacher's teacher, if they were adults in a given
    year."""
    ids = [v.entity for p in KIN for v in person.values(p)]
    teacher = part.things.get(person.first("P1066"))
    ids += [teacher.first("P1066")] if teacher is not None else []
    found = (part.things.get(qid) for qid in dict.fromkeys(ids) if qid != person.id)
    return [t for t in found if t is not None and t.start + 18 <= at]


def towns_of(part: Part, person: Thing, at: int) -> list[Thing]:
    """The distinct birthplaces of a person and the person's relatives."""
    ids = dict.fromkeys(one.first("P19") for one in (person, *kin(part, person, at)))
    found = (part.things.get(qid) for qid in ids)
    return [t for t in found if t is not None and t.kind == "town"]


def free_of(
    made: list[Thing], maker: Thing, of_maker: str, of_other: str, found: list[Thing]
) -> list[Thing]:
    """The candidates, without those that an earlier work of the same maker names.

    Args:
        made: the works of the same kind that exist already.
        maker: maker of the new work.
        of_maker: property that leads from a work to its maker.
        of_other: property that leads from a work to a candidate.
        found: the candidates: towns, people or families.
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
    """Draws the thing that a statement of a new work names: most often a tie of the maker,
    otherwise a well-known thing.

    If a maker has several works of one kind, they name different things as far as possible.

    Args:
        rng: the random generator.
        made: the works of the same kind that exist already.
        maker: author, architect or discoverer; None for an unknown maker.
        relations: properties that lead from a work to its maker and to the drawn thing.
        bound: the candidates that are ties of the maker.
        others: all other candidates, best known first; if `others` is empty, works without a tie get None.
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
    """A town for a new thing of a kind; most often the town is a tie of the maker."""
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
    """A family for a new thing of a kind; most often it is the family of the maker or of a relative."""
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
    """A person for a new thing of a kind; most often the person is a tie of the maker. The result is None if no
    candidate is left."""
    bound = kin(part, maker, at) if maker is not None else []
    return tied(rng, part.kind(kind), maker, relations, bound, others)
