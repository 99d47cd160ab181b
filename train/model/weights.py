"""Loads the model that is trained, freezes parts of it, adds adapters, and exports the result.

transformers and peft can read the exported folders.
"""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import torch
from peft import LoraConfig, PeftModel, get_peft_model
from torch import nn
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_model_state_dict
from transformers import AutoModelForImageTextToText, AutoProcessor

from questloom.records.errors import InputError
from questloom.train.model.attention import ROW_BY_ROW
from questloom.train.model.scorer import Scorer
from questloom.train.settings.training_settings import WeightSettings

FIX = (
    "Name the folder of an image-text model of transformers, with its processor and chat template."
)
PREFIX = "model."
"""The prefix of the model's parameter names inside a `Scorer`."""


@dataclass(frozen=True)
class LoadedModel:
    """The model that a run trains."""

    model: Any
    """The model for generation; with LoRA, peft's layers are already in it."""
    adapters: PeftModel | None


def load_processor(folder: str, max_pixels: int = 0) -> Any:
    """A model's processor, with an upper limit on the pixels of a picture.

    Args:
        max_pixels: the upper limit; 0 for the processor's own limit.

    Raises:
        InputError: the folder has no processor, or the processor cannot limit the number of pixels.
    """
    try:
        processor = AutoProcessor.from_pretrained(folder)
    except (OSError, ValueError) as error:
        raise InputError(
            f"--model {folder}", f"holds no processor ({_first_line(error)})", FIX
        ) from error
    if max_pixels:
        size = getattr(getattr(processor, "image_processor", None), "size", None)
        if not size or not size.get("longest_edge"):
            raise InputError(
                "data.max_pixels",
                f"cannot be set: the processor of {folder} has no size.longest_edge",
                "Set data.max_pixels=0.",
            )
        smallest = min(int(size["shortest_edge"]), max_pixels)
        processor.image_processor.size = type(size)(shortest_edge=smallest, longest_edge=max_pixels)
    return processor


def load_model(folder: str, settings: WeightSettings, seed: int) -> LoadedModel:
    """Loads a model. Trained weights become fp32; frozen weights keep the dtype in which they are
    stored. With `precision: fp32`, all weights are fp32.

    Args:
        seed: seed for the initial weights of the adapters; all ranks must use the same seed.

    Raises:
        InputError: the model cannot be loaded, or has no vision tower to freeze.
    """
    attention = (
        ROW_BY_ROW if settings.attention == "sdpa" else settings.attention
    )  # the same results, without work on masked tokens of packed rows
    try:
        model: Any = AutoModelForImageTextToText.from_pretrained(
            folder, dtype="auto", attn_implementation=attention
        )
    except (OSError, ValueError, ImportError) as error:
        raise InputError(
            f"--model {folder}", f"cannot be loaded ({_first_line(error)})", FIX
        ) from error
    _freeze(model, settings)
    adapters = None
    if settings.lora is not None:
        targets = [
            name
            for name, module in model.named_modules()
            if type(module) is nn.Linear
            and module is not model.get_output_embeddings()
            and all(parameter.requires_grad for parameter in module.parameters())
        ]
        torch.manual_seed(seed)
        alpha = settings.lora.alpha or 2 * settings.lora.rank
        adapters = get_peft_model(
            model,
            LoraConfig(
                r=settings.lora.rank,
                lora_alpha=alpha,
                lora_dropout=settings.lora.dropout,
                target_modules=targets,
            ),
        )
        model = cast(Any, adapters.get_base_model())
    for parameter in model.parameters():
        if parameter.requires_grad or settings.precision == "fp32":
            parameter.data = parameter.data.float()
    if settings.activation_checkpointing:
        model.activation_checkpointing_enable({"use_reentrant": False})
    return LoadedModel(model, adapters)


def vision_parameters(model: Any) -> dict[str, nn.Parameter]:
    """The parameters of the vision tower and its projector, by their names within the tower."""
    inner = getattr(model, model.base_model_prefix)
    tower = next(
        (
            found
            for name in ("visual", "vision_tower", "vision_model")
            if (found := getattr(inner, name, None)) is not None
        ),
        None,
    )
    return dict(tower.named_parameters()) if tower is not None else {}


