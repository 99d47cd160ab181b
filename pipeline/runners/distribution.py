"""Lists the files that the distribution installs; setup.py has the same list. setup.py cannot
import this module, so a test compares the two lists."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

PACKAGE = "questloom"
"""The name of the distribution, which is also the name of its package."""
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
"""Files with these endings are data files that are installed beside the code."""


def installed_files() -> Iterator[tuple[str, Path]]:
    """Every installed file with its name and path, sorted by name. Names such as
    `questloom/records/table.py` are the same on every machine."""
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
