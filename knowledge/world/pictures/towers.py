"""Draws lighthouses, towers, churches, castles, windmills and observatories."""

import math
import random

from questloom.knowledge.world.model import Thing
from questloom.knowledge.world.pictures.canvas import Canvas, Colour, darker, jitter, lighter
from questloom.knowledge.world.pictures.drawn_marks import Marker
from questloom.knowledge.world.pictures.scenery import COLOURS, STONES, Scene

GLASS: Colour = (72, 92, 116)
ROOFS: tuple[Colour, ...] = (
    (150, 74, 60),
    (84, 92, 108),
    (70, 118, 106),
    (120, 92, 70),
    (60, 64, 76),
    (166, 112, 60),
)


def stone(thing: Thing, land: random.Random) -> Colour:
    """The colour of a thing's walls."""
    return jitter(land, STONES.get(thing.look.get("material", ""), (190, 180, 160)), 9)


def cap(c: Canvas, kind: str, x: float, y: float, half: float, high: float, colour: Colour) -> None:
    """Draws a roof on a tower; y is the top of the tower."""
    if kind == "cone":
        c.polygon([(x - half, y), (x + half, y), (x, y - high)], colour)
        c.polygon([(x, y), (x + half, y), (x, y - high)], darker(colour))
    elif kind == "dome":
        c.pie(x, y, half, high * 0.8, 180, 360, colour)
        c.line([(x, y - high * 0.8), (x, y - high * 1.15)], darker(colour), 4)
    elif kind == "onion":
        c.oval(x, y - high * 0.3, half * 0.95, high * 0.38, colour)
        c.polygon(
            [
                (x - half * 0.6, y - high * 0.5),
                (x + half * 0.6, y - high * 0.5),
                (x, y - high * 1.15),
            ],
            colour,
        )
    elif kind == "gable":
        c.polygon(
            [
                (x - half - 5, y),
                (x + half + 5, y),
                (x + half * 0.4, y - high * 0.6),
                (x - half * 0.4, y - high * 0.6),
            ],
            colour,
        )
    else:
        c.box(x - half - 5, y - 12, x + half + 5, y, colour)
        for i in range(4):
            left = x - half - 5 + i * (2 * half + 10) / 4
            c.box(left, y - 26, left + half / 3, y - 10, colour)


