"""What is to be gathered, and how whole a class was gathered."""

from dataclasses import dataclass
from typing import NamedTuple

MAX_CLASS = 100_000
"""Members beyond which the query service gives no sorted list in its time, and a slice is no slice any more."""
MAX_CLASSES = 40
"""Classes of listed anchors whose members are counted, the commonest first."""


class Lack(NamedTuple):
    """Something that an earlier gathering is without, as a planner names it."""

    kind: str
    """"class": its count and its members; "rival": one thing."""
    id: str
    property: str = ""
    """Of the rival: the claim whose values are wanted."""


@dataclass(frozen=True, kw_only=True)
class GatherRequest:
    """What is to be gathered. One of class_id, ids and titles says which things are the anchors; lacks complete an earlier gathering."""

    class_id: str = ""
    ids: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    lacks: tuple[Lack, ...] = ()
    limit: int = 500
    """Anchors of the class."""
    depth: int = 2
    """Steps from an anchor along claims."""
    rivals: int = 2000
    """A class with no more members is gathered whole; of a larger one so many."""
    language: str = "en"
    width: int = 960
    """Of pictures, in pixels."""
    views: int = 3
    """Most further pictures of each anchor, by what Commons says that its files depict."""
    all_pictures: bool = True
    """Also those of things on the way that have an article; otherwise the anchors' alone."""

    @property
    def wiki(self) -> str:
        return f"{self.language.replace('-', '_')}wiki"


@dataclass(frozen=True, kw_only=True)
class ClassCount:
    """A class, as the query service counts it."""

    members: int
    listed: int
    """Of them, how many were gathered."""

    @property
    def is_whole(self) -> bool:
        return self.listed >= self.members
