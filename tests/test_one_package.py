"""The code is one package, `questloom`; nothing is imported by the bare name of a folder, so a user's own names hide none of ours."""

import ast
import os
import subprocess
import sys
import zipfile

import pytest

from tests.doctests import FOLDERS, PACKAGES, ROOT

SPOILT = 'raise SystemExit("a name of the user was taken for one of ours")\n'


def bare(text: str) -> list[str]:
    """The folders of the package that a module imports by their bare names."""
    names = [
        name
        for node in ast.walk(ast.parse(text))
        for name in (
            [each.name for each in node.names]
            if isinstance(node, ast.Import)
            else [node.module or ""]
            if isinstance(node, ast.ImportFrom) and not node.level
            else []
        )
    ]
    return [name for name in names if name.partition(".")[0] in PACKAGES]


@pytest.mark.parametrize(
    "text", ["import train", "from files.parquet import x", "def f():\n    import models.clip"]
)
def test_a_bare_name_is_noticed(text):
    assert bare(text)


def test_no_module_imports_a_folder_by_its_bare_name():
    paths = [path for folder in (*FOLDERS, "tests") for path in (ROOT / folder).rglob("*.py")]
    assert {str(p): found for p in paths if (found := bare(p.read_text(encoding="utf-8")))} == {}


def test_the_package_links_to_each_of_its_folders_and_holds_nothing_else():
    held = {path.name: path for path in (ROOT / "questloom").iterdir()}
    held.pop("__pycache__", None)
    assert held.keys() == {"__init__.py", "py.typed", *PACKAGES}
    assert all(os.readlink(held[name]) == f"../{name}" for name in PACKAGES)


@pytest.mark.parametrize("command", ["--help", "train sft --help", "settings draft.max_hub"])
def test_modules_of_a_user_with_the_names_of_our_folders_change_nothing(command, tmp_path):
    for name in PACKAGES:
        (tmp_path / f"{name}.py").write_text(SPOILT)
    done = subprocess.run(
        [sys.executable, "-m", "questloom.pipeline.cli", *command.split()],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0 and done.stdout, done.stderr


def test_an_editable_install_is_a_path_that_type_checkers_follow(tmp_path):
    """And no hook of the import system, which they do not run."""
    for name in ("setup.py", "pyproject.toml"):
        (tmp_path / name).write_bytes((ROOT / name).read_bytes())
    (tmp_path / "questloom").mkdir()
    (tmp_path / "questloom" / "__init__.py").touch()
    (tmp_path / "built").mkdir()
    build = "from setuptools.build_meta import build_editable; build_editable('built')"
    subprocess.run([sys.executable, "-c", build], cwd=tmp_path, check=True, capture_output=True)
    (wheel,) = (tmp_path / "built").glob("*.whl")
    with zipfile.ZipFile(wheel) as held:
        added = {n: held.read(n).decode() for n in held.namelist() if "dist-info" not in n}
    assert [text.strip() for text in added.values()] == [str(tmp_path)], added
