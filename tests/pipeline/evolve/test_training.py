"""The trainer's command, and when there is none."""
from pathlib import Path

import pytest

from files.opened import Opened
from pipeline.evolve.loop import run_step
from pipeline.evolve.training import command, train
from records.errors import InputError
from tests.pipeline.evolve.made import a_loop, a_round
from tests.pipeline.evolve.skilled import POLICY

GRPO = {"trainer": "grpo", "config": "grpo-tiny", "set": ["step.steps=2"]}


def test_the_command_of_grpo_takes_the_sound_tasks_the_store_and_the_newest_model(tmp_path):
    loop = a_loop(tmp_path, train=GRPO)
    first, second = a_round(loop, 1), a_round(loop, 2, model="/new")
    made = command(loop, first, Path("/o"), num_tasks=8)
    assert made[1:] == ["-m", "train.grpo", "--config", "grpo-tiny", "--questions", first.data.path, "--store", "/store", "--model", "skilled", "--out", "/o",
                        "--set", f"seed={loop.seed_of('round 1')}", "--set", "step.steps=2",
                        "--set", "step.questions=8"], "a step takes no more tasks than there are"
    made = command(loop, second, Path("/o"), num_tasks=12)
    assert made[made.index("--model") + 1] == "/new" and f"seed={loop.seed_of('round 2')}" in made and made[-1] == "step.steps=2"


def test_what_learns_from_the_teacher_is_no_player_and_must_be_named(tmp_path):
    taught = {"mode": "sft", "train": {"trainer": "sft", "config": "tiny"}}
    loop = a_loop(tmp_path / "a", **taught)
    with pytest.raises(InputError, match=r"evolve\.train"):
        command(loop, a_round(loop, 1), Path("/o"), num_tasks=8)
    named = a_loop(tmp_path / "b", **{**taught, "train": {**taught["train"], "model": "/small"}})
    made = command(named, a_round(named, 1), Path("/o"), num_tasks=8)
    assert made[made.index("--model") + 1] == "/small", "though the oracle plays"


def test_sft_learns_from_the_data_and_a_launcher_stands_before_the_module(tmp_path):
    loop = a_loop(tmp_path, train={"trainer": "sft", "config": "tiny", "launcher": ["torchrun", "--nproc_per_node", "2"]})
    at = a_round(loop, 1)
    made = command(loop, at, Path("/o"), num_tasks=8)
    assert made[:5] == ["torchrun", "--nproc_per_node", "2", "-m", "train.sft"] and made[made.index("--data") + 1] == at.data.path


@pytest.mark.parametrize("policy", [{"engine": "oracle"}, {**POLICY, "model": ""}])
def test_what_cannot_be_trained_is_refused(tmp_path, policy):
    loop = a_loop(tmp_path, train=GRPO, policy=policy)
    with pytest.raises(InputError, match=r"evolve\.train"):
        command(loop, a_round(loop, 1), Path("/o"), num_tasks=8)


def test_a_round_without_sound_tasks_trains_nothing_and_keeps_the_model(tmp_path):
    loop = a_loop(tmp_path, train=GRPO)
    at = a_round(loop, 1, model="/old", tags=("infra_failure",) * 6 + ("fake_hard",) * 2)
    train(loop, at, Opened())
    assert at.read("train") == {"command": [], "model": "/old", "tasks": 0, "why": "too few sound tasks"}


def test_a_step_whose_predecessor_has_not_ended_is_refused(tmp_path):
    with pytest.raises(InputError, match="the step forward has not ended there"):
        run_step(a_loop(tmp_path), 1, "verify", Opened())
