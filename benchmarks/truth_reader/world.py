"""Reads truth.jsonl into a small database of everything that is true of the fictional world,
indexed by subject and by value.
"""

import hashlib
import json
import re
from collections import defaultdict
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

Date = tuple[int, int, int]
"""A year, a month and a day. The month or the day is 0 if it is not known."""
WHERE = ("P131", "P276", "P706", "P17", "P30")
"""The properties whose value is the place directly around a thing."""


@dataclass(frozen=True)
class Number:
    """A quantity with its unit. The unit is the id of an item, or ""."""

    number: float
    unit: str = ""


@dataclass(frozen=True)
class Text:
    """A string value."""

    text: str


Literal = Date | Number | Text


@dataclass
class Thing:
    """One line of truth.jsonl."""

    id: str
    label: str
    names: tuple[str, ...]
    """The label and the aliases, in all languages."""
    classes: frozenset[str]
    """The labels of all classes of the thing, including the superclasses."""
    items: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))
    literals: dict[str, list[Literal]] = field(default_factory=lambda: defaultdict(list))
    details: list[dict] = field(default_factory=list)
    pictures: tuple[str, ...] = ()


def century_of(year: int) -> tuple[int]:
    """Returns the century of a year in words. The year 1700 belongs to the 17th century, and 44 BC
    belongs to the 1st century BC.

    >>> century_of(1642), century_of(1700), century_of(-44)
    ((17,), (17,), (-1,))
    """
    number = (abs(year) - 1) // 100 + 1
    return (number if year > 0 else -number,)


def literal_of(key: str) -> Literal | None:
    """Returns the literal that a value's key describes. Returns None if the value is no literal.

    Examples of keys are "time:+1832-05/10", "quantity:35:Q11573" and "string::No. 5".

    >>> literal_of("time:+1832-05/10"), literal_of("quantity:8.6:Q11573")
    ((1832, 5, 0), Number(number=8.6, unit='Q11573'))
    """
    kind, _, rest = key.partition(":")
    if kind == "time":
        digits, _, precision = rest.rpartition("/")
        if int(precision) < 9:
            return None
        year, month, day = (int(x) for x in [*digits[1:].split("-"), "0", "0"][:3])
        return (-year if digits[0] == "-" else year, month, day)
    if kind == "quantity":
        number, _, unit = rest.partition(":")
        return Number(float(number), unit)
    if kind in ("string", "monolingual"):
        return Text(rest.partition(":")[2])
    return None


