"""The image bank holds all pictures of one episode. Every picture gets a handle, `<image:N>`,
numbered in order of arrival, as in the ODE paper.

Pictures are added to the bank but never removed. A duplicate of an earlier picture gets the earlier
picture's handle. Two rules say which pictures are duplicates:

* A *found* picture (from a search or a page) is a duplicate if its perceptual hash and colours are
  close to those of an earlier picture. However, a found picture that is at least 1.5 times as large
  or as sharp as the earlier picture is not a duplicate. For example, the sharp original of a
  blurred question picture gets a new handle.
* A picture that a tool *made* from another picture (`parent`), or that Python drew, is a duplicate
  if its pixels equal those of an earlier picture. For pictures that tools made, the perceptual hash
  cannot decide, because sharpening or enlarging a picture keeps the hash.

Colours are compared too, because all pictures with a single colour have the same hash.
"""

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
from questloom.records.identity import sha256_hex
from questloom.records.outcomes import Reason

MAX_SIDE = 4096
"""Maximum length of a picture's side in pixels; larger pictures are scaled down before the model
sees them. The tool super_resolution makes no picture with a side longer than MAX_SIDE."""
MAX_FOUND_SIDE = 1024
"""Maximum length in pixels of the sides of pictures that searches and pages bring. The limit for
found pictures is lower than MAX_SIDE because each search brings several pictures. Seven calls with
photographs in full size would fill a context of 200,000 tokens."""
MIN_SIDE = 8
MIN_FOUND_SIDE = 32
MAX_ASPECT = 100
"""The largest allowed ratio of a picture's longer side to its shorter side. Vision models refuse a
ratio of 200."""
MAX_FOUND_PIXELS = 40_000_000
"""Maximum number of pixels of a picture from the web. Without a limit, a file of a few kilobytes
could expand to a huge picture, and many files are decoded at once."""
MAX_HASH_BITS = 4
"""If two pictures look the same, at most this number of the 64 bits of their hashes differ."""
MAX_COLOUR_DIFFERENCE = 12.0
"""If two pictures look the same, their mean colours (0 to 255) differ by at most this number in
every cell of a 16×16 grid. The limit on the colours was chosen with 590 pictures of a fictional
world, in which some things differ only in a detail. If the hashes of pictures of different things
differ in at most 4 bits, their colours differ by 29 or more. The colours of a blurred, scaled or
compressed copy differ from the original's colours by 11 or less."""
FINER = 1.5
FIGURES_FROM = "python_interpreter"
"""The origin of pictures that Python code drew, which come from no single parent picture. The check
for duplicates reads only fields that are stored, so an image bank that is rebuilt from its
`BankImage` records and their files, in order, gives the same handles."""
_PLAIN_INFO = frozenset(
    "jfif jfif_version jfif_unit jfif_density dpi progressive progression gamma srgb chromaticity interlace".split()
)
EXAMINED = 2048
"""The number of pictures whose computed features are cached in a process (4 kB per picture). The
cache helps because many episodes show the same pictures."""
_HANDLE = re.compile(r"\s*<image:(\d{1,6})>\s*")


class UnknownHandle(ValueError):
    """A model used a handle that names no picture in the bank. The error message lists the existing
    handles."""


def parse_handle(value: Any) -> int | None:
    """Reads the number from a handle as models write it, `3` or `"<image:3>"`; returns None for
    other values."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    found = _HANDLE.fullmatch(value) if isinstance(value, str) else None
    return int(found[1]) if found else None


def handle_text(handle: int) -> str:
    """Writes a handle in the form that the model reads."""
    return f"<image:{handle}>"


@dataclass(frozen=True)
class _Details:
    """The features that are needed only where the hashes of two pictures are close, or where their
    sizes are equal. They take three times as long as the hash."""

    colours: np.ndarray
    """The mean colours in a 16×16 grid, (16, 16, 3) float32."""
    sharpness: float
    """The picture's sharpness: the mean absolute Laplacian after the longer side was scaled to at
    most 512 pixels."""
    pixels: str
    """The sha256 of the picture's pixels."""

    @staticmethod
    def of(picture: Image.Image) -> "_Details":
        array = np.asarray(picture)
        scale = min(1.0, 512 / max(picture.size))
        small = cv2.resize(
            array,
            (max(1, round(picture.width * scale)), max(1, round(picture.height * scale))),
            interpolation=cv2.INTER_AREA,
        )
        laplacian = cv2.Laplacian(cv2.cvtColor(small, cv2.COLOR_RGB2GRAY), cv2.CV_32F)
        return _Details(
            sharpness=float(np.abs(laplacian).mean()),
            colours=cv2.resize(small, (16, 16), interpolation=cv2.INTER_AREA).astype(np.float32),
            pixels=sha256_hex(array.tobytes()),
        )


@dataclass(frozen=True)
class _Seen:
    """A picture in the form that the model sees."""

    data: bytes
    sha256: str
    size: tuple[int, int]
    bits: int
    """The 64 bits of the picture's pHash."""

    @property
    def details(self) -> _Details:
        found = _details.get(self.sha256)
        if found is None:
            found = _details[self.sha256] = _Details.of(decode(self.data))
            if len(_details) > EXAMINED:
                _details.pop(next(iter(_details)), None)
        return found

    def resembles(self, other: "_Seen") -> bool:
        return (self.bits ^ other.bits).bit_count() <= MAX_HASH_BITS and float(
            np.abs(self.details.colours - other.details.colours).max()
        ) <= MAX_COLOUR_DIFFERENCE

    def has_pixels_of(self, other: "_Seen") -> bool:
        return self.size == other.size and self.details.pixels == other.details.pixels


