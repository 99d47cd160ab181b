"""Reads outside data sets in LLaMA-Factory's ShareGPT form. The result is a conversation in parts
(segments).

```
{"conversations": [{"from": "human", "value": "<image>What …"}, {"from": "gpt", "value": "<think>…"}, {"from": "observation", …}, …],
 "images": [a path or a file's bytes, …], "system": "…", "tools": "[…]"}
```

A row may also have `messages` of {role, content}. The content is text, or a list of parts: {type:
text, text} and {type: image}.

What the policy said stays unchanged and is in the loss. All other text is only input. A message
from `observation` (a tool's result) becomes a user message between response tags. A message from
`function_call` is put between call tags. The system message describes the row's `tools` in the form
of Qwen's templates. Special tokens are escaped in all text that the policy read. Therefore text
from outside cannot end a turn, and cannot stand for a picture. The reader also accepts Questloom's
own export, and then returns the token ids of the stored episode.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from questloom.agent.turns.renderer import storable
from questloom.agent.turns.token_renderer import Segment, TokenRenderer
from questloom.models.messages import Message, Picture, system, user
from questloom.models.picture_file import PictureError
from questloom.records.episodes import Turn
from questloom.train.rows.row import RowFault, UnusableRow

IMAGE = "<image>"
POLICY, READ = "policy", "read"
_ROLES = {
    "human": READ,
    "user": READ,
    "gpt": POLICY,
    "assistant": POLICY,
    "function_call": POLICY,
    "observation": READ,
    "tool": READ,
    "function_response": READ,
}
_WRAPPED = ("observation", "tool", "function_response")
_TOOLS = """

# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
<tools>
{}
</tools>

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{{"name": <function-name>, "arguments": <args-json-object>}}
</tool_call>"""
_BREAK = "\u200b"


def fields_of(row: Any, where: str) -> tuple[dict[str, Any], tuple[bytes, ...]]:
    """The messages and pictures of a row, in a form that does not depend on the source.

    Args:
        row: a row that was read from JSON or Parquet.
        where: the file and the row's number, for errors.

    Returns:
        A dict, and the pictures as bytes. The dict has three keys: "system"; "said", a list
            of [role, text]; and "paths", one path for each picture ("" if the row itself has the
            picture).

    Raises:
        UnusableRow: the row is not a dialogue, or the number of placeholders differs from the
            number of pictures.
    """

    def refused(what: str) -> UnusableRow:
        return UnusableRow(RowFault.DIALOGUE, where, what)

    if not isinstance(row, Mapping):
        raise refused(f"is no row of columns but {type(row).__name__}")
    turns = row.get("conversations") or row.get("messages")
    if not turns:
        named = [str(name) for name, value in row.items() if value]
        raise refused(
            f"has nothing in conversations or messages; it has {', '.join(named[:6]) or 'nothing'}{' …' * (len(named) > 6)}"
        )
    try:
        said = [
            [
                role,
                storable(
                    _text(
                        t["value"] if "value" in t else t["content"],
                        policy=_ROLES.get(role) == POLICY,
                    )
                ),
            ]
            for t in turns
            for role in (str(t.get("from") or t["role"]),)
        ]
        told = storable(_text(row.get("system") or ""))
        tools = row.get("tools") or []
        listed = json.loads(tools) if isinstance(tools, str) else tools
        pictures = [_picture(picture) for picture in row.get("images") or ()]
    except (LookupError, TypeError, ValueError, AttributeError) as error:
        raise refused(f"is no dialogue ({error!r})") from error
    if said and said[0][0] == "system":
        told = said.pop(0)[1] or told
    if listed and "<tools>" not in told:
        told += _TOOLS.format(
            "\n".join(json.dumps(_schema(tool), ensure_ascii=False) for tool in listed)
        )
    kinds = [_ROLES.get(role) for role, _ in said]
    if not said or kinds != [READ, POLICY] * (len(kinds) // 2) + [READ] * (len(kinds) % 2):
        raise refused(
            f"is no alternation of what was read and what was said: {', '.join(role for role, _ in said) or 'nothing'}"
        )
    said = [[_ROLES[role], _marked(role, text)] for role, text in said]
    if row.get("videos") or row.get("audios"):
        raise refused("has films or sounds")
    if any(IMAGE in text for kind, text in said if kind == POLICY):
        raise refused("has a placeholder for a picture in what the policy said")
    places = sum(text.count(IMAGE) for _, text in said)
    if places != len(pictures):
        raise refused(f"has {places} placeholders for {len(pictures)} pictures")
    return {"system": told, "said": said, "paths": [path for path, _ in pictures]}, tuple(
        data for _, data in pictures
    )


def _marked(role: str, text: str) -> str:
    """Puts tags around a message if the format stores the message without tags."""
    if role == "function_call":
        return f"<tool_call>\n{text}\n</tool_call>"
    return (
        f"<tool_response>\n{text}\n</tool_response>"
        if role in _WRAPPED and not text.startswith("<tool_response>")
        else text
    )


def _schema(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    return tool if tool.get("type") == "function" else {"type": "function", "function": tool}


def _text(value: Any, *, policy: bool = False) -> str:
    """A text in which placeholders stand for pictures.

    A message may hold its pictures as separate parts. In the text parts of such a message, a
    placeholder does not stand for a picture, unless the policy wrote the text.
    """
    if isinstance(value, list):
        return "".join(_part(part, policy) for part in value)
    if not isinstance(value, str):
        raise TypeError(f"text is {type(value).__name__}")
    return value


def _part(part: Mapping[str, Any], policy: bool) -> str:
    if part["type"] == "image":
        return IMAGE
    if part["type"] != "text":
        raise ValueError(f"a part is {part['type']}")
    text = _text(part["text"])
    return text if policy else text.replace(IMAGE, f"‹{IMAGE[1:-1]}›")


def _picture(value: Any) -> tuple[str, bytes]:
    """A picture as a pair (path, bytes). The path is "" if the row has the bytes. The bytes are b""
    if the row has a path.
    """
    if isinstance(value, str) and value:
        return value, b""
    if isinstance(value, Mapping):
        return _picture(value.get("bytes") or value.get("path"))
    if isinstance(value, bytes) and value:
        return "", value
    raise TypeError(f"a picture is {type(value).__name__}")


def segments_of_dialogue(
    fields: Mapping[str, Any],
    pictures: Sequence[bytes],
    *,
    home: str,
    where: str,
    tokens: TokenRenderer,
) -> list[Segment]:
    """The parts (segments) of a dialogue, with token ids.

    Args:
        fields, pictures: the result of `fields_of`.
        home: the folder from which relative paths start.
        tokens: the renderer that makes token ids for the trained model.

    Raises:
        UnusableRow: a picture is missing or cannot be read.
    """
    left = [
        Picture(data or _file(Path(home, path), where))
        for path, data in zip(fields["paths"], pictures, strict=True)
    ]
    special = re.compile(
        "|".join(sorted(map(re.escape, tokens.special_tokens), key=len, reverse=True)) or "(?!)"
    )
    segments: list[Segment] = []
    try:
        for number, (kind, text) in enumerate(fields["said"]):
            if kind == POLICY:
                segments.append(tokens.policy(Turn(text=text)))
                continue
            message = user(*_parts(_harmless(text, special), left))
            if number:
                segments.append(tokens.observation(message, segments[-1]))
            else:
                begin: list[Message] = (
                    [system(_harmless(fields["system"], special))] if fields["system"] else []
                )
                segments.append(tokens.opening([*begin, message]))
    except PictureError as error:
        raise UnusableRow(
            RowFault.PICTURE_FILE, where, f"a picture cannot be read ({error})"
        ) from error
    return segments


def _harmless(text: str, special: re.Pattern[str]) -> str:
    return special.sub(lambda found: found.group()[0] + _BREAK + found.group()[1:], text)


def _parts(text: str, left: list[Picture]) -> list[str | Picture]:
    """Splits a text at its placeholders, and puts pictures from `left` in their places."""
    parts: list[str | Picture] = []
    for number, piece in enumerate(text.split(IMAGE)):
        if number:
            parts.append(left.pop(0))
        if piece:
            parts.append(piece)
    return parts


def _file(path: Path, where: str) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UnusableRow(
            RowFault.PICTURE_FILE, where, f"{path} cannot be read ({error.strerror})"
        ) from error
