"""Draws the surroundings of a thing: skies, hills, sea, trees, houses. All views of a thing show
the same land. The weather differs from view to view."""

import math
import random

from questloom.knowledge.world.pictures.canvas import (
    Canvas,
    Colour,
    Point,
    darker,
    jitter,
    lighter,
    mix,
)

SKIES: tuple[tuple[Colour, Colour, Colour, float], ...] = (
    ((116, 170, 214), (222, 236, 240), (255, 250, 235), 0),
    ((88, 140, 196), (200, 224, 238), (255, 250, 240), 0),
    ((240, 178, 128), (252, 226, 188), (255, 214, 160), 0.10),
    ((92, 96, 150), (244, 182, 150), (240, 170, 150), 0.12),
    ((150, 160, 170), (216, 220, 220), (190, 198, 206), 0.08),
    ((58, 76, 126), (150, 170, 204), (70, 90, 150), 0.16),
    ((140, 196, 206), (238, 240, 222), (250, 250, 225), 0),
    ((184, 150, 184), (250, 214, 200), (236, 190, 200), 0.08),
)
"""The colours of the sky at the top and at the horizon, the tint of the light, and the strength of
the tint."""
GRASS: tuple[Colour, ...] = (
    (126, 158, 92),
    (150, 168, 96),
    (98, 140, 96),
    (168, 160, 100),
    (112, 150, 116),
    (180, 172, 130),
)
COLOURS: dict[str, Colour] = {
    "red": (190, 52, 48),
    "blue": (52, 92, 166),
    "green": (62, 128, 84),
    "yellow": (232, 190, 70),
    "white": (244, 242, 234),
    "black": (46, 46, 54),
    "orange": (226, 128, 52),
    "brown": (122, 84, 58),
    "grey": (140, 144, 150),
    "violet": (124, 84, 156),
}
STONES: dict[str, Colour] = {
    "granite": (166, 164, 168),
    "limestone": (222, 212, 188),
    "sandstone": (212, 178, 128),
    "brick": (178, 96, 76),
    "basalt": (96, 98, 108),
    "cast iron": (84, 92, 102),
    "steel": (130, 146, 160),
    "bronze": (132, 116, 72),
    "marble": (232, 230, 226),
    "wood": (140, 102, 66),
    "copper": (176, 110, 72),
}


