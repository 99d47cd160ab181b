"""Draws towns, villages, rivers, lakes, mountains and islands."""

import math
import random

from questloom.knowledge.world.model import Thing
from questloom.knowledge.world.pictures.canvas import Canvas, Colour, darker, jitter, lighter, mix
from questloom.knowledge.world.pictures.drawn_marks import Marker
from questloom.knowledge.world.pictures.scenery import Scene
from questloom.knowledge.world.pictures.towers import ROOFS, cap

WALLS: dict[str, Colour] = {
    "c": (236, 222, 194),
    "w": (240, 238, 230),
    "r": (198, 124, 100),
    "y": (232, 204, 136),
    "b": (168, 188, 204),
    "g": (178, 196, 164),
}


def town(c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker) -> Scene:
    scene = Scene(c, land, view, 400)
    look = thing.look
    scene.sky()
    scene.hills(2)
    scene.ground()
    by_water = land.random() < 0.6
    if by_water:
        scene.water(590)
    c.look_at(view.uniform(0.9, 1.15), view.uniform(-70, 70), 0, (500, 540))
    tone = WALLS[look.get("wall", "c")]
    n = look.get("houses", 7)
    roof = land.choice(ROOFS)
    rows = 3 if n > 4 else 2
    for row in range(rows):
        y = 480 + row * 52
        for i in range(n):
            x = 500 + (i - (n - 1) / 2) * (760 / n) + land.uniform(-24, 24) + 20 * row
            scene.house(
                x, y, land.uniform(0.95, 1.5), jitter(land, tone, 18), jitter(land, roof, 16)
            )
        if row == 0 and look.get("spire", True):
            x = 500 + land.uniform(-240, 240)
            c.box(x - 28, 300, x + 28, 480, jitter(land, (214, 204, 186), 12))
            cap(
                c,
                land.choice(("cone", "onion", "dome", "flat")),
                x,
                300,
                34,
                120,
                darker(roof, 0.2),
            )
    scene.trees(land.randint(2, 6), 620 if not by_water else 590)
    if by_water:
        for _ in range(land.randint(1, 4)):
            boat(
                c,
                land.uniform(120, 880),
                land.uniform(620, 700),
                land.uniform(0.5, 0.9),
                jitter(land, (170, 80, 70), 50),
            )
    return scene


def boat(c: Canvas, x: float, y: float, size: float, hull: Colour) -> None:
    """Draws a small sailing boat."""
    c.polygon(
        [
            (x - 50 * size, y - 14 * size),
            (x + 56 * size, y - 14 * size),
            (x + 38 * size, y + 8 * size),
            (x - 38 * size, y + 8 * size),
        ],
        hull,
    )
    c.line([(x, y - 14 * size), (x, y - 110 * size)], (90, 74, 60), 4 * size)
    c.polygon(
        [
            (x + 4 * size, y - 106 * size),
            (x + 46 * size, y - 24 * size),
            (x + 4 * size, y - 24 * size),
        ],
        (246, 242, 230),
    )


def river(c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker) -> Scene:
    scene = Scene(c, land, view, 340)
    scene.sky()
    scene.hills(3)
    scene.ground()
    c.look_at(view.uniform(0.95, 1.15), view.uniform(-40, 40), 0, (500, 560))
    bends, phase, swing = thing.look["bends"], land.uniform(0, 6), land.uniform(60, 190)
    water = mix(scene.top, (52, 104, 132), 0.45)
    left, right = [], []
    for i in range(31):
        t = i / 30
        y = 344 + (c.units_high - 300) * t
        mid = (
            500
            + land.uniform(-1, 1)
            + swing * math.sin(phase + bends * 2.1 * (1 - t) ** 0.7) * (0.3 + t)
        )
        half = 8 + 190 * t**1.5
        left.append((mid - half, y))
        right.append((mid + half, y))
    c.polygon(left + right[::-1], water)
    c.line(left, lighter(water, 0.35), 4)
    c.line(right, darker(water, 0.2), 4)
    scene.trees(2 + thing.look["trees"], 470, (20, 330))
    scene.trees(thing.look["trees"], 500, (690, 980))
    if land.random() < 0.4:
        scene.house(
            land.choice((160, 830)), 520, 1.1, jitter(land, (230, 220, 200), 20), land.choice(ROOFS)
        )
    return scene


