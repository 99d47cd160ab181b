"""Records what a loop pays for calls. All rounds share one cache of calls and one budget. Each
round records which costs it added to the ledger."""

import dataclasses
import json
from collections import Counter
from pathlib import Path
from typing import Any, Literal

from questloom.calls.attempts import CostLine
from questloom.calls.ledger import cost_lines, has_ledger
from questloom.pipeline.evolve.loop_folder import LoopFolder, RoundFolder, write_json
from questloom.pipeline.recipe import Recipe
from questloom.pipeline.report.spend_text import money_words
from questloom.transforms.stages.run_folder import RunFolder

FILE = "spent.json"
"""The name of a round's file with the costs in the ledger, by stage, before and after the round.
Writing this file does not end a step of the round. If a kill interrupts a request, the file counts
the request twice."""
SUMS = ("num_calls", "money", "num_unpriced")


def calls_of(loop: LoopFolder, recipe: Recipe) -> Path | str:
    """Where all rounds store the models' replies, the ledger of costs and the budget. Because all
    rounds use the same place, no request is paid for in two rounds.

    Args:
        recipe: a round's recipe. If the recipe names a file or an address, replies, ledger and
            budget are stored there. An address without a prefix gets the loop's prefix.
    """
    return RunFolder(str(loop.path)).calls(recipe.run.calls)


def note_spent(loop: LoopFolder, at: RoundFolder, when: Literal["before", "after"]) -> None:
    """Records the costs in the ledger before or after a round, once. The costs of the trainer's
    judges are in another ledger."""
    noted = _noted(at)
    if when == "before" and noted:
        return
    ledger = calls_of(loop, at.recipe)
    lines = cost_lines(ledger, by=("stage",)) if has_ledger(ledger) else []
    write_json(
        at.path / FILE,
        {
            **noted,
            when: {line.group[0]: {name: getattr(line, name) for name in SUMS} for line in lines},
        },
    )


def spent_words(at: RoundFolder) -> str:
    """A text about the cost of a round's calls; "" if the round had no calls or has not ended."""
    noted = _noted(at)
    stages = {stage: Counter(sums) for stage, sums in noted.get("after", {}).items()}
    for stage, sums in noted["before"].items() if stages else ():
        stages[stage].subtract(sums)
    total = sum(stages.values(), Counter())
    if not total["num_calls"]:
        return ""
    every: dict[str, Any] = {
        **dict.fromkeys((f.name for f in dataclasses.fields(CostLine)), 0),
        **total,
        "group": (),
    }
    line = CostLine(**every)
    told = ", ".join(
        f"{stage} {sums['num_calls']:,}"
        for stage, sums in sorted(stages.items())
        if sums["num_calls"]
    )
    return f"{line.num_calls:,} ({told}); money: {money_words(line)}"


def _noted(at: RoundFolder) -> dict[str, dict[str, Any]]:
    path = at.path / FILE
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
