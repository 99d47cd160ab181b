"""Handles folders of data sets: a digest of a folder's content, and a way to load a folder with the
library `datasets`.
"""

import hashlib
from pathlib import Path
from typing import Any


def content_digest(folder: Path) -> str:
    """The digest of a folder, 16 hexadecimal digits. The digest is computed from the names and
    contents of the folder's files.
    """
    held = hashlib.sha256()
    for path in sorted(path for path in folder.rglob("*") if path.is_file()):
        with path.open("rb") as file:
            held.update(
                f"{path.relative_to(folder)} {hashlib.file_digest(file, 'sha256').hexdigest()}\n".encode()
            )
    return held.hexdigest()[:16]


def load_folder(path: Path, split: str | None = None) -> Any:
    """Loads a folder or one of its splits in the way of `datasets.load_dataset`. Unlike
    `datasets.load_dataset`, the function never returns cached rows of another folder.

    The library `datasets` caches rows under the name of the folder and the file patterns in the
    folder's card. `load_folder` therefore uses a separate cache for each digest of a folder's
    content.
    """
    import datasets  # importing datasets is slow, so only this function does it

    place = Path(datasets.config.HF_DATASETS_CACHE, f"content-{content_digest(path)}")
    return datasets.load_dataset(str(path), split=split, cache_dir=str(place))
