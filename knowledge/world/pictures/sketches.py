"""Draws pictures of the learning world with sides of 64 pixels: a coloured thing in front of a pale sky, and a board
with its number."""

import random
from collections.abc import Callable

from PIL import Image, ImageDraw

from questloom.knowledge.world.model import Picture, Thing
from questloom.knowledge.world.pictures.canvas import Colour, darker, font, jitter, mix
from questloom.knowledge.world.pictures.drawn_marks import Boxes

SCALE = 4
"""The factor by which pictures are drawn larger and then scaled down, which smooths the edges."""
COLOURS: dict[str, Colour] = {
    "red": (206, 44, 40),
    "blue": (40, 76, 200),
    "green": (38, 150, 62),
    "yellow": (240, 206, 40),
    "white": (250, 250, 250),
    "black": (32, 32, 36),
}
BOARD = (43, 41, 62, 63)
"""The box of the board with the number, in pixels."""
DIGIT = 20
Pen = Callable[..., None]


def sketch(thing: Thing, picture: Picture, rng: random.Random) -> tuple[Image.Image, Boxes]:
    """Returns the drawn picture, and the boxes of its marks in per cent of the picture's sides."""
    side = picture.width
    sky, ground = jitter(rng, (196, 216, 232), 20), jitter(rng, (170, 190, 150), 20)
    image = Image.new("RGB", (side * SCALE, side * SCALE), sky)
    draw = ImageDraw.Draw(image)
    horizon = 50 + rng.randint(-3, 3)
    for y in range(horizon * SCALE):
        draw.line((0, y, side * SCALE, y), fill=mix(sky, (246, 246, 246), y / (horizon * SCALE)))
    draw.rectangle((0, horizon * SCALE, side * SCALE, side * SCALE), fill=ground)
    colour = jitter(rng, COLOURS[thing.look["colour"]], 12)
    dx, dy = rng.randint(-2, 2), rng.randint(-2, 2)

    def at(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
        return [((x + dx) * SCALE, (y + dy) * SCALE) for x, y in points]

    outline = darker(colour, 0.5) if thing.look["colour"] != "black" else (120, 120, 124)
    for shape, points in SHAPES[thing.kind]:
        pen: Pen = {"polygon": draw.polygon, "ellipse": draw.ellipse}[shape]
        pen(at(list(points)), fill=colour, outline=outline, width=SCALE)
    image = image.resize((side, side), Image.Resampling.LANCZOS)
    _board(image, thing.look["number"], (rng.randint(-1, 1), rng.randint(-1, 1)))
    box = tuple(
        100 * v / side for v in (BOARD[0], BOARD[1], BOARD[2] - BOARD[0], BOARD[3] - BOARD[1])
    )
    return image, {0: box, 1: (0.0, 0.0, 100.0, 100.0)}


def _board(image: Image.Image, number: str, shift: tuple[int, int]) -> None:
    draw = ImageDraw.Draw(image)
    left, top, right, bottom = (v + shift[i % 2] for i, v in enumerate(BOARD))
    draw.rectangle((left, top, right, bottom), fill=(255, 255, 255), outline=(60, 50, 40))
    draw.text(
        ((left + right) / 2 + 0.5, (top + bottom) / 2 + 0.5),
        number,
        fill=(20, 20, 20),
        font=font(DIGIT),
        anchor="mm",
    )


SHAPES: dict[str, tuple[tuple[str, tuple[tuple[float, float], ...]], ...]] = {
    "tower": (
        ("polygon", ((14, 56), (14, 14), (30, 14), (30, 56))),
        ("polygon", ((11, 14), (11, 8), (33, 8), (33, 14))),
    ),
    "lighthouse": (
        ("polygon", ((12, 56), (18, 18), (26, 18), (32, 56))),
        ("ellipse", ((17, 8), (27, 18))),
    ),
    "bridge": (
        ("polygon", ((2, 26), (42, 26), (42, 33), (2, 33))),
        ("polygon", ((7, 33), (13, 33), (13, 54), (7, 54))),
        ("polygon", ((31, 33), (37, 33), (37, 54), (31, 54))),
    ),
    "castle": (
        ("polygon", ((4, 56), (4, 28), (40, 28), (40, 56))),
        ("polygon", ((4, 28), (4, 14), (13, 14), (13, 28))),
        ("polygon", ((31, 28), (31, 14), (40, 14), (40, 28))),
    ),
    "windmill": (
        ("polygon", ((15, 56), (18, 28), (26, 28), (29, 56))),
        ("polygon", ((4, 8), (8, 5), (40, 40), (36, 43))),
        ("polygon", ((36, 5), (40, 8), (8, 43), (4, 40))),
    ),
    "statue": (
        ("polygon", ((12, 56), (12, 46), (32, 46), (32, 56))),
        ("polygon", ((18, 46), (16, 22), (28, 22), (26, 46))),
        ("ellipse", ((17, 9), (27, 20))),
    ),
    "dam": (("polygon", ((2, 56), (2, 36), (42, 24), (42, 56))),),
    "ship": (
        ("polygon", ((2, 40), (42, 40), (34, 54), (10, 54))),
        ("polygon", ((21, 38), (21, 8), (38, 36))),
    ),
}
