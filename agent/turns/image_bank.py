"""The image bank of one episode: every picture gets a handle, `<image:N>`, in order of arrival (as in ODE).

The bank is append-only. A duplicate picture gets the old handle. There are two kinds of duplicates:

* A *found* picture (from a search or a page) is a duplicate when an earlier picture looks the same by perceptual hash
  and colours. A picture that is half as large again or sharper by half is no duplicate: the sharp original of a blurred
  task picture must get a new handle.
* A picture that a tool *made* from another (`parent`), or that Python drew, is a duplicate when its pixels equal those
  of an earlier one. Sharpening or enlarging keeps the perceptual hash, so the hash cannot show whether the tool had an
  effect.

Colours are compared too, because hashes alone would treat all plain pictures as equal, whatever their colour.
"""

import hashlib
import re
from dataclasses import dataclass
from typing import Any

import cv2
import imagehash
import numpy as np
from PIL import Image

from questloom.files.pictures import MAX_PIXELS, PictureError, decode, kind_of, open_lazily
from questloom.models.picture_file import encode
from questloom.records.episodes import BankImage
from questloom.records.outcomes import Reason

MAX_SIDE = 4096
"""In pixels. A larger picture is scaled down before the model sees it. The limit equals the largest output of
super-resolution."""
MAX_FOUND_SIDE = 1024
"""The size limit of found pictures in pixels. The limit is lower than MAX_SIDE because each search brings several
pictures. Seven calls with photographs in full size would fill a context of 200,000 tokens."""
MIN_SIDE = 8
MIN_FOUND_SIDE = 32
MAX_ASPECT = 100
"""The largest ratio of a picture's longer to its shorter side; vision processors refuse 200."""
MAX_FOUND_PIXELS = 40_000_000
"""The most pixels of a picture from the web. A file of a few kilobytes may claim more, and many files are decoded at
once."""
MAX_HASH_BITS = 4
"""Pictures that look the same may differ in this many of the hash's 64 bits."""
MAX_COLOUR_DIFFERENCE = 12.0
"""The largest difference of colours, of 255, in any cell of a 16×16 grid. Measured on 590 pictures of a fictional world
whose twins differ in a detail: at 4 bits of hash, other things differ by 29 or more. The same picture blurred, scaled
or compressed again differs by 11 or less."""
FINER = 1.5
FIGURES_FROM = "python_interpreter"
"""The origin of made pictures without a single parent. Duplicates are decided by the record's own fields alone. A bank
that is rebuilt from its `BankImage` records and their bytes, in order, therefore gives the same handles."""
_PLAIN_INFO = frozenset(
    "jfif jfif_version jfif_unit jfif_density dpi progressive progression gamma srgb chromaticity interlace".split()
)
EXAMINED = 2048
"""The number of pictures whose examination a process caches (4 kB each). Pages and searches bring the same pictures to
many episodes."""
_HANDLE = re.compile(r"\s*<image:(\d{1,6})>\s*")


class UnknownHandle(ValueError):
    """A handle that names no picture of the bank. The message lists the existing handles."""


def parse_handle(value: Any) -> int | None:
    """The number of a handle as models write it, `3` or `"<image:3>"`; None for other values."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    found = _HANDLE.fullmatch(value) if isinstance(value, str) else None
    return int(found[1]) if found else None


def handle_text(handle: int) -> str:
    """A handle in the form that the model reads."""
    return f"<image:{handle}>"


@dataclass(frozen=True)
class _Look:
    """The features that decide whether two pictures look the same."""

    bits: int
    colours: np.ndarray
    """Colours of a 16×16 grid, (16, 16, 3) float32."""
    sharpness: float
    """Mean absolute Laplacian at a longer side of 512 pixels."""
    pixels: str
    """sha256 over size and pixels."""

    @staticmethod
    def of(picture: Image.Image) -> "_Look":
        array = np.asarray(picture)
        scale = min(1.0, 512 / max(picture.size))
        small = cv2.resize(
            array,
            (max(1, round(picture.width * scale)), max(1, round(picture.height * scale))),
            interpolation=cv2.INTER_AREA,
        )
        laplacian = cv2.Laplacian(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), cv2.CV_32F)
        return _Look(
            bits=int(str(imagehash.phash(picture)), 16),
            sharpness=float(np.abs(laplacian).mean()),
            colours=cv2.resize(small, (16, 16), interpolation=cv2.INTER_AREA).astype(np.float32),
            pixels=hashlib.sha256(f"{picture.size}".encode() + array.tobytes()).hexdigest(),
        )

    def resembles(self, other: "_Look") -> bool:
        return (self.bits ^ other.bits).bit_count() <= MAX_HASH_BITS and float(
            np.abs(self.colours - other.colours).max()
        ) <= MAX_COLOUR_DIFFERENCE


@dataclass(frozen=True)
class _Entry:
    image: BankImage
    data: bytes
    look: _Look


@dataclass(frozen=True)
class _Examined:
    """A file's picture in the form that the model sees."""

    shown: bytes | None
    """The bytes that the model sees; None where the file itself is shown."""
    sha256: str
    """The hash of the shown bytes."""
    size: tuple[int, int]
    look: _Look


