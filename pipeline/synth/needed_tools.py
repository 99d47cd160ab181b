"""With which tools a recipe's jobs play: what has to be there before they start, on every machine that they run on."""

from questloom.pipeline.recipe import Recipe
from questloom.pipeline.synth.solver_stages import SOLVABLE


def tools_of_filter(recipe: Recipe) -> tuple[str, ...]:
    """Those of the main job: the oracle's, where it is the oracle who plays `solvable`; else none."""
    filters = recipe.filters
    return (
        filters.oracle_tools
        if filters.solvable and filters.oracle and not recipe.models.has_role(SOLVABLE.role)
        else ()
    )


def tools_of_run(recipe: Recipe) -> tuple[str, ...]:
    """Those of the main job and of the teacher."""
    return *tools_of_filter(recipe), *recipe.teach.tools.tools
