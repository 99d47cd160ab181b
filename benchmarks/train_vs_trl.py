"""Compares Questloom's trainer with TRL's trainer: tokens per second and peak memory, for updates
of SFT and GRPO.

* `python -m benchmarks.train_vs_trl` compares the trainers with a tiny Qwen3-VL on this CPU.
* `--vocabulary 0` gives the tiny model as many tokens as its own tokenizer has.
* `--device cuda --model qwen3-vl-2b --max-tokens 8192 --checkpointing` compares the trainers on a
  GPU, with random weights in bf16. The script then also prints MFU (model FLOPs utilisation).

Padding tokens are not counted in tokens per second. Both trainers get the same weights and the same
rows. The lengths and pictures of the rows are those of stored trajectories
(`trajectory_shapes.py`). The script compares the gradients of both trainers before it measures any
time.

All times come from one process, which runs the trainers in the order Questloom, TRL, TRL,
Questloom. The process repeats this order as often as the command line says. Each ratio compares two
consecutive measurements, because the machine's speed changes over time. On a CPU, the script
measures the processor time of one thread.

For memory, each trainer runs in a new process. On a GPU, the script reports the peak memory that
torch reports. On a CPU, the script reports how much the resident set grows over two updates. The
growth of the resident set covers gradients, optimiser, activations and logits. Before the updates,
the script resets the kernel's record of the peak resident set. The script reports the size of the
weights separately. TRL runs with every given batch size. The ratio compares Questloom's trainer
with TRL's fastest batch size. `trainers.py` says which options TRL may use.
"""

import argparse
import datetime
import gc
import json
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration

from benchmarks.trainers import Contender, Ours, Task, Trl, with_engine_logp
from benchmarks.trajectory_shapes import read_shapes, row_of
from questloom.train.model.shape import KNOWN, ModelShape
from questloom.train.rows.row import PictureTokens, Row, rope_of
from tests.agent import tiny

PEAK_FLOPS = {"H100": 989e12, "H200": 989e12, "A100": 312e12}
"""The peak speed of each kind of device, in dense bf16 operations a second. The key is a part of
the device's name.
"""


@dataclass(frozen=True)
class Setting:
    """The settings that both trainers get."""

    folder: Path
    """The folder of the model."""
    rows: int
    """The number of training rows per update."""
    max_tokens: int
    scale: int
    max_pixels: int
    checkpointing: bool
    device: torch.device
    seed: int = 0

    def made(self) -> tuple[list[Row], Tensor]:
        """Returns the training rows of one update, and the advantage of each row."""
        config = Qwen3VLConfig.from_pretrained(self.folder)
        with torch.device("meta"):
            rope = rope_of(Qwen3VLForConditionalGeneration(config))
        shapes = read_shapes()
        vision: Any = config.vision_config
        words: Any = config.text_config
        draw = torch.Generator().manual_seed(self.seed)
        order = torch.randperm(len(shapes), generator=draw).tolist()[: self.rows]
        rows = [
            row_of(
                shapes[n],
                seed=n,
                tokens=PictureTokens.of(config),
                rope=rope,
                patch=vision.patch_size,
                max_pixels=self.max_pixels,
                scale=self.scale,
                max_tokens=self.max_tokens,
                vocabulary=words.vocab_size,
            )
            for n in order
        ]
        return with_engine_logp(rows, self.folder, self.device), torch.randn(
            len(rows), generator=draw
        )

    def contender(self, name: str, task: Task, rows: Sequence[Row]) -> Contender:
        """Makes a trainer by name.

        For "ours" (Questloom's trainer), a forward pass has as many tokens as the longest row.
        For "trl-B", a forward pass has B rows.
        """
        if name == "ours":
            return Ours(
                self.folder,
                task,
                micro_tokens=max(map(len, rows)),
                checkpointing=self.checkpointing,
                device=self.device,
            )
        return Trl(
            self.folder,
            task,
            batch=int(name.removeprefix("trl-")),
            rows=self.rows,
            checkpointing=self.checkpointing,
            device=self.device,
        )


