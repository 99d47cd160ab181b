"""With which tools a recipe's jobs play: what has to be there before they start, on every machine that they run on."""

from questloom.pipeline.recipe import Recipe
from questloom.transforms.filters import registry


def tools_of_filter(recipe: Recipe) -> tuple[str, ...]:
    """Those of the main job: what its filters need, as the oracle does who plays `solvable`."""
    return tuple(dict.fromkeys(tool for each in registry.FILTERS for tool in each.tools(recipe)))


def tools_of_run(recipe: Recipe) -> tuple[str, ...]:
    """Those of the main job and of the teacher."""
    return *tools_of_filter(recipe), *recipe.teach.tools.tools
