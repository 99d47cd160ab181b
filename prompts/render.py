"""Turns a role (a task for a model) and its values into chat messages.

A template (`templates/<role>.txt`) contains the system message, then a line `=== user`, then the
user's message. The user's message ends with a description of the reply, which is made from the
reply's schema. The description comes last because models follow best what they read last. The
description is the same whether or not the endpoint can enforce the schema.
"""

import functools
import typing
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from questloom.models.messages import Message, Picture
from questloom.prompts.fence import NOTICE, Fenced, inline
from questloom.records.identity import canonical_json, sha256_hex

if TYPE_CHECKING:
    import jinja2

TEMPLATES = Path(__file__).parent / "templates"
PARTS = "=== user\n"
VERSION_DIGITS = 12

LANGUAGES = {
    "ar": "Arabic",
    "ca": "Catalan",
    "cs": "Czech",
    "da": "Danish",
    "de": "German",
    "el": "Greek",
    "en": "English",
    "es": "Spanish",
    "fa": "Persian",
    "fi": "Finnish",
    "fr": "French",
    "he": "Hebrew",
    "hi": "Hindi",
    "hu": "Hungarian",
    "id": "Indonesian",
    "it": "Italian",
    "ja": "Japanese",
    "ko": "Korean",
    "nl": "Dutch",
    "no": "Norwegian",
    "pl": "Polish",
    "pt": "Portuguese",
    "ro": "Romanian",
    "ru": "Russian",
    "sv": "Swedish",
    "th": "Thai",
    "tr": "Turkish",
    "uk": "Ukrainian",
    "vi": "Vietnamese",
    "zh": "Chinese",
}


@dataclass(frozen=True)
class ModelTask:
    """A task for a model. The task has a name, which is also the name of its template, and a schema
    for the reply."""

    name: str
    reply: type[BaseModel]

    @functools.cached_property
    def source(self) -> str:
        """The text of a template, as it is in the file."""
        return (TEMPLATES / f"{self.name}.txt").read_text(encoding="utf-8")

    @functools.cached_property
    def version(self) -> str:
        """A hash of everything in a prompt except the values: the template, the schema of the
        reply, and the notice that all prompts share."""
        return sha256_hex(
            canonical_json(
                [self.source, self.reply.model_json_schema(), NOTICE, reply_outline(self.reply)]
            )
        )[:VERSION_DIGITS]


@dataclass(frozen=True)
class Prompt:
    """A prompt that is ready to send: the messages, and the schema that the reply must fit."""

    role: str
    version: str
    messages: tuple[Message, ...]
    reply: type[BaseModel]

    @property
    def text(self) -> str:
        """The text of all messages, for people to read and for the golden files of tests. Each
        picture is replaced by a placeholder."""
        return "".join(
            f"[{message.role}]\n"
            + "".join(f"{p}\n" if isinstance(p, str) else "[picture]\n" for p in message.parts)
            for message in self.messages
        )


def language_name(code: str) -> str:
    """The name of a language as prompts write it. Prompts use the English name (if known) with the
    language code of the Wikipedia.

    >>> language_name("ca")
    'Catalan (ca)'
    """
    return (
        f"{LANGUAGES[code]} ({code})"
        if code in LANGUAGES
        else f'the language with the code "{code}"'
    )


def render(
    role: ModelTask, /, *, pictures: tuple[Picture, ...] = (), guidance: str = "", **values: Any
) -> Prompt:
    """Makes the messages for a role.

    Args:
        role: the name of one of `questloom.prompts.roles.ROLES`.
        pictures: the pictures that come before the text of the user's message, in order.
        guidance: additional text for the system message, which a recipe may contain.
        values: the values for the names that the template contains. Text from outside must be a
            block made by `questloom.prompts.fence.fenced(...)`. Every other text is shortened and
            put on one line.

    Raises:
        jinja2.UndefinedError: the template uses a value that the caller has not passed.
    """
    template = _environment().from_string(role.source)
    system, found, user = template.render(**values).partition(PARTS)
    assert found, f"{role.name}.txt has no line {PARTS!r}"
    told = "\n\n".join(part for part in (system.strip(), guidance.strip(), NOTICE) if part)
    messages = (
        Message("system", (told,)),
        Message("user", (*pictures, f"{user.strip()}\n\n{reply_outline(role.reply)}")),
    )
    return Prompt(role=role.name, version=role.version, messages=messages, reply=role.reply)


@functools.cache
def _environment() -> "jinja2.Environment":
    import jinja2  # listing the roles does not need jinja2

    return jinja2.Environment(
        undefined=jinja2.StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=lambda value: (
            value if isinstance(value, Fenced | jinja2.Undefined) else inline(value)
        ),
    )


def reply_outline(reply: type[BaseModel]) -> str:
    """Describes the fields of a reply in words, as the schema defines them."""
    return "\n".join(
        [
            "Reply with one JSON object and nothing before or after it. Its fields, in this order:",
            *_outline(reply, 0),
        ]
    )


def _outline(model: type[BaseModel], depth: int) -> list[str]:
    lines = []
    for name, field in model.model_fields.items():
        kind, nested = _kind(field.annotation)
        about = f" — {field.description}" if field.description else ""
        lines.append(
            f"{'  ' * depth}- {name}: {kind}{_bound(field)}{about}"
            + ("; each with" if nested else "")
        )
        lines.extend(_outline(nested, depth + 1) if nested else ())
    return lines


def _kind(hint: Any) -> tuple[str, type[BaseModel] | None]:
    """The type of a field in words, and, for a field that holds objects, their pydantic model."""
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is typing.Literal:
        return "one of " + ", ".join(f'"{a}"' for a in args), None
    if origin is typing.Annotated:
        return _kind(args[0])
    if origin is list:
        inner, nested = _kind(args[0])
        return f"list of {inner}s", nested
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        return "object", hint
    if args:
        return " or ".join(_kind(a)[0] for a in args), None
    return {
        str: "string",
        int: "integer",
        float: "number",
        bool: "true or false",
        type(None): "null",
    }[hint], None


def _bound(field: FieldInfo) -> str:
    most = [m.max_length for m in field.metadata if hasattr(m, "max_length")]
    unit = "" if typing.get_origin(field.annotation) is list else " characters"
    return f", at most {most[0]}{unit}" if most else ""
