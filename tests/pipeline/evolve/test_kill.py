"""Killed in every step of a round, the same command goes on: the same files, nothing paid and nothing trained twice."""

import json
import math
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
import torch
from safetensors.torch import load_file

from benchmarks.mock_endpoint import running
from questloom.pipeline.commands.demo_train import SFT, prepare, read_metrics, tiny_base, training
from questloom.pipeline.evolve.loop import begin_loop
from questloom.pipeline.evolve.loop_folder import LoopFolder, RoundFolder
from questloom.pipeline.recipe import load_recipe

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parents[3]
MOMENTS = {
    "forward": "rounds/01/synth/stages/03-draft/*",
    "forward, chosen": "rounds/01/batch/pictures/*",
    "verify": "rounds/01/batch/episodes/policy/journal/*/*/journal.jsonl",
    "verify, probes": "rounds/01/probes/*/*",
    "diagnose": "rounds/01/verify.json",
    "update": "rounds/01/diagnosis.json",
    "train": "rounds/01/train/checkpoints/*2/state.json",
    "held-out tasks": "held_out/01/batch/pictures/*",
}
"""By step: the file at whose appearance the loop is killed."""


@dataclass(frozen=True)
class Start:
    """What both loops begin with."""

    store: str
    model: str
    endpoint: str

    def begin(self, out: Path) -> LoopFolder:
        filters = {"text_only": True, "no_tools": False}
        sets = (
            f"evolve.policy.model={json.dumps(self.model)}",
            f"filters={json.dumps({'text_search': False, 'image_search': False, **filters})}",
            "filters.visible_text=false",
            "filters.duplicates=false",
            "seeds.count=20",
            "evolve.rounds=1",
            "evolve.tasks=5",
            "evolve.held_out=4",
            "evolve.probes=2",
            f"models.endpoints={json.dumps([{'name': 'mock', 'base_url': self.endpoint}])}",
            'models.roles={"answer_text_only": {"endpoint": "mock", "model": "small"}}',
            "run.in_flight=1",
            "evolve.train.set=[step.steps=3, step.questions=3, step.rollouts=4, evaluation.every=0, keep.checkpoint_every=1]",
        )
        return begin_loop(str(out), load_recipe("learning_loop", sets), self.store)

    def replies(self) -> dict[str, int]:
        """Requests that the paid endpoint has had, by idempotency key."""
        with urllib.request.urlopen(f"{self.endpoint.removesuffix('/v1')}/stats") as answer:
            return json.load(answer)["by_key"]


@pytest.fixture(scope="module")
def start(tmp_path_factory) -> Iterator[Start]:
    """A small learning world and a policy that sometimes succeeds there."""
    folder = tmp_path_factory.mktemp("start")
    run, store = prepare(
        folder,
        seed=3,
        workers=1,
        recipe=load_recipe("learning_loop", ("seeds.count=160", "export.rl_share=0.0")),
    )
    training(
        "questloom.train.sft",
        "--config",
        SFT,
        "--data",
        str(run),
        "--model",
        str(tiny_base()),
        "--out",
        str(folder / "sft"),
        "--set",
        "batch.epochs=3",
    )
    with running() as url:
        yield Start(str(store), str(folder / "sft" / "model"), url)


def evolve(loop: LoopFolder) -> subprocess.Popen:
    """The command that begins, or goes on."""
    return subprocess.Popen(
        [
            sys.executable,
            "-m",
            "questloom.pipeline.cli",
            "evolve",
            "--out",
            str(loop.path),
            "--workers",
            "1",
        ],
        cwd=ROOT,
        start_new_session=True,
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


def killed_at(loop: LoopFolder, pattern: str) -> None:
    """Starts the loop and kills it, with its trainer, when a file appears."""
    process, deadline = evolve(loop), time.monotonic() + 300
    while (
        not any(loop.path.glob(pattern)) and process.poll() is None and time.monotonic() < deadline
    ):
        time.sleep(0.01)
    was_under_way = process.poll() is None
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    assert was_under_way and any(loop.path.glob(pattern)), pattern


def files(loop: LoopFolder) -> dict[str, Any]:
    """What must not depend on how often the loop was killed: step files, less the loop's own place, and the records of all stages. (The files of the
    stages also state the recipe's fingerprint, in which the place of `exclude.txt` is.)"""
    found: dict[str, Any] = {}
    for path in sorted(loop.path.rglob("*")):
        name = str(path.relative_to(loop.path))
        if re.fullmatch(r"(rounds/\d\d/)?[a-z_]+\.(json|sh|txt|yaml)", name):
            found[name] = path.read_bytes().replace(str(loop.path).encode(), b"LOOP")
        elif re.fullmatch(r"rounds/.*/stages/.*\.parquet", name):
            found[name] = pq.read_table(path).replace_schema_metadata(None).to_pylist()
    return found


def is_alike(one: Any, other: Any) -> bool:
    """Whether two values are the same, but for the rounding of log-probabilities: the order of sums in decoding is a matter of time."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-4, abs_tol=1e-6)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(is_alike(one[k], other[k]) for k in one)
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(is_alike, one, other))
    return bool(one == other)


def differences(mine: dict[str, Any], its: dict[str, Any]) -> dict[str, Any]:
    """By file what differs: of a table the columns of each row that does, with both values; of any other file both contents."""
    found: dict[str, Any] = {}
    for name in sorted(mine.keys() | its.keys()):
        one, other = mine.get(name), its.get(name)
        if is_alike(one, other):
            continue
        if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
            found[name] = [
                {key: (a[key], b.get(key)) for key in a if not is_alike(a[key], b.get(key))}
                for a, b in zip(one, other, strict=True)
                if not is_alike(a, b)
            ]
        else:
            found[name] = (one, other)
    return found


def weights(at: RoundFolder) -> dict[str, Any]:
    return load_file(at.path / "train" / "model" / "model.safetensors")


def test_killed_in_every_step_and_resumed_a_loop_gives_the_same_files_and_pays_and_trains_nothing_twice(
    start, tmp_path
):
    whole, broken = start.begin(tmp_path / "whole"), start.begin(tmp_path / "broken")
    assert evolve(whole).wait() == 0
    asked = start.replies()
    assert asked and set(asked.values()) == {1}, "the parts of a loop pay for each other"
    for pattern in MOMENTS.values():
        killed_at(broken, pattern)
    assert evolve(broken).wait() == 0
    mine, its = files(broken), files(whole)
    assert differences(mine, its) == {}
    for one, other in zip(broken.rounds(), whole.rounds(), strict=True):
        for name, tensor in weights(
            other
        ).items():  # the same tokens and rewards; the order of sums in decoding is a matter of time
            assert torch.allclose(weights(one)[name].float(), tensor.float(), atol=1e-3), name
    assert "Before and after training" in (broken.path / "report" / "index.html").read_text()
    again = start.replies()
    paid = sum(again.values()) - sum(asked.values())
    assert paid - sum(asked.values()) <= len(MOMENTS), (
        "at most the one request that was under way at a kill was sent again"
    )
    for at in broken.rounds():
        updates = [line["update"] for line in read_metrics(at.path / "train") if "reward" in line]
        assert updates == sorted(set(updates)) and len(updates) == 3
