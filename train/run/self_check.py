"""Checks before training that a transformers model can be trained here.

The model passes if its own forward pass over a single row gives the same log-probabilities as the
trainer's pass over packed rows. The check uses a few real rows with pictures. The check finds these
faults: attention that mixes packed rows, wrong positions, a head with scaling or a soft cap, active
dropout.
"""

from collections.abc import Sequence
from contextlib import nullcontext

import torch

from questloom.records.errors import InputError
from questloom.train.model.scorer import Scorer
from questloom.train.rows.packing import pack
from questloom.train.rows.row import PictureTokens, Row, cut
from questloom.train.run.parallel import World
from questloom.train.settings.training_settings import WeightSettings

TOLERANCE = {torch.float64: 1e-6, torch.float32: 1e-3, torch.bfloat16: 0.5, torch.float16: 0.1}
"""The largest allowed difference between two log-probabilities, for each dtype.

On the tiny test model, rounding gives differences of 3e-6 in fp32 and of 0.03 in bf16. If packed
rows wrongly read each other, the difference is 3.3.
"""

CHECK_TOKENS = 64
"""The check reads this number of tokens of a turn; more would need too much memory, because the
model's own forward pass keeps the logits of all tokens.
"""


def check_on(
    scorer: Scorer, rows: Sequence[Row], tokens: PictureTokens, weights: WeightSettings, at: World
) -> None:
    """Runs `check_model` on the beginnings of some rows, in the precision of the run. Call this
    function before the model is sharded.

    Args:
        rows: at least one row. Each row needs at least one token in the loss.

    Raises:
        InputError: see `check_model`.
    """
    first = [
        next((begin, end) for begin, end in row.turns if row.loss_mask[begin:end].any())
        for row in rows
    ]
    short = [
        cut(row, min(end, begin + CHECK_TOKENS), tokens)
        for row, (begin, end) in zip(rows, first, strict=True)
    ]
    scorer.to(at.device).train(weights.lora is None or weights.lora.dropout == 0)
    with (
        torch.autocast(at.device.type, torch.bfloat16)
        if weights.precision == "bf16"
        else nullcontext()
    ):
        check_model(scorer, short if len(short) > 1 else short * 2, tokens)
    if at.kind == "fsdp":
        scorer.to("cpu")


@torch.no_grad()
def check_model(scorer: Scorer, rows: Sequence[Row], tokens: PictureTokens) -> float:
    """Compares the log-probabilities of packed rows with those of each row alone.

    Args:
        scorer: the model that computes log-probabilities, at temperature 1, on its device, without
            a wrapper.
        rows: at least two rows, one of them with pictures.

    Returns:
        The largest difference between two log-probabilities.

    Raises:
        InputError: the difference is larger than rounding can explain.
    """
    device = next(scorer.parameters()).device
    kind = (
        torch.get_autocast_dtype(device.type)
        if torch.is_autocast_enabled(device.type)
        else scorer.model.dtype
    )
    packed = pack(rows, tokens).to(device)
    got = scorer(packed).logp
    worst = 0.0
    for number, row in enumerate(rows):
        ids = row.ids[None].to(device)
        pictures = (
            {"pixel_values": row.pixels.to(device), "image_grid_thw": row.grid_thw.to(device)}
            if len(row.grid_thw)
            else {}
        )
        logits = (
            scorer.model(
                input_ids=ids,
                mm_token_type_ids=ids.eq(tokens.image_id).int(),
                use_cache=False,
                **pictures,
            )
            .logits[0]
            .double()
        )
        want = (
            logits[:-1]
            .log_softmax(-1)
            .gather(-1, ids[0, 1:, None])[:, 0][row.loss_mask[1:].to(device)]
        )
        worst = max(worst, float((got[packed.row == number] - want).abs().max()))
    if not worst <= TOLERANCE[kind]:
        raise InputError(
            f"model {scorer.model.config.model_type}",
            f"scores packed rows otherwise than rows alone: log-probabilities differ by {worst:.3g}",
            "Take attention that parts packed rows (sdpa, flash_attention_2), and a model with one plain head.",
        )
    return worst
