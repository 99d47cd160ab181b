"""Ends a loop. The function compares the recipes on tasks that no round has seen, and keeps the
best recipe for mass synthesis."""

from collections.abc import Callable

import yaml

from questloom.files.opened import Opened
from questloom.files.parquet import write_whole
from questloom.pipeline.evolve.loop_folder import LoopFolder, RoundFolder, write_json
from questloom.pipeline.evolve.scores import Mean, score_of
from questloom.records.identity import canonical_json

Try = Callable[[LoopFolder, RoundFolder, Opened, int], None]


def freeze(
    loop: LoopFolder, opened: Opened, *, workers: int, forward: Try, say: Callable[[str], None]
) -> None:
    """Writes `best.json` and `best.yaml`. The last policy tries each distinct recipe on the same
    number of fresh tasks with the same seeds. If the recipe sets `evolve.held_out: 0`, the score of
    each recipe is that of its own round.

    Args:
        forward: makes, verifies and diagnoses a round of fresh tasks, or continues such a round.
        say: a function that prints a message.
    """
    if (loop.path / "best.json").is_file():
        return
    rounds = loop.rounds()
    distinct = {canonical_json(each.recipe.resolved()): each for each in reversed(rounds)}
    candidates = sorted(distinct.values(), key=lambda each: each.number)
    scores: dict[int, Mean | None] = {}
    for each in candidates:
        tried = each
        if loop.recipe.evolve.held_out and len(candidates) > 1:
            tried = loop.held_out(each.number)
            if not tried.has_recipe:
                tried.begin(
                    each.recipe, model=rounds[-1].read("train")["model"], parent=each.number
                )
            say(f"evolve: the recipe of round {each.number} on held-out tasks")
            forward(loop, tried, opened, workers)
        scores[each.number] = score_of(tried.read("diagnose"))
    best = max(
        candidates,
        key=lambda each: (
            found.value if (found := scores[each.number]) else float("-inf"),
            -each.number,
        ),
    )
    write_whole(
        loop.path / "best.yaml",
        yaml.safe_dump(best.recipe.resolved(), sort_keys=False, allow_unicode=True).encode(),
    )
    write_json(
        loop.path / "best.json",
        {
            "round": best.number,
            "by": "held-out tasks"
            if loop.recipe.evolve.held_out and len(candidates) > 1
            else "its own round",
            "scores": {
                str(number): {"score": found.value, "error": found.error, "tasks": found.num}
                if found
                else None
                for number, found in scores.items()
            },
        },
    )
