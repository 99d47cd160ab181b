"""GRPO's clipped objective over packed tokens.

The objective is J = Σ M · min(ρÂ, clip(ρ, 1 − ε_low, 1 + ε_high)·Â) / normaliser − β·KL.

All tensors have shape (N,). The tensors hold the tokens of one micro-batch that are in the loss,
row by row. The tensor `row` holds the row number of each token. The loss is the sum of −J over
tokens.
"""

import torch
import torch.distributed as dist
from torch import Tensor

from questloom.records.errors import QuestloomError
from questloom.train.loss.objective_rules import KL_ALARM, Objective


def token_losses(
    logp: Tensor, old_logp: Tensor, advantage: Tensor, *, clip_low: float, clip_high: float
) -> Tensor:
    """The loss of each token: −min(ρÂ, clip(ρ)Â) with ρ = exp(logp − old_logp). All tensors have
    shape (N,).

    >>> logp = torch.tensor([1.5, 0.5, 1.5, 0.5]).log()  # ρ, since the old probabilities were 1
    >>> token_losses(logp, torch.zeros(4), torch.tensor([1.0, 1.0, -1.0, -1.0]), clip_low=0.2, clip_high=0.28)
    tensor([-1.2800, -0.5000,  1.5000,  0.8000])

    In the example, the first and the last token are clipped: they have no gradient.
    """
    ratio = (logp - old_logp).exp()
    return -torch.min(ratio * advantage, ratio.clamp(1 - clip_low, 1 + clip_high) * advantage)


def kl_k3(logp: Tensor, reference_logp: Tensor) -> Tensor:
    """Schulman's k3 estimate of KL(policy ‖ reference) per token: q/p − ln(q/p) − 1.

    p is the probability that the policy gives to the sampled token; q is the probability that the
    reference model gives to it. The estimate is never negative. All tensors have shape (N,).

    >>> kl_k3(torch.tensor([0.5, 0.5]).log(), torch.tensor([0.5, 0.25]).log())
    tensor([0.0000, 0.1931])
    """
    log_ratio = reference_logp - logp
    return log_ratio.exp() - log_ratio - 1


def truncated_importance(trainer_logp: Tensor, engine_logp: Tensor, cap: float) -> Tensor:
    """Truncated importance weights per token: min(trainer / engine, cap), without gradient.

    A weight is below 1 if the engine gives the token a higher probability than the trainer. Both
    tensors have shape (N,) and hold log-probabilities under the weights that sampled the tokens.

    >>> truncated_importance(torch.tensor([0.2, 0.4, 0.9]).log(), torch.tensor([0.4, 0.4, 0.1]).log(), cap=2.0)
    tensor([0.5000, 1.0000, 2.0000])
    """
    return (trainer_logp - engine_logp).exp().clamp(max=cap).detach()


def token_weights(row: Tensor, row_weights: Tensor, objective: Objective) -> Tensor:
    """Computes the (N,) factors of the tokens' losses before the sum.

    Args:
        row: (N,) int64, the row number of each token.
        row_weights: (R,) the weight of each row, where 1 is the weight of a whole trajectory. Only
            a rollout that AXPO continued is split into rows with weights below 1 (see
            `credit/axpo.py`).

    >>> row, ones = torch.tensor([0, 0, 0, 0, 1]), torch.ones(2)
    >>> token_weights(row, ones, Objective(normaliser="trajectory"))
    tensor([0.2500, 0.2500, 0.2500, 0.2500, 1.0000])
    >>> token_weights(row, ones, Objective(normaliser="token"))
    tensor([1., 1., 1., 1., 1.])
    >>> token_weights(row, ones, Objective(normaliser="constant", constant=8))
    tensor([0.1250, 0.1250, 0.1250, 0.1250, 0.1250])
    """
    each = row_weights[row]
    if objective.normaliser == "trajectory":
        return each / torch.bincount(row, minlength=len(row_weights))[row]
    return each / objective.constant if objective.normaliser == "constant" else each


def count(row: Tensor, row_weights: Tensor, objective: Objective) -> float:
    """How much a micro-batch adds to the divisor: the number of its tokens in the loss, or of its
    trajectories that have tokens in the loss.

    Rollouts that are in no micro-batch add to the divisor through `samples.DroppedWeight`.

    >>> row, weights = torch.tensor([0, 0, 0, 0, 1]), torch.tensor([1.0, 0.5, 1.0])  # the third row is masked out
    >>> count(row, weights, Objective(normaliser="trajectory")), count(row, weights, Objective(normaliser="token"))
    (1.5, 4.5)
    """
    if objective.normaliser == "token":
        return row_weights[row].sum().item()
    return row_weights[row.unique()].sum().item()


