"""Draws ships and locomotives."""

import random

from questloom.knowledge.world.model import Thing
from questloom.knowledge.world.pictures.canvas import Canvas, Colour, darker, jitter, lighter
from questloom.knowledge.world.pictures.drawn_marks import Marker
from questloom.knowledge.world.pictures.scenery import COLOURS, Scene


def ship(c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker) -> Scene:
    scene = Scene(c, land, view, 430)
    look = thing.look
    scene.sky()
    if land.random() < 0.5:
        scene.hills(1)
    scene.water()
    c.look_at(view.uniform(0.86, 1.14), view.uniform(-80, 80), view.uniform(-20, 30), (500, 540))
    hull, trim, stripe = (
        jitter(land, COLOURS[look["colours"][0]], 10),
        COLOURS[look["colours"][1]],
        COLOURS[look["stripe"]],
    )
    long = land.uniform(280, 370)
    left, right, deck, keel = 500 - long, 500 + long, 510.0, 610.0
    if look["type"] in ("steamship", "lifeboat"):
        _funnels(c, look, deck, left, right, hull, trim, stripe)
    else:
        _sails(c, look, land, deck, left, right, trim)
    c.polygon(
        [(left - 34, deck - 16), (right + 50, deck - 30), (right - 16, keel), (left + 20, keel)],
        hull,
    )
    c.polygon(
        [(left + 4, keel - 30), (right + 2, keel - 34), (right - 16, keel), (left + 20, keel)],
        darker(hull, 0.35),
    )
    c.polygon(
        [
            (left - 32, deck - 8),
            (right + 46, deck - 22),
            (right + 42, deck - 8),
            (left - 28, deck + 6),
        ],
        stripe,
    )
    for i in range(look["portholes"]):
        c.oval(
            left + 80 + (2 * long - 200) * i / max(1, look["portholes"] - 1),
            deck + 26,
            9,
            9,
            lighter(hull, 0.6),
        )
    m.letters(right - 40, deck + 48, (250, 248, 240) if sum(hull) < 400 else (36, 36, 44))
    m.flag(left - 20, deck - 14, 1.3)
    for _ in range(8):
        x = view.uniform(left - 60, right)
        c.box(x, keel - 4, x + 70, keel + 3, (236, 244, 246))
    return scene


def _funnels(
    c: Canvas,
    look: dict,
    deck: float,
    left: float,
    right: float,
    hull: Colour,
    trim: Colour,
    stripe: Colour,
) -> None:
    c.box(left + 90, deck - 84, right - 120, deck, (246, 244, 236))
    c.box(left + 150, deck - 132, right - 230, deck - 84, (238, 234, 224))
    for i in range(7):
        c.box(left + 120 + i * 56, deck - 62, left + 148 + i * 56, deck - 38, (84, 104, 124))
    n = look["funnels"]
    for i in range(n):
        x = left + 220 + (right - left - 470) * (i + 0.5) / n
        c.polygon(
            [
                (x - 28, deck - 132),
                (x + 28, deck - 132),
                (x + 22, deck - 240),
                (x - 26, deck - 240),
            ],
            trim,
        )
        c.polygon(
            [
                (x - 27, deck - 200),
                (x + 25, deck - 200),
                (x + 24, deck - 222),
                (x - 26, deck - 222),
            ],
            stripe,
        )
        c.oval(x - 30, deck - 262, 34, 20, (196, 196, 200))
        c.oval(x - 74, deck - 284, 50, 26, (206, 206, 210))
    for x in (left + 60, right - 60)[: look["masts"]]:
        c.line([(x, deck), (x, deck - 210)], (96, 84, 72), 7)


def _sails(
    c: Canvas, look: dict, land: random.Random, deck: float, left: float, right: float, trim: Colour
) -> None:
    n = look["masts"] if look["type"] == "schooner" else max(2, look["masts"])
    canvas = jitter(
        land, land.choice(((246, 240, 222), (232, 214, 178), (198, 112, 84), (240, 240, 240))), 8
    )
    for i in range(n):
        x = left + (right - left) * (i + 0.6) / n
        c.line([(x, deck), (x, deck - 320 + 24 * (i % 2))], (100, 80, 62), 9)
        gap = (right - left) / n
        if look["type"] == "schooner":
            c.polygon(
                [
                    (x - 8, deck - 290),
                    (x - 8, deck - 30),
                    (x - gap * 0.72, deck - 40),
                    (x - gap * 0.5, deck - 230),
                ],
                canvas,
            )
            c.polygon(
                [(x + 8, deck - 300), (x + 8, deck - 60), (x + gap * 0.26, deck - 60)],
                darker(canvas, 0.1),
            )
        else:
            for k in range(3):
                half = gap * (0.36 - 0.06 * k)
                y = deck - 60 - 84 * k
                c.polygon(
                    [
                        (x - half, y),
                        (x + half, y),
                        (x + half * 0.85, y - 70),
                        (x - half * 0.85, y - 70),
                    ],
                    canvas if k % 2 == 0 else darker(canvas, 0.06),
                )
    c.polygon(
        [(right + 120, deck - 60), (right - 20, deck - 250), (right - 10, deck - 50)],
        lighter(canvas, 0.1),
    )
    c.line([(right + 20, deck - 24), (right + 130, deck - 62)], (100, 80, 62), 8)
    c.polygon([(left + 10, deck - 330), (left + 60, deck - 320), (left + 10, deck - 306)], trim)


def locomotive(
    c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker
) -> Scene:
    scene = Scene(c, land, view, 420)
    look = thing.look
    scene.sky()
    scene.hills(2)
    scene.ground()
    c.look_at(view.uniform(0.86, 1.12), view.uniform(-60, 60), view.uniform(-10, 20), (500, 560))
    paint = jitter(land, COLOURS[look["colours"][0]], 10)
    c.box(-200, 640, 1200, 652, (110, 104, 100))
    for x in range(-180, 1200, 60):
        c.box(x, 650, x + 30, 664, (96, 76, 60))
    c.box(190, 560, 840, 590, darker(paint, 0.4))
    c.box(190, 360, 360, 570, paint)
    c.box(176, 346, 376, 366, darker(paint, 0.3))
    c.box(230, 390, 320, 450, (90, 108, 126))
    c.box(350, 420, 790, 560, paint, round_by=40)
    c.box(350, 500, 790, 560, darker(paint, 0.18), round_by=30)
    for i in range(4):
        c.box(400 + 100 * i, 420, 410 + 100 * i, 560, (222, 184, 96))
    for i in range(look["dome"]):
        c.box(480 + 110 * i, 378, 530 + 110 * i, 424, (206, 166, 82), round_by=20)
    c.polygon([(716, 424), (764, 424), (776, 316), (704, 316)], (44, 44, 50))
    for dx, dy, r in ((10, -40, 30), (-30, -80, 42), (-90, -112, 54)):
        c.oval(740 + dx, 316 + dy, r, r * 0.7, (214, 214, 218))
    n = look["wheels"]
    for i in range(n):
        x = 270 + 500 * i / max(1, n - 1)
        r = 50 if n < 5 else 42
        c.oval(x, 640 - r, r, r, darker(paint, 0.5))
        c.oval(x, 640 - r, r * 0.72, r * 0.72, lighter(paint, 0.1))
        c.oval(x, 640 - r, r * 0.2, r * 0.2, (60, 60, 66))
    c.line([(270, 606), (770, 606)], (190, 190, 196), 9)
    c.polygon([(840, 560), (900, 640), (820, 640)], COLOURS["red"])
    m.plaque(276, 520, metal=(40, 40, 46))
    return scene
