"""Supervised fine-tuning as it is called: it learns, goes on where it was killed, adds up over ranks, and refuses what is wrong before it works."""

import asyncio
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file
from transformers import AutoModelForImageTextToText

from questloom.agent.engines.transformers_engine import TransformersEngine
from questloom.agent.turns.conversation import Conversation
from questloom.agent.turns.token_renderer import TokenRenderer
from questloom.models.messages import Picture, user
from questloom.train.model.weights import load_model, load_processor, vision_parameters
from questloom.train.settings.training_settings import load_settings
from questloom.train.sft.command import main, sft
from tests.agent import tiny
from tests.train.sft_world import (
    FAST,
    dialogue,
    dialogue_file,
    episodes_folder,
    model_folder,
    some_dialogues,
    trajectory,
)

ROOT = Path(__file__).parents[2]


def weights(folder: Path, name: str = "model") -> dict[str, torch.Tensor]:
    return load_file(folder / name / f"{'adapter_' * (name == 'adapter')}model.safetensors")


def figures(folder: Path) -> list[dict[str, float]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def losses(folder: Path) -> list[float]:
    return [line["loss"] for line in figures(folder) if "loss" in line]


def made(folder: Path, names: str) -> Path:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.train.sft_world", str(folder), *names.split()],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"},
    )
    assert ran.returncode == 0, ran.stderr[-5000:]
    codes = json.loads((folder / "codes.json").read_text())
    assert all(set(each) == {0} for each in codes.values()), (codes, ran.stderr[-5000:])
    return folder


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Runs in processes of their own, all of the same six updates."""
    return made(tmp_path_factory.mktemp("runs"), "unbroken broken ddp handed_over stopped")


@pytest.fixture(scope="module")
def begun(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model and dialogues."""
    folder = tmp_path_factory.mktemp("begun")
    model_folder(folder / "model")
    dialogue_file(folder, some_dialogues())
    return folder


def run(folder: Path, out: str, *overrides: str, data: str = "dialogues.json") -> Path:
    more = [text for text in FAST if text != "--set"]
    sft(
        load_settings("tiny", [*more, "batch.epochs=1", *overrides]),
        data=[str(folder / data)],
        model=str(folder / "model"),
        out=folder / out,
    )
    return folder / out


# Runs that must be the same


def test_a_run_learns_and_tells_what_it_does(runs):
    out = runs / "unbroken"
    found = figures(out)
    assert losses(out)[-1] < 0.7 * losses(out)[0]
    held = [line["validation_loss"] for line in found if "validation_loss" in line]
    assert len(held) == 4 and held[-1] < 0.8 * held[0]
    updates = [line for line in found if "loss" in line]
    assert [line["update"] for line in updates] == list(range(1, 7)) and [
        line["rows"] for line in updates
    ] == [4, 3] * 3
    assert all(
        line[name] > 0
        for line in updates
        for name in ("tokens_per_second", "peak_memory_gb", "lr", "grad_norm", "tokens", "labels")
    )
    assert (out / "curves.png").read_bytes().startswith(b"\x89PNG")
    told = json.loads((out / "result.json").read_text())
    assert (
        told["rows"]["read"] == 9
        and told["rows"]["train"] == 7
        and told["rows"]["validation"] == 2
        and told["updates"] == 6
    )
    assert sum(line["tokens"] for line in updates) == 3 * (
        told["rows"]["tokens"] - _validation_tokens(out)
    )


def _validation_tokens(out: Path) -> int:
    survey = json.loads((out / "rows" / "survey.json").read_text())
    return sum(each["tokens"] for each in survey["used"] if each["split"] == "validation")


def test_killed_and_gone_on_with_is_the_unbroken_run_bit_for_bit(runs):
    whole, broken = weights(runs / "unbroken"), weights(runs / "broken")
    assert (
        all(torch.equal(whole[name], broken[name]) for name in whole)
        and whole.keys() == broken.keys()
    )
    assert [line["update"] for line in figures(runs / "broken") if "loss" in line] == list(
        range(1, 7)
    )
    assert losses(runs / "broken") == losses(runs / "unbroken")


@pytest.mark.parametrize("out", ["stopped", pytest.param("stopped_ddp", marks=pytest.mark.slow)])
def test_sigterm_writes_a_checkpoint_of_the_update_that_was_under_way_and_the_run_goes_on_from_it(
    runs, out
):
    """In a run that is shorter than `keep.checkpoint_every`; with two ranks one alone is asked, and both stop."""
    if out == "stopped_ddp":
        made(runs, out)
    whole, again = weights(runs / ("unbroken" if out == "stopped" else "ddp")), weights(runs / out)
    assert all(torch.equal(whole[name], again[name]) for name in whole)
    assert sorted(path.name for path in (runs / out / "checkpoints").iterdir()) == [
        "update-000003",
        "update-000006",
    ]
    assert [line["update"] for line in figures(runs / out) if "loss" in line] == list(
        range(1, 7)
    ), "no update was made twice"


