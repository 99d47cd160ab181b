"""GRPO as it is called: everybody is accounted for, it goes on where it was killed, adds up over ranks, can be run again, learns, and names what breaks."""

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file

from questloom.agent.play.episode_files import EpisodeFiles
from questloom.files.parquet import read_records
from questloom.records.trajectories import Trajectory
from questloom.train.grpo.command import main
from questloom.train.grpo.replay import main as replay
from tests.train.grpo_runs import ROOT, made
from tests.train.grpo_world import AGAIN, arguments


def weights(folder: Path, name: str = "model") -> dict[str, torch.Tensor]:
    return load_file(folder / name / f"{'adapter_' * (name == 'adapter')}model.safetensors")


def figures(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def steps(folder: Path) -> list[dict[str, Any]]:
    """The figures of each step's first update."""
    return [line for line in figures(folder) if "reward" in line]


def lines(folder: Path, step: int) -> list[dict[str, Any]]:
    """A line each rollout, by question."""
    told = json.loads((folder / "replay" / f"step-{step:06d}" / "step.json").read_text())["lines"]
    return sorted(told, key=lambda line: (line["number"], line["kind"], line["rollout"]))


def distance(one: Path, other: Path) -> float:
    first, second = weights(one), weights(other)
    return max(float((first[name] - second[name]).abs().max()) for name in first)


@pytest.fixture(scope="module")
def stopped(runs: Path) -> Path:
    """Two more runs that are asked to stop."""
    return made(runs, "stopped_ddp stopped_late")


def test_every_rollout_of_every_step_is_taught_or_left_out_for_a_reason(runs):
    for out, per_step in (("unbroken", 16), ("rich", 16)):
        found = steps(runs / out)
        assert [line["rollouts"] >= per_step for line in found] == [True] * len(found)
        for line in found:
            left_out = sum(value for name, value in line.items() if name.startswith("left_out/"))
            assert line["rollouts"] + line["continuations"] == line["taught"] + left_out
            told = lines(runs / out, line["step"])
            assert (
                len(told) == line["rollouts"] + line["continuations"]
                and sum(each["advantage"] is not None for each in told) == line["taught"]
            )
            assert (
                sum(value for name, value in line.items() if name.startswith("end/"))
                == line["rollouts"]
            )


def test_a_run_tells_what_it_does_and_keeps_what_can_be_read(runs):
    out = runs / "unbroken"
    found = steps(out)
    assert [line["update"] for line in found] == [1, 2, 3]
    assert all(
        line[name] > 0
        for line in found
        for name in (
            "turns",
            "new_tokens",
            "episode_tokens",
            "pictures",
            "played_tokens_per_second",
            "grad_norm",
            "entropy",
            "labels",
            "rows",
        )
    )
    assert all(
        line["engine_kl"] < 1e-6 and line["ratio"] == pytest.approx(1, abs=1e-4) for line in found
    ), "engine and trainer are one model"
    assert any(line.get("calls/text_search") for line in found) and any(
        line.get("calls/image_search") for line in found
    )
    held = [line for line in figures(out) if "held_out/pass_rate" in line]
    assert [line["update"] for line in held] == [0, 3] and all(
        line["held_out/rollouts"] == 4 for line in held
    )
    assert sum("peak_memory_gb" in line for line in figures(out)) == 3
    assert (out / "curves.png").read_bytes().startswith(b"\x89PNG") and not (
        out / "episodes" / "journal"
    ).exists()
    files = EpisodeFiles(str(out / "episodes"))
    kept = list(read_records(out / "episodes" / "step-000001.parquet", Trajectory))
    assert (
        len(kept) == 4
        and len({each.question_id for each in kept}) == 1
        and all(each.verdict for each in kept)
    )
    assert all(
        files.read_picture(image.sha256) for each in kept for image in each.episode.images
    ) and files.renderer().system_prompt.startswith("Look")
    told = json.loads((out / "result.json").read_text())
    assert (
        told["questions"] == {"train": 6, "validation": 2}
        and told["updates"] == 3
        and told["ranks"] == 1
    )


def test_killed_twice_and_gone_on_with_is_the_unbroken_run(runs):
    """Engines batch whoever is there, so log-probabilities of a step that was interrupted differ in the seventh digit."""
    assert distance(runs / "unbroken", runs / "broken") < 1e-5
    for step in range(3):
        one, other = lines(runs / "unbroken", step), lines(runs / "broken", step)
        assert [
            (line["episode"], line["reward"], line["turns"], line["tokens"]) for line in one
        ] == [(line["episode"], line["reward"], line["turns"], line["tokens"]) for line in other]
    assert [line["update"] for line in steps(runs / "broken")] == [1, 2, 3]
    held, whole = (
        [line for line in figures(runs / out) if "held_out/pass_rate" in line]
        for out in ("broken", "unbroken")
    )
    assert [(line["update"], line["held_out/pass_rate"]) for line in held] == [
        (line["update"], line["held_out/pass_rate"]) for line in whole
    ]
    assert held[0]["held_out/seconds"] == 12345.0, "what was measured is not played again"


def test_sigterm_writes_a_checkpoint_while_a_step_is_played_and_the_run_goes_on_from_it(runs):
    went_on(runs, "stopped", [1, 3])


@pytest.mark.slow
@pytest.mark.parametrize(("out", "kept"), [("stopped_ddp", [2, 3]), ("stopped_late", [3])])
def test_sigterm_in_an_update_and_while_held_out_questions_are_played_does_so_too(
    stopped, out, kept
):
    """In an update (with two ranks, of which one is asked), and while the held-out questions are played."""
    went_on(stopped, out, kept)


def went_on(runs: Path, out: str, kept: list[int]) -> None:
    """A run that was asked to stop ended as the unbroken one, with these checkpoints."""
    assert distance(runs / "unbroken", runs / out) < 1e-5
    assert sorted(path.name for path in (runs / out / "checkpoints").iterdir()) == [
        f"update-{update:06d}" for update in kept
    ]
    assert [line["update"] for line in steps(runs / out)] == [1, 2, 3]
    held, whole = (
        [line for line in figures(runs / name) if "held_out/pass_rate" in line]
        for name in (out, "unbroken")
    )
    assert [(line["update"], line["held_out/pass_rate"]) for line in held] == [
        (line["update"], line["held_out/pass_rate"]) for line in whole
    ]


def test_a_stand_in_for_the_judge_of_searches_is_named_where_its_figures_are_shown(runs):
    """Nobody plays judge_retrieval there: the score is measured from the run itself."""
    found = steps(runs / "rich")
    assert all(0 <= line["query_measured"] <= 1 and "query" not in line for line in found)
    assert json.loads((runs / "rich" / "result.json").read_text())["judges"] == {
        "answer": "rules",
        "query": "measured",
    }
    said = (runs / "rich_0.txt").read_text()
    assert (
        "0.8 × right answers (by rules) + 0.2 × r_query (measured from the run in place of a judge, since no model has the role judge_retrieval)"
        in said
    )
    assert (
        len(re.findall(r"step \d/2 .* · r_query \d\.\d{3}, measured and not judged · ", said)) == 2
    )
    assert not any("query_measured" in line for line in steps(runs / "unbroken"))


def test_two_ranks_with_unequal_numbers_of_turns_learn_what_one_learns(runs):
    assert distance(runs / "unbroken", runs / "ddp") < 1e-5
    unequal = 0
    for step in range(3):
        one, two = lines(runs / "unbroken", step), lines(runs / "ddp", step)
        assert [(line["episode"], line["reward"], line["turns"]) for line in one] == [
            (line["episode"], line["reward"], line["turns"]) for line in two
        ]
        unequal += sum(line["turns"] for line in two if line["number"] % 2) != sum(
            line["turns"] for line in two if not line["number"] % 2
        )
    assert unequal and json.loads((runs / "ddp" / "result.json").read_text())["ranks"] == 2
    assert [line["reward"] for line in steps(runs / "ddp")] == [
        line["reward"] for line in steps(runs / "unbroken")
    ]


def test_an_update_of_two_ranks_is_run_again_bit_for_bit(runs):
    two = (runs / "ddp_again_0").read_text()
    assert "update 1 again, from the model that the run began with" in two and "bit for bit" in two


def test_an_update_whose_rows_or_pictures_are_gone_is_refused(runs, tmp_path, capsys):
    shutil.copytree(runs / "unbroken", tmp_path / "out")
    assert (
        replay([str(tmp_path / "out"), "--update", "9"]) == 2
        and "Steps whose rows are here: 0 to 2" in capsys.readouterr().err
    )
    picture = next((tmp_path / "out" / "episodes" / "pictures").iterdir())
    picture.write_bytes(b"x")
    assert (
        replay([str(tmp_path / "out"), "--update", "2"]) == 2
        and "is not the picture that its name says" in capsys.readouterr().err
    )


def test_axpo_refills_mini_batches_and_the_kl_term_work_together(runs):
    out = runs / "rich"
    updates = [line for line in figures(out) if "loss" in line]
    assert [line["update"] for line in updates] == [1, 2, 3, 4] and len(steps(out)) == 2
    assert updates[0]["kl"] == pytest.approx(0, abs=1e-6) and updates[-1]["kl"] > 1e-3, (
        "the policy begins as the reference and leaves it"
    )
    assert (
        updates[0]["ratio"] == pytest.approx(1, abs=1e-4) and abs(updates[1]["ratio"] - 1) > 1e-4
    ), "the second update of a step is off-policy"
    assert all(line["query_measured"] > 0 for line in steps(out))
    resampled = [line for line in steps(out) if line["continuations"]]
    assert resampled and all(
        line["continuations"] == 4 and "recovery" in line for line in resampled
    )
    for line in resampled:
        told = lines(out, line["step"])
        assert sum(each["kind"] == "continuation" for each in told) == 4
        rollouts = [each for each in told if each["kind"] == "rollout"]
        assert line["accuracy"] == sum(each["accuracy"] == 1 for each in rollouts) / len(
            rollouts
        ), "continuations count in no pass rate"


@pytest.mark.slow
def test_the_reward_rises_where_one_answer_is_right(runs):
    found = [line["accuracy"] for line in steps(made(runs, "learns") / "learns")]
    assert found[0] < 0.65 and found[-1] > found[0] + 0.2, found


FAULTS = {
    "dead_engine": "an episode could not be played: RuntimeError: the accelerator is gone. What was played is kept",
    "dead_judge": "step 0: the answers of 8 of 8 rollouts were not judged, the limit is 50%",
    "dead_provider": "step 0: 8 of 8 rollouts ended by a provider's fault, the limit is 50%",
    "nan_gradient": "update 1: the gradient's norm is nan, the loss",
    "late_rank": "the run: rank 1 did not come within 6 s, or has died",
    "full_disk": "the disk is full:",
    "full_disk_at_the_checkpoint": "the disk is full: a checkpoint of about",
    "stray_engine": "engine and trainer disagree: k3",
}


@pytest.mark.parametrize("name", FAULTS)
def test_what_breaks_is_named_and_the_same_command_goes_on_when_it_is_mended(runs, name):
    said = (runs / f"{name}_0.txt").read_text()
    assert FAULTS[name] in said and "Traceback" not in said, said[-2000:]
    if name in AGAIN:
        again = (runs / f"{name}_again_0.txt").read_text()
        assert "done: " in again and len(steps(runs / name)) == 1, again[-2000:]


def test_a_server_gets_the_weights_of_every_update_and_its_rollouts_are_learned_from(runs):
    told = json.loads((runs / "served.json").read_text())
    assert (told["version"], told["flushed"]) == ("2", 3) and told["turns"] > 16, (
        "the first weights, and those of both updates"
    )
    base, now, served = weights(runs), weights(runs / "served"), weights(runs, "served_weights")
    assert all(torch.equal(now[name], served[name]) for name in now) and any(
        not torch.equal(now[name], base[name]) for name in now
    )
    found = [line for line in figures(runs / "served") if line.get("rows")]
    assert found and all(
        line["engine_kl"] < 1e-6 and line["ratio"] == pytest.approx(1, abs=1e-3) for line in found
    ), "its log-probabilities are the trainer's"
    assert [path.name for path in (runs / "served" / "weights").iterdir()] == ["update-000002"], (
        "one folder of weights at a time"
    )


@pytest.mark.slow
def test_a_server_that_kept_its_weights_stops_the_run_with_the_figures_before_anything_is_learned(
    runs,
):
    made(runs, "stale_server")
    said = (runs / "stale_server_0.txt").read_text()
    assert re.search(
        r"engine and trainer disagree: k3 \d+\.\d{4} a token over \d+ tokens, the alarm is at 0.015; the mean difference is",
        said,
    ), said[-2000:]
    assert json.loads((runs / "codes.json").read_text())["stale_server"] == [1]
    assert [line["update"] for line in steps(runs / "stale_server")] == [1] and not (
        runs / "stale_server" / "replay" / "step-000001"
    ).exists()


def refused(capsys, *given: str) -> str:
    assert main(given) == 2
    return capsys.readouterr().err


def test_wrong_input_is_refused_before_anything_is_written(runs, tmp_path, capsys):
    def ask(changes: dict[str, str], *overrides: str) -> str:
        given = {
            "config": str(runs / "settings.yaml"),
            "run": str(runs / "run"),
            "store": str(runs / "store"),
            "model": str(runs / "model"),
            "out": str(tmp_path / "out"),
            **changes,
        }
        return refused(
            capsys,
            *(part for name, value in given.items() for part in (f"--{name}", value)),
            *(p for text in overrides for p in ("--set", text)),
        )

    assert "is no run" in ask({"run": str(tmp_path)}) and "is unknown" in ask({}, "step.question=3")
    assert "is 7, and the run has 6 of the split rl/train" in ask({}, "step.questions=7")
    facts = json.loads((runs / "run" / "recipe.json").read_text())
    other = tmp_path / "other"
    other.mkdir()
    (other / "recipe.json").write_text(json.dumps({**facts, "store": "another"}))
    assert "was made from another store" in ask({"run": str(other)})
    (other / "recipe.json").write_text(json.dumps(facts))
    assert "is not finished" in ask({"run": str(other)}) and not (tmp_path / "out").exists()
    assert "holds another run: optimiser.lr was 0.001 and is 0.5" in ask(
        {"out": str(runs / "unbroken")}, "optimiser.lr=0.5"
    )
    assert "holds no processor" in ask({"model": str(other)})
    role = 'models={{endpoints: [{{name: e, base_url: "http://127.0.0.1:9/v1"}}], roles: {{{}: {{endpoint: {}, model: m}}}}}}'
    assert "models.roles.judge_query: is no role that a model can be given" in ask(
        {}, role.format("judge_query", "e")
    )
    assert "role judge_answer: there is no endpoint 'f'" in ask(
        {}, role.format("judge_answer", "f")
    )
    assert not (tmp_path / "out").exists(), "nothing is written before the inputs are checked"


def test_help_teaches(capsys):
    with pytest.raises(SystemExit) as ended:
        main(["--help"])
    said = capsys.readouterr().out
    assert (
        ended.value.code == 0
        and "torchrun --nproc_per_node 8 -m questloom.train.grpo" in said
        and "grpo-vsearcher" in said
        and "questloom.train.grpo.replay" in said
    )


@pytest.mark.slow
def test_sharded_ranks_and_adapters_in_bf16(tmp_path):
    made(tmp_path, "prepare rich rich_fsdp bf16_lora bf16_fsdp")
    assert distance(tmp_path / "rich", tmp_path / "rich_fsdp") < 1e-4
    for out in ("bf16_lora", "bf16_fsdp"):
        assert all(
            0 < line["engine_kl"] < 1e-3 for line in figures(tmp_path / out) if line.get("rows")
        ), "the engine computes in bf16 too"
    base, now = weights(tmp_path), weights(tmp_path / "bf16_lora")
    assert all("lora_" in name for name in weights(tmp_path / "bf16_lora", "adapter"))
    assert {
        name
        for name in base
        if "norm" in name and not torch.equal(base[name].bfloat16(), now[name].bfloat16())
    } == set()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("launcher", "size"),
    [
        (("torch.distributed.run", "--standalone", "--nproc_per_node", "2"), 2),
        (("accelerate.commands.launch", "--cpu", "--num_processes", "1"), 1),
    ],
    ids=["torchrun", "accelerate"],
)
def test_the_launchers_start_ranks(runs, launcher: Sequence[str], size: int):
    out = f"launched_{size}"
    ran = subprocess.run(
        [
            sys.executable,
            "-m",
            *launcher,
            "-m",
            "questloom.train.grpo",
            *arguments(runs, out, f"parallel.processes={size}"),
        ],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=600,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
    assert distance(runs / "unbroken", runs / out) < 1e-5
