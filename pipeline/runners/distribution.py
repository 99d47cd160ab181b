"""What the distribution installs, as setup.py says it. setup.py cannot import this; a test compares the two."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "questloom"
"""The one name that it installs."""
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
"""How the names of the files end that are installed beside the code."""


def installed_files() -> Iterator[tuple[str, Path]]:
    """Every file of the distribution as this process finds it: its name (`questloom/records/table.py`), the same on every
    machine, and its path; in order of names."""
    spec = importlib.util.find_spec(PACKAGE)
    found = {
        path.relative_to(root).as_posix(): path
        for root in map(Path, (spec.submodule_search_locations or ()) if spec else ())
        # In a checkout the folders are links, which `rglob` follows only where it begins.
        for folder in (root, *(inner for inner in root.iterdir() if inner.is_dir()))
        for kind in ("py", *DATA_KINDS)
        for path in (folder.glob if folder == root else folder.rglob)(f"*.{kind}")
    }
    for name in sorted(found):
        yield f"{PACKAGE}/{name}", found[name]
