"""An update run again from what was kept of it: bit for bit, and told where it comes out otherwise."""

import json
import shutil
from pathlib import Path

import pytest
import torch

from questloom.train.grpo.replay import main as replay


@pytest.fixture
def kept(runs: Path) -> Path:
    """A run of two steps with AXPO, all of whose rows and checkpoints are there."""
    return runs / "kept"


def again(out: Path, update: int, capsys) -> tuple[int, str]:
    """Exit code and what was said."""
    code = replay([str(out), "--update", str(update)])
    told = capsys.readouterr()
    return code, told.out + told.err


@pytest.mark.parametrize("update", [1, 2])
def test_each_update_is_run_again_bit_for_bit(kept, update, capsys):
    code, said = again(kept, update, capsys)
    assert (
        code == 0
        and f"update {update} again" in said
        and "the weights are those of the checkpoint bit for bit" in said
    )


def test_rows_with_another_advantage_come_out_otherwise_and_the_figures_are_told(
    kept, tmp_path, capsys
):
    out = shutil.copytree(kept, tmp_path / "out")
    path = out / "replay" / "step-000001" / "rank-00000.pt"
    share = torch.load(path, weights_only=True)
    share["taught"][0]["advantage"] += 0.5
    torch.save(share, path)
    code, said = again(out, 2, capsys)
    assert (
        code == 1
        and "update 2 comes out otherwise: loss was" in said
        and "the weights are not those of the checkpoint" in said
    )


def test_what_the_loss_is_divided_by_is_kept_with_a_steps_rows(kept, tmp_path, capsys):
    """The first step has groups without variance, which stand in no row."""
    out = shutil.copytree(kept, tmp_path / "out")
    path = out / "replay" / "step-000000" / "rank-00000.pt"
    share = torch.load(path, weights_only=True)
    assert len(share["counted"]) == 14 and len(share["taught"]) == 6
    torch.save({**share, "counted": []}, path)
    code, said = again(out, 1, capsys)
    assert code == 1 and "update 1 comes out otherwise: loss was" in said


def rewritten(out: Path, update: int, *lines: dict) -> None:
    """Puts other figures in the place of an update's."""
    path = out / "metrics.jsonl"
    others = [
        line for line in path.read_text().splitlines() if json.loads(line)["update"] != update
    ]
    path.write_text("\n".join([*others, *map(json.dumps, lines)]) + "\n")


def test_an_update_that_had_nothing_to_learn_from_is_run_again_too(kept, tmp_path, capsys):
    out = shutil.copytree(kept, tmp_path / "out")
    torch.save(
        {"taught": [], "counted": [(0, {"weight": 1.0, "tokens": 9})]},
        out / "replay" / "step-000001" / "rank-00000.pt",
    )
    shutil.rmtree(out / "checkpoints" / "update-000002")
    rewritten(
        out,
        2,
        {
            "update": 2,
            "loss": 0.0,
            "lr": 0.0,
            "grad_norm": 0.0,
            "rows": 0.0,
            "labels": 0.0,
            "skipped": 1.0,
        },
    )
    code, said = again(out, 2, capsys)
    assert code == 0 and "update 2 again, after update 1: loss 0.0" in said


def test_an_update_that_a_kill_left_unmade_is_refused(kept, tmp_path, capsys):
    out = shutil.copytree(kept, tmp_path / "out")
    rewritten(out, 2)
    with open(out / "metrics.jsonl", "a") as cut:
        cut.write('{"update": 2, "lo')
    code, said = again(out, 2, capsys)
    assert code == 2 and "--update 2: was played and not yet made" in said


def test_steps_with_resampled_pieces_are_kept_with_their_weights(kept):
    rows = [
        row
        for path in sorted(kept.glob("replay/step-*/rank-00000.pt"))
        for row in torch.load(path, weights_only=True)["taught"]
    ]
    assert {round(row["weight"], 6) for row in rows} == {0.2, 1.0} and any(
        row["advantage"] < 0 for row in rows
    )
