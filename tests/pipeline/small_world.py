"""A small fictional world, its store, and a run over it: what tests of plan, recheck and outside rows start from."""

from pathlib import Path

from questloom.files.opened import Opened
from questloom.knowledge.world.write import write_world
from questloom.pipeline.ingest.store_job import IngestOptions, run_ingest
from questloom.pipeline.recipe import Recipe, recipe_of
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.synth_job import run_synth
from questloom.records.synthesis import Question
from questloom.transforms.stages.run_folder import RunFolder
from tests.agent.tools.calling import WITHOUT_PYTHON
from tests.run_files import read_stage

SETTINGS = {
    "name": "small",
    "seed": 3,
    "seeds": {"count": 24, "rare_min_statements": 6, "anchor_min_in_degree": 1},
    "draft": {"rounds": {"easy": 1, "medium": 2, "hard": 3}},
    "pictures": {"min_side": 200},
    "grounding": {"mode": "none"},
    "run": {"shards": 2},
    "teach": {"tools": {"tools": WITHOUT_PYTHON}},
    "certificate": {"max_guess": 0.5},
}
"""Among eighty things the words often leave two answers open, and no more."""
LEAN = {
    "text_search": False,
    "image_search": False,
    "text_only": False,
    "no_tools": False,
    "solvable": False,
    "visible_text": False,
    "oracle_tools": WITHOUT_PYTHON,
}


def small_recipe(**changes) -> Recipe:
    """A recipe for the small store, which every machine can run; `changes` replace whole parts."""
    return recipe_of({**SETTINGS, **changes}, "test")


def lean_recipe(seeds: int) -> Recipe:
    return small_recipe(
        filters=LEAN, seeds={"count": seeds, "rare_min_statements": 4, "anchor_min_in_degree": 1}
    )


def lean_run(store: str, out: Path, *, seeds: int) -> Job:
    """A finished run over the small store without the filters that search, ask or read."""
    recipe = lean_recipe(seeds)
    run_synth(recipe, store=store, out=str(out), opened=Opened())
    return Job(RunFolder(str(out)), store, recipe)


def kept_questions(job: Job) -> list[Question]:
    """The kept questions of a run, by shard."""
    return list(read_stage(job.run, "split", "kept", Question))


def small_store(folder: Path, *, articles: int = 80, seed: int = 11, gaps: int = 0) -> str:
    """Writes a world and ingests it; the same seed and number of articles give the same world, whatever its gaps."""
    write_world(folder / "world", articles=articles, seed=seed, gaps=gaps)
    run_ingest(
        IngestOptions(
            store=str(folder / "store"),
            articles=(str(folder / "world/articles.xml.bz2"),),
            snapshot="2026-01-01",
            entities=(str(folder / "world/entities.json.bz2"),),
            images=(str(folder / "world/images"),),
        )
    )
    return str(folder / "store")
