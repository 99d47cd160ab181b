"""Settings that ask for something which the rest of the recipe rules out: refused before work starts, since they would be taken and then do nothing."""

from collections.abc import Iterator

from questloom.agent.judges.answer import ROLE as JUDGE
from questloom.pipeline.recipe import Recipe
from questloom.pipeline.synth.filters_not_run import PRIOR_ROLES
from questloom.records.errors import InputError

SOLVER_ROLES = {
    **PRIOR_ROLES,
    "image_search": "answer_with_search",
    "solvable": "answer_with_search",
}
"""The filters that a model may decide, and its role."""


def check_settings(recipe: Recipe) -> None:
    """Refuses what a recipe asks for and would not get.

    Raises:
        InputError: the first such setting, and what to set instead.
    """
    for key, what, fix in _idle(recipe):
        raise InputError(f"recipe key {key}", what, fix)


def _idle(recipe: Recipe) -> Iterator[tuple[str, str, str]]:
    draft, filters, models = recipe.draft, recipe.filters, recipe.models
    if recipe.writer == "graph":
        if recipe.language != "en":
            yield (
                f"language: {recipe.language}",
                "is no language of the graph writer, which knows English only",
                "Set language=en, or writer=llm and a model (models.endpoints, models.roles).",
            )
        for key, asked in (
            ("draft.obfuscate_share", draft.obfuscate_share > 0),
            ("draft.text_hops", draft.text_hops),
        ):
            if asked:
                yield (
                    key,
                    "asks for what only the llm writer does, and the writer is graph",
                    f"Leave {key} at its default, or set writer=llm and a model.",
                )
    if draft.text_hops and "votes" not in recipe.certificate.bases:
        yield (
            "draft.text_hops",
            "lets paths pass links that only votes can support, and certificate.bases takes none, so that all of them would be dropped",
            "Set draft.text_hops=false, or add votes to certificate.bases.",
        )
    if filters.oracle and not filters.solvable:
        yield (
            "filters.oracle",
            "is on, and the filter in which the oracle plays, solvable, is off",
            "Set filters.solvable=true, or filters.oracle=false.",
        )
    if filters.oracle and models.has_role(SOLVER_ROLES["solvable"]):
        yield (
            "filters.oracle",
            "is on, and a model decides solvable (role answer_with_search), so that the oracle would not play",
            "Set filters.oracle=false, or name models for the other roles only and no default.",
        )
    if filters.samples > 1 and not any(
        getattr(filters, name) and models.has_role(role) for name, role in SOLVER_ROLES.items()
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