def _freeze(model: Any, settings: WeightSettings) -> None:
    for what, asked, is_projector in (
        ("vision tower", settings.freeze_vision, False),
        ("projector", settings.freeze_projector, True),
    ):
        found = [
            parameter
            for name, parameter in vision_parameters(model).items()
            if ("merger" in name) == is_projector
        ]
        if asked and not found:
            raise InputError(
                f"model {model.config.model_type}",
                f"has no {what} that is known here",
                "Do not freeze it.",
            )
        for parameter in found if asked else ():
            parameter.requires_grad_(False)


def count_parameters(model: nn.Module) -> dict[str, int]:
    """The number of all parameters, and the number of trained parameters."""
    return {
        "parameters": sum(p.numel() for p in model.parameters()),
        "trained": sum(p.numel() for p in model.parameters() if p.requires_grad),
    }


def export(
    policy: nn.Module,
    scorer: Scorer,
    loaded: LoadedModel,
    processor: Any,
    *,
    source: str,
    out: Path,
    bf16: bool,
    writes: bool,
) -> None:
    """Writes OUT/model for transformers and inference servers. With LoRA, this function also writes
    OUT/adapter for peft.

    All ranks must call this function together. Files are written into a folder with a temporary
    name, which is renamed when it is complete.

    Args:
        policy: the scorer in its DDP or FSDP wrapper.
        scorer, loaded: the scorer without the wrapper, and its model.
        source: folder of the model with which the training began.
        writes: whether this rank writes the folders.
    """
    found = get_model_state_dict(
        policy,
        options=StateDictOptions(
            full_state_dict=True, cpu_offload=True, ignore_frozen_params=loaded.adapters is not None
        ),
    )
    if not writes:
        return
    # A tied head is written once. Gathered or cast weights no longer share memory, by which
    # transformers would notice the tie.
    tied = {name for name, _ in scorer.model.named_parameters(remove_duplicate=False)} - {
        name for name, _ in scorer.model.named_parameters()
    }
    weights = {
        name.removeprefix(PREFIX): cast(torch.Tensor, tensor)
        for name, tensor in found.items()
        if name.removeprefix(PREFIX) not in tied
    }
    kind = torch.bfloat16 if bf16 else torch.float32
    if loaded.adapters is None:
        weights = {name: tensor.to(kind) for name, tensor in weights.items()}
        _whole(out / "model", lambda part: _save(scorer.model, processor, part, kind, weights))
        return
    told = {f"base_model.model.{name}": tensor for name, tensor in weights.items()}
    adapters = loaded.adapters
    _whole(out / "adapter", lambda part: adapters.save_pretrained(str(part), state_dict=told))
    plain = AutoModelForImageTextToText.from_pretrained(source, dtype=kind)
    merged = PeftModel.from_pretrained(plain, str(out / "adapter")).merge_and_unload()
    _whole(out / "model", lambda part: _save(merged, processor, part, kind, None))


def _save(
    model: Any,
    processor: Any,
    folder: Path,
    kind: torch.dtype,
    weights: dict[str, torch.Tensor] | None,
) -> None:
    model.save_pretrained(folder, **({"state_dict": weights} if weights is not None else {}))
    processor.save_pretrained(folder)
    # transformers records the dtype of the weights in memory, which is fp32 during training.
    path = folder / "config.json"
    path.write_text(
        json.dumps(
            _stored_as(str(kind).removeprefix("torch."), json.loads(path.read_text())), indent=2
        )
        + "\n"
    )


def _stored_as(kind: str, config: dict[str, Any]) -> dict[str, Any]:
    return {
        key: _stored_as(kind, value)
        if isinstance(value, dict)
        else kind
        if key == "dtype"
        else value
        for key, value in config.items()
    }


def _whole(folder: Path, write: Callable[[Path], object]) -> None:
    """Writes a folder under a temporary name, then renames it."""
    part = folder.with_name(f".{folder.name}.part")
    shutil.rmtree(part, ignore_errors=True)
    part.mkdir(parents=True)
    write(part)
    if folder.exists():
        shutil.rmtree(folder)
    part.rename(folder)


def _first_line(error: Exception) -> str:
    return (str(error).splitlines() or [repr(error)])[0][:300]
