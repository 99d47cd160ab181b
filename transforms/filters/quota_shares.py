"""The rule of `quotas`: no thing, no relation and no path may appear in too large a share of the
questions. All things on a question's path count, not only the pictured thing.

A few things lie on most paths: of nineteen questions over real claims, eleven passed through George
Washington. Each question has a commonest part, and the questions whose commonest part is rarest
come first, so that many questions can stay. A question stays if none of its things and relations is
at its limit. The limit is a share of the kept questions, so the number of kept questions is lowered
until it fits.
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
    """The maximum shares of the kept questions; 1 sets no limit."""

    node: Share = 0.05
    """Maximum share of questions about one thing: pictured, on the path, or the answer."""
    relation: Share = 0.4
    """Maximum share of questions with one property."""
    shape: Share = 1.0
    """Maximum share of questions with the same relations, whichever things they connect."""
    least: Annotated[int, Ge(1)] = 10
    """Number of questions about one thing or relation that always pass, since shares mean little in a small run."""


@dataclass(frozen=True)
class Parts:
    """The parts of a question that quotas count: its id, its rank in the random order, its things,
    its relations, and all relations together as its shape."""

    id: str
    rank: str
    nodes: tuple[str, ...]
    relations: tuple[str, ...]
    shape: str = ""
    level: str = ""


def parts_of(question: Question, rank: str) -> Parts:
    """A question's things and relations. An outside row has none."""
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
    """(id, the part at its limit) of every question to drop. The result is the same for any order
    of the questions."""
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
    """(id, level) of every question beyond the wanted number of its level. The questions whose
    commonest thing is rarest stay.

    All questions stay at a level without a wanted number, such as the level of outside rows.
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
    """Makes one pass through the questions, and gives every question to drop with the part that is at its limit."""
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
