"""Writes the reference pages of all settings. The pages are made from the dataclasses of the
settings, and give each setting's key, default, allowed values and purpose."""

import ast
import dataclasses
import functools
import inspect
import itertools
import json
import textwrap
import types
import typing
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import annotated_types
from pydantic import BaseModel

from questloom.pipeline.recipe import Recipe
from questloom.train.settings.grpo_settings import GrpoSettings
from questloom.train.settings.training_settings import SftSettings

LIMITS = {
    annotated_types.Ge: ("≥", "ge"),
    annotated_types.Gt: (">", "gt"),
    annotated_types.Le: ("≤", "le"),
    annotated_types.Lt: ("<", "lt"),
}
MAX_DEFAULT_CHARS = 60


@dataclass(frozen=True)
class Setting:
    """A setting of a recipe or a trainer."""

    key: str
    """The path of the setting in a recipe and for `--set`, such as "draft.max_hub"."""
    default: str
    """The default as JSON; "" if the setting has no default."""
    allowed: str
    """The type of the value, and its limits."""
    help: str


@dataclass(frozen=True)
class Page:
    """A page about settings, as Markdown."""

    title: str
    preface: str
    kinds: Mapping[str, type]
    """The classes whose settings are on the page, each with its heading. If a page has a single
    class, this class needs no heading."""


PAGES = {
    "recipe": Page(
        "Settings of a recipe",
        "`questloom settings > recipes/REFERENCE.md` writes this page. A recipe is a YAML file that names what differs from the\n"
        "defaults, or from another recipe (`base: demo`). `--set KEY=VALUE` sets one on the command line.",
        {"": Recipe},
    ),
    "train": Page(
        "Settings of the trainers",
        "`questloom settings --of train > train/REFERENCE.md` writes this page. A trainer's YAML file names what differs from the\n"
        "defaults; `train/presets/` has the published ones. `--set KEY=VALUE` sets one on the command line.",
        {
            "Supervised fine-tuning: `python -m questloom.train.sft`": SftSettings,
            "GRPO, beside those: `python -m questloom.train.grpo`": GrpoSettings,
        },
    ),
}


def settings(
    kind: type = Recipe,
    prefix: str = "",
    told: dict[type, str] | None = None,
    filled: object = None,
) -> Iterator[Setting]:
    """All settings of a class and of its inner classes, in the order of the fields. The settings of
    a class are listed only once; later, the class is only named.

    Args:
        told: the classes that were listed earlier, each with the key under which it was listed.
        filled: an object of the class `kind` whose values are shown as the defaults, if there is
            one.
    """
    told = {} if told is None else told
    hints = typing.get_type_hints(kind, include_extras=True)
    helps = _helps(kind)
    for each in dataclasses.fields(kind):
        key, inner = prefix + each.name, _inner(hints[each.name])
        before = next((k for c, k in told.items() if inner and issubclass(c, inner)), "")
        default = getattr(filled, each.name) if filled is not None else _default(each)
        if inner is None or before:
            allowed = f"the keys of `{before}`" if before else _allowed(hints[each.name])
            yield Setting(key, _text(default), allowed, _help(each, helps))
        else:
            told[inner] = key
            yield from settings(
                inner, key + ".", told, default if isinstance(default, inner) else None
            )


def settings_lines(page: str, beginning: str) -> list[str]:
    """The settings on a page of `PAGES` whose keys begin with `beginning`. Each setting comes with
    its help text. If the page is about several classes, each line also names the class."""
    kinds, owners = PAGES[page].kinds, defaultdict[Setting, list[str]](list)
    for heading, kind in kinds.items():
        for each in settings(kind):
            if each.key.startswith(beginning):
                owners[each].append(heading.partition("`")[2].rstrip("`"))
    return [
        f"{each.key} = {each.default or '(must be given)'}    {each.allowed}"
        + (f"    ({', '.join(commands)})" if len(kinds) > 1 else "")
        + f"\n    {each.help}"
        for each, commands in owners.items()
    ]


def reference(page: str = "recipe") -> str:
    """A page of `PAGES` as Markdown: all its settings, with one table for each section."""
    shown = PAGES[page]
    parts = [f"# {shown.title}", shown.preface]
    before: set[Setting] = set()
    for heading, kind in shown.kinds.items():
        parts += [f"## {heading}"] if heading else []
        own = [each for each in settings(kind) if each not in before]
        before |= set(own)
        parts += _tables(own, "###" if heading else "##", "The run" if heading else "The recipe")
    return "\n\n".join(parts) + "\n"


