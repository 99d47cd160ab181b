"""Reads what a chat server's message says: text, thought, refusal and tool calls.

Servers use different fields and parts for the same content; this file reads all known forms.
"""

import json
import re
from dataclasses import dataclass, field
from typing import Any

import orjson

THOUGHTS = ("reasoning_content", "reasoning", "thinking", "reasoning_details", "thinking_blocks")
"""The fields for a thought that the server separated from the reply.

Some servers put the same thought into two fields of a message.
"""
WORDS = ("text", "thinking", "reasoning", "content", "summary", "refusal", "value", "parts")
CALLS = ("tool_use", "tool_call", "function_call")
MAX_DEPTH = 4
"""Maximum nesting depth of the parts of a message."""


_SURROGATE, _HALF = re.compile("[\ud800-\udfff]"), re.compile("[\ud800-\udc7f\udd00-\udfff]")


def loaded(body: bytes) -> Any:
    """Decodes JSON. A text in the JSON may end within a character: within its bytes of UTF-8, or
    its pair of surrogates. The rest of a split character may come in the stream's next piece; the
    function `sound` joins both parts.

    Raises: ValueError: the bytes are not JSON.
    """
    try:
        return orjson.loads(body)
    except orjson.JSONDecodeError:
        try:
            return json.loads(body.decode("utf-8", "surrogateescape"))
        except RecursionError:
            raise ValueError("nested too deeply") from None


def sound(text: str) -> str:
    """Joins characters that a stream has split into two parts; if one part is missing, "�" replaces
    the other.

    >>> sound("\\ud83d" + "\\ude00"), sound(b"\\xf0\\x9f".decode("utf-8", "surrogateescape") + b"\\x98\\x80".decode("utf-8", "surrogateescape"))
    ('😀', '😀')
    """
    if _SURROGATE.search(text) is None:
        return text
    paired = text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")
    return _HALF.sub("\ufffd", paired).encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def words(value: Any, depth: int = 0) -> str:
    """The text that is in a part, or in a list of parts."""
    if isinstance(value, str):
        return value
    if depth > MAX_DEPTH:
        return ""
    if isinstance(value, list):
        return "".join(words(part, depth + 1) for part in value)
    return (
        words(next((value[name] for name in WORDS if value.get(name)), ""), depth + 1)
        if isinstance(value, dict)
        else ""
    )


@dataclass
class MessageContent:
    """What a message says, or one streamed piece of a message."""

    text: str = ""
    thought: str = ""
    """The thought, if the server separated it from the text."""
    refusal: str = ""
    calls: list[dict[str, Any]] = field(default_factory=list)
    """Native tool calls, as the server sent them."""


def parse_message_or_delta(message: dict[str, Any]) -> MessageContent:
    """Reads a whole message, or one streamed piece of a message.

    The field `content` is a text, or a list of parts of several kinds.
    """
    said = MessageContent()
    content = message.get("content")
    for part in content if isinstance(content, list) else [content]:
        if not isinstance(part, dict):
            said.text += part if isinstance(part, str) else ""
            continue
        kind = str(part.get("type") or "text")
        if kind in CALLS:
            said.calls.append({**part, "arguments": part.get("arguments", part.get("input"))})
        elif kind == "refusal":
            said.refusal += words(part)
        elif "thinking" in kind or "reasoning" in kind or part.get("thought") is True:
            said.thought += words(part)
        elif "text" in kind or isinstance(
            part.get("text"), str
        ):  # other parts (pictures, references) hold no text
            said.text += words(part)
    said.thought = (
        next(filter(None, (words(message.get(name)) for name in THOUGHTS)), "") or said.thought
    )
    said.refusal = words(message.get("refusal")) or said.refusal
    told = message.get("tool_calls")
    said.calls += [
        call
        for call in [*(told if isinstance(told, list) else []), message.get("function_call")]
        if isinstance(call, dict)
    ]
    return said


def name_and_arguments(call: dict[str, Any]) -> tuple[str, str]:
    """The name and the arguments of a native tool call.

    The arguments of a tool call are JSON, or the text that the model wrote instead of JSON. A
    streamed piece of a call may contain only a part of the name and the arguments.
    """
    function = call.get("function")
    told = function if isinstance(function, dict) else call
    arguments = told.get("arguments")
    return str(told.get("name") or ""), arguments if isinstance(
        arguments, str
    ) else "" if arguments is None else json.dumps(arguments, ensure_ascii=False)
