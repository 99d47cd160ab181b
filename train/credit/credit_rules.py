"""Settings of rewards, advantages and failed rollouts.

The file imports no torch, so settings load fast.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Gt, Le

from questloom.records.errors import InputError

Statistic = Literal["population", "sample", "leave_one_out"]
"""How an advantage is computed from the rewards of a group.

`population` and `sample` (GRPO) are (r − mean) / (std + δ); the standard deviation divides by n or
by n − 1. AXPO's printed numbers use `population`; torch's default is `sample`. `leave_one_out`
(RLOO) is the rollout's reward minus the mean of the other rewards.
"""


@dataclass(frozen=True, kw_only=True)
class RewardRules:
    """The terms of the reward."""

    alpha: Annotated[float, Ge(0), Le(1)] = 0.8
    """α: the weight of the answer's reward. The query judge's score has the weight 1 − α."""
    format: bool = True
    """Whether the reward is multiplied by the format term."""
    tool_bonus: float = 0.0
    """A bonus for a rollout that called a tool; below 0, a penalty. AXPO's paper uses the bonus as
    a control."""


@dataclass(frozen=True, kw_only=True)
class FatalRules:
    """How failed rollouts are treated."""

    treatment: Literal["vanilla", "hard_mask", "fatal_mask", "fatal_mask+clamp"] = (
        "fatal_mask+clamp"
    )
    """Treatment of fatal rollouts. `vanilla` treats fatal rollouts like all others. `hard_mask`
    leaves fatal rollouts out of the loss (Vision-DeepResearch). `fatal_mask` keeps only the steps
    before the fatal step in the loss. `fatal_mask+clamp` also sets a negative advantage to 0.
    """
    faults: Annotated[int, Ge(1)] = 3
    """K: the number of consecutive model faults that makes a rollout fatal; a success resets the count."""
    fatal_index: Literal["first", "last"] = "first"
    """Which of the K faulty steps is the fatal step. OpenSearch-VL's text and code take the first
    faulty step, the appendix takes the last."""
    no_answer: Literal["normal", "clamp"] = "normal"
    """Treatment of rollouts that ended without an answer and are not fatal. OpenSearch-VL's code
    uses `clamp`, which sets a negative advantage of such a rollout to 0.
    """
    overlong: Literal["normal", "out_of_loss"] = "normal"
    """Treatment of rollouts that ran out of tokens, calls or time. `out_of_loss` keeps the
    rollouts' rewards in the group's statistics only (VSearcher)."""
    provider: Literal["leave", "out_of_loss"] = "leave"
    """Treatment of rollouts that ended by a provider fault. `leave` leaves such rollouts out of
    both the loss and the statistics. `out_of_loss` keeps the rollouts' rewards in the statistics
    only (VSearcher).
    """


@dataclass(frozen=True, kw_only=True)
class Axpo:
    """Settings of AXPO. The defaults are the paper's values, as far as the paper states them.

    Other values are controls: in the paper, four of five ablations score below plain GRPO.
    """

    continuations: Annotated[int, Gt(1)] = 4
    """K: number of continuations per source."""
    budget: Annotated[float, Ge(0)] = 0.25
    """Maximum number of continuations per step, as a share of the step's rollouts."""
    trigger: Literal["tool", "no_tool"] = "tool"
    """Which rollouts of a question must all be wrong before AXPO continues one of them. `no_tool`
    is a
    control, and needs `resample: question`."""
    boundary: Literal["first", "most_uncertain"] = "first"
    """Where a prefix ends. `first` means at the first `<tool_call>`. `most_uncertain` means at the
    least probable call before the fatal step.
    """
    rank: Literal["confidence", "random"] = "confidence"
    """Which wrong rollouts are continued first. `confidence` takes rollouts with the least probable
    calls first. `random` takes a random order."""
    resample: Literal["prefix", "question", "none"] = "prefix"
    """Where continuations begin. `prefix` begins at the prefix. `question` begins at the question;
    the source's tokens are not reused, masked or credited. `none` makes no continuations and only
    masks the sources' tokens after the prefix.
    """
    prefix_credit: bool = True
    """Whether a prefix gets the advantage Â_pre, computed from its continuations. If not, a prefix
    keeps its rollout's own advantage."""
    group: Literal["own", "merged"] = "own"
    """The rewards that continuations are compared with. `own` means the rewards of the source's
    continuations. `merged` means these rewards together with the rewards of the question's
    rollouts.
    """
    resample_weight: Literal["one", "each"] = "one"
    """The weight of a prefix and its K continuations in a mean over trajectories. `one` gives all
    parts together weight one. `each` gives each part weight one, as in the paper.
    """
    cap: Annotated[float, Gt(0)] | None = None
    """Upper limit of a prefix's advantage. If one continuation is right in a group of 8 wrong
    rollouts, the prefix's advantage is 2.65 with the statistic `population`."""

    def __post_init__(self) -> None:
        if self.trigger == "no_tool" and self.resample == "prefix":
            raise InputError(
                "axpo",
                "rollouts without a tool call have no prefix that ends with one",
                "Set resample to question.",
            )

    @property
    def piece_weight(self) -> float:
        """The weight of a source's prefix, and of each continuation of the prefix, in the mean over
        trajectories.

        The weight does not depend on how many of the source's parts are in the loss.

        >>> Axpo(continuations=4).piece_weight, Axpo(resample_weight="each").piece_weight, Axpo(resample="none").piece_weight
        (0.2, 1.0, 1.0)
        """
        return (
            1.0 / (1 + self.continuations)
            if self.resample_weight == "one" and self.resample != "none"
            else 1.0
        )
