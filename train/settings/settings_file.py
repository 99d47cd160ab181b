"""Reads the settings of training from a preset or a file. The command line may override single
settings."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from questloom.files.settings_files import lay_over, read_settings_file, set_key, settings_of
from questloom.records.errors import InputError

PRESETS = Path(__file__).parents[1] / "presets"
GRPO = "grpo-"
"""The names of the presets for GRPO begin with this prefix; the names of the presets for SFT do
not."""
S = TypeVar("S")


def presets(*, grpo: bool) -> list[str]:
    """The names of all presets for GRPO (if `grpo` is true) or for SFT."""
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
    """Reads settings from a file or a preset, with `section.key=value` overrides.

    Args:
        kind: a frozen dataclass of settings.
        known: the names of presets that the error lists if `source` does not exist.
        below: the values of keys that neither the file nor an override sets.

    Raises:
        InputError: the file does not exist, or is not YAML; or a key is unknown; or a value has the
            wrong type or is out of range.
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
