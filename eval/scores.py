"""Computes scores from the marks of attempts: pass@k of both judges with intervals, outcomes,
tools, tokens and cost.

The scores contain no times. Every question counts in the scores, with its full number of attempts.
An attempt without a mark counts as not right, with the outcome `not_played`. An attempt has no mark
while it waits for a provider, for budget, or for a picture that can be shown. The scores are
incomplete while any attempt still waits.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from questloom.eval.items import Mark
from questloom.eval.statistics import DIGITS, clustered, pass_at_k, powers
from questloom.records.episodes import Outcome

JUDGES = ("strict", "lenient")
NOT_PLAYED = "not_played"
OUTCOMES = (*(outcome.value for outcome in Outcome), NOT_PLAYED)


def scores_of(
    item_ids: Sequence[str],
    marks: Sequence[Mark],
    *,
    rollouts: int,
    seed: int,
    clean: frozenset[str] | None = None,
) -> dict[str, Any]:
    """The scores of one agent on one benchmark, as JSON.

    Args:
        item_ids: the ids of all questions of the benchmark.
        marks: the marks of all attempts that were played and judged.
        rollouts: number of attempts per question that the user asked for.
        seed: random seed of the bootstrap.
        clean: the ids of the questions without a match in the training data; None if no training
            data was searched.
    """
    by_item: dict[str, list[Mark]] = {item_id: [] for item_id in sorted(item_ids)}
    for mark in sorted(marks, key=lambda m: (m.item_id, m.rollout)):
        by_item[mark.item_id].append(mark)
    num = len(by_item) * rollouts
    made: dict[str, Any] = {
        "questions": len(by_item),
        "rollouts": rollouts,
        "attempts": num,
        "whole": len(marks) == num,
    }
    for judge in JUDGES:
        made[judge] = _judged(by_item, judge, rollouts, seed)
        if clean is not None:
            kept = {i: found for i, found in by_item.items() if i in clean}
            made[judge]["pass@1 on clean questions"] = {
                "questions": len(kept),
                **_pass_at(kept, judge, rollouts, 1, seed),
            }
    return {
        **made,
        "ends": dict(sorted(Counter(mark.end for mark in marks).items())),
        **_effort(marks),
    }


def _judged(
    by_item: Mapping[str, Sequence[Mark]], judge: str, rollouts: int, seed: int
) -> dict[str, Any]:
    outcomes = Counter(outcome_of(mark, judge) for found in by_item.values() for mark in found)
    outcomes[NOT_PLAYED] = len(by_item) * rollouts - sum(outcomes.values())
    by_rollout = Counter(
        mark.rollout for found in by_item.values() for mark in found if is_right(mark, judge)
    )
    return {
        "outcomes": {name: outcomes[name] for name in OUTCOMES},
        "pass@k": {str(k): _pass_at(by_item, judge, rollouts, k, seed) for k in powers(rollouts)},
        "by_rollout": [
            round(by_rollout[number] / max(1, len(by_item)), DIGITS) for number in range(rollouts)
        ],
    }


def _pass_at(
    by_item: Mapping[str, Sequence[Mark]], judge: str, rollouts: int, k: int, seed: int
) -> dict[str, float]:
    values = [
        pass_at_k(rollouts, sum(is_right(mark, judge) for mark in found), k)
        for found in by_item.values()
    ]
    return clustered(values, seed=seed).as_json() if values else {}


def _effort(marks: Sequence[Mark]) -> dict[str, Any]:
    """The mean number of calls, turns and tokens, the mean cost, and the share of successful calls.
    Means are taken over the attempts that were played.
    """
    calls: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    for mark in marks:
        calls.update(mark.calls_by_tool)
        faults.update(mark.faults_by_tool)
    num, total = max(1, len(marks)), sum(calls.values())

    def mean(values: Sequence[float]) -> float:
        return round(sum(values) / num, DIGITS)

    return {
        "calls": {
            "mean": mean([sum(m.calls_by_tool.values()) for m in marks]),
            "by_tool": dict(sorted(calls.items())),
            "success": round(1 - sum(faults.values()) / total, DIGITS) if total else None,
        },
        "turns": mean([m.num_turns for m in marks]),
        "tokens_in": mean([m.tokens_in for m in marks]),
        "tokens_out": mean([m.tokens_out for m in marks]),
        "cost": mean([m.cost for m in marks]),
    }


def outcome_of(mark: Mark, judge: str) -> str:
    """The outcome of an attempt, as one of the two judges sees it."""
    return (mark.strict if judge == "strict" else mark.lenient).outcome


def is_right(mark: Mark, judge: str) -> bool:
    """Whether a judge accepted an attempt."""
    return outcome_of(mark, judge) == Outcome.CORRECT
