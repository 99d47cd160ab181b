"""Makes a step's training samples: groups rollouts with their rewards, lets AXPO choose rollouts to
continue, and computes advantages.

AXPO's choice of wrong rollouts to continue covers the rollouts of all ranks. Every rollout and
every continuation either becomes a sample, or is left out and counted with a reason.
"""

import dataclasses
import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import torch

from questloom.records.episodes import EndReason
from questloom.train.credit.axpo import (
    Boundary,
    Source,
    boundary,
    check_prefix,
    is_triggered,
    select,
)
from questloom.train.credit.credit_rules import Axpo, FatalRules
from questloom.train.credit.groups import has_variance
from questloom.train.credit.samples import (
    DroppedWeight,
    DropReason,
    Resampled,
    Sample,
    group_rewards,
    make_samples,
)
from questloom.train.rollouts.actor import Continuation, JudgedRollout, UnplayedRollout
from questloom.train.rollouts.questions import StepQuestion
from questloom.train.rollouts.scored import RolloutRows, ScoredRollout, score_rollouts
from questloom.train.rows.row import PictureTokens, drop_tail
from questloom.train.settings.grpo_settings import GrpoSettings

PICTURE = "task_picture"
"""The recorded reason for leaving out a rollout whose question has an unusable picture."""


@dataclass(frozen=True, eq=False)
class Group:
    """The rollouts of one question."""

    asked: StepQuestion
    rollouts: tuple[ScoredRollout, ...]
    unplayed: int = 0
    """The number of rollouts that could not begin."""

    def is_flat(self, fatal: FatalRules) -> bool:
        """Whether all known rewards of the group are equal, so that the group teaches nothing."""
        return not has_variance(group_rewards([each.rollout for each in self.rollouts], fatal))


@dataclass(frozen=True, eq=False)
class StepSample:
    """A sample, with its question's place among the questions of the step."""

    number: int
    """The place of the question in the step."""
    sample: Sample
    reward: float
    """The rollout's reward; NaN if the advantage comes from the rewards of other rollouts."""


@dataclass(frozen=True, eq=False)
class Share:
    """A rank's samples of a step, in the form that the updates need."""

    samples: tuple[StepSample, ...]
    counted: tuple[tuple[int, DroppedWeight], ...]
    """For each left-out rollout: the place of its question in the step, and what the rollout adds
    to the loss's divisor."""


@dataclass(frozen=True, eq=False)
class StepSamples:
    """A rank's samples of a step, with the number of left-out rollouts."""

    share: Share
    left_out: Counter[str]
    """Number of left-out rollouts, by reason."""
    rollouts: int
    """The number of the rank's rollouts, without AXPO's continuations."""
    continuations: int
    groups: tuple[Group, ...]
    again: tuple[tuple[Source, tuple[ScoredRollout, ...]], ...] = field(default=())
    """The wrong rollouts that AXPO continued, each with its continuations."""

    @property
    def samples(self) -> tuple[StepSample, ...]:
        """The samples in the loss."""
        return self.share.samples


PlayOn = Callable[[list[Continuation]], list[tuple[ScoredRollout, ...]]]


@dataclass(frozen=True)
class CallTags:
    """The token ids of the tags that open and close a tool call."""

    open_id: int
    close_id: int


def group_rollouts(
    played: Sequence[JudgedRollout | UnplayedRollout],
    rows: RolloutRows,
    settings: GrpoSettings,
    version: int,
) -> list[Group]:
    """Groups the rollouts by question, in the order of the questions in the step, and adds rewards.

    Args:
        version: number of updates that the sampling weights have had.
    """
    by_number: dict[int, list[JudgedRollout | UnplayedRollout]] = {}
    for each in played:
        by_number.setdefault(each.asked.number, []).append(each)
    made = []
    for _, some in sorted(by_number.items()):
        known = [each for each in some if isinstance(each, JudgedRollout)]
        made.append(
            Group(
                some[0].asked,
                tuple(
                    score_rollouts(
                        known, rows, reward=settings.reward, fatal=settings.fatal, version=version
                    )
                ),
                len(some) - len(known),
            )
        )
    return made


def make_step_samples(
    groups: Sequence[Group],
    chosen: Sequence[Source],
    settings: GrpoSettings,
    tokens: PictureTokens,
    play_on: PlayOn,
) -> StepSamples:
    """Makes the samples of a rank from its groups of rollouts.

    Args:
        chosen: the rollouts in these groups that AXPO continues.
        play_on: plays the continuations of each source and returns them.

    Raises:
        RowError: a continuation begins differently from the rollout that it continues.
    """
    continued = _played_on(groups, chosen, settings, play_on, tokens)
    taught: list[StepSample] = []
    counted: list[tuple[int, DroppedWeight]] = []
    left_out: Counter[str] = Counter()
    for group in groups:
        again = [
            (source, continued[source.group, source.rollout])
            for source in chosen
            if source.group == group.asked.number
        ]
        resampled = [
            Resampled(
                source=source.rollout,
                prefix=source.boundary.end,
                continuations=tuple(each.rollout for each in some),
            )
            for source, some in again
        ]
        made = make_samples(
            [each.rollout for each in group.rollouts],
            statistic=settings.statistic,
            fatal=settings.fatal,
            objective=settings.objective,
            refilled=settings.step.refills > 0,
            axpo=settings.axpo,
            resampled=resampled,
        )
        every = {
            each.episode.id: each.rollout
            for each in (*group.rollouts, *(each for _, some in again for each in some))
        }
        assert (
            len(every)
            == len(made.samples) + len(made.left_out)
            == len(group.rollouts) + sum(len(some) for _, some in again)
        ), "a rollout is lost"
        taught += [
            StepSample(
                group.asked.number,
                dataclasses.replace(each, row=drop_tail(each.row, tokens)),
                every[each.row.episode_id].reward,
            )
            for each in made.samples
        ]
        counted += [(group.asked.number, each) for each in made.counted if each.weight]
        left_out.update(
            every[name].unusable if why is DropReason.UNUSABLE else why.value
            for name, why in made.left_out
        )
        left_out[PICTURE] += group.unplayed
    return StepSamples(
        Share(tuple(taught), tuple(counted)),
        +left_out,
        sum(len(group.rollouts) + group.unplayed for group in groups),
        sum(map(len, continued.values())),
        tuple(groups),
        tuple((source, continued[source.group, source.rollout]) for source in chosen),
    )


