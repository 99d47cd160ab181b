"""What is to be gathered, and how whole a class was gathered."""

from dataclasses import dataclass

MAX_CLASS = 100_000
"""Members beyond which the query service gives no sorted list in its time, and a slice is no slice any more."""
MAX_CLASSES = 40
"""Classes of listed anchors whose members are counted, the commonest first."""


@dataclass(frozen=True, kw_only=True)
class GatherRequest:
    """What is to be gathered: the anchors by one of class_id, ids, titles, category and query, or what an earlier gathering lacks."""

    class_id: str = ""
    ids: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    titles_option: str = "--titles"
    """Which option gave the titles, for messages."""
    category: str = ""
    """Of the Wikipedia, without its namespace; articles of its subcategories do not count."""
    query: str = ""
    """In SPARQL: the items that it selects as ?item."""
    lacking: tuple[str, ...] = ()
    """Classes of which it has not all members."""
    limit: int = 500
    """Most anchors of the class, the category or the query."""
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