def test_two_ranks_train_as_one_does(runs):
    one, two = weights(runs / "unbroken"), weights(runs / "ddp")
    assert max((one[name] - two[name]).abs().max() for name in one) < 1e-5
    assert json.loads((runs / "ddp" / "result.json").read_text())["ranks"] == 2
    assert losses(runs / "ddp") == pytest.approx(losses(runs / "unbroken"), rel=1e-5)


def test_two_sharded_ranks_checkpoint_is_read_by_one_which_ends_as_one_does(runs):
    one, two = weights(runs / "unbroken"), weights(runs / "handed_over")
    assert max((one[name] - two[name]).abs().max() for name in one) < 1e-5
    assert json.loads((runs / "handed_over" / "result.json").read_text())["ranks"] == 1
    assert losses(runs / "handed_over") == pytest.approx(losses(runs / "unbroken"), rel=1e-5)


def test_the_exported_model_plays(runs):
    folder = runs / "unbroken" / "model"
    model = AutoModelForImageTextToText.from_pretrained(folder, dtype="auto").eval()
    processor = load_processor(str(folder))
    engine = TransformersEngine(model, TokenRenderer(processor), model_name="sft")
    begun = Conversation(
        task_id="t", rollout=0, opening=(user(Picture(tiny.picture(0)), "Who built tower 0?"),)
    )
    assert asyncio.run(engine.step(begun, max_new_tokens=3)).num_new_tokens > 0
    engine.close()
    assert processor.image_processor.size["longest_edge"] == 128 * 128
    assert (model.lm_head.weight - tiny.model().lm_head.weight).abs().max() > 1e-3


@pytest.mark.slow
def test_a_tied_head_is_trained_by_sharded_ranks_as_by_one(tmp_path):
    made(tmp_path, "tied tied_fsdp")
    one, two, base = (
        weights(tmp_path / "tied"),
        weights(tmp_path / "tied_fsdp"),
        weights(tmp_path, "model_tied"),
    )
    assert "lm_head.weight" not in one and one.keys() == two.keys(), "one matrix, written once"
    assert max((one[name] - two[name]).abs().max() for name in one) < 1e-5
    embedding = "model.language_model.embed_tokens.weight"
    assert (one[embedding] - base[embedding]).abs().max() > 1e-3


@pytest.mark.slow
def test_sharded_ranks_train_in_bf16_with_activation_checkpointing_and_with_adapters(tmp_path):
    made(tmp_path, "unbroken fsdp fsdp_bf16 fsdp_lora")
    one, two = weights(tmp_path / "unbroken"), weights(tmp_path / "fsdp")
    assert max((one[name] - two[name]).abs().max() for name in one) < 1e-5
    assert losses(tmp_path / "fsdp_bf16") == pytest.approx(losses(tmp_path / "unbroken"), rel=0.01)
    assert all(
        tensor.dtype == torch.bfloat16 for tensor in weights(tmp_path / "fsdp_bf16").values()
    )
    assert losses(tmp_path / "fsdp_lora")[-1] < 0.7 * losses(tmp_path / "fsdp_lora")[0]
    base = weights(tmp_path, "model_bf16")
    changed = {
        name
        for name, tensor in weights(tmp_path / "fsdp_lora").items()
        if not torch.equal(tensor, base[name])
    }
    assert changed and all(
        name.endswith("weight")
        and "norm" not in name
        and "embed" not in name
        and "lm_head" not in name
        for name in changed
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("launcher", "size"),
    [
        (("torch.distributed.run", "--standalone", "--nproc_per_node", "2"), 2),
        (("accelerate.commands.launch", "--cpu", "--num_processes", "1"), 1),
    ],
    ids=["torchrun", "accelerate"],
)
def test_the_launchers_start_ranks_that_train_as_one_does(begun, tmp_path, launcher, size):
    """accelerate starts several processes on a CPU by mpirun only."""
    more = [part for text in FAST if text != "--set" for part in ("--set", text)]
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            *launcher,
            "-m",
            "questloom.train.sft",
            "--config",
            "tiny",
            "--data",
            str(begun / "dialogues.json"),
            "--model",
            str(begun / "model"),
            "--out",
            str(tmp_path / "out"),
            *more,
            "--set",
            "batch.epochs=1",
            "--set",
            f"parallel.processes={size}",
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    one, two = weights(run(begun, f"beside_{size}")), weights(tmp_path / "out")
    assert max((one[name] - two[name]).abs().max() for name in one) < 1e-5


# What is trained


