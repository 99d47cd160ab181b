"""Settings of the objective. The file imports no torch, so settings load fast."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Gt

KL_ALARM = 0.015
"""The alarm threshold of the mean k3 per token between engine and trainer under the same weights."""


@dataclass(frozen=True, kw_only=True)
class Objective:
    """Settings of the objective; the defaults are DAPO's clipping and no KL."""

    clip_low: Annotated[float, Ge(0)] = 0.2
    """ε_low: with a negative advantage, a ratio ρ below 1 − ε_low has no gradient."""
    clip_high: Annotated[float, Ge(0)] = 0.28
    """ε_high: with a positive advantage, a ratio ρ above 1 + ε_high has no gradient."""
    normaliser: Literal["trajectory", "token", "constant"] = "trajectory"
    """How token losses become a mean. `trajectory` is the mean over a trajectory's tokens, then
    over trajectories (OpenSearch-VL, GRPO). `token` is the mean over all tokens (DAPO).
    `constant` is the sum over a trajectory's tokens divided by the setting `constant`, then the
    mean over trajectories (Dr. GRPO)."""
    constant: Annotated[int, Gt(0)] = 1
    """The number of tokens in the longest possible trajectory, for `normaliser: constant`."""
    divisor: Literal["sampled", "taught"] = "sampled"
    """The rollouts in the divisor. `sampled` counts all rollouts of the update's questions (1/G Σ,
    as published and in TRL), also rollouts without an advantage. A rollout has no advantage in a
    group without variance, with an unknown reward, or if wholly masked. With `sampled`, tokens
    of a rollout without an advantage still count in the KL term. `taught` counts only rollouts
    with an advantage of their own, so an update stays large even if few groups have variance."""
    kl: Annotated[float, Ge(0)] = 0.0
    """β: the weight of the KL to a reference model."""
    kl_ratio: bool = True
    """Whether each token's KL is multiplied by the ratio ρ. With ρ the gradient of the KL term is
    unbiased (TRL's default, after DeepSeek-V3.2). Without ρ (as in verl), the on-policy gradient
    is the gradient of KL(reference ‖ policy)."""
    importance_cap: Annotated[float, Gt(0)] | None = None
    """Upper limit of truncated importance weights. If set, the ratio ρ compares with the trainer's
    own log-probabilities under the weights that sampled, and each token weighs min(trainer /
    engine, limit). If no limit is set, the ratio compares with the engine's log-probabilities,
    which saves a forward pass."""
