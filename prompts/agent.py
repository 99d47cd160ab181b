"""The system prompt of the search agent: one template for teacher, filters, training and evaluation.

The agent replies in the turn protocol, not in one JSON object. The agent is therefore no
`questloom.prompts.render.ModelTask`.
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
    """The agent's system message.

    Args:
        schemas: the tools' OpenAI-style function schemas, from the tool box.
        max_calls: number of tool calls that an episode may make; with 0 the agent must answer at
            once.
        today: the date that the message states, or "" for a frozen store, which has no today.
        handles: whether pictures have names that tool calls can use.
        brief: whether to list only each tool's name and required arguments, for small policies that
            learn the protocol from examples.
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
    """The system message for an agent with another turn protocol.

    Args:
        tools: the schemas of the agent's tools, one per line, or "" if another message describes
            the tools or there are none.
        answer: the tag of the answer, or "" if the whole reply is the answer.
        observation: the tag around the output of tools.
        max_calls: number of tool calls that an episode may make.
        handle: name of the first picture, or "" if pictures have no names.
    """
    return (
        _template(DIALECT)
        .render(
            tools=tools, answer=answer, observation=observation, max_calls=max_calls, handle=handle
        )
        .strip()
    )


def agent_prompt_version(system_prompt: str) -> str:
    """The version of a rendered system prompt. Tools, limits and words all change it."""
    return sha256_hex(system_prompt)[:VERSION_DIGITS]


@functools.cache
def _template(path: Path) -> jinja2.Template:
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(path.read_text(encoding="utf-8"))
