"""The request for a gathering, and the counted members of its classes."""

from dataclasses import dataclass

MAX_CLASS = 100_000
"""Maximum size of a class that can be gathered; the query service cannot list a larger class within its time limit."""
MAX_CLASSES = 40
"""Maximum number of classes whose members are counted if the anchors are listed; the commonest classes come first."""


@dataclass(frozen=True, kw_only=True)
class GatherRequest:
    """The request: what to gather. One of class_id, ids, titles, category and query gives the anchors; `lacking`
    instead names classes to complete."""

    class_id: str = ""
    ids: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    titles_option: str = "--titles"
    """The command-line option that gave the titles, for error messages."""
    category: str = ""
    """A category of the Wikipedia, without the namespace."""
    category_depth: int = 2
    """The number of steps from the category to subcategories whose articles are anchors too. Large categories often
    hold only "by country" categories, so one step finds few articles; far subcategories are about other things."""
    query: str = ""
    """A SPARQL query that selects the items as ?item."""
    lacking: tuple[str, ...] = ()
    """Classes that an earlier gathering left incomplete."""
    limit: int = 500
    """Maximum number of anchors from the class, the category or the query."""
    depth: int = 2
    """The number of steps from an anchor along claims."""
    rivals: int = 2000
    """Maximum number of fetched members of a class. If a class has at most this many members, it is gathered whole."""
    language: str = "en"
    width: int = 960
    """Width in pixels of the fetched pictures."""
    views: int = 3
    """Maximum number of further pictures for each anchor; Commons states what its files depict."""
    all_pictures: bool = True
    """Whether to fetch the pictures of all reached things with an article; otherwise only the anchors' pictures."""
    page_views: bool = True
    """Whether to fetch the page views of the reached things' articles."""

    @property
    def wiki(self) -> str:
        return f"{self.language.replace('-', '_')}wiki"


@dataclass(frozen=True, kw_only=True)
class ClassCount:
    """The number of members of a class, as counted by the query service."""

    members: int
    listed: int
    """The number of members of a class that were gathered."""

    @property
    def is_whole(self) -> bool:
        return self.listed >= self.members
