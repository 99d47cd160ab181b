"""AXPO (arXiv 2605.28774, section 4): samples new endings for wrong rollouts.

AXPO works on a question if all of its rollouts that used a tool are wrong. AXPO selects some of the
question's wrong rollouts as its sources. From each source, AXPO keeps the first tokens (the prefix)
and samples K continuations of this prefix.

```
source         system question │ think <tool_call> │ {"name": … wrong          prefix: Â_pre          continuation: masked
continuation 1                   (the same ids)      {"name": … right                                 Â_1
…                                (the same ids)
continuation K                   (the same ids)      {"name": … wrong                                 Â_K
```

If a continuation is right, the advantage of the prefix is computed from the continuation's reward.
All other rollouts of the group keep their ordinary advantages. Continuations do not count in pass
rates.

For comparison, the paper also tests 25 % more rollouts, twice as many rollouts, a higher
temperature, and a bonus for tool calls (`credit/rewards.py`).
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
    """A place in a rollout at which a continuation can begin."""

    end: int
    """The number of tokens in the prefix (the kept beginning of a rollout), up to and including
    `<tool_call>`."""
    turn: int
    confidence: float
    """The mean probability of the tool call's tokens, under the weights that sampled these
    tokens."""


@dataclass(frozen=True)
class Source:
    """A wrong rollout that may be continued."""

    group: int
    rollout: int
    boundary: Boundary


def is_triggered(accuracy: Tensor, member: Tensor) -> bool:
    """Whether AXPO continues rollouts of a question.

    At least one of the question's rollouts must have called a tool. All rollouts that called a tool
    must be known to be wrong. The question's other rollouts may be right.

    Call this function before leaving out groups whose rewards are all equal.

    Args:
        accuracy: (n,) the accuracy reward of each of the question's rollouts: 0, 1, or NaN if the
            judge failed. A rollout with NaN does not count as wrong.
        member: (n,) bool, whether the rollout called a tool (with `trigger: no_tool`, whether it
            called none) and did not end by a provider fault.

    >>> accuracy, tool = torch.tensor([0.0, 0, 1, 0]), torch.tensor([True, True, False, False])
    >>> is_triggered(accuracy, tool), is_triggered(accuracy, ~tool), is_triggered(accuracy, torch.zeros(4, dtype=torch.bool))
    (True, False, False)
    """
    return bool(member.any()) and bool((accuracy[member] == 0).all())


def boundaries(
    row: Row, open_id: int, close_id: int, *, fatal: int | None = None
) -> list[Boundary]:
    """The places at which a rollout can be continued. Each place is the first tool call of a turn
    before the fatal step (the step from which the rollout teaches nothing).

    Args:
        row: the rollout's row, with log-probabilities.
        open_id, close_id: the token ids of `<tool_call>` and `</tool_call>`; each tag is one token.
        fatal: number of the fatal step (from which the rollout teaches nothing); None if there is
            none.
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
        if stop > start:  # a call without tokens was cut off at the tag
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
    """The place at which AXPO cuts a wrong rollout (a source); None if the rollout called no tool
    before its fatal step."""
    found = boundaries(row, open_id, close_id, fatal=fatal)
    if choice == "most_uncertain":
        return min(found, key=lambda each: each.confidence, default=None)
    return found[0] if found else None


def select(
    groups: Sequence[Sequence[Source]], *, num_rollouts: int, rules: Axpo, seed: int = 0
) -> list[Source]:
    """Selects the wrong rollouts (sources) that are continued.

    Each question gets one source (wrong rollout to continue) before any question gets a second.
    By default, the source with the least probable tool call comes first.

    Args:
        groups: the wrong rollouts that may be continued, one list for each question.
        num_rollouts: number of rollouts in the step (B·N). The setting `budget` limits the number
            of continuations to a share of this number.
        seed: seed of the random order, if the setting `rank` is "random".

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
    """r_pre: the largest reward among the right continuations, or the source's own reward if no
    continuation is right.

    Args:
        rewards, accuracy: (K,) reward and accuracy of each continuation, NaN if unknown.

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
    """The advantage of a prefix (the kept beginning of a wrong rollout): Â_pre = (r_pre − mean r̃)
    / std r̃.

    The rewards r̃ are the group's rewards, in which r_pre replaces the source's reward. If AXPO
    continues several rollouts of a group, each prefix's advantage is computed with the original
    rewards of the other rollouts. For a fatal rollout, `fatal.treat` later sets a negative
    advantage of the prefix to 0.

    Args:
        rewards: (n,) original rewards of the question's rollouts.
        source: index of the wrong rollout that was continued, among the question's rollouts.
        reward: r_pre, as `recovered_reward` computes it.

    >>> group = torch.tensor([0.0, 0, 0, 1, 1, 0, 0, 0])
    >>> [[round(prefix_advantage(group, 0, r, s), 3) for s in ("population", "sample", "leave_one_out")] for r in (0.0, 1.0)]
    [[-0.577, -0.54, -0.286], [1.291, 1.208, 0.714]]

    In the example, two wrong rollouts have right continuations, and each prefix gets an advantage
    of 1.291. If both rewards were replaced at once, the advantages would be 1.000.

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
    """Â_k: the advantages of the K continuations of one wrong rollout.

    Args:
        rewards: (K,) rewards of the continuations, NaN if unknown.
        beside: (n,) rewards of the question's rollouts. If given (setting `group: merged`), the K
            continuations are also compared with these rollouts; otherwise only with each other.

    Returns:
        (K,) the advantages of the continuations. The advantage is 0 for an unknown reward, and 0 if
            all rewards are equal.

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
    """(T,) bool: the tokens that get the prefix's advantage."""
    return row.loss_mask & (torch.arange(len(row)) < end)


def continuation_mask(row: Row, begin: int) -> Tensor:
    """(T,) bool: the tokens that were sampled for the continuation, without the copied prefix."""
    return row.loss_mask & (torch.arange(len(row)) >= begin)


def check_prefix(row: Row, source: Row, end: int, tokens: PictureTokens) -> None:
    """Checks that a continuation begins with the same ids and pixels as the rollout that it
    continues.

    Args:
        end: number of tokens in the prefix.

    Raises:
        RowError: the continuation begins differently, so its reward says nothing about this
            rollout's prefix.
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
