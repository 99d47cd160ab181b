"""Settings of rewards, advantages and failed rollouts; without torch, so that settings load fast."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Gt, Le

from questloom.records.errors import InputError

Statistic = Literal["population", "sample", "leave_one_out"]
"""How an advantage is computed from the rewards of a group.

`population`, `sample`: (r − mean) / (std + δ), with n or n − 1 under the root (GRPO). AXPO's
printed numbers use `population`; torch's default is `sample`. `leave_one_out`: r_i − the mean of
the other rewards (RLOO).
"""


@dataclass(frozen=True, kw_only=True)
class RewardRules:
    """The terms of the reward."""

    alpha: Annotated[float, Ge(0), Le(1)] = 0.8
    """α: the weight of the answer's reward; the rest, 1 − α, goes to the query judge's score."""
    format: bool = True
    """Whether the reward is multiplied by the format term."""
    tool_bonus: float = 0.0
    """A bonus for a rollout that called a tool; below 0, a penalty. A control of AXPO, not a
    recommendation."""


@dataclass(frozen=True, kw_only=True)
class FatalRules:
    """How failed rollouts are treated."""

    treatment: Literal["vanilla", "hard_mask", "fatal_mask", "fatal_mask+clamp"] = (
        "fatal_mask+clamp"
    )
    """Treatment of fatal rollouts. `vanilla`: like all others. `hard_mask`: the whole rollout is
    out of the loss (Vision-DeepResearch). `fatal_mask`: only the steps before the fatal step are
    in the loss. `fatal_mask+clamp`: these steps, and a negative advantage becomes 0."""
    faults: Annotated[int, Ge(1)] = 3
    """K: this number of consecutive model faults makes a rollout fatal; a success resets the count."""
    fatal_index: Literal["first", "last"] = "first"
    """Which of the K faulty steps is the fatal step. OpenSearch-VL's text and code take the first,
    its appendix takes the last."""
    no_answer: Literal["normal", "clamp"] = "normal"
    """Treatment of rollouts that ended without an answer and are not fatal. OpenSearch-VL's code
    uses `clamp`: a missing answer is never pushed down."""
    overlong: Literal["normal", "out_of_loss"] = "normal"
    """Treatment of rollouts that ran out of tokens, calls or time. `out_of_loss` keeps them in the
    statistics only (VSearcher)."""
    provider: Literal["leave", "out_of_loss"] = "leave"
    """Treatment of rollouts that ended by a provider fault. `leave`: in neither loss nor
    statistics. `out_of_loss`: in the statistics only (VSearcher)."""


@dataclass(frozen=True, kw_only=True)
class Axpo:
    """Settings of AXPO, with the paper's published values as defaults where it gives them.

    The other choices are controls: four of the paper's five ablations score below plain GRPO.
    """

    continuations: Annotated[int, Gt(1)] = 4
    """K: continuations per source."""
    budget: Annotated[float, Ge(0)] = 0.25
    """All continuations of a step, as a share of its rollouts."""
    trigger: Literal["tool", "no_tool"] = "tool"
    """Which of a question's rollouts must all be wrong. `no_tool` is a control, and needs
    `resample: question`."""
    boundary: Literal["first", "most_uncertain"] = "first"
    """Where a prefix ends. `first`: at the first `<tool_call>`. `most_uncertain`: at the call
    before the fatal step with the lowest probability."""
    rank: Literal["confidence", "random"] = "confidence"
    """Which sources go first. `confidence`: sources with the least probable calls. `random`: in
    random order."""
    resample: Literal["prefix", "question", "none"] = "prefix"
    """Where continuations begin. `prefix`: at the prefix. `question`: at the question; nothing of
    the source is reused, masked or credited. `none`: no continuations; only the sources' tokens
    after the prefix are masked."""
    prefix_credit: bool = True
    """Whether a prefix gets the advantage Â_pre of its continuations; else it keeps the source's own advantage."""
    group: Literal["own", "merged"] = "own"
    """What continuations are compared with. `own`: each other. `merged`: also the question's
    rollouts."""
    resample_weight: Literal["one", "each"] = "one"
    """The weight of a prefix and its K continuations in a mean over trajectories. `one`: one
    together. `each`: one each (as published)."""
    cap: Annotated[float, Gt(0)] | None = None
    """Upper limit of a prefix's advantage. In a group of 8 wrong rollouts, one right continuation
    gives 2.65 with a standard deviation."""

    def __post_init__(self) -> None:
        if self.trigger == "no_tool" and self.resample == "prefix":
            raise InputError(
                "axpo",
                "rollouts without a tool call have no prefix that ends with one",
                "Set resample to question.",
            )

    @property
    def piece_weight(self) -> float:
        """The weight of a source's remaining part, and of each of its continuations.

        The weight is the same whichever of these parts are in the loss.

        >>> Axpo(continuations=4).piece_weight, Axpo(resample_weight="each").piece_weight, Axpo(resample="none").piece_weight
        (0.2, 1.0, 1.0)
        """
        return (
            1.0 / (1 + self.continuations)
            if self.resample_weight == "one" and self.resample != "none"
            else 1.0
        )
