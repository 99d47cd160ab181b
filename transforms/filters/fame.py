"""Chooses a measure of fame for a store, and the least value at which a thing counts as known. The
popularity prior (a stand-in for a model) uses the measure.

Three figures measure how well known a thing is: the number of wikis with a page about the thing, of
views of its pages, and of pages that link to it. A figure is useful only if some things of the
store reach the recipe's threshold and others do not. In a store of one wiki's titles, for example,
every thing has 0 or 1 sitelinks. Without a useful figure the prior would let every question pass.
The filter therefore does not run without a useful figure, and a notice says so.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from questloom.records.knowledge import Entity

FIGURES = {
    "sitelinks": "sitelinks",
    "page_views": "page views",
    "in_degree": "links from other pages",
}
"""The figures in the order of preference, each with its name in messages. Of the three figures,
sitelinks predicted best which of 212 things a released model knew (`docs/measured.md`)."""


@dataclass(frozen=True, kw_only=True)
class Fame:
    """The figure in use, and the least value at which a thing counts as known."""

    figure: str
    least: int
    partial: bool = False
    """Whether the figure comes from a popularity file and covers only some things."""

    def knows(self, entity: Entity) -> bool | None:
        """Whether the entity counts as known by heart; None where the figure of the entity is missing."""
        value = figure_of(entity, self.figure)
        if value is not None and value >= self.least:
            return True
        return (
            None
            if value is None or (self.partial and not _is_stated(entity, self.figure))
            else False
        )


def figure_of(entity: Entity, figure: str) -> int | None:
    """The value of one of the `FIGURES` for an entity; None where the store has no value."""
    match figure:
        case "sitelinks":
            return entity.num_sitelinks
        case "page_views":
            return entity.popularity.page_views if entity.popularity else None
        case _:
            return entity.in_degree


def _is_stated(entity: Entity, figure: str) -> bool:
    return entity.popularity is not None and getattr(entity.popularity, figure, None) is not None


def fame_of(entities: Iterable[Entity], least: Mapping[str, int]) -> Fame | str:
    """The first figure that separates known things from other things. If no figure separates known
    things from others, the result is a text with the reason.

    Args:
        entities: the entities of a store, all or an even sample.
        least: for each figure, the least value at which a thing counts as known.
    """
    num, most, partial = 0, dict[str, int](), set[str]()
    reached: dict[str, set[bool]] = {figure: set() for figure in FIGURES}
    for entity in entities:
        num += 1
        for figure in FIGURES:
            value = figure_of(entity, figure)
            if value is not None:
                most[figure] = max(value, most.get(figure, 0))
                reached[figure].add(value >= least[figure])
                if _is_stated(entity, figure):
                    partial.add(figure)
    for figure in FIGURES:
        if len(reached[figure]) == 2:
            return Fame(figure=figure, least=least[figure], partial=figure in partial)
    if not num:
        return "the store has no things"
    told = [
        f"no {words} are stated"
        if figure not in most
        else f"all have {least[figure]:,} {words} or more"
        if reached[figure] == {True}
        else f"none has {least[figure]:,} {words} (the most is {most[figure]:,})"
        for figure, words in FIGURES.items()
    ]
    return f"of {num:,} things of the store {'; '.join(told)}"
