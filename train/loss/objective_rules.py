"""What a run may set about its objective; without torch, so that settings are read fast."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Gt

KL_ALARM = 0.015
"""Mean k3 a token between engine and trainer at the same weights, above which they do not compute the same model."""


@dataclass(frozen=True, kw_only=True)
class Objective:
    """Its settings; the defaults are DAPO's clipping and no KL."""

    clip_low: Annotated[float, Ge(0)] = 0.2
    """ε_low: where the advantage is negative, a ratio ρ below 1 − ε_low has no gradient."""
    clip_high: Annotated[float, Ge(0)] = 0.28
    """ε_high: where the advantage is positive, a ratio ρ above 1 + ε_high has no gradient."""
    normaliser: Literal["trajectory", "token", "constant"] = "trajectory"
    """`trajectory`: the mean over a trajectory's tokens, then over trajectories (OpenSearch-VL; GRPO). `token`: the mean over all tokens (DAPO).
    `constant`: the sum over a trajectory's tokens divided by `constant`, then the mean over trajectories (Dr. GRPO)."""
    constant: Annotated[int, Gt(0)] = 1
    """Tokens of the longest trajectory that may be."""
    divisor: Literal["sampled", "taught"] = "sampled"
    """The rollouts over which these means are taken. `sampled`: all rollouts of the update's questions, with those that teach nothing (1/G Σ, as
    published, and TRL's): of groups without variance, of an unknown reward, masked as a whole. The KL term pulls at those of them that have tokens
    in the loss. `taught`: only the rollouts with an advantage of their own, so that an update stays as large where few groups have variance."""
    kl: Annotated[float, Ge(0)] = 0.0
    """β, of the KL to a reference model."""
    kl_ratio: bool = True
    """Whether each token's KL is multiplied by ρ, whose gradient makes that of the sum unbiased (TRL's default, after DeepSeek-V3.2). Without
    it (verl, and the papers that used it) the gradient on-policy is that of KL(reference ‖ policy)."""
    importance_cap: Annotated[float, Gt(0)] | None = None
    """Where set, ρ is taken against the trainer's own log-probabilities at the sampling weights, and each token weighs
    min(trainer / engine, cap). Where None, ρ is taken against the engine's, without a second forward pass."""
