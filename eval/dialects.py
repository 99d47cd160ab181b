"""Dialects: how released agents write tags, tool names, arguments and image names.

The table `dialects.yaml` lists the dialects, and `speaking.py` plays in them. A handle is an
image's name in the dialogue.
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
    """A tool under another agent's name."""

    is_: ToolName
    """Our name of the tool that does the work."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """Maps the other agent's name of an argument to our name."""
    pixels: tuple[str, ...] = ()
    """The other agent's names of left, top, width and height in pixels.

    Our tools take one box in thousandths instead.
    """
    ignored: tuple[str, ...] = ()
    """Arguments that are allowed and have no effect here."""


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """The tags, tool names and handles that an agent uses."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    name: str
    about: str
    answer: str = "answer"
    """The tag around the answer; "" if the whole turn after the thought is the answer."""
    observation: str = "tool_response"
    """The tag around a tool's result."""
    handle: str = "<image:{}>"
    """The handle of a picture, with {} for its number; "" if the agent gives pictures no handles."""
    first: int = 0
    """The number of the first picture."""
    tools_in: Literal["system", "user"] = "system"
    """The message that describes the tools."""
    limits: Mapping[str, Any] = field(default_factory=dict)
    """The agent's own limits (see `agent/turns/limits.py`), which replace the recipe's."""
    tools: Mapping[str, ForeignTool] = field(default_factory=dict)
    """The agent's tools by their names; empty if the agent uses our tools."""

    @property
    def is_ours(self) -> bool:
        """Whether the dialect is our own; then nothing needs translation."""
        return self.name == OURS

    @property
    def own_tools(self) -> tuple[ToolName, ...]:
        """Our names of the tools that the agent needs; () leaves the choice to the recipe."""
        return tuple(dict.fromkeys(tool.is_ for tool in self.tools.values()))

    def handle_text(self, number: int) -> str:
        """The handle of a picture."""
        return self.handle.format(number + self.first)

    def handle_number(self, text: str) -> int | None:
        """The number in a picture's handle; None if the text is no handle."""
        before, _, after = self.handle.partition("{}")
        found = re.fullmatch(rf"\s*{re.escape(before)}(\d{{1,6}}){re.escape(after)}\s*", text)
        return int(found[1]) - self.first if found else None

    def schemas(self, ours: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """The function schemas of the agent's tools, made from our schemas."""
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
        """Writes a call of our tool in this agent's notation, without tags.

        Args:
            own: our name of the tool.
            arguments: the values by our argument names, a picture by its number; for an agent
                without handles the picture is left out.
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
    """The dialect with a name.

    Raises:
        InputError: no dialect has this name.
    """
    if name not in dialects():
        raise InputError(f"--dialect {name}", "is unknown", f"Known: {', '.join(dialects())}.")
    return dialects()[name]
