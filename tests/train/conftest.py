"""Runs of GRPO, made once for all processes; tests only read them."""

from pathlib import Path

import pytest

from tests.made_once import made_once
from tests.train.grpo_runs import made

RUNS = "prepare unbroken broken stopped ddp replayed rich kept served faults"


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made_once(tmp_path_factory, "grpo", lambda folder: made(folder, RUNS))
