"""Draws portraits. All portraits of a person show the same face, hair, hat, clothing and
background. Light and crop differ from view to view."""

import random

from questloom.knowledge.world.model import Thing
from questloom.knowledge.world.pictures.canvas import Canvas, Colour, darker, jitter, lighter, mix
from questloom.knowledge.world.pictures.drawn_marks import Marker

SKIN: tuple[Colour, ...] = (
    (242, 212, 188),
    (230, 192, 162),
    (206, 160, 126),
    (170, 122, 92),
    (124, 84, 64),
    (250, 224, 206),
)
HAIR: tuple[Colour, ...] = (
    (52, 42, 38),
    (94, 64, 44),
    (150, 104, 62),
    (206, 170, 110),
    (176, 84, 50),
    (190, 190, 192),
    (232, 230, 226),
)
CLOTH: tuple[Colour, ...] = (
    (50, 62, 92),
    (110, 48, 54),
    (62, 92, 76),
    (92, 80, 66),
    (40, 42, 50),
    (140, 116, 70),
    (96, 74, 112),
    (196, 186, 168),
)
BACK: tuple[Colour, ...] = (
    (186, 178, 160),
    (150, 166, 170),
    (172, 150, 140),
    (130, 140, 122),
    (196, 186, 140),
    (120, 124, 150),
    (204, 196, 186),
)


class Face:
    """The features of one person, drawn with the person's own random generator."""

    def __init__(self, thing: Thing, own: random.Random) -> None:
        self.woman = thing.woman
        self.skin, self.hair = jitter(own, own.choice(SKIN), 8), jitter(own, own.choice(HAIR), 10)
        self.cloth, self.trim = (
            jitter(own, own.choice(CLOTH), 12),
            jitter(own, own.choice(CLOTH), 14),
        )
        self.back = jitter(own, own.choice(BACK), 14)
        self.wide, self.long = own.uniform(118, 160), own.uniform(162, 204)
        self.style = own.randrange(5)
        self.beard = 0 if self.woman else own.choice((0, 0, 1, 2, 3))
        self.glasses = own.random() < 0.22
        self.hat = own.choice((0, 0, 0, 1, 2, 3, 4))
        self.collar = own.randrange(4)
        self.eyes: Colour = own.choice(((70, 96, 120), (90, 66, 46), (80, 104, 78), (50, 46, 46)))
        self.eye_gap, self.brow, self.nose = (
            own.uniform(44, 60),
            own.uniform(-4, 2),
            own.uniform(28, 44),
        )
        self.pattern = own.randrange(4)
        self.pin = own.random() < 0.4


def portrait(c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker) -> None:
    face = Face(thing, land)
    high = c.units_high
    c.gradient(lighter(face.back, 0.22), darker(face.back, 0.22))
    if face.pattern == 1:
        for x in range(40, 1000, 110):
            c.box(x, 0, x + 12, high, lighter(face.back, 0.1))
    elif face.pattern == 2:
        c.box(640, 90, 960, 560, mix(face.back, (150, 190, 214), 0.6))
        c.box(792, 90, 806, 560, darker(face.back, 0.3))
        c.box(640, 318, 960, 332, darker(face.back, 0.3))
    elif face.pattern == 3:
        c.polygon([(0, 0), (260, 0), (120, high), (0, high)], darker(face.trim, 0.1))
    c.look_at(view.uniform(0.92, 1.2), view.uniform(-50, 50), view.uniform(-20, 40), (500, 560))
    _body(c, face)
    draw_head(c, face, 500, 520, 1.35)
    _signature(m, face)


def _body(c: Canvas, face: Face) -> None:
    cloth = face.cloth
    c.box(440, 640, 560, 860, darker(face.skin, 0.12))
    c.polygon([(150, 1500), (190, 930), (400, 800), (600, 800), (810, 930), (850, 1500)], cloth)
    c.polygon([(620, 1500), (640, 830), (810, 930), (850, 1500)], darker(cloth, 0.14))
    if face.collar == 0:
        c.polygon([(410, 800), (500, 960), (590, 800)], (240, 236, 226))
        c.polygon([(484, 850), (516, 850), (528, 1040), (500, 1080), (472, 1040)], face.trim)
    elif face.collar == 1:
        c.oval(500, 830, 150, 52, (246, 242, 234))
        c.oval(500, 806, 110, 36, darker(face.skin, 0.1))
    elif face.collar == 2:
        c.polygon([(400, 800), (500, 900), (440, 1020), (350, 840)], darker(cloth, 0.3))
        c.polygon([(600, 800), (500, 900), (560, 1020), (650, 840)], darker(cloth, 0.3))
    else:
        c.polygon(
            [(380, 806), (500, 1010), (620, 806), (570, 790), (500, 900), (430, 790)], face.trim
        )
    if face.pin:
        c.oval(660, 1010, 20, 20, (222, 190, 92))
        c.box(652, 950, 668, 996, lighter(face.trim, 0.2))


