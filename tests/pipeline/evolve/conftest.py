"""One forward step over a store of 160 articles, made once; each test copies it and goes on in its own way."""

import shutil
from pathlib import Path

import pytest

from questloom.pipeline.evolve.loop import begin_loop, run_step
from questloom.pipeline.evolve.loop_folder import LoopFolder
from tests.pipeline.evolve.skilled import rules, with_policy
from tests.pipeline.small_world import LEAN, small_recipe, small_store

SEEDS = {
    "count": 70,
    "per_entity": 2,
    "levels": {"easy": 1.0},
    "rare_min_statements": 4,
    "anchor_min_in_degree": 1,
}


@pytest.fixture(scope="session")
def middling(tmp_path_factory) -> str:
    """Path of a store of 160 fictional articles."""
    return small_store(tmp_path_factory.mktemp("loop_store"), articles=160)


@pytest.fixture(scope="session")
def forwarded(middling, tmp_path_factory) -> LoopFolder:
    """A loop whose first round has its tasks."""
    recipe = small_recipe(
        filters=LEAN, enhancement={"share": 0.0}, seeds=SEEDS, evolve=rules(tasks=8)
    )
    loop = begin_loop(str(tmp_path_factory.mktemp("loop") / "loop"), recipe, middling)
    with with_policy(loop.path, middling) as opened:
        run_step(loop, 1, "forward", opened)
    assert len(loop.round(1).read("forward")["tasks"]) == 8
    return loop


@pytest.fixture
def loop(forwarded, tmp_path) -> LoopFolder:
    """A copy of it."""
    shutil.copytree(forwarded.path, tmp_path / "loop")
    return LoopFolder(Path(tmp_path / "loop"))
