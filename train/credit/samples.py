"""Training samples from the rollouts of one question: rows with masks, advantages and weights.

The advantages are computed in a fixed order. First, the original rewards of all rollouts with a
known reward give advantages. Next, AXPO gives new advantages to the wrong rollouts that it
continued. Last, the rules for fatal rollouts mask tokens and set negative advantages to 0. If all
rewards of a group are equal, only the rollouts that AXPO continued teach the model something. The
rollouts of a group of equal rewards still count in the divisor of the loss and in the KL term (see
`Objective.divisor`).
"""

import dataclasses
import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import torch
from torch import Tensor

from questloom.records.episodes import EndReason
from questloom.train.credit.axpo import (
    continuation_advantages,
    continuation_mask,
    prefix_advantage,
    prefix_mask,
    recovered_reward,
)
from questloom.train.credit.credit_rules import Axpo, FatalRules, Statistic
from questloom.train.credit.fatal import OVERLONG, in_statistics, step_mask, treat
from questloom.train.credit.groups import advantages, has_variance
from questloom.train.credit.rewards import UNKNOWN
from questloom.train.loss.objective_rules import Objective
from questloom.train.rows.packing import Packed
from questloom.train.rows.row import Row


@dataclass(frozen=True, kw_only=True)
class Rollout:
    """A rollout that was played and judged."""

    row: Row
    reward: float
    """The reward; NaN if unknown."""
    accuracy: float
    """r_acc, the reward for the answer: 0, 1 or NaN."""
    end: str
    """How the rollout ended: an `EndReason`."""
    answered: bool
    fatal: int | None = None
    """Number of the fatal step; see `fatal.fatal_step`."""
    unusable: str = ""
    """What is wrong with the rollout's row (a `RowFault`), so that the model cannot learn from it;
    "" for a usable row. The reward of an unusable rollout still counts in the group's statistics.
    """


@dataclass(frozen=True, kw_only=True)
class Resampled:
    """A wrong rollout, with the continuations that AXPO sampled."""

    source: int
    """The index of the wrong rollout among the question's rollouts."""
    prefix: int
    """The number of tokens that each continuation copies from the rollout; 0 if continuations start
    at the question.
    """
    continuations: tuple[Rollout, ...] = ()
    """The continuations; empty if AXPO only takes the end of the wrong rollout out of the loss."""


class DropReason(StrEnum):
    """Why a rollout teaches the model nothing in this update."""

    PROVIDER = "provider"
    UNKNOWN_REWARD = "unknown_reward"
    NO_VARIANCE = "no_variance"
    FATAL = "fatal"
    OVERLONG = "overlong"
    NO_TOKENS = "no_tokens"
    UNUSABLE = "unusable"


@dataclass(frozen=True, eq=False)
class Sample:
    """A row (an episode as tokens) that is in the loss."""

    row: Row
    """The row; its `loss_mask` marks the tokens that count."""
    advantage: float
    weight: float = 1.0
    """The row's weight, where 1 is the weight of a whole trajectory; see `Axpo.resample_weight`."""
    kl_only: DropReason | None = None
    """Why the row has no advantage. A row without an advantage counts in the KL term only."""


@dataclass(frozen=True)
class DroppedWeight:
    """How much a rollout that is left out of the loss adds to the loss's divisor."""

    weight: float = 0.0
    """The rollout's weight, where 1 is the weight of a whole trajectory; 0 if the rollout is not in
    the divisor."""
    tokens: int = 0
    """The number of tokens that would be in the loss if the rollout had an advantage."""

    def count(self, objective: Objective) -> float:
        """What the rollout adds to the divisor: a number of trajectories or of tokens, as in
        `objective.count`.

        >>> DroppedWeight(0.5, 40).count(Objective()), DroppedWeight(0.5, 40).count(Objective(normaliser="token"))
        (0.5, 20.0)
        """
        return self.weight * self.tokens if objective.normaliser == "token" else self.weight


