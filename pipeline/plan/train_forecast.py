"""The text of `questloom plan sft|grpo`. The module measures the lengths of a run's rows, and
computes what a training on these rows costs."""

import io
from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from rich.console import Console
from rich.table import Table

from questloom.records.errors import InputError
from questloom.records.trajectories import Trajectory
from questloom.train.forecast import Gpu, GrpoForecast, Memory, Pace, RowLength, SftForecast
from questloom.train.model.shape import ModelShape
from questloom.transforms.episodes.episode_folder import KEEP, EpisodeFolder
from questloom.transforms.stages.run_folder import RunFolder

CHARACTERS = 4
"""How many characters count as one token if the engine gave no token ids. The number is about right
for Qwen's tokenizer on English text with some JSON."""
PICTURE_SIDE = 32
"""Qwen3-VL turns each square of pixels into one token. This constant is the number of pixels on one
side of such a square."""
MAX_PIXELS = 262_144
"""How many pixels a picture is assumed to have, if the settings leave the size to the model's
processor."""


def lengths_of(run: str, policy: str, *, only_sft: bool, max_pixels: int) -> list[RowLength]:
    """The number of tokens of each trajectory that a run has kept. The number of tokens is counted
    from the policy's token ids. If the token ids are missing, the number of tokens is the number of
    characters ÷ 4.

    Args:
        policy: the policy that played the episodes.
        only_sft: whether only questions for fine-tuning count. If `only_sft` is false, all
            questions count, so that the result shows how long the policy's future episodes may be.
        max_pixels: the highest number of pixels of a picture that the model gets; 0 for 262,144.

    Raises:
        InputError: the run has no kept trajectories.
    """
    folder = EpisodeFolder.of(RunFolder(run), policy)
    if not folder.files.has_prompt() or not folder.label(KEEP):
        raise InputError(
            run,
            f"has no kept trajectories of the policy {policy!r}",
            "Play its questions first (questloom teach), or give counts: "
            "--rows, --tokens, --labels.",
        )
    system_prompt = len(folder.files.renderer().system_prompt)
    rows = [
        _length(trajectory, system_prompt, max_pixels or MAX_PIXELS)
        for trajectory in folder.read(folder.label(KEEP), "kept", Trajectory)
        if not only_sft or trajectory.split == "sft/train"
    ]
    if not rows:
        raise InputError(
            run,
            "has kept trajectories, but none whose question's split is sft/train",
            "Give counts: --rows, --tokens, --labels.",
        )
    return rows


def _length(trajectory: Trajectory, system_prompt: int, max_pixels: int) -> RowLength:
    episode = trajectory.episode
    sizes = {image.handle: min(image.width * image.height, max_pixels) for image in episode.images}
    shown = [image.handle for image in episode.images if image.origin == "task"]
    shown += [handle for turn in episode.turns if turn.result for handle in turn.result.images]
    pictures = tuple(max(1, round(sizes[handle] / PICTURE_SIDE**2)) for handle in shown)
    labels = sum(
        len(turn.token_ids) or round(len(turn.text) / CHARACTERS) for turn in episode.turns
    )
    read = (
        system_prompt
        + len(episode.question)
        + sum(len(turn.result.text) for turn in episode.turns if turn.result)
    )
    return RowLength(
        tokens=labels + round(read / CHARACTERS) + sum(pictures), labels=labels, pictures=pictures
    )


def lengths_of_counts(
    rows: int, tokens: int, labels: int, pictures: int, max_pixels: int
) -> list[RowLength]:
    """Makes the given number of rows, all with the given length.

    Args:
        tokens, labels, pictures: how many of each are in one row.

    Raises:
        InputError: a count is missing.
    """
    if not (rows and tokens and labels):
        raise InputError(
            "plan",
            "needs a run, or the counts of one",
            "Give --run RUN, or --rows, --tokens and --labels (of a row).",
        )
    each = (max_pixels or MAX_PIXELS) // PICTURE_SIDE**2
    return [RowLength(tokens=tokens, labels=labels, pictures=(each,) * pictures)] * rows


