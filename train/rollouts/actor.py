"""Plays the questions of one rank with the current policy, and has the answers judged.

Ranks do not wait for each other while they play, so they may play different numbers of turns. A
journal for each question records every turn, so that a resumed run does not play finished turns
again.
"""

import asyncio
from collections.abc import Coroutine, Iterator, Sequence
from concurrent.futures import wait
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TypeVar

from questloom.agent.judges.answer import ROLE as ANSWER_ROLE
from questloom.agent.judges.answer import AnswerJudge, Judgement
from questloom.agent.judges.query import MEASURED, retrieval_score
from questloom.agent.judges.query import ROLE as QUERY_ROLE
from questloom.agent.play.episode_files import EpisodeFiles
from questloom.agent.play.journal import Journal
from questloom.agent.play.player import Begin, Played, Player, Task
from questloom.calls.event_loop import submit
from questloom.files.locations import remove_tree
from questloom.models.picture_file import PictureError
from questloom.prompts.ask import Client
from questloom.records.errors import BudgetExceeded, InputError, QuestloomError
from questloom.train.credit.rewards import UNKNOWN
from questloom.train.rollouts.questions import StepQuestion
from questloom.train.run.stopping import Stop, Stopped
from questloom.transforms.episodes.run_questions import task_of
from questloom.transforms.stages.run_folder import RunFolder

T = TypeVar("T")
LOOK_SECONDS = 0.5
"""Number of seconds after which the program checks again whether the user asked the run to stop."""


class RolloutsFailed(QuestloomError):
    """The engine, a tool or a judge failed, and the policy did not cause the failure. The journals
    keep all finished turns, and the same command continues the run from them.
    """


@dataclass(frozen=True, eq=False)
class JudgedRollout:
    """A rollout with the verdicts of the judges."""

    asked: StepQuestion
    rollout: int
    task: Task
    played: Played
    verdict: Judgement
    query: float
    """r_query: the score that the judge gave to the search queries. NaN if the score is unknown, or
    if the reward does not use the score."""


@dataclass(frozen=True)
class UnplayedRollout:
    """A rollout that could not start."""

    asked: StepQuestion
    rollout: int
    why: str


@dataclass(frozen=True)
class Continuation:
    """A wrong rollout that AXPO continues.

    Args:
        source: the wrong rollout.
        turn: index of the turn whose beginning is copied from the source. With -1, the
            continuations start at the question, and no turn is copied.
        begun: number of tokens that are copied from this turn.
        rollouts: the numbers that the continuations get among the question's rollouts.
    """

    source: JudgedRollout
    turn: int
    begun: int
    rollouts: tuple[int, ...]


