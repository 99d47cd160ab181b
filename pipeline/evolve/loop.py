"""Runs one step of a loop, or all steps that remain."""

import shlex
from collections.abc import Callable
from pathlib import Path

from questloom.calls.event_loop import submit
from questloom.files.opened import Opened
from questloom.files.parquet import write_whole
from questloom.knowledge.store.store import Store
from questloom.pipeline.evolve.before_after import compare
from questloom.pipeline.evolve.checks import Checks
from questloom.pipeline.evolve.findings import Diagnoser, as_json
from questloom.pipeline.evolve.first_check import check_players
from questloom.pipeline.evolve.forward import forward
from questloom.pipeline.evolve.freeze import freeze
from questloom.pipeline.evolve.llm_diagnoser import open_llm_diagnoser
from questloom.pipeline.evolve.loop_folder import STEPS, LoopFolder, RoundFolder
from questloom.pipeline.evolve.loop_report import build_loop_report
from questloom.pipeline.evolve.measured import MeasuredDiagnoser
from questloom.pipeline.evolve.spending import note_spent
from questloom.pipeline.evolve.subset import questions_of
from questloom.pipeline.evolve.tags import Tag
from questloom.pipeline.evolve.task_row import read_rows
from questloom.pipeline.evolve.training import train
from questloom.pipeline.evolve.update import update
from questloom.pipeline.evolve.verify import policy_settings, verify
from questloom.pipeline.recipe import Recipe, recipe_of
from questloom.pipeline.synth.job import Job
from questloom.records.errors import InputError
from questloom.transforms.stages.run_folder import absolute

Say = Callable[[str], None]


def begin_loop(out: str, recipe: Recipe, store: str) -> LoopFolder:
    """Creates a loop's folder, or opens an existing one.

    Raises:
        InputError: the folder holds another loop, the store cannot be opened, or `check_players`
            finds a fault.
    """
    loop = LoopFolder(Path(out).absolute())
    check_players(recipe)
    loop.begin(recipe, store=absolute(store), digest=Store.open(absolute(store)).meta["digest"])
    return loop


def run_loop(loop: LoopFolder, opened: Opened, *, workers: int = 1, say: Say = print) -> str:
    """Runs all remaining rounds, freezes the best recipe and writes the report. Returns the report's path.

    Raises:
        QuestloomError: a step was stopped; the same call continues that step.
    """
    for number in range(1, loop.recipe.evolve.rounds + 1):
        for step in STEPS:
            if not loop.round(number).done(step):
                say(f"evolve: round {number}, {step}")
                run_step(loop, number, step, opened, workers=workers)
        build_loop_report(loop)
    freeze(loop, opened, workers=workers, forward=_forward, say=say)
    compare(loop, opened, workers=workers, forward=_forward, say=say)
    return str(build_loop_report(loop))


def run_step(loop: LoopFolder, number: int, step: str, opened: Opened, *, workers: int = 1) -> None:
    """Runs one step of a round. Nothing happens if the step has ended already.

    Raises:
        InputError: the step or round does not exist, an earlier step has not ended, or an earlier
            version began the loop.
        QuestloomError: the step was stopped; the same call continues the step.
    """
    rules = loop.recipe.evolve
    if step not in STEPS or not 1 <= number <= rules.rounds:
        raise InputError(
            f"--round {number} --step {step}",
            "is no step of this loop",
            f"Rounds go from 1 to {rules.rounds}; steps: {', '.join(STEPS)}.",
        )
    if not loop.round(number).done(step):
        loop.check_version()
    at = prepared(loop, number)
    if at.done(step):
        return
    for before in STEPS[: STEPS.index(step)]:
        at.read(before)  # raises an error if the step has not ended
    match step:
        case "forward":
            note_spent(loop, at, "before")
            forward(loop, at, opened, workers=workers)
        case "verify":
            verify(loop, at, opened, workers=workers)
        case "diagnose":
            diagnose(loop, at, opened)
        case "update":
            update(loop, at, opened)
        case "train":
            note_spent(loop, at, "after")
            train(loop, at, opened)


def prepared(loop: LoopFolder, number: int) -> RoundFolder:
    """A round with its recipe. The first round uses the loop's recipe. Each later round uses the
    recipe that the round before it wrote.

    Raises:
        InputError: the previous round has not ended.
    """
    at = loop.round(number)
    if not at.has_recipe:
        if number == 1:
            at.begin(loop.recipe, model="", parent=0)
        else:
            before = loop.round(number - 1)
            left = before.read("update")
            at.begin(
                recipe_of(left["next"], str(before.path / "update.json")),
                model=before.read("train")["model"],
                parent=left["parent"],
            )
    lines = "".join(
        f"questloom evolve --out {shlex.quote(str(loop.path))} --round {number} --step {step}\n"
        for step in STEPS
    )
    write_whole(at.path / "run.sh", f"#!/bin/sh\nset -e\n{lines}".encode())
    return at


def diagnose(loop: LoopFolder, at: RoundFolder, opened: Opened) -> None:
    """Diagnoses a round, which is the third step of the round. The diagnosis skips tasks that
    failed through a provider's faults.
    """
    rules = loop.recipe.evolve
    job = Job(at.batch, loop.store, at.as_run, opened)
    measured = MeasuredDiagnoser(
        Checks(job, policy_settings(loop.recipe, at.model).tools.tools), rules.tolerated, rules.mode
    )
    chosen: Diagnoser = (
        open_llm_diagnoser(measured, job, at.synth, mode=rules.mode)
        if rules.diagnoser == "llm"
        else measured
    )
    questions = {q.id: q for q in questions_of(at.batch)}
    rows = [row for row in read_rows(at) if row.tag is not Tag.INFRA_FAILURE]
    found = submit(chosen.diagnose(questions, rows)).result()
    at.write("diagnose", as_json(found, mode=rules.mode, least=rules.min_cases))


def _forward(loop: LoopFolder, at: RoundFolder, opened: Opened, workers: int) -> None:
    """Runs the first three steps of a round on fresh tasks."""
    if not at.done("diagnose"):
        loop.check_version()
    if not at.done("forward"):
        forward(loop, at, opened, workers=workers, held_out=True)
    if not at.done("verify"):
        verify(loop, at, opened, workers=workers)
    if not at.done("diagnose"):
        diagnose(loop, at, opened)
