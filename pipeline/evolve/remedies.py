"""Chooses the edits that may cure a finding. The measured proposer chooses the edits by measured
figures. For comparison, another proposer edits fields at random."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from operator import attrgetter
from statistics import fmean
from typing import Any

from questloom.agent.tool_settings import ToolName
from questloom.pipeline.evolve.edits import Edit, applied, step
from questloom.pipeline.evolve.evolvable import Field, fields_of
from questloom.pipeline.evolve.tags import Tag
from questloom.pipeline.evolve.task_row import TaskRow
from questloom.pipeline.recipe import Recipe
from questloom.pipeline.synth.settings_check import check_settings
from questloom.records.errors import InputError
from questloom.records.identity import chance
from questloom.transforms.filters import registry

Move = tuple[str, int]
"""The path of a field, and the direction in which one step changes the field."""
REMEDIES: dict[str, tuple[Move, ...]] = {
    **{
        each.name: ((f"filters.{each.name}", 1), *each.in_loop.remedies)
        for each in registry.FILTERS
        if each.in_loop
    },
    "not_grounded": (("grounding.mode", 1), ("grounding.margin", 1)),
    "rival_fits": (("certificate.margin", 1), ("filters.solvable", 1)),
    "ambiguous_answer": (("certificate.margin", 1),),
    "unsolved": (
        ("filters.solvable", 1),
        ("filters.oracle", 1),
        ("grounding.mode", 1),
        ("certificate.margin", 1),
    ),
    "few_sources": (("seeds.levels.hard", 1), ("draft.hops.easy", 1), ("draft.rounds.easy", 1)),
    "one_chain": (
        ("draft.detail_share", 1),
        ("draft.computation_share", 1),
        ("seeds.abilities.perception+search+reasoning", 1),
        ("enhancement.share", 1),
    ),
}
"""For each cause, the moves (steps of a field) in the order in which they are tried."""
HARDER: tuple[Move, ...] = (
    ("seeds.levels.easy", -1),
    ("seeds.levels.hard", 1),
    ("draft.detail_share", 1),
    ("draft.computation_share", 1),
    ("seeds.abilities.perception+search+reasoning", 1),
    ("seeds.abilities.perception", -1),
    ("draft.hops.easy", 1),
    ("draft.rounds.easy", 1),
    ("enhancement.share", 1),
    ("draft.hops.medium", 1),
    ("draft.rounds.medium", 1),
    ("draft.hops.hard", 1),
    ("draft.rounds.hard", 1),
    ("seeds.levels.expert", 1),
    *((f"draft.explore.claims.{level}", 1) for level in ("easy", "medium", "hard")),
)
"""The moves that are expected to make tasks harder, until a round has measured the effect."""
NEEDS: dict[str, tuple[ToolName, ...]] = {
    "draft.detail_share": ("crop",),
    "enhancement.share": ("sharpen", "super_resolution", "perspective_correct"),
}
"""The tools that the tasks of a field need, by the path of the field. If the policy lacks one of
these tools, the field is not edited."""
LENGTHS = ("draft.hops", "draft.rounds", "draft.explore.claims")
"""Fields that set how long the questions of a level are. Other fields set how many questions a
level gets."""
AXES: dict[str, Callable[[TaskRow], str]] = {
    "seeds.levels": lambda row: row.level,
    "seeds.abilities": lambda row: row.profile,
}
"""Fields that set how many questions have one value on an axis: for example, `seeds.levels.hard`
sets how many are hard. Each field has a function that reads a task's value on the axis."""
SHARES: dict[str, Callable[[TaskRow], bool]] = {
    "draft.detail_share": lambda row: row.needs_detail,
    "draft.computation_share": lambda row: row.needs_computation,
    "enhancement.share": lambda row: row.enhanced,
}
"""Fields that set how many tasks have some property. For each field, a function says whether a task
has this property."""
DIFFICULTY_EDITS = 3
"""The highest number of edits that one round makes because tasks are too easy or too hard."""
GUIDANCE = {
    each.name: each.in_loop.guidance
    for each in registry.FILTERS
    if each.in_loop and each.in_loop.guidance
}
"""For each cause, an extra instruction to the model that puts a plan (the facts of a question) into
words. The model that words a plan cannot change the facts, so the list holds only causes that lie
in the wording."""
GUIDED = "models.llm.guidance.word_plan"
"""The recipe field that holds the extra instruction."""


def proposed(
    recipe: Recipe,
    groups: Sequence[Mapping[str, Any]],
    rows: Sequence[TaskRow],
    *,
    dead_ends: Collection[str],
    most: int,
    tools: Collection[str],
) -> list[Edit]:
    """Proposes edits for the recurring findings, the heaviest finding first, and edits each field
    once.

    Args:
        groups: the entry `recurring` of `diagnosis.json`.
        rows: the rows of `verify.json`.
        dead_ends: the keys of edits that were rolled back.
        most: the highest number of edits.
        tools: the policy's tools.
    """
    fields = {
        path: field
        for path, field in fields_of(recipe).items()
        if set(NEEDS.get(path, ())) <= set(tools) and not _idle(path, recipe)
    }
    made = dict[str, Edit]()
    for group in groups:
        num = DIFFICULTY_EDITS if group["cause"] in ("too_easy", "too_hard") else 1
        fresh = (
            e
            for e in _candidates(recipe, fields, group, rows)
            if e.path not in made and e.key not in dead_ends
        )
        for edit in (
            each for each, _ in zip(fresh, range(min(num, most - len(made))), strict=False)
        ):
            made[edit.path] = edit
    return list(made.values())


