"""The formats in which a data set is written for trainers: the name of each, and the module that holds its object `FORMAT`.

A format is added here, and in a file of its own. The modules are imported where formats are written or described, and not with the names,
since recipes name formats and the objects need `datasets`.
"""

from collections.abc import Iterable
from importlib import import_module
from typing import Any

from questloom.records.registry import check_names, check_sentence

MODULES: tuple[str, ...] = tuple(
    f"questloom.pipeline.export.formats.{name}" for name in ("sharegpt", "verl", "trl", "jsonl")
)


def format_names() -> tuple[str, ...]:
    """The names that recipes write: each module's last part."""
    return tuple(module.rpartition(".")[2] for module in MODULES)


def check(modules: Iterable[str]) -> None:
    """Refuses formats that would be mistaken for each other.

    Raises:
        ValueError: two modules have one name.
    """
    check_names("two formats have the name", (module.rpartition(".")[2] for module in modules))


def load_formats(names: Iterable[str]) -> dict[str, Any]:
    """The objects (`pipeline/export/formats/format.py`) of these formats by name, in the registry's order.

    Raises:
        ValueError: an object has another name than its module, or its help is no sentence.
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
    """What each format is for, in one sentence."""
    return {name: found.help for name, found in load_formats(format_names()).items()}


check(MODULES)
