"""`quotas`: drops questions about a thing or relation that has too large a share of the questions."""

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Question, Verdict
from questloom.transforms.filters.filter import Filter, FilterJob, Measured
from questloom.transforms.filters.quota_shares import QuotaRules
from questloom.transforms.stages.stage import Apply, Side, reject

if TYPE_CHECKING:
    from questloom.transforms.filters.quota_surplus import Surplus


def make_quotas(job: FilterJob) -> Apply:
    """The function that drops surplus questions. Before this filter runs, `quota_surplus.py` has
    found the surplus questions."""

    def drop(question: Question, surplus: "Surplus | None") -> Question | Rejection:
        if surplus is not None:
            return reject(question, Reason.OVER_QUOTA, {"what": surplus.what})
        return question.with_verdict(Verdict(filter="quotas", passed=True, solver="counts"))

    return drop


def _side() -> Side:
    from questloom.transforms.filters.quota_surplus import Surplus, gather_surplus

    return Side(record=Surplus, gather=gather_surplus)


@dataclass(frozen=True, kw_only=True)
class QuotasRules:
    """The limits of the filter `quotas`. The filter has no switch: shares of 1 let everything through."""

    quotas: QuotaRules = field(default_factory=QuotaRules)
    """Maximum shares of the kept questions for one thing and for one relation."""


QUOTAS = Filter(
    name="quotas",
    help="Not too many questions are about the same thing, or ask in the same way.",
    doing="sparing what is on too many questions",
    reasons={Reason.OVER_QUOTA: "The recipe's number for its kind was already reached."},
    settings=QuotasRules,
    measured=Measured(264, 264),
    side=_side,
    in_loop=None,
    make=make_quotas,
)
