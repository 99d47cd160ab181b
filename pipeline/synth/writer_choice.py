"""Makes the writer that a recipe names."""

from questloom.pipeline.recipe import Recipe
from questloom.pipeline.synth.job import Job
from questloom.records.errors import InputError
from questloom.transforms.writing.graph.english import English
from questloom.transforms.writing.graph.graph_writer import GraphWriter
from questloom.transforms.writing.llm.llm_writer import LlmWriter

WRITERS = ("graph", "llm")


def check_writer(recipe: Recipe) -> None:
    """Refuses a writer that does not exist, or an llm writer without a model, before work starts."""
    if recipe.writer not in WRITERS:
        raise InputError(
            f"recipe key writer: {recipe.writer}",
            "is no writer",
            f"Use one of {', '.join(WRITERS)}.",
        )
    if recipe.writer == "llm" and not recipe.models.has_role("word_plan"):
        raise InputError(
            "recipe key models.roles",
            "names no model for the llm writer",
            "Give a role 'default' with endpoint and model.",
        )


def make_writer(job: Job) -> GraphWriter | LlmWriter:
    """The writer for the store. The llm writer uses the run's chat client to word questions and to
    read the wording back."""
    recipe = job.recipe
    check_writer(recipe)
    if recipe.writer == "llm":
        return LlmWriter(
            job.client("draft"),
            job.store,
            recipe.models.llm,
            recipe.draft.max_words,
            recipe.language,
        )
    return GraphWriter(English(job.store, recipe.seed, recipe.language))
