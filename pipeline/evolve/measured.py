"""The measured diagnoser: scores and findings from certificates, verdicts, pass rates and tool
statistics. The diagnoser makes exact measurements and needs no model.

Dimensions and weights are those of ODE, but Questloom measures the dimensions in its own way. ODE
lets a model score the dimensions by a rubric; `llm_diagnoser.py` does the same.
"""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean

from questloom.pipeline.evolve.checks import Checks
from questloom.pipeline.evolve.findings import (
    HIGHEST,
    LOWEST,
    WEIGHTS,
    Diagnosis,
    Finding,
    Score,
    TaskDiagnosis,
    bounded,
)
from questloom.pipeline.evolve.tags import Cause, Tag
from questloom.pipeline.evolve.task_row import TaskRow
from questloom.records.synthesis import Question

MATCH = {Tag.RECOVERABLE: 2.0, Tag.TOO_EASY: -4.0, Tag.TOO_HARD: -4.0, Tag.FAKE_HARD: LOWEST}
UTILITY = {Tag.RECOVERABLE: 3.0, Tag.TOO_EASY: -3.0, Tag.TOO_HARD: -2.0, Tag.FAKE_HARD: LOWEST}
"""The score of a task, by the task's tag. If a tag is not listed, the task's pass rate gives the
score."""
LEAST_DIVERSITY, MOST_OF_ONE_DOMAIN = -3.0, 0.6


@dataclass(frozen=True)
class MeasuredDiagnoser:
    """Diagnoses tasks by exact measurements; implements `findings.Diagnoser`. A picture that seems
    wrong counts only if no rollout solved the task: a rollout with the right answer has recognised
    the picture.

    Args:
        checks: the checks of the round's run.
        tolerated: the share of tasks, 0 to 1, that may be too easy or too hard before the diagnosis
            reports a problem.
        mode: "sft" or "rl"; decides which dimensions count.
    """

    checks: Checks
    tolerated: float
    mode: str

    async def diagnose(
        self, questions: Mapping[str, Question], rows: Iterable[TaskRow]
    ) -> Diagnosis:
        rows = list(rows)
        broken = {
            row.id: [
                f
                for f in await self.checks.findings(questions[row.id])
                if f.stage != "pictures" or not row.correct
            ]
            for row in rows
        }
        unexplained = {row.id for row in rows if not broken[row.id]}
        off = {
            tag
            for tag in (Tag.TOO_EASY, Tag.TOO_HARD)
            if sum(r.tag is tag for r in rows if r.id in unexplained) > self.tolerated * len(rows)
        }
        tasks = tuple(_task(questions[row.id], row, broken[row.id], off) for row in rows)
        diversity = _diversity(rows)
        return Diagnosis(
            by="measured",
            tasks=tasks,
            batch={"tool_pattern_diversity": diversity} if diversity else {},
            findings=tuple(
                _of_batch(
                    rows, diversity if "tool_pattern_diversity" in WEIGHTS[self.mode] else None
                )
            ),
        )


def _task(
    question: Question, row: TaskRow, broken: Sequence[Finding], off: set[Tag]
) -> TaskDiagnosis:
    causes = {finding.cause for finding in broken}
    scores = {
        "information_complexity": _complexity(question),
        "visual_dependency": _visual(question, causes),
        "shortcut_leakage": _leakage(row, broken),
        "verifiability": _verifiability(question, row),
        "capability": _capability(row),
        "difficulty_match": _match(row),
        "learning_utility": _utility(row),
        "step_appropriateness": _steps(question, row),
        "tool_usage_quality": _usage(row),
    }
    found = [*broken, *_of_task(question, row, bool(broken), off)]
    return TaskDiagnosis(
        task=question.id,
        scores={name: score for name, score in scores.items() if score is not None},
        findings=tuple(found),
    )


def _of_task(question: Question, row: TaskRow, explained: bool, off: set[Tag]) -> Iterable[Finding]:
    """The findings from pass rates and certificates. If a leak or a wrong picture explains why a
    task is easy or hard, the difficulty is not a separate finding."""
    if row.cause is Cause.RIVAL_FITS and row.rival:
        yield Finding(
            question.id,
            "filters",
            "rival_fits",
            5.0,
            f"{row.rival.said!r} fits too; passed by {row.rival.passed_by}",
        )
    elif row.cause is Cause.JUDGE_CONTRADICTS:
        yield Finding(
            question.id,
            "filters",
            "ambiguous_answer",
            3.0,
            "the same words were judged right and wrong",
        )
    elif row.cause is Cause.UNSOLVED and not explained:
        yield Finding(
            question.id,
            "filters",
            "unsolved",
            4.0,
            f"no rollout of {row.judged} solved it, no continuation, and not the teacher",
        )
    if row.tag in off and not explained:
        yield Finding(
            question.id,
            "writer",
            row.tag.value,
            3.0,
            f"{row.correct} of {row.judged} rollouts solved it",
        )
    hops = (
        question.certificate.effective_hops if question.certificate else None
    )  # the count is None for a row from outside, since nobody counted
    short = (
        hops is not None and hops <= 1 and not (question.needs_detail or question.needs_computation)
    )
    if (
        short and row.tag is Tag.TOO_EASY and row.tag in off and not explained
    ):  # a question that is hard enough for the policy has no fault here
        yield Finding(
            question.id,
            "paths",
            "few_sources",
            1.5,
            "one claim leads from the picture to the answer",
        )


