"""Folders of data sets: the digest of their content, and how `datasets` reads a downloaded folder."""

import hashlib
from pathlib import Path
from typing import Any


def content_digest(folder: Path) -> str:
    """Digest of a folder, 16 hexadecimal digits, over the contents of its files and their names in the folder."""
    held = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            held.update(
                f"{path.relative_to(folder)} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode()
            )
    return held.hexdigest()[:16]


def load_folder(path: Path, split: str | None = None) -> Any:
    """Like `datasets.load_dataset` for a folder or one of its splits, but never gives the rows of
    another folder.

    `datasets` caches rows under the folder's name and the patterns in its card. `load_folder`
    therefore keeps the cache under the digest of the folder's content.
    """
    import datasets  # importing datasets is slow, so only this function does it

    place = Path(datasets.config.HF_DATASETS_CACHE, f"content-{content_digest(path)}")
    return datasets.load_dataset(str(path), split=split, cache_dir=str(place))
