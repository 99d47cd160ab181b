"""The parts of a diagnosis (ODE, arXiv 2605.10832, section 3). Each task gets a score in each
dimension. Each finding (a problem of a task) names the stage that caused the problem."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any, Protocol

from questloom.pipeline.evolve.task_row import TaskRow
from questloom.records.synthesis import Question

STAGES = ("seeds", "paths", "writer", "pictures", "filters")
"""Stages that a finding can blame. The stages differ from those in the paper on ODE; `docs/loop.md`
compares both."""
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
"""The weight of each dimension, by mode, as the authors of ODE published it (section 3.2). ODE
calls "capability" Capability_Requirement.
"""
WITHOUT_POLICY = (
    "information_complexity",
    "visual_dependency",
    "shortcut_leakage",
    "verifiability",
)
"""Dimensions that depend only on the question."""


@dataclass(frozen=True)
class Finding:
    """One problem of a task."""

    task: str
    stage: str
    cause: str
    severity: float
    """The severity from 1 (mild) to 5."""
    why: str


@dataclass(frozen=True)
class Score:
    """A score from -5 to 5, and the reason for the score."""

    value: float
    why: str


@dataclass(frozen=True, kw_only=True)
class TaskDiagnosis:
    """The scores and findings of one task."""

    task: str
    scores: Mapping[str, Score]
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Diagnosis:
    """The diagnosis of a round. Tasks that failed through a provider's faults are left out."""

    by: str
    """"measured", or the name of the model that made the diagnosis."""
    tasks: tuple[TaskDiagnosis, ...]
    batch: Mapping[str, Score]
    """The scores in dimensions that describe the whole batch and no single task."""
    findings: tuple[Finding, ...] = ()
    """Findings about the batch as a whole. Each finding about the batch names one task as an
    example."""

    @property
    def all_findings(self) -> list[Finding]:
        return [*(f for task in self.tasks for f in task.findings), *self.findings]


class Diagnoser(Protocol):
    """Scores the tasks of a batch whose rollouts `verify` has played."""

    async def diagnose(
        self, questions: Mapping[str, Question], rows: Iterable[TaskRow]
    ) -> Diagnosis:
        """Diagnoses the batch.

        Args:
            questions: the questions by id.
            rows: the rows of `verify.json`, without tasks spoiled by a provider's faults.
        """


def bounded(value: float) -> float:
    """The value limited to -5 to 5 and rounded to two digits."""
    return round(min(HIGHEST, max(LOWEST, value)), 2)


def overall(
    task: Mapping[str, float], batch: Mapping[str, float], weights: Mapping[str, float]
) -> float:
    """The mean of the scores, weighted by dimension. Only dimensions with a score for the task or
    for its batch count.

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
    """The causes that at least `least` tasks share, heaviest first, as tuples (stage, cause,
    weight, tasks). The weight of a cause is the sum of the severities of its findings."""
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
    """The stage whose recurring findings weigh most; "" if no finding recurs."""
    weights: dict[str, float] = defaultdict(float)
    for stage, _, weight, _ in recurring(findings, least=least):
        weights[stage] += weight
    return max(sorted(weights), key=weights.__getitem__, default="")


def as_json(diagnosis: Diagnosis, *, mode: str, least: int) -> dict[str, Any]:
    """The content of `diagnosis.json`."""
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