def _of_batch(rows: Sequence[TaskRow], diversity: Score | None) -> Iterable[Finding]:
    chains = Counter(tuple(chain) for row in rows for chain in row.chains if chain)
    if diversity and diversity.value < LEAST_DIVERSITY:
        common = chains.most_common()[0][0]
        yield from (
            Finding(row.id, "paths", "one_chain", 1.0, " ".join(common))
            for row in rows
            if list(common) in row.chains
        )
    for domain, num in Counter(row.domain for row in rows).items():
        if num > MOST_OF_ONE_DOMAIN * len(rows):
            yield from (
                Finding(row.id, "seeds", "one_domain", 1.0, domain)
                for row in rows
                if row.domain == domain
            )


def _complexity(question: Question) -> Score:
    certificate = question.certificate
    hops = (certificate.effective_hops if certificate else None) or len(question.hops)
    return Score(
        bounded(2.0 * hops - 3 + question.needs_computation),
        f"{hops} effective hops{', a computation' if question.needs_computation else ''}",
    )


def _visual(question: Question, causes: set[str]) -> Score | None:
    if wrong := causes & {"not_grounded", "text_only"}:
        return Score(LOWEST, ", ".join(sorted(wrong)))
    answers = question.certificate.answers_without_picture if question.certificate else None
    if answers is None:
        return None
    close = question.needs_detail or question.enhancement is not None
    return Score(
        bounded(min(answers, 5) - 2 + 2 * close),
        f"{answers} answers without the picture{', a detail or a repair' if close else ''}",
    )


def _leakage(row: TaskRow, broken: Sequence[Finding]) -> Score:
    leaks = [finding.cause for finding in broken if finding.stage == "filters"]
    if leaks:
        return Score(LOWEST, ", ".join(leaks))
    if not row.solved_chains:
        return Score(HIGHEST, "nothing gives it away")
    least = min(map(len, row.solved_chains))
    return Score(1.0 if least <= 1 else HIGHEST, f"the shortest right rollout made {least} calls")


def _verifiability(question: Question, row: TaskRow) -> Score:
    if row.tag is Tag.FAKE_HARD:
        return Score(LOWEST, row.cause.value)
    certificate = question.certificate
    if certificate is None:
        return Score(0.0, "no certificate")
    value = {"closed": 5.0, "margin": min(5.0, 2.0 + certificate.margin)}.get(
        certificate.basis, 0.0
    )
    return Score(value, f"basis {certificate.basis}")


def _capability(row: TaskRow) -> Score | None:
    chains = row.solved_chains or row.chains
    if not chains:
        return None
    tools, calls = fmean(len(set(chain)) for chain in chains), fmean(map(len, chains))
    return Score(
        bounded(2 * tools + 0.5 * min(calls, 6) - 5), f"{tools:.1f} tools and {calls:.1f} calls"
    )


def _match(row: TaskRow) -> Score:
    return _by_tag(row, MATCH, lambda rate: 5 - 8 * abs(rate - 0.5))


def _utility(row: TaskRow) -> Score:
    return _by_tag(row, UTILITY, lambda rate: 24 * rate * (1 - rate) - 1)


def _by_tag(row: TaskRow, scores: Mapping[Tag, float], of_rate: Callable[[float], float]) -> Score:
    """The score of the task's tag. If the tag has no score, the score comes from the pass rate."""
    value = scores.get(row.tag)
    if value is None:
        assert row.rate is not None
        value = bounded(of_rate(row.rate))
    return Score(value, f"{row.tag}, {row.correct} of {row.judged}")


def _steps(question: Question, row: TaskRow) -> Score | None:
    if not row.solved_chains:
        return None
    needed = max(
        1,
        len(question.hops)
        + question.needs_detail
        + question.needs_computation
        + (question.enhancement is not None),
    )
    calls = fmean(map(len, row.solved_chains))
    return Score(
        bounded(5 - 4 * abs(math.log2(max(calls, 0.5) / needed))),
        f"{calls:.1f} calls where {needed} are needed",
    )


def _usage(row: TaskRow) -> Score:
    if not row.calls:
        return Score(LOWEST, "no call")
    unfit = row.unfit / max(1, row.correct)
    return Score(
        bounded(5 - 10 * row.faults - 5 * unfit),
        f"{row.faults:.0%} of the calls failed, {unfit:.0%} of the right rollouts broke a rule",
    )


def _diversity(rows: Sequence[TaskRow]) -> Score | None:
    chains = [tuple(chain) for row in rows for chain in row.chains if chain]
    if not chains:
        return None
    return Score(
        bounded(10 * len(set(chains)) / len(chains) - 5),
        f"{len(set(chains))} chains in {len(chains)} rollouts",
    )
