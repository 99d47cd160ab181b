"""What an update learns from the rollouts of one question: rows with their masks, advantages and weights.

The order matters. Advantages come from the original rewards of all known rollouts; an AXPO source's is then reckoned anew; then the fatal
rules mask and clamp. A group without variance teaches nothing by itself, but its recovered prefixes do: sources are looked at on their own.
Its rollouts are still in what the loss is divided by, and in the KL term (`Objective.divisor`).
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
    """One played and judged rollout."""

    row: Row
    reward: float
    """NaN where unknown."""
    accuracy: float
    """r_acc: 0, 1 or NaN."""
    end: str
    """An `EndReason`."""
    answered: bool
    fatal: int | None = None
    """f, see `fatal.fatal_step`."""
    unusable: str = ""
    """The `RowFault` for which its row cannot be learned from; it stays in the statistics."""


@dataclass(frozen=True, kw_only=True)
class Resampled:
    """One of the rollouts, played on anew."""

    source: int
    """Index of the rollout."""
    prefix: int
    """Tokens that its continuations share with it; 0 where they began at the question."""
    continuations: tuple[Rollout, ...] = ()
    """Empty where the source is only masked."""


class DropReason(StrEnum):
    """Why a rollout teaches nothing in this update."""

    PROVIDER = "provider"
    UNKNOWN_REWARD = "unknown_reward"
    NO_VARIANCE = "no_variance"
    FATAL = "fatal"
    OVERLONG = "overlong"
    NO_TOKENS = "no_tokens"
    UNUSABLE = "unusable"


@dataclass(frozen=True, eq=False)
class Sample:
    """A row in the loss."""

    row: Row
    """Its `loss_mask` has the tokens that count."""
    advantage: float
    weight: float = 1.0
    """As a part of a trajectory; see `Axpo.resample_weight`."""
    kl_only: DropReason | None = None
    """Why it has no advantage; only the KL term pulls at it."""


@dataclass(frozen=True)
class DroppedWeight:
    """What a rollout that is left out adds to the number that the loss is divided by."""

    weight: float = 0.0
    """As a part of a trajectory; 0 where it is not counted."""
    tokens: int = 0
    """That would be in the loss, had it an advantage."""

    def count(self, objective: Objective) -> float:
        """In the normaliser's units, as `objective.count`.

        >>> DroppedWeight(0.5, 40).count(Objective()), DroppedWeight(0.5, 40).count(Objective(normaliser="token"))
        (0.5, 20.0)
        """
        return self.weight * self.tokens if objective.normaliser == "token" else self.weight


@dataclass(frozen=True, eq=False)
class QuestionSamples:
    """Of one question. Every rollout and every continuation is in one of the first two."""

    samples: tuple[Sample, ...]
    left_out: tuple[tuple[str, DropReason], ...]
    """Episode ids and reasons."""
    counted: tuple[DroppedWeight, ...]
    """Of those that are left out, in their order."""


@dataclass(frozen=True)
class _Out:
    """One that is left out."""

    episode_id: str
    why: DropReason
    counted: DroppedWeight


@dataclass(frozen=True)
class _Rules:
    """What the rollouts of a question share."""

    statistic: Statistic
    fatal: FatalRules
    objective: Objective
    refilled: bool

    def counts(self, rollout: Rollout, why: DropReason) -> bool:
        """Whether a rollout that teaches nothing is in what the loss is divided by."""
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
    """What the rollouts of one question teach.

    Args:
        rollouts: all N of them, whatever became of them.
        objective: whose divisor and KL term decide what becomes of rollouts that teach nothing.
        refilled: whether other questions are played in place of groups without variance, which then leave the step (DAPO).
        axpo: needed where any was resampled.
        resampled: at most one entry a rollout.
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
    """A source and its continuations."""
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
    else:  # what an over-long source did after its prefix is out of the loss anyway
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
    )  # nothing is played in their place
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
    """What `objective.loss_sum` takes beside the log-probabilities.

    Args:
        packed: made of the samples' rows, in their order.

    Returns:
        (N,) advantages of the tokens in the loss, (R,) weights of the rows.
    """
    advantage = torch.tensor([each.advantage for each in samples], device=packed.row.device)
    weights = torch.tensor([each.weight for each in samples], device=packed.row.device)
    return advantage[packed.row], weights


def group_rewards(rollouts: Sequence[Rollout], fatal: FatalRules) -> Tensor:
    """(n,) rewards as the group's statistics have them: NaN for those that are not in them."""
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
    """A rollout's sample, or why there is none.

    Args:
        flat: whether the rewards that it was compared with are all equal.
        within: (T,) bool: the tokens that the advantage is for.
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
    """Why a rollout has no advantage of its own or no token for it; None where it has both.

    Args:
        row: with the tokens that are left in the loss.
        steps: that the fatal rules leave.
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
