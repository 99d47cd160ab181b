"""Prepares episodes for the loop's report: the same task before and after training, turn by turn, with its picture."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from questloom.files.parquet import write_whole
from questloom.pipeline.evolve.before_after import BEFORE, read
from questloom.pipeline.evolve.loop_folder import LoopFolder
from questloom.pipeline.evolve.rollouts import Played, read_rollouts
from questloom.pipeline.evolve.verify import policy_of
from questloom.pipeline.report.thumbnails import THUMBNAIL, shrunk
from questloom.records.episodes import Episode, Turn
from questloom.transforms.episodes.episode_folder import EpisodeFolder

MOST_TEXT = 600
"""The report shows at most this number of characters of a thought or a result."""
RISEN = 2
"""The report shows this number of tasks: those whose pass rate rose most. The report also shows the
task whose pass rate rose least."""


@dataclass(frozen=True)
class Shown:
    """One episode of a task, as the report shows it."""

    outcome: str
    turns: tuple[dict[str, str], ...]


@dataclass(frozen=True)
class Pair:
    """A task before and after training."""

    task: dict[str, Any]
    """The task's row of `before_after.json`."""
    picture: str
    """The name of the picture's file in the report."""
    before: Shown
    after: Shown


def pairs_of(loop: LoopFolder, folder: Path) -> tuple[dict[str, Any], list[Pair]]:
    """The content of `before_after.json`, and the tasks that the report shows: those whose pass
    rate rose most, and the one whose pass rate rose least. Both are empty if the loop has not
    compared the first and the last policy. The pictures of the tasks are written to `folder`.

    Of a task's episodes before training, the report prefers a failed one. Of a task's episodes
    after training, the report prefers a correct one.
    """
    found = read(loop)
    if found is None:
        return {}, []
    batch = loop.held_out(1).batch
    before, after = (
        read_rollouts(EpisodeFolder.of(batch, policy))
        for policy in (BEFORE, policy_of(loop.recipe))
    )
    ordered = sorted(
        (t for t in found["tasks"] if t["before"]["judged"] and t["after"]["judged"]),
        key=lambda t: (t["before"]["share"] - t["after"]["share"], t["id"]),
    )
    made = []
    for task in [*ordered[:RISEN], *ordered[max(RISEN, len(ordered) - 1) :]]:
        name = f"{task['image']}.jpg"
        write_whole(folder / name, shrunk(batch.read_picture(task["image"]), THUMBNAIL))
        made.append(
            Pair(
                task,
                f"{folder.name}/{name}",
                _shown(before[task["id"]], right=False),
                _shown(after[task["id"]], right=True),
            )
        )
    return found, made


def _shown(played: Played, *, right: bool) -> Shown:
    both = list(zip(played.rollouts, played.episodes, strict=True))
    rollout, episode = next((pair for pair in both if pair[0].solved is right), both[0])
    return Shown(rollout.outcome, _turns(episode))


def _turns(episode: Episode) -> tuple[dict[str, str], ...]:
    return tuple(_turn(turn) for turn in episode.turns)


def _turn(turn: Turn) -> dict[str, str]:
    call = (
        f"{turn.call.name} {json.dumps(turn.call.arguments, ensure_ascii=False)}"
        if turn.call
        else ""
    )
    return {
        "thought": _cut(
            turn.thought or ("" if turn.call or turn.answer is not None else turn.text)
        ),
        "call": _cut(call),
        "result": _cut(turn.result.text) if turn.result else "",
        "answer": turn.answer or "",
        "violation": turn.violation,
    }


def _cut(text: str) -> str:
    return text if len(text) <= MOST_TEXT else f"{text[:MOST_TEXT]} …"


def amount(episodes: Sequence[Episode]) -> str:
    """Text that gives the numbers of episodes, calls and sampled tokens."""
    calls = sum(turn.call is not None for e in episodes for turn in e.turns)
    return f"{len(episodes):,} episodes, {calls:,} calls, {sum(turn.num_new_tokens for e in episodes for turn in e.turns):,} tokens sampled"