_known: dict[str, _Examined] = {}


class ImageBank:
    """The pictures of an episode. `fork()` makes a branch that shares the pictures; later additions on either side are
    not shared."""

    def __init__(self) -> None:
        self._entries: tuple[_Entry, ...] = ()

    @property
    def images(self) -> tuple[BankImage, ...]:
        """All entries of the bank, by handle."""
        return tuple(entry.image for entry in self._entries)

    def __len__(self) -> int:
        return len(self._entries)

    def add(
        self,
        data: bytes,
        *,
        origin: str,
        call: int = -1,
        url: str = "",
        title: str = "",
        parent: int = -1,
        box: tuple[float, ...] = (),
    ) -> int:
        """Adds a picture and returns its handle; a duplicate returns the old handle.

        Args:
            data: bytes of the file, untrusted; plain RGB JPEG and PNG files are kept unchanged; files of other kinds
                are converted: upright, without metadata, and at most `MAX_SIDE` (found pictures: `MAX_FOUND_SIDE`)
                pixels wide and high.
            origin: "task", or the name of the tool that returned the picture.
            call: index of the turn whose call returned the picture; -1 for the task's own.
            url, title: the source of a found picture.
            parent: handle of the picture that a made one derives from; -1 for a found one.
            box: (x0, y0, x1, y1) of a crop in its parent, 0 to 1000.

        Raises:
            PictureError: the picture is unusable: damaged, of a format that `decode` does not read, too large, too
                small or too narrow.
        """
        made = parent >= 0 or origin == FIGURES_FROM
        seen = _examined(data, MAX_SIDE if made or origin == "task" else MAX_FOUND_SIDE)
        old = self._same_pixels(seen.look) if made else self._same_look(seen)
        if old is not None:
            return old
        handle = len(self._entries)
        width, height = seen.size
        image = BankImage(
            handle=handle,
            sha256=seen.sha256,
            width=width,
            height=height,
            origin=origin,
            call=call,
            url=url,
            title=title,
            parent=parent,
            box=tuple(float(x) for x in box),
        )
        self._entries = (*self._entries, _Entry(image, seen.shown or data, seen.look))
        return handle

    def get(self, handle: int) -> BankImage:
        """The bank's entry of a handle.

        Raises:
            UnknownHandle: the bank has no such handle.
        """
        return self._entry(handle).image

    def data(self, handle: int) -> bytes:
        """The picture as a JPEG or PNG file, as the model sees it.

        Raises:
            UnknownHandle: the bank has no such handle.
        """
        return self._entry(handle).data

    def pixels(self, handle: int) -> Image.Image:
        """The picture as an RGB image.

        Raises:
            UnknownHandle: the bank has no such handle.
        """
        return decode(self._entry(handle).data)

    def perceptual_hash(self, handle: int) -> int:
        """The 64 bits of the picture's pHash.

        Raises:
            UnknownHandle: the bank has no such handle.
        """
        return self._entry(handle).look.bits

    def like(self, handle: int) -> int | None:
        """The first earlier picture that looks the same. The newer picture is larger or sharper, or was made from it.

        Raises:
            UnknownHandle: the bank has no such handle.
        """
        look = self._entry(handle).look
        return next(
            (e.image.handle for e in self._entries[:handle] if look.resembles(e.look)), None
        )

    def resembles(self, handle: int, other: bytes) -> bool:
        """Whether another file shows the same picture as one of the bank, at any size.

        Raises:
            UnknownHandle: the bank has no such handle.
            PictureError: the file is no usable picture.
        """
        return self._entry(handle).look.resembles(_examined(other).look)

    def fork(self, turn: int | None = None) -> "ImageBank":
        """A new bank with the same pictures. Nothing is copied: the entries are an immutable tuple, and adding makes a
        new tuple.

        Args:
            turn: leaves out the pictures of this turn and later turns; the default keeps all.
        """
        branch = ImageBank()
        branch._entries = (
            self._entries
            if turn is None
            else tuple(entry for entry in self._entries if entry.image.call < turn)
        )
        return branch

    def _entry(self, handle: int) -> _Entry:
        if not 0 <= handle < len(self._entries):
            valid = {0: "the bank is empty", 1: "the only handle is <image:0>"}.get(
                len(self._entries),
                f"valid handles are <image:0> to <image:{len(self._entries) - 1}>",
            )
            raise UnknownHandle(f"there is no <image:{handle}>; {valid}")
        return self._entries[handle]

    def _same_pixels(self, look: _Look) -> int | None:
        return next((e.image.handle for e in self._entries if e.look.pixels == look.pixels), None)

    def _same_look(self, seen: "_Examined") -> int | None:
        look = seen.look
        for entry in self._entries:
            larger = max(seen.size) >= FINER * max(entry.image.width, entry.image.height)
            sharper = (
                look.sharpness >= FINER * entry.look.sharpness + 0.5
            )  # half a grey level is noise of the encoder
            if look.resembles(entry.look) and not larger and not sharper:
                return entry.image.handle
        return None


