"""The settings of SFT, and the settings that SFT shares with GRPO (`settings/grpo_settings.py`).

A settings file names only what differs from the defaults; the run stores every value. The defaults
are this project's own. The files in `presets/` hold published settings. They mark the values that a
paper leaves open.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from annotated_types import Ge, Gt, Le

from questloom.files.settings_files import settings_adapter
from questloom.records.errors import InputError
from questloom.train.settings.settings_file import presets, read_settings


@dataclass(frozen=True, kw_only=True)
class DataSettings:
    """How the data becomes rows."""

    max_tokens: Annotated[int, Gt(0)] = 32_768
    """Maximum number of tokens in a row, pictures included."""
    too_long: Literal["shorten", "leave_out"] = "shorten"
    """What to do with longer rows. `shorten` ends a long row after the last whole turn that fits.
    `leave_out` drops a long row. The run counts shortened and dropped rows.
    """
    max_pixels: Annotated[int, Ge(0)] = 0
    """Maximum number of pixels that the model sees of a picture; 0 takes the limit of the model's
    processor. The exported processor has the same limit.
    """


@dataclass(frozen=True, kw_only=True)
class LoraSettings:
    """Settings of adapters (LoRA). They are trained in place of all weights."""

    rank: Annotated[int, Gt(0)] = 64
    """Rank of the two matrices of each adapter."""
    alpha: Annotated[int, Ge(0)] = 0
    """Factor of an adapter's output: alpha ÷ rank. 0 sets alpha to twice the rank."""
    dropout: Annotated[float, Ge(0), Le(1)] = 0.0
    """Dropout: the share of an adapter's inputs that are set to 0 during training. GRPO accepts
    only 0.
    """


@dataclass(frozen=True, kw_only=True)
class WeightSettings:
    """Which weights are trained, and in which precision."""

    lora: LoraSettings | None = None
    """Settings of LoRA adapters. Without a value, the weights themselves are trained."""
    freeze_vision: bool = False
    """Whether the vision tower is frozen, apart from its projector."""
    freeze_projector: bool = False
    """Whether the projector from the vision tower to the language model is frozen (in Qwen, every
    `merger`).
    """
    precision: Literal["bf16", "fp32"] = "bf16"
    """Precision of matrix products. Trained weights and the optimiser's moments are always fp32."""
    attention: str = "sdpa"
    """The name of the attention that transformers uses. The attention must keep packed rows apart,
    as sdpa and flash_attention_2 do; a check before training tests it.
    """
    activation_checkpointing: bool = True
    """Whether the backward pass computes the layers again. This costs about a third more work but
    saves most of the memory.
    """


@dataclass(frozen=True, kw_only=True)
class OptimiserSettings:
    """AdamW and its learning rate."""

    lr: Annotated[float, Gt(0)] = 1e-5
    """Learning rate at the end of the warm-up."""
    schedule: Literal["cosine", "linear", "constant"] = "cosine"
    """The learning rate after the warm-up: `cosine` and `linear` let it fall to 0, `constant` keeps
    it.
    """
    warm_up: Annotated[float, Ge(0), Le(1)] = 0.1
    """Share of all updates that belong to the warm-up."""
    weight_decay: Annotated[float, Ge(0)] = 0.0
    """AdamW's weight decay for matrices. Norms and biases do not decay."""
    beta1: Annotated[float, Ge(0), Le(1)] = 0.9
    """Decay of AdamW's running mean of the gradients."""
    beta2: Annotated[float, Ge(0), Le(1)] = 0.999
    """Decay of AdamW's running mean of the squared gradients."""
    epsilon: Annotated[float, Gt(0)] = 1e-8
    """A small number that is added to the denominator of AdamW's step."""
    max_grad_norm: Annotated[float, Gt(0)] = 1.0
    """Maximum L2 norm of the gradient, over all trained weights and ranks. Larger gradients are
    scaled down.
    """


@dataclass(frozen=True, kw_only=True)
class BatchSettings:
    """How rows are distributed over updates and ranks. Apart from rounding, the number of ranks and
    micro-batches does not change an update's gradient.
    """

    rows: Annotated[int, Gt(0)] = 32
    """Number of rows per update, over all ranks. The last update of an epoch has the remaining
    rows.
    """
    micro_tokens: Annotated[int, Ge(0)] = 0
    """Maximum number of tokens in a rank's forward pass; 0 takes `data.max_tokens`."""
    epochs: Annotated[int, Gt(0)] = 3
    """Number of passes over the training rows."""


