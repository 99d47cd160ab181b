"""Makes the functions of the filter stages, once a process: by the recipe's models, the local searches, or the oracle."""

from questloom.pipeline.recipe import Recipe
from questloom.pipeline.synth.filters_not_run import OFF
from questloom.pipeline.synth.global_steps import Loser, Surplus
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.needed_tools import tools_of_filter
from questloom.pipeline.synth.oracle_filter import make_oracle_filter
from questloom.pipeline.synth.solver_stages import (
    IMAGE_SEARCH,
    SOLVABLE,
    found_by_picture,
    found_by_text,
)
from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Question, Verdict, not_run
from questloom.transforms.filters.answer_in_question import answer_in_question
from questloom.transforms.filters.evidence_only import solvable
from questloom.transforms.filters.search_shortcuts import search_shortcut
from questloom.transforms.filters.visible_text import visible_text
from questloom.transforms.stages.stage import Apply, reject


def languages(recipe: Recipe) -> tuple[str, ...]:
    """Whose names count as leaks."""
    return tuple(dict.fromkeys((recipe.language, *recipe.certificate.languages)))


def make_answer_in_question(job: Job) -> Apply:
    store, names = job.store, languages(job.recipe)
    return lambda question: answer_in_question(question, store, names)


def make_duplicates(job: Job) -> Apply:
    verdict = (
        Verdict(filter="duplicates", passed=True, solver="keys")
        if job.recipe.filters.duplicates
        else not_run("duplicates", OFF)
    )

    def drop(question: Question, loser: Loser | None) -> Question | Rejection:
        if loser is not None:
            return reject(question, Reason.NEAR_DUPLICATE, {"of": loser.winner, "by": loser.by})
        return question.with_verdict(verdict)

    return drop


def make_quotas(job: Job) -> Apply:
    """What is on too many questions was found over all of them."""

    def drop(question: Question, surplus: Surplus | None) -> Question | Rejection:
        if surplus is not None:
            return reject(question, Reason.OVER_QUOTA, {"what": surplus.what})
        return question.with_verdict(Verdict(filter="quotas", passed=True, solver="counts"))

    return drop


def make_text_search(job: Job) -> Apply:
    store, names = job.store, languages(job.recipe)
    return lambda question: search_shortcut(
        question, found_by_text(job, question), store, names, filter="text_search"
    )


def make_image_search(job: Job) -> Apply:
    store, names = job.store, languages(job.recipe)
    if job.recipe.models.has_role(IMAGE_SEARCH.role):
        return IMAGE_SEARCH(job)
    return lambda question: search_shortcut(
        question, found_by_picture(job, question), store, names, filter="image_search"
    )


def make_solvable(job: Job) -> Apply:
    if job.recipe.models.has_role(SOLVABLE.role):
        return SOLVABLE(job)
    if tools_of_filter(job.recipe):
        return make_oracle_filter(job)
    store = job.store
    return lambda question: solvable(question, store)


def make_visible_text(job: Job) -> Apply:
    from questloom.models.ocr import (
        read_text,  # loads an inference engine: only where the stage runs
    )

    store, names = job.store, languages(job.recipe)

    def check(question: Question) -> Question | Rejection:
        picture = job.run.picture(question.image_id).read_bytes()
        return visible_text(question, picture, read_text, store, names)

    return check
