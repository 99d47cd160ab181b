"""Sets of claims that describe an entity as the certificate wants it, found before a model is asked to word one.

A description must single the entity out with room to spare, and it must need the thing that it is described by: the neighbour on
the path, or a thing that it names. Most claims alone do neither, so asking for "a fact that fits it alone" asked for what was refused.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass, replace

from questloom.knowledge.dates import PRECISIONS
from questloom.language.names_in_text import leaked
from questloom.prompts.phrases import property_phrase, property_use
from questloom.records.form import ClassClause, Clause
from questloom.transforms.facts.values import is_volatile
from questloom.transforms.writing.llm.material import ClaimLine, Material

MAX_SET = 3
MAX_OFFERED = 6
MAX_CANDIDATES = 24
"""Claims of which sets are made: those that are wanted, then those that the fewest things share."""

VAGUE = ("P17", "P21", "P27", "P30", "P31", "P106", "P140")
"""Country, sex, citizenship, continent, kind, occupation and religion: a description by them alone tells a reader nothing to look up."""

YEAR = PRECISIONS["year"]

Refused = Callable[[tuple[Clause, ...]], str]
"""Why a description by these clauses is refused, in words for the model; "" where it passes."""


@dataclass(frozen=True, kw_only=True)
class Offer:
    """Numbers of claims, as the prompt shows them, that together pass."""

    numbers: tuple[int, ...]

    @property
    def words(self) -> str:
        return " + ".join(map(str, self.numbers))


def offers(
    store,
    shown: Material,
    refused: Refused,
    *,
    most_tries: int,
    wanted: Callable[[ClaimLine], bool] = lambda line: True,
    late: Callable[[ClaimLine], bool] = lambda line: False,
    never: Callable[[ClaimLine], bool] = lambda line: False,
) -> tuple[Offer, ...]:
    """Sets of the claims shown that pass, small ones first, none of which holds another.

    The kind is in none of them: a description says it with any set, and the judge reckons with that.

    Args:
        store: says how many things share a claim.
        shown: the numbered claims.
        refused: the judge of a set.
        most_tries: sets that are judged.
        wanted: which claims a set needs one of.
        late: which claims come last.
        never: which no set holds.
    """
    kind = next((c for c in shown.claims if isinstance(c.clause, ClassClause)), None)
    usable = [
        (n, c)
        for n, c in enumerate(shown.claims, 1)
        if not isinstance(c.clause, ClassClause) and _tells(store, shown, c) and not never(c)
    ]
    usable = sorted(
        usable, key=lambda nc: (not wanted(nc[1]), late(nc[1]), _num_sharing(store, nc[1]), nc[0])
    )[:MAX_CANDIDATES]
    sets = (
        found
        for size in range(1, MAX_SET + 1)
        for found in itertools.combinations(usable, size)
        if any(wanted(line) for _, line in found)
        and len({line.claim.property for _, line in found}) == size
        and any(line.claim.property not in VAGUE for _, line in found)
    )
    made: list[Offer] = []
    for found in itertools.islice(sets, most_tries):
        numbers = tuple(n for n, _ in found)
        if any(set(offer.numbers) <= set(numbers) for offer in made):
            continue
        told = tuple(line.clause for _, line in found)
        # Of a kind of which many members are lacking no rival could be listed by it.
        if (kind and not refused((kind.clause, *told))) or not refused(told):
            made.append(Offer(numbers=numbers))
        if len(made) == MAX_OFFERED:
            break
    return tuple(made)


def without_names(shown: Material, names: tuple[str, ...]) -> Material:
    """The material less the claims and sentences whose words give a hidden name away, as a relative's does the surname."""
    ends = [
        (line, line.words.partition(" — ")[0] if line.inverse else line.words.partition(": ")[2])
        for line in shown.claims
    ]
    kept = (line for line, end in ends if leaked(end, names) is None)
    return replace(
        shown,
        claims=tuple(replace(line, page="") if leaked(line.page, names) else line for line in kept),
    )


def _tells(store, shown: Material, line: ClaimLine) -> bool:
    """Whether a claim is one to describe by: lasting; no date to the day, by which anybody is found in a list; no adjective that is half of the truth,
    as "violet" is of what is violet and black."""
    property_id = line.claim.property
    values = sum(not c.inverse and c.claim.property == property_id for c in shown.claims)
    return (
        property_use(property_id).clue
        and not is_volatile(store, line.claim)
        and line.value.precision <= YEAR
        and not (values > 1 and property_phrase(property_id).adjective)
    )


def _num_sharing(store, line: ClaimLine) -> int:
    """How many things the claim fits; one against its direction fits the one or few values that its subject has."""
    return 1 if line.inverse else store.num_subjects(line.claim.property, line.value.key())
