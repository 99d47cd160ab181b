"""The settings of SFT, and the settings that SFT shares with GRPO (`settings/grpo_settings.py`).

A settings file contains only the values that differ from the defaults. The run stores every value,
also the defaults. The default values are this project's own choice. The files in `presets/` contain
published settings. The files in `presets/` also mark the values that a paper does not state.
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
    """How conversations become rows (tensors for training)."""

    max_tokens: Annotated[int, Gt(0)] = 32_768
    """Maximum number of tokens in a row, pictures included."""
    too_long: Literal["shorten", "leave_out"] = "shorten"
    """What happens to rows that are longer than `max_tokens`. `shorten` cuts a long row after its
    last whole turn that fits. `leave_out` drops a long row. The run counts the rows that it
    shortened or dropped.
    """
    max_pixels: Annotated[int, Ge(0)] = 0
    """Maximum number of pixels of a picture as the model sees it; 0 takes the limit of the model's
    processor. The exported model stores this limit on pixels.
    """


@dataclass(frozen=True, kw_only=True)
class LoraSettings:
    """Settings of adapters (LoRA). If there are adapters, only the adapters are trained."""

    rank: Annotated[int, Gt(0)] = 64
    """Rank of each adapter's two matrices."""
    alpha: Annotated[int, Ge(0)] = 0
    """An adapter's output is multiplied by alpha ÷ rank. 0 sets alpha to twice the rank."""
    dropout: Annotated[float, Ge(0), Le(1)] = 0.0
    """Dropout: the share of an adapter's inputs that training sets to 0. GRPO accepts only the
    value 0.
    """


@dataclass(frozen=True, kw_only=True)
class WeightSettings:
    """Which weights are trained, and with which precision."""

    lora: LoraSettings | None = None
    """Settings of LoRA adapters. With None, there are no adapters, and the model's own weights are
    trained."""
    freeze_vision: bool = False
    """Whether the vision tower stays untrained; its projector has a setting of its own."""
    freeze_projector: bool = False
    """Whether the projector from the vision tower to the language model stays untrained (every
    `merger` in Qwen's models).
    """
    precision: Literal["bf16", "fp32"] = "bf16"
    """The precision in which matrices are multiplied. Trained weights and the optimiser's moments
    are always fp32."""
    attention: str = "sdpa"
    """The name of the attention that transformers uses. The attention must keep packed rows apart,
    as sdpa and flash_attention_2 do. A check before training tests whether the attention does so.
    """
    activation_checkpointing: bool = True
    """Whether the backward pass computes the layers again (activation checkpointing). Activation
    checkpointing costs about a third more work, but saves most of the memory for activations.
    """


@dataclass(frozen=True, kw_only=True)
class OptimiserSettings:
    """Settings of AdamW and its learning rate."""

    lr: Annotated[float, Gt(0)] = 1e-5
    """The learning rate at the end of the warm-up, which is the highest."""
    schedule: Literal["cosine", "linear", "constant"] = "cosine"
    """How the learning rate changes after the warm-up. `cosine` and `linear` let the learning rate
    fall to 0; `constant` keeps it.
    """
    warm_up: Annotated[float, Ge(0), Le(1)] = 0.1
    """Share of all updates that belong to the warm-up."""
    weight_decay: Annotated[float, Ge(0)] = 0.0
    """AdamW's weight decay for matrices. Norms and biases have no weight decay."""
    beta1: Annotated[float, Ge(0), Le(1)] = 0.9
    """Decay of AdamW's running mean of the gradients."""
    beta2: Annotated[float, Ge(0), Le(1)] = 0.999
    """Decay of AdamW's running mean of the squared gradients."""
    epsilon: Annotated[float, Gt(0)] = 1e-8
    """A small number that is added to the denominator of AdamW's step."""
    max_grad_norm: Annotated[float, Gt(0)] = 1.0
    """Maximum L2 norm of the gradient, over all trained weights and ranks. A larger gradient is
    scaled down to this norm.
    """