def sft_text(found: SftForecast, shape: ModelShape, gpu: Gpu, name: str) -> str:
    """The forecast of a fine-tuning as text, for people."""
    rows = [
        ("rows", f"{found.rows:,}"),
        ("tokens", f"{found.tokens:,} an epoch, {found.labels:,} of them in the loss"),
        ("updates", f"{found.updates:,} in {found.epochs} epochs"),
        ("time", f"{_hours(found.hours)} of wall time, {found.hours * found.gpus:,.1f} GPU hours"),
    ]
    formula = f"{found.tokens:,} tokens × {found.epochs} epochs ÷ ({found.pace.tokens_per_second:,.0f} tokens a second × {found.gpus} GPUs)"
    return "\n".join(
        [
            f"{name}: {_model(shape)} on {found.gpus} × {gpu.memory / 1e9:.0f} GB",
            _table(rows),
            "",
            f"time    {formula}",
            _pace(
                "training", found.pace, f"{gpu.mfu:.0%} of a peak of {gpu.peak / 1e12:,.0f} TFLOP/s"
            ),
            "",
            _memory(found.memory, gpu),
        ]
    )


def grpo_text(
    found: GrpoForecast, shape: ModelShape, gpu: Gpu, name: str, questions: int, rollouts: int
) -> str:
    """The forecast of GRPO as text, for people.

    Args:
        name: the name of the settings.
        questions: the number of questions in a step.
        rollouts: the number of rollouts for a question.
    """
    sampling, reading, updating = found.seconds
    rows = [
        ("steps", f"{found.steps:,}"),
        ("rollouts", f"{questions} questions × {rollouts} = {found.episodes:,} a step"),
        ("sampled", f"{found.decode_tokens:,} tokens a step"),
        ("updated on", f"{found.update_tokens:,} tokens a step"),
        (
            "a step",
            f"sampling {sampling:,.0f} s + reading {reading:,.0f} s + updating {updating:,.0f} s",
        ),
        (
            "time",
            f"{_hours(found.hours)} of wall time, {found.hours * found.gpus:,.1f} GPU hours, without waiting for tools and judges",
        ),
    ]
    formula = (
        f"({found.decode_tokens:,} ÷ {found.decode.tokens_per_second:,.0f} + {found.update_tokens:,} ÷ {found.pace.tokens_per_second:,.0f}) ÷ "
        f"{found.gpus} GPUs + {reading:,.0f} s, × {found.steps} steps"
    )
    return "\n".join(
        [
            f"{name}: {_model(shape)} on {found.gpus} × {gpu.memory / 1e9:.0f} GB",
            _table(rows),
            "",
            f"time    {formula}",
            _pace(
                "training", found.pace, f"{gpu.mfu:.0%} of a peak of {gpu.peak / 1e12:,.0f} TFLOP/s"
            ),
            _pace(
                "sampling",
                found.decode,
                f"{gpu.decode_share:.0%} of {gpu.bandwidth / 1e12:.2f} TB/s, with which weights and caches are read",
            ),
            "",
            _memory(found.memory, gpu),
        ]
    )


def as_json(found: SftForecast | GrpoForecast) -> dict[str, Any]:
    """The whole forecast as JSON, for programs."""
    return {
        **asdict(found),
        "hours": found.hours,
        "gpu_hours": found.hours * found.gpus,
        "memory_bytes": found.memory.total,
    }


def _model(shape: ModelShape) -> str:
    return f"{shape.name}, {shape.parameters / 1e9:.2f} billion parameters"


def _pace(what: str, pace: Pace, assumed: str) -> str:
    told = f"{what} at {pace.tokens_per_second:,.0f} tokens a second and GPU"
    return (
        f"* {told}, as measured"
        if pace.measured
        else f"* {told}: ASSUMED, {assumed}. Measure it, and say so with --{what}-pace."
    )


def _memory(found: Memory, gpu: Gpu) -> str:
    rows = [(name, f"{part / 1e9:.1f} GB") for name, part in vars(found).items()]
    fits = (
        "fits, with fragmentation and libraries still to come"
        if found.total < 0.9 * gpu.memory
        else "is TOO NEAR to what there is"
        if found.total < gpu.memory
        else "does NOT fit: more GPUs, LoRA, or shorter rows (data.max_tokens)"
    )
    return "\n".join(
        [
            "memory a GPU, reckoned",
            _table(rows),
            f"  {found.total / 1e9:.1f} GB in all of {gpu.memory / 1e9:.0f}: {fits}",
        ]
    )


def _hours(hours: float) -> str:
    return f"{hours * 60:.0f} min" if hours < 1.5 else f"{hours:,.1f} h"


def _table(rows: Sequence[tuple[str, str]]) -> str:
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 2))
    for name, value in rows:
        table.add_row(name, value)
    out = io.StringIO()
    Console(file=out, width=150).print(table)
    return out.getvalue().rstrip()
