"""One list of packages: what setup.py installs is what the tools look at, and what a worker's digest of the code covers."""

import configparser
import distutils.core
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import setuptools.command.build_py

from questloom.pipeline.runners import distribution
from questloom.pipeline.runners.distribution import DATA_KINDS, PACKAGE, installed_files
from questloom.pipeline.runners.probe import code_digest
from tests.doctests import FOLDERS, PACKAGES

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def built() -> setuptools.command.build_py.build_py:
    """What `pip install` would copy, as setup.py asks for it."""
    before = Path.cwd()
    os.chdir(ROOT)
    try:
        build = distutils.core.run_setup("setup.py", stop_after="init").get_command_obj("build_py")
        build.ensure_finalized()
        assert build.data_files, "setuptools looks for them only now, in this folder"
        return build
    finally:
        os.chdir(before)


def test_the_package_is_that_of_setup_py_with_every_folder_of_it(built):
    assert {name.split(".")[0] for name in built.packages} == {PACKAGE}
    assert {name.split(".")[1] for name in built.packages if "." in name} == set(PACKAGES)


def test_the_kinds_of_data_are_those_of_setup_py(built):
    assert built.package_data == {"": [f"**/*.{kind}" for kind in DATA_KINDS]}


def test_the_files_are_those_that_setup_py_installs(built):
    code = {
        f"{package.replace('.', '/')}/{Path(path).name}"
        for package, _, path in built.find_all_modules()
    }
    data = {
        os.path.normpath(f"{folder}/{name}")
        for _, folder, _, names in built.data_files
        for name in names
    }
    assert sorted(name for name, _ in installed_files()) == sorted(code | data)


def test_linters_look_at_all_packages():
    imports = configparser.ConfigParser()
    imports.read(ROOT / ".importlinter")
    typed = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["mypy"]
    assert imports["importlinter"]["root_package"] == PACKAGE
    assert imports["importlinter:contract:circles"]["ancestors"].split() == [PACKAGE]
    assert {*typed["packages"]} == {PACKAGE, *FOLDERS} - {*PACKAGES}


def test_ruff_looks_at_every_folder_of_code_and_at_none_that_a_command_made(tmp_path):
    (tmp_path / "pyproject.toml").write_bytes((ROOT / "pyproject.toml").read_bytes())
    ours = [
        *(f"{folder}/deep/code.py" for folder in (*FOLDERS, "tests")),
        "setup.py",
        "questloom/__init__.py",
    ]
    for name in (
        *ours,
        "demo/run/dataset/formats/reward.py",
        "demo-train/run/dataset/formats/reward.py",
        "my-run/code.py",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).touch()
    ruff = [sys.executable, "-m", "ruff", "check", ".", "--show-files"]
    shown = subprocess.run(
        ruff, cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout.split()
    assert {str(Path(line).relative_to(tmp_path)) for line in shown} == {*ours, "pyproject.toml"}


@pytest.mark.parametrize(
    "name",
    [
        "questloom/prompts/templates/agent/system.txt",
        "questloom/calls/shared/scripts/lane.lua",
        "questloom/agent/judges/match.py",
        "questloom/prompts/phrases/en.yaml",
    ],
)
def test_another_prompt_script_or_phrase_is_other_code(name, tmp_path, monkeypatch):
    files = dict(installed_files())
    changed = tmp_path / "changed"
    changed.write_bytes(files[name].read_bytes() + b"\n")
    before = code_digest()
    monkeypatch.setattr(
        "questloom.pipeline.runners.probe.installed_files",
        lambda: iter((files | {name: changed}).items()),
    )
    assert code_digest() != before


def test_the_digest_depends_on_names_not_on_places(tmp_path, monkeypatch):
    for name, path in installed_files():
        copy = tmp_path / name
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.symlink_to(path)
    before = code_digest()
    monkeypatch.setattr(
        distribution.importlib.util,
        "find_spec",
        lambda name: type("Spec", (), {"submodule_search_locations": [str(tmp_path / name)]}),
    )
    assert next(path for _, path in installed_files()).is_relative_to(tmp_path)
    assert code_digest() == before
