"""The request of a gathering, and the counts of its classes."""

from dataclasses import dataclass

MAX_CLASS = 100_000
"""The size of the largest class that can be gathered, because the query service cannot list a larger class within its
time limit."""
MAX_CLASSES = 40
"""The most classes of listed anchors whose members are counted; the commonest classes come first."""


@dataclass(frozen=True, kw_only=True)
class GatherRequest:
    """What to gather. One of class_id, ids, titles, category and query gives the anchors; `lacking` names classes to
    complete instead."""

    class_id: str = ""
    ids: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    titles_option: str = "--titles"
    """The command's option that gave the titles, for error messages."""
    category: str = ""
    """A category of the Wikipedia, without the namespace; articles of subcategories are left out."""
    query: str = ""
    """A SPARQL query that selects the items as ?item."""
    lacking: tuple[str, ...] = ()
    """Classes that an earlier gathering left incomplete."""
    limit: int = 500
    """The most anchors of the class, the category or the query."""
    depth: int = 2
    """The number of steps from an anchor along claims."""
    rivals: int = 2000
    """The most members of a class that are fetched. A class with at most this many members is gathered whole."""
    language: str = "en"
    width: int = 960
    """Width of pictures in pixels."""
    views: int = 3
    """The most further pictures for each anchor; Commons states what its files depict."""
    all_pictures: bool = True
    """Whether to fetch the pictures of all reached things with an article; otherwise only the anchors' pictures."""

    @property
    def wiki(self) -> str:
        return f"{self.language.replace('-', '_')}wiki"


@dataclass(frozen=True, kw_only=True)
class ClassCount:
    """The members of a class, as the query service counts them."""

    members: int
    listed: int
    """The number of class members that were gathered."""

    @property
    def is_whole(self) -> bool:
        return self.listed >= self.members
