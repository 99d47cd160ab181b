"""Settings of the GRPO objective. This file does not import torch, so that settings load fast."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Gt

KL_ALARM = 0.015
"""Training stops if the mean KL divergence per token (k3 estimate) between inference engine and
trainer is above this number. Both use the same weights.
"""


@dataclass(frozen=True, kw_only=True)
class Objective:
    """Settings of the GRPO objective. The defaults are DAPO's clipping and no KL term."""

    clip_low: Annotated[float, Ge(0)] = 0.2
    """ε_low: a token with a negative advantage has no gradient if its ratio ρ is below 1 −
    ε_low."""
    clip_high: Annotated[float, Ge(0)] = 0.28
    """ε_high: a token with a positive advantage has no gradient if its ratio ρ is above 1 +
    ε_high."""
    normaliser: Literal["trajectory", "token", "constant"] = "trajectory"
    """How the losses of tokens become a mean. `trajectory` takes the mean over a trajectory's
    tokens, then the mean over trajectories (OpenSearch-VL, GRPO). `token` takes the mean over all
    tokens (DAPO). `constant` divides the sum over a trajectory's tokens by the setting `constant`,
    then takes the mean over trajectories (Dr. GRPO).
    """
    constant: Annotated[int, Gt(0)] = 1
    """The number of tokens in the longest possible trajectory, for `normaliser: constant`."""
    divisor: Literal["sampled", "taught"] = "sampled"
    """The rollouts that the divisor counts. `sampled` counts all rollouts of the update's
    questions, also rollouts without an advantage (1/G Σ, as published and in TRL). A rollout has no
    advantage if its group has equal rewards, its reward is unknown, or all of its tokens are
    masked. With `sampled`, tokens of a rollout without an advantage still count in the KL term.
    `taught` counts only rollouts with an advantage of their own, so an update stays large even if
    few groups have variance.
    """
    kl: Annotated[float, Ge(0)] = 0.0
    """β: the weight of the KL to a reference model."""
    kl_ratio: bool = True
    """Whether each token's KL is multiplied by the ratio ρ. With ρ, the gradient of the KL term is
    unbiased (TRL's default, which follows DeepSeek-V3.2). Without ρ, the on-policy gradient is the
    gradient of KL(reference ‖ policy), as in verl.
    """
    importance_cap: Annotated[float, Gt(0)] | None = None
    """Upper limit of truncated importance weights. If the limit is set, the ratio ρ uses the
    trainer's own log-probabilities under the weights that sampled. Each token then weighs
    min(trainer / engine, limit). If no limit is set, the ratio uses the engine's log-probabilities.
    This saves a forward pass.
    """
