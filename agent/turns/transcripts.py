"""Reads conversations of other agents as turns. The functions read two formats: WebDancer's
trajectories (a list of chat messages per row) and ShareGPT dialogues.

The texts of the conversations stay unchanged. If a turn breaks our turn protocol, the turn is
marked with the violation. ShareGPT stores a call apart from text, as a `function_call`; the
functions put such a call into the tags of our turn protocol.
"""

import gzip
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jsonschema

from questloom.agent.turns.renderer import storable
from questloom.agent.turns.turn_protocol import TurnProtocol
from questloom.records.episodes import ToolResult, ToolStatus, Turn
from questloom.records.errors import InputError

_TOOLS = re.compile(r"<tools>(.*?)</tools>", re.DOTALL)
_RESPONSE = re.compile(r"^\s*<tool_response>\n?(.*?)\n?</tool_response>\s*$", re.DOTALL)
_ASSISTANT = ("assistant", "gpt", "function_call")
_OBSERVATION = ("tool", "observation", "function_response")


@dataclass(frozen=True, kw_only=True)
class Transcript:
    """One conversation."""

    where: str
    """The name of the file and the number of the row from which the conversation comes."""
    question: str
    """The first user message, complete."""
    schemas: tuple[Mapping[str, Any], ...]
    """The schemas of the tools that the conversation's prompt lists."""
    turns: tuple[Turn, ...]
    """The model's turns, each with the result of the strict check. The tool's message after a turn
    becomes the result of the turn."""


def read_transcripts(path: Path) -> Iterator[Transcript]:
    """Yields the conversations in a file: .json or .jsonl, with or without .gz.

    Raises: InputError: the file cannot be read, or a row has neither of the two formats.
    """
    for number, row in enumerate(_rows(path), 1):
        where = f"{path.name}, row {number}"
        try:
            transcript = _transcript(where, row)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise InputError(
                where,
                f"is no WebDancer trajectory and no ShareGPT dialogue ({error!r})",
                'A row has "messages" (role, content) or "conversations" (from, value).',
            ) from error
        yield transcript


def _rows(path: Path) -> Iterator[Any]:
    try:
        raw = path.read_bytes()
        text = (gzip.decompress(raw) if path.suffix == ".gz" else raw).decode("utf-8")
        if ".jsonl" in path.suffixes:
            yield from map(json.loads, filter(str.strip, text.split("\n")))
        else:
            yield from json.loads(text)
    except (OSError, EOFError, ValueError, TypeError) as error:
        raise InputError(
            str(path),
            f"cannot be read: {error}",
            "Give a .json list or .jsonl rows in UTF-8, with or without .gz.",
        ) from error


def _transcript(where: str, row: Mapping[str, Any]) -> Transcript:
    if "messages" in row:
        said = [(str(m["role"]), _text(m["content"])) for m in row["messages"]]
    else:
        said = [(str(m["from"]), _text(m["value"])) for m in row["conversations"]]
    question = [text for role, text in said if role in ("user", "human")][0]  # noqa: RUF015 (a LookupError where there is none)
    schemas = tuple(_schemas(row, said))
    return Transcript(
        where=where,
        question=question,
        schemas=schemas,
        turns=tuple(_turns(said, TurnProtocol(schemas))),
    )


def _text(content: Any) -> str:
    if isinstance(content, str):
        return storable(content)
    return storable("".join(part["text"] for part in content if part["type"] == "text"))


def _schemas(
    row: Mapping[str, Any], said: Iterable[tuple[str, str]]
) -> Iterator[Mapping[str, Any]]:
    """The schemas of the tools, from the model's prompt, or from the row if the prompt has none."""
    shown = next(
        (
            found[1]
            for role, text in said
            if role in ("system", "user", "human") and (found := _TOOLS.search(text))
        ),
        None,
    )
    tools = row.get("tools") or row.get("functions") or []
    listed = (
        _json_values(shown)
        if shown is not None
        else json.loads(tools)
        if isinstance(tools, str)
        else tools
    )
    for schema in listed:
        function = schema.get("function", schema)
        parameters = function.get("parameters") or {"type": "object"}
        try:
            jsonschema.Draft202012Validator.check_schema(parameters)
        except jsonschema.SchemaError:
            parameters = {"type": "object"}  # a known tool whose arguments are not checked
        yield {"name": function.get("name") or function["name_for_model"], "parameters": parameters}


def _json_values(text: str) -> Iterator[Any]:
    """Yields the JSON objects in a text. White space and commas may separate the objects."""
    decoder, place = json.JSONDecoder(), 0
    while (start := text.find("{", place)) >= 0:
        value, place = decoder.raw_decode(text, start)
        yield value


def _turns(said: list[tuple[str, str]], protocol: TurnProtocol) -> Iterator[Turn]:
    for place, (role, text) in enumerate(said):
        if role not in _ASSISTANT:
            continue
        if role == "function_call":
            text = f"<tool_call>{text}</tool_call>"
        checked = protocol.check(text)
        yield Turn(
            text=text,
            thought=checked.thought,
            call=checked.call,
            answer=checked.answer,
            violation=checked.violation or "",
            result=_result(said[place + 1]) if place + 1 < len(said) else None,
        )


def _result(said: tuple[str, str]) -> ToolResult | None:
    """Reads a tool's result from a message with the role "tool", or from a user message in response
    tags. Returns None for other user messages."""
    role, text = said
    response = _RESPONSE.match(text)
    if response is None and role not in _OBSERVATION:
        return None
    return ToolResult(status=ToolStatus.OK, text=response[1] if response else text)