@dataclass(frozen=True, kw_only=True)
class ParallelSettings:
    """How processes train together. These settings are no part of a run's identity, so a resumed
    run may use other processes.
    """

    kind: Literal["auto", "single", "ddp", "fsdp"] = "auto"
    """With `auto`, several processes use FSDP2 if `accelerate launch` was configured for it, else DDP."""
    processes: Annotated[int, Ge(0)] = 0
    """The required number of processes; 0 accepts the number that the launcher started."""
    timeout_minutes: Annotated[float, Gt(0)] = 60.0
    """How long a rank waits for another before the run ends with an error."""


@dataclass(frozen=True, kw_only=True)
class KeepSettings:
    """What the run stores, and how often. These settings are no part of a run's identity."""

    checkpoint_every: Annotated[int, Gt(0)] = 100
    """Number of updates between checkpoints. The last update always writes a checkpoint."""
    checkpoints: Annotated[int, Gt(0)] = 2
    """The number of newest checkpoints that stay on disk."""
    validate_every: Annotated[int, Ge(0)] = 0
    """Number of updates between validations; 0 validates at the end of each epoch."""


@dataclass(frozen=True, kw_only=True)
class SftSettings:
    """The settings of a run of supervised fine-tuning."""

    name: str = "custom"
    """The settings' name, stored with the run; part of its identity."""
    seed: Annotated[int, Ge(0)] = 0
    """Random seed for the order of rows, and for the adapters' first weights and dropout."""
    data: DataSettings = field(default_factory=DataSettings)
    weights: WeightSettings = field(default_factory=WeightSettings)
    optimiser: OptimiserSettings = field(default_factory=OptimiserSettings)
    batch: BatchSettings = field(default_factory=BatchSettings)
    parallel: ParallelSettings = field(default_factory=ParallelSettings)
    keep: KeepSettings = field(default_factory=KeepSettings)

    @property
    def micro_tokens(self) -> int:
        """The most tokens in one forward pass."""
        return self.batch.micro_tokens or self.data.max_tokens

    def resolved(self) -> dict[str, Any]:
        """Every setting as plain JSON."""
        return settings_adapter(SftSettings).dump_python(self, mode="json")

    def identity(self) -> dict[str, Any]:
        """The settings that must not change when a run is resumed.

        All of them change the trained weights beyond rounding.
        """
        return identity_of(self.resolved())


OF_THE_MACHINE = frozenset(
    {
        "parallel",
        "keep",
        "batch.micro_tokens",
        "weights.activation_checkpointing",
        "weights.attention",
    }
)


def identity_of(
    resolved: Mapping[str, Any], but: frozenset[str] = OF_THE_MACHINE
) -> dict[str, Any]:
    """Maps "section.key" to its resolved setting. The result lacks the sections and keys that may
    change when a run is resumed.
    """
    flat = {
        f"{section}.{key}" if key else section: value
        for section, found in resolved.items()
        if section not in but
        for key, value in (found.items() if isinstance(found, dict) else (("", found),))
    }
    return {key: value for key, value in flat.items() if key not in but}


def load_settings(source: str, overrides: Iterable[str] = ()) -> SftSettings:
    """Reads settings from a file or a preset ("vsearcher"), with `section.key=value` overrides.

    Raises:
        InputError: see `read_settings`, or values that do not fit each other.
    """
    settings = read_settings(SftSettings, source, overrides, presets(grpo=False))
    check_micro_tokens(settings.data, settings.micro_tokens, source)
    return settings


def check_micro_tokens(
    data: DataSettings, micro_tokens: int, where: str, *, key: str = "batch.micro_tokens"
) -> None:
    """Checks that every row fits into a forward pass.

    Raises:
        InputError: the longest allowed row does not fit.
    """
    if micro_tokens < data.max_tokens:
        raise InputError(
            f"{where}, key {key}",
            f"is {micro_tokens}, but a row may have {data.max_tokens} tokens",
            "Raise it, or lower data.max_tokens: a row is never parted.",
        )
