"""Draws bridges, dams, stadiums, and buildings with a front: museums, theatres, libraries, stations, universities."""

import math
import random
from itertools import pairwise

from questloom.knowledge.world.model import Thing
from questloom.knowledge.world.pictures.canvas import Canvas, Colour, darker, jitter, lighter, mix
from questloom.knowledge.world.pictures.drawn_marks import Marker
from questloom.knowledge.world.pictures.scenery import COLOURS, Scene
from questloom.knowledge.world.pictures.towers import GLASS, ROOFS, cap, stone


def bridge(c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker) -> Scene:
    scene = Scene(c, land, view, 390)
    look = thing.look
    scene.sky()
    scene.hills(2)
    scene.ground()
    scene.water(500)
    c.look_at(view.uniform(0.9, 1.12), view.uniform(-50, 50), view.uniform(-16, 16), (500, 500))
    colour = COLOURS[look["colours"][0]] if look["type"] != "arch" else stone(thing, land)
    deck, left, right = 430.0, 60.0, 940.0
    if look["type"] == "arch":
        _arches(c, look["count"], deck, left, right, colour, mix(scene.top, (60, 96, 116), 0.5))
    elif look["type"] == "suspension":
        _cables(c, look["count"], deck, left, right, colour)
    else:
        _truss(c, look["count"], deck, left, right, colour)
    _rail(c, look["rail"], deck, left, right, colour)
    for end in (left - 40, right - 20):
        c.box(end, deck - 44, end + 60, 560, darker(colour, 0.1))
    m.counted(left, deck, right, 580)
    m.plaque(right + 8, deck + 38)
    scene.trees(4, 470, keep_clear=(90, 910))
    return scene


def _arches(
    c: Canvas, n: int, deck: float, left: float, right: float, colour: Colour, water: Colour
) -> None:
    c.box(left, deck, right, 580, colour)
    c.box(left, deck, right, deck + 22, lighter(colour, 0.12))
    span = (right - left) / n
    for i in range(n):
        x = left + span * (i + 0.5)
        half = span * 0.38
        rise = min(half * 1.05, 118)
        c.pie(x, 560, half, rise, 180, 360, mix(water, (214, 226, 228), 0.5))
        c.box(x - half, 556, x + half, 584, water)
        c.arc(x, 560, half, rise, 180, 360, darker(colour, 0.3), 6)
        c.polygon(
            [(left + span * i - 14, 584), (left + span * i + 14, 584), (left + span * i, 520)],
            darker(colour, 0.12),
        )


