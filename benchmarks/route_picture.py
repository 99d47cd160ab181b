"""Draws the route to a question's answer as a small SVG. The picture has a box for each tool call
with its result, arrows between the boxes, and the answer.

The SVG holds no link, no id and no script. The SVG's colours are readable on a white and on a dark
background.
"""

import textwrap
from collections.abc import Mapping, Sequence
from xml.etree import ElementTree as ET

from questloom.pipeline.report.people_names import Names
from questloom.transforms.planning.moves import COMPUTE, IMAGE_SEARCH, LOOK, TEXT_SEARCH, VISIT

TOOLS = {
    IMAGE_SEARCH: ("image search", "#cfe2ff"),
    TEXT_SEARCH: ("text search", "#e4e4e8"),
    VISIT: ("page", "#fff0c2"),
    LOOK: ("close look", "#cfe2ff"),
    COMPUTE: ("computation", "#e6d9ff"),
}
"""For each move, the tool in words and the colour of the move's box."""
ANSWER = ("answer", "#cdeed3")
PER_ROW, WIDTH, HEIGHT, GAP, LINE = 4, 160, 60, 28, 14
NAME = 20
"""The maximum number of characters in one line of a name. A box has room for two lines of a name.
"""

Step = tuple[str, str, str]
"""A tool in words, the colour of its box, and a description of what the call finds."""


def steps(
    moves: Sequence[str], bindings: Mapping[str, str], names: Names, asked: str, answer: str
) -> tuple[Step, ...]:
    """The boxes in the picture of a route.

    Args:
        moves: the moves of a route (`questloom.records.route.Route.moves`).
        bindings: for each variable, the thing that it stands for; a move may also name a thing by
            its id.
        names: function that returns the names of things.
        asked: the variable that the question asks for.
        answer: the answer in words.

    Raises:
        ValueError: the route has an unknown kind of move.
    """
    found = []
    for move in moves:
        tool, _, var = move.partition(" ")
        if tool not in TOOLS or not var:
            raise ValueError(f"no move of a route: {move!r}; known are {', '.join(TOOLS)}")
        found.append((*TOOLS[tool], answer if var == asked else names.key(bindings.get(var, var))))
    if moves and moves[-1].endswith(f" {asked}"):
        return (*found[:-1], (f"{found[-1][0]}: answer", ANSWER[1], answer))
    return (*found, (*ANSWER, answer))


def route_words(route: Sequence[Step]) -> str:
    """The route in words, as a text for people who cannot see the picture.

    >>> route_words([("image search", "", "Old Mill"), ("answer", "", "1714")])
    'image search: Old Mill → answer: 1714'
    """
    return " → ".join(f"{tool}: {found}" for tool, _, found in route)


def route_svg(route: Sequence[Step]) -> str:
    """Returns the picture of a route as SVG text, for a file or for a web page."""
    rows = (len(route) - 1) // PER_ROW + 1
    across = min(len(route), PER_ROW)
    size = (across * (WIDTH + GAP) - GAP + 4, rows * (HEIGHT + GAP) - GAP + 4)
    words = _plain(route_words(route))
    root = ET.Element(
        "svg",
        {
            "xmlns": "http://www.w3.org/2000/svg",
            "width": str(size[0]),
            "height": str(size[1]),
            "viewBox": f"-2 -2 {size[0]} {size[1]}",
            "role": "img",
            "aria-label": words,
            "font-family": "sans-serif",
            "font-size": "12",
        },
    )
    for place, (tool, colour, found) in enumerate(route):
        x, y = place % PER_ROW * (WIDTH + GAP), place // PER_ROW * (HEIGHT + GAP)
        if place:
            _arrow(root, x, y, wraps=place % PER_ROW == 0)
        box = {"x": str(x), "y": str(y), "width": str(WIDTH), "height": str(HEIGHT), "rx": "6"}
        ET.SubElement(root, "rect", {**box, "fill": colour, "stroke": "#777"})
        lines = textwrap.wrap(_plain(found), NAME, max_lines=2, placeholder=" …")
        _text(root, x, y + 17, tool, {"fill": "#555", "font-size": "11"})
        for number, line in enumerate(lines):
            at = y + 35 + LINE * number
            _text(root, x, at, line, {"fill": "#111", "font-weight": "bold"})
    return ET.tostring(root, encoding="unicode") + "\n"


def _plain(text: str) -> str:
    """Returns the text without characters that XML does not allow."""
    return "".join(c for c in text if c.isprintable())


def _text(root: ET.Element, x: int, y: int, words: str, style: dict[str, str]) -> None:
    place = {"x": str(x + WIDTH // 2), "y": str(y), "text-anchor": "middle"}
    ET.SubElement(root, "text", {**place, **style}).text = words


def _arrow(root: ET.Element, x: int, y: int, *, wraps: bool) -> None:
    """Draws the arrow that leads to a box, from the box on the left or from the row above."""
    if wraps:
        middle, last = WIDTH // 2, (PER_ROW - 1) * (WIDTH + GAP) + WIDTH // 2
        line = f"M{last} {y - GAP}v{GAP // 2}H{middle}V{y - 2}m-4 -6l4 6l4 -6"
    else:
        line = f"M{x - GAP} {y + HEIGHT // 2}h{GAP - 2}m-6 -4l6 4l-6 4"
    ET.SubElement(root, "path", {"d": line, "fill": "none", "stroke": "#888", "stroke-width": "2"})
