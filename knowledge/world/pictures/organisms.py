"""Draws crystals, and birds, fish, butterflies and flowers in their colours and patterns."""

import math
import random

from questloom.knowledge.world.model import Thing
from questloom.knowledge.world.pictures.canvas import Canvas, Colour, darker, jitter, lighter, mix
from questloom.knowledge.world.pictures.drawn_marks import Marker
from questloom.knowledge.world.pictures.scenery import COLOURS


def species(c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker) -> None:
    """Draws one animal or plant in front of a soft background, as in a field guide."""
    look = thing.look
    back = jitter(
        land,
        land.choice(
            ((206, 220, 208), (222, 214, 196), (196, 212, 224), (214, 204, 210), (188, 204, 176))
        ),
        10,
    )
    warm = view.choice(((255, 244, 220), (226, 236, 255), (240, 240, 240)))
    c.gradient(mix(back, warm, 0.5), darker(back, 0.1))
    for _ in range(9):
        x, y, r = view.uniform(0, 1000), view.uniform(0, c.units_high), view.uniform(30, 110)
        c.oval(x, y, r, r, mix(back, lighter(back, 0.3), view.uniform(0.2, 0.8)))
    c.look_at(view.uniform(0.85, 1.2), view.uniform(-70, 70), view.uniform(-30, 30), (500, 400))
    one, two, three = (jitter(land, COLOURS[name], 10) for name in look["colours"])
    {"bird": _bird, "fish": _fish, "Lepidoptera": _butterfly, "flowering plant": _flower}[
        look["group"]
    ](c, thing, land, one, two, three)
    c.look_at()
    m.plaque(140, c.units_high - 46, metal=(246, 242, 230), ink=(58, 52, 48))


