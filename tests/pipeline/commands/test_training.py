"""`questloom train` hands through, `questloom plan sft|grpo` counts a run's rows; nothing of it costs torch before it is needed."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from typer.testing import CliRunner

from questloom.pipeline.cli import app
from questloom.pipeline.plan.train_forecast import lengths_of
from questloom.records.errors import InputError
from questloom.train.settings.grpo_settings import load_grpo_settings
from tests.train.sft_world import episodes_folder, trajectory

COUNTS = ["--rows", "100", "--tokens", "9000", "--labels", "900", "--pictures", "10"]


@pytest.fixture(scope="module")
def run(tmp_path_factory) -> Path:
    """Two kept trajectories for fine-tuning, one for reinforcement learning."""
    return episodes_folder(
        tmp_path_factory.mktemp("run"),
        [trajectory(0), trajectory(1, told=False), trajectory(2, "rl/train")],
    )


def invoked(*arguments: str):
    return CliRunner().invoke(app, list(arguments))


@pytest.mark.parametrize(
    "arguments",
    [["--help"], ["train", "--help"], ["plan", "sft", "--model", "qwen3-vl-8b", *COUNTS]],
)
def test_torch_is_not_imported_before_a_trainer_is(arguments):
    told = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "questloom.pipeline.cli", *arguments],
        capture_output=True,
        text=True,
        check=True,
    ).stderr
    assert "questloom.pipeline.commands.training" in told and not any(
        line.endswith((" torch", " transformers")) for line in told.splitlines()
    )


def test_help_says_how_to_launch_on_several_gpus():
    told = invoked("train", "--help").output
    assert (
        "torchrun --nproc_per_node 8 -m questloom.train.sft" in told
        and "accelerate launch" in told
        and "plan sft" in told
    )


def test_arguments_and_the_exit_code_are_the_trainers(tmp_path):
    refused = invoked(
        "train",
        "sft",
        "--config",
        "absent",
        "--data",
        "x",
        "--model",
        "m",
        "--out",
        str(tmp_path / "out"),
    )
    assert refused.exit_code == 2 and "no such settings" in refused.stderr
    assert invoked("train", "sft", "--nonsense").exit_code == 2


def test_a_forecast_from_counts_prints_its_formula_and_what_it_assumes():
    told = invoked("plan", "sft", "--model", "qwen3-vl-8b", "--gpus", "8", *COUNTS).output
    assert (
        "900,000 tokens × 5 epochs ÷ (" in told
        and "ASSUMED, 30% of a peak of 989" in told
        and "fits" in told
    )
    told = invoked(
        "plan", "sft", "--model", "qwen3-vl-8b", "--training-pace", "2000", *COUNTS
    ).output
    assert (
        "2,000 tokens a second and GPU, as measured" in told
        and "ASSUMED" not in told
        and "does NOT fit" in told
    )


def test_grpo_counts_rollouts_and_both_kinds_of_tokens():
    made = json.loads(
        invoked(
            "plan",
            "grpo",
            "--model",
            "qwen3-vl-8b",
            "--gpus",
            "8",
            "--set",
            "step.questions=4",
            "--set",
            "step.rollouts=2",
            "--set",
            "step.steps=3",
            "--training-pace",
            "1000",
            "--sampling-pace",
            "100",
            *COUNTS,
            "--json",
        ).output
    )
    assert (made["episodes"], made["update_tokens"], made["decode_tokens"]) == (8, 72_000, 7200)
    assert made["hours"] == pytest.approx(
        3 * (72_000 / 8000 + 7200 / 800 + made["read_seconds"]) / 3600
    )
    told = invoked("plan", "grpo", "--model", "qwen3-vl-8b", *COUNTS).output
    assert (
        told.startswith("grpo-vsearcher: ")
        and "32 questions × 8 = 256 a step" in told
        and told.count("ASSUMED") == 2
    )


@pytest.mark.parametrize(
    "preset", ["grpo-axpo", "grpo-ode", "grpo-opensearch_vl", "grpo-tiny", "grpo-vsearcher"]
)
def test_grpo_is_reckoned_by_what_the_trainer_would_run(preset):
    told = load_grpo_settings(preset)
    made = json.loads(
        invoked(
            "plan", "grpo", "--model", "qwen3-vl-8b", "--config", preset, *COUNTS, "--json"
        ).output
    )
    assert (made["steps"], made["episodes"]) == (
        told.step.steps,
        told.step.questions * told.step.rollouts,
    )
    assert made["update_tokens"] == made["episodes"] * min(9000, told.data.max_tokens)


def test_a_runs_rows_are_its_kept_trajectories_for_fine_tuning(run):
    rows = lengths_of(str(run), "teacher", only_sft=True, max_pixels=0)
    episodes = [trajectory(n)[0].episode for n in range(2)]
    assert [row.labels for row in rows] == [
        sum(len(turn.token_ids) for turn in episodes[0].turns),
        sum(round(len(turn.text) / 4) for turn in episodes[1].turns),
    ]
    assert all(
        len(row.pictures) == 2 and row.tokens > row.labels + sum(row.pictures) for row in rows
    )
    assert len(lengths_of(str(run), "teacher", only_sft=False, max_pixels=0)) == 3
    assert (
        json.loads(
            invoked("plan", "sft", "--run", str(run), "--model", "qwen3-vl-2b", "--json").output
        )["rows"]
        == 2
    )


def test_rows_that_were_played_under_the_short_prompt_are_reckoned_with_it(run, tmp_path):
    brief = shutil.copytree(run, tmp_path / "brief")
    prompt = brief / "episodes" / "teacher" / "prompt.json"
    prompt.write_text(json.dumps({**json.loads(prompt.read_text()), "brief": True}))
    whole, short = (
        [row.tokens for row in lengths_of(str(folder), "teacher", only_sft=True, max_pixels=0)]
        for folder in (run, brief)
    )
    assert all(less < more - 100 for less, more in zip(short, whole, strict=True))


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["plan"], "nothing to forecast"),
        (["plan", "sft", "--model", "qwen3-vl-8b"], "needs a run, or the counts"),
        (["plan", "sft", "--model", "absent", *COUNTS], "no model that is known here"),
        (
            ["plan", "grpo", "--model", "qwen3-vl-8b", "--config", "absent", *COUNTS],
            "no such settings",
        ),
        (
            ["plan", "grpo", "--model", "qwen3-vl-8b", "--set", "step.question=4", *COUNTS],
            "is unknown",
        ),
        (["plan", "sft", "--model", "qwen3-vl-8b", "--run", "absent"], "no kept trajectories"),
    ],
)
def test_what_is_missing_is_named(arguments, what, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    error = invoked(*arguments).exception
    assert isinstance(error, InputError) and what in error.what