def test_adapters_are_trained_alone_and_are_merged_into_what_is_exported(begun):
    out = run(begun, "lora", "weights.lora.rank=4")
    base, merged, adapters = weights(begun), weights(out), weights(out, "adapter")
    assert all("lora_" in name for name in adapters) and not any(
        "lm_head" in name for name in adapters
    )
    changed = {name for name in base if not torch.equal(base[name], merged[name])}
    assert {name.removesuffix(".weight") for name in changed} == {
        name.removeprefix("base_model.model.").split(".lora_")[0]
        for name in adapters
        if name.endswith("lora_B.weight")
    }
    name = "model.language_model.layers.0.mlp.up_proj"
    a, b = (adapters[f"base_model.model.{name}.lora_{part}.weight"] for part in "AB")
    assert torch.allclose(merged[f"{name}.weight"], base[f"{name}.weight"] + 2 * b @ a, atol=1e-5)


def test_only_what_is_not_frozen_is_trained(begun):
    out = run(begun, "frozen", "weights.freeze_vision=true")
    base, now = weights(begun), weights(out)
    changed = {name for name in base if not torch.equal(base[name], now[name])}
    assert changed == {name for name in base if "visual" not in name or "merger" in name}
    both = load_model(
        str(begun / "model"), load_settings("vsearcher", ["weights.precision=fp32"]).weights, 0
    ).model
    assert (
        not any(p.requires_grad for p in vision_parameters(both).values())
        and both.lm_head.weight.requires_grad
    )


def test_activation_checkpointing_changes_nothing_and_bf16_little(begun):
    plain = losses(run(begun, "plain"))
    assert losses(run(begun, "again", "weights.activation_checkpointing=true")) == pytest.approx(
        plain, rel=1e-6
    )
    assert losses(run(begun, "bf16", "weights.precision=bf16")) == pytest.approx(plain, rel=0.01)
    assert losses(run(begun, "small", "batch.micro_tokens=400")) == pytest.approx(plain, rel=1e-6)
    assert losses(run(begun, "large", "batch.micro_tokens=4000")) == pytest.approx(plain, rel=1e-6)


def test_a_changed_picture_changes_the_loss(begun, tmp_path):
    rows = some_dialogues()[:4]
    for name in ("before", "after"):
        dialogue_file(tmp_path / name, rows)
    (tmp_path / "after" / "pictures" / "3.png").write_bytes(
        tiny.picture(77)
    )  # what a tool brought in row 1
    first = [
        losses(run_on(begun, tmp_path / name / "dialogues.json", tmp_path / f"{name}_out"))[0]
        for name in ("before", "after")
    ]
    assert abs(first[0] - first[1]) > 1e-4


def run_on(begun: Path, data: Path, out: Path) -> Path:
    sft(
        load_settings("tiny", ["data.max_tokens=2500", "batch.epochs=1"]),
        data=[str(data)],
        model=str(begun / "model"),
        out=out,
    )
    return out


def test_stored_episodes_are_trained_on_and_measured_on_by_their_split(begun, tmp_path):
    run_folder = episodes_folder(
        tmp_path / "run",
        [
            trajectory(0, num_turns=2),
            trajectory(1, "sft/validation", num_turns=2),
            trajectory(2, "rl/train"),
        ],
    )
    out = run_on(begun, run_folder, tmp_path / "out")
    told = json.loads((out / "result.json").read_text())["rows"]
    assert (told["read"], told["train"], told["validation"], told["left_out"], told["ids"]) == (
        3,
        1,
        1,
        {"other_split": 1},
        {"sampled": 2},
    )
    assert sum("validation_loss" in line for line in figures(out)) == 2


# What is refused


def refused(capsys, *arguments: str) -> str:
    assert main(arguments) == 2
    return capsys.readouterr().err


