"""Attention over packed rows, computed row by row with torch's SDPA and without a mask.

The SDPA attention of transformers separates packed rows by a T × T mask. For 8 rows of 4,096
tokens, the T × T mask takes 1 GB, and attention computes eight times as many products as needed.
The fastest attention kernels accept no mask. This file separates the rows by their text positions
(`rows/packing.py`) and computes the attention of each row alone. For padding, a cache or sliding
windows, attention needs a mask; this file then calls the SDPA attention of transformers.
"""

from typing import Any

import torch
from torch import Tensor, nn
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

ROW_BY_ROW = "row_by_row"
"""The name under which transformers registers this attention."""


def row_lengths(positions: Tensor) -> list[int]:
    """The number of tokens in each packed row.

    Args:
        positions: (T,) text positions. The positions increase by one within a row, and start anew
            at the next row.

    >>> row_lengths(torch.tensor([0, 1, 2, 3, 4, 0, 1, 2]))
    [5, 3]
    """
    begins = (positions.diff() != 1).nonzero()[:, 0].add(1).tolist()
    return [end - begin for begin, end in zip([0, *begins], [*begins, len(positions)], strict=True)]


def _attention(
    module: nn.Module,
    query: Tensor,
    key: Tensor,
    value: Tensor,
    attention_mask: Tensor | None,
    *,
    position_ids: Tensor | None = None,
    **options: Any,
) -> tuple[Tensor, None]:
    """The attention function that transformers calls. The inputs have shape (B, heads, T, width);
    the result has shape (B, T, heads, width).
    """
    if (
        attention_mask is not None
        or position_ids is None
        or len(query) > 1
        or query.shape[2] != key.shape[2]
    ):
        return sdpa_attention_forward(module, query, key, value, attention_mask, **options)
    lengths = row_lengths(position_ids[0])
    rows = zip(*(part.split(lengths, dim=2) for part in (query, key, value)), strict=True)
    return torch.cat(
        [sdpa_attention_forward(module, q, k, v, None, **options)[0] for q, k, v in rows], dim=1
    ), None


def _mask(
    *,
    batch_size: int,
    q_length: int,
    kv_length: int,
    attention_mask: Tensor | None = None,
    local_size: int | None = None,
    use_vmap: bool = False,
    **options: Any,
) -> Tensor | None:
    """The attention mask; None if rows are computed one by one and need no mask."""
    if (
        attention_mask is None
        and batch_size == 1
        and q_length == kv_length
        and local_size is None
        and not use_vmap
    ):
        return None
    return sdpa_mask(
        batch_size=batch_size,
        q_length=q_length,
        kv_length=kv_length,
        attention_mask=attention_mask,
        local_size=local_size,
        use_vmap=use_vmap,
        **options,
    )


AttentionInterface.register(ROW_BY_ROW, _attention)
AttentionMaskInterface.register(ROW_BY_ROW, _mask)
