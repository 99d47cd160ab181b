"""Opens a tool box with one tool more, in a process of its own: recipes know the names of tools from import on.

    python -m tests.agent.tools.use_shout

Prints as JSON what each reader of the registry says of the new tool.
"""

import asyncio
import json

from questloom.agent import tool_registry

tool_registry.MODULES["shout"] = "tests.agent.tools.shout"

from questloom.agent.tools import ToolBox, ToolSettings  # noqa: E402
from questloom.agent.turns.image_bank import ImageBank  # noqa: E402
from questloom.pipeline.evolve.rollouts import strategy_of  # noqa: E402
from questloom.pipeline.recipe import recipe_of  # noqa: E402
from questloom.records.episodes import ToolCall  # noqa: E402
from questloom.records.errors import InputError  # noqa: E402


class Nowhere:
    """A provider that this tool does not ask."""

    snapshot = "none"


def main() -> dict:
    recipe = recipe_of({"teach": {"tools": {"tools": ["crop", "shout"]}}}, "test")
    try:
        recipe_of({"teach": {"tools": {"tools": ["whisper"]}}}, "test")
        unknown = ""
    except InputError as error:
        unknown = str(error)
    box = ToolBox(Nowhere(), settings=ToolSettings(tools=recipe.teach.tools.tools))  # type: ignore[arg-type]

    def result(**arguments):
        call = ToolCall(name="shout", arguments=arguments)
        return asyncio.run(box.call(call, ImageBank(), turn=0))

    said, refused = result(text="ahoy", times=2), result(text="ahoy", times=9)
    return {
        "schemas": [schema["function"] for schema in box.schemas()],
        "unknown": unknown,
        "said": [said.status, said.text],
        "refused": [refused.status, refused.code, refused.text],
        "strategy": strategy_of(["text_search", "shout", "python_interpreter"]),
    }


if __name__ == "__main__":
    print(json.dumps(main()))
