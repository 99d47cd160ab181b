"""Dialects describe how released agents write their tags, tool names, arguments and image names.

The table `dialects.yaml` lists the dialects. The module `speaking.py` plays in a dialect. A handle
is the name of an image in the dialogue.
"""

import functools
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import ConfigDict, TypeAdapter

from questloom.agent.tool_settings import ToolName
from questloom.records.errors import InputError

TABLE = Path(__file__).parent / "dialects.yaml"
OURS = "questloom"


@dataclass(frozen=True, kw_only=True)
class ForeignTool:
    """One of our tools, under the name that another agent uses for it."""

    is_: ToolName
    """The name that we use for the tool."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """Maps the other agent's names of arguments to our names."""
    pixels: tuple[str, ...] = ()
    """The other agent's names of four arguments in pixels: left, top, width and height. Our own
    tools take one box instead, in thousandths of the picture.
    """
    ignored: tuple[str, ...] = ()
    """Arguments that the agent may give, but that have no effect here."""


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """The tags, tool names and handles that an agent uses."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    name: str
    about: str
    answer: str = "answer"
    """The tag around the answer; "" if the answer is the whole turn after the thought."""
    observation: str = "tool_response"
    """The tag around the result of a tool."""
    handle: str = "<image:{}>"
    """The format of a picture's handle, with {} for the number; "" if the agent gives pictures no
    handles.
    """
    first: int = 0
    """The number of the first picture in a dialogue."""
    tools_in: Literal["system", "user"] = "system"
    """Which message describes the tools: the system message or the user's message."""
    limits: Mapping[str, Any] = field(default_factory=dict)
    """The agent's own limits (see `agent/turns/limits.py`), which replace the recipe's limits."""
    tools: Mapping[str, ForeignTool] = field(default_factory=dict)
    """The tools of the agent, by their names. The mapping is empty if the agent uses our tools."""

    @property
    def is_ours(self) -> bool:
        """Whether the dialect is our own. Our own dialect needs no translation."""
        return self.name == OURS

    @property
    def own_tools(self) -> tuple[ToolName, ...]:
        """Our names of the tools that the agent needs; an empty tuple if the recipe chooses the
        tools.
        """
        return tuple(dict.fromkeys(tool.is_ for tool in self.tools.values()))

    def handle_text(self, number: int) -> str:
        """Returns the handle of a picture."""
        return self.handle.format(number + self.first)

    def handle_number(self, text: str) -> int | None:
        """Returns the number in the handle of a picture. Returns None if the text is not a
        handle.
        """
        before, _, after = self.handle.partition("{}")
        found = re.fullmatch(rf"\s*{re.escape(before)}(\d{{1,6}}){re.escape(after)}\s*", text)
        return int(found[1]) - self.first if found else None

    def schemas(self, ours: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The function schemas of the agent's tools, made from the schemas of our tools."""
        if not self.tools:
            return [dict(schema) for schema in ours]
        known = {schema["function"]["name"]: schema["function"] for schema in ours}
        return [
            self._schema(name, tool, known[tool.is_])
            for name, tool in self.tools.items()
            if tool.is_ in known
        ]

    def _schema(self, name: str, tool: ForeignTool, own: Mapping[str, Any]) -> dict[str, Any]:
        properties, required = (
            own["parameters"]["properties"],
            own["parameters"].get("required", []),
        )
        made: dict[str, Any] = {}
        for foreign, mine in tool.arguments.items():
            made[foreign] = (
                properties[mine]
                if mine != "handle"
                else {
                    "description": f"The picture, as {self.handle_text(0)}.",
                    "type": "string",
                    "pattern": f"^{self.handle.format('[0-9]{1,6}')}$",
                }
            )
        made |= {
            edge: {"description": f"{edge} in pixels.", "type": "number"} for edge in tool.pixels
        }
        needed = [
            foreign
            for foreign, mine in tool.arguments.items()
            if mine in required or mine == "handle"
        ] + list(tool.pixels)
        parameters = {
            "type": "object",
            "properties": made | {i: {} for i in tool.ignored},
            "required": needed,
            "additionalProperties": False,
        }
        return {
            "type": "function",
            "function": {"name": name, "description": own["description"], "parameters": parameters},
        }

    def call_text(self, own: str, arguments: Mapping[str, Any]) -> str:
        """Writes a call of one of our tools in the dialect's notation, without tags.

        Args:
            own: our name of the tool.
            arguments: the values by our names of the arguments. A picture is given by its number,
                or left out if the agent has no handles.
        """
        name, tool = next(((n, t) for n, t in self.tools.items() if t.is_ == own), (own, None))
        names = (
            {mine: foreign for foreign, mine in tool.arguments.items()}
            if tool
            else {mine: mine for mine in arguments}
        )
        written = {
            names[mine]: self.handle_text(value) if mine == "handle" else value
            for mine, value in arguments.items()
            if mine in names and (mine != "handle" or self.handle)
        }
        return json.dumps({"name": name, "arguments": written}, ensure_ascii=False)


@functools.cache
def dialects() -> Mapping[str, Dialect]:
    """Every dialect by its name."""
    found: dict[str, Any] = yaml.safe_load(TABLE.read_text(encoding="utf-8"))
    reader = TypeAdapter(Dialect)
    made = {}
    for name, facts in found.items():
        tools = {tool: {**row, "is_": row["is"]} for tool, row in facts.pop("tools", {}).items()}
        for row in tools.values():
            del row["is"]
        made[name] = reader.validate_python({"name": name, "tools": tools, **facts})
    return made


def dialect_of(name: str) -> Dialect:
    """Returns the dialect with this name.

    Raises:
        InputError: there is no dialect with this name.
    """
    if name not in dialects():
        raise InputError(f"--dialect {name}", "is unknown", f"Known: {', '.join(dialects())}.")
    return dialects()[name]
