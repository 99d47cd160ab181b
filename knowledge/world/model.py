"""The data model of the fictional world: things, and the true statements about them."""

import datetime
from dataclasses import dataclass, field
from typing import Any

from questloom.knowledge.world import vocabulary
from questloom.records.knowledge import Qualifier, Value

SNAPSHOT_YEAR = 2024
UNITS = vocabulary.groups()["unit"]


@dataclass(slots=True)
class Statement:
    """A true statement about a thing, or a deprecated statement that was once thought true.

    With `unknown_in_dump`, the dump gives the value as "somevalue", and only the file truth.jsonl
    states the value.
    """

    property: str
    value: Value
    qualifiers: tuple[Qualifier, ...] = ()
    rank: str = "normal"
    unknown_in_dump: bool = False


@dataclass(slots=True)
class Mark:
    """A detail that is visible only close up, and is the same on all pictures of a thing.

    `part` is the Wikidata id of the part that carries the mark, such as a plaque. `property` is P1684 (text), P1114
    (count) or P462 (colour).
    """

    part: str
    property: str
    value: Value
    readable: str


@dataclass(slots=True)
class Picture:
    """Describes one picture file: the thing that the picture shows, and the view. The drawing
    depends only on the picture's and the thing's fields."""

    file: str
    subject: str
    view: int
    kind: str = "photo"
    """The kind of the picture: photo, flag, arms, map, logo, tiny, copy, vector or sketch. Recipes should refuse all
    kinds except photo and sketch. A sketch is a picture of the learning world."""
    width: int = 704
    height: int = 528
    marks: tuple[int, ...] = ()
    """Indices of those marks of the thing that the picture shows."""
    licence: str = ""
    """Short name of the licence; "" if the page names no licence."""
    local: bool = False


@dataclass(slots=True)
class Thing:
    """An invented entity with all true statements about it."""

    id: str
    kind: str
    label: str
    title: str
    classes: tuple[str, ...]
    description: str = ""
    statements: list[Statement] = field(default_factory=list)
    told: dict[str, Value] = field(default_factory=dict)
    """Relations that only the thing's article states, because Wikidata has no property for them."""
    labels: dict[str, str] = field(default_factory=dict)
    aliases: dict[str, list[str]] = field(default_factory=dict)
    look: dict[str, Any] = field(default_factory=dict)
    marks: list[Mark] = field(default_factory=list)
    pictures: list[Picture] = field(default_factory=list)
    fame: float = 0.0
    start: int = 0
    """The year of birth, construction or founding; 0 if the thing has none."""
    end: int = SNAPSHOT_YEAR
    woman: bool = False
    surname: str = ""
    article: bool = False

    def say(
        self, prop: str, value: "Thing | Value | str", *qualifiers: Qualifier, rank: str = "normal"
    ) -> None:
        """Adds a statement to the thing, unless the thing already has it. A value that is a string is read as an item's
        id."""
        value = value_of(value)
        if not any(s.property == prop and s.value == value for s in self.statements):
            self.statements.append(Statement(prop, value, qualifiers, rank))

    def values(self, prop: str) -> list[Value]:
        """The values of a property, without deprecated values and "novalue". If the property has
        preferred values, only the preferred values are returned."""
        found = [
            s
            for s in self.statements
            if s.property == prop and s.rank != "deprecated" and s.value.kind != "novalue"
        ]
        best = [s for s in found if s.rank == "preferred"] or found
        return [s.value for s in best]

    def first(self, prop: str) -> str:
        """The first item among the values of a property; "" if there is none."""
        return next((v.entity for v in self.values(prop) if v.kind == "entity"), "")


def value_of(value: "Thing | Value | str") -> Value:
    """Turns an item's id, or a thing, into a value; a value stays unchanged."""
    if isinstance(value, Value):
        return value
    return Value(kind="entity", entity=value if isinstance(value, str) else value.id)


def year(number: int) -> Value:
    """A time value with the precision of a year."""
    return Value(kind="time", time=f"+{number:04d}-00-00T00:00:00Z", precision=9)


def day(date: datetime.date) -> Value:
    """A time value with the precision of a day."""
    return Value(kind="time", time=f"+{date.isoformat()}T00:00:00Z", precision=11)


def quantity(number: float, unit: str = "") -> Value:
    """A quantity. `unit` is a unit's name from the vocabulary ("metre"), or "" for a bare number."""
    return Value(kind="quantity", number=float(number), unit=UNITS[unit] if unit else "")


def string(text: str) -> Value:
    return Value(kind="string", text=text)


def monolingual(text: str, language: str = "en") -> Value:
    return Value(kind="monolingual", text=text, language=language)


def coordinate(latitude: float, longitude: float) -> Value:
    return Value(kind="coordinate", latitude=round(latitude, 5), longitude=round(longitude, 5))


def qualifier(prop: str, value: "Thing | Value | str") -> Qualifier:
    return Qualifier(property=prop, value=value_of(value))
