"""What tests share is made by the first process that asks, and whole when the others get it."""

import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.made_once import made_once


@dataclass
class Temporary:
    """Stands for pytest's fixture in one process."""

    base: Path

    def getbasetemp(self) -> Path:
        self.base.mkdir(exist_ok=True)
        return self.base


def test_of_all_processes_one_makes_the_folder_and_the_others_wait_for_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    makers = []

    def make(folder: Path) -> None:
        makers.append(folder)
        time.sleep(0.05)
        (folder / "end").touch()

    def ask(number: int) -> bool:
        found = made_once(Temporary(tmp_path / f"gw{number}"), "world", make)  # type: ignore[arg-type]
        return (found / "end").exists()

    with ThreadPoolExecutor(4) as processes:
        assert list(processes.map(ask, range(4))) == [True] * 4
    assert makers == [tmp_path / "world"]


def test_what_was_left_half_made_is_made_anew(tmp_path, monkeypatch):
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    alone = Temporary(tmp_path)

    def fail(folder: Path) -> None:
        (folder / "half").touch()
        raise OSError

    with pytest.raises(OSError):
        made_once(alone, "world", fail)  # type: ignore[arg-type]
    found = made_once(alone, "world", lambda folder: (folder / "whole").touch())  # type: ignore[arg-type]
    assert found == tmp_path / "world" and [p.name for p in found.iterdir()] == ["whole"]
