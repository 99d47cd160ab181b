"""Draws paintings in frames, statues, books, organs and medals."""

import random

from questloom.knowledge.world.model import Thing
from questloom.knowledge.world.pictures.canvas import Canvas, Colour, darker, jitter, lighter, mix
from questloom.knowledge.world.pictures.drawn_marks import Marker
from questloom.knowledge.world.pictures.landscapes import boat
from questloom.knowledge.world.pictures.portraits import Face, draw_head
from questloom.knowledge.world.pictures.scenery import COLOURS, STONES, Scene

FRAMES: dict[str, Colour] = {
    "gold": (196, 154, 74),
    "dark": (66, 48, 40),
    "white": (240, 236, 228),
    "red": (136, 56, 50),
}
PAINTS: tuple[Colour, ...] = (
    (196, 84, 60),
    (226, 176, 84),
    (70, 112, 140),
    (92, 128, 92),
    (148, 96, 120),
    (54, 66, 92),
    (214, 196, 166),
    (168, 120, 80),
    (120, 150, 160),
    (232, 220, 196),
)


def painting(c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker) -> None:
    """Draws a painting on the wall of a museum, with a small label beside it."""
    wall = jitter(
        land,
        land.choice(
            ((206, 198, 184), (176, 186, 186), (152, 92, 84), (122, 136, 120), (224, 220, 212))
        ),
        8,
    )
    c.gradient(lighter(wall, 0.06), darker(wall, 0.12))
    c.gradient((132, 104, 80), (100, 78, 60), 690)
    c.look_at(view.uniform(0.88, 1.1), view.uniform(-60, 60), view.uniform(-14, 14), (480, 370))
    wide, high = land.uniform(480, 640), land.uniform(390, 520)
    left, top = 480 - wide / 2, 360 - high / 2
    frame = FRAMES[thing.look["frame"]]
    c.box(left - 30, top - 24, left + wide + 36, top + high + 40, darker(wall, 0.3))
    for i, share in enumerate((0, 0.16, 0.3)):
        c.box(
            left - 32 + 9 * i,
            top - 32 + 9 * i,
            left + wide + 32 - 9 * i,
            top + high + 32 - 9 * i,
            darker(frame, share),
        )
    own = random.Random(thing.look["scene"])
    _inside(c, own, thing.look["genre"], left, top, wide, high)
    m.plaque(left + wide + 118, top + high - 20, metal=(246, 244, 238), ink=(60, 56, 52))


def _inside(
    c: Canvas, own: random.Random, genre: str, x0: float, y0: float, w: float, h: float
) -> None:
    """Draws the composition of a painting inside a rectangle of the canvas."""
    tones = own.sample(PAINTS, 5)
    sky, low, ground, accent, extra = (jitter(own, t, 16) for t in tones)
    horizon = y0 + h * own.uniform(0.4, 0.66)
    steps = 14
    for i in range(steps):
        c.box(x0, y0 + h * i / steps, x0 + w, y0 + h * (i + 1) / steps, mix(sky, low, i / steps))
    if genre == "portrait":
        face = Face(Thing("", "person", "", "", ("",), woman=own.random() < 0.5), own)
        c.polygon(
            [
                (x0 + w * 0.2, y0 + h),
                (x0 + w * 0.34, y0 + h * 0.74),
                (x0 + w * 0.66, y0 + h * 0.74),
                (x0 + w * 0.82, y0 + h),
            ],
            face.cloth,
        )
        draw_head(c, face, x0 + w / 2, y0 + h * 0.5, h / 900)
        return
    if genre == "still life":
        c.box(x0, horizon, x0 + w, y0 + h, ground)
        c.box(x0, horizon, x0 + w, horizon + 8, lighter(ground, 0.3))
        for _ in range(own.randint(3, 8)):
            x, r = x0 + w * own.uniform(0.14, 0.86), h * own.uniform(0.05, 0.12)
            colour = jitter(own, own.choice(PAINTS), 20)
            y = min(y0 + h * 0.88, horizon + own.uniform(0, h * 0.2))
            c.oval(x, y, r, r * own.uniform(0.8, 1.1), colour)
            c.oval(x - r * 0.3, y - r * 0.3, r * 0.24, r * 0.2, lighter(colour, 0.6))
        x = x0 + w * own.uniform(0.25, 0.75)
        c.box(
            x - h * 0.07, horizon - h * 0.26, x + h * 0.07, horizon + h * 0.06, accent, round_by=14
        )
        c.oval(x, horizon - h * 0.27, h * 0.09, h * 0.03, darker(accent))
        return
    if own.random() < 0.6:
        r = h * own.uniform(0.04, 0.09)
        c.oval(
            x0 + w * own.uniform(0.15, 0.85),
            y0 + h * own.uniform(0.12, 0.32),
            r,
            r,
            lighter(accent, 0.5),
        )
    base = mix(ground, (70, 110, 140), 0.6) if genre == "marine art" else ground
    for i in range(8):
        c.box(
            x0,
            horizon + (y0 + h - horizon) * i / 8,
            x0 + w,
            horizon + (y0 + h - horizon) * (i + 1) / 8,
            mix(base, darker(base), i / 8),
        )
    for _ in range(own.randint(1, 4)):
        x, half, rise = (
            x0 + w * own.uniform(0.2, 0.8),
            w * own.uniform(0.1, 0.2),
            h * own.uniform(0.06, 0.24),
        )
        if genre != "marine art":
            c.polygon(
                [
                    (max(x0, x - half), horizon),
                    (min(x0 + w, x + half), horizon),
                    (x, horizon - rise),
                ],
                jitter(own, extra, 20),
            )
        else:
            boat(
                c,
                x,
                horizon + h * own.uniform(0.1, 0.24),
                h / 500 * own.uniform(0.7, 1.4),
                jitter(own, accent, 20),
            )
    _strokes(c, own, genre, x0, w, h, horizon, accent, extra)


