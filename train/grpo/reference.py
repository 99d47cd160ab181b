"""The reference model of the KL term: the model before training.

With LoRA, the reference is the policy without its adapters. Without LoRA, the reference is a second
copy of the model.
"""

from typing import Any

import torch
from torch import Tensor, nn

from questloom.train.grpo.update import Reference
from questloom.train.model.scorer import Scorer
from questloom.train.model.weights import LoadedModel, load_model
from questloom.train.rows.packing import Packed
from questloom.train.run.parallel import World, wrap_policy
from questloom.train.run.updating import products
from questloom.train.settings.grpo_settings import GrpoSettings


def reference_of(
    folder: str, policy: nn.Module, loaded: LoadedModel, settings: GrpoSettings, at: World
) -> Reference:
    """A function that returns log-probabilities under the model as it was before training. No
    gradient flows through these log-probabilities.

    Args:
        folder: folder of the model that is trained.
        policy: the model inside its DDP or FSDP wrapper.
        loaded: the model without the wrapper.
    """
    if loaded.adapters is not None:
        adapters: Any = loaded.adapters

        @torch.no_grad()
        def without(packed: Packed) -> Tensor:
            with products(settings.weights.precision, at), adapters.disable_adapter():
                return policy(packed).logp

        return without
    bf16 = settings.weights.precision == "bf16"
    model = (
        load_model(folder, settings.weights, settings.seed)
        .model.to(torch.bfloat16 if bf16 else torch.float32)
        .requires_grad_(False)
        .eval()
    )
    scorer = Scorer(model, temperature=settings.play.temperature)
    still = wrap_policy(scorer, at, bf16=bf16) if at.kind == "fsdp" else scorer.to(at.device)

    @torch.no_grad()
    def beside(packed: Packed) -> Tensor:
        with products(settings.weights.precision, at):
            return still(packed).logp

    return beside
