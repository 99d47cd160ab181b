"""Structured replies: asks a model for JSON that fits a schema, and reads the JSON from the reply."""

import functools
import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema
from pydantic import BaseModel, ValidationError

from questloom.models.endpoints import Structured
from questloom.records.errors import QuestloomError
from questloom.records.identity import canonical_json

MAX_REPLY_CHARS = 200_000
MAX_STARTS = 200
"""Maximum number of brackets that are tried as the start of a JSON value in one reply.

The limit keeps hostile text from taking quadratic time.
"""

Schema = type[BaseModel] | dict[str, Any]

_BRACKET = re.compile(r"[{\[]")
_THOUGHT = re.compile(r"^.*?</think>", re.DOTALL)
_REFUSAL = re.compile(
    r"^\W*(?:(?:i['’]?m|i am|my)?\s*(?:very |so |truly )?(?:sorry|apologies|apologi[sz]e)\b.{0,60}?)?"
    r"(?:\bi\s+(?:can['’]?t|cannot|can not|won['’]?t|will not|must decline|decline to)\b"
    r"|\bi\s*(?:['’]?m| am)\s+(?:unable|not able|not allowed)\b"
    r"|\bas an ai\b|抱歉|对不起|很遗憾|我(?:不能|无法))",
    re.IGNORECASE | re.DOTALL,
)


class BadReply(QuestloomError):
    """A model's reply could not be used, even after a second attempt.

    The item of an unusable reply is rejected (`Reason.BAD_REPLY`), and the run continues.

    Args:
        role: role of the model.
        why: a sentence that says what is wrong with the reply.
        text: shortened text of the reply.
    """

    def __init__(self, role: str, why: str, text: str) -> None:
        super().__init__(role, why, text[:500])
        self.role, self.why, self.text = role, why, text[:500]

    def __str__(self) -> str:
        return f"{self.role}: {self.why}"


class RefusedReply(BadReply):
    """The model declined to answer. See `Reason.REFUSED`."""


def is_refusal(text: str) -> bool:
    """Whether a short text declines to answer, judged by its first words (English and Chinese).

    >>> is_refusal("I'm sorry, but I can't help with that."), is_refusal("The tower cannot be seen.")
    (True, False)
    """
    return len(text) < 1_000 and _REFUSAL.match(text) is not None


@functools.lru_cache(maxsize=256)
def _model_schema(schema: type[BaseModel]) -> dict[str, Any]:
    return schema.model_json_schema()


def json_schema(schema: Schema) -> dict[str, Any]:
    """The JSON schema of a pydantic model; a JSON schema is returned unchanged."""
    return schema if isinstance(schema, dict) else _model_schema(schema)


def response_format(schema: Schema, structured: Structured) -> dict[str, Any] | None:
    """The field `response_format` of the request, as strict as the endpoint supports."""
    if structured == "none":
        return None
    if structured == "json_object":
        return {"type": "json_object"}
    wanted = json_schema(schema)
    name = re.sub(r"\W", "_", str(wanted.get("title", "reply")), flags=re.ASCII)[:64]
    return {
        "type": "json_schema",
        "json_schema": {"name": name, "schema": wanted, "strict": _is_strict(wanted)},
    }


def _is_strict(schema: Any) -> bool:
    """Whether an endpoint's strict mode accepts the schema: closed objects, all fields required (OpenAI, structured
    outputs).
    """
    if isinstance(schema, list):
        return all(map(_is_strict, schema))
    if not isinstance(schema, dict):
        return True
    if schema.get("type") == "object" and (
        schema.get("additionalProperties") is not False
        or set(schema.get("properties", {})) != set(schema.get("required", ()))
    ):
        return False
    return all(map(_is_strict, schema.values()))


def instructions(schema: Schema) -> str:
    """The instruction to a model whose endpoint does not enforce a schema."""
    return f"Reply with one JSON value that fits this JSON schema, and with nothing else:\n{canonical_json(json_schema(schema))}"


def correction(why: str) -> str:
    """The message to a model whose reply could not be used."""
    return f"That reply cannot be used: {why[:1_000]}\nSend the corrected JSON value, and nothing else."


def parse(text: str, schema: Schema) -> Any:
    """Reads the value from a reply: an instance of the pydantic model, or JSON that fits the JSON schema.

    Thoughts before `</think>` are dropped. If the text contains several JSON values, in prose or code fences, the last
    value that fits is taken.

    Raises: ValueError: no value fits; the message says what is wrong, in words that a model can act on.
    """
    if len(text) > MAX_REPLY_CHARS:
        raise ValueError(f"the reply is longer than {MAX_REPLY_CHARS:,} characters")
    problem = "it holds no JSON value"
    for value in reversed(list(_json_values(_THOUGHT.sub("", text)))):
        try:
            return _validated(value, schema)
        except ValueError as error:
            problem = str(error)
    raise ValueError(problem)


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant)


def _json_values(text: str) -> Iterator[Any]:
    """Yields the outermost JSON values of a text: the whole text if it is JSON, else each object or array in it."""
    try:
        yield _DECODER.decode(text.strip())
        return
    except (ValueError, RecursionError):
        pass
    start = 0
    for _ in range(MAX_STARTS):
        found = _BRACKET.search(text, start)
        if found is None:
            return
        try:
            value, start = _DECODER.raw_decode(text, found.start())
            yield value
        except (ValueError, RecursionError):
            start = found.start() + 1


def _validated(value: Any, schema: Schema) -> Any:
    if isinstance(schema, dict):
        error = jsonschema.exceptions.best_match(
            _validator(canonical_json(schema)).iter_errors(value)
        )
        if error is not None:
            raise ValueError(f"{error.json_path}: {error.message[:500]}")
        return value
    try:
        return schema.model_validate(value)
    except ValidationError as error:
        raise ValueError(
            "; ".join(
                f"{'.'.join(map(str, e['loc'])) or 'value'}: {e['msg']}" for e in error.errors()[:5]
            )
        ) from None


@functools.lru_cache(maxsize=256)
def _validator(schema: str) -> jsonschema.Draft202012Validator:
    return jsonschema.Draft202012Validator(json.loads(schema))
