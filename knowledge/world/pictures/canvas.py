"""A canvas whose units do not depend on the pixel size. Everything is drawn at twice the size and then scaled down,
which smooths the edges.

The frame is 1000 units wide; y runs from 0 (top) to the frame's height. A camera (zoom, shift) moves everything that is
drawn, until the next `look_at` call. Text is drawn last and at the final size, so that it stays sharp.
"""

import random
from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from PIL import Image, ImageDraw, ImageFont

Colour = tuple[int, int, int]
Point = tuple[float, float]
SUPERSAMPLING = 2
JPEG_QUALITY = 84
MARGIN = 14
"""Number of pixels between a text and the edge of the picture."""


def mix(one: Colour, other: Colour, share: float) -> Colour:
    """Mixes two colours; with share 0, the result is the first colour."""
    return (
        round(one[0] + (other[0] - one[0]) * share),
        round(one[1] + (other[1] - one[1]) * share),
        round(one[2] + (other[2] - one[2]) * share),
    )


def darker(colour: Colour, share: float = 0.25) -> Colour:
    return mix(colour, (24, 26, 40), share)


def lighter(colour: Colour, share: float = 0.25) -> Colour:
    return mix(colour, (255, 252, 240), share)


def jitter(rng: random.Random, colour: Colour, amount: int = 14) -> Colour:
    """A random colour near another colour."""
    r, g, b = (max(0, min(255, c + rng.randint(-amount, amount))) for c in colour)
    return r, g, b


@lru_cache(maxsize=32)
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's own typeface, which is the same on every machine."""
    return ImageFont.load_default(size)


