"""Filters that a run will not run, and why: known before it starts, told in terminal, plan, report and card, and stored as a verdict that is no pass."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from questloom.knowledge.store.store import Store
from questloom.pipeline.synth.job import Job
from questloom.records.knowledge import Entity
from questloom.records.synthesis import not_run
from questloom.transforms.filters.fame import FIGURES, Fame, fame_of
from questloom.transforms.stages.stage import Apply

SWITCHES = (
    "answer_in_question",
    "duplicates",
    "text_search",
    "image_search",
    "text_only",
    "no_tools",
    "solvable",
    "visible_text",
)
"""The filters that a recipe can switch off; their stages have the same names."""
OFF = "switched off in the recipe"
PRIOR_ROLES = {"text_only": "answer_text_only", "no_tools": "answer_direct"}
"""The filters that go by the popularity prior where no model has the role."""
FIX = (
    "Name models for the roles answer_text_only and answer_direct; or ingest again with --popularity FILE; or set filters.popular_sitelinks, "
    "popular_page_views or popular_in_degree to what the store has"
)
LOOKED_AT = 200_000
"""Entities that are looked at to see whether a figure tells: a second and a half. Of all of Wikidata's some eighty have fifty sitelinks then."""
BLOCK = 1_000


@dataclass(frozen=True)
class NotRun:
    """The factory of a filter that is not run."""

    name: str
    why: str = OFF

    def __call__(self, job: Any) -> Apply:
        return lambda question: question.with_verdict(not_run(self.name, self.why))


def filters_not_run(job: Job) -> dict[str, str]:
    """The filters that the job's recipe and store leave out, by name, and why."""
    filters = job.recipe.filters
    found = {name: OFF for name in SWITCHES if not getattr(filters, name)}
    for name in PRIOR_ROLES:
        if name not in found and isinstance(fame := prior_of(job, name), str):
            found[name] = fame
    return found


def prior_of(job: Job, name: str) -> Fame | str | None:
    """What the popularity prior goes by where it stands in for a filter's model; in words why it cannot; None where a model answers."""
    filters = job.recipe.filters
    if job.recipe.models.has_role(PRIOR_ROLES[name]):
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


def told_before(job: Job) -> list[str]:
    """What the user is told of filters before they run: which are not run and why, and what the popularity prior goes by."""
    left_out, lines = filters_not_run(job), []
    for why in dict.fromkeys(left_out.values()):
        lines.append(
            f"not run: {', '.join(name for name in left_out if left_out[name] == why)} ({why})"
        )
    if any(name in PRIOR_ROLES and why != OFF for name, why in left_out.items()):
        lines.append(FIX)
    fames = {
        name: fame
        for name in PRIOR_ROLES
        if name not in left_out and isinstance(fame := prior_of(job, name), Fame)
    }
    if fames:  # by one figure, as they are of one store
        fame = next(iter(fames.values()))
        lines.append(
            f"{', '.join(fames)} without a model: a stand-in knows by heart the claims of things with {fame.least:,} {FIGURES[fame.figure]} or more"
        )
    return lines


def _sample(store: Store) -> Iterator[Entity]:
    """All entities of a store, or even blocks of so many as are looked at."""
    num_rows = store.num_rows("entities")
    for start in range(0, num_rows, BLOCK)[:: max(1, math.ceil(num_rows / LOOKED_AT))]:
        yield from store.scan_entities(start, min(start + BLOCK, num_rows))