def loss_sum(
    objective: Objective,
    *,
    logp: Tensor,
    engine_logp: Tensor,
    advantage: Tensor,
    row: Tensor,
    row_weights: Tensor,
    trainer_logp: Tensor | None = None,
    reference_logp: Tensor | None = None,
) -> Tensor:
    """The loss of a micro-batch, not yet divided by the count of all ranks.

    Args:
        logp: (N,) log-probabilities under the trained weights.
        engine_logp: (N,) log-probabilities from the inference engine that sampled the tokens.
        advantage: (N,) advantage of each token's row.
        row, row_weights: see `token_weights`.
        trainer_logp: (N,) log-probabilities from the trainer, under the weights that sampled;
            needed for `importance_cap`.
        reference_logp: (N,) log-probabilities from the reference model; needed for `kl`.

    >>> probabilities = {"logp": torch.tensor([0.5, 0.5, 0.25]).log(), "engine_logp": torch.tensor([0.5, 0.5, 0.25]).log()}
    >>> rows = {"row": torch.tensor([0, 0, 1]), "row_weights": torch.ones(2)}
    >>> loss_sum(Objective(), advantage=torch.tensor([1.0, 1.0, -3.0]), **probabilities, **rows)
    tensor(2.)
    """
    if objective.importance_cap is None:
        old_logp, correction = engine_logp, torch.ones_like(engine_logp)
    else:
        assert trainer_logp is not None, (
            "the truncated importance correction needs the trainer's own log-probabilities"
        )
        old_logp, correction = (
            trainer_logp,
            truncated_importance(trainer_logp, engine_logp, objective.importance_cap),
        )
    losses = correction * token_losses(
        logp, old_logp, advantage, clip_low=objective.clip_low, clip_high=objective.clip_high
    )
    if objective.kl:
        assert reference_logp is not None, "a KL term needs the reference model's log-probabilities"
        kl = kl_k3(logp, reference_logp)
        losses = losses + objective.kl * (
            kl * (logp - old_logp).exp() if objective.kl_ratio else kl
        )
    return (losses * token_weights(row, row_weights, objective)).sum()


def clip_masks(
    logp: Tensor, old_logp: Tensor, advantage: Tensor, objective: Objective
) -> tuple[Tensor, Tensor]:
    """Two (N,) bool masks: the tokens that are clipped below, and the tokens that are clipped
    above.

    >>> clip_masks(torch.tensor([1.5, 0.5, 1.5, 0.5]).log(), torch.zeros(4), torch.tensor([1.0, 1.0, -1.0, -1.0]), Objective())
    (tensor([False, False, False,  True]), tensor([ True, False, False, False]))
    """
    ratio = (logp - old_logp).exp()
    return (ratio < 1 - objective.clip_low) & (advantage < 0), (ratio > 1 + objective.clip_high) & (
        advantage > 0
    )


class EngineMismatch(QuestloomError):
    """The inference engine and the trainer disagree on the log-probabilities of sampled tokens.

    Without this check, nobody would notice that training has become off-policy.
    """


def check_engine(trainer_logp: Tensor, engine_logp: Tensor, *, alarm: float = KL_ALARM) -> float:
    """Estimates the KL divergence between inference engine and trainer under the same weights. The
    estimate is Schulman's k3, over the tokens of all ranks.

    All ranks must call this function together. Either all ranks pass the check, or all ranks stop.

    Args:
        trainer_logp, engine_logp: (N,) log-probabilities of the same tokens, from all
            micro-batches.

    Raises:
        EngineMismatch: the KL divergence is above `alarm`; the error states the figures.

    >>> round(check_engine(torch.tensor([-1.0, -2.0]), torch.tensor([-1.01, -2.0])), 6)
    2.5e-05
    """
    difference = trainer_logp.double() - engine_logp.double()  # (N,)
    sums = torch.stack(
        [
            kl_k3(engine_logp.double(), trainer_logp.double()).sum(),
            difference.sum(),
            difference.new_tensor(len(difference)),
        ]
    )
    largest = difference.abs().max() if len(difference) else difference.new_zeros(())
    if dist.is_initialized():
        dist.all_reduce(sums)
        dist.all_reduce(largest, op=dist.ReduceOp.MAX)
    total, shift, number = sums.tolist()
    if not number:
        return 0.0
    if not total / number <= alarm:
        raise EngineMismatch(
            f"engine and trainer disagree: k3 {total / number:.4f} a token over {number:,.0f} tokens, the alarm is at {alarm}; "
            f"the mean difference is {shift / number:+.4f}, the largest {largest.item():.4f}"
        )
    return total / number
