"""Draws pictures that a recipe must refuse: flags, coats of arms, locator maps, logos."""

import math
import random

from PIL import Image

from questloom.knowledge.world.pictures.canvas import Canvas, Colour
from questloom.knowledge.world.pictures.scenery import COLOURS


def flag(own: random.Random) -> Image.Image:
    c = Canvas(640, 420)
    tones = [COLOURS[n] for n in own.sample(sorted(COLOURS), 3)]
    c.gradient(tones[0], tones[0])
    if own.random() < 0.5:
        for i in range(3):
            c.box(0, c.units_high * i / 3, 1000, c.units_high * (i + 1) / 3, tones[i])
    else:
        c.box(280, 0, 420, c.units_high, tones[1])
        c.box(0, c.units_high / 2 - 70, 1000, c.units_high / 2 + 70, tones[1])
    c.oval(350, c.units_high / 2, 90, 90, tones[2])
    return c.finished(grain=False)


def arms(own: random.Random) -> Image.Image:
    c = Canvas(500, 600)
    c.gradient((255, 255, 255), (255, 255, 255))
    one, two, three = (COLOURS[n] for n in own.sample(sorted(COLOURS), 3))
    c.polygon([(140, 120), (860, 120), (860, 640), (500, 1080), (140, 640)], one)
    c.polygon([(500, 120), (860, 120), (860, 640), (500, 1080)], two)
    c.oval(500, 500, 150, 150, three)
    for i in range(5):
        a = i * 2 * math.pi / 5
        c.oval(500 + 110 * math.cos(a), 500 + 110 * math.sin(a), 40, 40, one)
    return c.finished(grain=False)


def locator(own: random.Random) -> Image.Image:
    c = Canvas(600, 600)
    c.gradient((198, 222, 238), (198, 222, 238))
    points = [
        (
            500 + own.uniform(280, 430) * math.cos(a / 20 * 2 * math.pi),
            500 + own.uniform(280, 430) * math.sin(a / 20 * 2 * math.pi),
        )
        for a in range(20)
    ]
    c.polygon(points, (252, 246, 224))
    c.line([*points, points[0]], (120, 120, 120), 4)
    for _ in range(6):
        c.line(
            [(own.uniform(150, 850), own.uniform(150, 850)) for _ in range(4)], (190, 184, 170), 3
        )
    c.oval(own.uniform(300, 700), own.uniform(300, 700), 60, 46, (206, 70, 60))
    return c.finished(grain=False)


def logo(own: random.Random) -> Image.Image:
    c = Canvas(500, 500)
    c.gradient((255, 255, 255), (255, 255, 255))
    tone: Colour = COLOURS[own.choice(sorted(COLOURS))]
    c.oval(500, 500, 360, 360, tone)
    c.oval(500, 500, 300, 300, (255, 255, 255))
    c.polygon([(500, 260), (700, 660), (300, 660)], tone)
    return c.finished(grain=False)


def vector(own: random.Random) -> bytes:
    """The bytes of an SVG file."""
    r, g, b = COLOURS[own.choice(sorted(COLOURS))]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400"><circle cx="200" cy="200" r="160" fill="rgb({r},{g},{b})"/>'
        '<path d="M120 260 L200 90 L280 260 Z" fill="#fff"/></svg>\n'
    ).encode()


SYMBOLS = {"flag": flag, "arms": arms, "map": locator, "logo": logo}
