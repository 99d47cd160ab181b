"""Every example in a docstring holds, in whichever package it stands."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.doctests import FOLDERS, ROOT, modules_with_examples, run_examples

NEED_A_STORE = ("questloom.pipeline.api", "questloom.pipeline.run")
"""Their sessions run in `tests/pipeline/test_api.py`."""


@pytest.mark.parametrize("name", [n for n in modules_with_examples() if n not in NEED_A_STORE])
def test_examples_hold(name):
    done = run_examples(name)
    assert done.attempted and not done.failed


@pytest.mark.parametrize("package", FOLDERS)
def test_a_wrong_example_is_noticed_in_any_package(package, tmp_path, monkeypatch, capsys):
    module = tmp_path / package / "deep" / f"wrong_in_{package}.py"
    module.parent.mkdir(parents=True)
    module.write_text('"""Says:\n\n>>> 1 + 1\n3\n"""\n')
    (found,) = modules_with_examples(tmp_path)
    assert found.removeprefix("questloom.") == f"{package}.deep.{module.stem}"
    monkeypatch.syspath_prepend(str(module.parent))
    assert run_examples(module.stem).failed == 1
    assert "Got:\n    2" in capsys.readouterr().out
    del sys.modules[module.stem]


def test_no_folder_of_code_is_left_out():
    listed = subprocess.run(
        ["git", "ls-files", "-z", "*/*.py"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout
    if not listed:
        pytest.skip("this is no git checkout, which tells what belongs to the project")
    assert {Path(name).parts[0] for name in listed.rstrip("\0").split("\0")} == {
        *FOLDERS,
        "questloom",
        "tests",
    }


def test_no_example_stands_where_doctest_does_not_look():
    for name in modules_with_examples():
        path = ROOT / name.replace(".", "/")
        text = (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text(
            encoding="utf-8"
        )
        written = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        found = [
            ast.get_docstring(node) or ""
            for node in ast.walk(ast.parse(text))
            if isinstance(node, written)
        ]
        assert text.count(">>> ") == sum(docstring.count(">>> ") for docstring in found), name
