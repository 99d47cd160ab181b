"""Makes thumbnails (small versions of pictures), and finds the bytes of each picture."""

import io
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from questloom.files.locations import Location
from questloom.models.picture_file import PictureError, decode
from questloom.records.errors import InputError
from questloom.transforms.episodes.episode_folder import EpisodeFolder
from questloom.transforms.stages.run_folder import RunFolder

THUMBNAIL = 480
"""The length of a thumbnail's longest edge in pixels."""
QUALITY = 80
NUM_THREADS = 4
Picture = Callable[[str], bytes]


def picture_reader(run: Location, fallback: Picture | None) -> Picture:
    """Returns a function that reads a picture by its id. The returned function looks for a picture
    in `RUN/pictures/`, then among the teacher's pictures, then in the fallback (a store). If a
    picture is in none of these places, the returned function raises KeyError.
    """
    folder = RunFolder(str(run))
    taught = EpisodeFolder.of(folder)

    def read(image_id: str) -> bytes:
        path = folder.picture(image_id)
        if path.is_file():
            return path.read_bytes()
        shown = taught.files.picture(image_id)
        if shown.is_file():
            return shown.read_bytes()
        if fallback is None:
            raise KeyError(image_id)
        return fallback(image_id)

    return read


def shrunk(data: bytes, longest: int, quality: int = QUALITY) -> bytes:
    """A picture as a JPEG file without metadata, at most `longest` pixels wide or high."""
    try:
        picture = decode(data, at_least=longest)
    except PictureError as error:
        raise InputError(
            "a picture of the run",
            f"cannot be decoded ({error})",
            "Run the same `questloom synth` command again.",
        ) from error
    picture.thumbnail((longest, longest))
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=quality)
    return out.getvalue()


def write_thumbnails(image_ids: set[str], read: Picture, folder: Path) -> set[str]:
    """Writes `folder/<image id>.jpg` for each picture. Returns the ids of the pictures that could
    not be read.

    Several threads help, because the interpreter lock is free while a picture is decoded.
    """
    folder.mkdir(parents=True)

    def write(image_id: str) -> bool:
        try:
            data = shrunk(read(image_id), THUMBNAIL)
        except (
            KeyError,
            InputError,
        ):  # the picture of a rejected question may be missing, or be the reason for the rejection
            return False
        (folder / f"{image_id}.jpg").write_bytes(data)
        return True

    ordered = sorted(image_ids)
    with ThreadPoolExecutor(NUM_THREADS) as pool:
        return {
            image_id
            for image_id, written in zip(ordered, pool.map(write, ordered), strict=True)
            if not written
        }