@dataclass(frozen=True, kw_only=True)
class BatchSettings:
    """How rows are distributed over updates and ranks (training processes). The gradient of an
    update does not depend on the number of ranks and micro-batches, apart from rounding.
    """

    rows: Annotated[int, Gt(0)] = 32
    """Number of rows per update, over all ranks. The last update of an epoch may have fewer
    rows.
    """
    micro_tokens: Annotated[int, Ge(0)] = 0
    """Maximum number of tokens in one forward pass of a rank; 0 takes the value of
    `data.max_tokens`."""
    epochs: Annotated[int, Gt(0)] = 3
    """Number of passes over the training rows."""


@dataclass(frozen=True, kw_only=True)
class ParallelSettings:
    """How processes train together. A resumed run may change these settings, for example the number
    of processes.
    """

    kind: Literal["auto", "single", "ddp", "fsdp"] = "auto"
    """With `auto`, several processes use FSDP2 if `accelerate launch` was configured for FSDP2,
    else DDP."""
    processes: Annotated[int, Ge(0)] = 0
    """The required number of processes; 0 accepts any number that the launcher started."""
    timeout_minutes: Annotated[float, Gt(0)] = 60.0
    """How long a rank waits for another rank, before the run ends with an error."""


@dataclass(frozen=True, kw_only=True)
class KeepSettings:
    """What the run stores on disk, and how often. A resumed run may change these settings."""

    checkpoint_every: Annotated[int, Gt(0)] = 100
    """Number of updates from one checkpoint to the next. The last update always writes a checkpoint
    too."""
    checkpoints: Annotated[int, Gt(0)] = 2
    """How many checkpoints stay on disk; older ones are removed."""
    validate_every: Annotated[int, Ge(0)] = 0
    """Number of updates from one validation to the next; 0 validates at the end of each epoch."""


@dataclass(frozen=True, kw_only=True)
class SftSettings:
    """The settings of supervised fine-tuning."""

    name: str = "custom"
    """A name for these settings, which is stored with the run. A resumed run must have the same
    name."""
    seed: Annotated[int, Ge(0)] = 0
    """Random seed for the order of rows, and for the adapters' initial weights and dropout."""
    data: DataSettings = field(default_factory=DataSettings)
    weights: WeightSettings = field(default_factory=WeightSettings)
    optimiser: OptimiserSettings = field(default_factory=OptimiserSettings)
    batch: BatchSettings = field(default_factory=BatchSettings)
    parallel: ParallelSettings = field(default_factory=ParallelSettings)
    keep: KeepSettings = field(default_factory=KeepSettings)

    @property
    def micro_tokens(self) -> int:
        """The maximum number of tokens in one forward pass."""
        return self.batch.micro_tokens or self.data.max_tokens

    def resolved(self) -> dict[str, Any]:
        """All settings as plain JSON."""
        return settings_adapter(SftSettings).dump_python(self, mode="json")

    def identity(self) -> dict[str, Any]:
        """The settings that must stay the same when a run is resumed.

        A change of any of these settings would change the trained weights by more than rounding.
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
    """A dict from "section.key" to the setting. The dict leaves out settings that may change when a
    run is resumed.
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
        InputError: see `read_settings`; also if some values do not fit together.
    """
    settings = read_settings(SftSettings, source, overrides, presets(grpo=False))
    check_micro_tokens(settings.data, settings.micro_tokens, source)
    return settings


def check_micro_tokens(
    data: DataSettings, micro_tokens: int, where: str, *, key: str = "batch.micro_tokens"
) -> None:
    """Checks that the longest row which the settings allow fits into one forward pass.

    Raises:
        InputError: the longest row that the settings allow does not fit into one forward pass.
    """
    if micro_tokens < data.max_tokens:
        raise InputError(
            f"{where}, key {key}",
            f"is {micro_tokens}, but a row may have {data.max_tokens} tokens",
            "Raise it, or lower data.max_tokens: a row is never parted.",
        )
