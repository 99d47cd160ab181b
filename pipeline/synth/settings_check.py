"""Finds settings that have no effect because of the rest of the recipe. The check runs before work
starts. Without this check, the program would silently ignore a setting without effect."""

from collections.abc import Iterator

from questloom.agent.judges.answer import ROLE as JUDGE
from questloom.pipeline.recipe import Recipe
from questloom.records.errors import InputError
from questloom.transforms.filters import registry
from questloom.transforms.writing.writer_names import GRAPH, GRAPH_LANGUAGES


def check_settings(recipe: Recipe) -> None:
    """Raises an error for a setting that has no effect.

    Raises:
        InputError: a setting has no effect. The message names the setting, and says which setting
            to use instead.
    """
    for key, what, fix in _idle(recipe):
        raise InputError(f"recipe key {key}", what, fix)


def _idle(recipe: Recipe) -> Iterator[tuple[str, str, str]]:
    draft, filters, models = recipe.draft, recipe.filters, recipe.models
    if recipe.writer == GRAPH and recipe.language not in GRAPH_LANGUAGES:
        yield (
            f"language: {recipe.language}",
            f"is no language of the graph writer, which knows {' and '.join(GRAPH_LANGUAGES)} only",
            "Set language=en, or writer=llm and a model (models.endpoints, models.roles).",
        )
    if recipe.seeds.accepted > recipe.seeds.count:
        yield (
            "seeds.accepted",
            f"is {recipe.seeds.accepted:,}, and there are {recipe.seeds.count:,} seeds, each of which gives one question at most",
            "Set seeds.count to a few times seeds.accepted.",
        )
    if draft.detail_share + draft.computation_share > 1:
        yield (
            "draft.detail_share",
            f"and draft.computation_share are {draft.detail_share:g} and {draft.computation_share:g}, more than all questions together",
            "Lower one of them: what is neither is plain.",
        )
    for each in registry.FILTERS:
        yield from each.conflicts(recipe)
    if filters.samples > 1 and not any(
        each.is_on(filters) and each.has_model(recipe) for each in registry.FILTERS
    ):
        yield (
            "filters.samples",
            f"is {filters.samples}, and no filter asks a model",
            "Set filters.samples=1, or name a model (models.roles).",
        )
    if models.judge and not models.has_role(JUDGE):
        yield (
            "models.judge",
            f"is on, and no model has the role {JUDGE}",
            f"Set models.judge=false, or name a model for {JUDGE}.",
        )
