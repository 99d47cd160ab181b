"""The rule of `quotas`: no thing, no relation and no way on too large a share of the questions, over whole paths and not the pictures alone.

A few things lie on most paths: of nineteen questions over real claims eleven led past George Washington. The questions are gone
through with those first whose commonest part is the rarest, so that as many as possible stay; each stays where none of its things and
relations is at its limit yet. The limit is a share of what stays, so the number is made smaller until it fits.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Gt, Le

from questloom.records.form import ClaimClause, Fuzzy
from questloom.records.synthesis import Question

Share = Annotated[float, Gt(0), Le(1)]


@dataclass(frozen=True, kw_only=True)
class QuotaRules:
    """The largest shares of the kept questions; 1 is none."""

    node: Share = 0.05
    """Largest share of questions about one thing: pictured, on the path, or the answer."""
    relation: Share = 0.4
    """Largest share of questions with one property."""
    shape: Share = 1.0
    """Largest share of questions with the same relations, whatever the things."""
    least: Annotated[int, Ge(1)] = 10
    """Number of questions of a thing or relation that always pass, since in a small run a share means little."""


@dataclass(frozen=True)
class Parts:
    """A question as quotas see it: its id, its rank in the random order, its things, its relations, and all these as one way."""

    id: str
    rank: str
    nodes: tuple[str, ...]
    relations: tuple[str, ...]
    shape: str = ""
    level: str = ""


def parts_of(question: Question, rank: str) -> Parts:
    """A question's things and relations; an outside row has none."""
    form = question.logical_form
    nodes = {key for key in question.bindings.values() if key.startswith("Q")}
    relations = (
        [c.property for c in form.clauses if isinstance(c, ClaimClause | Fuzzy)] if form else []
    )
    return Parts(
        question.id,
        rank,
        tuple(sorted(nodes)),
        tuple(sorted(set(relations))),
        " ".join(sorted(relations)),
        question.level,
    )


def over_quota(found: Iterable[Parts], rules: QuotaRules) -> Iterator[tuple[str, str]]:
    """(id, what is at its limit) of every question that must go; the same for any order of the questions."""
    order = _rarest_first(sorted(found, key=lambda p: (p.rank, p.id)))
    num_kept = len(order)
    while True:
        gone = _pass(
            order,
            {
                "node": _limit(rules.node, rules, num_kept),
                "relation": _limit(rules.relation, rules, num_kept),
                "shape": _limit(rules.shape, rules, num_kept),
            },
        )
        if len(order) - len(gone) >= num_kept:
            yield from sorted(gone.items())
            return
        num_kept = len(order) - len(gone)


def over_level(found: Iterable[Parts], wanted: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """(id, level) of every question beyond the number that is wanted of its level: those whose commonest thing is the rarest stay.

    Of a level that is not named, as outside rows have, all stay.
    """
    counts: Counter[str] = Counter()
    for parts in _rarest_first(sorted(found, key=lambda p: (p.rank, p.id))):
        counts[parts.level] += 1
        if parts.level in wanted and counts[parts.level] > wanted[parts.level]:
            yield parts.id, f"level {parts.level}"


def _limit(share: float, rules: QuotaRules, num_kept: int) -> int:
    return max(rules.least, int(share * num_kept))


def _rarest_first(found: Sequence[Parts]) -> list[Parts]:
    often = Counter(node for parts in found for node in parts.nodes)
    return sorted(found, key=lambda parts: max((often[n] for n in parts.nodes), default=0))


def _pass(order: Sequence[Parts], limits: dict[str, int]) -> dict[str, str]:
    """One walk through the questions: those that find something at its limit, and what."""
    counts: Counter[tuple[str, str]] = Counter()
    gone = {}
    for parts in order:
        mine = [
            *(("node", n) for n in parts.nodes),
            *(("relation", r) for r in parts.relations),
            *([("shape", parts.shape)] if parts.shape else []),
        ]
        full = next((name for kind, name in mine if counts[kind, name] >= limits[kind]), None)
        if full is None:
            counts.update(mine)
        else:
            gone[parts.id] = full
    return gone