def _cables(c: Canvas, n: int, deck: float, left: float, right: float, colour: Colour) -> None:
    towers = max(2, min(4, n // 2 + 1))
    c.box(left - 40, deck, right + 40, deck + 16, darker(colour, 0.2))
    spots = [left + (right - left) * (i + 0.5) / towers for i in range(towers)]
    for x in spots:
        for dx in (-16, 10):
            c.box(x + dx, deck - 190, x + dx + 10, 590, colour)
        for y in (deck - 180, deck - 110, deck + 40):
            c.box(x - 16, y, x + 20, y + 10, colour)
    ends = [left - 60, *spots, right + 60]
    for a, b in pairwise(ends):
        points = []
        for i in range(13):
            t = i / 12
            low = deck - 24
            ya, yb = (deck - 186 if a in spots else low), (deck - 186 if b in spots else low)
            sag = (
                150 * math.sin(math.pi * t)
                if a in spots and b in spots
                else 30 * math.sin(math.pi * t)
            )
            points.append((a + (b - a) * t, ya + (yb - ya) * t + sag))
        c.line(points, darker(colour, 0.1), 5)
        for x, y in points[1:-1]:
            c.line([(x, y), (x, deck)], darker(colour, 0.1), 2)


def _truss(c: Canvas, n: int, deck: float, left: float, right: float, colour: Colour) -> None:
    c.box(left - 40, deck, right + 40, deck + 18, darker(colour, 0.25))
    panels = n * 2
    span = (right - left) / panels
    top = deck - 96
    c.box(left, top - 8, right, top, colour)
    for i in range(panels + 1):
        x = left + span * i
        c.line([(x, top), (x, deck)], colour, 7)
        if i < panels:
            c.line([(x, deck if i % 2 else top), (x + span, top if i % 2 else deck)], colour, 6)
    for i in range(n + 1):
        x = left + (right - left) * i / n
        c.polygon(
            [(x - 16, 590), (x + 16, 590), (x + 10, deck + 18), (x - 10, deck + 18)],
            (150, 146, 140),
        )


def _rail(c: Canvas, kind: str, deck: float, left: float, right: float, colour: Colour) -> None:
    if kind == "stone":
        c.box(left - 40, deck - 14, right + 40, deck, lighter(colour, 0.18))
    for i in range(0, 900, 40 if kind == "iron" else 150):
        x = left + i
        if kind == "iron":
            c.line([(x, deck), (x, deck - 20)], (66, 66, 72), 2.5)
        elif kind == "lamps":
            c.line([(x, deck), (x, deck - 54)], (66, 66, 72), 3.5)
            c.oval(x, deck - 58, 9, 9, (252, 236, 170))
    if kind == "iron":
        c.line([(left - 40, deck - 20), (right + 40, deck - 20)], (66, 66, 72), 3)


def front(c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker) -> Scene:
    """Draws a public building, seen from the square in front of it."""
    scene = Scene(c, land, view, 430)
    look = thing.look
    scene.sky()
    scene.hills(1)
    scene.ground(jitter(land, (196, 190, 178), 14))
    c.look_at(view.uniform(0.88, 1.12), view.uniform(-60, 60), view.uniform(-12, 12), (500, 590))
    for side in (-1, 1):
        c.box(
            500 + side * 330,
            360 + land.uniform(-50, 50),
            500 + side * 620,
            610,
            jitter(land, (196, 178, 160), 26),
        )
    wall, roof = stone(thing, land), land.choice(ROOFS)
    wide, high, foot = land.uniform(400, 560), land.uniform(200, 290), 610
    left, right, top = 500 - wide / 2, 500 + wide / 2, foot - high
    c.box(left, top, right, foot, wall)
    c.box(left - 12, top - 14, right + 12, top, lighter(wall, 0.15))
    kind = look.get("roof", "flat")
    if kind == "gable":
        c.polygon(
            [(left - 16, top - 14), (right + 16, top - 14), (500, top - 104)], lighter(wall, 0.1)
        )
        c.polygon(
            [(left + 40, top - 22), (right - 40, top - 22), (500, top - 88)], darker(wall, 0.1)
        )
    elif kind == "dome":
        cap(c, "dome", 500, top - 14, wide * 0.22, wide * 0.24, roof)
    else:
        c.box(left + 20, top - 40, right - 20, top - 14, roof)
    n = look.get("windows", 4)
    for row in range(2):
        y = top + 28 + row * high * 0.45
        for i in range(n):
            x = left + wide * (i + 0.5) / n
            if row and abs(x - 500) < 40:
                continue
            c.box(x - 15, y, x + 15, y + high * 0.26, GLASS)
            c.box(x - 19, y + high * 0.26, x + 19, y + high * 0.26 + 5, lighter(wall, 0.25))
    for i in range(look.get("columns", 0)):
        x = 500 - wide * 0.3 + wide * 0.6 * i / max(1, look["columns"] - 1)
        c.box(x - 9, top + high * 0.38, x + 9, foot, lighter(wall, 0.28))
        c.box(x + 3, top + high * 0.38, x + 9, foot, darker(wall, 0.1))
    if look.get("columns"):
        m.counted(500 - wide * 0.33, top + high * 0.36, 500 + wide * 0.33, foot)
    c.box(470, foot - 84, 530, foot, darker(roof, 0.3))
    if look.get("clock"):
        c.oval(500, top + 6, 30, 30, (250, 246, 232))
        c.line([(500, top + 6), (500, top - 14)], (40, 40, 46), 4)
        c.line([(500, top + 6), (514, top + 12)], (40, 40, 46), 4)
    for i in range(3):
        c.box(
            500 - 90 - 12 * i,
            foot + 8 * i,
            500 + 90 + 12 * i,
            foot + 8 * i + 8,
            darker(wall, 0.05 + 0.06 * i),
        )
    m.flag(left + 20, top - 14, 1.2)
    m.plaque(500 - wide * 0.36, foot - 26)
    scene.trees(3, 640, keep_clear=(250, 750))
    return scene


def dam(c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker) -> Scene:
    scene = Scene(c, land, view, 330)
    scene.sky()
    scene.hills(3)
    scene.water(330, 420)
    c.gradient(scene.grass, darker(scene.grass, 0.3), 420)
    c.look_at(view.uniform(0.95, 1.1), view.uniform(-40, 40), 0, (500, 500))
    wall = stone(thing, land)
    bow = land.uniform(20, 90)
    points = [(x, 400 + bow * math.sin(math.pi * x / 1000)) for x in range(0, 1001, 50)]
    c.polygon([*points, (860, 700), (140, 700)], wall)
    c.line(points, lighter(wall, 0.3), 12)
    n = thing.look["count"]
    for i in range(n):
        x = 260 + 480 * (i + 0.5) / n
        y = 400 + bow * math.sin(math.pi * x / 1000)
        c.box(x - 14, y + 40, x + 14, y + 74, (70, 74, 84))
        c.polygon(
            [(x - 12, y + 74), (x + 12, y + 74), (x + 26, 700), (x - 26, 700)], (226, 236, 240)
        )
    c.box(0, 690, 1000, 800, mix(scene.top, (60, 96, 116), 0.5))
    m.plaque(180, 470)
    return scene


def stadium(c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker) -> Scene:
    scene = Scene(c, land, view, 330)
    scene.sky()
    scene.hills(1)
    scene.ground()
    c.look_at(view.uniform(0.92, 1.08), view.uniform(-40, 40), 0, (500, 520))
    stand, seats = stone(thing, land), COLOURS[thing.look["colours"][0]]
    c.oval(500, 520, 440, 190, darker(stand, 0.2))
    c.oval(500, 505, 430, 176, seats)
    c.oval(500, 525, 330, 118, lighter(stand, 0.2))
    c.oval(500, 530, 300, 100, (104, 158, 84))
    for i in range(6):
        if i % 2:
            c.box(260 + 80 * i, 470, 340 + 80 * i, 590, (118, 170, 94))
    c.box(498, 440, 502, 620, (240, 244, 238))
    c.arc(500, 530, 52, 30, 0, 360, (240, 244, 238), 4)
    for i in range(thing.look["count"]):
        x = 130 + 740 * i / max(1, thing.look["count"] - 1)
        c.line([(x, 420), (x, 250)], (90, 92, 100), 6)
        c.box(x - 26, 232, x + 26, 258, (246, 244, 226))
    m.plaque(500, 700)
    return scene