def _candidates(
    recipe: Recipe,
    fields: Mapping[str, Field],
    group: Mapping[str, Any],
    rows: Sequence[TaskRow],
) -> Iterator[Edit]:
    cause, told = (
        group["cause"],
        {"stage": group["stage"], "cause": group["cause"], "tasks": group["tasks"]},
    )
    for path, direction in _moves(cause, rows):
        field = fields.get(path)
        edit = (
            step(field, direction, why=f"{cause} in {len(group['tasks'])} tasks", **told)
            if field
            else None
        )
        if edit is not None and not _loses_a_level(edit, recipe):
            yield edit
    if recipe.writer == "llm" and cause in GUIDANCE:
        field, text = fields[GUIDED], GUIDANCE[cause]
        if text not in field.value:
            yield Edit(
                action="append",
                path=field.path,
                before=field.value,
                after=f"{field.value}\n{text}".strip(),
                why=f"{cause} in {len(group['tasks'])} tasks",
                **told,
            )


def _moves(cause: str, rows: Sequence[TaskRow]) -> Sequence[Move]:
    if cause == "one_domain":
        return [
            (f"seeds.domains.{domain}", 1)
            for domain in ("organism", "location", "building_or_place", "artifact", "person")
        ]
    if cause not in ("too_easy", "too_hard"):
        return REMEDIES.get(cause, ())
    ordered = sorted(HARDER, key=lambda move: effect(move[0], rows) * move[1])
    moves = ordered if cause == "too_easy" else [(path, -direction) for path, direction in ordered]
    return [
        (path, direction)
        for path, direction in moves
        if direction == -1 or not _overshoots(path, cause, rows)
    ]


def _idle(path: str, recipe: Recipe) -> bool:
    """Whether a field sets the length of questions on a level from which no question is drawn."""
    kind, _, level = path.rpartition(".")
    return kind in LENGTHS and not recipe.seeds.levels.get(level)


def _loses_a_level(edit: Edit, recipe: Recipe) -> bool:
    """Whether an edit removes a kind of question that the policy solves. The policy may forget
    questions of a kind that it no longer meets (docs/learning.md).

    A kind of question disappears in two cases: an edit gives two levels the same length of
    questions, or sets the weight of a level to 0 because its tasks are too easy.
    """
    kind, _, level = edit.path.rpartition(".")
    if kind in LENGTHS:
        lengths = attrgetter(kind)(recipe)
        return any(
            lengths.get(other) == edit.after
            for other, share in recipe.seeds.levels.items()
            if share and other != level
        )
    return kind == "seeds.levels" and edit.cause == "too_easy" and not edit.after


def _overshoots(path: str, cause: str, rows: Sequence[TaskRow]) -> bool:
    """Whether the edit would harm, because most tasks with the field's property have the opposite
    problem. For example, an edit would make tasks harder, although most of the tasks that it
    affects are too hard already."""
    if path.startswith(LENGTHS):
        return False
    other = Tag.TOO_HARD if cause == "too_easy" else Tag.TOO_EASY
    mine = [row.tag for row in rows if _has(path, row)]
    return len(mine) >= 3 and 2 * mine.count(other) > len(mine)


def effect(path: str, rows: Sequence[TaskRow]) -> float:
    """The mean pass rate of tasks with the field's property, minus the mean pass rate of all other
    tasks.

    Args:
        path: the path of a field in `HARDER`.

    Returns:
        The difference of the mean pass rates, -1 to 1. The difference is 0 if either group has
        fewer than three tasks.
    """
    if path.startswith(LENGTHS):
        return 0.0
    rates: dict[bool, list[float]] = {True: [], False: []}
    for row in rows:
        if row.rate is not None:
            rates[_has(path, row)].append(row.rate)
    if min(map(len, rates.values())) < 3:
        return 0.0
    return fmean(rates[True]) - fmean(rates[False])


def _has(path: str, row: TaskRow) -> bool:
    """Whether a task has the property that a field makes more frequent."""
    kind, _, name = path.rpartition(".")
    return AXES[kind](row) == name if kind in AXES else SHARES[path](row)


def at_random(recipe: Recipe, *, seed: int, number: int, most: int) -> list[Edit]:
    """Proposes edits at random, for comparison: randomly chosen fields, each moved by one step up
    or down."""
    draw, fields = chance(seed, f"round {number}", "random edits"), fields_of(recipe)
    made: list[Edit] = []
    for path in draw.sample(sorted(fields), len(fields)):
        direction = draw.choice((-1, 1))
        edit = next(
            (
                e
                for d in (direction, -direction)
                if (e := step(fields[path], d, stage="", cause="random", tasks=(), why="at random"))
            ),
            None,
        )
        if edit is not None and _holds(recipe, [*made, edit]):
            made.append(replace(edit, stage=fields[path].rules.stage))
        if len(made) == most:
            break
    return made


def _holds(recipe: Recipe, edits: Sequence[Edit]) -> bool:
    """Whether a recipe stays valid with all these edits."""
    try:
        check_settings(applied(recipe, edits))
    except InputError:
        return False
    return True
