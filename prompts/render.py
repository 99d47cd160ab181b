"""Turns a role and its values into chat messages.

A template (`templates/<role>.txt`) has two parts: the system message, a line `=== user`, and the
user's message. The reply's schema gives a description of the reply, which ends the user's message:
models follow best what they read last. Endpoints without structured output see the description too.
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
    """A task for a model: its name, which is also the template's name, and the schema of the reply."""

    name: str
    reply: type[BaseModel]

    @functools.cached_property
    def source(self) -> str:
        """The text of the template."""
        return (TEMPLATES / f"{self.name}.txt").read_text(encoding="utf-8")

    @functools.cached_property
    def version(self) -> str:
        """Hash of everything that shapes the prompt except the values: template, reply schema, shared notice."""
        return sha256_hex(
            canonical_json(
                [self.source, self.reply.model_json_schema(), NOTICE, reply_outline(self.reply)]
            )
        )[:VERSION_DIGITS]


@dataclass(frozen=True)
class Prompt:
    """A rendered prompt: messages and the schema that the reply must have."""

    role: str
    version: str
    messages: tuple[Message, ...]
    reply: type[BaseModel]

    @property
    def text(self) -> str:
        """All text of the messages, for people and golden files. Only a placeholder stands for each picture."""
        return "".join(
            f"[{message.role}]\n"
            + "".join(f"{p}\n" if isinstance(p, str) else "[picture]\n" for p in message.parts)
            for message in self.messages
        )


def language_name(code: str) -> str:
    """The name of a language in prompts: its English name where known, with the code of its
    Wikipedia edition.

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
    """Renders the prompt of a role.

    Args:
        role: one of `questloom.prompts.roles.ROLES`.
        pictures: pictures that stand before the text of the user's message, in order.
        guidance: text that a recipe adds to the system message.
        values: values for the names in the template. Retrieved text must come from
            `questloom.prompts.fence.fenced(...)`. Every other string is put on one line and
            shortened.

    Raises:
        jinja2.UndefinedError: the template names a value that was not passed.
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
    """The fields of the reply in words, from its schema."""
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
    """The type of a field in words, and the model of its elements."""
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
