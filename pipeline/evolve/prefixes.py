"""Finds the point from which a failed rollout is continued: just after its first `<tool_call>` tag.
Of all failed rollouts, the function chooses the one whose call the model made with the least
certainty (AXPO, section 4)."""

from collections.abc import Callable, Sequence
from math import exp
from statistics import fmean

from questloom.agent.engines.token_engine import TokenEngine
from questloom.agent.play.player import Begin, Task
from questloom.agent.turns.image_bank import ImageBank
from questloom.records.episodes import Episode, Turn

OPEN = "<tool_call>"


def prefix_of(engine: TokenEngine, turn: Turn) -> int:
    """The number of token ids in a turn up to and including the opening tag of the turn's call. The
    number is 0 if the turn makes no call, or if the engine gave no token ids or log-probabilities.
    """
    if OPEN not in turn.text or len(turn.logprobs) != len(turn.token_ids):
        return 0
    return next(
        (
            n
            for n in range(1, len(turn.token_ids))
            if engine.tokens.rendered(turn.token_ids[:n]).endswith(OPEN)
        ),
        0,
    )


def least_sure(
    engine: TokenEngine, task: Task, episodes: Sequence[Episode], read: Callable[[str], bytes]
) -> Begin | None:
    """The point from which a task's failed rollouts are continued; None if none of the rollouts
    called a tool.

    Args:
        engine: the engine that played the rollouts.
        task: the task, with its pictures as the policy saw them.
        episodes: the episodes of the task.
        read: a function that returns a stored picture's bytes by its sha256.
    """
    found = []
    for episode in episodes:
        for index, turn in enumerate(episode.turns):
            if num := prefix_of(engine, turn):
                found.append(
                    (fmean(map(exp, turn.logprobs[num:])), episode.rollout, index, num, episode)
                )
                break
    if not found:
        return None
    _, _, index, num, episode = min(found, key=lambda each: each[:2])
    turn = episode.turns[index]
    return Begin(
        task=task,
        episode=episode,
        bank=bank_of(task, episode, read),
        turn=index,
        begun=turn.token_ids[:num],
        begun_logprobs=turn.logprobs[:num],
    )


def bank_of(task: Task, episode: Episode, read: Callable[[str], bytes]) -> ImageBank:
    """Rebuilds an episode's image bank (the numbered list of its pictures) from the stored
    pictures."""
    bank = ImageBank()
    for data in task.pictures:
        bank.add(data, origin="task")
    for image in episode.images[len(bank) :]:
        handle = bank.add(
            read(image.sha256),
            origin=image.origin,
            call=image.call,
            url=image.url,
            title=image.title,
            parent=image.parent,
            box=image.box,
        )
        assert bank.get(handle) == image, "a stored picture comes back as it was"
    return bank
