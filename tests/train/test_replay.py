"""An update run again from what was kept of it: bit for bit, and told where it comes out otherwise."""
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from train.replay import main as replay

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of two steps with AXPO, all of whose rows and checkpoints are there."""
    folder = tmp_path_factory.mktemp("kept")
    subprocess.run([sys.executable, "-m", "tests.train.grpo_world", str(folder), "prepare", "kept"], cwd=ROOT, check=True, timeout=900,
                   env={**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"})
    return folder / "kept"


def again(out: Path, update: int, capsys) -> tuple[int, str]:
    """Exit code and what was said."""
    code = replay([str(out), "--update", str(update)])
    told = capsys.readouterr()
    return code, told.out + told.err


@pytest.mark.parametrize("update", [1, 2])
def test_each_update_is_run_again_bit_for_bit(kept, update, capsys):
    code, said = again(kept, update, capsys)
    assert code == 0 and f"update {update} again" in said and "the weights are those of the checkpoint bit for bit" in said


def test_rows_with_another_advantage_come_out_otherwise_and_the_figures_are_told(kept, tmp_path, capsys):
    out = shutil.copytree(kept, tmp_path / "out")
    path = out / "replay" / "step-000001" / "rank-00000.pt"
    rows = torch.load(path, weights_only=True)
    rows[0]["advantage"] += 0.5
    torch.save(rows, path)
    code, said = again(out, 2, capsys)
    assert code == 1 and "update 2 comes out otherwise: loss was" in said and "the weights are not those of the checkpoint" in said


def test_steps_with_resampled_pieces_are_kept_with_their_weights(kept):
    rows = [row for path in sorted(kept.glob("replay/step-*/rank-00000.pt")) for row in torch.load(path, weights_only=True)]
    assert {round(row["weight"], 6) for row in rows} == {0.2, 1.0} and any(row["advantage"] < 0 for row in rows)