def write_model(folder: Path, model: str, vocabulary: int, *, weights: bool = True) -> None:
    """Writes a Qwen3-VL model with random weights, or only the model's configuration.

    The shape is "tiny" with a given vocabulary size, or the shape of a known model.
    """
    torch.manual_seed(0)
    config = tiny.model().config.to_dict()
    if model == "tiny":
        config["text_config"] |= {
            "vocab_size": vocabulary or config["text_config"]["vocab_size"],
            "initializer_range": 0.02,
        }
    else:
        shape = KNOWN[model]
        config["text_config"] |= {
            "vocab_size": shape.vocabulary,
            "hidden_size": shape.width,
            "intermediate_size": shape.mlp_width,
            "num_hidden_layers": shape.layers,
            "num_attention_heads": shape.heads,
            "num_key_value_heads": shape.kv_heads,
            "head_dim": shape.head_width,
            "max_position_embeddings": 262_144,
            "initializer_range": 0.02,
            "rope_parameters": {
                "rope_type": "default",
                "rope_theta": 5e6,
                "mrope_section": [24, 20, 20],
                "mrope_interleaved": True,
            },
        }
        seen = shape.vision
        config["vision_config"] |= {
            "depth": seen.layers,
            "hidden_size": seen.width,
            "intermediate_size": seen.mlp_width,
            "num_heads": 16,
            "out_hidden_size": shape.width,
            "num_position_embeddings": seen.positions,
            "deepstack_visual_indexes": [5, 11, 17] if seen.layers == 24 else [8, 16, 24],
        }
    config["tie_word_embeddings"] = model == "tiny" or KNOWN[model].tied
    made = Qwen3VLConfig.from_dict(config)
    if weights:
        Qwen3VLForConditionalGeneration(made).save_pretrained(folder)
    else:
        made.save_pretrained(folder)


def difference(one: Any, other: Any) -> float:
    """The difference between the gradients of two models, divided by the norm of the gradients."""
    pairs = [
        (a.grad.double(), b.grad.double())
        for a, b in zip(one.parameters(), other.parameters(), strict=True)
    ]
    return (
        sum(float((a - b).square().sum()) for a, b in pairs)
        / sum(float(b.square().sum()) for _, b in pairs)
    ) ** 0.5


def seconds(
    contender: Contender, rows: Sequence[Row], advantages: Tensor, device: torch.device
) -> float:
    """The seconds of one update. On a CPU, the function measures this process's processor time,
    because other processes affect it less.
    """
    clock = time.perf_counter if device.type == "cuda" else time.process_time
    gc.collect()
    began = clock()
    contender.gradient(rows, advantages)
    contender.step()
    if device.type == "cuda":
        torch.cuda.synchronize()
    return clock() - began


def duel(setting: Setting, task: Task, batch: int, repeats: int) -> dict[str, Any]:
    """Returns the seconds of the updates, in the order Questloom, TRL, TRL, Questloom. Returns also
    the difference between the two trainers' gradients.
    """
    rows, advantages = setting.made()
    ours, trl = setting.contender("ours", task, rows), setting.contender(f"trl-{batch}", task, rows)
    losses = [each.gradient(rows, advantages) for each in (ours, trl)]
    apart = difference(ours.model, trl.model)
    for each in (ours, trl):
        each.step()
    took: dict[str, list[float]] = {"ours": [], "trl": []}
    for _ in range(repeats):
        for name in ("ours", "trl", "trl", "ours"):
            took[name].append(
                seconds(ours if name == "ours" else trl, rows, advantages, setting.device)
            )
    return {"losses": losses, "gradients_apart": apart, "tokens": sum(map(len, rows)), **took}


def peak_growth(setting: Setting, task: Task, name: str) -> int:
    """Returns the bytes of memory that two updates need beyond the loaded model. A process that
    measures memory does nothing else.
    """
    rows, advantages = setting.made()
    gc.collect()
    contender = setting.contender(name, task, rows)
    gc.collect()
    if setting.device.type == "cuda":
        before = torch.cuda.memory_allocated()
        torch.cuda.reset_peak_memory_stats()
    else:
        Path("/proc/self/clear_refs").write_text("5")
        before = _resident("VmRSS")
    for _ in range(2):
        contender.gradient(rows, advantages)
        contender.step()
    return (
        torch.cuda.max_memory_allocated() if setting.device.type == "cuda" else _resident("VmHWM")
    ) - before


def _resident(what: str) -> int:
    line = next(
        line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith(what)
    )
    return int(line.split()[1]) * 1024


def in_a_child(arguments: Sequence[str], task: Task, name: str, folder: Path) -> int:
    """Runs `peak_growth` in a new process."""
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "benchmarks.train_vs_trl",
            *arguments,
            "--peak",
            task,
            name,
            str(folder),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{name} ended with {done.returncode}:\n{done.stderr[-3000:]}")
    return int(json.loads(done.stdout.splitlines()[-1]))


