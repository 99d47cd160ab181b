"""Reads settings into frozen dataclasses. People write the settings as YAML, or as `KEY=VALUE` on
the command line.

Every error message names the place of the fault, and says how to fix it. This module reads recipes,
settings files of trainers, and the front matter of cards.
"""

import difflib
import functools
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar, cast

import yaml
from pydantic import ConfigDict, TypeAdapter, ValidationError

from questloom.records.errors import InputError

S = TypeVar("S")
UNREADABLE = (
    yaml.YAMLError,
    ValueError,  # 2024-99-99 looks like a date; UnicodeError is a ValueError too
    LookupError,  # !!bool maybe, !!int ''
    AttributeError,  # !!timestamp soon
    OverflowError,
    RecursionError,
    OSError,
)
"""The exceptions that can occur while YAML is read. PyYAML builds values with Python's constructors
and does not catch their errors.
"""
UNKNOWN = ("unexpected_keyword_argument", "extra_forbidden", "invalid_key")
"""Pydantic's names for three faults: an unknown key in a dataclass, an unknown key in a model, and
a key that is not a text.
"""
OF_KEY = "[key]"
"""The last part of Pydantic's place for a fault of a mapping's key."""
MAX_CHARS = 200
"""Maximum number of characters of a user's text that an error message repeats."""


def read_settings_file(path: Path, *, example: str) -> dict[str, Any]:
    """Returns the mapping in a YAML file. The mapping is empty for an empty file.

    Args:
        example: a file or page that shows the expected format.

    Raises: InputError: the file cannot be read, or does not contain a mapping.
    """
    return _mapping(path, str, "Correct the file.", f"See {example}.")


def front_matter(text: str) -> str:
    """Returns the YAML at the head of a Markdown page, such as the card of a data set or a model.
    Returns "" if the page has no YAML.

    >>> front_matter("---\\nlicense: mit\\n---\\n# A data set\\n")
    'license: mit'
    """
    found = re.match(r"---\n(.*?)\n---", text, re.DOTALL)
    return found[1] if found else ""


def read_front_matter(path: Path, *, fix: str) -> dict[str, Any]:
    """Returns the mapping in the front matter of a Markdown file. The mapping is empty if the file
    has no front matter.

    Args:
        fix: advice for users who cannot correct the file.

    Raises: InputError: the file cannot be read, or its front matter does not contain a mapping.
    """
    return _mapping(path, front_matter, fix, fix)


def _mapping(
    path: Path, part: Callable[[str], str], fix_file: str, fix_shape: str
) -> dict[str, Any]:
    try:
        data = yaml.safe_load(part(path.read_text(encoding="utf-8"))) or {}
    except UNREADABLE as error:
        raise InputError(
            str(path), f"cannot be read as YAML ({_fault(error)})", fix_file
        ) from error
    if not isinstance(data, dict):
        raise InputError(str(path), "is no mapping of keys to values", fix_shape)
    return data


def set_key(data: dict[str, Any], override: str, *, example: str, reference: str) -> None:
    """Sets one key from a text `section.key=value`. The value is read as YAML. Missing sections are
    created.

    Args:
        example: a correct text `section.key=value`, for error messages.
        reference: the documentation page that lists the keys.

    Raises:
        InputError: the text has another form; or its key lies below a plain value; or its value is
            not YAML.
    """
    key, equals, text = override.partition("=")
    where = f"--set {override[:MAX_CHARS]}"
    if not equals or not key:
        raise InputError(where, "is not of the form section.key=value", f"For example {example}.")
    *parents, last = key.split(".")
    for name in parents:
        if data.get(name) is None:
            data[name] = {}
        data = data[name]
        if not isinstance(data, dict):
            raise InputError(where, f"{name} holds no keys", f"Check the key against {reference}.")
    try:
        data[last] = yaml.safe_load(text)
    except UNREADABLE as error:
        raise InputError(
            f"--set {key[:MAX_CHARS]}",
            f"its value cannot be read as YAML ({_fault(error)})",
            f"Correct it; for example {example}.",
        ) from error


def lay_over(base: Mapping[str, Any], data: Mapping[str, Any]) -> dict[str, Any]:
    """Merges `data` over `base`. Mappings are merged key by key, and other values are replaced as a
    whole.

    >>> lay_over({"a": {"b": 1, "c": [2]}}, {"a": {"c": [3]}})
    {'a': {'b': 1, 'c': [3]}}
    """
    both = {
        key: lay_over(base[key], value)
        for key, value in data.items()
        if isinstance(value, Mapping) and isinstance(base.get(key), Mapping)
    }
    return {**base, **data, **both}


