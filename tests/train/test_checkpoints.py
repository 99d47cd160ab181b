"""A checkpoint is whole or it is not there; what it holds comes back bit for bit."""

import errno
import json
import os
import random

import numpy as np
import pytest
import torch
from torch import nn

from questloom.train.run import checkpoints as module
from questloom.train.run.checkpoints import Checkpoints, DiskFull
from questloom.train.run.parallel import World

AT = World("single", 0, 1, torch.device("cpu"))


def made(seed: int = 0) -> tuple[nn.Module, torch.optim.Optimizer]:
    torch.manual_seed(seed)
    policy = nn.Sequential(nn.Linear(3, 4), nn.Dropout(), nn.Linear(4, 2))
    policy[0].weight.requires_grad_(False)
    return policy, torch.optim.AdamW([p for p in policy.parameters() if p.requires_grad], lr=0.1)


def steps(policy, optimiser, number: int) -> None:
    for _ in range(number):
        policy(torch.rand(2, 3)).sum().backward()
        optimiser.step()
        optimiser.zero_grad()


def test_weights_optimiser_and_chance_go_on_bit_for_bit(tmp_path):
    policy, optimiser = made()
    steps(policy, optimiser, 3)
    kept = Checkpoints(tmp_path, 2)
    kept.save(3, policy, optimiser, AT)
    steps(policy, optimiser, 3)
    drawn = torch.rand(2).tolist(), random.random(), np.random.rand()
    again, other = made()
    with torch.no_grad():
        again[2].weight.zero_()
    assert kept.newest() == 3 and kept.load(3, again, other, AT)
    steps(again, other, 3)
    assert all(
        torch.equal(a, b)
        for a, b in zip(policy.state_dict().values(), again.state_dict().values(), strict=True)
    )
    assert (torch.rand(2).tolist(), random.random(), np.random.rand()) == drawn


def test_frozen_weights_are_not_kept(tmp_path):
    policy, optimiser = made()
    steps(policy, optimiser, 1)
    Checkpoints(tmp_path, 2).save(1, policy, optimiser, AT)
    other, numbers = made(seed=1)
    before = other[0].weight.clone()
    Checkpoints(tmp_path, 2).load(1, other, numbers, AT)
    assert torch.equal(other[0].weight, before) and torch.equal(other[2].weight, policy[2].weight)


def test_the_newest_stay(tmp_path):
    policy, optimiser = made()
    steps(policy, optimiser, 1)
    for update in (8, 9, 10, 11):
        Checkpoints(tmp_path, 2).save(update, policy, optimiser, AT)
    assert (
        sorted(p.name for p in tmp_path.iterdir()) == ["update-000010", "update-000011"]
        and Checkpoints(tmp_path, 2).newest() == 11
    )


@pytest.mark.parametrize("where", ["weights", "random", "state"])
def test_a_full_disk_is_named_and_leaves_what_was_there(tmp_path, monkeypatch, where):
    policy, optimiser = made()
    steps(policy, optimiser, 1)
    kept = Checkpoints(tmp_path, 2)
    kept.save(1, policy, optimiser, AT)
    full = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def refuse(*_, **__):
        raise full

    if where == "weights":
        monkeypatch.setattr(torch.distributed.checkpoint.filesystem.os, "fsync", refuse)
    elif where == "random":
        monkeypatch.setattr(module, "_write_random", lambda path: full)
    else:
        monkeypatch.setattr(module, "_sync", refuse)
    with pytest.raises(
        DiskFull,
        match=r"the disk is full: a checkpoint of about .* What was there before is untouched",
    ):
        kept.save(2, policy, optimiser, AT)
    monkeypatch.undo()
    assert [p.name for p in tmp_path.iterdir()] == ["update-000001"] and kept.load(1, *made(), AT)


def test_another_fault_of_the_disk_is_not_called_full(tmp_path, monkeypatch):
    policy, optimiser = made()
    steps(policy, optimiser, 1)
    monkeypatch.setattr(
        module, "_write_random", lambda path: OSError(errno.EIO, os.strerror(errno.EIO))
    )
    with pytest.raises(OSError, match="Input/output"):
        Checkpoints(tmp_path, 2).save(2, policy, optimiser, AT)
    assert not list(tmp_path.iterdir())


def test_what_a_kill_left_half_written_is_no_checkpoint(tmp_path):
    policy, optimiser = made()
    steps(policy, optimiser, 1)
    (tmp_path / ".update-000005.part").mkdir()
    (tmp_path / "update-000004").mkdir()
    kept = Checkpoints(tmp_path, 2)
    assert kept.newest() is None
    kept.save(5, policy, optimiser, AT)
    assert kept.newest() == 5 and not (tmp_path / ".update-000005.part").exists()


def test_another_number_of_ranks_is_told(tmp_path):
    policy, optimiser = made()
    steps(policy, optimiser, 1)
    kept = Checkpoints(tmp_path, 2)
    kept.save(1, policy, optimiser, AT)
    path = tmp_path / "update-000001" / "state.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"ranks": 2}))
    assert not kept.load(1, *made(), AT)
