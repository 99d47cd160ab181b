"""What tests of this folder start from: a small store and a small finished run, each made once for all processes."""

import os
from pathlib import Path

import pytest

from questloom.pipeline.ingest.store_vectors import embed_store
from questloom.pipeline.synth.job import Job
from questloom.transforms.stages.run_folder import RunFolder
from tests.made_once import made_once
from tests.pipeline.export import finished_run
from tests.pipeline.small_world import lean_recipe, lean_run, small_recipe, small_store


def _with_vectors(folder: Path) -> None:
    """Vectors come with it, for tests in two processes read it."""
    embed_store(small_store(folder), small_recipe().models.clip)


@pytest.fixture(scope="session")
def small(tmp_path_factory) -> str:
    """Path of a store of 80 fictional articles. Nothing may be written into it. `benchmarks/mutants.py` makes it once for many runs."""
    given = os.environ.get("QUESTLOOM_SMALL_STORE")
    return given or str(made_once(tmp_path_factory, "small", _with_vectors) / "store")


@pytest.fixture(scope="session")
def lean(small, tmp_path_factory) -> Job:
    """A finished run over the small store without the filters that search, ask or read. Nothing may be written into its folder."""
    seeds = 140
    made = made_once(tmp_path_factory, "lean", lambda at: lean_run(small, at / "run", seeds=seeds))
    return Job(RunFolder(str(made / "run")), small, lean_recipe(seeds))


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A folder with a small store and a finished run without a data set."""
    folder = tmp_path_factory.mktemp("finished")
    finished_run.write_store(folder / "store")
    finished_run.write_run(folder / "run", finished_run.recipe())
    return folder
