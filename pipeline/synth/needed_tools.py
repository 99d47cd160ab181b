"""Lists the tools that a recipe's jobs need. The tools must work on every machine of the job before
the job starts."""

from questloom.pipeline.recipe import Recipe
from questloom.transforms.filters import registry


def tools_of_filter(recipe: Recipe) -> tuple[str, ...]:
    """The tools of the main job. The filter `solvable` lets the oracle (a scripted agent) play each
    question, and the oracle needs these tools."""
    return tuple(dict.fromkeys(tool for each in registry.FILTERS for tool in each.tools(recipe)))


def tools_of_run(recipe: Recipe) -> tuple[str, ...]:
    """The tools of the main job and of the teacher."""
    return *tools_of_filter(recipe), *recipe.teach.tools.tools