@functools.cache
def settings_adapter(kind: Any) -> TypeAdapter[Any]:
    """Returns the Pydantic adapter that reads and writes a dataclass. The adapter refuses unknown
    keys at every level of nesting.

    The adapter of a class is made only once, because making it takes longer than reading a file.
    Pydantic accepts no `config` for a dataclass itself, but passes the `config` of a union to the
    union's members. The type of the adapter is therefore the union "dataclass or None".
    """
    return TypeAdapter(kind | None, config=ConfigDict(extra="forbid"))


def settings_of(kind: type[S], data: Mapping[str, Any], where: str) -> S:
    """Builds a settings object from a mapping.

    Args:
        kind: class of the settings, a frozen dataclass.
        where: name of the mapping in error messages.

    Raises:
        InputError: the data are not a mapping, or contain an unknown key, a value of a wrong type,
            or a value out of range.
    """
    if not isinstance(data, Mapping):  # stored files may hold anything
        raise InputError(where, "is no mapping of keys to values", "Correct it.")
    try:
        return cast(S, settings_adapter(cast(Any, kind)).validate_python(data))
    except ValidationError as error:
        errors = error.errors()
        # for a misspelt required key pydantic reports both faults, and the unknown key is the cause
        first = next((each for each in errors if _is_unknown(each)), errors[0])
        key = tuple(part for part in first["loc"] if part != OF_KEY)
        place = f"{where}, key {'.'.join(map(str, key))[:MAX_CHARS]}"
        if _is_unknown(first):
            raise InputError(place, "is unknown", _known_keys(kind, key, first["input"])) from error
        raise InputError(
            place,
            f"{first['msg']} (it is {repr(first['input'])[:MAX_CHARS]})",
            "Correct the value.",
        ) from error


def _fault(error: Exception) -> str:
    """Returns the reason why a text is not valid YAML, on one line."""
    if isinstance(error, RecursionError):
        return "it is nested too deeply"
    if isinstance(error, LookupError | AttributeError):
        return f"a value does not fit its tag: {type(error).__name__}: {error}"[:MAX_CHARS]
    return " ".join(str(error).split())[:300]


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A question that names the known word most similar to a misspelt one, or "" if none is.

    >>> did_you_mean("slcie", ["slice", "demo"]), did_you_mean("cities", ["slice", "demo"])
    ('Did you mean slice? ', '')
    """
    near = difflib.get_close_matches(word, list(known), n=1)
    return f"Did you mean {near[0]}? " if near else ""


def _is_unknown(error: Any) -> bool:
    """Whether a fault that Pydantic found is an unknown key."""
    of_closed_mapping = error["type"] == "literal_error" and error["loc"][-1] == OF_KEY
    return of_closed_mapping or error["type"] in UNKNOWN


def _holds_keys(schema: Mapping[str, Any]) -> bool:
    """Whether a setting with this JSON schema is a section or another mapping."""
    options = (schema, *schema.get("anyOf", ()))
    return any("$ref" in each or each.get("type") == "object" for each in options)


def _known_keys(kind: type, place: tuple[int | str, ...], value: object) -> str:
    """Returns advice about an unknown key. The advice names the most similar known key, or all
    known keys. A key whose value is a mapping is likelier meant for another mapping.
    """
    node = schema = settings_adapter(kind).json_schema()
    *parents, key = place
    for part in [None, *parents]:
        if part is not None:
            node = (
                node["items"]
                if isinstance(part, int)
                else node.get("properties", {}).get(part) or node["additionalProperties"]
            )
        name = next(
            (
                option["$ref"].rpartition("/")[2]
                for option in (node, *node.get("anyOf", ()))
                if "$ref" in option
            ),
            "",
        )
        node = schema["$defs"].get(name, node)
    found = node.get("properties") or {name: {} for name in node["propertyNames"]["enum"]}
    near = difflib.get_close_matches(str(key), found)
    near.sort(key=lambda name: _holds_keys(found[name]) != isinstance(value, Mapping))
    return (
        f"Did you mean {'.'.join(map(str, (*parents, near[0])))}?"
        if near
        else f"Known keys there: {', '.join(sorted(found))}."
    )
