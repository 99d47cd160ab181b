"""AXPO: where every rollout of a question that used a tool is wrong, the beginnings of some are played on anew (arXiv 2605.28774, section 4).

    source         system question │ think <tool_call> │ {"name": … wrong          prefix: Â_pre          continuation: masked
    continuation 1                   (the same ids)      {"name": … right                                 Â_1
    …                                (the same ids)
    continuation K                   (the same ids)      {"name": … wrong                                 Â_K

The prefix is credited with what it can lead to: its reward becomes a right continuation's, for its own number only. Everybody else in the
group keeps ordinary advantages from original rewards. Continuations never count in pass rates.

Controls that are settings of the rollouts and not of this file: a quarter more rollouts, twice the rollouts, a higher temperature; a bonus
or penalty on tools is in `credit/rewards.py`.
"""

import random
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

from questloom.train.credit.credit_rules import Axpo, Statistic
from questloom.train.credit.groups import DELTA, advantages
from questloom.train.rows.row import PictureTokens, Row, RowError, RowFault, cut


@dataclass(frozen=True)
class Boundary:
    """Where a rollout may be played on from."""

    end: int
    """Tokens of the prefix: up to and with `<tool_call>`."""
    turn: int
    confidence: float
    """Mean probability of the call's tokens under the weights that sampled them."""


@dataclass(frozen=True)
class Source:
    """A rollout that may be played on."""

    group: int
    rollout: int
    boundary: Boundary


def is_triggered(accuracy: Tensor, member: Tensor) -> bool:
    """Whether a question is to be resampled: there are members and all are known to be wrong. The rollouts beside them may be right. To be
    asked before groups without variance are left out.

    Args:
        accuracy: (n,) r_acc of the question's rollouts: 0, 1, or NaN where the judge failed, which is not known to be wrong.
        member: (n,) bool: rollouts that called a tool (`no_tool`: that did not) and did not end by a provider's fault.

    >>> accuracy, tool = torch.tensor([0.0, 0, 1, 0]), torch.tensor([True, True, False, False])
    >>> is_triggered(accuracy, tool), is_triggered(accuracy, ~tool), is_triggered(accuracy, torch.zeros(4, dtype=torch.bool))
    (True, False, False)
    """
    return bool(member.any()) and bool((accuracy[member] == 0).all())


def boundaries(
    row: Row, open_id: int, close_id: int, *, fatal: int | None = None
) -> list[Boundary]:
    """The first tool call of each turn before the fatal step.

    Args:
        row: with log-probabilities.
        open_id, close_id: `<tool_call>` and `</tool_call>`, each one token.
        fatal: f of the rollout.
    """
    assert row.old_logp is not None, "sources are ranked by the log-probabilities of their engine"
    found = []
    for number, (begin, end) in enumerate(row.turns[:fatal]):
        said = row.ids[begin:end].tolist()
        if open_id not in said:
            continue
        start = begin + said.index(open_id) + 1
        stop = (
            start + said[start - begin :].index(close_id)
            if close_id in said[start - begin :]
            else end
        )
        if stop > start:  # a call of no tokens was cut off at the tag
            found.append(Boundary(start, number, row.old_logp[start:stop].exp().mean().item()))
    return found


def boundary(
    row: Row,
    open_id: int,
    close_id: int,
    choice: Literal["first", "most_uncertain"],
    *,
    fatal: int | None = None,
) -> Boundary | None:
    """Where a source's prefix ends; None where it made no call before its fatal step."""
    found = boundaries(row, open_id, close_id, fatal=fatal)
    if choice == "most_uncertain":
        return min(found, key=lambda each: each.confidence, default=None)
    return found[0] if found else None


def select(
    groups: Sequence[Sequence[Source]], *, num_rollouts: int, rules: Axpo, seed: int = 0
) -> list[Source]:
    """Which sources are played on: one of each question before any gets a second, the least sure first.

    Args:
        groups: the sources of each triggered question.
        num_rollouts: of the step, B·N; the budget is a share of it.
        seed: of `rank: random`.

    >>> def sources(group, *confidences):
    ...     return [Source(group, n, Boundary(10, 0, c)) for n, c in enumerate(confidences)]
    >>> chosen = select([sources(0, 0.9, 0.2, 0.3), sources(1, 0.8)], num_rollouts=48, rules=Axpo())  # 12 continuations: 3 sources
    >>> [(source.group, source.rollout) for source in chosen]
    [(0, 1), (1, 0), (0, 2)]
    """
    room = int(rules.budget * num_rollouts + 1e-9) // rules.continuations
    chance = random.Random(seed)
    key = {
        source: chance.random() if rules.rank == "random" else source.boundary.confidence
        for group in groups
        for source in group
    }
    ranked = [sorted(group, key=lambda source: (key[source], source.rollout)) for group in groups]
    rounds = [
        [group[n] for group in ranked if n < len(group)]
        for n in range(max(map(len, ranked), default=0))
    ]
    return [
        source
        for each in rounds
        for source in sorted(each, key=lambda source: (key[source], source.group))
    ][:room]


