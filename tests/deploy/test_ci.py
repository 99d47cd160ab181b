"""What `.ci/run` decides, with a `make` that only says what it was asked for; and what a cluster needs of the machine."""

import hashlib
import os
import shutil
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from deploy.flink import downloads as parts
from deploy.flink.cluster import ROOT, main
from tests.deploy.runs import until

MAKE = """#!/bin/sh
echo "make $* SKIPS=$SKIPS"
case "$*" in
*test-flink*) [ "$FLINK_FAILS" ] && echo "no network" && exit 2 ;;
test) LC_ALL=C ls -d */left-by-ci; [ "$TEST_FAILS" ] && exit 2 ;;
esac
exit 0
"""
TEST, ON_FLINK = "make test SKIPS=.ci/skips", "make test-flink SKIPS=.ci/skips"
SIDE_BY_SIDE = "make --no-print-directory test-flink SKIPS=.ci/skips"
LEFT = [f"{folder}/left-by-ci" for folder in ("demo-loop", "demo-train", "demo", "my-run")]


def program(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)
    return path


def ci(
    tmp_path: Path, *, java: bool = True, memory: int = 16, **environment: str
) -> subprocess.CompletedProcess:
    """Runs a copy of the script, in a tree of its own."""
    (tmp_path / ".ci").mkdir(parents=True)
    script = program(tmp_path / ".ci", "run", (ROOT / ".ci" / "run").read_text())
    program(tmp_path, "make", MAKE)
    check = program(
        tmp_path,
        "python",
        f'#!/bin/sh\necho "$*" >>{tmp_path}/asked\n'
        + ("exit 0\n" if java else "echo java is not on PATH; exit 1\n"),
    )
    given = {
        "PATH": f"{tmp_path}:{os.environ['PATH']}",
        "PYTHON": str(check),
        "CI_MEMORY_GB": str(memory),
        **environment,
    }
    return subprocess.run(
        [script], env=given, capture_output=True, text=True, check=False, timeout=60
    )


def test_the_flink_tests_run_beside_the_others_and_are_told_after_them(tmp_path):
    done = ci(tmp_path)
    assert done.returncode == 0 and done.stdout.splitlines()[-6:] == [TEST, *LEFT, SIDE_BY_SIDE]


def test_their_parts_come_while_pip_installs(tmp_path):
    ci(tmp_path)
    until(lambda: "-m deploy.flink.cluster fetch" in (tmp_path / "asked").read_text(), 60)
    ci(tmp_path / "none", FLINK_TESTS="no")
    assert not (tmp_path / "none" / "asked").exists()


def test_two_that_fetch_at_once_fetch_once(tmp_path, monkeypatch):
    made = []

    def fetched(found: parts.Parts, say: object) -> None:
        made.append("libraries")
        time.sleep(0.2)
        found.libraries.mkdir(parents=True)
        (found.libraries / "flink-dist-1.jar").touch()

    def built(found: parts.Parts, say: object) -> None:
        made.append("job server")
        found.jar.touch()
        digest = hashlib.sha256(parts.POM.read_bytes()).hexdigest()
        (found.folder / "job-server.sha256").write_text(digest)

    for name, step in (("_fetch_libraries", fetched), ("_build_job_server", built)):
        monkeypatch.setattr(parts, name, step)
    monkeypatch.setattr(parts, "missing", list)
    with ThreadPoolExecutor() as pool:
        assert len(set(pool.map(lambda _: parts.fetch(tmp_path, print), range(2)))) == 1
    assert sorted(made) == ["job server", "libraries"]


def test_where_memory_is_short_they_follow_the_others(tmp_path):
    done = ci(tmp_path, memory=8)
    assert done.returncode == 0 and done.stdout.splitlines()[-6:] == [TEST, *LEFT, ON_FLINK]


@pytest.mark.parametrize("memory", [8, 16])
@pytest.mark.parametrize("failing", ["TEST_FAILS", "FLINK_FAILS"])
def test_either_failure_is_one_of_the_whole(tmp_path, memory, failing):
    done = ci(tmp_path, memory=memory, **{failing: "1"})
    assert (
        done.returncode
        and TEST in done.stdout
        and ("no network" in done.stdout) == (failing == "FLINK_FAILS")
    )


def test_without_java_they_are_left_out_and_that_is_said_last(tmp_path):
    done = ci(tmp_path, java=False)
    assert done.returncode == 0 and "test-flink" not in done.stdout
    assert done.stdout.splitlines()[-6:] == [
        TEST,
        *LEFT,
        "The tests on a Flink cluster were left out: java is not on PATH",
    ]


def test_where_they_are_demanded_a_missing_java_is_an_error(tmp_path):
    done = ci(tmp_path, java=False, FLINK_TESTS="required")
    assert done.returncode == 1 and "java is not on PATH" in done.stderr and TEST not in done.stdout


def test_a_word_that_is_none_is_refused(tmp_path):
    assert ci(tmp_path, FLINK_TESTS="yes").returncode == 2


def test_what_stands_in_for_a_demos_folder_is_removed_and_nothing_else_is(tmp_path):
    (tmp_path / "demo").mkdir()
    (tmp_path / "demo" / "run.json").write_text("mine")
    assert ci(tmp_path, FLINK_TESTS="no", TEST_FAILS="1").returncode == 2
    assert {path.name for path in tmp_path.iterdir() if path.is_dir()} == {".ci", "build", "demo"}
    assert [path.name for path in (tmp_path / "demo").iterdir()] == ["run.json"]


@pytest.mark.parametrize(
    ("there", "root", "installed"),
    [
        ([], True, ["bubblewrap", "chromium", "redis-server"]),
        (["google-chrome", "bwrap"], True, ["redis-server"]),
        (["chromium", "bwrap", "redis-server"], True, []),
        ([], False, []),
    ],
)
def test_make_system_installs_as_root_what_is_missing_and_says_what_it_cannot(
    tmp_path, there, root, installed
):
    for name in there:
        program(tmp_path, name, "#!/bin/sh\n")
    program(tmp_path, "id", f"#!/bin/sh\necho {0 if root else 1000}\n")
    program(tmp_path, "apt-get", f'#!/bin/sh\necho "$*" >>{tmp_path}/asked\n')
    done = subprocess.run(
        [shutil.which("make"), "system", f"PYTHON={sys.executable}"],
        cwd=ROOT,
        env={"PATH": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    asked = (tmp_path / "asked").read_text() if (tmp_path / "asked").exists() else ""
    assert (
        sorted(name for name in ("bubblewrap", "chromium", "redis-server") if name in asked)
        == installed
    )
    assert (
        ("Chromium is missing" in done.stdout)
        == ("redis-server is missing" in done.stdout)
        == (not root)
    )


@pytest.mark.parametrize(
    ("said", "version"),
    [('openjdk version "17.0.15" 2025-04-15', 17), ('java version "1.8.0_401"', 8), ("no java", 0)],
)
def test_the_version_of_java(tmp_path, monkeypatch, said, version):
    program(tmp_path, "java", f"#!/bin/sh\necho '{said}' >&2\n")
    program(tmp_path, "mvn", "#!/bin/sh\n")
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    assert parts.java_version() == version
    assert [f"java is of version {version}" in line for line in parts.missing()] == (
        [] if version == 17 else [True]
    )


def test_nothing_is_there(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["check"]) == 1
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == ["java", "mvn"]
