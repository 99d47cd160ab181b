"""`questloom demo`: makes a world, its store, questions, episodes, the data set and the report with one command."""

import json
import sys
import time
from pathlib import Path

from questloom.agent.setup import opened_sandbox
from questloom.files.opened import Opened
from questloom.knowledge.world.write import write_world
from questloom.pipeline.commands.demo_end import Clock, example_text, places_text
from questloom.pipeline.export.run_end import finish_run
from questloom.pipeline.ingest.store_job import IngestOptions, run_ingest
from questloom.pipeline.recipe import Recipe, load_recipe
from questloom.pipeline.runners.forked_worker import CLIP, start_server, stop_server
from questloom.pipeline.runners.progress import say, staged
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.needed_tools import tools_of_run
from questloom.pipeline.synth.synth_job import needs_vectors, run_synth
from questloom.pipeline.teach.teach_job import recipe_for, run_teach
from questloom.records.errors import InputError

SNAPSHOT = "2026-01-01"
RECIPE, WITHOUT_PYTHON = "demo", "demo_without_python"


def run_demo(out: Path, *, articles: int, seed: int, workers: int, recipe_name: str = "") -> str:
    """Runs or resumes all steps under `out`. Returns the text for the user. `recipe_name` is a
    recipe as in `load_recipe`; "" lets the demo choose."""
    started, clock = time.time(), Clock()
    with Opened() as opened:
        recipe = choose_recipe(recipe_name, opened)
    if workers > 1 and needs_vectors(recipe):  # else ingest would start it without CLIP
        start_server(workers, [CLIP])
    world, store, run = out / "world", out / "store", out / "run"
    write_once(world, articles=articles, seed=seed, workers=workers)
    with staged("store") as progress:
        run_ingest(
            IngestOptions(
                store=str(store),
                articles=(str(world / "articles.xml.bz2"),),
                entities=(str(world / "entities.json.bz2"),),
                images=(str(world / "images"),),
                snapshot=SNAPSHOT,
                workers=workers,
            ),
            progress,
        )
    with Opened() as opened:
        job = Job.at(recipe, run=str(run), store=str(store), opened=opened)
        funnel = run_synth(recipe, store=str(store), out=str(run), opened=opened, workers=workers)
        taught = run_teach(
            recipe_for(str(run)), run=str(run), store=str(store), opened=opened, workers=workers
        )
        say("demo: writing the data set and the report")
        outcome = finish_run(job, funnel, started=started)
    stop_server()
    places = places_text(outcome.dataset, outcome.report, outcome.message)
    return "\n\n".join(
        part
        for part in (
            funnel.as_text(),
            taught.as_text(),
            example_text(job.run),
            places,
            clock.as_text(workers),
        )
        if part
    )


def write_once(
    world: Path, *, articles: int, seed: int, workers: int, learning: bool = False
) -> None:
    """Writes a fictional world, unless the folder has a complete one; then a line says that the
    command goes on. If the files were written again, their times would change, and the existing
    store would no longer match them."""
    facts = world / "world.json"
    asked = {
        "articles": articles,
        "seed": seed,
        "learning": learning,
        "gaps": 0,
        "with_pictures": True,
    }
    if facts.is_file() and asked.items() <= json.loads(facts.read_text(encoding="utf-8")).items():
        say(f"questloom: goes on from what is done in {world.parent}")
        return
    with staged("world") as progress:
        write_world(
            world,
            articles=articles,
            seed=seed,
            learning=learning,
            workers=workers,
            progress=progress,
        )


def choose_recipe(name: str, opened: Opened) -> Recipe:
    """Loads a recipe by its name. "" selects the demo's recipe, or its variant without the code
    tool if this machine cannot confine code. Stderr reports the choice.

    Raises:
        InputError: there is no such recipe, or the named recipe needs a tool that is unavailable
            here.
    """
    recipe = load_recipe(name or RECIPE)
    try:
        opened_sandbox(tools_of_run(recipe), opened)
    except InputError as error:
        if name:
            raise
        print(
            f"{error.where} {error.what}; so the demo runs the recipe {WITHOUT_PYTHON} instead.",
            file=sys.stderr,
        )
        return load_recipe(WITHOUT_PYTHON)
    return recipe
