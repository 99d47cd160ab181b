"""Measures which hard tasks are recoverable. If no rollout solved a task, a failed rollout is
continued K times (AXPO, arXiv 2605.28774). The pass rate does not count these continuations."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from questloom.agent.engines.token_engine import TokenEngine
from questloom.agent.judges.answer import ROLE, AnswerJudge
from questloom.agent.play.journal import Journal
from questloom.agent.play.player import Begin, Player, Task
from questloom.agent.setup import Playing, open_player
from questloom.calls.event_loop import submit
from questloom.pipeline.evolve.prefixes import least_sure
from questloom.pipeline.evolve.rollouts import CORRECT, Played, Rollout, rollout_of
from questloom.pipeline.teach.play_job import PlayJob
from questloom.records.episodes import EndReason, Episode, Outcome
from questloom.records.errors import ProviderFault, QuestloomError
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Question

FIRST = 10_000
"""The number of a task's first continuation. Rollouts have smaller numbers, so nobody mistakes a
continuation for a rollout."""
OUTCOMES = {
    Outcome.CORRECT: CORRECT,
    Outcome.JUDGE_FAILED: Reason.JUDGE_FAILED.value,
    Outcome.NO_ANSWER: Reason.NO_ANSWER_GIVEN.value,
}


async def continued(
    player: Player, task: Task, begin: Begin | None, number: int, journal: Journal
) -> Episode:
    """Continues a failed episode from a point inside a turn. An episode can be continued inside a
    turn only if the engine gives token ids. Without token ids the engine plays the whole question
    again, like AXPO's control `resample: question`."""
    if begin is not None:
        return (await player.play_on(begin, number, journal=journal)).episode
    return await player.play(task, FIRST + number, journal=journal)


def probe(
    job: PlayJob, tasks: Sequence[tuple[Question, Played]], *, continuations: int, folder: Path
) -> dict[str, tuple[Rollout, ...]]:
    """The judged continuations of each task, by question id.

    Args:
        job: the job that holds the policy, its tools and its limits.
        tasks: the questions that no rollout solved, each with its rollouts.
        continuations: the number of continuations for each task (K).
        folder: the folder of the journals. Because of the journals, no continuation is played
            twice.

    Raises:
        QuestloomError: a provider's fault stopped the policy. The same call continues the work.
    """
    if not tasks or not continuations:
        return {}
    playing = open_player(job.recipe.teach, job.place)
    judge = AnswerJudge(
        client=job.client("probe") if job.recipe.models.judged_by_model(ROLE) else None
    )
    return submit(_all(job, playing, judge, tasks, continuations, folder)).result()


async def _all(
    job: PlayJob,
    playing: Playing,
    judge: AnswerJudge,
    tasks: Sequence[tuple[Question, Played]],
    num: int,
    folder: Path,
) -> dict[str, tuple[Rollout, ...]]:
    at_once = asyncio.Semaphore(max(1, job.recipe.teach.episodes_at_once // num))

    async def one(question: Question, failed: Sequence[Episode]) -> tuple[Rollout, ...]:
        async with at_once:
            return await _one(job, playing, judge, question, failed, num, folder)

    found = await asyncio.gather(
        *(one(question, played.episodes) for question, played in tasks if played.episodes)
    )
    return dict(
        zip((question.id for question, played in tasks if played.episodes), found, strict=True)
    )


async def _one(
    job: PlayJob,
    playing: Playing,
    judge: AnswerJudge,
    question: Question,
    failed: Sequence[Episode],
    num: int,
    folder: Path,
) -> tuple[Rollout, ...]:
    playing.begin(question)
    withheld = (
        frozenset({question.source_image_id} - {""})
        if job.recipe.pictures.withhold_own
        else frozenset()
    )
    task = Task(
        task_id=question.id,
        question=question.text,
        pictures=(job.run.read_picture(question.image_id),),
        withheld_pictures=withheld,
    )
    engine = playing.player.engine
    begin = (
        least_sure(engine, task, failed, job.out.files.read_picture)
        if isinstance(engine, TokenEngine)
        else None
    )
    with Journal(folder / question.id, playing.player.settings) as journal:
        try:
            episodes = await asyncio.gather(
                *(continued(playing.player, task, begin, number, journal) for number in range(num))
            )
        except ProviderFault as fault:
            raise QuestloomError(
                f"a provider failed while {question.id} was played on ({fault}); run the same command again"
            ) from fault
    stopped = next((e for e in episodes if e.end == EndReason.PROVIDER), None)
    if stopped is not None:
        raise QuestloomError(
            f"a provider failed while {question.id} was played on ({stopped.end_evidence}); run the same command again"
        )
    made = []
    for episode in episodes:
        judged = await judge.judge(
            question.answer,
            episode.answer,
            question=question.text,
            language=question.language,
            item_id=question.id,
            seed_id=question.seed_id,
        )
        made.append(
            rollout_of(episode, OUTCOMES.get(judged.outcome, Reason.WRONG_ANSWER_GIVEN.value))
        )
    return tuple(made)
