"""What a run may set about rewards, advantages and rollouts that went wrong; without torch, so that settings are read fast."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Gt, Le

from questloom.records.errors import InputError

Statistic = Literal["population", "sample", "leave_one_out"]
"""(r − mean) / (std + δ) with n or n − 1 under the root (GRPO; AXPO's printed numbers are the first, torch's default the second), or
r_i − the mean of the others (RLOO)."""


@dataclass(frozen=True, kw_only=True)
class RewardRules:
    """What counts."""

    alpha: Annotated[float, Ge(0), Le(1)] = 0.8
    """The answer's share; the rest is the queries'."""
    format: bool = True
    """Whether the format term multiplies."""
    tool_bonus: float = 0.0
    """Added where a tool was called; below 0 a penalty. A control of AXPO, not a recommendation."""


@dataclass(frozen=True, kw_only=True)
class FatalRules:
    """What becomes of rollouts that did not go well."""

    treatment: Literal["vanilla", "hard_mask", "fatal_mask", "fatal_mask+clamp"] = (
        "fatal_mask+clamp"
    )
    """Treatment of fatal rollouts: as all others; out of the loss altogether (Vision-DeepResearch); only the steps before the fatal one; these, never
    pushed down."""
    faults: Annotated[int, Ge(1)] = 3
    """K: so many faults of the model in a row make a rollout fatal; a success resets the count."""
    fatal_index: Literal["first", "last"] = "first"
    """Which of the K faulty steps is the fatal one. OpenSearch-VL's text and code have the first, its appendix the last."""
    no_answer: Literal["normal", "clamp"] = "normal"
    """Treatment of rollouts that ended without an answer and are not fatal. In OpenSearch-VL's code they are clamped, so that never answering is never
    pushed down."""
    overlong: Literal["normal", "out_of_loss"] = "normal"
    """Treatment of rollouts that ran out of tokens, calls or time: `out_of_loss` keeps them in the statistics only (VSearcher)."""
    provider: Literal["leave", "out_of_loss"] = "leave"
    """Treatment of rollouts that ended by a provider's fault: in neither loss nor statistics, or in the statistics (VSearcher)."""


@dataclass(frozen=True, kw_only=True)
class Axpo:
    """Its settings; the defaults are the published ones where the paper says them. The others are controls: four of the paper's five ablations
    fall below plain GRPO."""

    continuations: Annotated[int, Gt(1)] = 4
    """K a source."""
    budget: Annotated[float, Ge(0)] = 0.25
    """Continuations in all, as a share of the step's rollouts."""
    trigger: Literal["tool", "no_tool"] = "tool"
    """Which of a question's rollouts must all be wrong. `no_tool` is a control, and needs `resample: question`."""
    boundary: Literal["first", "most_uncertain"] = "first"
    """Where a prefix ends: at the first `<tool_call>`, or at the call before the fatal step that the policy was least sure of."""
    rank: Literal["confidence", "random"] = "confidence"
    """Which sources go first: those whose calls were least sure, or any."""
    resample: Literal["prefix", "question", "none"] = "prefix"
    """From where: the prefix; the question, nothing of the source reused, masked or credited; or not at all, the sources' continuations only
    masked."""
    prefix_credit: bool = True
    """Whether a prefix gets the advantage of what it led to, or the one that its source had."""
    group: Literal["own", "merged"] = "own"
    """Whether continuations are compared among themselves or with the question's rollouts."""
    resample_weight: Literal["one", "each"] = "one"
    """How much a prefix and its K continuations weigh in a mean over trajectories: one together, or one each (as published)."""
    cap: Annotated[float, Gt(0)] | None = None
    """Limit of a prefix's advantage. A recovered group of 8 that was all wrong gives 2.65 with a standard deviation."""

    def __post_init__(self) -> None:
        if self.trigger == "no_tool" and self.resample == "prefix":
            raise InputError(
                "axpo",
                "rollouts without a tool call have no prefix that ends with one",
                "Set resample to question.",
            )

    @property
    def piece_weight(self) -> float:
        """Of what is left of a source, and of each of its continuations, whichever of them are in the loss.

        >>> Axpo(continuations=4).piece_weight, Axpo(resample_weight="each").piece_weight, Axpo(resample="none").piece_weight
        (0.2, 1.0, 1.0)
        """
        return (
            1.0 / (1 + self.continuations)
            if self.resample_weight == "one" and self.resample != "none"
            else 1.0
        )
