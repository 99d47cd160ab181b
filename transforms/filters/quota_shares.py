"""The rule of `quotas`: no thing, no relation and no path may appear in too large a share of the
questions. All things on a question's path count, not only the pictured thing.

A few things lie on most paths: eleven of nineteen questions over real claims passed through George
Washington. Each question is judged by its commonest thing. Questions whose commonest thing is rare
come first, so that many questions can stay. A question stays if none of its things and relations
has reached its limit. A limit is a share of the kept questions. The program therefore lowers the
number of kept questions until all limits hold.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from annotated_types import Ge, Gt, Le

from questloom.language.names_in_text import folded
from questloom.records.form import ClaimClause, Fuzzy
from questloom.records.synthesis import Question

Share = Annotated[float, Gt(0), Le(1)]


@dataclass(frozen=True, kw_only=True)
class QuotaRules:
    """Maximum shares of the kept questions; a share of 1 is no limit."""

    node: Share = 0.05
    """Maximum share of questions about one thing. The thing may be pictured, lie on the path, or be
    the answer."""
    relation: Share = 0.4
    """Maximum share of questions with one property."""
    shape: Share = 1.0
    """Maximum share of questions with the same relations, even if the relations connect different
    things."""
    words: Annotated[int, Ge(0)] = 0
    """Maximum number of questions with exactly the same words, about different pictures; 0 sets no
    limit."""
    least: Annotated[int, Ge(1)] = 10
    """Number of questions about one thing or relation that always pass, since shares mean little in a small run."""


@dataclass(frozen=True)
class Parts:
    """What the quotas need of a question: its id, its rank in a random order, its things, its
    relations, its shape (all relations as one text), its level and its words."""

    id: str
    rank: str
    nodes: tuple[str, ...]
    relations: tuple[str, ...]
    shape: str = ""
    level: str = ""
    words: str = ""


def parts_of(question: Question, rank: str) -> Parts:
    """A question's things and relations. A row of an outside data set has no things and no
    relations."""
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
        folded(question.text),
    )


def over_quota(found: Iterable[Parts], rules: QuotaRules) -> Iterator[tuple[str, str]]:
    """Gives (id, the thing or relation that is at its limit) for every question to drop. The order
    of the questions does not matter."""
    order = _rarest_first(sorted(found, key=lambda p: (p.rank, p.id)))
    num_kept = len(order)
    while True:
        gone = _pass(
            order,
            {
                "node": _limit(rules.node, rules, num_kept),
                "relation": _limit(rules.relation, rules, num_kept),
                "shape": _limit(rules.shape, rules, num_kept),
                "words": rules.words or num_kept,
            },
        )
        if len(order) - len(gone) >= num_kept:
            yield from sorted(gone.items())
            return
        num_kept = len(order) - len(gone)


def over_level(found: Iterable[Parts], wanted: Mapping[str, int]) -> Iterator[tuple[str, str]]:
    """Gives (id, level) for every question to drop because its level has enough questions.
    Questions whose commonest thing is rare stay.

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
    """Goes through the questions once. Gives the questions to drop, each with the thing or relation
    that is at its limit."""
    counts: Counter[tuple[str, str]] = Counter()
    gone = {}
    for parts in order:
        mine = [
            *(("node", n) for n in parts.nodes),
            *(("relation", r) for r in parts.relations),
            *([("shape", parts.shape)] if parts.shape else []),
            *([("words", parts.words)] if parts.words else []),
        ]
        full = next((name for kind, name in mine if counts[kind, name] >= limits[kind]), None)
        if full is None:
            counts.update(mine)
        else:
            gone[parts.id] = full
    return gone
