"""Which figure of a store the popularity prior uses, from which value on a thing counts as known, and whether any figure can tell.

Three figures say how well known a thing is: the wikis that have a page about it, the views of its pages, the pages that link to it. A figure tells only
where some things of the store reach the recipe's number and others do not. Where none reaches it (a store of one wiki's titles gives every thing 0 or 1
sitelinks) the prior would pass everything, and that would look like a filter that nothing fell to. Then it is not run, and says so.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from questloom.records.knowledge import Entity

FIGURES = {
    "sitelinks": "sitelinks",
    "page_views": "page views",
    "in_degree": "links from other pages",
}
"""In the order in which they are asked, with what people call them. Of 212 things that a released model was asked about, sitelinks told best which it knew
(`docs/measured.md`)."""


@dataclass(frozen=True, kw_only=True)
class Fame:
    """The figure that tells, and from where on a thing is known."""

    figure: str
    least: int
    partial: bool = False
    """The figure is stated beside the dumps, for some things only."""

    def knows(self, entity: Entity) -> bool | None:
        """Whether it is known by heart; None where nothing is stated about it."""
        value = figure_of(entity, self.figure)
        if value is not None and value >= self.least:
            return True
        return (
            None
            if value is None or (self.partial and not _is_stated(entity, self.figure))
            else False
        )


def figure_of(entity: Entity, figure: str) -> int | None:
    """One of `FIGURES` of an entity; None where nothing is stated."""
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
    """The first figure that tells known things from others; or in words why none does.

    Args:
        entities: of a store, all or an even sample.
        least: by figure, from where on a thing is known.
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
