"""Settings from YAML: a preset or a file, with overrides from the command line. Unknown keys, wrong types and values out of range are refused
with their place.
"""

import difflib
import typing
from collections.abc import Iterable, Mapping
from dataclasses import is_dataclass
from pathlib import Path
from typing import Any, TypeVar

import yaml
from pydantic import TypeAdapter, ValidationError

from questloom.records.errors import InputError

PRESETS = Path(__file__).parents[1] / "presets"
GRPO = "grpo-"
"""Begins the names of the presets for GRPO; all others are for supervised fine-tuning."""
S = TypeVar("S")


def presets(*, grpo: bool) -> list[str]:
    """The names of the shipped settings of a command."""
    return sorted(
        path.stem for path in PRESETS.glob("*.yaml") if path.stem.startswith(GRPO) == grpo
    )


def read_settings(
    kind: type[S],
    source: str,
    overrides: Iterable[str],
    known: Iterable[str],
    below: Mapping[str, Any] | None = None,
) -> S:
    """Settings by file name, or by the name of a preset, with `section.key=value` overrides.

    Args:
        kind: a frozen dataclass of settings.
        known: the presets to name where there is no such settings.
        below: keys that hold where neither the file nor an override names them.

    Raises:
        InputError: no such file, no YAML, an unknown key, a wrong type, a value out of range.
    """
    path = Path(source)
    if not path.suffix and not path.is_file():
        path = PRESETS / f"{source}.yaml"
    if not path.is_file():
        raise InputError(
            source, "no such settings", f"Name a file, or a preset: {', '.join(known)}."
        )
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8")) or {}
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise InputError(
            str(path), f"cannot be read as YAML ({error})", "Correct the file."
        ) from error
    if not isinstance(data, dict):
        raise InputError(
            str(path), "is no mapping of keys to values", "See train/presets/ for the shape."
        )
    for override in overrides:
        _override(data, override)
    return settings_of(kind, _laid_over(below or {}, data), str(path))


def settings_of(kind: type[S], data: Mapping[str, Any], where: str) -> S:
    """The settings of a mapping.

    Args:
        kind: a frozen dataclass of settings.
        where: names the mapping in errors.

    Raises:
        InputError: see `read_settings`.
    """
    _refuse_unknown(kind, data, where, "")
    try:
        return TypeAdapter(kind).validate_python(data)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(str(part) for part in first["loc"])
        raise InputError(
            f"{where}, key {key}",
            f"{first['msg']} (it is {first['input']!r})",
            "Correct the value.",
        ) from error


def _override(data: dict[str, Any], override: str) -> None:
    key, equals, text = override.partition("=")
    if not equals or not key:
        raise InputError(
            f"--set {override}",
            "is not of the form section.key=value",
            "For example --set optimiser.lr=2e-5.",
        )
    *parents, last = key.split(".")
    for name in parents:
        if data.get(name) is None:
            data[name] = {}
        data = data[name]
        if not isinstance(data, dict):
            raise InputError(
                f"--set {override}",
                f"{name} holds no keys",
                "Check the key against train/settings/training_settings.py or train/settings/grpo_settings.py.",
            )
    try:
        data[last] = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise InputError(
            f"--set {override}", f"cannot be read as YAML ({error})", "Correct the value."
        ) from error
    if isinstance(data[last], str) and _is_number(data[last]):
        data[last] = float(data[last])  # YAML 1.1 takes 2e-5 for a word


def _laid_over(below: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """Keys over others, section by section."""
    both = {
        key: _laid_over(below[key], value)
        for key, value in data.items()
        if isinstance(value, Mapping) and isinstance(below.get(key), Mapping)
    }
    return {**below, **data, **both}


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _refuse_unknown(kind: Any, data: Any, where: str, prefix: str) -> None:
    """pydantic ignores unknown keys of plain dataclasses; a misspelt key must not pass."""
    kind = next(
        (part for part in typing.get_args(kind) if is_dataclass(part)), kind
    )  # `Settings | None`
    if not is_dataclass(kind) or not isinstance(data, Mapping):
        return
    hints = typing.get_type_hints(kind)
    for key, value in data.items():
        if key not in hints:
            near = difflib.get_close_matches(str(key), hints, n=1)
            fix = (
                f"Did you mean {prefix}{near[0]}?"
                if near
                else f"Known keys there: {', '.join(sorted(hints))}."
            )
            raise InputError(f"{where}, key {prefix}{key}", "is unknown", fix)
        _refuse_unknown(hints[key], value, where, f"{prefix}{key}.")
