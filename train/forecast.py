"""What a training run will take: tokens, updates, memory a GPU, hours. Imports no torch; nothing is run for it.

Nothing here was measured on a GPU. Time is tokens divided by measured tokens a second where they are given, else arithmetic divided by a GPU's
peak times an assumed share of it (MFU); memory is the sum of what is known to be held, without fragmentation and the libraries' own (1 to 3 GB).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from questloom.train.model.shape import ModelShape
from questloom.train.settings.training_settings import WeightSettings

LOGITS = 1 << 27
"""Of a chunk: `logprobs.CHUNK_ELEMENTS` on a GPU."""
Kind = Literal["single", "ddp", "fsdp"]


@dataclass(frozen=True, kw_only=True)
class Gpu:
    """The machine that is reckoned with; the defaults are an H100 (SXM) and shares that are assumed."""

    memory: float = 80e9
    peak: float = 989e12
    """bf16 operations a second, dense."""
    bandwidth: float = 3.35e12
    """Bytes a second between memory and the units."""
    mfu: float = 0.3
    """Assumed share of the peak in training and in reading prompts."""
    decode_share: float = 0.5
    """Assumed share of the bandwidth when tokens are sampled."""


@dataclass(frozen=True, kw_only=True)
class RowLength:
    """A row in tokens."""

    tokens: int
    """With pictures."""
    labels: int
    """In the loss: what the policy said."""
    pictures: tuple[int, ...] = ()
    """Tokens of each picture."""

    def shortened(self, max_tokens: int) -> "RowLength":
        """The row in a limit, its labels and pictures fewer in proportion.

        >>> RowLength(tokens=3000, labels=300, pictures=(256, 256, 256)).shortened(2000)
        RowLength(tokens=2000, labels=200, pictures=(256, 256))
        """
        share = min(1.0, max_tokens / self.tokens)
        return RowLength(
            tokens=round(self.tokens * share),
            labels=round(self.labels * share),
            pictures=self.pictures[: round(len(self.pictures) * share)],
        )


def num_trained_parameters(shape: ModelShape, weights: WeightSettings) -> int:
    """Parameters that are trained; with LoRA those of the adapters.

    An 8B in full, with its vision model frozen, and by adapters of rank 64 on the language model alone:

    >>> from questloom.train.model.shape import KNOWN
    >>> frozen = {"freeze_vision": True, "freeze_projector": True}
    >>> [round(num_trained_parameters(KNOWN["qwen3-vl-8b"], w) / 1e9, 2) for w in (WeightSettings(), WeightSettings(**frozen))]
    [8.77, 8.19]
    >>> from questloom.train.settings.training_settings import LoraSettings
    >>> round(num_trained_parameters(KNOWN["qwen3-vl-8b"], WeightSettings(lora=LoraSettings(rank=64), **frozen)) / 1e6)
    175
    """
    if weights.lora is None:
        return (
            shape.embedding
            + shape.text
            + (0 if weights.freeze_vision else shape.tower)
            + (0 if weights.freeze_projector else shape.projector)
        )
    seen, heads = shape.vision, shape.head_width
    merged = seen.width * seen.merge**2
    text = shape.layers * (
        2 * (shape.width + shape.heads * heads)
        + 2 * (shape.width + shape.kv_heads * heads)
        + 3 * (shape.width + shape.mlp_width)
    )
    tower = seen.layers * (4 * seen.width + 2 * seen.width + 2 * (seen.width + seen.mlp_width))
    projector = seen.projectors * (2 * merged + merged + shape.width)
    return weights.lora.rank * (
        text
        + (0 if weights.freeze_vision else tower)
        + (0 if weights.freeze_projector else projector)
    )


@dataclass(frozen=True, kw_only=True)
class Memory:
    """Bytes on one GPU."""

    trained: float
    """Weights, gradient and AdamW's two numbers, all in fp32: 16 a parameter."""
    frozen: float
    """As stored, in bf16: 2 a parameter."""
    copies: float
    """bf16 copies: autocast keeps one of every trained weight for the pass; FSDP2 gathers the largest group, embedding and head, and its
    gradient, which it sums over ranks in fp32."""
    activations: float
    """Each layer's input; with it one layer's own, or without checkpointing every layer's."""
    head: float
    """Two chunks of logits in fp32 and one in bf16; the head's gradient while it is summed in fp32."""

    @property
    def total(self) -> float:
        """All of it."""
        return self.trained + self.frozen + self.copies + self.activations + self.head


