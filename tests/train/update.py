"""One update's gradient, as the loop will make it: micro-batches, one agreed count, backward for each."""

from collections.abc import Sequence

import torch

from questloom.train.credit.samples import Sample, loss_inputs
from questloom.train.loss.normalise import Normaliser, sum_over_ranks
from questloom.train.loss.objective import count, loss_sum
from questloom.train.loss.objective_rules import Objective
from questloom.train.loss.sft_loss import num_labels, sft_loss_sum
from questloom.train.model.scorer import Scorer
from questloom.train.rows.packing import pack
from questloom.train.rows.row import Row
from tests.train.played import PICTURES, row

Gradient = dict[str, torch.Tensor]


def rows_of_unequal_length() -> list[Row]:
    """With and without pictures, one to four turns."""
    return [
        row(2, seed=1),
        row(3, seed=2, task_pictures=0, tool_pictures=False, words=9),
        row(4, seed=3),
        row(1, seed=4, task_pictures=2, words=1),
        row(1, seed=5, task_pictures=0),
    ]


def lessons_of(rows: Sequence[Row]) -> list[Sample]:
    """With advantages of both signs, a masked turn and a resampled piece."""
    made = [
        Sample(each, advantage, weight)
        for each, advantage, weight in zip(
            rows, (1.5, -0.7, 0.4, -1.2, 0.9), (1, 1, 1, 0.2, 1), strict=True
        )
    ]
    first = made[2].row
    return [*made[:2], Sample(first.masked(first.steps < 3), made[2].advantage), *made[3:]]


def backward(
    scorer: torch.nn.Module,
    micro: Sequence[Sequence[Sample]],
    objective: Objective | None,
    agreed: Normaliser | None = None,
) -> float:
    """Accumulates the gradient of an update and returns the loss (this rank's share). Without an objective it is SFT's.

    Args:
        agreed: made here where it is not given.
    """
    packs = [(pack([each.row for each in some], PICTURES), some) for some in micro]
    if agreed is None:
        counted = [
            num_labels(packed)
            if objective is None
            else count(packed.row, loss_inputs(some, packed)[1], objective)
            for packed, some in packs
        ]
        agreed = sum_over_ranks(sum(counted))
    total = 0.0
    for packed, some in packs:
        logp = scorer(packed).logp
        if objective is None:
            summed = sft_loss_sum(logp)
        else:
            advantage, weights = loss_inputs(some, packed)
            # As if the engine had been of slightly other weights: ratios on both sides of 1, some clipped.
            engine = logp.detach() + 0.3 * torch.sin(packed.labels * 1.0)
            summed = loss_sum(
                objective,
                logp=logp,
                engine_logp=engine,
                trainer_logp=engine,
                advantage=advantage,
                row=packed.row,
                row_weights=weights,
                reference_logp=engine,
            )
        loss = agreed.share(summed)
        loss.backward()
        total += loss.item()
    return total


def gradient(
    model: torch.nn.Module, micro: Sequence[Sequence[Sample]], objective: Objective | None
) -> Gradient:
    """Of one rank, by parameter."""
    model.zero_grad()
    backward(Scorer(model), micro, objective)
    made = {name: parameter.grad.clone() for name, parameter in model.named_parameters()}
    model.zero_grad()
    return made


def difference(one: Gradient, other: Gradient) -> float:
    """The norm of the difference, relative to the first."""
    assert one.keys() == other.keys()
    return (
        (
            sum((one[n] - other[n]).double().pow(2).sum() for n in one)
            / sum(g.double().pow(2).sum() for g in one.values())
        )
        .sqrt()
        .item()
    )
