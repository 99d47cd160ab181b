"""Makes the filter `solvable` with tools: the oracle (a player that knows the solution) plays the
question with real tools. A question that the oracle cannot solve is rejected as broken."""

import dataclasses

from questloom.agent.judges.answer import judge_by_rules
from questloom.agent.oracle.oracle_engine import OracleEngine
from questloom.agent.play.player import Task
from questloom.agent.setup import open_player
from questloom.models.model_settings import ModelSettings
from questloom.records.episodes import Outcome
from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Check, Question, Verdict, not_run
from questloom.transforms.episodes.kept_play import (
    filter_settings,
    kept_play,
    new_journal,
    teacher_plays_alike,
)
from questloom.transforms.filters.filter import FilterJob
from questloom.transforms.stages.stage import Apply, reject

CHECK = "solved_with_tools"


def make_oracle_filter(job: FilterJob) -> Apply:
    """Makes the filter's function for one process. The oracle has its own settings, which do not
    depend on the recipe's teacher, and calls no model."""
    recipe = job.recipe
    playing = open_player(
        filter_settings(recipe),
        dataclasses.replace(job.place, models=ModelSettings(clip=recipe.models.clip)),
    )
    engine = playing.player.engine
    assert isinstance(engine, OracleEngine), "the default teacher"
    player, keeps = playing.player, teacher_plays_alike(recipe)

    async def play(question: Question) -> Question | Rejection:
        if question.logical_form is None or question.certificate is None:
            return question.with_verdict(
                not_run("solvable", "the question has no form that the oracle could follow")
            )
        playing.begin(question)
        withheld = (
            frozenset({question.source_image_id}) if recipe.pictures.withhold_own else frozenset()
        )
        task = Task(
            task_id=question.id,
            question=question.text,
            withheld_pictures=withheld,
            pictures=(job.run.picture(question.image_id).read_bytes(),),
        )
        path = kept_play(job.run, player.settings, question) if keeps else None
        with new_journal(path, player.settings) as journal:
            episode = await player.play(task, journal=journal)
        ended = engine.ends.pop((question.id, 0), None)
        num_calls = sum(turn.call is not None for turn in episode.turns)
        if (
            judge_by_rules(
                question.answer, episode.answer, question=question.text, language=question.language
            ).outcome
            is not Outcome.CORRECT
        ):
            return reject(
                question,
                Reason.NOT_SOLVABLE,
                {
                    "solver": "oracle",
                    "said": episode.answer,
                    "calls": num_calls,
                    "failed": ended.failed if ended else f"{episode.end} {episode.end_evidence}",
                },
            )
        checks = (
            *question.certificate.checks,
            Check(name=CHECK, passed=True, score=float(num_calls)),
        )
        return question.replace(
            certificate=question.certificate.replace(checks=checks)
        ).with_verdict(
            Verdict(filter="solvable", passed=True, solver="oracle", num_samples=1, num_correct=1)
        )

    return play
