"""The writer that a recipe names."""

from collections.abc import Callable

from questloom.knowledge.search import TextSearch
from questloom.pipeline.recipe import Recipe
from questloom.pipeline.synth.job import Job
from questloom.records.errors import InputError
from questloom.transforms.drafting.accept import Accept
from questloom.transforms.drafting.exploration.exploring import Exploration
from questloom.transforms.drafting.seeds import may_be_shown
from questloom.transforms.pictures.choose import showable
from questloom.transforms.writing.graph.english import English
from questloom.transforms.writing.graph.graph_writer import GraphWriter
from questloom.transforms.writing.llm.llm_explorer import LlmExplorer
from questloom.transforms.writing.llm.llm_writer import LlmWriter
from questloom.transforms.writing.writer import Writer

WRITERS = ("graph", "llm")
NUM_FOUND = 4


def check_writer(recipe: Recipe) -> None:
    """Refuses a writer that does not exist, or an llm writer without a model, before work starts."""
    if recipe.writer not in WRITERS:
        raise InputError(
            f"recipe key writer: {recipe.writer}",
            "is no writer",
            f"Use one of {', '.join(WRITERS)}.",
        )
    if recipe.writer == "llm" and not recipe.models.has_role("seed_question"):
        raise InputError(
            "recipe key models.roles",
            "names no model for the llm writer",
            "Give a role 'default' with endpoint and model.",
        )


def found_by_text(searches: TextSearch) -> Callable[[str], str]:
    """What a text search for a question finds, for those who vote on it."""
    return lambda question: "\n\n".join(
        f"{hit.passage.title}: {hit.passage.text}" for hit in searches.search(question, NUM_FOUND)
    )


def make_writer(job: Job) -> Writer:
    """The writer, over the store and (for llm) the run's chat client."""
    recipe, store = job.recipe, job.store
    check_writer(recipe)
    if recipe.writer == "llm":
        judge = Accept(facts=job.lookups, rules=recipe.certificate)
        return LlmWriter(
            job.client("draft"),
            store,
            recipe.models.llm,
            recipe.draft.max_answer_words,
            recipe.language,
            judge=judge,
            search=found_by_text(TextSearch(store)),
        )
    return make_composer(job)


def make_composer(job: Job) -> GraphWriter:
    """The graph writer: the writer of a recipe without a model, and what an exploration by a model describes its nodes by."""
    recipe = job.recipe
    rules = recipe.draft
    return GraphWriter(
        facts=job.lookups,
        english=English(job.store, recipe.seed, recipe.language),
        recipe_seed=recipe.seed,
        max_clauses=rules.max_clauses,
        max_answer_words=rules.max_answer_words,
        drafts=rules.drafts,
        detail_share=rules.detail_share,
        computation_share=rules.computation_share,
        max_hub=rules.max_hub,
        min_views=2 if recipe.pictures.withhold_own else 1,
    )


def make_exploration(job: Job, writer: Writer) -> Exploration | None:
    """The driver of explorations by a model; None where the writer words whole plans."""
    if not isinstance(writer, LlmWriter):
        return None
    recipe, store, composer = job.recipe, job.store, make_composer(job)

    def shown(entity_id: str) -> bool:
        entity = store.entity(entity_id)
        return (
            entity is not None
            and may_be_shown(store, entity, recipe.seeds.living_people)
            and bool(showable(store.images_of(entity_id), recipe.pictures))
        )

    explorer = LlmExplorer(
        writer.client,
        writer.store,
        writer.rules,
        writer.max_answer_words,
        writer.language,
        writer.judge,
        writer.search,
    )
    return Exploration(
        facts=job.lookups,
        explorer=explorer,
        composer=composer,
        writer=writer,
        accept=Accept(job.lookups, recipe.certificate, recipe.draft.own_page),
        rules=recipe.draft,
        shown=shown,
        recipe_seed=recipe.seed,
    )
