"""The files that the distribution installs, as in setup.py. A test compares this list with the list
in setup.py, which cannot import this module."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "questloom"
"""The name of the distribution and of its package."""
DATA_KINDS = (
    "yaml",
    "txt",
    "json",
    "md",
    "jinja",
    "html",
    "css",
    "js",
    "safetensors",
    "gz",
    "tsv",
    "csv",
    "lua",
    "typed",
)
"""Endings of the data files that are installed beside the code."""


def installed_files() -> Iterator[tuple[str, Path]]:
    """The name and path of every installed file, sorted by name. A name such as
    `questloom/records/table.py` is the same on every machine."""
    spec = importlib.util.find_spec(PACKAGE)
    found = {
        path.relative_to(root).as_posix(): path
        for root in map(Path, (spec.submodule_search_locations or ()) if spec else ())
        # In a checkout the folders are links. `rglob` follows a link only at its starting point.
        for folder in (root, *(inner for inner in root.iterdir() if inner.is_dir()))
        for kind in ("py", *DATA_KINDS)
        for path in (folder.glob if folder == root else folder.rglob)(f"*.{kind}")
    }
    for name in sorted(found):
        yield f"{PACKAGE}/{name}", found[name]
