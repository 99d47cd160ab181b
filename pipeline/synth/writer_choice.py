"""Makes the writer that a recipe names, and the reader that checks the writer's words."""

import json

from questloom.pipeline.recipe import Recipe
from questloom.pipeline.synth.job import Job
from questloom.records.errors import InputError
from questloom.transforms.writing.custom import CustomWriter, custom_extension, custom_writer
from questloom.transforms.writing.german.writer import GermanWriter
from questloom.transforms.writing.graph.english import English
from questloom.transforms.writing.graph.graph_writer import GraphWriter
from questloom.transforms.writing.llm.llm_writer import LlmWriter
from questloom.transforms.writing.llm.relation_words import LANGUAGE
from questloom.transforms.writing.rule_reader import RuleReader
from questloom.transforms.writing.writer import Reader, Writer
from questloom.transforms.writing.writer_names import GERMAN, LLM, WRITER_KEY, WRITERS

READER = "check_words"


def check_writer(recipe: Recipe) -> None:
    """Raises an error, before work starts, if the writer does not exist or if its model is not
    configured."""
    if recipe.own_writer:
        custom_extension(recipe.own_writer)
        if recipe.language != LANGUAGE and not recipe.models.has_role(READER):
            raise InputError(
                "recipe key models.roles",
                f"names no model that reads words in the language {recipe.language}; rules prove English ones only",
                f"Give a role {READER!r} or 'default' with endpoint and model.",
            )
    elif recipe.writer not in WRITERS:
        raise InputError(
            f"{WRITER_KEY}: {recipe.writer}",
            "is no writer",
            f"Use one of {', '.join(WRITERS)}; or MODULE:NAME, or an installed entry point of questloom.writers.",
        )
    if recipe.writer == LLM and not recipe.models.has_role("word_plan"):
        raise InputError(
            "recipe key models.roles",
            "names no model for the llm writer",
            "Give a role 'default' with endpoint and model.",
        )


def describe_writer(recipe: Recipe) -> str:
    """Names the recipe's writer if it comes from another package, and says what checks its words.
    For a built-in writer, returns ""."""
    if not recipe.own_writer:
        return ""
    read = "rules and a model" if recipe.models.has_role(READER) else "rules alone, and no model,"
    identity = custom_extension(recipe.own_writer).identity
    return f"{identity}; {read} read its words back"


def make_writer(job: Job) -> Writer:
    """Makes the recipe's writer for the store. The model-based writer uses the run's chat client in
    two ways: to put questions into words, and to check what these words say."""
    recipe = job.recipe
    check_writer(recipe)
    if recipe.own_writer:
        _check_version(job)
        return custom_writer(recipe.own_writer, job.store)
    if recipe.writer == LLM:
        return _with_model(job)
    if recipe.language == GERMAN:
        return GermanWriter(job.store)
    return GraphWriter(English(job.store, recipe.seed, recipe.language))


def make_reader(job: Job, writer: Writer) -> Reader | None:
    """Makes the reader that checks a writer's words. The graph writer needs no reader. The
    model-based writer checks its words with its own model. The words of a writer from another
    package are checked by rules."""
    if isinstance(writer, LlmWriter):
        return writer
    if not isinstance(writer, CustomWriter):
        return None
    model = _with_model(job) if job.recipe.models.has_role(READER) else None
    return RuleReader(job.store, job.recipe.language, model)


def _with_model(job: Job) -> LlmWriter:
    recipe = job.recipe
    return LlmWriter(
        job.client("draft"),
        job.store,
        recipe.models.llm,
        recipe.draft.max_words,
        recipe.language,
    )


def _check_version(job: Job) -> None:
    """Raises an error on a worker whose version of the package differs from the version with which
    the run began."""
    identity, begun = custom_extension(job.recipe.own_writer).identity, job.run.recipe
    if begun.exists() and identity not in json.loads(begun.read_text(encoding="utf-8")).get(
        "extensions", ()
    ):
        raise InputError(
            f"{WRITER_KEY}: {job.recipe.writer}",
            f"a worker has {identity}, with which the job was not started",
            "Install the same version on every machine, and start again.",
        )