def _bird(
    c: Canvas, thing: Thing, land: random.Random, one: Colour, two: Colour, three: Colour
) -> None:
    look = thing.look
    c.line([(120, 590), (880, 560 + land.uniform(-40, 40))], (104, 82, 62), 26)
    for i in range(land.randint(1, 4)):
        c.oval(220 + 170 * i, 560 - 20 * (i % 2), 44, 18, (104, 142, 88))
    for x in (470, 520):
        c.line([(x, 500), (x - 6, 578)], (196, 140, 70), 8)
    c.polygon(
        [(330, 430), (120, 500 + land.uniform(-50, 30)), (150, 550), (380, 480)], darker(one, 0.2)
    )
    c.oval(470, 410, 170, 118, one)
    c.oval(520, 450, 120, 78, two)
    c.polygon([(330, 380), (470, 330), (520, 420), (340, 500)], darker(one, 0.22))
    for i in range(look["stripes"]):
        c.line([(350 + 34 * i, 380), (380 + 34 * i, 470)], three, 10)
    c.oval(630, 300, 78, 72, one)
    c.oval(650, 326, 52, 40, two)
    if look["crest"]:
        c.polygon([(590, 240), (560, 170), (640, 228), (630, 176), (670, 236)], three)
    beak = {"short": 46, "long": 130, "hooked": 70}[look["beak"]]
    c.polygon(
        [(700, 286), (704 + beak, 306 + (26 if look["beak"] == "hooked" else 6)), (700, 320)],
        (222, 164, 66),
    )
    c.oval(652, 286, 15, 15, (250, 250, 246))
    c.oval(655, 286, 9, 9, (28, 26, 30))
    for i in range(look["spots"]):
        c.oval(440 + 34 * (i % 4), 440 + 34 * (i // 4), 8, 8, three)


def _fish(
    c: Canvas, thing: Thing, land: random.Random, one: Colour, two: Colour, three: Colour
) -> None:
    look = thing.look
    for _ in range(12):
        c.oval(land.uniform(80, 920), land.uniform(80, 640), 8, 8, (236, 246, 250))
    long, high = land.uniform(240, 320), land.uniform(90, 150)
    c.polygon(
        [
            (500 - long * 0.8, 390),
            (500 - long * 1.35, 390 - high),
            (500 - long * 1.2, 390),
            (500 - long * 1.35, 390 + high),
        ],
        darker(one, 0.15),
    )
    c.polygon(
        [(420, 390 - high * 0.8), (500, 390 - high * 1.6), (600, 390 - high * 0.8)],
        darker(two, 0.1),
    )
    c.oval(500, 390, long, high, one)
    c.pie(500, 390, long, high, 10, 170, two)
    for i in range(look["stripes"] + 1):
        x = 500 - long * 0.5 + i * long * 0.28
        c.polygon(
            [
                (x, 390 - high * 0.8),
                (x + 22, 390 - high * 0.8),
                (x + 14, 390 + high * 0.7),
                (x - 6, 390 + high * 0.7),
            ],
            three,
        )
    for i in range(look["spots"]):
        c.oval(440 + 46 * (i % 5), 360 + 50 * (i // 5), 13, 13, lighter(three, 0.3))
    if look["crest"]:
        c.polygon(
            [(470, 390 + high * 0.7), (520, 390 + high * 1.4), (560, 390 + high * 0.7)],
            darker(one, 0.1),
        )
    c.oval(500 + long * 0.72, 370, 20, 20, (250, 250, 246))
    c.oval(503 + long * 0.72, 370, 11, 11, (26, 26, 30))
    c.arc(500 + long * 0.45, 390, 40, high * 0.8, -60, 60, darker(one, 0.3), 6)


def _butterfly(
    c: Canvas, thing: Thing, land: random.Random, one: Colour, two: Colour, three: Colour
) -> None:
    look = thing.look
    tall, tail = land.uniform(150, 220), look["crest"]
    for side in (-1, 1):
        c.polygon(
            [
                (500, 360),
                (500 + side * 290, 380 - tall),
                (500 + side * 330, 330),
                (500 + side * 250, 440),
                (500, 430),
            ],
            one,
        )
        c.polygon(
            [
                (500 + side * 230, 400 - tall),
                (500 + side * 290, 380 - tall),
                (500 + side * 330, 330),
                (500 + side * 250, 440),
                (500 + side * 270, 340),
            ],
            two,
        )
        c.oval(500 + side * 140, 500, 130, 96, mix(one, two, 0.4))
        c.arc(500 + side * 140, 500, 130, 96, 0, 360, two, 12)
        if tail:
            c.polygon(
                [(500 + side * 190, 560), (500 + side * 250, 660), (500 + side * 230, 545)], two
            )
        for i in range(look["spots"]):
            c.oval(500 + side * (110 + 34 * (i % 4)), 370 + 120 * (i // 4), 15, 15, three)
        for i in range(look["stripes"]):
            c.line(
                [
                    (500 + side * 40, 372 + 8 * i),
                    (500 + side * (230 - 30 * i), 396 - tall * 0.6 + 34 * i),
                ],
                darker(one, 0.35),
                6,
            )
        c.line([(500, 330), (500 + side * 70, 230)], (60, 50, 46), 5)
        c.oval(500 + side * 70, 228, 8, 8, (60, 50, 46))
    c.oval(500, 430, 22, 120, (70, 58, 52))


def _flower(
    c: Canvas, thing: Thing, land: random.Random, one: Colour, two: Colour, three: Colour
) -> None:
    look = thing.look
    heads = 1 + look["stripes"] // 2
    for i in range(heads):
        x = 500 + (i - (heads - 1) / 2) * 210
        y, r = 300 + 50 * (i % 2), 120 if heads == 1 else 84
        c.line([(500, 760), (x * 0.6 + 200, 560), (x, y)], (88, 130, 78), 14)
        n = look["petals"]
        for k in range(n):
            a = 2 * math.pi * k / n
            px, py = x + r * 0.75 * math.cos(a), y + r * 0.75 * math.sin(a)
            if look["crest"]:
                c.polygon(
                    [
                        (x, y),
                        (x + r * 1.3 * math.cos(a - 0.25), y + r * 1.3 * math.sin(a - 0.25)),
                        (x + r * 1.5 * math.cos(a), y + r * 1.5 * math.sin(a)),
                        (x + r * 1.3 * math.cos(a + 0.25), y + r * 1.3 * math.sin(a + 0.25)),
                    ],
                    one if k % 2 else lighter(one, 0.12),
                )
            else:
                c.oval(px, py, r * 0.52, r * 0.52, one if k % 2 else lighter(one, 0.1))
            c.oval(x + r * 0.55 * math.cos(a), y + r * 0.55 * math.sin(a), 9, 9, three)
        c.oval(x, y, r * 0.36, r * 0.36, two)
        for k in range(look["spots"]):
            c.oval(x + r * 0.2 * math.cos(k), y + r * 0.2 * math.sin(k), 6, 6, darker(two, 0.4))
    for side in (-1, 1):
        c.polygon(
            [(500, 700), (500 + side * 190, 580), (500 + side * 120, 690)],
            jitter(land, (96, 140, 84), 14),
        )


def mineral(c: Canvas, thing: Thing, land: random.Random, view: random.Random, m: Marker) -> None:
    """Draws a cluster of crystals on grey cloth."""
    c.gradient((88, 90, 98), (52, 54, 62))
    c.look_at(view.uniform(0.85, 1.15), view.uniform(-60, 60), view.uniform(-20, 20), (500, 430))
    own = random.Random(thing.look["palette"])
    base = jitter(own, COLOURS[thing.look["colours"][0]], 18)
    c.oval(500, 580, 300, 70, (38, 40, 46))
    c.polygon(
        [(230, 580), (300, 480), (500, 450), (720, 490), (790, 580), (500, 620)],
        jitter(own, (116, 110, 104), 14),
    )
    for _ in range(thing.look["facets"]):
        x, lean = own.uniform(320, 680), own.uniform(-110, 110)
        high, half = own.uniform(140, 320), own.uniform(24, 58)
        tip = (x + lean, 540 - high)
        tone = jitter(own, base, 22)
        c.polygon(
            [
                (x - half, 550),
                (x + half, 550),
                (x + half + lean * 0.8, 540 - high * 0.75),
                tip,
                (x - half + lean * 0.8, 540 - high * 0.75),
            ],
            tone,
        )
        c.polygon(
            [(x, 550), (x + half, 550), (x + half + lean * 0.8, 540 - high * 0.75), tip],
            darker(tone, 0.28),
        )
        c.line(
            [(x - half * 0.4, 540), (x - half * 0.4 + lean * 0.8, 540 - high * 0.72)],
            lighter(tone, 0.5),
            5,
        )
    c.look_at()
    m.plaque(860, c.units_high - 46, metal=(246, 242, 230), ink=(58, 52, 48))
