"""Measures what the loop's training changed. The last policy has played held-out tasks that the
first recipe made. Afterwards the first policy plays the same held-out tasks."""

import json
from collections.abc import Callable
from typing import Any

from questloom.files.opened import Opened
from questloom.pipeline.evolve.freeze import Try
from questloom.pipeline.evolve.loop_folder import LoopFolder, write_json
from questloom.pipeline.evolve.rollouts import Played, read_rollouts
from questloom.pipeline.evolve.subset import questions_of
from questloom.pipeline.evolve.verify import play_batch, policy_of, policy_settings
from questloom.records.share import Share
from questloom.transforms.episodes.episode_folder import EpisodeFolder

BEFORE = "before"
"""The name of the folder with the first policy's episodes, beside the folder with the last policy's
episodes."""
FILE = "before_after.json"


def compare(
    loop: LoopFolder, opened: Opened, *, workers: int, forward: Try, say: Callable[[str], None]
) -> None:
    """Writes `before_after.json`. The function writes no file if no round trained the policy, or if
    the loop has no held-out tasks.

    Args:
        forward: makes, verifies and diagnoses a round of fresh tasks, or continues such a round.
        say: a function that prints a message.
    """
    first, last, rules = loop.round(1), loop.rounds()[-1].read("train")["model"], loop.recipe.evolve
    if (
        (loop.path / FILE).is_file()
        or not rules.held_out
        or rules.mode == "sft"
        or last == first.model
    ):
        return
    tried = loop.held_out(1)
    if not tried.has_recipe:
        tried.begin(first.recipe, model=last, parent=1)
    say("evolve: held-out tasks of the first recipe, before and after training")
    forward(loop, tried, opened, workers)
    play_batch(
        tried,
        policy_settings(loop.recipe, first.model),
        rules.rollouts,
        BEFORE,
        loop.store,
        opened,
        workers,
    )
    found = {
        name: read_rollouts(EpisodeFolder.of(tried.batch, policy))
        for name, policy in (("before", BEFORE), ("after", policy_of(loop.recipe)))
    }
    tasks: list[dict[str, Any]] = [
        {
            "id": q.id,
            "question": q.text,
            "answer": q.answer.text,
            "level": q.level,
            "image": q.image_id,
            **{
                name: _share(played.get(q.id, Played())).as_json() for name, played in found.items()
            },
        }
        for q in questions_of(tried.batch)
    ]
    sums = {
        name: Share(
            sum(t[name]["good"] for t in tasks), sum(t[name]["judged"] for t in tasks)
        ).as_json()
        for name in found
    }
    write_json(loop.path / FILE, {"tasks": tasks, **sums})


def read(loop: LoopFolder) -> dict[str, Any] | None:
    """The content of `before_after.json`; None if there is no such file."""
    path = loop.path / FILE
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None


def _share(played: Played) -> Share:
    return Share(played.num_correct, len(played.judged))
