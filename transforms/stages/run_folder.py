"""Defines the files and folders of a run, for all code that writes or reads them.

```
RUN/recipe.json                              the resolved recipe, its fingerprint and the store's; written first
    run.json                                 counts, times, versions, cost; written last: the run is then whole
    stages/NN-NAME/kept-00003.parquet        sorted by id; a shard's last file: the shard is then whole
                   rejected-00003.parquet    item, stage, reason, evidence
                   pending-00003.parquet     only where an item waits for a provider or for budget
                   side-00003.parquet        a stage's second input, if any
    timing/NN-NAME/00003                     seconds; no part of the result
    pictures/IMAGE_ID.jpg                    as the policy sees them
    calls.sqlite                             replies and ledger, unless the recipe names another place
    episodes/POLICY/                         episodes of a policy: a folder of the same kind (`transforms/episodes/episode_folder.py`)
    solvable/                                the oracle's plays, for the teacher; dropped at the end
    pilot/                                   the run of a pilot
    dataset/  report/  failure.txt
```

The number of a stage is its position in its job's table. Only this module and `Stage.label` write
or read the number of a stage.
"""

import hashlib
import json
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from questloom.calls.shared.place import PASSWORD_ENV, has_password, is_url, place_of
from questloom.files.locations import BucketPath, Location, listed, location
from questloom.files.parquet import read_metadata, read_records
from questloom.records.errors import InputError
from questloom.records.identity import sha256_hex
from questloom.records.outcomes import StageCount
from questloom.records.table import Record

R = TypeVar("R", bound=Record)
COUNTS = ("num_in", "num_kept", "num_rejected", "num_pending", "num_out")
_LABEL = re.compile(r"(\d+)-(.+)")


def absolute(path: str) -> str:
    """The absolute form of a local path, since workers may have another current folder. A bucket's
    address stays as it is.

    Raises:
        InputError: the address is invalid.
    """
    found = location(path)
    return str(found) if isinstance(found, BucketPath) else os.path.abspath(path)


