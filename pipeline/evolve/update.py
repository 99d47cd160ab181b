"""Accepts, refuses or rolls back edits, and writes the next recipe. Updating the recipe is the
fourth step of a round."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from questloom.files.opened import Opened
from questloom.pipeline.evolve.edits import Edit, applied, refusal
from questloom.pipeline.evolve.llm_editor import Editor, open_editor
from questloom.pipeline.evolve.loop_folder import LoopFolder, RoundFolder
from questloom.pipeline.evolve.remedies import at_random, proposed
from questloom.pipeline.evolve.scores import is_worse, score_of
from questloom.pipeline.evolve.tags import Tag
from questloom.pipeline.evolve.task_row import TaskRow, read_rows
from questloom.pipeline.evolve.verify import policy_settings
from questloom.pipeline.recipe import Recipe
from questloom.pipeline.settings import EvolveRules

OUTAGE = 0.5
"""If a provider's faults spoiled at least this share of a round's tasks (0 to 1), the round changes
nothing."""
STARVED = 0.5
"""A recipe is rolled back if it gives less than this share of the tasks that the recipe before it
gave, whatever the scores of the tasks are."""


def update(loop: LoopFolder, at: RoundFolder, opened: Opened) -> None:
    """Decides which recipe the next round gets."""
    rules, diagnosis, verified = loop.recipe.evolve, at.read("diagnose"), at.read("verify")
    before = loop.rounds(before=at.number)
    known = (
        before[-1].read("update")["dead_ends"]
        if before and same_policy(loop, before[-1], at)
        else []
    )
    found: dict[str, Any] = {
        "score": diagnosis["score"],
        "rolled_back": None,
        "edits": [],
        "refused": [],
        "dead_ends": known,
        "parent": at.number,
        "note": "",
    }
    recipe = at.recipe
    if rules.control == "static":
        found["note"] = "control: the recipe stays"
    elif rules.control == "random_edits":
        made = at_random(recipe, seed=loop.recipe.seed, number=at.number, most=rules.max_edits)
        recipe, found["edits"] = applied(recipe, made), [asdict(edit) for edit in made]
    elif spoiled(verified) >= OUTAGE:
        found |= {
            "note": f"a provider failed in {spoiled(verified):.0%} of the tasks: nothing is learned from this round",
            "parent": at.parent,
        }
    else:
        base, groups, rows = _base(loop, at, diagnosis, verified, found)
        editor = open_editor(loop, at, opened)
        recipe = _edited(base, groups, rows, found, rules, editor)
    at.write("update", {**found, "next": recipe.resolved()})


def same_policy(loop: LoopFolder, one: RoundFolder, other: RoundFolder) -> bool:
    """Whether the same policy played two rounds. In mode "sft" the policy is the teacher, which
    training does not change."""
    return loop.recipe.evolve.mode == "sft" or one.model == other.model


def spoiled(verified: Mapping[str, Any]) -> float:
    """The share of a round's tasks that a provider's faults spoiled."""
    return verified["tags"][Tag.INFRA_FAILURE] / max(1, len(verified["tasks"]))


def _base(
    loop: LoopFolder,
    at: RoundFolder,
    diagnosis: Mapping[str, Any],
    verified: Mapping[str, Any],
    found: dict[str, Any],
) -> tuple[Recipe, Sequence[Any], Sequence[TaskRow]]:
    """The recipe from which the loop continues, with the diagnosis and the task rows of that
    recipe's round. If this round is worse than the round before the edits, the loop returns to the
    earlier recipe."""
    if at.parent:
        parent = loop.round(at.parent)
        alone = not same_policy(loop, parent, at)
        mine, its = (
            score_of(d, without_policy=alone) for d in (diagnosis, parent.read("diagnose"))
        )
        starved = len(verified["tasks"]) < STARVED * len(parent.read("verify")["tasks"])
        if starved or (mine and its and is_worse(mine, its)):
            tried = [
                Edit(**{**edit, "tasks": tuple(edit["tasks"])})
                for edit in _made_by(loop, at).read("update")["edits"]
            ]
            found["rolled_back"] = {
                "to": parent.number,
                "score": mine.value if mine else None,
                "score_before": its.value if its else None,
                "errors": [each.error for each in (mine, its) if each],
                "dimensions": "without the policy's" if alone else "all",
                "tasks": [len(verified["tasks"]), len(parent.read("verify")["tasks"])],
            }
            found["dead_ends"] = sorted({*found["dead_ends"], *(edit.key for edit in tried)})
            found["parent"] = parent.number
            return (
                parent.recipe,
                parent.read("diagnose")["recurring"],
                read_rows(parent),
            )
    return at.recipe, diagnosis["recurring"], read_rows(at)


def _made_by(loop: LoopFolder, at: RoundFolder) -> RoundFolder:
    """The round whose edits led to this round's recipe. The function skips rounds that a provider
    spoiled, since such rounds make no edits."""
    return next(
        each
        for each in reversed(loop.rounds(before=at.number))
        if spoiled(each.read("verify")) < OUTAGE
    )


def _edited(
    recipe: Recipe,
    groups: Sequence[Mapping[str, Any]],
    rows: Sequence[TaskRow],
    found: dict[str, Any],
    rules: EvolveRules,
    editor: Editor | None,
) -> Recipe:
    """The recipe with those edits that pass the review."""
    if not groups:
        found["note"] = "nothing recurs that an edit could mend"
        return recipe
    citable = {group["cause"]: group["tasks"] for group in groups}
    made = proposed(
        recipe,
        groups,
        rows,
        dead_ends=found["dead_ends"],
        most=rules.max_edits,
        tools=policy_settings(recipe, "").tools.tools,
    )
    if editor is not None:
        made = editor.proposed(recipe, groups, rows, found["dead_ends"], rules.max_edits) or made
    accepted: list[Edit] = []
    for edit in made:
        why = refusal(
            edit,
            recipe,
            citable=citable,
            dead_ends=found["dead_ends"],
            earlier={e.path for e in accepted},
            least=rules.min_cases,
        )
        if why or len(accepted) == rules.max_edits:
            found["refused"].append(
                {
                    **asdict(edit),
                    "refused": why or f"more than {rules.max_edits} edits",
                    "by": "rules",
                }
            )
        else:
            accepted.append(edit)
    if editor is not None and accepted:
        kept = editor.reviewed(accepted, groups, rows)
        found["refused"] += [
            {**asdict(edit), "refused": why, "by": "model"}
            for edit, why in zip(accepted, kept, strict=True)
            if why
        ]
        accepted = [edit for edit, why in zip(accepted, kept, strict=True) if not why]
    found["edits"] = [asdict(edit) for edit in accepted]
    return applied(recipe, accepted)
