"""A skip that nobody allowed fails the run, in one process and in several; every skip is told with its reason."""

import subprocess
import sys

import pytest

from tests.doctests import ROOT
from tests.skips import allowed_by

TESTS = """
import pytest

@pytest.mark.skip(reason="no GPU here: 0 found")
def test_on_a_gpu(): ...

def test_of_a_browser():
    pytest.skip("no browser is installed")

@pytest.mark.xfail
def test_that_fails(): assert False

def test_that_passes(): ...
"""


def run(folder, allowed: str, *more: str) -> tuple[int, list[str]]:
    (folder / "allowed").write_text(allowed)
    (folder / "test_some.py").write_text(TESTS)
    (folder / "test_whole_file.py").write_text(
        "import pytest\npytest.importorskip('none', reason='no such module')\n"
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "tests.skips",
        "-p",
        "no:cacheprovider",
        "--rootdir",
        str(folder),
        *more,
        "--allowed-skips",
        str(folder / "allowed"),
        str(folder),
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    told = done.stdout.partition("skipped tests")[2]
    beginnings = ("allowed: ", "NOT ALLOWED: ", "    ")
    return done.returncode, [line for line in told.splitlines() if line.startswith(beginnings)]


TOLD = [
    "{} no GPU here: 0 found",
    "    test_some.py::test_on_a_gpu",
    "{} no browser is installed",
    "    test_some.py::test_of_a_browser",
    "{} no such module",
    "    test_whole_file.py",
]


@pytest.mark.parametrize("processes", ["0", "2"])
def test_a_skip_that_is_not_on_the_list_fails_the_run_and_is_told(tmp_path, processes):
    allowed = "# machines differ\nno GPU here*\n\nno such module\n"
    code, told = run(tmp_path, allowed, "-n", processes)
    assert code == 1
    assert told == [
        line.format("NOT ALLOWED:" if "browser" in line else "allowed:") for line in TOLD
    ]


def test_skips_that_are_all_on_the_list_fail_nothing_and_are_told(tmp_path):
    code, told = run(tmp_path, "no *\n")
    assert (code, told) == (0, [line.format("allowed:") for line in TOLD])


def test_a_failing_run_stays_failed(tmp_path):
    (tmp_path / "test_wrong.py").write_text("def test_wrong(): assert False")
    assert run(tmp_path, "no *\n")[0] == 1


def test_a_reason_is_allowed_as_a_whole_and_a_comment_allows_nothing():
    assert allowed_by("# no *\n\n  no GPU here*  \n") == ["no GPU here*"]
