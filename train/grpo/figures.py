"""Computes the metrics of a step's rollouts. Each rank adds up its own rollouts; shares and means
are computed from the sums of all ranks.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from questloom.agent.judges.query import MEASURED
from questloom.records.episodes import EndReason, ToolStatus
from questloom.records.errors import QuestloomError
from questloom.train.credit.credit_rules import FatalRules
from questloom.train.credit.rewards import step_passed
from questloom.train.grpo.step_samples import Group, StepSamples, all_wrong
from questloom.train.rollouts.scored import ScoredRollout
from questloom.train.run.parallel import World
from questloom.train.settings.grpo_settings import CareSettings


class ProvidersFailed(QuestloomError):
    """Too many rollouts ended because a provider failed, so the metrics of the step say nothing
    about the policy.

    The providers are the engine's server and the services for searches and pages.
    """


class JudgesFailed(QuestloomError):
    """A judge failed to give a verdict on too many rollouts, so the metrics of the step say nothing
    about the policy."""


Sums = dict[str, float]


def count_sums(made: StepSamples, fatal: FatalRules) -> Sums:
    """The sums of one rank (training process), from which the metrics are computed. Rates, such as
    the pass rate, count only original rollouts, not the continuations that AXPO samples.
    """
    every = [each for group in made.groups for each in group.rollouts]
    taught = {each.sample.row.episode_id: each.sample for each in made.samples}
    clamps = fatal.treatment == "fatal_mask+clamp"
    clamped = sum(
        clamps
        and each.rollout.fatal is not None
        and (sample := taught.get(each.episode.id)) is not None
        and sample.advantage == 0
        and sample.kl_only is None
        for each in every
    )
    kl_only = Counter(
        f"kl_only/{each.sample.kl_only}" for each in made.samples if each.sample.kl_only
    )
    of_all: Sums = {
        "rollouts": made.rollouts,
        "continuations": made.continuations,
        "taught": len(made.samples),
        "clamped": clamped,
        "sources": len(made.again),
        "recovered": sum(
            any(each.rollout.accuracy == 1 for each in some) for _, some in made.again
        ),
        **{f"left_out/{why}": number for why, number in made.left_out.items()},
        **kl_only,
    }
    return add_sums(
        [of_all, *map(_of_rollout, every), *(_of_group(group, fatal) for group in made.groups)]
    )


def _of_group(group: Group, fatal: FatalRules) -> Sums:
    sums: Sums = {
        "questions": 1,
        "questions/solved": any(each.rollout.accuracy == 1 for each in group.rollouts),
        "questions/flat": group.is_flat(fatal),
    }
    for name, used in (("tool", True), ("no_tool", False)):
        members = [
            each
            for each in group.rollouts
            if each.rollout.end != EndReason.PROVIDER and each.used_tool == used
        ]
        sums |= {f"questions/{name}": bool(members), f"all_wrong/{name}": all_wrong(group, members)}
    return sums


def _of_rollout(each: ScoredRollout) -> Sums:
    turns, rollout = each.episode.turns, each.rollout
    sums: Sums = {
        "played": 1,
        f"end/{each.episode.end}": 1,
        "turns": len(turns),
        "turns/valid": sum(not turn.violation for turn in turns),
        "turns/passed": sum(map(step_passed, turns)),
        "row_tokens": len(rollout.row),
        "policy_tokens": sum(turn.num_new_tokens for turn in turns),
        "pictures": len(each.episode.images),
        "format": each.format_share,
        "fatal": rollout.fatal is not None,
        "right": rollout.accuracy == 1,
        "judged": not math.isnan(rollout.accuracy),
        "tool_users": each.used_tool,
    }
    if not math.isnan(rollout.reward):
        sums |= {"known": 1, "reward": rollout.reward}
    if not math.isnan(each.query):
        sums |= {"query_known": 1, "query": each.query}
    calls = [
        (turn.call.name, turn.result.status)
        for turn in turns
        if turn.call is not None and turn.result is not None
    ]
    return add_sums(
        [
            sums,
            *({f"calls/{name}": 1.0} for name, _ in calls),
            *({f"results/{status}": 1.0} for _, status in calls if status != ToolStatus.OK),
        ]
    )


def add_sums(parts: Sequence[Mapping[str, float]]) -> Sums:
    """Adds up the sums of several ranks."""
    total: defaultdict[str, float] = defaultdict(float)
    for part in parts:
        for name, value in part.items():
            total[name] += value
    return dict(total)


def check_step(total: Mapping[str, float], care: CareSettings, step: int) -> None:
    """Checks that every rollout is accounted for, and that most rollouts are usable.

    Raises:
        ProvidersFailed, JudgesFailed: too many rollouts are unusable.
    """
    rollouts = total["rollouts"]
    left_out = sum(number for name, number in total.items() if name.startswith("left_out/"))
    assert rollouts + total["continuations"] == total["taught"] + left_out, (
        "a rollout is neither taught nor left out"
    )
    by_provider = total.get(f"end/{EndReason.PROVIDER}", 0)
    if by_provider > care.max_lost * rollouts:
        raise ProvidersFailed(
            f"step {step}: {by_provider:.0f} of {rollouts:.0f} rollouts ended by a provider's fault, the limit is {care.max_lost:.0%}. What "
            "was played is kept; mend it and run the same command again."
        )
    unjudged = total.get("played", 0) - total.get("judged", 0)
    if unjudged > care.max_lost * rollouts:
        raise JudgesFailed(
            f"step {step}: the answers of {unjudged:.0f} of {rollouts:.0f} rollouts were not judged, the limit is {care.max_lost:.0%}. What "
            "was played is kept; mend the judge and run the same command again."
        )


def step_metrics(total: Mapping[str, float], query_by: str = "") -> dict[str, float]:
    """The metrics of a step.

    Args:
        query_by: the model or rule that gave r_query (the score of the search queries). The
            metric's name shows whether a rule gave r_query.
    """

    def share(name: str, of: str) -> float:
        return total.get(name, 0) / max(1, total.get(of, 0))

    made = {
        "reward": share("reward", "known"),
        "accuracy": share("right", "rollouts"),
        "format": share("format", "played"),
        "tool_use": share("tool_users", "played"),
        "valid_turns": share("turns/valid", "turns"),
        "passed_turns": share("turns/passed", "turns"),
        "turns": share("turns", "played"),
        "episode_tokens": share("row_tokens", "played"),
        "new_tokens": share("policy_tokens", "played"),
        "pictures": share("pictures", "played"),
        "fatal": share("fatal", "played"),
        "clamped": share("clamped", "played"),
        "all_wrong": share("all_wrong/tool", "questions/tool"),
        "all_wrong_no_tool": share("all_wrong/no_tool", "questions/no_tool"),
        "flat_questions": share("questions/flat", "questions"),
        "solved_questions": share("questions/solved", "questions"),
        "rollouts": total["rollouts"],
        "continuations": total["continuations"],
        "taught": total["taught"],
    }
    if total.get("query_known"):
        made[f"query_{MEASURED}" if query_by == MEASURED else "query"] = share(
            "query", "query_known"
        )
    if total.get("sources"):
        made["recovery"] = share("recovered", "sources")
    kinds = ("calls/", "end/", "kl_only/", "left_out/", "results/")
    made.update(
        {
            name: number / max(1, total["played"]) if name.startswith("calls/") else number
            for name, number in sorted(total.items())
            if name.startswith(kinds)
        }
    )
    return made


def rollout_lines(made: StepSamples) -> list[dict[str, Any]]:
    """Makes a line for each rollout and for each continuation, with its rewards and how it
    ended."""
    every = [("", each) for group in made.groups for each in group.rollouts] + [
        ("continuation", each) for _, some in made.again for each in some
    ]
    taught = {each.sample.row.episode_id: each.sample.advantage for each in made.samples}
    return [
        {
            "episode": each.episode.id,
            "question": each.judged.asked.question.id,
            "number": each.judged.asked.number,
            "rollout": each.judged.rollout,
            "kind": kind or "rollout",
            "reward": _plain(each.rollout.reward),
            "accuracy": _plain(each.rollout.accuracy),
            "format": each.format_share,
            "query": _plain(each.query),
            "end": each.rollout.end,
            "fatal": each.rollout.fatal,
            "unusable": each.rollout.unusable,
            "advantage": taught.get(each.episode.id),
            "turns": len(each.episode.turns),
            "tokens": len(each.rollout.row),
        }
        for kind, each in every
    ]


def _plain(number: float) -> float | None:
    """Replaces NaN by None, because JSON has no NaN."""
    return None if math.isnan(number) else number


def gather_sums(
    made: StepSamples, fatal: FatalRules, at: World
) -> tuple[Sums, list[dict[str, Any]]]:
    """Gathers the metric sums and the rollout lines of all ranks. All ranks must call this function
    together.
    """
    parts = at.gather((count_sums(made, fatal), rollout_lines(made)))
    return add_sums([sums for sums, _ in parts]), [line for _, lines in parts for line in lines]
