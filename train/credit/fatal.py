"""Fatal-aware learning: after K faulty steps in a row a rollout is lost, and what follows teaches nothing (OpenSearch-VL, section 4.3).

    step       0    1      2      3      4        f = 2, the first of the three
    call       ok   ok     fault  fault  fault
    in loss    yes  yes    no     no     no

Only faults of the model count. A success resets the count; faults of providers and limits of the sandbox neither count nor reset. The
rollout's reward stays in the group's statistics. The tokens before step f are pushed up where the rollout did better than the group, and never
down (the clamp): a good beginning did not cause the bad end.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from torch import Tensor

from questloom.records.episodes import EndReason, Episode, ToolStatus
from questloom.train.credit.credit_rules import FatalRules

OVERLONG = frozenset({EndReason.TOKENS, EndReason.CALLS, EndReason.TIME})


@dataclass(frozen=True)
class Treatment:
    """What a rollout may teach."""

    advantage: float
    num_steps: int
    """Its first so many steps are in the loss; 0 for none."""


def statuses(episode: Episode) -> list[str]:
    """How each step went: its call's status. A turn that ended the episode by breaking the protocol is a fault of the model; one that was cut
    off, went in circles or called once too often met a limit."""
    last = {EndReason.FORMAT: ToolStatus.MODEL_FAULT, EndReason.ANSWERED: ToolStatus.OK}.get(
        EndReason(episode.end), ToolStatus.LIMIT
    )
    return [turn.result.status if turn.result else last for turn in episode.turns]


def fatal_step(
    statuses: Sequence[str], *, faults: int = 3, fatal_index: Literal["first", "last"] = "first"
) -> int | None:
    """f: the step from which on a rollout is lost; None where it is not.

    Args:
        statuses: a `ToolStatus` each step.

    >>> bad, ok, out = "model_fault", "ok", "provider_fault"
    >>> fatal_step([ok, bad, bad, ok, bad, bad, bad, ok]), fatal_step([ok, bad, bad, bad], fatal_index="last")
    (4, 3)
    >>> fatal_step([bad, bad, bad]), fatal_step([bad, bad, ok, bad]), fatal_step([bad, out, bad, bad])
    (0, None, 0)
    """
    row: list[int] = []
    for step, each in enumerate(statuses):
        if each == ToolStatus.OK:
            row.clear()
        elif each == ToolStatus.MODEL_FAULT:
            row.append(step)
            if len(row) == faults:
                return row[0] if fatal_index == "first" else row[-1]
    return None


def in_statistics(end: str, rules: FatalRules) -> bool:
    """Whether a rollout with a known reward enters its group's statistics.

    >>> in_statistics("provider", FatalRules()), in_statistics("provider", FatalRules(provider="out_of_loss")), in_statistics("time", FatalRules())
    (False, True, True)
    """
    return end != EndReason.PROVIDER or rules.provider != "leave"


def treat(
    advantage: float,
    *,
    num_steps: int,
    fatal: int | None,
    end: str,
    answered: bool,
    rules: FatalRules,
) -> Treatment:
    """What a rollout may teach. The fatal rules come first, then those for ends without an answer; the one for over-long rollouts wins.

    Args:
        advantage: in its group, already normalised.
        num_steps: turns of the rollout.
        fatal: f, from `fatal_step`.
        end: an `EndReason`.

    >>> facts = dict(num_steps=5, fatal=2, end="fatal", answered=False)
    >>> [treat(-1.0, rules=FatalRules(treatment=t), **facts) for t in ("vanilla", "hard_mask", "fatal_mask", "fatal_mask+clamp")]
    ... # doctest: +NORMALIZE_WHITESPACE
    [Treatment(advantage=-1.0, num_steps=5), Treatment(advantage=-1.0, num_steps=0), Treatment(advantage=-1.0, num_steps=2),
     Treatment(advantage=0.0, num_steps=2)]
    >>> treat(0.5, rules=FatalRules(), **facts)
    Treatment(advantage=0.5, num_steps=2)
    """
    if end == EndReason.PROVIDER:
        return Treatment(advantage, 0)
    kept = num_steps
    if fatal is not None and rules.treatment != "vanilla":
        kept = 0 if rules.treatment == "hard_mask" else fatal
        if rules.treatment == "fatal_mask+clamp":
            advantage = max(advantage, 0.0)
    elif not answered and rules.no_answer == "clamp":
        advantage = max(advantage, 0.0)
    if rules.overlong == "out_of_loss" and end in OVERLONG:
        kept = 0
    return Treatment(advantage, kept)


def step_mask(loss_mask: Tensor, steps: Tensor, num_steps: int) -> Tensor:
    """M_t = policy token · 1[step(t) < f].

    Args:
        loss_mask: (T,) bool.
        steps: (T,) int64, see `Row.steps`.

    >>> import torch
    >>> step_mask(torch.tensor([False, True, True, False, True]), torch.tensor([-1, 0, 0, 0, 1]), 1).tolist()
    [False, True, True, False, False]
    """
    return loss_mask & (steps < num_steps)
