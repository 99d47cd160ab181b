"""Decides whether the popularity prior (a stand-in that knows famous things) can replace the model
of `text_only` or `no_tools`, and by which measure of fame."""

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from questloom.transforms.filters.filter import FilterJob

if TYPE_CHECKING:
    from questloom.knowledge.store.store import Store
    from questloom.records.knowledge import Entity
    from questloom.transforms.filters.fame import Fame

FIX = (
    "Name models for the roles answer_text_only and answer_direct; or ingest again with --popularity FILE; or set filters.popular_sitelinks, "
    "popular_page_views or popular_in_degree to what the store has"
)
REMEDIES = (("filters.popular_sitelinks", -1), ("filters.samples", 1))
"""The changes that the closed loop tries after the filter's switch."""
LOOKED_AT = 200_000
"""Number of entities that are read to check whether a measure of fame is useful. The check takes a
second and a half. Among 200,000 entities of Wikidata, about eighty have fifty sitelinks."""
BLOCK = 1_000


def prior_of(job: FilterJob, role: str) -> "Fame | str | None":
    """The measure of fame with which the popularity prior replaces the model of a role. None if the
    recipe names a model. If the prior cannot work, the result is a text with the reason."""
    from questloom.transforms.filters.fame import Fame, fame_of

    filters = job.recipe.filters
    if job.recipe.models.has_role(role):
        return None
    least = {
        "sitelinks": filters.popular_sitelinks,
        "page_views": filters.popular_page_views,
        "in_degree": filters.popular_in_degree,
    }
    fame = job.opened.once(
        ("fame", job.store_path, *least.values()), lambda: fame_of(_sample(job.store), least)
    )
    return (
        fame
        if isinstance(fame, Fame)
        else f"no model answers, and no figure tells what is known by heart: {fame}"
    )


def why_no_prior(job: FilterJob, role: str) -> str:
    """The reason why neither a model nor the prior can decide; "" where one of them can."""
    fame = prior_of(job, role)
    return fame if isinstance(fame, str) else ""


def describe_prior(job: FilterJob, role: str) -> str:
    """The measure of fame in words, if the popularity prior replaces a model; otherwise ""."""
    from questloom.transforms.filters.fame import FIGURES, Fame

    fame = prior_of(job, role)
    if not isinstance(fame, Fame):
        return ""
    return f"without a model: what is claimed of well-known things ({fame.least:,} {FIGURES[fame.figure]} or more) counts as known without a search"


def _sample(store: "Store") -> "Iterator[Entity]":
    """All entities of a small store, or about `LOOKED_AT` entities in evenly spread blocks of a
    large one."""
    num_rows = store.num_rows("entities")
    for start in range(0, num_rows, BLOCK)[:: max(1, math.ceil(num_rows / LOOKED_AT))]:
        yield from store.scan_entities(start, min(start + BLOCK, num_rows))
