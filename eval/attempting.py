"""Plays all attempts at a question. Stores the pictures that the agent saw in the attempts.

A question that must wait for a provider or for more budget stays pending. Each question has a
folder for its journal (the record of its turns). A finished attempt is not played again; an
interrupted attempt continues after its last turn. A failed attempt counts as an attempt, unless a
provider or the budget made it fail.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from questloom.agent.play.journal import Journal
from questloom.agent.play.player import Player, Task
from questloom.agent.turns.image_bank import ImageBank
from questloom.eval.items import Attempt, Item
from questloom.models.picture_file import PictureError
from questloom.records.episodes import EndReason, Episode
from questloom.records.errors import BudgetExceeded, ProviderFault
from questloom.records.outcomes import Pending, PendingCause, Rejection
from questloom.records.trajectories import EpisodeTimes
from questloom.transforms.episodes.episode_times import timeless
from questloom.transforms.episodes.tool_statistics import statistics_of
from questloom.transforms.stages.stage import reject


@dataclass(frozen=True, kw_only=True)
class Attempting:
    """Plays the attempts at a question.

    Args:
        player: plays one attempt; it holds the engine, the tools and the limits.
        rollouts: number of attempts per question.
        picture: function that returns a picture of a question for its sha256.
        journal: function that returns the local folder for a question's journal.
        keep: function that stores a picture under its sha256.
        note: function that stores the times of a question's attempts.
        begin: function that is called with each question before an attempt is played.
    """

    player: Player
    rollouts: int
    picture: Callable[[str], bytes]
    journal: Callable[[Item], Path]
    keep: Callable[[str, bytes], None]
    note: Callable[[Item, Sequence[EpisodeTimes]], None]
    begin: Callable[[Item], None]

    async def __call__(self, item: Item) -> list[Attempt | Pending] | Rejection:
        """Plays all attempts at a question.

        Returns: The finished attempts, and one `Pending` if an attempt must wait. If a picture
            cannot be shown, the result is a rejection.

        Raises:
            InputError: the journal is damaged.
        """
        self.begin(item)
        shown = tuple(self.picture(sha256) for sha256 in item.pictures)
        try:
            bank = as_shown(shown)
        except PictureError as error:
            return reject(item, error.reason, str(error))
        own = {image.sha256: bank.data(image.handle) for image in bank.images}
        task = Task(
            task_id=item.id,
            question=item.question,
            pictures=shown,
            withheld_pictures=frozenset({item.withheld} - {""}),
        )
        with Journal(self.journal(item), self.player.settings) as journal:
            ended = await asyncio.gather(
                *(
                    self.player.play(task, rollout, journal=journal)
                    for rollout in range(self.rollouts)
                ),
                return_exceptions=True,
            )
            episodes = [e for e in ended if isinstance(e, Episode) and e.end != EndReason.PROVIDER]
            for image in (image for episode in episodes for image in episode.images):
                self.keep(
                    image.sha256,
                    own[image.sha256] if image.origin == "task" else journal.picture(image.sha256),
                )
        faults = [e for e in ended if isinstance(e, BaseException)]
        ours = [e for e in faults if not isinstance(e, BudgetExceeded | ProviderFault)]
        if ours:
            raise ours[0]
        parted = [timeless(episode) for episode in episodes]
        self.note(item, [times for _, times in parted])
        made: list[Attempt | Pending] = [
            Attempt(item=item, episode=episode, statistics=statistics_of(episode))
            for episode, _ in parted
        ]
        stopped = [
            e.end_evidence for e in ended if isinstance(e, Episode) and e.end == EndReason.PROVIDER
        ]
        if faults or stopped:
            budget = next((str(e) for e in faults if isinstance(e, BudgetExceeded)), "")
            made.append(
                Pending(
                    item_id=item.id,
                    seed_id=item.id,
                    stage="",
                    cause=(PendingCause.BUDGET if budget else PendingCause.PROVIDER).value,
                    message=budget or next(iter([*map(str, faults), *stopped])),
                )
            )
        return made


def as_shown(pictures: Sequence[bytes]) -> ImageBank:
    """Puts the pictures of a question into an image bank.

    Raises:
        PictureError: a picture cannot be shown.
    """
    bank = ImageBank()
    for data in pictures:
        bank.add(data, origin="task")
    return bank
