"""Edits of a recipe: how an edit is written, how it is applied, and which rules all edits obey."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from questloom.pipeline.evolve.evolvable import Field, allowed, fields_of, stepped, with_value
from questloom.pipeline.recipe import Recipe
from questloom.pipeline.synth.settings_check import check_settings
from questloom.prompts.fence import inline
from questloom.records.errors import InputError
from questloom.records.identity import canonical_json

Action = Literal["set", "append", "replace", "rewrite"]
MAX_TEXT = 300
"""One edit may add at most this number of characters to a text."""
HANDLE = "<image:"


@dataclass(frozen=True, kw_only=True)
class Edit:
    """An edit: a single change of one field."""

    action: Action
    """`set` changes a number, a switch or a word. `append` adds to a text, `replace` changes a part
    of a text, and `rewrite` replaces the whole text."""
    path: str
    before: Any
    after: Any
    stage: str
    cause: str
    tasks: tuple[str, ...]
    """The tasks that show the cause of the edit."""
    why: str

    @property
    def key(self) -> str:
        """The key of the edit in the list of failed edits, which are not tried again."""
        return canonical_json([self.path, self.after])


def step(
    field: Field, direction: int, *, stage: str, cause: str, tasks: Sequence[str], why: str
) -> Edit | None:
    """An edit that moves the field by one step; None if the field is at its bound."""
    after = stepped(field, direction)
    if after is None:
        return None
    return Edit(
        action="set",
        path=field.path,
        before=field.value,
        after=after,
        stage=stage,
        cause=cause,
        tasks=tuple(tasks),
        why=why,
    )


def applied(recipe: Recipe, edits: Sequence[Edit]) -> Recipe:
    """The recipe with the edits applied."""
    for edit in edits:
        recipe = with_value(recipe, edit.path, edit.after)
    return recipe


def refusal(
    edit: Edit,
    recipe: Recipe,
    *,
    citable: Mapping[str, Collection[str]],
    dead_ends: Collection[str],
    earlier: Collection[str],
    least: int,
) -> str:
    """Why an edit is not allowed; "" for an allowed edit.

    Args:
        recipe: the recipe to edit.
        citable: for each cause, the tasks that show the cause. Tasks spoiled by a provider's faults
            are left out.
        dead_ends: the keys of edits that were rolled back.
        earlier: the paths that this round has already edited.
        least: the number of tasks that an edit must cite.
    """
    field = fields_of(recipe).get(edit.path)
    if field is None:
        return "is no field that may change"
    if canonical_json(field.value) != canonical_json(edit.before):
        return f"the field is {field.value!r}, not {edit.before!r}"
    cited = set(edit.tasks) & set(citable.get(edit.cause, ()))
    if len(cited) < least:
        return f"rests on {len(cited)} tasks of this round in which the cause was found, and {least} are needed"
    if not allowed(field, edit.after):
        return f"{edit.after!r} is out of bounds"
    if edit.key in dead_ends:
        return "was tried and rolled back"
    if edit.path in earlier:
        return "the field is edited already"
    return _refused_text(edit) if field.rules.max_chars else _refused_step(field, edit, recipe)


def _refused_text(edit: Edit) -> str:
    if edit.action == "set":
        return "a text is appended to, replaced in part or rewritten"
    if len(edit.after) - len(edit.before) > MAX_TEXT:
        return f"adds more than {MAX_TEXT} characters to a prompt"
    if HANDLE in edit.after:
        return "names a picture by its number"
    return "changes nothing" if edit.after == edit.before else ""


def _refused_step(field: Field, edit: Edit, recipe: Recipe) -> str:
    if edit.action != "set":
        return f"{edit.action} is for texts"
    if edit.after not in (stepped(field, 1), stepped(field, -1)):
        return f"is no single step from {field.value!r}"
    try:
        check_settings(with_value(recipe, edit.path, edit.after))
    except InputError as error:
        return inline(error, 200)
    return ""
