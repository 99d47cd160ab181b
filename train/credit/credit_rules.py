"""Settings of rewards, advantages and failed rollouts.

This file does not import torch, so that settings load fast.
"""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Gt, Le

from questloom.records.errors import InputError

Statistic = Literal["population", "sample", "leave_one_out"]
"""How an advantage is computed from the rewards of a group.

`population` and `sample` are GRPO's advantage, (r − mean) / (std + δ). For `population` the
standard deviation divides by n, for `sample` by n − 1. The numbers printed in the AXPO paper use
`population`; torch's default is `sample`. `leave_one_out` (RLOO) is the rollout's reward minus the
mean reward of the other rollouts.
"""


@dataclass(frozen=True, kw_only=True)
class RewardRules:
    """The settings of a rollout's reward: the weights of its terms, and a bonus for tool calls."""

    alpha: Annotated[float, Ge(0), Le(1)] = 0.8
    """α: the weight of the reward for the answer in the total reward. The score of the query judge
    (the judge of the search queries) has the weight 1 − α."""
    format: bool = True
    """Whether the reward is multiplied by the format term (the share of turns that kept the
    protocol)."""
    tool_bonus: float = 0.0
    """A bonus for each rollout that called a tool; a negative number is a penalty. The AXPO paper
    tests such a bonus for comparison."""


@dataclass(frozen=True, kw_only=True)
class FatalRules:
    """How failed rollouts are treated."""

    treatment: Literal["vanilla", "hard_mask", "fatal_mask", "fatal_mask+clamp"] = (
        "fatal_mask+clamp"
    )
    """What happens to fatal rollouts (rollouts with `faults` model faults in a row). `vanilla`
    treats fatal rollouts like all other rollouts. `hard_mask` leaves fatal rollouts out of the loss
    (Vision-DeepResearch). `fatal_mask` keeps only the steps before the fatal step in the loss.
    `fatal_mask+clamp` does what `fatal_mask` does, and sets a negative advantage of the rollout to
    0.
    """
    faults: Annotated[int, Ge(1)] = 3
    """K: number of model faults in a row that make a rollout fatal. A successful call sets the
    count of faults back to 0."""
    fatal_index: Literal["first", "last"] = "first"
    """Which of the K faulty steps is the fatal step. OpenSearch-VL's text and code take the first
    of the K faulty steps; the paper's appendix takes the last."""
    no_answer: Literal["normal", "clamp"] = "normal"
    """What happens to rollouts that ended without an answer and are not fatal. `clamp` sets
    negative advantages to 0, as in OpenSearch-VL's code.
    """
    overlong: Literal["normal", "out_of_loss"] = "normal"
    """What happens to rollouts that ran out of tokens, calls or time. `out_of_loss` takes the
    rollouts out of the loss and keeps their rewards in the group's statistics (VSearcher)."""
    provider: Literal["leave", "out_of_loss"] = "leave"
    """What happens to rollouts that ended because a provider (an external service) failed. `leave`
    takes the failed rollouts out of both the loss and the group's statistics. `out_of_loss` takes
    the rollouts out of the loss and keeps their rewards in the group's statistics (VSearcher).
    """


@dataclass(frozen=True, kw_only=True)
class Axpo:
    """Settings of AXPO. The defaults are the paper's values where the paper states a value.

    Other values serve for comparison: four of the paper's five ablations score below plain GRPO.
    """

    continuations: Annotated[int, Gt(1)] = 4
    """K: number of continuations of each source (a wrong rollout that AXPO continues)."""
    budget: Annotated[float, Ge(0)] = 0.25
    """Maximum number of continuations in a step, as a share of the step's rollouts."""
    trigger: Literal["tool", "no_tool"] = "tool"
    """AXPO continues rollouts of a question only if all rollouts of a kind are wrong: with `tool`
    those that called a tool, with `no_tool` those that called none. The paper does not use
    `no_tool`; it serves for comparison, and needs `resample: question`."""
    boundary: Literal["first", "most_uncertain"] = "first"
    """Where a prefix (the kept beginning of a wrong rollout) ends. `first` ends the prefix at the
    first `<tool_call>`. `most_uncertain` ends the prefix at the `<tool_call>` of the least probable
    tool call before the fatal step.
    """
    rank: Literal["confidence", "random"] = "confidence"
    """Which wrong rollouts are continued first. `confidence` starts with the rollouts whose tool
    calls the policy found least probable. `random` uses a random order."""
    resample: Literal["prefix", "question", "none"] = "prefix"
    """Where continuations of a wrong rollout start. `prefix` starts continuations after the kept
    beginning of the rollout. `question` starts continuations at the question: no token of the
    rollout is reused, masked or credited. `none` samples no continuations; it only takes the tokens
    after the prefix out of the loss.
    """
    prefix_credit: bool = True
    """Whether the kept beginning of a wrong rollout (the prefix) gets an advantage (Â_pre) that is
    computed from its continuations. If `prefix_credit` is false, a prefix keeps the advantage of
    its rollout."""
    group: Literal["own", "merged"] = "own"
    """The rewards with which a continuation's reward is compared. `own` compares with the rewards
    of the continuations of the same rollout. `merged` also compares with the rewards of the
    question's rollouts.
    """
    resample_weight: Literal["one", "each"] = "one"
    """The weights of a prefix and of its K continuations in a mean over trajectories. With `one`, a
    prefix and its continuations share the weight of one trajectory. With `each`, the prefix and
    every continuation have the weight of a whole trajectory, as in the paper.
    """
    cap: Annotated[float, Gt(0)] | None = None
    """Upper limit of the advantage of a prefix (the kept beginning of a wrong rollout). With the
    statistic `population`, one right continuation in a group of 8 wrong rollouts gives the prefix
    an advantage of 2.65."""

    def __post_init__(self) -> None:
        if self.trigger == "no_tool" and self.resample == "prefix":
            raise InputError(
                "axpo",
                "rollouts without a tool call have no prefix that ends with one",
                "Set resample to question.",
            )

    @property
    def piece_weight(self) -> float:
        """The weight of a prefix, and of each of its continuations, in the mean over trajectories.

        The weight stays the same if other rows of the same rollout are not in the loss.

        >>> Axpo(continuations=4).piece_weight, Axpo(resample_weight="each").piece_weight, Axpo(resample="none").piece_weight
        (0.2, 1.0, 1.0)
        """
        return (
            1.0 / (1 + self.continuations)
            if self.resample_weight == "one" and self.resample != "none"
            else 1.0
        )
