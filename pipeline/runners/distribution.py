"""What the distribution installs, as setup.py says it. setup.py cannot import this; a test compares the two."""

import importlib.util
from collections.abc import Iterator
from pathlib import Path

PACKAGES = (
    "records",
    "files",
    "calls",
    "knowledge",
    "models",
    "prompts",
    "agent",
    "transforms",
    "train",
    "eval",
    "recipes",
    "pipeline",
)
"""Its packages, which install under their top-level names."""
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
)
"""How the names of the files end that are installed beside the code."""


def installed_files() -> Iterator[tuple[str, Path]]:
    """Every file of the distribution as this process finds it: its name (`records/table.py`), the same on every machine, and its path; in order of names."""
    for package in sorted(PACKAGES):
        spec = importlib.util.find_spec(package)
        for folder in (spec.submodule_search_locations or ()) if spec else ():
            found = {
                path.relative_to(folder).as_posix(): path
                for kind in ("py", *DATA_KINDS)
                for path in Path(folder).rglob(f"*.{kind}")
            }
            for name in sorted(found):
                yield f"{package}/{name}", found[name]
