"""Plays a step: each rank plays its questions, judges the answers and makes training samples.

At the end of a step, all ranks wait for each other. With the setting `refills`, the ranks also play
new questions in place of questions whose rollouts all have the same reward. A step that was stored
before the run was killed is read from disk, and not played again.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from questloom.agent.judges.answer import Judgement
from questloom.agent.play.player import Player
from questloom.files.parquet import write_records
from questloom.records.episodes import Episode
from questloom.records.synthesis import Question
from questloom.records.trajectories import AnswerVerdict, Trajectory
from questloom.train.grpo.figures import check_step, gather_sums, step_metrics
from questloom.train.grpo.step_files import StepFiles
from questloom.train.grpo.step_samples import (
    CallTags,
    Group,
    Share,
    StepSamples,
    candidates,
    choose_sources,
    group_rollouts,
    make_step_samples,
)
from questloom.train.rollouts.actor import Actor, Continuation
from questloom.train.rollouts.policy_engine import PolicyPlayers
from questloom.train.rollouts.questions import QuestionCourse, StepQuestion
from questloom.train.rollouts.scored import RolloutRows, ScoredRollout, score_rollouts
from questloom.train.run.output_lock import together
from questloom.train.run.parallel import World
from questloom.train.settings.grpo_settings import GrpoSettings
from questloom.transforms.episodes.episode_times import timeless
from questloom.transforms.episodes.tool_statistics import statistics_of


@dataclass(frozen=True)
class StepPlay:
    """Everything that a rank needs to play its steps."""

    actor: Actor
    players: PolicyPlayers
    course: QuestionCourse
    rows: RolloutRows
    files: StepFiles
    tags: CallTags | None
    settings: GrpoSettings
    at: World

    def of(self, step: int) -> tuple[Share, dict[str, float]]:
        """This rank's share of a step, and the metrics of all ranks. All ranks must call this
        function together.

        Raises:
            QuestloomError: see `Actor.play` and `check_step`. An error on one rank stops all ranks.
        """
        facts = self.at.gather(self.files.read_facts(step))[0]
        if facts is not None:
            return together(self.at, lambda: self.files.read(step, self.at)), facts["figures"]
        made, facts = self._played(step)
        if self.settings.keep.episodes_every and step % self.settings.keep.episodes_every == 0:
            together(self.at, lambda: self._keep_episodes(step, made))
        self.files.write(step, made.share, facts, self.at)
        if self.at.first:  # no rank plays before all have met in the update
            self.actor.drop_journals()
        return made.share, facts["figures"]

    def _played(self, step: int) -> tuple[StepSamples, dict[str, Any]]:
        began, steps = time.perf_counter(), self.settings.step
        version = step * steps.updates
        player = self.players.of_step(step, version)
        groups: list[Group] = []
        every: list[StepQuestion] = []
        asked = self.course.of(step)
        for refill in range(steps.refills + 1):
            every += asked
            new = together(self.at, partial(self._groups, player, asked, version))
            groups += new
            flat = sum(self.at.gather(sum(group.is_flat(self.settings.fatal) for group in new)))
            asked = self.course.more(step, every, flat) if refill < steps.refills else []
            if not asked:
                break

        def play_on(again: list[Continuation]) -> list[tuple[ScoredRollout, ...]]:
            return [
                tuple(
                    score_rollouts(
                        some,
                        self.rows,
                        reward=self.settings.reward,
                        fatal=self.settings.fatal,
                        version=version,
                    )
                )
                for some in self.actor.play_on(player, again)
            ]

        found = together(self.at, lambda: candidates(groups, self.settings, self.tags))
        picked = choose_sources(
            [some for part in self.at.gather(found) for some in part], self.settings, step
        )
        numbers = {group.asked.number for group in groups}
        mine = [source for source in picked if source.group in numbers]
        made = together(
            self.at,
            lambda: make_step_samples(
                groups, mine, self.settings, self.rows.picture_tokens, play_on
            ),
        )
        total, lines = gather_sums(made, self.settings.fatal, self.at)
        assert total["rollouts"] == len(every) * steps.rollouts, "a question was not played"
        check_step(total, self.settings.care, step)
        seconds = time.perf_counter() - began
        figures = {
            **step_metrics(total, self.actor.query_by),
            "play_seconds": seconds,
            "played_tokens_per_second": total["policy_tokens"] / seconds,
        }
        return made, {"figures": figures, "lines": lines}

    def _groups(self, player: Player, asked: Sequence[StepQuestion], version: int) -> list[Group]:
        """Plays and judges this rank's part of some questions."""
        mine = [each for each in asked if each.number % self.at.size == self.at.rank]
        return group_rollouts(
            self.actor.play(player, mine, self.settings.step.rollouts),
            self.rows,
            self.settings,
            version,
        )

    def _keep_episodes(self, step: int, made: StepSamples) -> None:
        """Stores the rollouts of the step's first question, on the rank that played it."""
        for group in made.groups:
            if group.asked.number == 0:
                write_records(
                    self.actor.files.at(f"step-{step:06d}.parquet"),
                    Trajectory,
                    [
                        trajectory_of(each.judged.asked.question, each.episode, each.judged.verdict)
                        for each in group.rollouts
                    ],
                )


def trajectory_of(question: Question, episode: Episode, verdict: Judgement) -> Trajectory:
    """Turns an episode into a trajectory, which the report can show.

    The trajectory names no sources of its pictures, because only published episodes need their
    sources, and training's episodes are never published.
    """
    return Trajectory(
        question_id=question.id,
        seed_id=question.seed_id,
        split=question.split,
        level=question.level,
        method=question.method,
        domain=question.domain,
        language=question.language,
        answer=question.answer,
        image_id=question.image_id,
        source_image_id=question.source_image_id,
        episode=timeless(episode)[0],
        statistics=statistics_of(episode),
        verdict=AnswerVerdict(
            outcome=verdict.outcome.value,
            by=verdict.by,
            given=verdict.given,
            why=verdict.why,
            confidence=verdict.confidence,
            prompt=verdict.prompt,
        ),
    )
