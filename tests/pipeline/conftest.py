"""What tests of this folder start from: a small store and a small finished run, each made once."""
import os

import pytest

from tests.pipeline.export import finished_run
from tests.pipeline.small_world import small_store


@pytest.fixture(scope="session")
def small(tmp_path_factory) -> str:
    """Path of a store of 80 fictional articles. Its vectors may be written; nothing else. `benchmarks/mutants.py` makes it once for many runs."""
    return os.environ.get("QUESTLOOM_SMALL_STORE") or small_store(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    """A folder with a small store and a finished run without a data set."""
    folder = tmp_path_factory.mktemp("finished")
    finished_run.write_store(folder / "store")
    finished_run.write_run(folder / "run", finished_run.recipe())
    return folder