def memory(
    shape: ModelShape, weights: WeightSettings, *, tokens: int, gpus: int, kind: Kind
) -> Memory:
    """What a GPU holds at the most, in bf16.

    Args:
        tokens: that one forward pass holds.
        gpus: ranks.

    The 8B in full on one GPU, and under FSDP2 on eight, in GB, at 20,480 tokens:

    >>> from questloom.train.model.shape import KNOWN
    >>> for gpus, kind in ((1, "single"), (8, "fsdp")):
    ...     found = memory(KNOWN["qwen3-vl-8b"], WeightSettings(), tokens=20_480, gpus=gpus, kind=kind)
    ...     print({name: round(part / 1e9, 1) for name, part in vars(found).items()}, round(found.total / 1e9))
    {'trained': 140.3, 'frozen': 0.0, 'copies': 17.5, 'activations': 9.4, 'head': 3.8} 171
    {'trained': 17.5, 'frozen': 0.0, 'copies': 10.0, 'activations': 9.4, 'head': 3.8} 41

    By adapters of rank 64 on one GPU:

    >>> from questloom.train.settings.training_settings import LoraSettings
    >>> found = memory(KNOWN["qwen3-vl-8b"], WeightSettings(lora=LoraSettings(rank=64)), tokens=20_480, gpus=1, kind="single")
    >>> {name: round(part / 1e9, 1) for name, part in vars(found).items()}, round(found.total / 1e9)
    ({'trained': 3.4, 'frozen': 17.5, 'copies': 0.4, 'activations': 9.4, 'head': 1.3}, 32)
    """
    parts = gpus if kind == "fsdp" else 1
    learned = num_trained_parameters(shape, weights)
    whole = weights.lora is None
    frozen = shape.parameters - (learned if whole else 0)
    # Of a layer: inputs of norms, projections and products, kept for its gradient.
    own = (
        2
        * tokens
        * (
            8 * shape.width
            + 2 * (shape.heads + 2 * shape.kv_heads) * shape.head_width
            + 3 * shape.mlp_width
        )
    )
    kept = 2 * shape.layers * tokens * shape.width
    return Memory(
        trained=16 * learned / parts,
        frozen=2 * frozen / parts,
        copies=2 * learned if kind != "fsdp" else shape.embedding * (2 + 2 + 4 if whole else 2),
        activations=kept + own if weights.activation_checkpointing else shape.layers * own,
        head=10 * LOGITS + (4 * shape.vocabulary * shape.width if whole else 0),
    )


def fitting_kind(gpus: int) -> Kind:
    """How several GPUs train together where nothing is said: sharded."""
    return "single" if gpus == 1 else "fsdp"


def row_flops(shape: ModelShape, weights: WeightSettings, row: RowLength) -> float:
    """Arithmetic of training on one row, without what is computed again."""
    full = 3 if weights.lora is None else 2
    tower = 1 if weights.freeze_vision else full
    projector = full if not weights.freeze_projector else 1 if weights.freeze_vision else 2
    return shape.flops(
        row.tokens,
        row.labels,
        row.pictures,
        text_passes=full,
        projector_passes=projector,
        tower_passes=tower,
    )


def forward_flops(shape: ModelShape, row: RowLength) -> float:
    """Arithmetic of reading a row once."""
    return shape.flops(
        row.tokens, row.labels, row.pictures, text_passes=1, projector_passes=1, tower_passes=1
    )


@dataclass(frozen=True, kw_only=True)
class Pace:
    """Tokens a second on one GPU."""

    tokens_per_second: float
    measured: bool


def training_pace(
    shape: ModelShape,
    weights: WeightSettings,
    rows: Sequence[RowLength],
    gpu: Gpu,
    measured: float | None,
) -> Pace:
    """As measured, or by arithmetic.

    The 8B, vision frozen, on rows of 9,000 tokens with 900 in the loss: 5 × 10¹⁴ operations a row at 30 % of 989 × 10¹² a second.

    >>> from questloom.train.model.shape import KNOWN
    >>> frozen = WeightSettings(freeze_vision=True, freeze_projector=True)
    >>> round(training_pace(KNOWN["qwen3-vl-8b"], frozen, [RowLength(tokens=9000, labels=900)], Gpu(), None).tokens_per_second)
    5933
    """
    if measured is not None:
        return Pace(tokens_per_second=measured, measured=True)
    total = sum(row_flops(shape, weights, row) for row in rows)
    return Pace(
        tokens_per_second=gpu.peak * gpu.mfu * sum(row.tokens for row in rows) / total,
        measured=False,
    )