def recovered_reward(source_reward: float, rewards: Tensor, accuracy: Tensor) -> float:
    """r_pre: the largest reward of a right continuation, the source's own where none is right.

    Args:
        rewards, accuracy: (K,) of the continuations, NaN where unknown.

    >>> recovered_reward(0.1, torch.tensor([0.9, 0.2, 0.95, 0.2]), torch.tensor([1.0, 0, 1, 0])) == torch.tensor(0.95).item()
    True
    >>> recovered_reward(0.1, torch.tensor([0.2, 0.2]), torch.tensor([0.0, float("nan")]))
    0.1
    """
    right = rewards[(accuracy == 1) & ~rewards.isnan()]
    return right.max().item() if len(right) else source_reward


def prefix_advantage(
    rewards: Tensor,
    source: int,
    reward: float,
    statistic: Statistic,
    *,
    cap: float | None = None,
    delta: float = DELTA,
) -> float:
    """Â_pre = (r_pre − mean r̃) / std r̃, with the source's reward alone replaced. Several sources of a group are reckoned one by one. The clamp
    of fatal sources comes after it, see `fatal.treat`.

    Args:
        rewards: (n,) of the question's rollouts, as they were.
        source: which of them.
        reward: r_pre, from `recovered_reward`.

    >>> group = torch.tensor([0.0, 0, 0, 1, 1, 0, 0, 0])
    >>> [[round(prefix_advantage(group, 0, r, s), 3) for s in ("population", "sample", "leave_one_out")] for r in (0.0, 1.0)]
    [[-0.577, -0.54, -0.286], [1.291, 1.208, 0.714]]

    Two sources, both recovered: 1.291 each; replaced together it would be 1.000.

    >>> [round(prefix_advantage(group, source, 1.0, "population"), 3) for source in (0, 1)]
    [1.291, 1.291]
    >>> round(advantages(torch.tensor([1.0, 1, 0, 1, 1, 0, 0, 0]), "population")[0].item(), 3)
    1.0
    >>> wrong = torch.zeros(8)
    >>> [round(prefix_advantage(wrong, 0, 1.0, s), 3) for s in ("population", "sample", "leave_one_out")]
    [2.646, 2.475, 1.0]
    >>> prefix_advantage(wrong, 0, 1.0, "population", cap=1.0)
    1.0
    """
    replaced = rewards.clone()
    replaced[source] = reward
    made = advantages(replaced, statistic, delta=delta)[source].item()
    return made if cap is None else min(made, cap)


def continuation_advantages(
    rewards: Tensor, statistic: Statistic, *, beside: Tensor | None = None, delta: float = DELTA
) -> Tensor:
    """Â_k of a source's continuations.

    Args:
        rewards: (K,), NaN where unknown.
        beside: (n,) rewards of the question's rollouts, to compare with them too (`group: merged`); none to compare the K with each other.

    Returns:
        (K,); 0 where all are equal, and where unknown.

    >>> [round(x, 3) for x in continuation_advantages(torch.tensor([0.0, 1, 0, 0]), "population").tolist()]
    [-0.577, 1.732, -0.577, -0.577]
    >>> continuation_advantages(torch.zeros(4), "population").tolist()
    [0.0, 0.0, 0.0, 0.0]
    >>> [round(x, 3) for x in continuation_advantages(torch.tensor([0.0, 1]), "population", beside=torch.zeros(2)).tolist()]
    [-0.577, 1.732]
    """
    beside = rewards[:0] if beside is None else beside
    return advantages(torch.cat([beside, rewards]), statistic, delta=delta)[len(beside) :]


def prefix_mask(row: Row, end: int) -> Tensor:
    """(T,) bool: the source's tokens that `prefix_advantage` is for."""
    return row.loss_mask & (torch.arange(len(row)) < end)


def continuation_mask(row: Row, begin: int) -> Tensor:
    """(T,) bool: a continuation's own tokens."""
    return row.loss_mask & (torch.arange(len(row)) >= begin)


def check_prefix(row: Row, source: Row, end: int, tokens: PictureTokens) -> None:
    """That a continuation begins as its source: same ids, same pixels.

    Args:
        end: tokens of the prefix.

    Raises:
        RowError: it does not; it would be compared with continuations of another beginning.
    """
    begun = row.ids[:end].tolist()
    if begun != source.ids[:end].tolist():
        at = next(
            (
                n
                for n, (a, b) in enumerate(zip(begun, source.ids[:end].tolist(), strict=False))
                if a != b
            ),
            len(begun),
        )
        raise RowError(
            RowFault.PREFIX,
            row.episode_id,
            f"leaves its source, episode {source.episode_id}, at token {at} of the prefix of {end}",
        )
    if (now := cut(row, end, tokens).pixel_hashes) != (
        then := cut(source, end, tokens).pixel_hashes
    ):
        at = next(n for n, (a, b) in enumerate(zip(now, then, strict=True)) if a != b)
        raise RowError(
            RowFault.PREFIX,
            row.episode_id,
            f"has other pixels than its source, episode {source.episode_id}, in picture {at}",
        )