@dataclass(frozen=True, eq=False)
class QuestionSamples:
    """The samples of one question.

    Every rollout and every continuation is in either `samples` or `left_out`.
    """

    samples: tuple[Sample, ...]
    left_out: tuple[tuple[str, DropReason], ...]
    """The episode ids of left-out rollouts, each with a reason."""
    counted: tuple[DroppedWeight, ...]
    """How much each rollout in `left_out` adds to the divisor, in the same order."""


@dataclass(frozen=True)
class _Out:
    """A rollout that is left out of the loss."""

    episode_id: str
    why: DropReason
    counted: DroppedWeight


@dataclass(frozen=True)
class _Rules:
    """The settings that all rollouts of a question share."""

    statistic: Statistic
    fatal: FatalRules
    objective: Objective
    refilled: bool

    def counts(self, rollout: Rollout, why: DropReason) -> bool:
        """Whether a rollout that teaches nothing still counts in the loss's divisor."""
        outside = (why is DropReason.NO_VARIANCE and self.refilled) or not in_statistics(
            rollout.end, self.fatal
        )
        return self.objective.divisor == "sampled" and not outside


def make_samples(
    rollouts: Sequence[Rollout],
    *,
    statistic: Statistic,
    fatal: FatalRules,
    objective: Objective,
    refilled: bool = False,
    axpo: Axpo | None = None,
    resampled: Sequence[Resampled] = (),
) -> QuestionSamples:
    """Makes the training samples of one question.

    Args:
        rollouts: all N rollouts, also failed ones.
        objective: settings of the loss. The settings of the loss say whether rollouts without an
            advantage count in the divisor and in the KL term.
        refilled: whether the step plays new questions in place of groups of equal rewards (DAPO).
        axpo: AXPO's settings; needed if AXPO continued a rollout.
        resampled: the rollouts that AXPO continued, each once.
    """
    rules = _Rules(statistic, fatal, objective, refilled)
    rewards = group_rewards(rollouts, fatal)
    flat = not has_variance(rewards)
    again = {each.source: each for each in resampled}
    made: list[Sample | _Out] = []
    for number, (rollout, advantage) in enumerate(
        zip(rollouts, advantages(rewards, statistic).tolist(), strict=True)
    ):
        if number in again:
            assert axpo is not None, "resampled rollouts need AXPO's rules"
            made += _resampled(rollout, again[number], advantage, rewards, rules, axpo)
        else:
            made.append(_learned(rollout, advantage, flat=flat, rules=rules))
    out = [each for each in made if isinstance(each, _Out)]
    return QuestionSamples(
        samples=tuple(each for each in made if isinstance(each, Sample)),
        left_out=tuple((each.episode_id, each.why) for each in out),
        counted=tuple(each.counted for each in out),
    )


def _resampled(
    source: Rollout, again: Resampled, advantage: float, rewards: Tensor, rules: _Rules, axpo: Axpo
) -> list[Sample | _Out]:
    """The samples of a source (a wrong rollout that AXPO continued) and of its continuations."""
    new = group_rewards(again.continuations, rules.fatal)  # (K,)
    replaced = rewards.clone()
    if axpo.resample == "prefix" and axpo.prefix_credit:
        accuracy = torch.tensor([each.accuracy for each in again.continuations])
        replaced[again.source] = recovered_reward(source.reward, new, accuracy)
        advantage = prefix_advantage(
            rewards, again.source, replaced[again.source].item(), rules.statistic, cap=axpo.cap
        )
    if axpo.resample == "question":
        kept, of_source = source.row.loss_mask, rules
    else:  # if an over-long source is out of the loss, its tokens after the prefix are out too
        kept, of_source = (
            prefix_mask(source.row, again.prefix),
            dataclasses.replace(rules, fatal=dataclasses.replace(rules.fatal, overlong="normal")),
        )
    made = [
        _learned(
            source,
            advantage,
            flat=not has_variance(replaced),
            rules=of_source,
            within=kept,
            weight=axpo.piece_weight,
        )
    ]
    beside = rewards if axpo.group == "merged" else rewards[:0]
    flat, rules = (
        not has_variance(torch.cat([beside, new])),
        dataclasses.replace(rules, refilled=False),
    )  # nothing is played in place of a source
    for each, gained in zip(
        again.continuations,
        continuation_advantages(new, rules.statistic, beside=beside).tolist(),
        strict=True,
    ):
        made.append(
            _learned(
                each,
                gained,
                flat=flat,
                rules=rules,
                within=continuation_mask(each.row, again.prefix),
                weight=axpo.piece_weight,
            )
        )
    return made


