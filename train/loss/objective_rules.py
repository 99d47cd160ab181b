"""Settings of the GRPO objective. This file does not import torch, so that settings load fast."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Gt

KL_ALARM = 0.015
"""Training stops if the mean KL divergence per token (k3 estimate) between the inference engine and
the trainer exceeds this number. The engine and the trainer have the same weights, so their
probabilities should be almost equal.
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
    """How the losses of all tokens are averaged. `trajectory` takes the mean over a trajectory's
    tokens, then the mean over trajectories (OpenSearch-VL, GRPO). `token` takes the mean over all
    tokens (DAPO). `constant` divides the sum over a trajectory's tokens by the setting `constant`,
    then takes the mean over trajectories (the method Dr GRPO).
    """
    constant: Annotated[int, Gt(0)] = 1
    """The number of tokens in the longest possible trajectory; used if `normaliser` is
    "constant"."""
    divisor: Literal["sampled", "taught"] = "sampled"
    """Which rollouts count in the divisor of the loss. `sampled` counts all rollouts of the
    update's questions, including those without an advantage (1/G Σ, as published and in TRL). A
    rollout has no advantage if all rewards of its group are equal, if its reward is unknown, or if
    all of its tokens are masked. With `sampled`, the tokens of a rollout without an advantage still
    count in the KL term. `taught` counts only rollouts that have an advantage. With `taught`, an
    update is not smaller if only few groups have different rewards.
    """
    kl: Annotated[float, Ge(0)] = 0.0
    """β: the weight of the KL divergence from a reference model."""
    kl_ratio: bool = True
    """Whether the KL divergence of each token is multiplied by the ratio ρ. If the KL term is
    multiplied by ρ, its gradient is unbiased (TRL's default, which follows DeepSeek-V3.2). If the
    KL term is not multiplied by ρ, the on-policy gradient is that of KL(reference ‖ policy), as in
    verl.
    """
    importance_cap: Annotated[float, Gt(0)] | None = None
    """Upper limit of a token's importance weight: the trainer's probability divided by the
    inference engine's probability. If a limit is set, the ratio ρ uses the trainer's own
    log-probabilities under the weights that sampled the tokens. If a limit is set, the loss of each
    token is also multiplied by min(trainer / engine, limit). If no limit is set, the ratio ρ uses
    the log-probabilities from the inference engine, which saves a forward pass.
    """
