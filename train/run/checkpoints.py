"""Checkpoints: the state from which a run resumes. A checkpoint is either complete or absent.

```
OUT/checkpoints/update-000100/   trained weights and the optimiser's state, in torch's distributed format
                …/random-00000.pt  states of the random generators, one file a rank
                …/state.json       the number of the update, and of the ranks that wrote it
```

All ranks write into a folder whose name starts with a dot. When all ranks are done, the first rank
gives the folder its final name. Therefore a checkpoint's folder with its final name is complete. A
checkpoint can be read with a different number of ranks from the number that wrote it. A checkpoint
stores neither the learning rate nor the position in the data, because the number of the update
determines both.
"""

import errno
import json
import os
import random
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
import torch.distributed.checkpoint as dcp
from torch import nn
from torch.distributed.checkpoint.api import CheckpointException
from torch.distributed.checkpoint.state_dict import StateDictOptions, get_state_dict, set_state_dict

from questloom.records.errors import QuestloomError
from questloom.train.run.parallel import World

_OPTIONS = StateDictOptions(ignore_frozen_params=True, strict=False)


class DiskFull(QuestloomError):
    """The disk is too full for what the run writes. Files that were complete before are
    unchanged."""


@dataclass(frozen=True)
class Checkpoints:
    """The checkpoints of a run.

    Args:
        folder: OUT/checkpoints.
        keep: how many checkpoints stay on disk; older ones are removed.
    """

    folder: Path
    keep: int

    def newest(self) -> int | None:
        """The number of the update after which the newest checkpoint was written; None if there is
        no checkpoint."""
        return max(self.updates(), default=None)

    def save(
        self, update: int, policy: nn.Module, optimiser: torch.optim.Optimizer, at: World
    ) -> None:
        """Writes a checkpoint and removes old ones. All ranks must call this function together.

        Args:
            update: number of finished updates.

        Raises:
            DiskFull: some rank has no room on its disk.
        """
        part, whole = self.folder / f".update-{update:06d}.part", self._path(update)
        with named_if_full(
            self.folder,
            f"a checkpoint of about {self._bytes(policy) / 1e9:.3g} GB a rank",
            "lower keep.checkpoints",
        ):
            if at.first:
                shutil.rmtree(part, ignore_errors=True)
                part.mkdir(parents=True)
            at.wait()
            try:
                weights, numbers = get_state_dict(policy, optimiser, options=_OPTIONS)
                with _alone_without_a_warning():
                    dcp.save(
                        {"weights": weights, "optimiser": numbers},
                        checkpoint_id=part,
                        no_dist=at.size == 1,
                    )
                failed = _write_random(part / f"random-{at.rank:05d}.pt")
                failures = [error for error in at.gather(failed) if error is not None]
                if failures:
                    raise failures[0]
                if at.first:
                    (part / "state.json").write_text(
                        json.dumps({"update": update, "ranks": at.size}) + "\n"
                    )
                    _sync(part / "state.json")
                    _sync(part)
                    shutil.rmtree(
                        whole, ignore_errors=True
                    )  # removes later checkpoints of a run that was set back to an earlier update
                    part.rename(whole)
                    _sync(self.folder)
            except BaseException:
                if at.first:
                    shutil.rmtree(part, ignore_errors=True)
                raise
        if at.first:
            for old in sorted(self.updates())[: -self.keep]:
                shutil.rmtree(self._path(old))
        at.wait()

    def load(
        self, update: int, policy: nn.Module, optimiser: torch.optim.Optimizer, at: World
    ) -> bool:
        """Restores the weights, the optimiser and the random generators from a checkpoint. All
        ranks must call this function together.

        Returns:
            Whether the random generators continue exactly, which is possible only with the same
                number of ranks as before. The order of the rows continues with any number of ranks.
        """
        path = self._path(update)
        weights, numbers = get_state_dict(policy, optimiser, options=_OPTIONS)
        state: dict[str, Any] = {"weights": weights, "optimiser": numbers}
        with _alone_without_a_warning():
            dcp.load(state, checkpoint_id=path, no_dist=at.size == 1)
        set_state_dict(
            policy,
            optimiser,
            model_state_dict=state["weights"],
            optim_state_dict=state["optimiser"],
            options=_OPTIONS,
        )
        same = json.loads((path / "state.json").read_text())["ranks"] == at.size
        if same:
            _read_random(path / f"random-{at.rank:05d}.pt")
        return same

    def _path(self, update: int) -> Path:
        return self.folder / f"update-{update:06d}"

    def updates(self) -> list[int]:
        """The numbers of the updates after which checkpoints were written."""
        return [
            int(path.name.removeprefix("update-"))
            for path in self.folder.glob("update-*")
            if (path / "state.json").is_file()
        ]

    @staticmethod
    def _bytes(policy: nn.Module) -> int:
        """About how many bytes this rank writes: its trained weights, and the two moments of AdamW
        for each weight.
        """
        return 3 * sum(p.numel() * p.element_size() for p in policy.parameters() if p.requires_grad)


def _write_random(path: Path) -> Exception | None:
    """Writes the states of the random generators. An error is returned and not raised, so that this
    rank can report it to all others.
    """
    try:
        kept: dict[str, Any] = {
            "torch": torch.get_rng_state(),
            "python": random.getstate(),
            "numpy": np.random.get_state(),
        }
        if torch.cuda.is_available():
            kept["cuda"] = torch.cuda.get_rng_state()
        with open(path, "wb") as out:
            torch.save(kept, out)
            out.flush()
            os.fsync(out.fileno())
    except (OSError, RuntimeError) as error:
        return error
    return None


def _read_random(path: Path) -> None:
    kept = torch.load(path, weights_only=False)
    torch.set_rng_state(kept["torch"])
    random.setstate(kept["python"])
    np.random.set_state(kept["numpy"])
    if "cuda" in kept and torch.cuda.is_available():
        torch.cuda.set_rng_state(kept["cuda"])


@contextmanager
def _alone_without_a_warning() -> Iterator[None]:
    """Hides torch's warning that there is only one process, which is intended here."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="torch.distributed is disabled")
        yield


def _sync(path: Path) -> None:
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


@contextmanager
def named_if_full(folder: Path, what: str, otherwise: str) -> Iterator[None]:
    """Turns every error about a full disk into `DiskFull`.

    Args:
        what: the data that does not fit.
        otherwise: what the user can do apart from making room.

    Raises:
        DiskFull: the disk is full.
    """
    try:
        yield
    except (Exception, CheckpointException) as error:  # torch's CheckpointException is no Exception
        if not _says_full(error):
            raise
        free = shutil.disk_usage(next(p for p in (folder, *folder.parents) if p.exists())).free
        raise DiskFull(
            f"{folder}: the disk is full: {what} does not fit into {free / 1e9:.3g} GB. What was there before is untouched. Make room and run the "
            f"same command again, or {otherwise}."
        ) from error


def _says_full(error: BaseException | None) -> bool:
    """Whether an error was caused by a full disk. The errors inside the error are searched too,
    because torch wraps the errors of its ranks."""
    seen: list[BaseException] = [error] if error is not None else []
    for each in seen:
        if isinstance(each, OSError) and each.errno in (errno.ENOSPC, errno.EDQUOT):
            return True
        inner = getattr(each, "failures", None)
        found = [failure[0] for failure in inner.values()] if isinstance(inner, dict) else []
        seen += [
            e for e in (each.__cause__, each.__context__, *found) if e is not None and e not in seen
        ]
    return "No space left on device" in str(error)
