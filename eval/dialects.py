"""Dialects: the tags, names of tools and arguments, and handles of other agents, as a table. `speaking.py` plays by it."""

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
    """The tool of ours that does it."""
    arguments: Mapping[str, str] = field(default_factory=dict)
    """The other agent's name of an argument to ours."""
    pixels: tuple[str, ...] = ()
    """Names of left, top, width and height in pixels, in place of our box in thousandths."""
    ignored: tuple[str, ...] = ()
    """Arguments that are allowed and do nothing here."""


@dataclass(frozen=True, kw_only=True)
class Dialect:
    """How an agent speaks."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    name: str
    about: str
    answer: str = "answer"
    """The answer's tag; "" where the whole turn but its thought is the answer."""
    observation: str = "tool_response"
    """The tag around what tools say."""
    handle: str = "<image:{}>"
    """A picture's name, with {} for its number; "" where pictures have none."""
    first: int = 0
    """The number of the first picture."""
    tools_in: Literal["system", "user"] = "system"
    """The message that tells of the tools."""
    limits: Mapping[str, Any] = field(default_factory=dict)
    """Of `agent/turns/limits.py`: the agent's own, in place of the recipe's."""
    tools: Mapping[str, ForeignTool] = field(default_factory=dict)
    """By the other agent's name; empty: ours."""

    @property
    def is_ours(self) -> bool:
        """Whether nothing needs to be translated."""
        return self.name == OURS

    @property
    def own_tools(self) -> tuple[ToolName, ...]:
        """The tools of ours that it needs; () for whatever the recipe names."""
        return tuple(dict.fromkeys(tool.is_ for tool in self.tools.values()))

    def handle_text(self, number: int) -> str:
        """A picture's name."""
        return self.handle.format(number + self.first)

    def handle_number(self, text: str) -> int | None:
        """The number of a picture by its name; None for anything else."""
        before, _, after = self.handle.partition("{}")
        found = re.fullmatch(rf"\s*{re.escape(before)}(\d{{1,6}}){re.escape(after)}\s*", text)
        return int(found[1]) - self.first if found else None

    def schemas(self, ours: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
        """Its tools' function schemas, made from those of ours that it has."""
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
        """A call of one of our tools as this agent would write it, without tags.

        Args:
            own: our name of the tool.
            arguments: by our names; a handle as its number. Without handles none is written.
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
    """A dialect by its name.

    Raises:
        InputError: there is none.
    """
    if name not in dialects():
        raise InputError(f"--dialect {name}", "is unknown", f"Known: {', '.join(dialects())}.")
    return dialects()[name]
