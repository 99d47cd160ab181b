"""Finds settings that cannot work, before work starts: settings that have no effect because of the
rest of the recipe, and names of objects in other packages that cannot be loaded. Without the first
check, the program would silently ignore a setting. Without the second check, a wrong name would end
a run only when the object is needed."""

import dataclasses
from collections.abc import Callable, Iterator
from functools import partial

from questloom.agent.judges.answer import ROLE as JUDGE
from questloom.agent.live.live_settings import custom_service, is_custom
from questloom.agent.tools.toolbox import offered_tools
from questloom.pipeline.recipe import Recipe
from questloom.records.errors import InputError
from questloom.transforms.filters import registry
from questloom.transforms.filters.custom import custom_filter
from questloom.transforms.planning.text_facts import METHOD, ROLE
from questloom.transforms.writing.custom import custom_extension
from questloom.transforms.writing.writer_names import GRAPH, GRAPH_LANGUAGES


def check_settings(recipe: Recipe) -> None:
    """Raises an error for a setting that has no effect.

    Raises:
        InputError: a setting has no effect. The message names the setting, and says which setting
            to use instead.
    """
    for key, what, fix in _idle(recipe):
        raise InputError(f"recipe key {key}", what, fix)


def check_extensions(recipe: Recipe) -> None:
    """Loads each object of another package that the recipe names: filters, the writer, tools and
    live services.

    Raises:
        InputError: an object cannot be loaded, or is not what the recipe needs.
    """
    for _, _, load in extension_loaders(recipe):
        load()
    offered_tools(recipe.teach.tools)  # two custom tools may have one name


def extension_loaders(recipe: Recipe) -> list[tuple[str, str, Callable[[], object]]]:
    """The objects of other packages that the recipe names. Each entry has the kind of the object,
    its name in the recipe, and a function that loads and checks the object, or raises an
    `InputError`.
    """
    tools, live = recipe.teach.tools, recipe.teach.live
    found: list[tuple[str, str, Callable[[], object]]] = [
        ("filter", each, partial(custom_filter, each)) for each in recipe.filters.custom
    ]
    if recipe.own_writer:
        found.append(("writer", recipe.own_writer, partial(custom_extension, recipe.own_writer)))
    for each in tools.custom:
        alone = dataclasses.replace(tools, custom=(each,))
        found.append(("tool", each, partial(offered_tools, alone)))
    for service in live.services().values() if live else ():
        if is_custom(service.kind):
            found.append(("service", service.kind, partial(custom_service, service.kind)))
    return found


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
    if recipe.seeds.ladders and not recipe.seeds.methods.get("injection"):
        yield (
            "seeds.ladders",
            "is on, and the method injection, which makes ladders, has no weight",
            "Set seeds.ladders=false, or give injection a weight (seeds.methods.injection=1).",
        )
    if draft.detail_share + draft.computation_share > 1:
        yield (
            "draft.detail_share",
            f"and draft.computation_share are {draft.detail_share:g} and {draft.computation_share:g}, more than all questions together",
            "Lower one of them: what is neither is plain.",
        )
    if draft.text_facts.pages:
        yield from _idle_text_facts(recipe)
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


def _idle_text_facts(recipe: Recipe) -> Iterator[tuple[str, str, str]]:
    key = "draft.text_facts.pages"
    if not recipe.models.has_role(ROLE):
        yield (
            key,
            f"is set, and no model has the role {ROLE}",
            f"Name a model for {ROLE}, or set {key}=0.",
        )
    if "votes" not in recipe.certificate.bases:
        yield (
            key,
            'is set, and certificate.bases does not accept the basis "votes"',
            f"Add votes to certificate.bases, or set {key}=0.",
        )
    if recipe.writer == GRAPH:
        yield (
            key,
            "is set, and the graph writer has no phrases for what only a sentence says",
            f"Set writer=llm, or {key}=0.",
        )
    if not recipe.seeds.methods.get(METHOD):
        yield (
            key,
            f'is set, and only plans of the method "{METHOD}" follow what pages say',
            f"Give seeds.methods.{METHOD} a weight, or set {key}=0.",
        )
