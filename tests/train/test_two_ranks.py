"""Two ranks with unequal rows give the gradient of one rank, by DDP and by FSDP2, and neither waits for the other forever."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from tests.agent import tiny
from tests.train.two_ranks import DEALT, OBJECTIVES
from tests.train.update import difference, gradient, lessons_of, rows_of_unequal_length


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, torch.Tensor]]:
    """The gradients of two processes."""
    folder = tmp_path_factory.mktemp("ranks")
    ran = subprocess.run(
        [sys.executable, "-m", "tests.train.two_ranks", str(folder)],
        env={**os.environ, "OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=240,
        cwd=Path(__file__).parents[2],
    )
    assert ran.returncode == 0, ran.stderr[-4000:]
    return torch.load(folder / "gradients.pt")


@pytest.fixture(scope="module")
def alone() -> dict[str, dict[str, torch.Tensor]]:
    """The gradients of one process with all rows."""
    taught = lessons_of(rows_of_unequal_length())
    return {
        name: gradient(tiny.model(), [[each] for each in taught], objective)
        for name, objective in OBJECTIVES.items()
    }


@pytest.mark.parametrize("deal", DEALT)
@pytest.mark.parametrize("way", [*(f"ddp {name}" for name in OBJECTIVES), "fsdp trajectory"])
def test_two_ranks_have_the_gradient_of_one(together, alone, deal, way):
    kind, name = way.split()
    assert difference(alone[name], together[f"{kind} {deal} {name}"]) < 3e-6
