"""How the oracle reads a detail on the picture: text recognition, after repairs and closer looks where nothing can be read at once."""
import re
from collections.abc import Generator
from typing import Any

from agent.engines.oracle_desk import Desk
from agent.engines.oracle_reading import Line, Literal, texts_read
from agent.engines.oracle_said import Seen, Step
from agent.engines.oracle_task import Look

REPAIRS: tuple[tuple[str, dict[str, Any], str], ...] = (
    ("perspective_correct", {}, "Nothing of use can be read. The picture may have been taken at an angle, so I set it straight."),
    ("sharpen", {}, "The writing may be blurred, so I sharpen the picture."),
    ("sharpen", {"amount": 4}, "I sharpen it more."),
    ("super_resolution", {}, "The writing may be too small for the picture's size, so I enlarge it."),
    ("rotate", {"angle": 180}, "The picture may stand on its head, so I turn it."),
)
TILES = ((0, 0, 550, 550), (450, 0, 1000, 550), (0, 450, 550, 1000), (450, 450, 1000, 1000))


def looking(solver: Desk, look: Look, kind: str, handle: int) -> Generator[Step, Seen, tuple[Literal, Line] | None]:
    """The detail as it is read, with the line that shows it; None where nothing fits.

    Args:
        kind: "number" for years and other numbers, "text" for words.
        handle: of the picture, repaired where it needs it.
    """
    what = look.part or "text"
    found = yield from _read(solver, handle, kind, f"The question needs what can be read on the {what} in <image:{handle}>. I read the text in the picture.")
    if found:
        return found
    for name, arguments, why in REPAIRS:
        made = yield from solver.call(why, name, handle=handle, **arguments)
        if made and made.images:
            found = yield from _read(solver, made.images[-1], kind, f"Now I read the text in <image:{made.images[-1]}>.")
            if found:
                return found
    for box in TILES:
        made = yield from solver.call("I look closer at one part of the picture.", "crop", handle=handle, box=list(box))
        if made and made.images:
            found = yield from _read(solver, made.images[-1], kind, f"I read the text in this part, <image:{made.images[-1]}>.")
            if found:
                return found
    return None


def _read(solver: Desk, handle: int, kind: str, thought: str) -> Generator[Step, Seen, tuple[Literal, Line] | None]:
    seen = yield from solver.call(thought, "layout_parsing", handle=handle)
    texts = texts_read(seen.text) if seen else []
    if not seen or not texts:
        return None
    if kind == "text":
        whole = " ".join(texts)
        return Literal(whole), Line(whole, seen.turn)
    years = [(t, m[0]) for t in texts for m in re.finditer(r"(?<!\d)1\d{3}(?!\d)|(?<!\d)20\d\d(?!\d)", t)]
    numbers = [(t, m[0]) for t in texts for m in re.finditer(r"\d+(?:\.\d+)?", t)]
    for text, digits in [*years, *numbers][:1]:
        year = int(digits) if years else None
        return Literal(digits, year=year, number=float(digits)), Line(text, seen.turn)
    return None