@lru_cache(maxsize=4)
def _grain(width: int, height: int) -> Image.Image:
    noise = (
        np.random.default_rng(7)
        .normal(128, 7, (height // 2 + 1, width // 2 + 1))
        .clip(0, 255)
        .astype(np.uint8)
    )
    return Image.fromarray(noise).resize((width, height), Image.Resampling.BILINEAR)


class Canvas:
    """A picture that is still being drawn.

    Args:
        width: width of the finished picture in pixels.
        height: height of the finished picture in pixels.
    """

    def __init__(self, width: int, height: int) -> None:
        self.width, self.height = width, height
        self.scale = width / 1000 * SUPERSAMPLING
        self.units_high = 1000 * height / width
        self.image = Image.new("RGB", (width * SUPERSAMPLING, height * SUPERSAMPLING))
        self.pen = ImageDraw.Draw(self.image)
        self.zoom, self.shift = 1.0, (0.0, 0.0)
        self.texts: list[tuple[Point, str, int, Colour]] = []

    def look_at(
        self, zoom: float = 1.0, dx: float = 0.0, dy: float = 0.0, about: Point = (500.0, 500.0)
    ) -> None:
        """Sets the camera: scales the drawing about a point, then shifts it."""
        self.zoom = zoom
        self.shift = (about[0] * (1 - zoom) + dx, about[1] * (1 - zoom) + dy)

    @property
    def left(self) -> float:
        """The smallest x that is in view."""
        return -self.shift[0] / self.zoom

    @property
    def right(self) -> float:
        """The largest x that is in view."""
        return (1000 - self.shift[0]) / self.zoom

    def at(self, point: Point) -> Point:
        """Converts a point to pixels of the enlarged picture."""
        return (
            (point[0] * self.zoom + self.shift[0]) * self.scale,
            (point[1] * self.zoom + self.shift[1]) * self.scale,
        )

    def gradient(
        self, top: Colour, bottom: Colour, y0: float = 0.0, y1: float | None = None
    ) -> None:
        """Draws a band over the whole width of the picture, which fades from one colour to another.
        The camera does not move the band."""
        first, last = (
            round(y0 * self.scale),
            round((self.units_high if y1 is None else y1) * self.scale),
        )
        if last <= first:
            return
        share = np.linspace(0, 1, max(2, (last - first) // 2))[:, None, None]
        rows = np.array(top) + (np.array(bottom) - np.array(top)) * share
        band = Image.fromarray(rows.astype(np.uint8)).resize(
            (self.image.width, last - first), Image.Resampling.NEAREST
        )
        self.image.paste(band, (0, first))

    def polygon(self, points: Sequence[Point], fill: Colour) -> None:
        self.pen.polygon([self.at(p) for p in points], fill=fill)

    def box(
        self, x0: float, y0: float, x1: float, y1: float, fill: Colour, *, round_by: float = 0.0
    ) -> None:
        corners = (*self.at((min(x0, x1), min(y0, y1))), *self.at((max(x0, x1), max(y0, y1))))
        if round_by:
            self.pen.rounded_rectangle(corners, radius=round_by * self.scale * self.zoom, fill=fill)
        else:
            self.pen.rectangle(corners, fill=fill)

    def oval(self, x: float, y: float, rx: float, ry: float, fill: Colour) -> None:
        self.pen.ellipse((*self.at((x - rx, y - ry)), *self.at((x + rx, y + ry))), fill=fill)

    def arc(
        self,
        x: float,
        y: float,
        rx: float,
        ry: float,
        start: float,
        end: float,
        fill: Colour,
        width: float,
    ) -> None:
        self.pen.arc(
            (*self.at((x - rx, y - ry)), *self.at((x + rx, y + ry))),
            start,
            end,
            fill=fill,
            width=self.thick(width),
        )

    def pie(
        self, x: float, y: float, rx: float, ry: float, start: float, end: float, fill: Colour
    ) -> None:
        self.pen.pieslice(
            (*self.at((x - rx, y - ry)), *self.at((x + rx, y + ry))), start, end, fill=fill
        )

    def line(self, points: Sequence[Point], fill: Colour, width: float) -> None:
        self.pen.line(
            [self.at(p) for p in points], fill=fill, width=self.thick(width), joint="curve"
        )

    def thick(self, units: float) -> int:
        return max(1, round(units * self.scale * self.zoom))

    def text(self, x: float, y: float, words: str, pixels: int, fill: Colour) -> tuple[float, ...]:
        """Draws small text centred on a point, if the frame has room. Returns the text's box (left,
        top, width, height) in per cent."""
        px, py = (v / SUPERSAMPLING for v in self.at((x, y)))
        left, top, right, bottom = font(pixels).getbbox(words)
        px = min(max(px, (right - left) / 2 + MARGIN), self.width - (right - left) / 2 - MARGIN)
        py = min(max(py, (bottom - top) / 2 + MARGIN), self.height - (bottom - top) / 2 - MARGIN)
        self.texts.append(((px - (left + right) / 2, py - (top + bottom) / 2), words, pixels, fill))
        wide, high = right - left, bottom - top
        box = (px - wide / 2 - 4, py - high / 2 - 3, wide + 8, high + 6)
        return tuple(
            round(100 * v / size, 1)
            for v, size in zip(box, (self.width, self.height) * 2, strict=True)
        )

    def box_of(self, x0: float, y0: float, x1: float, y1: float) -> tuple[float, ...]:
        """Converts a region in units to (left, top, width, height) in per cent of the picture, clipped at the edges."""
        (a, b), (c, d) = self.at((x0, y0)), self.at((x1, y1))
        wide, high = self.image.size
        a, c, b, d = max(0, a), min(wide, c), max(0, b), min(high, d)
        return tuple(
            round(100 * v, 1) for v in (a / wide, b / high, (c - a) / wide, (d - b) / high)
        )

    def finished(
        self, tint: Colour | None = None, strength: float = 0.0, grain: bool = True
    ) -> Image.Image:
        """The picture at its final size: smoothed, tinted by the light, with slight grain and small texts."""
        small = self.image.reduce(SUPERSAMPLING)
        if tint and strength:
            small = Image.blend(small, Image.new("RGB", small.size, tint), strength)
        if grain:
            small = Image.blend(small, Image.merge("RGB", [_grain(*small.size)] * 3), 0.05)
        pen = ImageDraw.Draw(small)
        for point, words, pixels, fill in self.texts:
            pen.text(point, words, font=font(pixels), fill=fill)
        return small
