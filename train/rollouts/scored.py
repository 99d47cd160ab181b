"""Turns judged rollouts into rows (episodes as tokens) and rewards, for `credit/samples.py`.

A row from which the model cannot learn (`UnusableRow`) is left out of the loss and counted. If the
reward of an unusable row is known, the reward still counts in the statistics of the group.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import torch

from questloom.agent.turns.token_renderer import Segment
from questloom.records.episodes import EndReason, Episode
from questloom.train.credit.credit_rules import FatalRules, RewardRules
from questloom.train.credit.fatal import fatal_step, statuses
from questloom.train.credit.rewards import UNKNOWN, accuracy, format_reward, rewards, step_passed
from questloom.train.credit.samples import Rollout
from questloom.train.rollouts.actor import JudgedRollout
from questloom.train.rows.episode_rows import row_of_segments
from questloom.train.rows.row import (
    PictureTokens,
    Rope,
    Row,
    RowFault,
    UnusableRow,
    check,
    shorten,
)
from questloom.train.settings.training_settings import DataSettings


@dataclass(frozen=True)
class RolloutRows:
    """Makes a model's rows (episodes as tokens) from rollouts."""

    picture_tokens: PictureTokens
    rope: Rope
    data: DataSettings

    def row(self, segments: Sequence[Segment], episode_id: str, version: int) -> Row:
        """Makes the row of an episode and checks it. The row has the tokens that the engine saw,
        cut to the maximum length in the settings.

        Raises:
            UnusableRow: the model cannot learn from the row.
            RowError: see `row.check`.
        """
        row = row_of_segments(
            segments,
            episode_id=episode_id,
            tokens=self.picture_tokens,
            rope=self.rope,
            policy_version=version,
        )
        if len(row) > self.data.max_tokens:
            if self.data.too_long == "leave_out":
                raise UnusableRow(
                    RowFault.TOO_LONG,
                    episode_id,
                    f"{len(row)} tokens, the limit is {self.data.max_tokens}",
                )
            row = shorten(row, self.data.max_tokens, self.picture_tokens)
        check(row, self.picture_tokens)
        if row.old_logp is None:
            raise UnusableRow(RowFault.LOGPROB, episode_id, "its engine told no log-probabilities")
        return row

    def none(self, episode_id: str) -> Row:
        """An empty row, which replaces the row of an episode if the model cannot learn from it."""
        empty = torch.zeros(0, dtype=torch.long)
        return Row(
            episode_id=episode_id,
            ids=empty,
            loss_mask=empty.bool(),
            turns=(),
            positions=torch.zeros(4, 0, dtype=torch.long),
            pixels=torch.zeros(0, self.picture_tokens.pixel_dim),
            grid_thw=torch.zeros(0, 3, dtype=torch.long),
        )


@dataclass(frozen=True, eq=False)
class ScoredRollout:
    """A rollout with its row, its reward, and the parts of the reward."""

    judged: JudgedRollout
    rollout: Rollout
    format_share: float
    query: float
    """r_query: the score of the judge of search queries; NaN if there is no score."""

    @property
    def episode(self) -> Episode:
        """The episode of the rollout."""
        return self.judged.played.episode

    @property
    def used_tool(self) -> bool:
        """Whether the rollout called any tool."""
        return has_call(self.episode)


def has_call(episode: Episode) -> bool:
    """Whether the episode called any tool."""
    return any(turn.call is not None and turn.result is not None for turn in episode.turns)


def score_rollouts(
    judged: Sequence[JudgedRollout],
    rows: RolloutRows,
    *,
    reward: RewardRules,
    fatal: FatalRules,
    version: int,
) -> list[ScoredRollout]:
    """Adds rows and rewards to rollouts that were judged.

    Args:
        version: number of updates that the sampling weights have had.
    """
    if not judged:
        return []
    lost = [_fatal(each.played.episode, fatal) for each in judged]
    steps = [len(each.played.episode.turns) for each in judged]
    shares = [
        format_reward([step_passed(turn) for turn in each.played.episode.turns], f)
        for each, f in zip(judged, lost, strict=True)
    ]
    queries = [each.query for each in judged]
    right = [accuracy(each.verdict.outcome) for each in judged]
    made = rewards(
        reward,
        format_share=torch.tensor(shares),
        accuracy=torch.tensor(right),
        query=torch.tensor(queries),
        used_tool=torch.tensor([has_call(each.played.episode) for each in judged]),
        num_valid=torch.tensor(
            [num if f is None else f for num, f in zip(steps, lost, strict=True)]
        ),
    ).tolist()
    return [
        ScoredRollout(
            each,
            _rollout(each, value if math.isfinite(value) else UNKNOWN, answer, f, rows, version),
            share,
            query,
        )
        for each, value, answer, f, share, query in zip(
            judged, made, right, lost, shares, queries, strict=True
        )
    ]


def _fatal(episode: Episode, rules: FatalRules) -> int | None:
    """Number of the fatal step, from which the rollout teaches nothing. None if the rollout has no
    fatal step, or if the settings treat fatal rollouts like all others."""
    return (
        None
        if rules.treatment == "vanilla"
        else fatal_step(statuses(episode), faults=rules.faults, fatal_index=rules.fatal_index)
    )


def _rollout(
    judged: JudgedRollout,
    reward: float,
    right: float,
    fatal: int | None,
    rows: RolloutRows,
    version: int,
) -> Rollout:
    episode = judged.played.episode
    unusable = ""
    try:
        row = rows.row(judged.played.segments, episode.id, version)
    except UnusableRow as error:
        row, unusable = rows.none(episode.id), str(error.fault)
    return Rollout(
        row=row,
        reward=reward,
        accuracy=right,
        end=episode.end,
        answered=episode.end == EndReason.ANSWERED,
        fatal=fatal,
        unusable=unusable,
    )
