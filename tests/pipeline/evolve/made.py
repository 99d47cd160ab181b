"""Rounds as files, for tests of what reads only those: tags, findings and scores are given, nothing is played."""

from pathlib import Path
from typing import Any

from questloom.pipeline.evolve.findings import Diagnosis, Finding, Score, TaskDiagnosis, as_json
from questloom.pipeline.evolve.loop_folder import LoopFolder, RoundFolder
from questloom.pipeline.evolve.tags import Tag
from questloom.pipeline.evolve.task_row import TaskRow, row_as_json, row_from_json
from questloom.pipeline.evolve.verify import summary
from questloom.pipeline.recipe import Recipe, recipe_of
from tests.pipeline.evolve.skilled import POLICY

IDS = tuple(f"task{n}" for n in range(8))


def recipe(**evolve: Any) -> Recipe:
    """A recipe whose loop has eight tasks a round."""
    return recipe_of(
        {
            "name": "made",
            "seed": 5,
            "grounding": {"mode": "none"},
            "filters": {"text_search": False},
            "evolve": {"rounds": 4, "tasks": 8, "held_out": 0, "policy": POLICY, **evolve},
        },
        "test",
    )


def row(task: str, tag: str = "good_match", **changes: Any) -> TaskRow:
    """A task's row; `changes` are values as JSON has them."""
    rate = {"too_easy": 1.0, "good_match": 0.5}.get(tag, 0.0)
    found = {
        "id": task,
        "question": f"What of {task}?",
        "answer": "that",
        "domain": "arts",
        "profile": "perception+search",
        "level": "easy",
        "method": "paths",
        "needs_detail": False,
        "needs_computation": False,
        "enhanced": False,
        "tag": tag,
        "cause": "unsolved" if tag == "fake_hard" else "",
        "correct": int(4 * rate),
        "judged": 4,
        "rate": rate,
        "interval": [0.0, 1.0],
        "by_provider": 4 if tag == "infra_failure" else 0,
        "probes": 0,
        "recovered": 0,
        "teacher": "",
        "rival": None,
        "outcomes": {},
        "wrong": [],
        "chains": [["visit"]],
        "chain_outcomes": ["no_answer_given"],
        "chain_answers": [""],
        "solved_chains": [],
        "unfit": 0,
        "dynamic_pictures": 1.0,
        "calls_with_picture": 0.5,
        "secondary_use": 0.25,
        "calls": 2.0,
        "faults": 0.0,
        **changes,
    }
    return row_from_json(found, "made")


def a_loop(folder: Path, **evolve: Any) -> LoopFolder:
    """A loop that has begun."""
    loop = LoopFolder(folder / "loop")
    loop.begin(recipe(**evolve), store="/store", digest="d")
    return loop


def a_round(
    loop: LoopFolder,
    number: int,
    *,
    score: float = 2.0,
    finding: tuple[str, str] | None = None,
    cases: int = 4,
    tags: tuple[str, ...] = ("good_match",) * 8,
    made: Recipe | None = None,
    parent: int | None = None,
    model: str = "",
) -> RoundFolder:
    """A round up to its diagnosis.

    Args:
        score: of every dimension of every task, with a little spread.
        finding: (stage, cause) shown by the first `cases` tasks.
    """
    at = loop.round(number)
    if not at.has_recipe:
        at.begin(made or loop.recipe, model=model, parent=number - 1 if parent is None else parent)
    rows = [row(task, tag) for task, tag in zip(IDS, tags, strict=True)]
    at.write(
        "forward",
        {
            "asked": 8,
            "seeds": 9,
            "kept": 9,
            "repeats": {"a": "b"},
            "tasks": list(IDS),
            "funnel": {},
            "axes": {
                "domain": {"arts": 8},
                "profile": {"perception+search": 8},
                "level": {"easy": 8},
                "cell": {},
            },
        },
    )
    at.write("verify", {"tasks": [row_as_json(each) for each in rows], **summary(rows)})
    names = ("information_complexity", "visual_dependency", "difficulty_match")
    tasks = tuple(
        TaskDiagnosis(
            task=task,
            scores={name: Score(score + 0.1 * (n % 2), "made") for name in names},
            findings=(Finding(task, *finding, 4.0, "made"),) if finding and n < cases else (),
        )
        for n, task in enumerate(IDS)
        if rows[n].tag is not Tag.INFRA_FAILURE
    )
    at.write(
        "diagnose",
        as_json(
            Diagnosis(by="measured", tasks=tasks, batch={}), mode=loop.recipe.evolve.mode, least=3
        ),
    )
    return at
