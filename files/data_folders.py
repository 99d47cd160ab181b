"""Folders of data sets: what they hold, and how a downloaded one is read by `datasets`."""

import hashlib
from pathlib import Path
from typing import Any


def content_digest(folder: Path) -> str:
    """16 hexadecimal digits by which a folder is known: of its files, and of how they are named in it."""
    held = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            held.update(
                f"{path.relative_to(folder)} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode()
            )
    return held.hexdigest()[:16]


def load_folder(path: Path, split: str | None = None) -> Any:
    """`datasets.load_dataset` of a folder, or of a split of it, which never gives the rows of another folder.

    `datasets` keeps what it has read by the folder's name and by the patterns in its card. So what it keeps lies here
    under the content of the folder.
    """
    import datasets  # loads slowly: only where a folder is read

    place = Path(datasets.config.HF_DATASETS_CACHE, f"content-{content_digest(path)}")
    return datasets.load_dataset(str(path), split=split, cache_dir=str(place))
