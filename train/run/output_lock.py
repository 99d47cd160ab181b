"""Records a run's identity in its folder.

The identity is every setting that must not change when the run is resumed. `together` runs a
function on all ranks. An error on one rank then ends all ranks.
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
"""The name of the folder for files that are written before all inputs are checked. If OUT has only
this folder, it holds no run yet.
"""


def check_output(out: Path, identity: Mapping[str, Any]) -> None:
    """Checks that OUT is free for a run, or already holds this run. Writes nothing.

    Args:
        identity: JSON of everything that must not change when the run is resumed.

    Raises:
        InputError: OUT holds another run, or something else.
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

    The caller must check all inputs first, because a wrong input would become part of the identity.

    Args:
        identity: as for `check_output`.
        settings: every setting.

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
    """Removes files below OUT from a run that failed before its inputs were checked.

    Args:
        whole: whether to remove OUT too; true if this command made OUT.
    """
    shutil.rmtree(out / UNLOCKED, ignore_errors=True)
    if whole and out.is_dir() and not any(out.iterdir()):
        out.rmdir()


def place(path: str) -> str:
    """A folder or address, in the form that a run's identity stores."""
    return os.path.abspath(path) if "://" not in path and Path(path).exists() else path


def together(at: World, do: Callable[[], T]) -> T:
    """Calls a function on every rank. All ranks must call this function together.

    An error on one rank ends all ranks; only that rank reports it.

    Raises:
        QuestloomError: this rank's own error.
        SystemExit: another rank had an error.
        Stopped: a rank was asked to stop and no rank had another error; all ranks then write a
            checkpoint.
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
    """Lets the first rank call a function while the others wait; errors are handled as in `together`."""
    together(at, do if at.first else lambda: None)
