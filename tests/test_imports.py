"""What several tests use stands in a module without tests: no module takes anything from a test module or from a conftest."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doctests import ROOT


def imported(text: str, package: str) -> Iterator[str]:
    """Names that a module imports, in full: modules, and what is taken from them."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = (
                package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            )
            module = ".".join([*base, *filter(None, [node.module])])
            yield from (f"{module}.{alias.name}" for alias in node.names)


def taken_from_tests(text: str, package: str = "tests") -> list[str]:
    """Imports from test modules and conftests."""
    names = (
        name for name in imported(text, package) if name.split(".")[0] in ("tests", "conftest")
    )
    return [
        name
        for name in names
        if any(part == "conftest" or part.startswith("test_") for part in name.split("."))
    ]


@pytest.mark.parametrize(
    "text",
    [
        "from tests.pipeline.export.test_formats import load",
        "from tests.pipeline.export import test_formats",
        "import tests.test_imports",
        "def f():\n    from . import conftest",
        "from .test_formats import load",
        "from conftest import store",
    ],
)
def test_an_import_from_a_test_is_noticed(text):
    assert taken_from_tests(text, "tests.pipeline")


@pytest.mark.parametrize(
    "text",
    [
        "import pytest",
        "from tests.run_files import folder",
        "from questloom.models import test_client",
        "from ..run_files import folder",
    ],
)
def test_other_imports_are_allowed(text):
    assert not taken_from_tests(text, "tests.pipeline")


def test_no_module_takes_anything_from_a_test():
    def found(path: Path) -> list[str]:
        return taken_from_tests(
            path.read_text(encoding="utf-8"), ".".join(path.relative_to(ROOT).parent.parts)
        )

    paths = [
        path for folder in ("tests", "benchmarks") for path in sorted((ROOT / folder).rglob("*.py"))
    ]
    assert {str(path.relative_to(ROOT)): found(path) for path in paths if found(path)} == {}
