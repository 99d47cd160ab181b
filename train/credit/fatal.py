"""Fatal-aware learning (OpenSearch-VL, section 4.3): after K faulty steps in a row, the rest of a
rollout teaches nothing.

```
step       0    1      2      3      4        f = 2, the first of the three
call       ok   ok     fault  fault  fault
in loss    yes  yes    no     no     no
```

Only a fault of the model makes a step faulty. A successful call sets the count of faults back to 0.
Provider faults and sandbox limits do not change the count. The reward of a fatal rollout stays in
the group's statistics.

The clamp sets a negative advantage of a fatal rollout to 0, so that training never lowers the
probability of the tokens before step f: the good beginning did not cause the bad end.
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
    """How many steps of a rollout are in the loss, and with which advantage."""

    advantage: float
    num_steps: int
    """The number of steps in the loss, counted from the first step; 0 if no step is in the loss."""


def statuses(episode: Episode) -> list[str]:
    """The status of the tool call in each step.

    A last turn without a tool call gets its status from the end of the episode. A turn that breaks
    the agent's protocol counts as a fault of the model. A turn that was cut off, repeated itself
    endlessly, or made one call too many counts as a limit that was reached.
    """
    last = {EndReason.FORMAT: ToolStatus.MODEL_FAULT, EndReason.ANSWERED: ToolStatus.OK}.get(
        EndReason(episode.end), ToolStatus.LIMIT
    )
    return [turn.result.status if turn.result else last for turn in episode.turns]


def fatal_step(
    statuses: Sequence[str], *, faults: int = 3, fatal_index: Literal["first", "last"] = "first"
) -> int | None:
    """f: number of the fatal step, from which a rollout teaches nothing; None if the rollout is not
    fatal.

    Args:
        statuses: the `ToolStatus` of each step.

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
    """Whether a rollout with a known reward counts in its group's statistics.

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
    """Applies the rules for failed rollouts to a rollout.

    The rules for fatal rollouts come first, then the rule for other rollouts without an answer. The
    rule for rollouts that ran out of tokens, calls or time comes last, and holds for fatal rollouts
    too.

    Args:
        advantage: the rollout's advantage in its group, after normalisation.
        num_steps: number of turns in the rollout.
        fatal: number of the fatal step, from `fatal_step`.
        end: the `EndReason` of the rollout.

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
    """The mask M_t: true for the policy's own tokens before the fatal step f.

    Args:
        loss_mask: (T,) bool, whether the policy wrote the token.
        steps: (T,) int64, the step of each token; see `Row.steps`.

    >>> import torch
    >>> step_mask(torch.tensor([False, True, True, False, True]), torch.tensor([-1, 0, 0, 0, 1]), 1).tolist()
    [False, True, True, False, False]
    """
    return loss_mask & (steps < num_steps)
