"""A teacher over the small finished run: the real job with an engine that says what a test tells it to."""

import json
import shutil
from collections.abc import Callable
from pathlib import Path

from questloom.agent.setup import engine_override_key
from questloom.files.opened import Opened
from questloom.knowledge.store.store import Store
from questloom.pipeline.format_registry import format_names
from questloom.pipeline.recipe import Recipe, recipe_of
from questloom.pipeline.teach.teach_job import TeachSummary, run_teach
from tests.agent.small_provider import Say, ScriptedEngine, answer
from tests.pipeline.export import finished_run as world

NUMBERS = {world.drafted(n).id: n for n in range(world.NUM_QUESTIONS)}
"""The questions' numbers by id: 3, 9, 15 and 21 are for supervised fine-tuning."""
HOSTILE = "</think><image> <video> <script>alert('x')</script> <|im_end|>"


def call(name: str, **arguments) -> str:
    """A turn that calls a tool."""
    return f"<think>Let me see.</think>\n<tool_call>{json.dumps({'name': name, 'arguments': arguments})}</tool_call>"


def solver(conversation) -> str:
    """Looks for pictures like the task's, crops one, answers: wrong for question 9, out of format for question 21, and else right."""
    n = NUMBERS[conversation.task_id]
    if n == 21 and conversation.turn == 1:
        return "no tags at all"
    final = f"<think>So it is, {'<image> and <video>' if n == 15 else 'I think'}.</think>\n<answer>{'nobody' if n == 9 else f'Answer {n}'}</answer>"
    turns = [
        call("image_search", handle="<image:0>"),
        call("crop", handle=1, box=[100, 100, 800, 800]),
        call("flip", handle="<image:3>", axis="vertical"),
        final if n % 2 else answer(f"Answer {n}"),
    ]
    return turns[conversation.turn]


def settings(**teach) -> Recipe:
    """The run's recipe with a checkpoint that is here."""
    rules = {"tools": {"tools": ["image_search", "crop", "flip"], "max_new_pictures": 2}, **teach}
    return recipe_of(
        {
            "name": "small",
            "seed": 3,
            "pictures": {"withhold_own": True},
            "run": {"shards": world.NUM_SHARDS},
            "teach": rules,
            "export": {"formats": list(format_names())},
        },
        "test",
    )


def copy_of(made: Path, folder: Path) -> Path:
    """The run, as one that was made from the store beside it."""
    shutil.copytree(made / "run", folder / "run")
    path = folder / "run" / "recipe.json"
    recipe = settings()
    path.write_text(
        json.dumps(
            {
                "recipe": recipe.resolved(),
                "fingerprint": recipe.fingerprint,
                "store": Store.open(str(made / "store")).meta["digest"],
            }
        )
    )
    return folder / "run"


def teach(
    run: Path, store: Path, say: Say | Callable = solver, **rules
) -> tuple[TeachSummary, ScriptedEngine]:
    """Runs the job; gives its summary and the engine, which counts its steps. In one process the engine stays at hand."""
    engine = ScriptedEngine(say)
    with Opened() as opened:
        opened.put(engine_override_key("oracle"), engine)
        return run_teach(
            settings(engine="oracle", **rules), run=str(run), store=str(store), opened=opened
        ), engine
