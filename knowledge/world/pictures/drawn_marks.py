"""Draws the marks of a thing (plaques, flags, registrations) and records their boxes."""

from questloom.knowledge.world.model import Mark, Thing
from questloom.knowledge.world.pictures.canvas import Canvas, Colour, darker
from questloom.knowledge.world.pictures.scenery import COLOURS

Boxes = dict[int, tuple[float, ...]]
"""A dict from the index of a mark to the mark's box in per cent."""


class Marker:
    """Draws those marks of a thing that the view shows, and records the marks' boxes.

    Args:
        canvas: canvas to draw on.
        thing: thing that has the marks.
        shown: indices of the marks that the view shows.
        pixels: height of letters in pixels.
    """

    def __init__(self, canvas: Canvas, thing: Thing, shown: tuple[int, ...], pixels: int) -> None:
        self.canvas, self.thing, self.shown, self.pixels = canvas, thing, shown, pixels
        self.boxes: Boxes = {}

    def _mark(self, prop: str) -> tuple[int, Mark] | None:
        return next(
            (
                (i, m)
                for i, m in enumerate(self.thing.marks)
                if m.property == prop and i in self.shown
            ),
            None,
        )

    def plaque(
        self, x: float, y: float, metal: Colour = (92, 76, 52), ink: Colour = (246, 238, 214)
    ) -> None:
        """Draws a plate with small letters, if the view shows the thing's plaque."""
        found = self._mark("P1684")
        if found is None:
            return
        index, mark = found
        box = self.canvas.text(x, y, mark.readable, self.pixels, ink)
        wide, high = self.canvas.image.size
        half_w, half_h = box[2] / 200 * wide + 6, box[3] / 200 * high + 5
        px, py = box[0] / 100 * wide + half_w - 6, box[1] / 100 * high + half_h - 5
        self.canvas.pen.rounded_rectangle(
            (px - half_w, py - half_h, px + half_w, py + half_h),
            radius=5,
            fill=metal,
            outline=darker(metal, 0.5),
            width=2,
        )
        self.boxes[index] = box

    def letters(self, x: float, y: float, ink: Colour) -> None:
        """Draws small letters without a plate: a registration on a hull, a volume number on a spine."""
        found = self._mark("P1684")
        if found is not None:
            self.boxes[found[0]] = self.canvas.text(x, y, found[1].readable, self.pixels, ink)

    def flag(self, x: float, y: float, size: float = 1.0) -> None:
        """Draws a pole with a small flag in the thing's colour."""
        found = self._mark("P462")
        if found is None:
            return
        c = self.canvas
        x = min(max(x, c.left + 20), c.right - 60 * size)
        c.line([(x, y), (x, y - 64 * size)], (90, 84, 80), 3 * size)
        c.polygon(
            [(x, y - 64 * size), (x + 34 * size, y - 56 * size), (x, y - 44 * size)],
            COLOURS[found[1].readable],
        )
        self.boxes[found[0]] = c.box_of(x - 2, y - 66 * size, x + 36 * size, y - 42 * size)

    def counted(self, x0: float, y0: float, x1: float, y1: float) -> None:
        """Records the box in which arches or columns can be counted."""
        found = self._mark("P1114")
        if found is not None:
            self.boxes[found[0]] = self.canvas.box_of(x0, y0, x1, y1)
