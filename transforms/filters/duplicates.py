"""`duplicates`: keeps only one question of several with the same words, nearly the same words, or
the same path and picture."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from annotated_types import Ge, Le

from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Question, Verdict
from questloom.transforms.filters.filter import Filter, FilterJob, Measured
from questloom.transforms.stages.stage import Apply, Side, reject

if TYPE_CHECKING:
    from questloom.transforms.filters.duplicate_losers import Loser


def make_duplicates(job: FilterJob) -> Apply:
    """Makes the function that drops duplicates. `duplicate_losers.py` has found before which
    questions must be dropped."""
    verdict = Verdict(filter="duplicates", passed=True, solver="keys")

    def drop(question: Question, loser: "Loser | None") -> Question | Rejection:
        if loser is not None:
            return reject(question, Reason.NEAR_DUPLICATE, {"of": loser.winner, "by": loser.by})
        return question.with_verdict(verdict)

    return drop


def _side() -> Side:
    from questloom.transforms.filters.duplicate_losers import Loser, gather_losers

    return Side(record=Loser, gather=gather_losers)


@dataclass(frozen=True, kw_only=True)
class DuplicatesRules:
    """The switch of the filter `duplicates`, and the threshold of similarity."""

    duplicates: bool = True
    """Whether to compare questions with each other."""
    near_duplicate_similarity: Annotated[float, Ge(0.5), Le(1)] = 0.85
    """Minimum Jaccard similarity of word triples of two questions that count as duplicates."""


DUPLICATES = Filter(
    name="duplicates",
    help="It repeats no other question, path or picture.",
    doing="comparing the questions with each other",
    reasons={
        Reason.NEAR_DUPLICATE: "It nearly repeats another question, path or picture, or another rollout word for word."
    },
    settings=DuplicatesRules,
    measured=Measured(464, 512),
    side=_side,
    in_loop=None,
    make=make_duplicates,
)
