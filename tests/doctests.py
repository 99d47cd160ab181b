"""The examples in docstrings: where they are, and whether they hold."""

import doctest
import importlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = tuple(sorted(path.name for path in (ROOT / "questloom").iterdir() if path.is_symlink()))
"""The folders that the package `questloom` links to."""
PACKAGES = tuple(sorted(path.name for path in (ROOT / "questloom").iterdir() if path.is_symlink()))
"""The folders that the package `questloom` links to."""
FOLDERS = (*PACKAGES, "benchmarks", "deploy", "examples")
"""The folders of code, but the tests. What else lies in a checkout was made there: a demo, a run, a build."""


def modules_with_examples(root: Path = ROOT) -> list[str]:
    """Names of the modules below `root` whose text has an example; found without importing any, since some take seconds.

    A folder is looked into by its own name, since `rglob` follows no link.
    """
    paths = (path for folder in FOLDERS for path in (root / folder).rglob("*.py"))
    found = (
        path.relative_to(root).with_suffix("")
        for path in paths
        if ">>> " in path.read_text(encoding="utf-8")
    )
    names = (name if name.name != "__init__" else name.parent for name in found)
    return sorted(
        ".".join(("questloom",) * (name.parts[0] in PACKAGES) + name.parts) for name in names
    )


def run_examples(name: str) -> doctest.TestResults:
    """Runs the examples of a module; those that fail are printed."""
    return doctest.testmod(importlib.import_module(name))