def candidates(
    groups: Sequence[Group], settings: GrpoSettings, tags: CallTags | None
) -> list[list[Source]]:
    """The rollouts that AXPO may continue, by question.

    Args:
        tags: the tags around a tool call; needed if continuations start after a prefix.
    """
    rules = settings.axpo
    if rules is None:
        return []
    made = []
    for group in groups:
        members = [(n, each) for n, each in enumerate(group.rollouts) if is_member(each, rules)]
        if all_wrong(group, [each for _, each in members]):
            made.append(
                [
                    source
                    for n, each in members
                    if (source := _source(group.asked.number, n, each, rules, tags)) is not None
                ]
            )
    return [some for some in made if some]


def choose_sources(
    every: Sequence[Sequence[Source]], settings: GrpoSettings, step: int
) -> list[Source]:
    """Chooses, from the candidates of all ranks, the rollouts that AXPO continues. Every rank
    computes the same choice.
    """
    if settings.axpo is None:
        return []
    return select(
        sorted(every, key=lambda some: some[0].group),
        num_rollouts=settings.step.questions * settings.step.rollouts,
        rules=settings.axpo,
        seed=settings.seed ^ step,
    )


def is_member(each: ScoredRollout, rules: Axpo) -> bool:
    """Whether a rollout must be wrong before AXPO works on its question.

    Rollouts that called a tool must be wrong; with the setting `no_tool`, those that called none.
    """
    return each.rollout.end != EndReason.PROVIDER and each.used_tool == (rules.trigger == "tool")


def all_wrong(group: Group, members: Sequence[ScoredRollout]) -> bool:
    """Whether `members` has rollouts and all of them are known to be wrong."""
    inside = {id(each) for each in members}
    return is_triggered(
        torch.tensor([each.rollout.accuracy for each in group.rollouts]),
        torch.tensor([id(each) in inside for each in group.rollouts], dtype=torch.bool),
    )


def _source(
    number: int, rollout: int, each: ScoredRollout, rules: Axpo, tags: CallTags | None
) -> Source | None:
    """A rollout as a candidate for AXPO to continue. None if the model cannot learn from the
    rollout's row, or if AXPO finds no place to cut the row."""
    row = each.rollout.row
    if each.rollout.unusable or math.isnan(each.rollout.reward):
        return None
    assert row.old_logp is not None, "rows without log-probabilities are unusable"
    if rules.resample == "question":
        return Source(
            number, rollout, Boundary(0, -1, row.old_logp[row.loss_mask].exp().mean().item())
        )
    assert tags is not None, "prefixes end at a tag"
    place = boundary(row, tags.open_id, tags.close_id, rules.boundary, fatal=each.rollout.fatal)
    return None if place is None else Source(number, rollout, place)


def _played_on(
    groups: Sequence[Group],
    chosen: Sequence[Source],
    settings: GrpoSettings,
    play_on: PlayOn,
    tokens: PictureTokens,
) -> dict[tuple[int, int], tuple[ScoredRollout, ...]]:
    """The continuations of each rollout that AXPO continued, by the pair (index of the group, index
    of the rollout)."""
    rules = settings.axpo
    if rules is None or rules.resample == "none":
        return {(source.group, source.rollout): () for source in chosen}
    by_number = {group.asked.number: group for group in groups}
    origins = [by_number[source.group].rollouts[source.rollout] for source in chosen]
    wanted = []
    for n, (source, origin) in enumerate(zip(chosen, origins, strict=True)):
        begins = (
            origin.rollout.row.turns[source.boundary.turn][0] if source.boundary.turn >= 0 else 0
        )
        first = (
            settings.step.rollouts + n * rules.continuations if rules.resample == "question" else 0
        )
        wanted.append(
            Continuation(
                origin.judged,
                source.boundary.turn,
                source.boundary.end - begins,
                tuple(range(first, first + rules.continuations)),
            )
        )
    found = {}
    for source, origin, made in zip(chosen, origins, play_on(wanted), strict=True):
        assert len(made) == rules.continuations, "a continuation is missing"
        for each in made:
            if source.boundary.end and not each.rollout.unusable:
                check_prefix(each.rollout.row, origin.rollout.row, source.boundary.end, tokens)
        found[source.group, source.rollout] = made
    return found