def test_wrong_input_is_refused_before_work_starts(begun, tmp_path, capsys):
    data, model = str(begun / "dialogues.json"), str(begun / "model")
    (tmp_path / "no_model").mkdir()
    dialogue_file(tmp_path, [{"conversations": [], "images": []}], "nothing.json")
    dialogue_file(tmp_path, [dialogue(0)], "one.json")
    dialogue_file(tmp_path, [dialogue(1), dialogue(0)], "same.json")
    bad_template = model_folder(tmp_path / "bad_template")
    (bad_template / "chat_template.jinja").write_text(tiny.DROPS_THOUGHTS)

    def ask(**changes: str) -> str:
        given = {
            "config": "tiny",
            "data": data,
            "model": model,
            "out": str(tmp_path / "out"),
            **changes,
        }
        return refused(
            capsys, *(part for name, value in given.items() for part in (f"--{name}", value))
        )

    assert "no such settings" in ask(config="tinny") and "is unknown" in ask(set="batch.row=3")
    assert "does not exist" in ask(data="gone.json")
    assert not (tmp_path / "out").exists()
    assert "holds no processor" in ask(model=str(tmp_path / "no_model"))
    assert "drops or repeats the thoughts" in ask(model=str(bad_template))
    said = ask(data=str(tmp_path / "nothing.json"))
    assert (
        "holds no row to train on: 1 read, 0 for validation; 1 left out (dialogue): they are no dialogue in which"
        in said
    )
    assert (
        "the first: nothing.json, row 1 has nothing in conversations or messages; it has nothing"
        in said
    )
    assert "hold 1 rows for training and for validation" in ask(
        data=str(tmp_path / "one.json"), validation=str(tmp_path / "same.json")
    )
    assert not (tmp_path / "out").exists(), "nothing is written before the inputs are checked"
    (tmp_path / "made_by_hand").mkdir()
    assert "holds no processor" in ask(
        model=str(tmp_path / "no_model"), out=str(tmp_path / "made_by_hand")
    )
    assert not any((tmp_path / "made_by_hand").iterdir())
    assert "is not empty, and no run" in ask(
        out=str(tmp_path / "no_model" / "..")
    ) and "started 1 process" in ask(set="parallel.processes=2")


def test_the_right_command_is_taken_where_a_wrong_model_was_refused(begun, tmp_path, capsys):
    (tmp_path / "no_model").mkdir()
    command = [
        "--config",
        "tiny",
        "--data",
        str(begun / "dialogues.json"),
        "--out",
        str(tmp_path / "out"),
        "--set",
        "batch.epochs=1",
        "--set",
        "data.max_tokens=2500",
        "--model",
    ]
    assert "holds no processor" in refused(capsys, *command, str(tmp_path / "no_model"))
    assert main([*command, str(begun / "model")]) == 0 and "done: " in capsys.readouterr().err


def test_a_start_that_was_killed_before_its_inputs_were_checked_does_not_stand_in_the_way(
    begun, tmp_path
):
    (tmp_path / "out" / ".begun").mkdir(parents=True)
    (tmp_path / "out" / ".begun" / "documents.arrow").write_text("half")
    assert losses(run_on(begun, begun / "dialogues.json", tmp_path / "out"))
    assert sorted(path.name for path in (tmp_path / "out" / "rows").iterdir()) == [
        "documents.arrow",
        "survey.json",
    ]
    assert not (tmp_path / "out" / ".begun").exists()


def test_what_is_left_out_is_told_in_sentences_before_the_first_update(begun, tmp_path, capsys):
    run_on(
        begun,
        episodes_folder(
            tmp_path / "run",
            [trajectory(0, num_turns=2), trajectory(2, "rl/train"), trajectory(3, "rl/train")],
        ),
        tmp_path / "out",
    )
    said = capsys.readouterr().err
    assert (
        "3 rows read: 1 to train on, 0 for validation, 2 left out\n  2 left out (other_split): their questions are kept for reinforcement"
        in said
    )


def test_a_folder_of_another_run_is_refused_and_of_the_same_run_goes_on(begun, tmp_path, capsys):
    out = run_on(begun, begun / "dialogues.json", tmp_path / "out")
    before = losses(out)
    assert losses(run_on(begun, begun / "dialogues.json", out)) == before
    said = refused(
        capsys,
        "--config",
        "tiny",
        "--data",
        str(begun / "dialogues.json"),
        "--model",
        str(begun / "model"),
        "--out",
        str(out),
        "--set",
        "optimiser.lr=0.5",
        "--set",
        "data.max_tokens=2500",
        "--set",
        "batch.epochs=1",
    )
    assert "holds another run" in said and "optimiser.lr was 0.001 and is 0.5" in said


def test_a_gradient_that_is_no_number_ends_the_run_with_its_rows(
    begun, tmp_path, capsys, monkeypatch
):
    monkeypatch.setattr(
        "questloom.train.run.updating.clip_gradients", lambda policy, norm: float("nan")
    )
    assert (
        main(
            [
                "--config",
                "tiny",
                "--data",
                str(begun / "dialogues.json"),
                "--model",
                str(begun / "model"),
                "--out",
                str(tmp_path / "out"),
            ]
        )
        == 1
    )
    said = capsys.readouterr().err
    assert "update 1: the gradient's norm is nan" in said and "dialogues.json, row 1" in said


def test_help_teaches(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    said = capsys.readouterr().out
    assert (
        ended.value.code == 0
        and "torchrun --nproc_per_node 8 -m questloom.train.sft" in said
        and "vsearcher" in said
        and "--validation" in said
    )


def test_dialogues_of_one_row_train(begun, tmp_path):
    dialogue_file(tmp_path, [dialogue(0)])
    assert len(losses(run_on(begun, tmp_path / "dialogues.json", tmp_path / "out"))) == 1
