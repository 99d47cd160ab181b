"""The formats that export writes for trainers. The registry maps each name to the module that holds
its object `FORMAT`.

A new format is a new file and an entry here. The modules need `datasets`, so they are imported only
when a format is written or described. Recipes contain only the names of formats, so reading a
recipe imports none of the modules.
"""

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from questloom.records.registry import check_names, check_sentence

MODULES: tuple[str, ...] = tuple(
    f"questloom.pipeline.export.formats.{name}" for name in ("sharegpt", "verl", "trl", "jsonl")
)


def format_names() -> tuple[str, ...]:
    """The names of the formats as recipes write them. A name is the last part of the name of the
    format's module."""
    return tuple(module.rpartition(".")[2] for module in MODULES)


def check(modules: Iterable[str]) -> None:
    """Refuses two formats with the same name.

    Raises:
        ValueError: two modules have the same name.
    """
    check_names("two formats have the name", (module.rpartition(".")[2] for module in modules))


def load_formats(names: Iterable[str]) -> dict[str, Any]:
    """The format objects (`pipeline/export/formats/format.py`) by name, in the registry's order.

    Raises:
        ValueError: an object's name differs from its module's name, or its `help` is not a
            sentence.
    """
    wanted = set(names)
    loaded = {
        name: import_module(module).FORMAT
        for name, module in zip(format_names(), MODULES, strict=True)
        if name in wanted
    }
    for name, found in loaded.items():
        if found.name != name:
            raise ValueError(f"format {name}: its object has the name {found.name!r}")
        check_sentence(f"format {name}", found.help)
    return loaded


def format_helps() -> dict[str, str]:
    """For each format, one sentence that says what the format is for."""
    return {name: found.help for name, found in load_formats(format_names()).items()}


check(MODULES)