def lake(c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker) -> Scene:
    scene = Scene(c, land, view, 360)
    scene.sky()
    scene.hills(3)
    scene.water(400, 640)
    c.gradient(scene.grass, darker(scene.grass, 0.2), 640)
    c.gradient(darker(scene.grass, 0.1), scene.grass, 384, 404)
    c.look_at(view.uniform(0.95, 1.12), view.uniform(-40, 40), 0, (500, 520))
    for _ in range(thing.look["islands"]):
        x, y = land.uniform(160, 840), land.uniform(440, 540)
        c.oval(x, y, land.uniform(50, 110), 18, darker(scene.grass, 0.15))
        scene.trees(2, y, (x - 40, x + 40))
    for _ in range(thing.look["boats"]):
        boat(
            c,
            land.uniform(120, 880),
            land.uniform(470, 620),
            land.uniform(0.6, 1),
            jitter(land, (150, 90, 80), 60),
        )
    if thing.look["reeds"]:
        for _ in range(46):
            x = land.uniform(0, 1000)
            c.line(
                [(x, 690), (x + land.uniform(-10, 10), land.uniform(580, 640))], (120, 124, 70), 4
            )
    scene.trees(4, 400, (20, 980))
    return scene


def mountain(c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker) -> Scene:
    scene = Scene(c, land, view, 470)
    look = thing.look
    scene.sky()
    c.look_at(view.uniform(0.92, 1.15), view.uniform(-60, 60), 0, (500, 480))
    rock = jitter(
        land, land.choice(((120, 124, 140), (140, 122, 112), (104, 112, 120), (150, 140, 128))), 12
    )
    for i in range(look["peaks"] + 1):
        x, high, half = land.uniform(140, 860), land.uniform(150, 260), land.uniform(190, 320)
        _peak(c, land, x, 480, high, half, mix(rock, scene.low, 0.45), False)
        if i == look["peaks"]:
            _peak(
                c,
                land,
                500 + land.uniform(-90, 90),
                490,
                land.uniform(310, 400),
                land.uniform(240, 400),
                rock,
                look["snow"],
            )
    c.look_at()
    scene.ground()
    if look["forest"]:
        scene.trees(16, 520)
    scene.trees(4, 640)
    return scene


def _peak(
    c: Canvas,
    land: random.Random,
    x: float,
    foot: float,
    high: float,
    half: float,
    colour: Colour,
    snow: bool,
) -> None:
    lean = land.uniform(-0.3, 0.3) * half
    notch = [(land.uniform(0.25, 0.75), land.uniform(-16, 16)) for _ in range(2)]
    top = (x + lean, foot - high)
    left = [(x - half + (lean + half) * t, foot - high * t + d) for t, d in sorted(notch)]
    right = [
        (x + half + (lean - half) * t, foot - high * t + d) for t, d in sorted(notch, reverse=True)
    ]
    c.polygon([(x - half, foot), *left, top, *right, (x + half, foot)], colour)
    c.polygon(
        [top, *right, (x + half, foot), (x + lean * 0.4 + half * 0.1, foot)], darker(colour, 0.18)
    )
    if snow:
        c.polygon(
            [
                top,
                (top[0] - half * 0.2, top[1] + high * 0.22),
                (top[0] - half * 0.07, top[1] + high * 0.17),
                (top[0] + half * 0.02, top[1] + high * 0.26),
                (top[0] + half * 0.1, top[1] + high * 0.16),
                (top[0] + half * 0.21, top[1] + high * 0.23),
            ],
            (248, 250, 252),
        )


def island(c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker) -> Scene:
    scene = Scene(c, land, view, 420)
    look = thing.look
    scene.sky()
    scene.water()
    c.look_at(view.uniform(0.85, 1.2), view.uniform(-70, 70), view.uniform(-20, 30), (500, 520))
    green = scene.grass
    for _ in range(look["hills"]):
        x, half, high = land.uniform(360, 640), land.uniform(130, 240), land.uniform(60, 170)
        c.pie(x, 520, half, high, 180, 360, jitter(land, green, 16))
    c.oval(500, 524, 320, 26, jitter(land, (212, 196, 152), 14))
    for _ in range(look["houses"]):
        scene.house(
            land.uniform(300, 700),
            516,
            land.uniform(0.5, 0.8),
            jitter(land, (236, 228, 212), 16),
            land.choice(ROOFS),
        )
    scene.trees(look["trees"], 512, (260, 740))
    if land.random() < 0.6:
        boat(
            c, land.choice((160, 850)), land.uniform(560, 640), 0.9, jitter(land, (150, 80, 80), 60)
        )
    return scene
