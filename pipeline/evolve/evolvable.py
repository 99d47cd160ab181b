"""Finds the recipe fields that the loop may change: those with an annotation
`questloom.records.evolves.Evolves`. An edit moves a field by one step."""

import dataclasses
import json
import typing
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from questloom.pipeline.recipe import Recipe, recipe_of
from questloom.records.evolves import Evolves

METHODS = {
    "draft.explore.": {"exploration"},
    "seeds.abilities.": {"exploration"},
    "draft.hops.": {"paths"},
    "draft.rounds.": {"injection"},
    "draft.detail_share": {"paths", "injection"},
    "draft.computation_share": {"paths", "injection"},
}
"""For the beginning of a field's path, the writing methods (ways to make a question) that use the
field. A field whose path has none of these beginnings is used by all writing methods."""


@dataclass(frozen=True)
class Field:
    """A recipe value that the loop may change."""

    path: str
    """The path of the setting, such as "seeds.levels.hard". A pair of values has two paths, one for
    each end, such as "enhancement.blur.0".
    """
    rules: Evolves
    value: Any


def fields_of(recipe: Recipe) -> dict[str, Field]:
    """All fields of a recipe by path, with their values. A mapping has one field for each key,
    including the keys that its annotation `Evolves` names but the recipe leaves out.

    Some fields are used only by certain writing methods. If the recipe never chooses a writing
    method that uses a field, the field is left out.
    """
    drawn = {method for method, weight in recipe.seeds.methods.items() if weight}
    return {
        field.path: field
        for field in _of(recipe, "")
        if all(
            drawn & methods for begin, methods in METHODS.items() if field.path.startswith(begin)
        )
    }


def _of(part: Any, prefix: str) -> Iterator[Field]:
    for name, hint in typing.get_type_hints(type(part), include_extras=True).items():
        value, path = getattr(part, name), f"{prefix}{name}"
        rules = next(
            (each for each in getattr(hint, "__metadata__", ()) if isinstance(each, Evolves)), None
        )
        if rules is None:
            if dataclasses.is_dataclass(value):
                yield from _of(value, f"{path}.")
        elif isinstance(value, Mapping):
            keys = {**dict.fromkeys(rules.keys, rules.absent), **value}
            yield from (Field(f"{path}.{key}", rules, keys[key]) for key in sorted(keys))
        elif isinstance(value, tuple):
            yield from (Field(f"{path}.{place}", rules, each) for place, each in enumerate(value))
        else:
            yield Field(path, rules, value)


def stepped(field: Field, direction: int) -> Any:
    """The value after one step up (1) or down (-1); None if the field is at its bound, or is a text.

    >>> stepped(Field("x", Evolves("paths", 0, 1, 0.25), 0.9), 1), stepped(Field("x", Evolves("paths", 1, 4, 1), 1), -1)
    (1, None)
    >>> stepped(Field("x", Evolves("filters"), False), 1), stepped(Field("x", Evolves("pictures", choices=("none", "optional")), "none"), 1)
    (True, 'optional')
    """
    rules, value = field.rules, field.value
    if rules.max_chars:
        return None
    if rules.choices:
        if value not in rules.choices:
            return None
        place = rules.choices.index(value) + direction
        return rules.choices[place] if 0 <= place < len(rules.choices) else None
    if isinstance(value, bool):
        on = direction == 1
        return None if value is on else on
    moved = min(rules.high, max(rules.low, value + direction * rules.step))
    if (moved - value) * direction <= 0:  # at its bound, or beyond the opposite bound
        return None
    return (
        int(moved) if isinstance(value, int) and float(rules.step).is_integer() else round(moved, 6)
    )


def allowed(field: Field, value: Any) -> bool:
    """Whether a value is within a field's bounds and has the field's type."""
    rules = field.rules
    if rules.max_chars:
        return isinstance(value, str) and len(value) <= rules.max_chars
    if rules.choices:
        return value in rules.choices
    if isinstance(field.value, bool) or isinstance(value, bool):
        return isinstance(field.value, bool) and isinstance(value, bool)
    return isinstance(value, int | float) and rules.low <= value <= rules.high


def with_value(recipe: Recipe, path: str, value: Any) -> Recipe:
    """The recipe with one field changed.

    Raises:
        InputError: the recipe refuses the value.
    """
    data = json.loads(json.dumps(recipe.resolved()))
    node = data
    *parents, last = path.split(".")
    for name in parents:
        node = node[int(name)] if isinstance(node, list) else node.setdefault(name, {})
    node[int(last) if isinstance(node, list) else last] = value
    return recipe_of(data, path)
