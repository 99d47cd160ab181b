"""The system prompt of the search agent: one template for teacher, filters, training and evaluation.

The agent replies in the turn protocol and not in one JSON object, so it is no `questloom.prompts.render.Role`.
"""

import functools
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import jinja2

from questloom.prompts.render import VERSION_DIGITS
from questloom.records.identity import canonical_json, sha256_hex

FOLDER = Path(__file__).parent / "templates" / "agent"
SYSTEM, BRIEF, DIRECT, DIALECT = (
    FOLDER / f"{name}.txt" for name in ("system", "brief", "direct", "dialect")
)


def agent_system_prompt(
    schemas: Iterable[Mapping[str, Any]],
    *,
    max_calls: int,
    today: str = "",
    handles: bool = True,
    brief: bool = False,
) -> str:
    """The system message.

    Args:
        schemas: the tools' OpenAI-style function schemas, as the tool box generates them.
        max_calls: how many tool calls an episode may make; 0 for an agent that has one turn, to answer.
        today: the date to tell, or "" to tell none: a frozen store has no today.
        handles: whether pictures have names that calls can use.
        brief: only each tool's name and the arguments that it needs, for small policies that learn the protocol from examples.
    """
    if brief:
        functions = [schema["function"] for schema in schemas]
        return (
            _template(BRIEF)
            .render(tools=[(f["name"], f["parameters"]["required"]) for f in functions])
            .strip()
        )
    lines = [canonical_json(dict(schema)) for schema in schemas]
    return (
        _template(SYSTEM if max_calls else DIRECT)
        .render(schemas=lines, max_calls=max_calls, today=today, handles=handles)
        .strip()
    )


def dialect_system_prompt(
    tools: str, *, answer: str, observation: str, max_calls: int, handle: str = ""
) -> str:
    """The system message for an agent that speaks otherwise, in words of ours.

    Args:
        tools: its tools' schemas, a line each; "" where another message tells of them, or there are none.
        answer: the answer's tag; "" where the whole reply is the answer.
        observation: the tag around what tools say.
        max_calls: how many tool calls an episode may make.
        handle: the first picture's name; "" where pictures have none.
    """
    return (
        _template(DIALECT)
        .render(
            tools=tools, answer=answer, observation=observation, max_calls=max_calls, handle=handle
        )
        .strip()
    )


def agent_prompt_version(system_prompt: str) -> str:
    """Names a rendered system prompt: tools, limits and words all shape it."""
    return sha256_hex(system_prompt)[:VERSION_DIGITS]


@functools.cache
def _template(path: Path) -> jinja2.Template:
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(path.read_text(encoding="utf-8"))