class Scene:
    """The surroundings of one thing in one view.

    Args:
        canvas: canvas to draw on.
        land: random generator of the thing, the same in every view.
        view: random generator of the view, for time of day and weather.
        horizon: y of the horizon in units.
    """

    def __init__(
        self, canvas: Canvas, land: random.Random, view: random.Random, horizon: float
    ) -> None:
        self.canvas, self.land, self.view, self.horizon = canvas, land, view, horizon
        self.top, self.low, self.tint, self.strength = SKIES[view.randrange(len(SKIES))]
        self.grass = jitter(land, land.choice(GRASS), 10)
        self.far = mix(
            jitter(
                land,
                land.choice(((96, 118, 150), (120, 130, 150), (108, 138, 128), (150, 130, 130))),
                12,
            ),
            self.low,
            0.35,
        )

    def sky(self) -> None:
        """Draws a gradient of the sky, the sun or moon, and clouds."""
        c, view = self.canvas, self.view
        c.gradient(self.top, self.low, 0, self.horizon)
        if view.random() < 0.5:
            x, y, r = (
                view.uniform(80, 920),
                view.uniform(60, self.horizon * 0.5),
                view.uniform(22, 40),
            )
            c.oval(x, y, r * 1.7, r * 1.7, mix(self.top, (255, 250, 225), 0.35))
            c.oval(x, y, r, r, (255, 248, 222))
        for _ in range(view.randint(0, 4)):
            self._cloud(
                view.uniform(0, 1000), view.uniform(40, self.horizon * 0.62), view.uniform(0.6, 1.6)
            )

    def _cloud(self, x: float, y: float, size: float) -> None:
        shade = mix(self.low, (255, 255, 255), 0.6)
        for dx, dy, r in ((-52, 6, 26), (-22, -8, 34), (16, -14, 40), (54, 2, 28)):
            self.canvas.oval(x + dx * size, y + dy * size, r * size, r * size * 0.62, shade)

    def hills(self, rows: int = 2) -> None:
        """Draws rows of hills; distant rows are paler. All views of a thing show the same hills."""
        for row in range(rows):
            base = self.horizon + row * 16
            colour = mix(self.far, self.grass, row / max(1, rows))
            bumps = [(self.land.uniform(90, 260), self.land.uniform(0, 7)) for _ in range(3)]
            height = self.land.uniform(30, 120) / (row + 1)
            points: list[Point] = [(-40, base + 60)]
            for x in range(-40, 1081, 40):
                points.append(
                    (x, base - height * (1 + sum(math.sin(x / w + p) for w, p in bumps) / 3))
                )
            self.canvas.polygon([*points, (1040, base + 60)], colour)

    def ground(self, colour: Colour | None = None) -> None:
        """Draws meadow, sand or paving below the horizon."""
        colour = colour or self.grass
        self.canvas.gradient(
            lighter(colour, 0.12), darker(colour, 0.18), self.horizon, self.canvas.units_high
        )

    def water(self, y0: float | None = None, y1: float | None = None) -> None:
        """Draws water with streaks of light in the colour of the sky."""
        c = self.canvas
        first = self.horizon if y0 is None else y0
        last = c.units_high if y1 is None else y1
        base = mix(self.top, (44, 92, 120), 0.5)
        c.gradient(mix(base, self.low, 0.45), darker(base, 0.22), first, last)
        for _ in range(22):
            x, y = self.view.uniform(-40, 1000), self.view.uniform(first + 8, last)
            c.box(x, y, x + self.view.uniform(20, 130), y + 2.4, mix(base, self.low, 0.6))

    def trees(
        self,
        number: int,
        y: float,
        spread: tuple[float, float] = (20, 980),
        keep_clear: tuple[float, float] = (0, 0),
    ) -> None:
        """Draws trees. All views of a thing show the same trees."""
        for _ in range(number):
            x, size = self.land.uniform(*spread), self.land.uniform(0.6, 1.25)
            kind, tone = self.land.randrange(3), jitter(self.land, (70, 110, 70), 26)
            if keep_clear[0] < x < keep_clear[1]:
                continue
            self.tree(x, y + self.land.uniform(-8, 16), size, kind, tone)

    def tree(self, x: float, y: float, size: float, kind: int, tone: Colour) -> None:
        c = self.canvas
        c.box(x - 5 * size, y - 40 * size, x + 5 * size, y, (96, 74, 56))
        if kind == 0:
            c.oval(x, y - 74 * size, 42 * size, 48 * size, tone)
            c.oval(x - 10 * size, y - 84 * size, 24 * size, 26 * size, lighter(tone, 0.15))
        elif kind == 1:
            for i in range(3):
                w = (44 - 11 * i) * size
                c.polygon(
                    [
                        (x - w, y - (26 + 34 * i) * size),
                        (x + w, y - (26 + 34 * i) * size),
                        (x, y - (88 + 32 * i) * size),
                    ],
                    tone,
                )
        else:
            c.oval(x, y - 88 * size, 20 * size, 66 * size, tone)

    def house(self, x: float, y: float, size: float, wall: Colour, roof: Colour) -> None:
        """Draws a small house with a door and two windows."""
        c = self.canvas
        w, h = 74 * size, 56 * size
        c.box(x - w / 2, y - h, x + w / 2, y, wall)
        c.polygon(
            [
                (x - w / 2 - 7, y - h),
                (x + w / 2 + 7, y - h),
                (x + w / 4, y - h - 38 * size),
                (x - w / 4, y - h - 38 * size),
            ],
            roof,
        )
        c.box(x - 7 * size, y - 28 * size, x + 7 * size, y, darker(roof))
        for dx in (-22, 22):
            c.box(
                x + (dx - 7) * size,
                y - 42 * size,
                x + (dx + 7) * size,
                y - 26 * size,
                (72, 92, 116),
            )

    def weather(self) -> None:
        """In some views, draws rain, snow or birds over everything."""
        draw = self.view.random()
        c, high = self.canvas, self.canvas.units_high
        if draw < 0.10:
            for _ in range(90):
                x, y = self.view.uniform(0, 1000), self.view.uniform(0, high)
                c.line([(x, y), (x - 6, y + 22)], mix(self.low, (255, 255, 255), 0.3), 1.3)
        elif draw < 0.18:
            for _ in range(110):
                x, y, r = (
                    self.view.uniform(0, 1000),
                    self.view.uniform(0, high),
                    self.view.uniform(1.6, 4),
                )
                c.oval(x, y, r, r, (250, 250, 252))
        elif draw < 0.5:
            for _ in range(self.view.randint(2, 6)):
                x, y = self.view.uniform(80, 920), self.view.uniform(50, self.horizon * 0.6)
                c.line([(x - 12, y - 5), (x, y), (x + 12, y - 6)], (70, 72, 84), 2)