def decode_pace(
    shape: ModelShape, rows: Sequence[RowLength], gpu: Gpu, at_once: int, measured: float | None
) -> Pace:
    """Tokens that a GPU samples a second, as measured or by what it must read for one token of each of `at_once` episodes: the weights in
    bf16, and keys and values of half an episode each.

    >>> from questloom.train.model.shape import KNOWN
    >>> round(decode_pace(KNOWN["qwen3-vl-8b"], [RowLength(tokens=9000, labels=900)], Gpu(), 32, None).tokens_per_second)
    1474
    """
    if measured is not None:
        return Pace(tokens_per_second=measured, measured=True)
    mean = sum(row.tokens for row in rows) / len(rows)
    read = (
        2 * (shape.text + shape.vocabulary * shape.width)
        + at_once * mean / 2 * 4 * shape.layers * shape.kv_heads * shape.head_width
    )
    return Pace(tokens_per_second=at_once * gpu.bandwidth * gpu.decode_share / read, measured=False)


@dataclass(frozen=True, kw_only=True)
class SftForecast:
    """A run of supervised fine-tuning."""

    rows: int
    tokens: int
    """Of an epoch."""
    labels: int
    updates: int
    epochs: int
    memory: Memory
    pace: Pace
    gpus: int

    @property
    def hours(self) -> float:
        """Of wall time, without start, validation and checkpoints."""
        return self.tokens * self.epochs / (self.pace.tokens_per_second * self.gpus) / 3600


def forecast_sft(
    shape: ModelShape,
    weights: WeightSettings,
    lengths: Sequence[RowLength],
    *,
    max_tokens: int,
    micro_tokens: int,
    update_rows: int,
    epochs: int,
    gpus: int,
    gpu: Gpu,
    measured: float | None = None,
) -> SftForecast:
    """What `questloom.train.sft` will take.

    Args:
        lengths: of the rows, as they are before they are shortened to `max_tokens`.
        micro_tokens: of a forward pass.
        update_rows: rows of an update.
        measured: tokens a second and GPU.
    """
    rows = [row.shortened(max_tokens) for row in lengths]
    return SftForecast(
        rows=len(rows),
        tokens=sum(row.tokens for row in rows),
        labels=sum(row.labels for row in rows),
        updates=math.ceil(len(rows) / update_rows) * epochs,
        epochs=epochs,
        gpus=gpus,
        memory=memory(shape, weights, tokens=micro_tokens, gpus=gpus, kind=fitting_kind(gpus)),
        pace=training_pace(shape, weights, rows, gpu, measured),
    )


@dataclass(frozen=True, kw_only=True)
class GrpoForecast:
    """A run of GRPO whose GPUs sample and then train, by turns."""

    steps: int
    episodes: int
    """Of a step: questions × rollouts."""
    update_tokens: int
    """Of a step."""
    decode_tokens: int
    """Of a step: what the policy says."""
    memory: Memory
    """While it trains; an engine's own copy of the weights and its cache are not in it."""
    pace: Pace
    decode: Pace
    read_seconds: float
    """Of a step: the prompts and observations of all its episodes, each token once."""
    gpus: int

    @property
    def seconds(self) -> tuple[float, float, float]:
        """Of a step: sampling, reading, updating. It does not contain the time in which tools and judges are awaited."""
        return (
            self.decode_tokens / (self.decode.tokens_per_second * self.gpus),
            self.read_seconds,
            self.update_tokens / (self.pace.tokens_per_second * self.gpus),
        )

    @property
    def hours(self) -> float:
        """Hours of the whole run."""
        return self.steps * sum(self.seconds) / 3600


def forecast_grpo(
    shape: ModelShape,
    weights: WeightSettings,
    lengths: Sequence[RowLength],
    *,
    max_tokens: int,
    micro_tokens: int,
    steps: int,
    questions: int,
    rollouts: int,
    at_once: int,
    gpus: int,
    gpu: Gpu,
    measured: float | None = None,
    measured_decode: float | None = None,
) -> GrpoForecast:
    """What GRPO will take, if its episodes are as long as those given.

    Args:
        questions, rollouts: of a step, and of a question. Resampled ones (AXPO, refills) come on top.
        at_once: episodes that a GPU plays at a time.
        measured, measured_decode: tokens a second and GPU, of updates and of sampling.
    """
    rows = [row.shortened(max_tokens) for row in lengths]
    episodes = questions * rollouts
    each = episodes / len(rows)
    return GrpoForecast(
        steps=steps,
        episodes=episodes,
        update_tokens=round(each * sum(row.tokens for row in rows)),
        decode_tokens=round(each * sum(row.labels for row in rows)),
        gpus=gpus,
        memory=memory(shape, weights, tokens=micro_tokens, gpus=gpus, kind=fitting_kind(gpus)),
        pace=training_pace(shape, weights, rows, gpu, measured),
        decode=decode_pace(shape, rows, gpu, at_once, measured_decode),
        read_seconds=each
        * sum(forward_flops(shape, row) for row in rows)
        / (gpu.peak * gpu.mfu * gpus),
    )
