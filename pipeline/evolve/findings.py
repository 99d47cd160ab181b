"""What a diagnosis is: scores of a task by dimension, and findings, each with the stage held responsible (ODE, arXiv 2605.10832, section 3)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any, Protocol

from questloom.pipeline.evolve.task_row import TaskRow
from questloom.records.synthesis import Question

STAGES = ("seeds", "paths", "writer", "pictures", "filters")
"""That a fault is laid to. Ours, as our synthesis has other stages than ODE's generator: docs/loop.md says which of its four stages stands for which."""
LOWEST, HIGHEST = -5.0, 5.0
WEIGHTS = {
    "sft": {
        "information_complexity": 1.0,
        "visual_dependency": 1.2,
        "shortcut_leakage": 1.5,
        "verifiability": 1.0,
        "step_appropriateness": 1.2,
        "tool_usage_quality": 1.5,
        "tool_pattern_diversity": 3.0,
    },
    "rl": {
        "information_complexity": 1.0,
        "visual_dependency": 1.2,
        "shortcut_leakage": 1.2,
        "verifiability": 1.0,
        "capability": 1.0,
        "difficulty_match": 2.0,
        "learning_utility": 1.6,
    },
}
"""Weight of each dimension, by mode (published, section 3.2; "capability" is its Capability_Requirement)."""
WITHOUT_POLICY = (
    "information_complexity",
    "visual_dependency",
    "shortcut_leakage",
    "verifiability",
)
"""Dimensions that depend on the question alone."""


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong with a task."""

    task: str
    stage: str
    cause: str
    severity: float
    """1 (mild) to 5."""
    why: str


@dataclass(frozen=True)
class Score:
    """-5 to 5, and what it rests on."""

    value: float
    why: str


@dataclass(frozen=True, kw_only=True)
class TaskDiagnosis:
    """One task's scores by dimension, and what is wrong with it."""

    task: str
    scores: Mapping[str, Score]
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """A round's, less the tasks that a provider spoiled."""

    by: str
    """"measured", or the model's name."""
    tasks: tuple[TaskDiagnosis, ...]
    batch: Mapping[str, Score]
    """Dimensions that only a batch has."""
    findings: tuple[Finding, ...] = ()
    """Of the batch as a whole: each names a task that shows it."""

    @property
    def all_findings(self) -> list[Finding]:
        return [*(f for task in self.tasks for f in task.findings), *self.findings]


class Diagnoser(Protocol):
    """Looks at a verified batch."""

    async def diagnose(
        self, questions: Mapping[str, Question], rows: Iterable[TaskRow]
    ) -> Diagnosis:
        """The diagnosis.

        Args:
            questions: by id.
            rows: of `verify.json`, those that a provider spoiled left out.
        """


def bounded(value: float) -> float:
    """Within -5 and 5, two digits."""
    return round(min(HIGHEST, max(LOWEST, value)), 2)


def overall(
    task: Mapping[str, float], batch: Mapping[str, float], weights: Mapping[str, float]
) -> float:
    """The weighted mean of the dimensions that a task, or its batch, has.

    >>> round(overall({"information_complexity": 4, "visual_dependency": 5, "shortcut_leakage": 3, "verifiability": 5, "capability": 5,
    ...                "difficulty_match": 3, "learning_utility": 3}, {}, WEIGHTS["rl"]), 2)
    3.82
    """
    found = {**batch, **task}
    had = [name for name in weights if name in found]
    return (
        sum(weights[name] * found[name] for name in had) / sum(weights[name] for name in had)
        if had
        else 0.0
    )


def recurring(
    findings: Iterable[Finding], *, least: int
) -> list[tuple[str, str, float, list[str]]]:
    """(stage, cause, weight, tasks) of what shows in at least so many tasks; the heaviest first. The weight is the sum of severities."""
    groups: dict[tuple[str, str], dict[str, float]] = defaultdict(dict)
    for finding in findings:
        groups[finding.stage, finding.cause][finding.task] = max(
            finding.severity, groups[finding.stage, finding.cause].get(finding.task, 0.0)
        )
    found = [
        (stage, cause, round(sum(tasks.values()), 2), sorted(tasks))
        for (stage, cause), tasks in groups.items()
        if len(tasks) >= least
    ]
    return sorted(found, key=lambda group: (-group[2], group[0], group[1]))


def blamed(findings: Iterable[Finding], *, least: int) -> str:
    """The stage on which the recurring findings weigh most; "" where nothing recurs."""
    weights: dict[str, float] = defaultdict(float)
    for stage, _, weight, _ in recurring(findings, least=least):
        weights[stage] += weight
    return max(sorted(weights), key=weights.__getitem__, default="")


def as_json(diagnosis: Diagnosis, *, mode: str, least: int) -> dict[str, Any]:
    """`diagnosis.json`."""
    weights = WEIGHTS[mode]
    batch = {name: score.value for name, score in diagnosis.batch.items()}
    tasks: list[dict[str, Any]] = []
    for task in diagnosis.tasks:
        values = {name: score.value for name, score in task.scores.items()}
        tasks.append(
            {
                "task": task.task,
                "overall": round(overall(values, batch, weights), 3),
                "scores": {n: asdict(s) for n, s in task.scores.items()},
                "findings": [asdict(f) for f in task.findings],
            }
        )
    groups = recurring(diagnosis.all_findings, least=least)
    whys = {(f.task, f.stage, f.cause): f.why for f in diagnosis.all_findings}
    means = {
        name: round(fmean(found), 3)
        for name in weights
        if (found := [t.scores[name].value for t in diagnosis.tasks if name in t.scores])
    }
    return {
        "by": diagnosis.by,
        "mode": mode,
        "tasks": tasks,
        "batch": {n: asdict(s) for n, s in diagnosis.batch.items()},
        "dimensions": means | batch,
        "score": round(fmean(t["overall"] for t in tasks), 3) if tasks else None,
        "blamed": blamed(diagnosis.all_findings, least=least),
        "batch_findings": [asdict(f) for f in diagnosis.findings],
        "recurring": [
            {
                "stage": s,
                "cause": c,
                "weight": w,
                "tasks": t,
                "whys": [whys[task, s, c] for task in t],
            }
            for s, c, w, t in groups
        ],
    }
