"""How the oracle (a scripted solver) reads a detail in a picture. The oracle first tries to
recognise the text in the picture as it is. If the text cannot be recognised, the oracle repairs and
crops the picture."""

import re
from collections.abc import Generator
from typing import Any

from questloom.agent.oracle.desk import Desk
from questloom.agent.oracle.observation_reading import Line, Literal, texts_read
from questloom.agent.oracle.puzzle import Look
from questloom.agent.oracle.speech import Action, Observation

REPAIRS: tuple[tuple[str, dict[str, Any], str], ...] = (
    (
        "perspective_correct",
        {},
        "Nothing of use can be read. The picture may have been taken at an angle, so I set it straight.",
    ),
    ("sharpen", {}, "The writing may be blurred, so I sharpen the picture."),
    ("sharpen", {"amount": 4}, "I sharpen it more."),
    (
        "super_resolution",
        {},
        "The writing may be too small for the picture's size, so I enlarge it.",
    ),
    ("rotate", {"angle": 180}, "The picture may stand on its head, so I turn it."),
)
MARGIN = 60.0
"""The margin around a line of text when the oracle crops it, in thousandths of the picture's width
and height."""
TILES = ((0, 0, 550, 550), (450, 0, 1000, 550), (0, 450, 550, 1000), (450, 450, 1000, 1000))


def looking(
    solver: Desk, look: Look, kind: str, handle: int
) -> Generator[Action, Observation, tuple[Literal, Line] | None]:
    """Reads a detail in a picture. Returns the detail's value and the line of text that shows it,
    or None if no text fits.

    Args:
        kind: "number" for years and other numbers, "text" for words.
        handle: handle (number) of the picture; if the picture was repaired, of the repaired
            version.
    """
    what = look.part or "text"
    reading = yield from _read(
        solver,
        handle,
        kind,
        solver.manner.say("read", what=what, image=f"<image:{handle}>"),
    )
    if reading:
        return (yield from _closer(solver, handle, kind, reading)) or reading[:2]
    for name, arguments, why in REPAIRS:
        made = yield from solver.call(why, name, handle=handle, **arguments)
        if made and made.images:
            reading = yield from _read(
                solver, made.images[-1], kind, f"Now I read the text in <image:{made.images[-1]}>."
            )
            if reading:
                return reading[:2]
    for box in TILES:
        made = yield from solver.call(
            "I look closer at one part of the picture.", "crop", handle=handle, box=list(box)
        )
        if made and made.images:
            reading = yield from _read(
                solver,
                made.images[-1],
                kind,
                f"I read the text in this part, <image:{made.images[-1]}>.",
            )
            if reading:
                return reading[:2]
    return None


def looking_once(
    solver: Desk, look: Look, kind: str, handle: int
) -> Generator[Action, Observation, tuple[Literal, Line] | None]:
    """Reads a detail in one picture of a page, without repairs. Returns None if the picture does
    not show the detail."""
    reading = yield from _read(
        solver,
        handle,
        kind,
        solver.manner.say("read", what=look.part or "text", image=f"<image:{handle}>"),
    )
    if reading is None:
        return None
    return (yield from _closer(solver, handle, kind, reading)) or reading[:2]


def _closer(
    solver: Desk, handle: int, kind: str, reading: tuple[Literal, Line, list[float]]
) -> Generator[Action, Observation, tuple[Literal, Line] | None]:
    """Crops the picture close around a detail and reads the detail again, because small print is
    easily misread. Returns None if the text is unreadable."""
    left, top, right, bottom = reading[2]
    box = [
        max(0.0, left - MARGIN),
        max(0.0, top - MARGIN),
        min(1000.0, right + MARGIN),
        min(1000.0, bottom + MARGIN),
    ]
    made = yield from solver.call(
        solver.manner.say("closer", text=reading[0].text),
        "crop",
        handle=handle,
        box=box,
    )
    if not made or not made.images:
        return None
    again = yield from _read(
        solver, made.images[-1], kind, f"I read the text once more, in <image:{made.images[-1]}>."
    )
    return again[:2] if again else None


def _read(
    solver: Desk, handle: int, kind: str, thought: str
) -> Generator[Action, Observation, tuple[Literal, Line, list[float]] | None]:
    """Reads the text in a picture. Returns the value, the line of text with the value, and the
    position (box) of the line."""
    observation = yield from solver.call(thought, "layout_parsing", handle=handle)
    texts = texts_read(observation.text) if observation else []
    if not observation or not texts:
        return None
    if kind == "text":
        whole = " ".join(text for text, _ in texts)
        lefts, tops, rights, bottoms = zip(*(box for _, box in texts), strict=True)
        return (
            Literal(whole),
            Line(whole, observation.turn),
            [min(lefts), min(tops), max(rights), max(bottoms)],
        )
    years = [
        (t, box, m[0])
        for t, box in texts
        for m in re.finditer(r"(?<!\d)1\d{3}(?!\d)|(?<!\d)20\d\d(?!\d)", t)
    ]
    numbers = [(t, box, m[0]) for t, box in texts for m in re.finditer(r"\d+(?:\.\d+)?", t)]
    for text, box, digits in [*years, *numbers][:1]:
        year = int(digits) if years else None
        return Literal(digits, year=year, number=float(digits)), Line(text, observation.turn), box
    return None