@dataclass(frozen=True)
class Actor:
    """Plays the questions of one process.

    Args:
        run: the run (a folder made by `questloom synth`) with the pictures of the questions.
        withhold_own: see `task_of`.
        files: the folders for journals and for the pictures that episodes showed.
        answers: the judge of the answers.
        queries: the client for the judge of search queries. With None, a rule without a model gives
            the score of the search queries.
        judges_queries: whether the reward uses r_query (the score of the search queries).
        at_once: number of episodes that are played at the same time.
        stop: says whether the user asked the run to stop; playing then ends, and the journals keep
            what was played.
    """

    run: RunFolder
    withhold_own: bool
    files: EpisodeFiles
    answers: AnswerJudge
    queries: Client | None
    judges_queries: bool
    at_once: int
    stop: Stop = field(default_factory=Stop)

    @property
    def answer_by(self) -> str:
        """Names who judges the answers: the model that has this role, else "rules"."""
        return (
            "rules" if self.answers.client is None else self.answers.client.roles[ANSWER_ROLE].model
        )

    @property
    def query_by(self) -> str:
        """Names who gives r_query (the score of the search queries): a model, or "measured" if a
        rule without a model does. The name is "" if the reward does not use r_query.
        """
        if not self.judges_queries:
            return ""
        return MEASURED if self.queries is None else self.queries.roles[QUERY_ROLE].model

    def play(
        self, player: Player, asked: Sequence[StepQuestion], rollouts: int
    ) -> list[JudgedRollout | UnplayedRollout]:
        """Plays all rollouts of the given questions. The results are in the order of questions,
        then rollouts.

        Raises:
            RolloutsFailed: an engine, a tool or a judge failed.
            InputError, BudgetExceeded: see `Player.rollout`.
            Stopped: the user asked the run to stop.
        """

        async def question(
            each: StepQuestion, gate: asyncio.Semaphore
        ) -> list[JudgedRollout | UnplayedRollout]:
            with self._journal(player, each) as (task, journal):
                try:
                    return await _all(
                        [
                            self._rollout(player, each, n, task, journal, gate)
                            for n in range(rollouts)
                        ]
                    )
                except PictureError as error:
                    return [UnplayedRollout(each, n, str(error)) for n in range(rollouts)]

        return self._run(question, asked)

    def play_on(self, player: Player, again: Sequence[Continuation]) -> list[list[JudgedRollout]]:
        """Plays the continuations of each source (a wrong rollout that AXPO continues).

        Raises:
            RolloutsFailed, InputError, BudgetExceeded, Stopped: as for `play`.
        """
        by_question: dict[int, list[int]] = {}
        for n, each in enumerate(again):
            by_question.setdefault(each.source.asked.number, []).append(n)

        async def question(
            some: list[int], gate: asyncio.Semaphore
        ) -> list[tuple[int, JudgedRollout]]:
            with self._journal(player, again[some[0]].source.asked) as (task, journal):
                todo = [(n, rollout) for n in some for rollout in again[n].rollouts]
                made = await _all(
                    [
                        self._rollout(
                            player, again[n].source.asked, rollout, task, journal, gate, again[n]
                        )
                        for n, rollout in todo
                    ]
                )
                return [(n, judged) for (n, _), judged in zip(todo, made, strict=True)]

        found: list[list[JudgedRollout]] = [[] for _ in again]
        for n, judged in self._run(question, list(by_question.values())):
            found[n].append(judged)
        return found

    def drop_journals(self) -> None:
        """Removes the files of unfinished episodes. Call this function in one process only, and
        only while no process plays.
        """
        remove_tree(self.files.at("journal"))

    def _run(self, question: Any, items: Sequence[Any]) -> list[Any]:
        async def everything() -> list[Any]:
            gate = asyncio.Semaphore(self.at_once)
            return [
                found
                for some in await _all([question(item, gate) for item in items])
                for found in some
            ]

        playing = submit(everything())
        while not wait([playing], LOOK_SECONDS).done:
            if self.stop.asked:
                playing.cancel()
                raise Stopped("what was played is in the journals")
        try:
            made: list[Any] = playing.result()
            return made
        except QuestloomError:
            raise
        except Exception as error:
            raise RolloutsFailed(
                f"an episode could not be played: {type(error).__name__}: {str(error)[:500]}. What was played is kept; run the same "
                "command again."
            ) from error

    @contextmanager
    def _journal(self, player: Player, asked: StepQuestion) -> Iterator[tuple[Task, Journal]]:
        task = task_of(
            asked.question,
            self.run.read_picture(asked.question.image_id),
            withhold_own=self.withhold_own,
        )
        with Journal(self.files.journal(player.settings, task.task_id), player.settings) as journal:
            yield task, journal

    async def _rollout(
        self,
        player: Player,
        asked: StepQuestion,
        rollout: int,
        task: Task,
        journal: Journal,
        gate: asyncio.Semaphore,
        again: Continuation | None = None,
    ) -> JudgedRollout:
        async with gate:
            if again is None or again.turn < 0:
                played = await player.rollout(task, rollout, journal=journal)
            else:
                source = again.source.played
                turn = source.episode.turns[again.turn]
                begin = Begin(
                    task=task,
                    episode=source.episode,
                    bank=source.bank,
                    turn=again.turn,
                    begun=turn.token_ids[: again.begun],
                    begun_logprobs=turn.logprobs[: again.begun],
                )
                played = await player.play_on(begin, rollout, journal=journal)
        episode, question = played.episode, asked.question
        for image in episode.images:
            self.files.keep_picture(image.sha256, played.bank.data(image.handle))
        verdict = await self.answers.judge(
            question.answer,
            episode.answer,
            question=question.text,
            language=question.language,
            item_id=episode.id,
            seed_id=question.seed_id,
        )
        query = (
            await retrieval_score(episode, client=self.queries, answer=question.answer)
            if self.judges_queries
            else UNKNOWN
        )
        return JudgedRollout(asked, rollout, task, played, verdict, query)


async def _all(works: Sequence[Coroutine[Any, Any, T]]) -> list[T]:
    """Runs coroutines and returns their results in order.

    If a coroutine fails, all others are cancelled, and the most informative error is raised.
    """
    ended = await asyncio.gather(*works, return_exceptions=True)
    faults = [each for each in ended if isinstance(each, BaseException)]
    for kind in (InputError, BudgetExceeded, PictureError, BaseException):
        if found := next((fault for fault in faults if isinstance(fault, kind)), None):
            raise found
    return [each for each in ended if not isinstance(each, BaseException)]
