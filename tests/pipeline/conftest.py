"""What tests of this folder start from: a small store and a small finished run, each made once."""

import os

import pytest

from questloom.pipeline.synth.job import Job
from tests.pipeline.export import finished_run
from tests.pipeline.small_world import lean_run, small_store


@pytest.fixture(scope="session")
def small(tmp_path_factory) -> str:
    """Path of a store of 80 fictional articles. Its vectors may be written; nothing else. `benchmarks/mutants.py` makes it once for many runs."""
    return os.environ.get("QUESTLOOM_SMALL_STORE") or small_store(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="session")
def lean(small, tmp_path_factory) -> Job:
    """A finished run over the small store without the filters that search, ask or read. Nothing may be written into its folder."""
    return lean_run(small, tmp_path_factory.mktemp("lean") / "run", seeds=140)


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A folder with a small store and a finished run without a data set."""
    folder = tmp_path_factory.mktemp("finished")
    finished_run.write_store(folder / "store")
    finished_run.write_run(folder / "run", finished_run.recipe())
    return folder