def _examined(data: bytes, max_side: int = MAX_SIDE) -> _Examined:
    """Examines a picture's file, cached by its digest. Reading and hashing a megapixel takes about 15 ms."""
    digest = hashlib.sha256(data).hexdigest()
    seen = _known.get(digest)
    if seen is None or max(seen.size) > max_side:
        shown, picture = _as_shown(data, max_side)
        own = shown is data
        seen = _Examined(
            None if own else shown,
            digest if own else hashlib.sha256(shown).hexdigest(),
            picture.size,
            _Look.of(picture),
        )
        if own:  # the bytes of pictures from outside would fill the memory
            _known[digest] = seen
            if len(_known) > EXAMINED:
                _known.pop(next(iter(_known)), None)
    return seen


def _as_shown(
    data: bytes, max_side: int = MAX_SIDE, *, max_pixels: int = MAX_PIXELS
) -> tuple[bytes, Image.Image]:
    """The bytes that the model sees, and their pixels."""
    with open_lazily(data, max_pixels=max_pixels) as header:
        kind, plain = (
            kind_of(header),
            header.mode == "RGB" and set(header.info) <= _PLAIN_INFO and not header.getexif(),
        )
    picture = decode(data, at_least=max_side, max_pixels=max_pixels)
    if min(picture.size) < MIN_SIDE or max(picture.size) > MAX_ASPECT * min(picture.size):
        raise PictureError(
            Reason.PICTURE_TOO_SMALL,
            f"{picture.width}×{picture.height} pixels, too small or too narrow to be looked at",
        )
    if plain and kind in ("JPEG", "PNG") and max(picture.size) <= max_side:
        return data, picture
    picture.thumbnail((max_side, max_side), Image.Resampling.LANCZOS)
    shown = encode(picture, lossless=kind == "PNG" and picture.width * picture.height <= 1 << 20)
    return shown, decode(shown)


def usable_picture(data: bytes) -> bool:
    """Whether a file from the web is a picture worth showing: it can be read, and is neither an icon nor a
    decompression bomb."""
    try:
        _, picture = _as_shown(data, max_pixels=MAX_FOUND_PIXELS)
    except PictureError:
        return False
    return min(picture.size) >= MIN_FOUND_SIDE