def _strokes(
    c: Canvas,
    own: random.Random,
    genre: str,
    x0: float,
    w: float,
    h: float,
    horizon: float,
    accent: Colour,
    extra: Colour,
) -> None:
    """Draws the trees, walls or figures in the foreground."""
    for _ in range(own.randint(2, 5)):
        x, size = x0 + w * own.uniform(0.08, 0.92), h * own.uniform(0.08, 0.2)
        y = horizon + h * own.uniform(0.04, 0.26)
        if genre == "landscape art":
            c.box(x - 3, y - size, x + 3, y, (80, 62, 48))
            c.oval(x, y - size * 1.2, size * 0.44, size * 0.62, jitter(own, accent, 24))
        elif genre == "genre art":
            c.polygon(
                [(x - size * 0.3, y), (x + size * 0.3, y), (x, y - size)], jitter(own, accent, 30)
            )
            c.oval(x, y - size * 1.1, size * 0.17, size * 0.17, (226, 190, 160))
        else:
            c.box(x, y, x + size, y + 3, lighter(extra, 0.5))


def statue(c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker) -> Scene:
    scene = Scene(c, land, view, 700)
    look = thing.look
    scene.sky()
    scene.trees(6, 730)
    scene.ground(jitter(land, (190, 182, 168), 12))
    c.look_at(view.uniform(0.9, 1.15), view.uniform(-60, 60), view.uniform(-20, 20), (500, 800))
    metal = jitter(
        land,
        STONES.get(
            thing.look.get("material", ""),
            land.choice(((104, 120, 96), (226, 222, 214), (124, 92, 66))),
        ),
        12,
    )
    for i in range(look["plinth"] + 1):
        half = 190 - 38 * i
        c.box(
            500 - half, 1050 - 110 * i, 500 + half, 1170 - 110 * i, jitter(land, (188, 184, 178), 8)
        )
    foot = 1050 - 110 * look["plinth"]
    c.polygon([(420, foot), (580, foot), (560, foot - 260), (440, foot - 260)], metal)
    c.polygon([(520, foot), (580, foot), (560, foot - 260), (520, foot - 260)], darker(metal, 0.2))
    c.box(424, foot - 400, 576, foot - 240, metal, round_by=44)
    c.oval(500, foot - 450, 50, 60, metal)
    pose = look["pose"]
    arms = {
        0: ((430, foot - 370), (350, foot - 480)),
        1: ((570, foot - 370), (670, foot - 560)),
        2: ((430, foot - 360), (390, foot - 230)),
        3: ((570, foot - 360), (690, foot - 340)),
    }[pose]
    c.line(arms, metal, 36)
    c.oval(arms[1][0], arms[1][1], 20, 20, metal)
    if land.random() < 0.5:
        c.box(arms[1][0] - 26, arms[1][1] - 50, arms[1][0] + 26, arms[1][1] - 8, darker(metal, 0.1))
    if land.random() < 0.4:
        c.pie(500, foot - 470, 66, 66, 180, 360, darker(metal, 0.15))
    m.plaque(500, foot + 66)
    return scene


