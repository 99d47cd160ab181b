"""Joins the pieces of a streamed reply into one completion.

A stream holds server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html)
or lines of JSON.
"""

import re
from collections.abc import Iterator
from typing import Any

from questloom.calls.attempts import Status
from questloom.calls.retry import CallFault
from questloom.models.message_parts import (
    MessageContent,
    loaded,
    name_and_arguments,
    parse_message_or_delta,
    sound,
)
from questloom.models.provider_error import error_in, fault_of_error

LINE_END = re.compile(
    rb"\r\n|\n|\r"
)  # not `splitlines`, which also cuts at characters that a text may hold
DONE = b"[DONE]"
_END = re.compile(rb"(?:\A|[\r\n])(?:data:)?[ \t]*\[DONE\]")


def has_ended(stream: bytes | bytearray, start: int) -> bool:
    """Whether a stream contains its end mark `[DONE]` at or after byte `start`.

    Some servers keep the connection open after the end mark.
    """
    return _END.search(stream, max(0, start - len(b"\ndata: [DONE]"))) is not None


def joined(stream: bytes, provider: str) -> dict[str, Any] | None:
    """Joins the pieces of a stream into a completion; returns None if the stream has no event.

    Raises: CallFault: an event reports an error or is not JSON, or the stream ends before the reply ends.
    """
    reply = _Reply()
    num = 0
    for kind, data in _events(stream):
        num += 1
        if data == DONE:
            reply.ended = True
            break
        try:
            piece = loaded(data)
        except ValueError:
            if kind == "error":
                raise fault_of_error(
                    provider, data.decode("utf-8", "replace"), begun=True
                ) from None
            raise _cut(
                provider, f"an event that is no JSON ({data[:100].decode('utf-8', 'replace')!r})"
            ) from None
        error = error_in(piece)
        if error is not None or kind == "error":
            raise fault_of_error(
                provider, piece if error is None else error, begun=reply.choice is not None
            )
        if isinstance(piece, dict):
            reply.add(piece)
    if not num:
        return None
    if not reply.ended:
        raise _cut(provider, "a stream that ends before the reply does")
    return reply.completion()


def _cut(provider: str, what: str) -> CallFault:
    return CallFault(provider, f"status 200 with {what}", Status.CUT)


def _events(stream: bytes) -> Iterator[tuple[str, bytes]]:
    """Yields the kind and the data of each event.

    A line that is neither a field nor a comment counts as data, because some servers send plain
    lines of JSON.
    """
    kind, data = "", list[bytes]()
    for line in [*LINE_END.split(stream), b""]:
        name, colon, value = line.partition(b":")
        if line and name in (b"data", b"event", b"id", b"retry", b""):
            value = value.removeprefix(b" ")
            if name == b"event":
                kind = value.decode("utf-8", "replace").strip()
            elif name == b"data" and colon:
                data.append(value)
        elif line.strip():
            if line.lstrip()[:1] in (b"{", b"["):
                yield "", line.strip()
        elif data:
            yield from _dispatched(kind, data)
            kind, data = "", []


def _dispatched(kind: str, data: list[bytes]) -> Iterator[tuple[str, bytes]]:
    """As the standard says, all lines of data before an empty line give one event.

    Some servers leave out the empty lines between events; in that case each line is an event.
    """
    text = b"\n".join(data).strip()
    if len(data) > 1:
        try:
            loaded(text)
        except ValueError:
            yield from ((kind, line.strip()) for line in data if line.strip())
            return
    if text:
        yield kind, text


class _Reply:
    """A reply that is built while its pieces arrive. Only the first of several choices in a reply is used."""

    def __init__(self) -> None:
        self.message = MessageContent()
        self.calls: list[dict[str, Any]] = []
        self.choice: dict[str, Any] | None = None
        self.head: dict[str, Any] = {}
        self.usage: Any = None
        self.ended = False
        """Whether the stream sent its end mark, or the choice stated its finish reason."""

    def add(self, piece: dict[str, Any]) -> None:
        """Adds one streamed piece to the reply."""
        self.head = self.head or {
            name: piece[name] for name in ("id", "created", "model") if piece.get(name) is not None
        }
        self.usage = piece.get("usage") or self.usage
        choices = piece.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if isinstance(choice, dict) and str(choice.get("index") or 0) == "0":
                self._add(choice)

    def _add(self, choice: dict[str, Any]) -> None:
        told = {
            name: part[name]
            for part in (choice.get("delta"), choice)
            if isinstance(part, dict)
            for name in ("finish_reason", "error")
            if part.get(name)
        }
        self.choice = {**(self.choice or {}), **told}
        self.ended = self.ended or bool(told)
        if isinstance(
            choice.get("message"), dict
        ):  # a whole message: it repeats the text that came in pieces
            self.message, self.calls, self.ended = (
                parse_message_or_delta(choice["message"]),
                [],
                True,
            )
        delta = choice.get("delta")
        said = (
            parse_message_or_delta(delta)
            if isinstance(delta, dict)
            else MessageContent(text=choice["text"])
            if isinstance(choice.get("text"), str)
            else MessageContent()
        )
        self.message.text += said.text
        self.message.thought += said.thought
        self.message.refusal += said.refusal
        for call in said.calls:
            self._add_call(call)

    def _add_call(self, call: dict[str, Any]) -> None:
        """Adds a piece of a tool call to the call with the piece's index, or otherwise to the last call.

        Another call begins if the piece has a new id, or if it has a name although arguments have
        already come.
        """
        (name, arguments), index, number = (
            name_and_arguments(call),
            call.get("index"),
            call.get("id"),
        )
        mine = next(
            (known for known in reversed(self.calls) if index is None or known["index"] == index),
            None,
        )
        if (
            mine is None
            or (number and mine["id"] and number != mine["id"])
            or (index is None and name and mine["arguments"])
        ):
            mine = {"index": index, "id": number, "name": "", "arguments": ""}
            self.calls.append(mine)
        mine["id"], mine["name"] = mine["id"] or number, mine["name"] or name
        mine["arguments"] += arguments

    def completion(self) -> dict[str, Any]:
        """The joined completion; it has no choice if no piece had a choice."""
        said = self.message
        calls = [
            {
                "id": call["id"],
                "type": "function",
                "function": {"name": sound(call["name"]), "arguments": sound(call["arguments"])},
            }
            for call in self.calls
        ] or said.calls
        fields = {
            "reasoning_content": sound(said.thought),
            "refusal": sound(said.refusal),
            "tool_calls": calls,
        }
        message = {
            "role": "assistant",
            "content": sound(said.text),
            **{name: value for name, value in fields.items() if value},
        }
        choices = (
            []
            if self.choice is None
            else [{"index": 0, "finish_reason": None, **self.choice, "message": message}]
        )
        return {**self.head, "object": "chat.completion", "choices": choices, "usage": self.usage}