def lighthouse(
    c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker
) -> Scene:
    scene = Scene(c, land, view, 400)
    look = thing.look
    scene.sky()
    if land.random() < 0.6:
        scene.hills(1)
    scene.water()
    c.look_at(view.uniform(0.86, 1.22), view.uniform(-90, 90), view.uniform(-20, 20), (500, 560))
    x = 500 + land.uniform(-70, 70)
    rock = jitter(land, (118, 112, 108), 16)
    high, foot = 200 + look["size"] * 3.6, 580
    if look["base"] == "rock":
        for i in range(5):
            dx = land.uniform(-150, 150)
            c.polygon(
                [
                    (x + dx - 110, 690),
                    (x + dx - 60, 590 + 14 * (i % 3)),
                    (x + dx + 40, 578),
                    (x + dx + 120, 690),
                ],
                darker(rock, 0.08 * i),
            )
    elif look["base"] == "hill":
        c.oval(x, 700, 420, 130, scene.grass)
        c.oval(x + 150, 730, 330, 110, darker(scene.grass, 0.12))
    else:
        c.box(x - 330, 570, x + 90, 640, rock)
        for i in range(6):
            c.box(x - 320 + i * 64, 600, x - 300 + i * 64, 720, darker(rock))
    if look["house"]:
        scene.house(
            x + land.choice((-1, 1)) * 120,
            590,
            1.25,
            jitter(land, (236, 230, 214)),
            land.choice(ROOFS),
        )
    one, two = (COLOURS[name] for name in look["colours"])
    bottom, top = 58, 36
    _striped(c, x, foot, high, bottom, top, look["pattern"], look["bands"], one, two)
    y = foot - high
    c.box(x - top - 16, y - 8, x + top + 16, y + 6, darker(two, 0.35))
    c.box(x - 24, y - 58, x + 24, y - 8, (250, 232, 160))
    for dx in (-24, -8, 8, 24):
        c.line([(x + dx, y - 58), (x + dx, y - 8)], (60, 62, 70), 3)
    cap(
        c,
        look["roof"],
        x,
        y - 58,
        32,
        52,
        COLOURS["red"] if look["roof"] == "dome" else (70, 72, 82),
    )
    for i in range(look["count"] // 2 + 1):
        c.box(x - 6, foot - 90 - i * 74, x + 7, foot - 66 - i * 74, GLASS)
    c.box(x - 13, foot - 36, x + 13, foot, (92, 66, 50))
    m.flag(x + 150, foot + 4, 1.3)
    m.plaque(x, foot + 34)
    return scene


def _striped(
    c: Canvas,
    x: float,
    foot: float,
    high: float,
    bottom: float,
    top: float,
    pattern: str,
    bands: int,
    one: Colour,
    two: Colour,
) -> None:
    """Draws a tapering tower with coloured stripes (the tower's daymark)."""

    def half(share: float) -> float:
        return bottom + (top - bottom) * share

    steps = {"bands": bands * 2, "plain": 1, "halves": 2, "spiral": 1}[pattern]
    for i in range(steps):
        a, b = i / steps, (i + 1) / steps
        colour = one if i % 2 == 0 else two
        c.polygon(
            [
                (x - half(a), foot - high * a),
                (x + half(a), foot - high * a),
                (x + half(b), foot - high * b),
                (x - half(b), foot - high * b),
            ],
            colour,
        )
    if pattern == "spiral":
        for i in range(bands):
            a, b = (i + 0.15) / bands, (i + 0.6) / bands
            c.polygon(
                [
                    (x - half(a), foot - high * a),
                    (x - half(a + 0.2 / bands), foot - high * (a + 0.2 / bands)),
                    (x + half(b + 0.2 / bands), foot - high * (b + 0.2 / bands)),
                    (x + half(b), foot - high * b),
                ],
                two,
            )
    for a in [i / steps for i in range(steps)]:
        b = a + 1 / steps
        colour = one if round(a * steps) % 2 == 0 else two
        c.polygon(
            [
                (x + half(a) * 0.35, foot - high * a),
                (x + half(a), foot - high * a),
                (x + half(b), foot - high * b),
                (x + half(b) * 0.35, foot - high * b),
            ],
            darker(colour, 0.16),
        )


def tower(c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker) -> Scene:
    scene = _meadow(c, land, view)
    look = thing.look
    wall, roof = stone(thing, land), jitter(land, COLOURS[look["colours"][0]], 10)
    x, foot, high = 500 + land.uniform(-60, 60), 610, 190 + look["size"] * 3.4
    half = land.uniform(46, 70)
    floors = look["count"] + 2
    if look["type"] == "water":
        c.polygon(
            [
                (x - half * 0.6, foot),
                (x + half * 0.6, foot),
                (x + half * 0.4, foot - high * 0.62),
                (x - half * 0.4, foot - high * 0.62),
            ],
            wall,
        )
        c.box(x - half * 1.3, foot - high, x + half * 1.3, foot - high * 0.6, roof, round_by=18)
        c.box(
            x + half * 0.5,
            foot - high,
            x + half * 1.3,
            foot - high * 0.6,
            darker(roof, 0.18),
            round_by=14,
        )
        cap(c, look["roof"], x, foot - high, half * 1.3, 60, darker(wall, 0.3))
    else:
        c.box(x - half, foot - high, x + half, foot, wall)
        c.box(x + half * 0.35, foot - high, x + half, foot, darker(wall, 0.16))
        cap(c, look["roof"], x, foot - high, half + 8, 96, roof)
        for i in range(floors):
            y = foot - high + 24 + (high - 60) * i / floors
            if look["type"] == "clock" and i == 0:
                c.oval(x, y + 26, 33, 33, (248, 244, 230))
                hand = land.uniform(0, 6.3)
                c.line(
                    [(x, y + 26), (x + 24 * math.cos(hand), y + 26 + 24 * math.sin(hand))],
                    (40, 40, 46),
                    4,
                )
                c.line([(x, y + 26), (x, y + 8)], (40, 40, 46), 4)
            elif i:
                for dx in (-0.45, 0.45):
                    c.box(x + dx * half - 8, y, x + dx * half + 8, y + 22, GLASS)
        if look["type"] == "observation":
            c.box(
                x - half - 22, foot - high * 0.92, x + half + 22, foot - high * 0.88, darker(roof)
            )
    c.box(x - 15, foot - 44, x + 15, foot, darker(roof, 0.4))
    m.flag(x + half + 60, foot, 1.3)
    m.plaque(x, foot + 36)
    return scene


def church(c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker) -> Scene:
    scene = _meadow(c, land, view)
    look = thing.look
    wall, roof = stone(thing, land), land.choice(ROOFS)
    foot, long = 610, land.uniform(250, 340)
    side = land.choice((-1, 1))
    x = 500 + side * 40
    nave_top = foot - land.uniform(130, 180)
    c.box(x - long / 2, nave_top, x + long / 2, foot, wall)
    c.polygon(
        [
            (x - long / 2 - 10, nave_top),
            (x + long / 2 + 10, nave_top),
            (x + long / 2 - 34, nave_top - 90),
            (x - long / 2 + 34, nave_top - 90),
        ],
        roof,
    )
    n = look["windows"]
    for i in range(n):
        wx = x - long / 2 + long * (i + 0.5) / n
        c.box(wx - 11, nave_top + 48, wx + 11, foot - 36, GLASS)
        c.pie(wx, nave_top + 48, 11, 20, 180, 360, GLASS)
    rise = 130 + look["size"] * 3.2
    for i in range(look["spires"]):
        tx = x - side * (long / 2 + 26) if i == 0 else x + side * (long / 2 + 26)
        half = 42 if i == 0 else 36
        c.box(tx - half, foot - rise, tx + half, foot, lighter(wall, 0.08))
        c.box(tx + half * 0.3, foot - rise, tx + half, foot, darker(wall, 0.14))
        cap(c, look["roof"], tx, foot - rise, half + 6, 130, roof)
        c.box(tx - 10, foot - rise + 26, tx + 10, foot - rise + 62, GLASS)
        tip = foot - rise - {"flat": 24, "gable": 76, "onion": 146}.get(look["roof"], 126)
        c.line([(tx, tip), (tx, tip - 36)], (80, 76, 70), 4)
        c.line([(tx - 10, tip - 24), (tx + 10, tip - 24)], (80, 76, 70), 4)
    c.pie(x, foot, 22, 60, 180, 360, (84, 60, 46))
    m.plaque(x, foot + 30)
    scene.trees(3, 640, keep_clear=(300, 700))
    return scene


def castle(c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker) -> Scene:
    scene = Scene(c, land, view, 430)
    look = thing.look
    scene.sky()
    scene.hills(2)
    scene.ground()
    c.look_at(view.uniform(0.86, 1.14), view.uniform(-70, 70), view.uniform(-10, 14), (500, 560))
    foot = 540 if look["hill"] else 620
    if look["hill"]:
        c.oval(500, 720, 470, 210, darker(scene.grass, 0.1))
    wall = stone(thing, land)
    roof = land.choice(ROOFS)
    n = look["towers"]
    wide = land.uniform(330, 460)
    c.box(500 - wide / 2, foot - 120, 500 + wide / 2, foot, wall)
    for i in range(int(wide // 34)):
        c.box(500 - wide / 2 + i * 34, foot - 138, 500 - wide / 2 + i * 34 + 18, foot - 118, wall)
    for i in range(n):
        tx = 500 - wide / 2 + wide * i / max(1, n - 1)
        half, high = land.uniform(30, 50), land.uniform(180, 300)
        c.box(tx - half, foot - high, tx + half, foot + 6, lighter(wall, 0.07))
        c.box(tx + half * 0.3, foot - high, tx + half, foot + 6, darker(wall, 0.15))
        cap(c, look["roof"], tx, foot - high, half + 4, 84, roof)
        c.box(tx - 6, foot - high + 34, tx + 6, foot - high + 62, (60, 60, 70))
    c.pie(500, foot, 36, 84, 180, 360, (64, 52, 46))
    m.flag(500 - wide / 4, foot - 120, 1.4)
    m.plaque(500, foot + 34)
    scene.trees(5, 690, keep_clear=(380, 620))
    return scene


def windmill(c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker) -> Scene:
    scene = _meadow(c, land, view)
    look = thing.look
    wall, trim = stone(thing, land), COLOURS[look["colours"][0]]
    x, foot, high = 500 + land.uniform(-50, 50), 620, 250 + look["size"]
    c.polygon([(x - 92, foot), (x + 92, foot), (x + 54, foot - high), (x - 54, foot - high)], wall)
    c.polygon(
        [(x + 30, foot), (x + 92, foot), (x + 54, foot - high), (x + 18, foot - high)],
        darker(wall, 0.15),
    )
    cap(c, look["roof"], x, foot - high, 62, 62, trim)
    hub_y, turn = foot - high - 4, view.uniform(0, 1.5)
    for i in range(look["sails"]):
        a = turn + 2 * math.pi * i / look["sails"]
        ux, uy = math.cos(a), math.sin(a)
        c.line([(x, hub_y), (x + 190 * ux, hub_y + 190 * uy)], (90, 72, 56), 6)
        c.polygon(
            [
                (x + 50 * ux, hub_y + 50 * uy),
                (x + 188 * ux, hub_y + 188 * uy),
                (x + 188 * ux - 34 * uy, hub_y + 188 * uy + 34 * ux),
                (x + 50 * ux - 34 * uy, hub_y + 50 * uy + 34 * ux),
            ],
            lighter(trim, 0.45),
        )
    c.oval(x, hub_y, 12, 12, (70, 56, 46))
    for i in range(2):
        c.box(x - 34, foot - 110 - 70 * i, x - 14, foot - 82 - 70 * i, GLASS)
    c.box(x - 15, foot - 50, x + 15, foot, darker(trim, 0.3))
    m.flag(x + 130, foot, 1.2)
    m.plaque(x, foot + 34)
    return scene


def observatory(
    c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker
) -> Scene:
    scene = Scene(c, land, view, 380)
    look = thing.look
    scene.sky()
    scene.hills(2)
    scene.ground()
    c.look_at(view.uniform(0.85, 1.15), view.uniform(-60, 60), 0, (500, 560))
    wall = stone(thing, land)
    foot, half = 610, land.uniform(120, 170)
    c.box(500 - half, foot - 150, 500 + half, foot, wall)
    c.pie(500, foot - 150, half, half, 180, 360, jitter(land, (206, 214, 220), 20))
    slit = land.uniform(-40, 40)
    c.box(500 + slit - 16, foot - 150 - half * 0.9, 500 + slit + 16, foot - 150, (60, 66, 84))
    for i in range(look["windows"]):
        wx = 500 - half + 2 * half * (i + 0.5) / look["windows"]
        c.box(wx - 14, foot - 110, wx + 14, foot - 64, GLASS)
    side = land.choice((-1, 1))
    c.box(500 + side * half, foot - 90, 500 + side * (half + 130), foot, darker(wall, 0.1))
    m.plaque(500, foot + 32)
    scene.trees(3, 640, keep_clear=(320, 680))
    return scene


def _meadow(c: Canvas, land: random.Random, view: random.Random) -> Scene:
    """Draws sky, hills and grass. The camera is set for a building whose base is at y = 610."""
    scene = Scene(c, land, view, 440)
    scene.sky()
    scene.hills(2)
    scene.ground()
    c.look_at(view.uniform(0.88, 1.18), view.uniform(-80, 80), view.uniform(-14, 14), (500, 590))
    if land.random() < 0.5:
        c.polygon([(440, 760), (560, 760), (515, 600), (485, 600)], lighter(scene.grass, 0.35))
    for _ in range(land.randint(0, 3)):
        x = land.choice((land.uniform(20, 240), land.uniform(760, 980)))
        scene.house(
            x,
            land.uniform(560, 600),
            land.uniform(0.8, 1.1),
            jitter(land, (226, 214, 196), 22),
            land.choice(ROOFS),
        )
    scene.trees(land.randint(1, 5), 620, keep_clear=(330, 670))
    return scene