def compare(
    setting: Setting,
    task: Task,
    batches: Sequence[int],
    repeats: int,
    arguments: Sequence[str],
    shape: ModelShape,
) -> None:
    """Prints the figures of one task."""
    rows, _ = setting.made()
    lengths = sorted(map(len, rows))
    print(
        f"\n{task}: {len(rows)} rows of {lengths[0]:,} to {lengths[-1]:,} tokens (mean {statistics.mean(lengths):,.0f}), "
        f"{sum(int(row.loss_mask.sum()) for row in rows) / sum(lengths):.0%} in the loss, {sum(len(row.grid_thw) for row in rows)} pictures"
    )
    flops = sum(
        shape.flops(
            len(row),
            int(row.loss_mask.sum()),
            PictureTokens.of(Qwen3VLConfig.from_pretrained(setting.folder)).num_tokens(
                row.grid_thw
            ),
        )
        for row in rows
    )
    ours = in_a_child(arguments, task, "ours", setting.folder)
    told: list[tuple[float, float]] = []
    for batch in batches:
        found = duel(setting, task, batch, repeats)
        ratios = [t / o for o, t in zip(found["ours"], found["trl"], strict=True)]
        speed = {name: found["tokens"] / statistics.median(found[name]) for name in ("ours", "trl")}
        memory = in_a_child(arguments, task, f"trl-{batch}", setting.folder)
        told.append((speed["trl"] / speed["ours"], ours / memory))
        print(
            f"  TRL, {batch} rows a batch: ours {speed['ours']:,.0f} tokens/s, TRL {speed['trl']:,.0f}; ours ÷ TRL {statistics.median(ratios):.2f} "
            f"({min(ratios):.2f} to {max(ratios):.2f}); peak {ours / 2**20:,.0f} ÷ {memory / 2**20:,.0f} MiB = {ours / memory:.2f}; "
            f"gradients apart by {found['gradients_apart']:.1e}"
            + _mfu(flops, found, setting.device),
            flush=True,
        )
    speed_, memory_ = max(told)
    print(
        f"  against TRL's fastest: {1 / speed_:.2f} times its tokens/s, {memory_:.2f} of its peak memory"
    )


def _mfu(flops: float, found: dict[str, Any], device: torch.device) -> str:
    if device.type != "cuda":
        return ""
    peak = next(
        (value for name, value in PEAK_FLOPS.items() if name in torch.cuda.get_device_name()), None
    )
    if peak is None:
        return f"; {torch.cuda.get_device_name()}'s peak is not known here, so no MFU"
    return "; MFU " + ", ".join(
        f"{name} {flops / statistics.median(found[name]) / peak:.1%}" for name in ("ours", "trl")
    )


def parser() -> argparse.ArgumentParser:
    """Makes the parser of the command line."""
    made = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    made.add_argument("--device", choices=("cpu", "cuda"), default="cpu")
    made.add_argument("--model", choices=("tiny", *KNOWN), default="tiny")
    made.add_argument(
        "--vocabulary",
        type=int,
        default=151_936,
        help="of the tiny model; 0 for its tokenizer's own",
    )
    made.add_argument("--tasks", nargs="+", choices=("sft", "grpo"), default=["sft", "grpo"])
    made.add_argument("--rows", type=int, default=8, help="of an update")
    made.add_argument(
        "--max-tokens", type=int, default=4096, help="of a row; longer ones are shortened"
    )
    made.add_argument(
        "--scale",
        type=int,
        default=0,
        help="text is so many times shorter; default 4 on a CPU, 1 on a GPU",
    )
    made.add_argument(
        "--batches", nargs="+", type=int, default=[1, 2, 4], help="TRL's rows a forward pass"
    )
    made.add_argument("--repeats", type=int, default=3, help="of the order ours, TRL, TRL, ours")
    made.add_argument(
        "--checkpointing",
        action="store_true",
        help="layers are computed again in the backward pass, by both",
    )
    made.add_argument(
        "--peak", nargs=3, metavar=("TASK", "NAME", "FOLDER"), help="what a child process does"
    )
    return made


def main(arguments: Sequence[str]) -> int:
    """Measures the trainers, or prints why it cannot."""
    given = parser().parse_args(arguments)
    if given.device == "cuda" and not torch.cuda.is_available():
        print("no GPU here: run the same command on a machine with one", file=sys.stderr)
        return 2
    torch.set_num_threads(1 if given.device == "cpu" else torch.get_num_threads())
    cuda = given.device == "cuda"

    def setting(folder: Path) -> Setting:
        return Setting(
            folder=folder,
            rows=given.rows,
            max_tokens=given.max_tokens,
            scale=given.scale or (1 if cuda else 4),
            max_pixels=262_144 if cuda else 128 * 128,
            checkpointing=given.checkpointing,
            device=torch.device(given.device),
        )

    if given.peak:
        task, name, folder = given.peak
        print(json.dumps(peak_growth(setting(Path(folder)), task, name)))
        return 0
    with tempfile.TemporaryDirectory() as folder:
        write_model(Path(folder), given.model, given.vocabulary)
        shape = ModelShape.of(json.loads((Path(folder) / "config.json").read_text()), given.model)
        print(
            f"{datetime.date.today()}, {torch.cuda.get_device_name() if cuda else platform.processor() or platform.machine()}, torch {torch.__version__}, "
            f"{given.model} of {shape.parameters / 1e6:,.1f} million parameters, vocabulary {shape.vocabulary:,}, "
            f"{'bf16 by autocast' if cuda else 'fp32, one thread'}, {'with' if given.checkpointing else 'no'} activation checkpointing"
        )
        for task in given.tasks:
            compare(
                setting(Path(folder)), task, given.batches, given.repeats, list(arguments), shape
            )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