def loss_inputs(samples: Sequence[Sample], packed: Packed) -> tuple[Tensor, Tensor]:
    """The advantages and row weights that `objective.loss_sum` needs.

    Args:
        packed: the rows of the samples, packed in the order of the samples.

    Returns:
        (N,) advantage of each token in the loss; (R,) weight of each row.
    """
    advantage = torch.tensor([each.advantage for each in samples], device=packed.row.device)
    weights = torch.tensor([each.weight for each in samples], device=packed.row.device)
    return advantage[packed.row], weights


def group_rewards(rollouts: Sequence[Rollout], fatal: FatalRules) -> Tensor:
    """(n,) the rewards that count in the group's statistics; NaN for a rollout that does not
    count."""
    return torch.tensor(
        [each.reward if in_statistics(each.end, fatal) else UNKNOWN for each in rollouts]
    )


def _learned(
    rollout: Rollout,
    advantage: float,
    *,
    flat: bool,
    rules: _Rules,
    within: Tensor | None = None,
    weight: float = 1.0,
) -> Sample | _Out:
    """A rollout's sample, or else the reason why the rollout gives no sample.

    Args:
        flat: whether all rewards of the group are equal.
        within: (T,) bool, the tokens that get the advantage.
    """
    row = rollout.row
    treated = treat(
        advantage,
        num_steps=len(row.turns),
        fatal=rollout.fatal,
        end=rollout.end,
        answered=rollout.answered,
        rules=rules.fatal,
    )
    row = row.masked(step_mask(row.loss_mask, row.steps, treated.num_steps))
    row = row if within is None else row.masked(within)
    why = _why_nothing(rollout, row, flat=flat, steps=treated.num_steps, rules=rules.fatal)
    if why is None:
        return Sample(row, treated.advantage, weight)
    if not rules.counts(rollout, why):
        return _Out(row.episode_id, why, DroppedWeight())
    tokens = 0 if rollout.unusable else int(row.loss_mask.sum())
    if tokens and rules.objective.kl:
        return Sample(row, 0.0, weight, kl_only=why)
    return _Out(row.episode_id, why, DroppedWeight(weight, tokens))


def _why_nothing(
    rollout: Rollout, row: Row, *, flat: bool, steps: int, rules: FatalRules
) -> DropReason | None:
    """Why a rollout has no advantage, or no token in the loss; None if it has an advantage and such
    tokens.

    Args:
        row: the row, in whose `loss_mask` only the tokens that remain in the loss are true.
        steps: number of steps that the rules for fatal rollouts keep.
    """
    if rollout.end == EndReason.PROVIDER:
        return DropReason.PROVIDER
    if math.isnan(rollout.reward):
        return DropReason.UNKNOWN_REWARD
    if rollout.unusable:
        return DropReason.UNUSABLE
    if flat:
        return DropReason.NO_VARIANCE
    if not steps:
        return (
            DropReason.OVERLONG
            if rules.overlong == "out_of_loss" and rollout.end in OVERLONG
            else DropReason.FATAL
        )
    return None if row.loss_mask.any() else DropReason.NO_TOKENS
