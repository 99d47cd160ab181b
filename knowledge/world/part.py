"""A part of the world while it is made: the nation, or one region with all its things.

A part's content depends only on the seed of the world and on the part's number and size. The things
of a part refer to things of the same part and of the nation, never to another region. Each part can
therefore be made without the others, and memory does not grow with the world.
"""

import datetime
import random
from collections.abc import Sequence
from typing import TypeVar

from questloom.knowledge.world import vocabulary
from questloom.knowledge.world.model import Thing, Value
from questloom.knowledge.world.names import NameSource
from questloom.records.identity import chance

T = TypeVar("T")
FIRST_ID = 900_000_001
IDS_PER_PART = 10_000
CLASS = vocabulary.class_ids()


class Part:
    """Holds the things of a part by kind, the source of the part's names, and the part's random
    generators.

    Args:
        seed: seed of the world.
        number: number of the part: 0 for the nation, 1… for the regions.
        num_parts: total number of parts, including the nation.
        size: number of articles of the part.
        nation: the part of the nation; None if this part is the nation.
    """

    def __init__(
        self, seed: int, number: int, num_parts: int, size: int, nation: "Part | None"
    ) -> None:
        self.seed, self.number, self.size = seed, number, size
        self.nation = nation or self
        self.names = NameSource(number, num_parts)
        self.things: dict[str, Thing] = {}
        self.by_kind: dict[str, list[Thing]] = {}
        self.titles: set[str] = set()
        self.region: Thing

    def rng(self, stage: str) -> random.Random:
        """The random generator for one stage of making the part."""
        return chance(self.seed, f"part-{self.number}", stage)

    def count(self, per_thousand: float) -> int:
        """Returns how many things of a kind the part gets, at least one. `per_thousand` is the
        number of things of the kind in a part with a thousand articles."""
        return max(1, round(per_thousand * self.size / 1000))

    def new(
        self,
        kind: str,
        label: str,
        class_name: str,
        *,
        fame: float = 1.0,
        hint: str = "",
        always: bool = False,
    ) -> Thing:
        """Makes a thing and adds it to the part.

        Args:
            kind: internal name of the kind of thing.
            label: name of the thing.
            class_name: English label of the thing's class.
            fame: how well known the thing is; better known things get articles and sitelinks.
            hint: words that distinguish the thing from another thing with the same label ("painter", "Vessmark").
            always: whether the title contains the hint even if the label is still free in this
                part; needed if other parts of the world may use the same label.
        """
        title = label
        if hint and (always or title in self.titles):
            title = f"{label} ({hint})"
        number = 2
        while title in self.titles:
            title = f"{label} ({hint or kind} {number})"
            number += 1
        self.titles.add(title)
        qid = f"Q{FIRST_ID + self.number * IDS_PER_PART + len(self.things)}"
        assert len(self.things) < IDS_PER_PART
        thing = Thing(qid, kind, label, title, (CLASS[class_name],), fame=fame)
        thing.say("P31", thing.classes[0])
        self.things[qid] = thing
        self.by_kind.setdefault(kind, []).append(thing)
        return thing

    def kind(self, *kinds: str) -> list[Thing]:
        """The part's things of the given kinds, in the order in which they were made."""
        return [t for k in kinds for t in self.by_kind.get(k, ())]

    def find(self, qid: str) -> Thing | None:
        """The thing with a given id, in this part or in the nation."""
        return self.things.get(qid) or self.nation.things.get(qid)

    def label(self, qid: str) -> str:
        """The English label of a thing or of a real item."""
        thing = self.find(qid)
        return thing.label if thing else vocabulary.labels().get(qid, qid)


def heavy(rng: random.Random, items: Sequence[T], power: float = 1.0) -> T:
    """A random item of a list. Early items are drawn far more often, so a few things get very many
    links."""
    return items[int(len(items) * rng.random() ** (1.0 + power))]


def some_day(rng: random.Random, first: int, last: int) -> datetime.date:
    """A random day in a range of years, including the first and the last year."""
    return datetime.date(rng.randint(first, max(first, last)), 1, 1) + datetime.timedelta(
        days=rng.randrange(365)
    )


def born(value: Value) -> int:
    """The year that a time value states."""
    year = value.year
    assert year is not None
    return year
