"""Reads a chat server's answer as one completion, whatever form the server sends.

`whole` turns the body of a response into one JSON completion. The body may be a completion, a
stream of pieces, or lines of JSON. `read_completion` reads the JSON that `whole` returns. `whole`
and `read_completion` raise `CallFault` for an error inside status 200. An error inside status 200
is the provider's fault: the call is tried again, charged to nobody, and never cached.
"""

from dataclasses import dataclass
from typing import Any

import orjson

from questloom.calls.attempts import Status
from questloom.calls.retry import CallFault
from questloom.models.event_stream import joined
from questloom.models.message_parts import loaded, name_and_arguments, parse_message_or_delta, sound
from questloom.models.provider_error import error_in, fault_of_error

CUT = frozenset(
    {"length", "max_tokens", "max_output_tokens", "model_length", "model_context_window_exceeded"}
)
FILTERED = frozenset(
    {
        "content_filter",
        "content_filtered",
        "safety",
        "sensitive",
        "recitation",
        "prohibited_content",
        "blocklist",
        "spii",
        "refusal",
    }
)
BROKEN = frozenset(
    {
        "error",
        "abort",
        "aborted",
        "cancelled",
        "canceled",
        "timeout",
        "failed",
        "network_error",
        "insufficient_system_resource",
    }
)
"""Values of `finish_reason` that servers send for a broken reply, not for a cut or filtered one."""


@dataclass(frozen=True, slots=True)
class Completion:
    """One reply of a model."""

    text: str
    reasoning: str
    """The model's thought, if the server separated it from the text."""
    refusal: str
    """The reason why the model or its provider declined."""
    calls: tuple[tuple[str, str], ...]
    """Native tool calls, as pairs of name and arguments.

    The arguments of a tool call are JSON, or the text that the model wrote instead of JSON; "" if
    the model wrote nothing.
    """
    finish_reason: str
    """The reason that the server gives for the end of the reply. Whatever word the server uses, a
    cut reply has the reason "length", and a filtered reply has the reason "content_filter"."""
    usage: tuple[int, int] | None
    """The numbers of input and output tokens, if the server states both."""


def whole(raw: bytes, provider: str) -> bytes:
    """Turns the body of a response into one completion as JSON, ready for the cache.

    Args:
        raw: body of a response with status 200.

    Raises: CallFault: the body contains an error, no reply, or only a part of a reply.
    """
    body = raw.removeprefix(b"\xef\xbb\xbf").strip()
    if body[:1] in (b"{", b"["):
        try:
            loaded(body)
        except ValueError:
            if b"\n" not in body:
                raise _no_completion(provider, raw) from None
        else:
            read_completion(body, provider)
            return body
    made = joined(body, provider)
    if made is None:
        raise _no_completion(provider, raw)
    body = orjson.dumps(made)
    read_completion(body, provider)
    return body


def read_completion(body: bytes, provider: str) -> Completion:
    """Reads a completion that `whole` made, including one from the cache of an earlier version.

    Raises:
        CallFault: as for `whole`.
    """
    try:
        said = loaded(body)
    except ValueError:
        raise _no_completion(provider, body) from None
    if (error := error_in(said)) is not None:
        raise fault_of_error(provider, error)
    choices = said.get("choices") if isinstance(said, dict) else None
    if not isinstance(choices, list) or not choices or not isinstance(choices[0], dict):
        raise CallFault(
            provider,
            f"status 200 without a chat completion, but {_shown(body)}",
            Status.SERVER_ERROR,
        )
    choice = choices[0]
    finish = choice.get("finish_reason") or ""
    finish = str(finish.get("type", "") if isinstance(finish, dict) else finish)
    finish = {**dict.fromkeys(CUT, "length"), **dict.fromkeys(FILTERED, "content_filter")}.get(
        finish.lower(), finish
    )
    message = (
        choice.get("message")
        or choice.get("delta")
        or ({"content": choice["text"]} if isinstance(choice.get("text"), str) else None)
    )
    error = next(
        (
            found
            for part in (choice, message)
            if isinstance(part, dict)
            and (found := error_in({"error": part.get("error")})) is not None
        ),
        None,
    )
    if error is not None or finish.lower() in BROKEN:
        raise fault_of_error(
            provider, error or f"the reply ended with finish_reason {finish!r}", begun=True
        )
    if message is None and finish == "content_filter":
        message = {}
    if not isinstance(message, dict) or not isinstance(
        message.get("content"), str | list | dict | None
    ):
        raise _no_completion(provider, body)
    told = parse_message_or_delta(message)
    refusal = told.refusal or ("content filter" if finish == "content_filter" else "")
    calls = [name_and_arguments(call) for call in told.calls]
    return Completion(
        sound(told.text),
        sound(told.thought),
        sound(refusal),
        tuple((sound(name), sound(arguments)) for name, arguments in calls),
        finish,
        _usage(said.get("usage")),
    )


def _usage(told: Any) -> tuple[int, int] | None:
    """The numbers of input and output tokens; None if one number is missing, or if both are 0.

    A count of 0 is wrong, because no real request uses 0 tokens.
    """
    if not isinstance(told, dict):
        return None
    tokens_in = _count(told.get("prompt_tokens", told.get("input_tokens")))
    tokens_out = _count(told.get("completion_tokens", told.get("output_tokens")))
    return (
        (tokens_in, tokens_out)
        if tokens_in is not None and tokens_out is not None and tokens_in + tokens_out
        else None
    )


def _count(told: Any) -> int | None:
    """Reads a token count that a server sent as a number or as text; None for anything else."""
    try:
        number = (
            float(told)
            if isinstance(told, str | int | float) and not isinstance(told, bool)
            else -1.0
        )
    except (ValueError, OverflowError):
        return None
    return int(number) if 0 <= number < 2**53 else None


def _shown(raw: bytes) -> str:
    return repr(raw[:200].decode("utf-8", "replace") or "nothing")


def _no_completion(provider: str, raw: bytes) -> CallFault:
    """Makes the fault for a body with status 200 that is not a completion, as some gateways send.
    The fault says that the provider may have charged for the call.
    """
    return CallFault(
        provider, f"status 200 without a chat completion, but {_shown(raw)}", Status.BAD_RESPONSE
    )