@dataclass(frozen=True)
class _Entry:
    image: BankImage
    seen: _Seen


_known: dict[str, tuple[tuple[int, int], int]] = {}
"""The size and the pHash of files that the model sees unchanged, by the file's digest."""
_details: dict[str, _Details] = {}


class ImageBank:
    """The pictures of one episode, by their handles (numbers). `fork()` makes a second bank with
    the same pictures. Pictures that are later added to one of the banks are not in the other."""

    def __init__(self) -> None:
        self._entries: tuple[_Entry, ...] = ()

    @property
    def images(self) -> tuple[BankImage, ...]:
        """All entries of the bank, in the order of their handles."""
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
        """Adds a picture and returns its handle; a duplicate gets the handle of the earlier picture.

        Args:
            data: bytes of the file, untrusted. Plain RGB JPEG and PNG files are kept unchanged.
                Other files are converted: they are turned upright, lose their metadata, and get at
                most `MAX_SIDE` pixels per side (found pictures: `MAX_FOUND_SIDE`).
            origin: "task", or the name of the tool that returned the picture.
            call: index of the turn whose tool call returned the picture; -1 for the question's own
            pictures. url, title: the page on which the picture was found.
            parent: handle of the picture from which this picture was made; -1 for a found picture.
            box: position of a crop in its parent, (x0, y0, x1, y1) from 0 to 1000.

        Raises: PictureError: the picture is damaged, has a format that `decode` does not read, or is too large, too
        small or too narrow.
        """
        made = parent >= 0 or origin == FIGURES_FROM
        seen = _examined(data, MAX_SIDE if made or origin == "task" else MAX_FOUND_SIDE)
        old = self._same_pixels(seen) if made else self._same_look(seen)
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
        self._entries = (*self._entries, _Entry(image, seen))
        return handle

    def get(self, handle: int) -> BankImage:
        """The bank's entry for a handle.

        Raises:
            UnknownHandle: the bank has no such handle.
        """
        return self._entry(handle).image

    def data(self, handle: int) -> bytes:
        """The picture as a JPEG or PNG file, as the model sees it.

        Raises:
            UnknownHandle: the bank has no such handle.
        """
        return self._entry(handle).seen.data

    def pixels(self, handle: int) -> Image.Image:
        """The picture as an RGB image.

        Raises:
            UnknownHandle: the bank has no such handle.
        """
        return decode(self._entry(handle).seen.data)

    def perceptual_hash(self, handle: int) -> int:
        """The 64 bits of the picture's pHash.

        Raises: UnknownHandle: the bank has no picture with this handle.
        """
        return self._entry(handle).seen.bits

    def like(self, handle: int) -> int | None:
        """Finds the first earlier picture that looks the same as the given picture. Two pictures
        that look the same may have different handles, if the later one is larger or sharper, or if
        a tool made it.

        Raises:
            UnknownHandle: the bank has no such handle.
        """
        seen = self._entry(handle).seen
        return next(
            (e.image.handle for e in self._entries[:handle] if seen.resembles(e.seen)), None
        )

    def resembles(self, handle: int, other: bytes) -> bool:
        """Whether a file shows the same picture as a picture in the bank, whatever the size.

        Raises:
            UnknownHandle: the bank has no such handle.
            PictureError: the file cannot be read as a picture.
        """
        return self._entry(handle).seen.resembles(_examined(other))

    def fork(self, turn: int | None = None) -> "ImageBank":
        """Makes a new bank with the same pictures. No picture is copied, because both banks share
        an immutable tuple of pictures. Adding a picture to one of the banks makes a new tuple for
        this bank.

        Args:
            turn: index of a turn. Pictures of this turn and of later turns are left out. By
                default, all pictures are kept.
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

    def _same_pixels(self, seen: _Seen) -> int | None:
        return next((e.image.handle for e in self._entries if e.seen.has_pixels_of(seen)), None)

    def _same_look(self, seen: _Seen) -> int | None:
        for entry in self._entries:
            if not seen.resembles(entry.seen):
                continue
            larger = max(seen.size) >= FINER * max(entry.seen.size)
            sharper = (
                seen.details.sharpness >= FINER * entry.seen.details.sharpness + 0.5
            )  # half a grey level is noise of the encoder
            if not larger and not sharper:
                return entry.image.handle
        return None


def _examined(data: bytes, max_side: int = MAX_SIDE) -> _Seen:
    """Decodes and examines the picture in a file. The results are cached by the file's digest."""
    digest = sha256_hex(data)
    known = _known.get(digest)
    if known is not None and max(known[0]) <= max_side:
        return _Seen(data, digest, *known)
    shown, picture = _as_shown(data, max_side)
    own = shown is data
    bits = int(str(imagehash.phash(picture)), 16)
    seen = _Seen(shown, digest if own else sha256_hex(shown), picture.size, bits)
    if own:  # what is converted again would be looked up in vain
        _known[digest] = seen.size, bits
        if len(_known) > EXAMINED:
            _known.pop(next(iter(_known)), None)
    return seen


def _as_shown(
    data: bytes, max_side: int = MAX_SIDE, *, max_pixels: int = MAX_PIXELS
) -> tuple[bytes, Image.Image]:
    """The bytes that the model sees, together with the decoded pixels."""
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
    """Whether a file from the web is a usable picture: it can be decoded, and it is neither an icon nor a decompression
    bomb."""
    try:
        _, picture = _as_shown(data, max_pixels=MAX_FOUND_PIXELS)
    except PictureError:
        return False
    return min(picture.size) >= MIN_FOUND_SIDE
