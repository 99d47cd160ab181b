"""Forecasts the tokens, updates, GPU memory and hours of a training run, without torch or a GPU.

No constant was measured on a GPU. If the caller gives measured tokens a second, the time is the
number of tokens divided by this speed. Otherwise the time is the number of operations divided by an
assumed share (MFU) of the GPU's peak speed. The memory is the sum of all known tensors. It lacks
fragmentation, and the 1 to 3 GB that the libraries take.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from questloom.train.model.shape import ModelShape
from questloom.train.settings.training_settings import WeightSettings

LOGITS = 1 << 27
"""Number of logits per chunk on a GPU, as in `logprobs.CHUNK_ELEMENTS`."""
Kind = Literal["single", "ddp", "fsdp"]


@dataclass(frozen=True, kw_only=True)
class Gpu:
    """The GPU of a forecast. The defaults are the figures of an H100 (SXM), and assumed shares of
    its peak speed and bandwidth.
    """

    memory: float = 80e9
    peak: float = 989e12
    """Dense bf16 operations a second."""
    bandwidth: float = 3.35e12
    """Bytes a second between GPU memory and compute units."""
    mfu: float = 0.3
    """The assumed share of the GPU's peak speed in training and in reading prompts."""
    decode_share: float = 0.5
    """The assumed share of the memory bandwidth that sampling uses."""


@dataclass(frozen=True, kw_only=True)
class RowLength:
    """The length of a row in tokens."""

    tokens: int
    """All tokens of the row, pictures included."""
    labels: int
    """Tokens in the loss, which the policy wrote."""
    pictures: tuple[int, ...] = ()
    """The number of tokens of each picture."""

    def shortened(self, max_tokens: int) -> "RowLength":
        """The row, cut to a number of tokens, with proportionally fewer labels and pictures.

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
    """The number of trained parameters; with LoRA, those of the adapters.

    The examples train an 8B model in full, then with a frozen vision model, then adapters of rank
    64.

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
    """Bytes of memory on one GPU, by use."""

    trained: float
    """Trained weights, their gradient and AdamW's two moments, all in fp32: 16 bytes per parameter."""
    frozen: float
    """Frozen weights in bf16: 2 bytes per parameter."""
    copies: float
    """Copies of weights in bf16.

    Autocast keeps one copy of every trained weight during the pass. FSDP2 gathers the largest group
    of weights (embedding and head) and the gradient of this group. It sums the gradient over ranks
    in fp32.
    """
    activations: float
    """The input of each layer, and the inner tensors of one layer. Without checkpointing, the inner
    tensors of all layers.
    """
    head: float
    """Two chunks of logits in fp32 and one in bf16, and the head's gradient in fp32."""

    @property
    def total(self) -> float:
        """All parts together."""
        return self.trained + self.frozen + self.copies + self.activations + self.head


def memory(
    shape: ModelShape, weights: WeightSettings, *, tokens: int, gpus: int, kind: Kind
) -> Memory:
    """The peak memory of a GPU in bf16 training.

    Args:
        tokens: number of tokens in one forward pass.
        gpus: number of ranks.

    The first two examples show the GB of an 8B model at 20,480 tokens: fully trained on one GPU,
    then under FSDP2 on eight GPUs.

    >>> from questloom.train.model.shape import KNOWN
    >>> for gpus, kind in ((1, "single"), (8, "fsdp")):
    ...     found = memory(KNOWN["qwen3-vl-8b"], WeightSettings(), tokens=20_480, gpus=gpus, kind=kind)
    ...     print({name: round(part / 1e9, 1) for name, part in vars(found).items()}, round(found.total / 1e9))
    {'trained': 140.3, 'frozen': 0.0, 'copies': 17.5, 'activations': 9.4, 'head': 3.8} 171
    {'trained': 17.5, 'frozen': 0.0, 'copies': 10.0, 'activations': 9.4, 'head': 3.8} 41

    The third example trains adapters of rank 64 for the same model on one GPU:

    >>> from questloom.train.settings.training_settings import LoraSettings
    >>> found = memory(KNOWN["qwen3-vl-8b"], WeightSettings(lora=LoraSettings(rank=64)), tokens=20_480, gpus=1, kind="single")
    >>> {name: round(part / 1e9, 1) for name, part in vars(found).items()}, round(found.total / 1e9)
    ({'trained': 3.4, 'frozen': 17.5, 'copies': 0.4, 'activations': 9.4, 'head': 1.3}, 32)
    """
    parts = gpus if kind == "fsdp" else 1
    learned = num_trained_parameters(shape, weights)
    whole = weights.lora is None
    frozen = shape.parameters - (learned if whole else 0)
    # Of one layer: the inputs of norms, projections and products, which are kept for the gradient.
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
    """The default way in which several GPUs train together: sharded."""
    return "single" if gpus == 1 else "fsdp"


def row_flops(shape: ModelShape, weights: WeightSettings, row: RowLength) -> float:
    """The number of operations to train on one row, without recomputation."""
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
    """The number of operations to read a row once."""
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
    """The training speed: the measured speed, or else the speed by the number of operations.

    The example is an 8B model with frozen vision, on rows of 9,000 tokens with 900 in the loss. A
    row takes 5 × 10¹⁴ operations at 30 % of 989 × 10¹² operations a second.

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
    """The sampling speed of a GPU in tokens a second: the measured speed, or else the speed by the
    bytes that a step reads.

    A step samples one token in each of `at_once` episodes. A step reads the bf16 weights once. For
    each episode, it also reads the keys and values of half of the episode's tokens.

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
    """The forecast of a run of supervised fine-tuning."""

    rows: int
    tokens: int
    """Number of tokens in an epoch."""
    labels: int
    updates: int
    epochs: int
    memory: Memory
    pace: Pace
    gpus: int

    @property
    def hours(self) -> float:
        """Hours of wall time, without start, validation and checkpoints."""
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
    """Forecasts a run of `questloom.train.sft`.

    Args:
        lengths: lengths of the rows before they are cut to `max_tokens`.
        micro_tokens: tokens per forward pass.
        update_rows: rows per update.
        measured: measured tokens a second per GPU.
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
    """The forecast of a GRPO run whose GPUs sample and train in turn."""

    steps: int
    episodes: int
    """Episodes per step: questions × rollouts."""
    update_tokens: int
    """Number of trained tokens per step."""
    decode_tokens: int
    """Number of tokens per step that the policy samples."""
    memory: Memory
    """The memory during training, without an engine's own copy of the weights and its cache."""
    pace: Pace
    decode: Pace
    read_seconds: float
    """Seconds per step to read the prompts and observations of all episodes. Each token is read
    once.
    """
    gpus: int

    @property
    def seconds(self) -> tuple[float, float, float]:
        """Seconds of one training step: sampling the turns, reading their prompts, and the update. The wait for tools and judges is not included."""
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
    """Forecasts a GRPO run whose episodes are as long as the given rows.

    Args:
        questions, rollouts: number of questions per step, and of rollouts per question; both leave
            out AXPO's continuations and refills.
        at_once: episodes that a GPU plays at once.
        measured, measured_decode: tokens a second per GPU in updates and in sampling.
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