class Truth:
    """The truth of the fictional world. Some values, such as a colour or a material, have no line
    of their own in the file. The class adds a thing that has only a label for every value without a
    line of its own.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.things: dict[str, Thing] = {}
        self.into: dict[tuple[str, str], list[str]] = defaultdict(list)
        """The subjects of each property and value, by the property and the value's id."""
        self.articles: dict[str, str] = {}
        """The things by the title of their article."""
        self.shown: dict[str, set[str]] = defaultdict(set)
        """For each picture file, the things that the picture shows. A logo, flag or map counts as a
        picture of its thing.
        """
        others: dict[str, str] = {}
        with open(folder / "truth.jsonl", encoding="utf-8") as lines:
            for line in lines:
                self._add(json.loads(line), others)
        for id_, label in others.items():
            if id_ not in self.things:
                self.things[id_] = Thing(id_, label, (label,), frozenset())

    def _add(self, row: dict, others: dict[str, str]) -> None:
        names = (
            row["label"],
            *row["labels"].values(),
            *(a for found in row["aliases"].values() for a in found),
        )
        thing = Thing(
            row["id"],
            row["label"],
            tuple(dict.fromkeys(names)),
            frozenset(row["class_labels"]),
            details=row["details"],
            pictures=tuple(row["pictures"]),
        )
        for prop, key, label, best in row["claims"]:
            if not best:
                continue
            if re.fullmatch(r"Q\d+", key):
                thing.items[prop].append(key)
                self.into[prop, key].append(row["id"])
                others.setdefault(key, label)
            elif key.startswith("commons_media::"):
                self.shown[key.removeprefix("commons_media::")].add(row["id"])
            elif (value := literal_of(key)) is not None:
                thing.literals[prop].append(value)
        for file in row["pictures"]:
            self.shown[file].add(row["id"])
        if row["article"]:
            self.articles[row["article"]] = row["id"]
        self.things[row["id"]] = thing

    def id_of(self, id_: str) -> str:
        """Replaces an id that was made from an article, such as "enwiki:Title", by the thing's own
        id. Other ids stay unchanged.
        """
        wiki, colon, title = id_.partition(":")
        return self.articles.get(title, id_) if colon and wiki.endswith("wiki") else id_

    @cached_property
    def by_label(self) -> dict[str, set[str]]:
        """All things, by their labels."""
        found: dict[str, set[str]] = defaultdict(set)
        for thing in self.things.values():
            found[thing.label].add(thing.id)
        return found

    @cached_property
    def class_labels(self) -> set[str]:
        return {label for thing in self.things.values() for label in thing.classes}

    @cached_property
    def occupations(self) -> set[str]:
        """The labels of all occupations of people."""
        return {self.things[v].label for prop, v in self.into if prop == "P106"}

    @cached_property
    def files(self) -> dict[str, frozenset[str]]:
        """For each sha256 (a question's `source_image_id`), the names of the files that contain
        these bytes.
        """
        found: dict[str, set[str]] = defaultdict(set)
        for file in sorted(self.shown):
            path = self.folder / "images" / file
            if path.exists():
                found[hashlib.sha256(path.read_bytes()).hexdigest()].add(file)
        return {image: frozenset(files) for image, files in found.items()}

    def shows(self, files: frozenset[str]) -> set[str]:
        """The things that a picture shows. The picture may have several file names."""
        return {e for file in files for e in self.shown.get(file, ())}

    def places_of(self, id_: str, *, beyond: bool = True) -> set[str]:
        """Returns the places that a thing's claims name. If `beyond` is True, the result also
        contains the larger places around each of these places.
        """
        found: set[str] = set()
        waiting = [id_]
        while waiting:
            items = self.things[waiting.pop()].items
            new = {p for prop in WHERE for p in items.get(prop, ())} - found
            found |= new
            waiting.extend(p for p in new if beyond)
        return found

    @cached_property
    def contents(self) -> dict[str, set[str]]:
        """For each place, all things inside it, including the things inside its smaller places."""
        return self._contents(True)

    @cached_property
    def direct_contents(self) -> dict[str, set[str]]:
        """For each place, the things whose own claims name the place."""
        return self._contents(False)

    def _contents(self, beyond: bool) -> dict[str, set[str]]:
        found: dict[str, set[str]] = defaultdict(set)
        for id_ in self.things:
            for place in self.places_of(id_, beyond=beyond):
                found[place].add(id_)
        return found

    def related(self, id_: str, relation: str, *, beyond: bool = True) -> set[str]:
        """The things to which a relation of the lexicon leads from a given thing.

        Args:
            id_: id of the given thing.
            relation: a relation such as ">P84 >P287", "<P19" or "@in".
            beyond: whether "@in" includes smaller places inside the place.
        """
        found: set[str] = set()
        for part in relation.split():
            if part == "@in":
                found |= self.places_of(id_, beyond=beyond)
            elif part == "@in^":
                found |= (self.contents if beyond else self.direct_contents).get(id_, set())
            elif part == "@hq":
                found |= self._seats(id_, beyond)
            elif part == "@hq^":
                found |= {e for e in self._all_with("P159") if id_ in self._seats(e, beyond)}
            elif part[0] == ">":
                found.update(self.things[id_].items.get(part[1:], ()))
            else:
                assert part[0] == "<", f"unknown relation {part}"
                found.update(self.into.get((part[1:], id_), ()))
        return found

    def _seats(self, id_: str, beyond: bool) -> set[str]:
        found = set(self.things[id_].items.get("P159", ()))
        return found | {p for place in found for p in self.places_of(place)} if beyond else found

    def _all_with(self, prop: str) -> list[str]:
        return [t.id for t in self.things.values() if prop in t.items]