def _tables(shown: list[Setting], level: str, whole: str) -> Iterator[str]:
    """Yields a heading and a table for each section. `whole` is the heading for keys that belong to
    no section."""
    found: dict[str, list[Setting]] = {}
    for each in shown:
        found.setdefault(each.key.partition(".")[0] if "." in each.key else "", []).append(each)
    for section, of_section in found.items():
        rows = [
            f"| `{each.key}` | {_cell(each.default)} | {each.allowed} | {each.help} |".replace(
                "\n", " "
            )
            for each in of_section
        ]
        yield "\n".join(
            [
                f"{level} {section or whole}",
                "",
                "| key | default | allowed | |",
                "|---|---|---|---|",
                *rows,
            ]
        )


def _cell(default: str) -> str:
    return f"`{default}`" if default else "must be given"


def _help(each: dataclasses.Field, helps: Mapping[str, str]) -> str:
    """The help text of a field, which is the docstring below the field. If a registry describes the
    field's choices, their meanings are added. The function `metadata["choices"]` returns the
    choices with their meanings.
    """
    choices = each.metadata.get("choices", dict)()
    words = (f"`{name}`: {meaning}" for name, meaning in choices.items())
    return " ".join([helps.get(each.name, ""), *words]).strip()


@functools.cache
def _helps(kind: type) -> dict[str, str]:
    """The docstrings below the fields of a dataclass, including the fields of its base classes."""
    found: dict[str, str] = {}
    for base in reversed(kind.__mro__):
        if not dataclasses.is_dataclass(base) or base.__module__ == "types":
            continue
        (body,) = (node.body for node in ast.parse(textwrap.dedent(inspect.getsource(base))).body)  # type: ignore[attr-defined]
        for node, after in itertools.pairwise(body):
            is_field = isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name)
            if is_field and isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                found[node.target.id] = " ".join(str(after.value.value).split())
    return found


def _inner(hint: Any) -> type | None:
    """The settings class in the type of a field, which may be optional or allow several types; None
    if the type contains no settings class."""
    if dataclasses.is_dataclass(hint) and isinstance(hint, type):
        return hint
    return next((found for part in typing.get_args(hint) if (found := _inner(part))), None)


def _default(each: dataclasses.Field) -> Any:
    """The default value of a field; `MISSING` if the field has none."""
    if each.default_factory is not dataclasses.MISSING:
        return each.default_factory()
    return each.default


def _text(default: Any) -> str:
    """A default as JSON, shortened; "" if the field has none."""
    if default is dataclasses.MISSING:
        return ""
    text = json.dumps(default, ensure_ascii=False, default=list)
    return text if len(text) <= MAX_DEFAULT_CHARS else text[: MAX_DEFAULT_CHARS - 1] + "…"


def _allowed(hint: Any) -> str:
    """A type in words: "integer ≥ 1", "`graph` or `llm`", "list of text"."""
    origin, inner = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        limits = [
            f"{sign} {getattr(limit, name):g}"
            for limit in inner[1:]
            for sign, name in [LIMITS.get(type(limit), ("", ""))]
            if sign
        ]
        return " ".join([_allowed(inner[0]), ", ".join(limits)]).strip()
    if origin is typing.Literal:
        return " or ".join(f"`{value}`" for value in inner)
    if origin in (typing.Union, types.UnionType):
        return " or ".join("none" if part is type(None) else _allowed(part) for part in inner)
    if origin is tuple:
        parts = [part for part in inner if part is not Ellipsis]
        return (
            f"list of {_allowed(parts[0])}"
            if Ellipsis in inner
            else f"{len(parts)} times {_allowed(parts[0])}"
        )
    if origin is not None:
        return f"{_allowed(inner[0])}: {_allowed(inner[-1])}" if len(inner) > 1 else "list"
    if isinstance(hint, type) and issubclass(hint, BaseModel):
        return "a table: " + ", ".join(f"`{name}`" for name in hint.model_fields)
    return {str: "text", int: "integer", float: "number", bool: "true or false"}.get(hint, "any")
