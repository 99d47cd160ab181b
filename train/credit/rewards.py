"""A rollout's reward (OpenSearch-VL, section 4.2): r = r_fmt · (α·r_acc + (1 − α)·r_query).

The term r_fmt rewards the format, r_acc the answer, and r_query the search queries.

If a judge fails, the reward is unknown (NaN), never 0. A rollout with an unknown reward counts
neither in the loss nor in the group's statistics. With α = 1 and without r_fmt, only the answer is
rewarded, as in VSearcher and ODE, and no judge of the search queries is needed.
"""

import math
from collections.abc import Sequence

import torch
from torch import Tensor

from questloom.records.episodes import Outcome, ToolStatus, Turn
from questloom.train.credit.credit_rules import RewardRules

UNKNOWN = math.nan


def accuracy(outcome: str) -> float:
    """r_acc, the reward for the answer, from the outcome of the answer judge.

    >>> [accuracy(outcome) for outcome in ("correct", "wrong", "no_answer", "judge_failed")]
    [1.0, 0.0, 0.0, nan]
    """
    return {
        Outcome.CORRECT: 1.0,
        Outcome.WRONG: 0.0,
        Outcome.NO_ANSWER: 0.0,
        Outcome.JUDGE_FAILED: UNKNOWN,
    }[Outcome(outcome)]


def step_passed(turn: Turn) -> bool:
    """Whether a turn counts as passed in r_fmt, the reward for the format.

    A turn passes if it keeps the agent's protocol and its tool call has no fault of the model.
    Provider faults and sandbox limits do not count against a turn.
    """
    return not turn.violation and not (turn.result and turn.result.status == ToolStatus.MODEL_FAULT)


def format_reward(passed: Sequence[bool], num_valid: int | None = None) -> float:
    """r_fmt, the reward for the format: the share of the steps that passed, among the steps before
    the fatal step.

    Args:
        passed: whether each step passed.
        num_valid: number of steps before the fatal step; None to count all steps.

    >>> format_reward([True, True, False, False, False], 2), format_reward([True, False]), format_reward([False, False, False], 0)
    (1.0, 0.5, 0.0)
    """
    valid = passed[:num_valid]
    return sum(valid) / len(valid) if valid else 0.0


def rewards(
    rules: RewardRules,
    *,
    format_share: Tensor,
    accuracy: Tensor,
    used_tool: Tensor,
    query: Tensor | None = None,
    num_valid: Tensor | None = None,
) -> Tensor:
    """The rewards of n rollouts, NaN if unknown.

    Args:
        format_share: (n,) r_fmt, the reward for the format; see `format_reward`.
        accuracy: (n,) r_acc, the reward for the answer: 0, 1 or NaN.
        used_tool: (n,) bool, whether the rollout called a tool.
        query: (n,) scores of the judge of search queries, 0 to 1 or NaN; not needed if alpha is 1.
        num_valid: (n,) number of steps before the fatal step. A rollout whose first step is fatal
            has 0 such steps, and the reward 0.

    >>> told = dict(format_share=torch.tensor([1.0, 0.5, 1.0, 1.0]), accuracy=torch.tensor([1.0, 1.0, 0.0, float("nan")]),
    ...             used_tool=torch.tensor([True, True, True, False]))
    >>> rewards(RewardRules(), query=torch.tensor([0.5, 0.5, 1.0, 0.0]), **told)
    tensor([0.9000, 0.4500, 0.2000,    nan])
    >>> rewards(RewardRules(alpha=1.0, format=False), **told)
    tensor([1., 1., 0., nan])
    >>> rewards(RewardRules(alpha=1.0), num_valid=torch.tensor([3, 0, 2, 0]), **told)
    tensor([1., 0., 0., 0.])
    """
    made = accuracy
    if rules.alpha < 1:
        if query is None:
            raise ValueError(f"alpha {rules.alpha} needs the query judge's scores")
        made = rules.alpha * accuracy + (1 - rules.alpha) * query
    if rules.format:
        made = made * format_share
    made = made + rules.tool_bonus * used_tool
    return made if num_valid is None else made.where(num_valid > 0, torch.zeros_like(made))
