"""The benchmark against TRL does the same work on both sides and runs from end to end; what it measures is no test."""

import dataclasses
from pathlib import Path

import pytest
import torch

from benchmarks import train_vs_trl
from benchmarks.train_vs_trl import Setting, duel, main, write_model
from benchmarks.trajectory_shapes import read_shapes, shape_of
from tests.train.sft_world import trajectory


@pytest.fixture(scope="module")
def setting(tmp_path_factory) -> Setting:
    folder = tmp_path_factory.mktemp("model")
    write_model(folder, "tiny", 0)
    return Setting(
        folder=folder,
        rows=2,
        max_tokens=4096,
        scale=64,
        max_pixels=64 * 64,
        checkpointing=False,
        device=torch.device("cpu"),
    )


@pytest.mark.parametrize(("task", "batch"), [("sft", 1), ("grpo", 2)])
def test_both_make_the_same_gradient_of_the_same_rows(setting, task, batch):
    found = duel(setting, task, batch, 1)
    assert found["gradients_apart"] < 1e-5 and found["losses"][0] == pytest.approx(
        found["losses"][1], rel=1e-4, abs=1e-6
    )
    assert len(found["ours"]) == len(found["trl"]) == 2 and found["tokens"] == sum(
        map(len, setting.made()[0])
    )


def test_so_do_both_with_activation_checkpointing(setting):
    assert (
        duel(dataclasses.replace(setting, checkpointing=True), "grpo", 1, 1)["gradients_apart"]
        < 1e-5
    )


@pytest.mark.slow
def test_a_run_prints_both_ratios(capsys):
    assert (
        main(
            [
                "--vocabulary",
                "0",
                "--tasks",
                "sft",
                "--rows",
                "2",
                "--scale",
                "64",
                "--batches",
                "1",
                "--repeats",
                "1",
            ]
        )
        == 0
    )
    told = capsys.readouterr().out
    assert "times its tokens/s" in told and "of its peak memory" in told


def test_without_a_gpu_it_says_so(capsys):
    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    assert main(["--device", "cuda", "--model", "qwen3-vl-2b"]) == 2
    assert "no GPU here" in capsys.readouterr().err


def test_the_stored_lengths_are_of_trajectories_with_pictures_from_tools():
    shapes = read_shapes()
    assert len(shapes) == 115 and all(
        len(shape.said) == len(shape.observed) == len(shape.shown) - 1 for shape in shapes
    )
    assert all(sum(shape.shown) == len(shape.sizes) for shape in shapes) and any(
        sum(shape.shown[1:]) for shape in shapes
    )


def test_a_shape_has_an_episodes_lengths():
    episode = trajectory(0)[0].episode
    shape = shape_of(episode, "x" * 10)
    assert (
        shape.opening == 10 + len(episode.question)
        and shape.shown == (1, 1, 0, 0)
        and shape.sizes == ((96, 64), (96, 64))
    )


def test_nothing_of_it_is_imported_by_the_house():
    root = Path(train_vs_trl.__file__).parents[1]
    assert not any(
        "benchmarks.train" in path.read_text()
        for folder in ("train", "pipeline")
        for path in (root / folder).rglob("*.py")
    )
