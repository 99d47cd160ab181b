"""Reads the phrasings of facts, sorted by kind of thing, from data files.

Each line of a file holds one fact in several phrasings. A phrasing is used only if all its {placeholders} have values.
knowledge/world/prose.py explains the placeholders.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
PLACEHOLDER = re.compile(r"\{([^{}]+)\}")


@dataclass(frozen=True)
class Line:
    """A fact: how often articles state it, and its phrasings. A phrasing is an alternating sequence of texts and
    placeholders."""

    share: float
    phrasings: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Heading:
    """A section of an article: its title ("lead" for the first section) and its lines in order."""

    title: str
    lines: tuple[Line, ...]


@cache
def plan_of(kind: str) -> tuple[Heading, ...]:
    """The sections of an article about a kind of thing. Kinds without sections of their own share a
    plain list of sections."""
    plans = _plans()
    return (
        plans.get(kind)
        or plans[
            "institution"
            if kind in ("university", "national_museum", "publisher", "agency")
            else "plain"
        ]
    )


@cache
def _plans() -> dict[str, tuple[Heading, ...]]:
    found: dict[str, list[tuple[str, list[Line]]]] = {}
    sections: list[tuple[str, list[Line]]] = []
    for path in sorted(FOLDER.glob("*.txt")):
        for raw in path.read_text(encoding="utf-8").splitlines():
            if not raw or raw.startswith("# "):
                continue
            if raw.startswith("## "):
                sections = found.setdefault(raw[3:], [])
            elif raw.startswith("= "):
                sections.append((raw[2:], []))
            else:
                share = {"!": 1.0, "?": 0.4}.get(raw[0], 0.92)
                phrasings = raw.lstrip("!?").split(" || ")
                sections[-1][1].append(
                    Line(share, tuple(tuple(PLACEHOLDER.split(p.lstrip("?"))) for p in phrasings))
                )
    return {
        kind: tuple(Heading(title, tuple(lines)) for title, lines in parts)
        for kind, parts in found.items()
    }
