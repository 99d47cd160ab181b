"""Brings external data sets into the main job. Each row of an external data set becomes a seed. The
stages before the filters treat these seeds differently, since their questions exist already."""

from collections.abc import Callable, Iterator
from typing import Any

from questloom.files.parquet import write_whole
from questloom.pipeline.synth.job import Job
from questloom.records.errors import InputError
from questloom.records.outcomes import Rejection
from questloom.records.plan import PlannedSeed, Preference
from questloom.records.synthesis import Question, Seed
from questloom.transforms.external.outside_rows import (
    METHOD,
    Source,
    open_source,
    picture_of,
    question_of,
)
from questloom.transforms.pictures.choose import read_hashes
from questloom.transforms.stages.stage import Apply


def open_sources(job: Job) -> dict[str, Source]:
    """The external data sets of a job's recipe, by name. Each process opens a data set only once.

    Raises:
        InputError: a data set cannot be read, or two data sets have the same name.
    """
    found: dict[str, Source] = {}
    for rules in job.recipe.external:
        if rules.source in found:
            raise InputError(
                f"recipe key external, {rules.path}",
                f"another source is called {rules.source!r} too",
                "Give one of them a name.",
            )
        found[rules.source] = job.opened.once(
            ("outside rows", rules),
            lambda rules=rules: open_source(rules),  # type: ignore[misc]
        )
    return found


def outside_seeds(job: Job) -> Iterator[Seed]:
    """Makes one seed for each row of the external data sets. The run can then report, for every
    row, whether the row was kept or why it was rejected."""
    for source in open_sources(job).values():
        yield from map(source.seed, range(len(source)))


def drafting_outside(job: Job, drafter: Callable[..., Any]) -> Apply:
    """What the draft stage does with a seed, if the recipe names external data sets. A row of an
    external data set needs no drafting, since it is a question already."""
    sources = open_sources(job)

    async def draft(planned: PlannedSeed, preference: Preference | None) -> Question | Rejection:
        seed = planned.seed
        if seed.method != METHOD:
            return await drafter(planned, preference)
        return question_of(seed, *_place(sources, seed.entity_id), job.recipe.language)

    return draft


def outside_picture(job: Job) -> Callable[[Question], Question | Rejection]:
    """What the picture stage does with a question from an external data set. The question's own
    picture is checked like every other picture."""
    recipe = job.recipe
    sources, excluded = open_sources(job), read_hashes(recipe.filters.exclude_pictures)

    def take(question: Question) -> Question | Rejection:
        made = picture_of(
            question, *_place(sources, question.seed_entity), recipe.pictures, excluded
        )
        if isinstance(made, Rejection):
            return made
        write_whole(job.run.picture(made[1].id), made[1].data)
        return made[0]

    return take


def external_first(external: Callable[[Question], Any], own: Callable[[Question], Any]) -> Apply:
    """Combines two functions for a stage. Questions from external data sets go to the first
    function, and all other questions go to the second."""
    return lambda question: external(question) if question.method == METHOD else own(question)


def source_picture(job: Job, question: Question) -> bytes:
    """The question's picture before the run degraded it. The undegraded picture is the file in the
    store. For a question from an external data set, the undegraded picture is the picture as shown.
    """
    if question.method == METHOD:
        return job.run.picture(question.source_image_id).read_bytes()
    return job.store.image_bytes(question.source_image_id)


def _place(sources: dict[str, Source], entity_id: str) -> tuple[Source, int]:
    name, _, number = entity_id.rpartition(":")
    return sources[name], int(number)
