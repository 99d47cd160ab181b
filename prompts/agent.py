"""Makes the system prompt of the search agent. The teacher, the filters, training and evaluation
all use the same template for this prompt.

The agent is not one of the roles that `questloom.prompts.render.ModelTask` describes, because it
replies in turns that follow a protocol, and not with a single JSON object.
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
    """Makes the system message for the agent.

    Args:
        schemas: the function schemas of the tools in the style of OpenAI, as the tool box gives
            them.
        max_calls: the number of tool calls that an episode may make. With `max_calls` 0, the agent
            must answer at once.
        today: the date that the message states. If the agent searches a store, the date is "",
            since a store has no current date.
        handles: whether tool calls can refer to pictures by name.
        brief: whether to list only the name and the required arguments of each tool. A brief list
            suits small policies, which learn the protocol from examples.
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
    """Makes the system message for an agent that follows another turn protocol.

    Args:
        tools: the schemas of the agent's tools, one per line. With "", this message names no tools,
            because there are none or because another message describes them.
        answer: the tag in which the agent writes its answer; "" if the whole reply is the answer.
        observation: the tag in which the agent receives the output of tools.
        max_calls: the number of tool calls that an episode may make.
        handle: the name of the first picture; "" if pictures have no names.
    """
    return (
        _template(DIALECT)
        .render(
            tools=tools, answer=answer, observation=observation, max_calls=max_calls, handle=handle
        )
        .strip()
    )


def agent_prompt_version(system_prompt: str) -> str:
    """The version of a finished system prompt, as a short hash. The version changes if the tools,
    the limits or the words change."""
    return sha256_hex(system_prompt)[:VERSION_DIGITS]


@functools.cache
def _template(path: Path) -> jinja2.Template:
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, autoescape=False, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(path.read_text(encoding="utf-8"))
