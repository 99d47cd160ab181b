"""Forecasts the tokens, updates, GPU memory and hours of a training run. The forecast needs neither
torch nor a GPU.

None of the constants was measured on a GPU. A caller may give the measured speed in tokens per
second. With a measured speed, the time is the number of tokens divided by this speed. Without a
measured speed, the time is the number of operations divided by an assumed share (MFU) of the GPU's
peak speed. The memory is the sum of all known tensors. The sum leaves out memory fragmentation, and
the 1 to 3 GB that the libraries take.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from questloom.train.model.shape import ModelShape
from questloom.train.settings.training_settings import WeightSettings

LOGITS = 1 << 27
"""Number of logits that a GPU computes at once, as in `logprobs.CHUNK_ELEMENTS`."""
Kind = Literal["single", "ddp", "fsdp"]


@dataclass(frozen=True, kw_only=True)
class Gpu:
    """The GPU for which a forecast is made. The defaults are the figures of an H100 (SXM). How much
    of the peak speed and of the bandwidth is used is an assumption.
    """

    memory: float = 80e9
    peak: float = 989e12
    """Dense bf16 operations per second."""
    bandwidth: float = 3.35e12
    """Bytes per second between the GPU's memory and its compute units."""
    mfu: float = 0.3
    """The share of the peak speed that training and reading prompts are assumed to reach."""
    decode_share: float = 0.5
    """The share of the memory bandwidth that sampling is assumed to reach."""


@dataclass(frozen=True, kw_only=True)
class RowLength:
    """The length of a row (an episode as tokens)."""

    tokens: int
    """Number of all tokens in the row, including those of pictures."""
    labels: int
    """Number of tokens in the loss; the policy wrote these tokens."""
    pictures: tuple[int, ...] = ()
    """The number of tokens of each picture."""

    def shortened(self, max_tokens: int) -> "RowLength":
        """The row cut to a number of tokens. The numbers of labels and pictures shrink in the same
        proportion as the number of tokens.

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
    """The number of trained parameters; with LoRA, only the adapters are trained.

    The examples train an 8B model in three ways: all weights, a frozen vision model, and adapters
    of rank 64.

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
    """Trained weights, their gradients and the two moments of AdamW, all in fp32: 16 bytes per
    parameter."""
    frozen: float
    """Frozen weights in bf16: 2 bytes per parameter."""
    copies: float
    """Copies of weights in bf16.

    Autocast keeps a copy of every trained weight during the forward and backward pass. FSDP2
    gathers the largest group of weights (embedding and head) and this group's gradient, which it
    sums over the ranks in fp32.
    """
    activations: float
    """The inputs of all layers, and the inner tensors of one layer; without activation
    checkpointing, the inner tensors of all layers.
    """
    head: float
    """Two chunks of logits in fp32, one chunk in bf16, and the gradient of the head in fp32."""

    @property
    def total(self) -> float:
        """The bytes of all parts together."""
        return self.trained + self.frozen + self.copies + self.activations + self.head


def memory(
    shape: ModelShape, weights: WeightSettings, *, tokens: int, gpus: int, kind: Kind
) -> Memory:
    """The peak memory of one GPU when it trains in bf16.

    Args:
        tokens: number of tokens in one forward pass.
        gpus: number of ranks.

    The first two examples give GB for training all weights of an 8B model with 20,480 tokens per
    forward pass: on one GPU, then under FSDP2 on eight GPUs.

    >>> from questloom.train.model.shape import KNOWN
    >>> for gpus, kind in ((1, "single"), (8, "fsdp")):
    ...     found = memory(KNOWN["qwen3-vl-8b"], WeightSettings(), tokens=20_480, gpus=gpus, kind=kind)
    ...     print({name: round(part / 1e9, 1) for name, part in vars(found).items()}, round(found.total / 1e9))
    {'trained': 140.3, 'frozen': 0.0, 'copies': 17.5, 'activations': 9.4, 'head': 3.8} 171
    {'trained': 17.5, 'frozen': 0.0, 'copies': 10.0, 'activations': 9.4, 'head': 3.8} 41

    The third example trains adapters of rank 64 for the same model, on one GPU:

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
    """How several GPUs train together by default: FSDP shards the weights."""
    return "single" if gpus == 1 else "fsdp"


def row_flops(shape: ModelShape, weights: WeightSettings, row: RowLength) -> float:
    """The number of operations for training on one row (an episode as tokens), if nothing is
    computed twice."""
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
    """The number of operations for one forward pass over a row."""
    return shape.flops(
        row.tokens, row.labels, row.pictures, text_passes=1, projector_passes=1, tower_passes=1
    )


@dataclass(frozen=True, kw_only=True)
class Pace:
    """Tokens per second on one GPU."""

    tokens_per_second: float
    measured: bool


def training_pace(
    shape: ModelShape,
    weights: WeightSettings,
    rows: Sequence[RowLength],
    gpu: Gpu,
    measured: float | None,
) -> Pace:
    """The training speed: the measured speed, or else a speed derived from the number of
    operations.

    The example is an 8B model with a frozen vision model. A row has 9,000 tokens, 900 of them in
    the loss. One row takes 5 × 10¹⁴ operations, and the GPU does 30 % of 989 × 10¹² operations per
    second.

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
    """The sampling speed of a GPU in tokens per second: the measured speed, or else a speed derived
    from the bytes that a sampling step reads.

    A sampling step samples one token in each of `at_once` episodes. The step reads the bf16 weights
    once. For each episode, the step also reads cached keys and values, on average for half of the
    episode's tokens.

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
    """The forecast of supervised fine-tuning."""

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
        """Hours of wall time. Start, validation and checkpoints are not included."""
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
        micro_tokens: number of tokens in a forward pass.
        update_rows: number of rows in an update.
        measured: measured tokens per second on a GPU.
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
    """The forecast of a GRPO run. In each step, all GPUs first sample, then train."""

    steps: int
    episodes: int
    """Number of episodes per step: questions × rollouts per question."""
    update_tokens: int
    """Number of tokens per step in the rows on which the policy is trained."""
    decode_tokens: int
    """Number of tokens per step that the policy samples."""
    memory: Memory
    """The memory during training. An inference engine's own copy of the weights and its cache are
    not included."""
    pace: Pace
    decode: Pace
    read_seconds: float
    """Seconds per step for reading the prompts and observations of all episodes. Each token of a
    prompt or observation is read once.
    """
    gpus: int

    @property
    def seconds(self) -> tuple[float, float, float]:
        """The seconds that one step needs for sampling turns, for reading prompts and observations,
        and for the update. The wait for tools and judges is not included."""
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
    """Forecasts a GRPO run; its episodes are assumed to be as long as the given rows.

    Args:
        questions, rollouts: number of questions per step, and of rollouts per question. Neither
            AXPO's continuations nor questions played in place of others are counted.
        at_once: episodes that a GPU plays at once.
        measured, measured_decode: measured tokens per second on a GPU, in updates and in sampling.
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
