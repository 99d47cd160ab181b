"""Finds files of dialogues and their splits in any of these sources:

```
FILE                        .parquet, .json, .jsonl; .json and .jsonl also with .gz
FOLDER                      all such files in the folder; a file name may begin with its split (train-00000…, validation.json)
DATA_SET:CONFIGURATION      a configuration of the card (README.md, `configs`), or a name in LLaMA-Factory's dataset_info.json
ORG/NAME:CONFIGURATION      a data set on the Hub, also as hf://ORG/NAME:CONFIGURATION
```

The configurations of a data set may hold the same rows in several forms. Some configurations have
only questions and answers. Therefore the user must name one configuration of the data set. A folder
with several kinds of data is refused with an error that lists them.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from questloom.files.locations import BucketPath, location
from questloom.files.settings_files import read_front_matter
from questloom.records.errors import InputError

SUFFIXES = (".parquet", ".json", ".jsonl", ".json.gz", ".jsonl.gz")
CARD, LIST = "README.md", "dataset_info.json"
HUB = "hf://"
TRAIN, VALIDATION = "train", "validation"
_SPLITS = {
    "train": TRAIN,
    "training": TRAIN,
    "validation": VALIDATION,
    "valid": VALIDATION,
    "val": VALIDATION,
    "dev": VALIDATION,
    "eval": VALIDATION,
    "test": "test",
}
"""Words in file names that state the split of a file. The library `datasets` recognises the same
words."""
_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*")
_FIX = f"Name a run, a file of dialogues ({', '.join(SUFFIXES)}), or one configuration of a data set: --data FOLDER:CONFIGURATION."


@dataclass(frozen=True)
class DialogueFile:
    """A file of dialogues."""

    path: Path
    split: str
    """"train", "validation", or the name of another split. Training uses only the splits "train"
    and "validation".
    """


def dialogue_files(source: str, split: str) -> list[DialogueFile]:
    """The files with dialogues that a source names, in order.

    Args:
        split: the split that a file gets if its name states no split.

    Raises:
        InputError: there are no files, or they cannot be read; or the source has several data sets
            and the user named none.
    """
    name, configuration = _parted(source)
    folder = _Folder(name, source)
    if folder.path.is_file() and folder.path.name.endswith(SUFFIXES) and not configuration:
        return [DialogueFile(folder.path, split)]
    if not folder.path.is_dir():
        what = (
            "is no run, and no file or folder of dialogues"
            if folder.path.exists()
            else "does not exist"
        )
        raise InputError(source, what, _FIX)
    found = _of_card(folder, configuration, split) or _of_list(folder, configuration, split)
    if found is None:
        if configuration:
            raise InputError(
                source,
                f"names a configuration, and {name} has no list of any ({CARD} with `configs`, or {LIST})",
                _FIX,
            )
        found = _of_folder(folder.brought([f"*{suffix}" for suffix in SUFFIXES]), source, split)
    if not found:
        raise InputError(source, "is no run, and no file or folder of dialogues", _FIX)
    return found


class _Folder:
    """The folder of a data set, on this machine or on the Hugging Face Hub.

    Only the needed files are downloaded from the Hub, into the Hub's own cache.

    Args:
        name: the data set's name without a configuration.
        source: the source in the user's words, for errors.

    Raises:
        InputError: the folder is in a bucket, or cannot be read.
    """

    def __init__(self, name: str, source: str) -> None:
        self._name, self.source = name, source
        here = None if source.startswith(HUB) else location(name)
        if isinstance(here, BucketPath):
            raise InputError(
                source,
                "lies in a bucket, and is no run",
                "Copy files of dialogues to this machine; runs may lie in buckets.",
            )
        self._is_of_hub = here is None or (not here.exists() and bool(_REPOSITORY.fullmatch(name)))
        self.path = Path(name) if not self._is_of_hub else self.brought([CARD, LIST])

    def brought(self, patterns: Sequence[str]) -> Path:
        """The local folder that has all files whose names match the patterns. Files that are
        missing are downloaded.
        """
        if not self._is_of_hub:
            return self.path
        from huggingface_hub import (
            snapshot_download,
        )  # imported here because it loads slowly

        try:
            return Path(
                snapshot_download(self._name, repo_type="dataset", allow_patterns=list(patterns))
            )
        except (
            Exception
        ) as error:  # the library raises its own errors, the Hub's and the system's alike
            why = " ".join(f"{type(error).__name__}: {error}".split())[:300]
            raise InputError(
                self.source,
                f"does not exist here, and cannot be had from the Hub ({why})",
                "Correct the path; or look at the data set's name, the network and HF_TOKEN.",
            ) from error


def _parted(source: str) -> tuple[str, str]:
    """Splits a source into its place and its configuration (the part after the colon).

    An existing path is a place without a configuration, even if the path contains a colon.
    """
    plain = source.removeprefix(HUB)
    if "://" in plain or Path(source).exists():
        return source, ""
    name, colon, configuration = plain.rpartition(":")
    return (name, configuration) if colon and name else (plain, "")


def full_name(source: str) -> str:
    """The name of a data source in the identity of a run. The name does not depend on the current
    folder."""
    name, configuration = _parted(source)
    here = not source.startswith(HUB) and Path(name).exists()
    return f"{os.path.abspath(name) if here else name}{':' * bool(configuration)}{configuration}"


def _of_card(folder: _Folder, configuration: str, split: str) -> list[DialogueFile] | None:
    """The files of a configuration that the data set's card (README.md) lists; None if the card
    lists no configurations."""
    configs = _configs(folder.path / CARD)
    if not configs:
        return None
    wanted = configs[_chosen(configs, configuration, folder)]
    if isinstance(wanted, str) or all(isinstance(part, str) for part in wanted):
        wanted = [{"split": split, "path": wanted}]
    found = []
    for part in wanted:
        patterns = [part["path"]] if isinstance(part["path"], str) else part["path"]
        home = folder.brought(patterns)
        files = sorted(
            {path for pattern in patterns for path in home.glob(pattern) if path.is_file()}
        )
        found += [
            DialogueFile(path, _SPLITS.get(str(part["split"]), str(part["split"])))
            for path in files
        ]
    return found


def _configs(card: Path) -> dict[str, Any]:
    """The `data_files` of each configuration that a data set's card lists; empty if the card lists
    no configurations."""
    fix = "Name files of dialogues instead."
    told = read_front_matter(card, fix=fix) if card.is_file() else {}
    try:
        return {str(each["config_name"]): each["data_files"] for each in told.get("configs") or ()}
    except (LookupError, TypeError) as error:
        raise InputError(
            str(card), f"has configurations that cannot be read ({error!r})"[:300], fix
        ) from error


def _of_list(folder: _Folder, configuration: str, split: str) -> list[DialogueFile] | None:
    """The files that LLaMA-Factory's list (dataset_info.json) gives for the name of a data set;
    None if there is no list."""
    path = folder.path / LIST
    if not path.is_file():
        return None
    try:
        listed = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(
            str(path), f"cannot be read ({error})", "Name files of dialogues instead."
        ) from error
    chosen = _chosen(listed, configuration, folder)
    name = str(listed[chosen].get("file_name", ""))
    file = folder.brought([name, f"{name}/*"]) / name
    if not name or not file.exists():
        raise InputError(
            folder.source,
            f"names {chosen}, of which {LIST} names no file that is here",
            "Name a file or folder of dialogues.",
        )
    return _of_folder(file, folder.source, split) if file.is_dir() else [DialogueFile(file, split)]


def _chosen(known: Mapping[str, Any], configuration: str, folder: _Folder) -> str:
    """The name of the configuration that the user wants: the one that the user named, or the only
    one.

    Raises:
        InputError: there are several configurations and the user named none, or the user named one
            that does not exist.
    """
    names, source = ", ".join(sorted(known)), folder.source
    if configuration in known:
        return configuration
    if configuration:
        raise InputError(source, f"has no configuration {configuration!r}", f"It has: {names}.")
    if len(known) > 1:
        run = (
            f"Name the run itself (--data {Path(source).parent}), or one"
            if (folder.path.parent / "recipe.json").is_file()
            else "Name one"
        )
        raise InputError(
            source,
            f"is a data set of several configurations, which hold the same rows in other forms, or rows that are not for this: {names}",
            f"{run} of them: --data {source}:{'sft' if 'sft' in known else 'NAME'}.",
        )
    return next(iter(known))


def _of_folder(folder: Path, source: str, split: str) -> list[DialogueFile]:
    """The dialogue files of a folder that has no configurations.

    Raises:
        InputError: the files lie in several folders, or only some of them have a split in their
            names.
    """
    files = sorted(
        path
        for path in folder.rglob("*")
        if path.name.endswith(SUFFIXES)
        and path.name != LIST
        and not _is_hidden(path.relative_to(folder))
    )
    homes = sorted({path.parent for path in files})
    if len(homes) > 1:
        held = ", ".join(str(home.relative_to(folder)) for home in homes[:12]) + " …" * (
            len(homes) > 12
        )
        raise InputError(
            source,
            f"holds files of dialogues in several folders, which may be the same rows, or rows to be held out: {held}",
            "Name the one that is meant.",
        )
    splits = [_SPLITS.get(re.split(r"[^a-z]", path.name, maxsplit=1)[0], "") for path in files]
    if all(splits):
        return [DialogueFile(path, named) for path, named in zip(files, splits, strict=True)]
    if any(splits):
        said = [path.name for path, named in zip(files, splits, strict=True) if named]
        raise InputError(
            source,
            f"holds files that name their split ({_few(said)}) and files that do not",
            "Name the files that are meant, each with --data.",
        )
    return [DialogueFile(path, split) for path in files]


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") for part in path.parts)


def _few(names: Sequence[str]) -> str:
    return ", ".join(names[:5]) + " …" * (len(names) > 5)
