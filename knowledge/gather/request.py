"""The request for a gathering (a download of a part of Wikidata and Wikipedia), and the counted
members of its classes."""

from dataclasses import dataclass

MAX_CLASS = 100_000
"""Maximum size of a class that can be gathered; the query service cannot list a larger class within its time limit."""
MAX_CLASSES = 40
"""Maximum number of classes that are counted if the request lists the anchors. Classes with the
most anchors are counted first."""


@dataclass(frozen=True, kw_only=True)
class GatherRequest:
    """The request: what to gather. The anchors (things where questions start) come from one of
    class_id, ids, titles, category and query. A request with `lacking` or `ways` has no anchors; it
    fetches what an earlier gathering lacks."""

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
    ways: tuple[tuple[str, str], ...] = ()
    """(class, property): claims of the class's things lead to things that an earlier gathering lacks."""
    limit: int = 500
    """Maximum number of anchors from the class, the category or the query."""
    depth: int = 2
    """Maximum number of claims on the way from an anchor to a gathered thing."""
    rivals: int = 2000
    """Maximum number of fetched members of a class. A class with at most `rivals` members is
    gathered whole."""
    language: str = "en"
    width: int = 960
    """Width in pixels of the fetched pictures."""
    views: int = 3
    """Maximum number of further pictures for each anchor, which are files that depict the anchor
    according to Commons."""
    all_pictures: bool = True
    """Whether to fetch pictures of all reached things with an article; if False, only pictures of
    the anchors are fetched."""
    page_views: bool = True
    """Whether to fetch the page views of the reached things' articles."""

    @property
    def completes(self) -> bool:
        """Whether the request completes an earlier gathering."""
        return bool(self.lacking or self.ways)

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
