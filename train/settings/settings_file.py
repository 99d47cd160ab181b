"""Settings of a trainer: a preset or a file, with overrides from the command line."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from questloom.files.settings_files import lay_over, read_settings_file, set_key, settings_of
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
    data = read_settings_file(path, example="train/presets/ for the shape")
    for override in overrides:
        set_key(data, override, example="--set optimiser.lr=2e-5", reference="train/REFERENCE.md")
    return settings_of(kind, lay_over(below or {}, data), str(path))
