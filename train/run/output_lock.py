"""Writes a run's identity into the run's folder.

The identity is all settings that must stay the same when the run is resumed. `together` runs a
function on all ranks, and ends all ranks if one rank has an error.
"""

import json
import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeVar

from questloom.files.parquet import write_whole
from questloom.records.errors import InputError, QuestloomError
from questloom.train.run.parallel import World
from questloom.train.run.stopping import STOPPED, Stopped, exit_code

T = TypeVar("T")
UNLOCKED = ".begun"
"""The name of a folder for files that are written before the inputs have been checked. If OUT has
only this folder, OUT does not belong to a run yet.
"""


def check_output(out: Path, identity: Mapping[str, Any]) -> None:
    """Checks, without writing anything, that OUT is empty or belongs to this same run.

    Args:
        identity: all settings that must stay the same when the run is resumed, as JSON.

    Raises:
        InputError: OUT belongs to another run, or has other files.
    """
    told, path = json.loads(json.dumps(dict(identity))), out / "settings.json"
    if path.is_file():
        before = json.loads(path.read_text(encoding="utf-8"))["run"]
        changed = [key for key in {**before, **told} if before.get(key) != told.get(key)]
        if changed:
            raise InputError(
                str(out),
                f"holds another run: {changed[0]} was {before.get(changed[0])!r} and is {told.get(changed[0])!r}"
                + (f" (and {', '.join(changed[1:])})" if changed[1:] else ""),
                "Name another --out, or give the same settings to resume this run.",
            )
    elif out.is_dir() and any(part.name != UNLOCKED for part in out.iterdir()):
        raise InputError(str(out), "is not empty, and no run", "Name another --out.")


def lock_output(out: Path, identity: Mapping[str, Any], settings: Mapping[str, Any]) -> None:
    """Writes the run's identity and settings to OUT/settings.json.

    Call this function after all inputs were checked, because a wrong input would become part of the
    identity.

    Args:
        identity: as for `check_output`.
        settings: all settings.

    Raises:
        InputError: see `check_output`, or OUT cannot be written.
    """
    check_output(out, identity)
    told = {"run": dict(identity), "settings": dict(settings)}
    try:
        write_whole(out / "settings.json", (json.dumps(told, indent=2) + "\n").encode())
    except OSError as error:
        raise InputError(
            f"--out {out}",
            f"cannot be written ({error.strerror})",
            "Name a folder on this machine.",
        ) from error


def remove_unlocked(out: Path, whole: bool) -> None:
    """Removes from OUT what a run wrote before its inputs turned out to be wrong.

    Args:
        whole: whether to remove OUT itself too; true if this command made OUT.
    """
    shutil.rmtree(out / UNLOCKED, ignore_errors=True)
    if whole and out.is_dir() and not any(out.iterdir()):
        out.rmdir()


def place(path: str) -> str:
    """The form in which a run's identity stores a path: an existing folder as an absolute path, and
    anything else unchanged."""
    return os.path.abspath(path) if "://" not in path and Path(path).exists() else path


def together(at: World, do: Callable[[], T]) -> T:
    """Calls a function on every rank. All ranks must call this function together.

    If one rank has an error, all ranks end, and only that rank reports it.

    Raises:
        QuestloomError: the error of this rank.
        SystemExit: another rank had an error.
        Stopped: a rank was asked to stop, and no rank had another error. After `Stopped`, all ranks
            write a checkpoint.
    """
    failed: QuestloomError | None = None
    try:
        made = do()
    except QuestloomError as error:
        failed = error
    codes = at.gather(0 if failed is None else exit_code(failed))
    worse = [code for code in codes if code not in (0, STOPPED)]
    if failed is not None and not (worse and isinstance(failed, Stopped)):
        raise failed
    if worse:
        raise SystemExit(worse[0])
    if STOPPED in codes:
        raise Stopped("another rank was asked to stop")
    return made


def once(at: World, do: Callable[[], object]) -> None:
    """Calls a function on the first rank only, while the other ranks wait. Errors are handled as in
    `together`."""
    together(at, do if at.first else lambda: None)
