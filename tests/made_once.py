"""What is made once and read by all tests of a run, in whichever of its processes."""

import fcntl
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(temporary: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """The folder that `make` fills for the first test process that asks; the others wait for it.

    Args:
        temporary: pytest's fixture.
        name: name of the folder.
        make: fills the folder, which is empty.
    """
    base = temporary.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # that of the whole run
    folder, mark = base / name, base / f"{name}.made"
    with open(base / f"{name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not mark.exists():
            shutil.rmtree(folder, ignore_errors=True)  # what another process did not end
            folder.mkdir()
            make(folder)
            mark.touch()
    return folder
