"""Plays the rollouts of a task, stores the pictures, and returns each rollout as a `Trajectory`. A
task stays pending after a fault of a provider, or when the budget is spent.

Each task has its own journal folder, so any process may continue the task. Finished rollouts are
not played again, and an unfinished rollout continues after its last turn.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from questloom.agent.play.journal import Journal
from questloom.agent.play.player import Player
from questloom.agent.turns.image_bank import ImageBank
from questloom.records.episodes import BankImage, EndReason, Episode
from questloom.records.errors import BudgetExceeded, ProviderFault
from questloom.records.outcomes import Pending, PendingCause
from questloom.records.synthesis import Question
from questloom.records.trajectories import EpisodeTimes, Trajectory
from questloom.transforms.episodes.episode_times import timeless
from questloom.transforms.episodes.run_questions import task_of
from questloom.transforms.episodes.tool_statistics import statistics_of


@dataclass(frozen=True, kw_only=True)
class Play:
    """Plays questions.

    Args:
        player: the engine, the tools and the limits.
        rollouts: number of episodes per question.
        picture: returns the question's picture as the policy sees it.
        journal: returns the local folder for a question's journal.
        keep: stores a picture by its sha256.
        note: stores the times of a question's episodes.
        source: takes the sha256 and the address of a picture that a tool found, and returns the id
            of the same picture in the store; "" where the store does not have the picture.
        withhold_own: whether picture search withholds a question's own picture (see
            `PictureRules`).
        begin: called with each question before it is played. Some engines must know more about the
            question than a policy may see.
    """

    player: Player
    rollouts: int
    picture: Callable[[Question], bytes]
    journal: Callable[[Question], Path]
    keep: Callable[[str, bytes], None]
    note: Callable[[Question, Sequence[EpisodeTimes]], None]
    source: Callable[[str, str], str]
    withhold_own: bool = False
    begin: Callable[[Question], None] = lambda question: None

    async def __call__(self, question: Question) -> list[Trajectory | Pending]:
        """The finished rollouts, and the reason why each of the other rollouts waits.

        Raises:
            PictureError: the question's picture cannot be used.
            InputError: the journal is damaged.
        """
        self.begin(question)
        shown = self.picture(question)
        task = task_of(question, shown, withhold_own=self.withhold_own)
        with Journal(self.journal(question), self.player.settings) as journal:
            ended = await asyncio.gather(
                *(
                    self.player.play(task, rollout, journal=journal)
                    for rollout in range(self.rollouts)
                ),
                return_exceptions=True,
            )
            episodes = [e for e in ended if isinstance(e, Episode) and e.end != EndReason.PROVIDER]
            for episode in episodes:
                for image in episode.images:
                    self.keep(
                        image.sha256,
                        as_shown(shown)
                        if image.origin == "task"
                        else journal.picture(image.sha256),
                    )
        faults = [e for e in ended if isinstance(e, BaseException)]
        ours = [e for e in faults if not isinstance(e, BudgetExceeded | ProviderFault)]
        if ours:
            raise ours[0]
        parted = [timeless(episode) for episode in episodes]
        self.note(question, [times for _, times in parted])
        made: list[Trajectory | Pending] = [
            self._trajectory(question, episode) for episode, _ in parted
        ]
        stopped = [
            e.end_evidence for e in ended if isinstance(e, Episode) and e.end == EndReason.PROVIDER
        ]
        if faults or stopped:
            budget = next((str(e) for e in faults if isinstance(e, BudgetExceeded)), "")
            made.append(
                Pending(
                    item_id=question.id,
                    seed_id=question.seed_id,
                    stage="",
                    cause=(PendingCause.BUDGET if budget else PendingCause.PROVIDER).value,
                    message=budget or next(iter([*map(str, faults), *stopped])),
                )
            )
        return made

    def _trajectory(self, question: Question, episode: Episode) -> Trajectory:
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
            episode=episode,
            source_ids=self._sources(question, episode.images),
            statistics=statistics_of(episode),
        )

    def _sources(self, question: Question, images: tuple[BankImage, ...]) -> tuple[str, ...]:
        """The source of each picture. A picture that a tool made from another picture has the
        source of that picture. Any other picture without an address has the source of the task's
        picture."""
        found: dict[int, str] = {}
        for image in images:
            if image.origin == "task":
                found[image.handle] = question.source_image_id
            elif image.parent >= 0:
                found[image.handle] = found.get(image.parent, "")
            elif image.url:
                found[image.handle] = self.source(image.sha256, image.url)
            else:
                found[image.handle] = question.source_image_id
        return tuple(found[image.handle] for image in images)


def as_shown(data: bytes) -> bytes:
    """The picture of a task as the image bank stores it."""
    bank = ImageBank()
    return bank.data(bank.add(data, origin="task"))
