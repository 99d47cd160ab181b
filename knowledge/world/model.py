"""What the world consists of while it is being made: things, and what is true of them."""

import datetime
from dataclasses import dataclass, field
from typing import Any

from questloom.knowledge.world import vocabulary
from questloom.records.knowledge import Qualifier, Value

SNAPSHOT_YEAR = 2024
UNITS = vocabulary.groups()["unit"]


@dataclass(slots=True)
class Statement:
    """One thing that is true (or, deprecated, once was thought true) of a thing.

    `unknown_in_dump` makes the dump say "somevalue": the value exists and is not known there; the truth has it.
    """

    property: str
    value: Value
    qualifiers: tuple[Qualifier, ...] = ()
    rank: str = "normal"
    unknown_in_dump: bool = False


@dataclass(slots=True)
class Mark:
    """Something that is to be seen only close up on pictures of a thing, always the same.

    `part` is the QID of what bears it (a plaque), `property` P1684 (text), P1114 (count) or P462 (colour).
    """

    part: str
    property: str
    value: Value
    readable: str


@dataclass(slots=True)
class Picture:
    """One picture file: whom it shows and how; the drawing itself is a function of this and of the thing."""

    file: str
    subject: str
    view: int
    kind: str = "photo"
    """photo, flag, arms, map, logo, tiny, copy, vector: all but the first are refused by any sensible recipe. sketch: a picture of the learning world."""
    width: int = 704
    height: int = 528
    marks: tuple[int, ...] = ()
    """Indices of the subject's marks that this view shows."""
    licence: str = ""
    """Short name, or "" where the page names none."""
    local: bool = False


@dataclass(slots=True)
class Thing:
    """An invented entity with everything that is true of it."""

    id: str
    kind: str
    label: str
    title: str
    classes: tuple[str, ...]
    description: str = ""
    statements: list[Statement] = field(default_factory=list)
    told: dict[str, Value] = field(default_factory=dict)
    """Relations that only the article tells; they have no property in the dump."""
    labels: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, list[str]] = field(default_factory=dict)
    look: dict[str, Any] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    fame: float = 0.0
    start: int = 0
    """Year of birth, building, founding; 0 where none."""
    end: int = SNAPSHOT_YEAR
    woman: bool = False
    surname: str = ""
    article: bool = False

    def say(
        self, prop: str, value: "Thing | Value | str", *qualifiers: Qualifier, rank: str = "normal"
    ) -> None:
        """Adds a statement once; a string is an item's id."""
        value = value_of(value)
        if not any(s.property == prop and s.value == value for s in self.statements):
            self.statements.append(Statement(prop, value, qualifiers, rank))

    def values(self, prop: str) -> list[Value]:
        """Every value of a property, without deprecated ones and "novalue"; the preferred ones alone where there are any."""
        found = [
            s
            for s in self.statements
            if s.property == prop and s.rank != "deprecated" and s.value.kind != "novalue"
        ]
        best = [s for s in found if s.rank == "preferred"] or found
        return [s.value for s in best]

    def first(self, prop: str) -> str:
        """The first item that is a value of a property, or ""."""
        return next((v.entity for v in self.values(prop) if v.kind == "entity"), "")


def value_of(value: "Thing | Value | str") -> Value:
    """An item's id or a thing as a value; a value as it is."""
    if isinstance(value, Value):
        return value
    return Value(kind="entity", entity=value if isinstance(value, str) else value.id)


def year(number: int) -> Value:
    """A time of precision year."""
    return Value(kind="time", time=f"+{number:04d}-00-00T00:00:00Z", precision=9)


def day(date: datetime.date) -> Value:
    """A time of precision day."""
    return Value(kind="time", time=f"+{date.isoformat()}T00:00:00Z", precision=11)


def quantity(number: float, unit: str = "") -> Value:
    """A quantity in a unit named as in the vocabulary ("metre"), or without one."""
    return Value(kind="quantity", number=float(number), unit=UNITS[unit] if unit else "")


def string(text: str) -> Value:
    return Value(kind="string", text=text)


def monolingual(text: str, language: str = "en") -> Value:
    return Value(kind="monolingual", text=text, language=language)


def coordinate(latitude: float, longitude: float) -> Value:
    return Value(kind="coordinate", latitude=round(latitude, 5), longitude=round(longitude, 5))


def qualifier(prop: str, value: "Thing | Value | str") -> Qualifier:
    return Qualifier(property=prop, value=value_of(value))