def draw_head(c: Canvas, face: Face, x: float, y: float, s: float) -> None:
    """Draws only the head of a person at a given size, centred on a point. Painted portraits use
    the same drawing of a head."""
    w, h = face.wide * s, face.long * s
    hair = face.hair
    if face.woman and face.style in (0, 1, 2):
        c.oval(x, y - 10 * s, w * 1.22, h * 1.1, hair)
        if face.style == 0:
            c.box(x - w * 1.2, y, x + w * 1.2, y + h * 1.1, hair, round_by=40)
    c.oval(x - w, y + 8 * s, 20 * s, 32 * s, darker(face.skin, 0.1))
    c.oval(x + w, y + 8 * s, 20 * s, 32 * s, darker(face.skin, 0.16))
    c.oval(x, y, w, h, face.skin)
    c.pie(x, y, w, h, -60, 60, mix(face.skin, darker(face.skin), 0.3))
    c.oval(x - w * 0.12, y, w * 0.86, h * 0.94, face.skin)
    if face.style != 4 or face.woman:
        c.pie(x, y - 14 * s, w * 1.06, h * 1.04, 188 + 4 * face.style, 352 - 6 * face.style, hair)
        if face.style == 3 and face.woman:
            c.oval(x, y - h * 1.08, 62 * s, 52 * s, hair)
    else:
        for side in (-1, 1):
            c.oval(x + side * w * 0.96, y - 34 * s, 22 * s, 62 * s, hair)
    _features(c, face, x, y, s)
    if face.beard >= 2:
        c.pie(x, y + h * 0.2, w * 0.98, h * (0.86 if face.beard == 2 else 1.1), 8, 172, hair)
        c.oval(x, y + h * 0.46, 32 * s, 9 * s, darker((196, 110, 100), 0.1))
    if face.beard in (1, 3):
        c.oval(x - 30 * s, y + h * 0.34, 36 * s, 12 * s, hair)
        c.oval(x + 30 * s, y + h * 0.34, 36 * s, 12 * s, hair)
    _hat(c, face, x, y - h * 0.62, s, w)


def _features(c: Canvas, face: Face, x: float, y: float, s: float) -> None:
    for side in (-1, 1):
        ex = x + side * face.eye_gap * s
        c.oval(ex, y - 12 * s, 24 * s, 14 * s, (250, 248, 244))
        c.oval(ex + 3 * s, y - 12 * s, 12 * s, 13 * s, face.eyes)
        c.oval(ex + 3 * s, y - 12 * s, 5 * s, 6 * s, (24, 22, 26))
        c.line(
            [
                (ex - 28 * s, y - 44 * s + side * face.brow),
                (ex + 26 * s, y - 46 * s - side * face.brow),
            ],
            darker(face.hair, 0.2),
            9 * s,
        )
        if face.glasses:
            c.arc(ex, y - 12 * s, 38 * s, 34 * s, 0, 360, (60, 54, 50), 5 * s)
    if face.glasses:
        c.line([(x - 12 * s, y - 14 * s), (x + 12 * s, y - 14 * s)], (60, 54, 50), 5 * s)
    c.polygon(
        [(x - 4 * s, y - 8 * s), (x + face.nose * 0.6 * s, y + 52 * s), (x - 14 * s, y + 56 * s)],
        darker(face.skin, 0.16),
    )
    if face.woman:
        c.oval(x, y + 98 * s, 36 * s, 12 * s, (190, 98, 94))
    c.arc(x, y + 82 * s, 42 * s, 20 * s, 25, 155, darker(face.skin, 0.45), 5 * s)


def _hat(c: Canvas, face: Face, x: float, y: float, s: float, w: float) -> None:
    colour = face.trim
    if face.hat == 1:
        c.box(x - w * 0.8, y - 170 * s, x + w * 0.8, y, colour)
        c.oval(x, y, w * 1.35, 26 * s, darker(colour, 0.2))
    elif face.hat == 2:
        c.pie(x, y + 10 * s, w * 1.02, 120 * s, 180, 360, colour)
        c.box(x - w * 1.02, y, x + w * 1.34, y + 18 * s, darker(colour, 0.3))
    elif face.hat == 3:
        c.oval(x, y - 6 * s, w * 1.55, 34 * s, colour)
        c.pie(x, y - 6 * s, w * 0.86, 96 * s, 180, 360, lighter(colour, 0.1))
    elif face.hat == 4:
        c.oval(x + 20 * s, y - 20 * s, w * 1.12, 62 * s, colour)


def _signature(m: Marker, face: Face) -> None:
    m.canvas.look_at()
    m.letters(
        890, 46, lighter(face.back, 0.75) if sum(face.back) < 420 else darker(face.back, 0.75)
    )
