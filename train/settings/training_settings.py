"""The settings of SFT, and the settings that SFT shares with GRPO (`settings/grpo_settings.py`).

A settings file names only what differs from the defaults; the run stores every value. The defaults
are this project's own. The files in `presets/` hold published settings, and mark values that a
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
    """Longest row in tokens, with its pictures."""
    too_long: Literal["shorten", "leave_out"] = "shorten"
    """Treatment of longer rows. `shorten` ends a long row after the last whole turn that fits.
    `leave_out` drops the row. Shortened and dropped rows are counted."""
    max_pixels: Annotated[int, Ge(0)] = 0
    """Most pixels of a picture that the model sees; 0 for the limit of the model's processor. The
    exported processor has the same limit."""


@dataclass(frozen=True, kw_only=True)
class LoraSettings:
    """Adapters (LoRA), which are trained in place of all weights."""

    rank: Annotated[int, Gt(0)] = 64
    """Rank of the two matrices of each adapter."""
    alpha: Annotated[int, Ge(0)] = 0
    """Factor of an adapter's output: alpha ÷ rank. 0 sets alpha to twice the rank."""
    dropout: Annotated[float, Ge(0), Le(1)] = 0.0
    """Share of an adapter's inputs that are set to 0 during training; GRPO takes 0 only."""


@dataclass(frozen=True, kw_only=True)
class WeightSettings:
    """Which weights are trained, and in which precision."""

    lora: LoraSettings | None = None
    """LoRA adapters; if none, the weights themselves are trained."""
    freeze_vision: bool = False
    """Freezes the vision tower, without its projector."""
    freeze_projector: bool = False
    """Freezes the projector from the tower's output to the language model (Qwen: every `merger`)."""
    precision: Literal["bf16", "fp32"] = "bf16"
    """Precision of matrix products. Trained weights and the optimiser's moments are always fp32."""
    attention: str = "sdpa"
    """Attention of transformers. The attention must keep packed rows apart, as sdpa and
    flash_attention_2 do; a check before training tests it."""
    activation_checkpointing: bool = True
    """Computes layers again in the backward pass: about a third more work, but only a small part of the memory."""


@dataclass(frozen=True, kw_only=True)
class OptimiserSettings:
    """AdamW and its learning rate."""

    lr: Annotated[float, Gt(0)] = 1e-5
    """Learning rate at the end of the warm-up."""
    schedule: Literal["cosine", "linear", "constant"] = "cosine"
    """The learning rate after the warm-up: `cosine` and `linear` fall to 0, `constant` stays."""
    warm_up: Annotated[float, Ge(0), Le(1)] = 0.1
    """Share of all updates that are warm-up."""
    weight_decay: Annotated[float, Ge(0)] = 0.0
    """AdamW's weight decay of matrices; norms and biases do not decay."""
    beta1: Annotated[float, Ge(0), Le(1)] = 0.9
    """Decay of AdamW's running mean of the gradients."""
    beta2: Annotated[float, Ge(0), Le(1)] = 0.999
    """Decay of AdamW's running mean of the squared gradients."""
    epsilon: Annotated[float, Gt(0)] = 1e-8
    """A small number that is added to the denominator of AdamW's step."""
    max_grad_norm: Annotated[float, Gt(0)] = 1.0
    """Largest L2 norm of the gradient, over all trained weights and ranks; larger gradients are scaled down."""


@dataclass(frozen=True, kw_only=True)
class BatchSettings:
    """How rows are dealt out. Neither ranks nor micro-batches change an update's gradient beyond
    rounding.
    """

    rows: Annotated[int, Gt(0)] = 32
    """Rows per update, over all ranks. An epoch's last update has the remaining rows."""
    micro_tokens: Annotated[int, Ge(0)] = 0
    """Most tokens in a rank's forward pass; 0 for `data.max_tokens`."""
    epochs: Annotated[int, Gt(0)] = 3
    """Passes over the training rows."""


@dataclass(frozen=True, kw_only=True)
class ParallelSettings:
    """How processes train together. These settings are no part of a run's identity, so a resumed
    run may use other processes.
    """

    kind: Literal["auto", "single", "ddp", "fsdp"] = "auto"
    """With `auto`, several processes use FSDP2 if `accelerate launch` was configured for it, else DDP."""
    processes: Annotated[int, Ge(0)] = 0
    """The required number of processes; 0 takes what the launcher started."""
    timeout_minutes: Annotated[float, Gt(0)] = 60.0
    """How long a rank waits for another before the run ends with an error."""


@dataclass(frozen=True, kw_only=True)
class KeepSettings:
    """What is stored, and how often. These settings are no part of a run's identity."""

    checkpoint_every: Annotated[int, Gt(0)] = 100
    """Updates between checkpoints; the last update always writes a checkpoint."""
    checkpoints: Annotated[int, Gt(0)] = 2
    """The number of newest checkpoints that stay on disk."""
    validate_every: Annotated[int, Ge(0)] = 0
    """Updates between validations; 0 validates at each epoch's end."""


@dataclass(frozen=True, kw_only=True)
class SftSettings:
    """The settings of a run of supervised fine-tuning."""

    name: str = "custom"
    """The settings' name, stored with the run; part of its identity."""
    seed: Annotated[int, Ge(0)] = 0
    """Seed of the rows' order, and of adapters' first weights and dropout."""
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

        These are all settings that change the trained weights beyond rounding.
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
    """Resolved settings by "section.key", without sections and keys that may change at a resume."""
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