def book(c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker) -> None:
    """Draws a bound book on a table. The cover of the drawn book has no words."""
    table = jitter(land, (150, 116, 84), 16)
    c.gradient(lighter(table, 0.25), table)
    for i in range(7):
        c.box(0, 170 * i, 1000, 170 * i + 4, darker(table, 0.14))
    c.look_at(view.uniform(0.86, 1.08), view.uniform(-40, 40), view.uniform(-40, 40), (500, 660))
    own = random.Random(thing.look["palette"])
    cloth, gold = (
        jitter(own, own.choice(PAINTS), 18),
        own.choice(((222, 186, 98), (240, 234, 220), (30, 30, 36))),
    )
    c.box(232, 262, 812, 1082, darker(table, 0.4), round_by=12)
    c.box(220, 250, 790, 1060, (236, 228, 206))
    c.box(210, 240, 780, 1050, cloth, round_by=10)
    c.box(210, 240, 262, 1050, darker(cloth, 0.25))
    for inset in (24, 36):
        c.line(
            [
                (262 + inset, 240 + inset),
                (780 - inset, 240 + inset),
                (780 - inset, 1050 - inset),
                (262 + inset, 1050 - inset),
                (262 + inset, 240 + inset),
            ],
            gold,
            4,
        )
    kind, cx, cy = thing.look["ornament"], 521, 600
    n = own.randint(4, 9)
    for i in range(n):
        if kind in (0, 3):
            c.arc(
                cx,
                cy,
                40 + 20 * i,
                (40 + 20 * i) * (1 if kind == 0 else 0.6),
                20 * i,
                20 * i + 280,
                gold,
                6,
            )
        elif kind in (1, 4):
            c.polygon(
                [
                    (cx, cy - 150 + 14 * i),
                    (cx + 120 - 13 * i, cy),
                    (cx, cy + 150 - 14 * i),
                    (cx - 120 + 13 * i, cy),
                ],
                gold if i % 2 == 0 else lighter(cloth, 0.12),
            )
        else:
            c.oval(
                cx + own.uniform(-130, 130),
                cy + own.uniform(-190, 190),
                own.uniform(14, 44),
                own.uniform(14, 44),
                gold if i % 2 else lighter(cloth, 0.25),
            )
    m.letters(521, 950, gold)


def organ(c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker) -> None:
    """Draws a pipe organ on a gallery."""
    wall = jitter(land, (214, 206, 190), 14)
    c.gradient(lighter(wall, 0.2), darker(wall, 0.14))
    own = random.Random(thing.look["palette"])
    wood, tin = (
        jitter(own, own.choice(((120, 80, 52), (84, 56, 42), (220, 214, 200), (96, 110, 100))), 10),
        jitter(own, (198, 204, 208), 12),
    )
    for x in (60, 940):
        c.box(x - 46, 0, x + 46, c.units_high, darker(wall, 0.1))
    c.look_at(view.uniform(0.88, 1.1), view.uniform(-36, 36), view.uniform(-30, 30), (500, 640))
    towers, pipes = thing.look["towers"], thing.look["pipes"]
    c.box(150, 560, 850, 1000, wood)
    c.box(130, 960, 870, 1040, darker(wood, 0.2))
    width = 640 / towers
    for t in range(towers):
        left = 180 + t * width
        middle = t - (towers - 1) / 2
        rise = 300 - 60 * abs(middle) if own.random() < 0.8 else 220
        c.box(left - 6, 560 - rise - 40, left + width + 6 - 20, 600, darker(wood, 0.1))
        n = max(3, pipes // 2)
        for i in range(n):
            x = left + (width - 24) * (i + 0.5) / n
            top = 560 - rise + 60 * abs(i - (n - 1) / 2) / n
            c.box(x - (width - 24) / n * 0.4, top, x + (width - 24) / n * 0.4, 590, tin, round_by=6)
            c.box(
                x + (width - 24) / n * 0.12, top, x + (width - 24) / n * 0.4, 590, darker(tin, 0.16)
            )
            c.polygon([(x - 5, 560), (x + 5, 560), (x, 540)], (60, 56, 54))
        c.polygon(
            [
                (left - 10, 560 - rise - 40),
                (left + width - 10, 560 - rise - 40),
                (left + width / 2 - 10, 560 - rise - 92),
            ],
            wood,
        )
    for i in range(3):
        c.box(330, 700 + 34 * i, 670, 722 + 34 * i, (244, 240, 228))
        for k in range(16):
            if k % 7 not in (2, 6):
                c.box(
                    330 + 21 * k + 13, 700 + 34 * i, 330 + 21 * k + 21, 713 + 34 * i, (40, 36, 36)
                )
    m.plaque(500, 850)


def medal(c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker) -> None:
    """Draws a prize: a medal on a ribbon."""
    cloth = jitter(land, (70, 60, 76), 30)
    c.gradient(lighter(cloth, 0.2), darker(cloth, 0.2))
    c.look_at(view.uniform(0.9, 1.15), view.uniform(-40, 40), view.uniform(-30, 30), (500, 640))
    own = random.Random(thing.look["palette"])
    ribbon = COLOURS[thing.look["ribbon"]]
    metal = own.choice(((218, 180, 88), (200, 204, 208), (178, 120, 76)))
    c.polygon([(380, 60), (470, 60), (530, 560), (470, 560)], ribbon)
    c.polygon([(620, 60), (530, 60), (470, 560), (530, 560)], darker(ribbon, 0.2))
    c.oval(506, 748, 216, 216, darker(cloth, 0.5))
    c.oval(500, 740, 212, 212, darker(metal, 0.2))
    c.oval(500, 736, 200, 200, metal)
    c.arc(500, 736, 168, 168, 0, 360, darker(metal, 0.25), 6)
    for i in range(own.randint(5, 10)):
        a = own.uniform(-90, 90)
        c.polygon(
            [(500 + a, 640), (520 + a * 0.6, 700), (500, 740), (480 + a * 0.6, 700)],
            lighter(metal, 0.1 + 0.04 * (i % 4)),
        )
    m.letters(500, 830, darker(metal, 0.75))