@dataclass(frozen=True)
class RunFolder:
    """The folder of a run, by path or bucket address. A `RunFolder` is plain data that can be
    pickled."""

    path: str

    def at(self, *parts: str) -> Location:
        """The location of a path inside the folder."""
        return location(self.path, *parts)

    @property
    def recipe(self) -> Location:
        return self.at("recipe.json")

    @property
    def facts(self) -> Location:
        return self.at("run.json")

    @property
    def dataset(self) -> Location:
        return self.at("dataset")

    @property
    def failure(self) -> Location:
        """The file with the traceback of a job that stopped with an error."""
        return self.at("failure.txt")

    @property
    def pilot(self) -> "RunFolder":
        return RunFolder(str(self.at("pilot")))

    def episodes(self, policy: str) -> str:
        """The folder of the episodes of a policy, as a path."""
        return str(self.at("episodes", policy))

    def policies(self) -> list[str]:
        """The policies that have played the run's questions, completely or in part."""
        return [p.name for p in listed(self.at("episodes")) if (p / "recipe.json").is_file()]

    def picture(self, image_id: str) -> Location:
        """The location of a picture as the policy sees it. The file is named by the picture's
        hash."""
        return self.at("pictures", f"{image_id}.jpg")

    def read_picture(self, image_id: str) -> bytes:
        """The bytes of a picture as the policy sees it.

        Raises:
            InputError: the picture is missing or damaged.
        """
        path, fix = self.picture(image_id), "Run `questloom synth` again into a new folder."
        try:
            data = path.read_bytes()
        except OSError as error:
            raise InputError(str(path), f"cannot be read ({error.strerror})", fix) from error
        if sha256_hex(data) != image_id:
            raise InputError(str(path), "is not the picture that its name says", fix)
        return data

    def read_recipe(self) -> dict[str, Any]:
        """The content of `recipe.json`, with the keys recipe, fingerprint and store.

        Raises:
            InputError: the file is missing, or cannot be read.
        """
        fix = "Point at a folder that `questloom synth --out` made."
        if not self.recipe.is_file():
            raise InputError(self.path, "is no run (no recipe.json in it)", fix)
        try:
            return json.loads(self.recipe.read_text(encoding="utf-8"))
        except ValueError as error:
            raise InputError(str(self.recipe), f"cannot be read as JSON ({error})", fix) from error

    # Stages

    def labels(self) -> list[str]:
        """The names ("NN-name") of the existing stages' folders, in order."""
        folder = self.at("stages")
        found = (
            [p.name for p in folder.iterdir() if p.is_dir() and _LABEL.fullmatch(p.name)]
            if folder.is_dir()
            else []
        )
        return sorted(found, key=lambda label: (number_of(label), label))

    def label(self, name: str) -> str:
        """The folder of a stage by its name; "" where the folder does not exist."""
        return next((label for label in self.labels() if name_of(label) == name), "")

    def shard(self, label: str, kind: str, number: int) -> Location:
        """The file with one kind of output ("kept", "rejected", "pending", "side") of a stage's
        shard."""
        return self.at("stages", label, f"{kind}-{number:05d}.parquet")

    def shards(self, label: str, kind: str) -> list[Location]:
        """The files of all shards with one kind of output, in order."""
        return listed(self.at("stages", label), f"{kind}-*.parquet")

    def read(self, label: str, kind: str, record: type[R]) -> Iterator[R]:
        """All records of one kind of output, shard by shard."""
        for path in self.shards(label, kind):
            yield from read_records(path, record)

    def timing(self, label: str, number: int) -> Location:
        """The file with the seconds that a shard took."""
        return self.at("timing", label, f"{number:05d}")

    def seconds(self, label: str) -> float:
        """Seconds that a stage took over all its shards and workers."""
        files = listed(self.at("timing", label), "[0-9]*")  # no ".part" of a killed worker
        return sum(float(p.read_text()) for p in files)

    def counts(self, label: str) -> list[StageCount]:
        """The counts of all finished shards of a stage, read from the shards' files."""
        found = []
        for path in self.shards(label, "kept"):
            facts = read_metadata(path)
            assert facts is not None
            found.append(count_of(label, int(path.stem.split("-")[1]), facts))
        return found

    def count(self, label: str) -> StageCount:
        """The sum of a stage's counts."""
        parts = self.counts(label)
        return StageCount(
            stage=name_of(label), shard=-1, **{k: sum(getattr(c, k) for c in parts) for k in COUNTS}
        )

    # Calls

    @property
    def is_pilot(self) -> bool:
        """Whether this folder is the pilot of a run. A pilot (a small trial run) uses the call
        cache of its run, so that the run can use the pilot's replies."""
        folder = self.at()
        return folder.name == "pilot" and (folder.parent / "recipe.json").is_file()

    def calls(self, setting: str) -> Path | str:
        """The place where the run keeps replies of services, ledger and budget: a file, or a Redis
        address.

        Args:
            setting: the recipe's `run.calls`; "" for a file in the run's folder. If the Redis
                address has no prefix, the prefix is made from the folder's name and place. Each
                prefix of a Redis address has its own budget and ledger.

        Raises:
            InputError: the run lies in a bucket, where an SQLite file is not possible; or `setting`
                is no address, contains a password, or names a folder that does not exist.
        """
        folder = self.at()
        owner = folder.parent if self.is_pilot else folder
        if is_url(setting):
            if has_password(setting):
                raise InputError(
                    "run.calls",
                    "holds a password, which would be written into the run",
                    f"Set it in the environment, as {PASSWORD_ENV}.",
                )
            place_of(setting)
            name = f"questloom:{re.sub(r'[^A-Za-z0-9._-]', '_', owner.name)}-{hashlib.sha256(str(owner).encode()).hexdigest()[:8]}"
            return (
                setting
                if "prefix=" in setting
                else f"{setting}{'&' if '?' in setting else '?'}prefix={name}"
            )
        if "://" in setting or (setting and not Path(setting).absolute().parent.is_dir()):
            raise InputError(
                "run.calls",
                "is no redis:// address, and no path in a folder that exists",
                "Give redis://HOST:PORT/DB, or the path of a file.",
            )
        if setting:
            return Path(setting).absolute()
        if isinstance(owner, BucketPath):
            raise InputError(
                self.path,
                "lies in a bucket, where the call cache (SQLite) cannot be written",
                "Name another place with --cache: redis://HOST:PORT/DB, or the path of a file where the run stays on this machine.",
            )
        return owner / "calls.sqlite"


def name_of(label: str) -> str:
    """A stage's name without its number.

    >>> name_of("04-certify")
    'certify'
    """
    found = _LABEL.fullmatch(label)
    return found[2] if found else label


def number_of(label: str) -> int:
    """The number in the name of a stage's folder."""
    found = _LABEL.fullmatch(label)
    assert found, f"{label} is no stage's folder"
    return int(found[1])


def count_of(label: str, shard: int, facts: dict[str, str]) -> StageCount:
    """The names of the counts in the metadata of a shard."""
    return StageCount(stage=name_of(label), shard=shard, **{k: int(facts[k]) for k in COUNTS})
