"""Packs several rows (episodes as tensors) and their pictures into one sequence without padding.

The example packs a row of 5 tokens and a row of 3 tokens:

```
ids           a a a a a b b b      (1, 8)
positions[0]  0 1 2 3 4 0 1 2      text positions: a new row begins where they do not rise by one
positions[1:] mrope positions of each row, as if the row were alone
```

transformers separates packed rows by their text positions, but only without an attention mask and
without a cache. Packed rows wrongly read each other if there is a cache or a mask of ones, or if
only the three rows of mrope positions are given. If packed rows read each other, the logits are
wrong by 0.87; otherwise by 2e-7.

A micro-batch without pictures gets a picture of zeros in a row of its own, outside the loss, so
that every parameter has a gradient on every rank. Without the picture of zeros, two thirds of the
parameters would have no gradient on a rank without pictures, and FSDP would wait forever.
"""

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import torch
from torch import Tensor

from questloom.train.rows.row import PictureTokens, Row, RowFault, UnusableRow


@dataclass(frozen=True, kw_only=True, eq=False)
class Packed:
    """One micro-batch of R rows and T tokens; N of these tokens are in the loss."""

    ids: Tensor
    """(1, T) int64, the token ids."""
    positions: Tensor
    """(4, 1, T) int64: the text positions, then the three rows of mrope positions."""
    pixels: Tensor
    """(P, pixel_dim), the patches of all pictures."""
    grid_thw: Tensor
    """(n, 3) int64: the size of each picture in patches (time, height, width)."""
    places: Tensor
    """(N,) int64: the position just before each label. The hidden state at the position before a
    label predicts this label.
    """
    labels: Tensor
    """(N,) int64: the tokens in the loss, row by row."""
    row: Tensor
    """(N,) int64: the number of the row to which each label belongs, 0 to R − 1."""
    num_rows: int
    old_logp: Tensor | None
    """(N,) float32: the log-probabilities from the engine that sampled (see `Row`); None if any row
    has none."""

    def to(self, device: torch.device | str) -> "Packed":
        """The same micro-batch on another device."""
        moved: dict[str, Any] = {
            name: part.to(device, non_blocking=True)
            for name, part in vars(self).items()
            if isinstance(part, Tensor)
        }
        return dataclasses.replace(self, **moved)


def pack(rows: Sequence[Row], tokens: PictureTokens) -> Packed:
    """Packs rows into a micro-batch, in the given order.

    If there are no rows, the micro-batch has only the picture of zeros. A rank needs a micro-batch
    without rows when other ranks still have rows.

    Args:
        rows: rows that passed `row.check`.
        tokens: how the model's token ids represent pictures.
    """
    every = list(rows)
    if not any(len(row.grid_thw) for row in rows):
        every.append(_zeros(tokens))
    starts = torch.tensor([0, *(len(row) for row in every)]).cumsum(0)[:-1].tolist()
    counted = [row.loss_mask.nonzero()[:, 0] for row in rows]
    empty = torch.zeros(0, dtype=torch.long)
    told = [
        row.old_logp[at] for row, at in zip(rows, counted, strict=True) if row.old_logp is not None
    ]
    return Packed(
        ids=torch.cat([row.ids for row in every])[None],
        positions=torch.cat([row.positions for row in every], dim=1)[:, None],
        pixels=torch.cat([row.pixels for row in every]),
        grid_thw=torch.cat([row.grid_thw for row in every]),
        places=torch.cat(
            [empty, *(at + start - 1 for at, start in zip(counted, starts, strict=False))]
        ),
        labels=torch.cat([empty, *(row.ids[at] for row, at in zip(rows, counted, strict=True))]),
        row=torch.cat([empty, *(torch.full_like(at, number) for number, at in enumerate(counted))]),
        num_rows=len(rows),
        old_logp=torch.cat([torch.zeros(0), *told]) if len(told) == len(rows) else None,
    )


def _zeros(tokens: PictureTokens) -> Row:
    """A row that has only a picture of zeros. The picture of zeros has the smallest possible size:
    one token.

    mrope's positions equal the text positions in this row, because its picture is one token.
    """
    begin, end = tokens.framing[:1], tokens.framing[1:]
    ids = torch.tensor([*begin, tokens.image_id, *end])
    return Row(
        episode_id="",
        ids=ids,
        loss_mask=torch.zeros(len(ids), dtype=torch.bool),
        turns=(),
        positions=torch.arange(len(ids)).expand(4, -1),
        pixels=torch.zeros(tokens.merge**2, tokens.pixel_dim),
        grid_thw=torch.tensor([[1, tokens.merge, tokens.merge]]),
    )


class SizedRow(Protocol):
    """What `micro_batches` needs to know about a row."""

    @property
    def episode_id(self) -> str:
        """The id of the row's episode."""

    def __len__(self) -> int:
        """The number of the row's tokens."""


def micro_batches(
    rows: Sequence[SizedRow], max_tokens: int, *, at_least: int = 0
) -> list[list[int]]:
    """Distributes rows over micro-batches. The longest rows come first, and each row goes into the
    first micro-batch with room.

    Args:
        max_tokens: maximum number of tokens in a micro-batch.
        at_least: minimum number of micro-batches. A rank with fewer micro-batches adds empty ones,
            because ranks with different numbers of micro-batches would wait for each other forever.

    Returns:
        For each micro-batch, the indices of its rows.

    Raises:
        UnusableRow: a row has more tokens than a micro-batch may have; `row.shorten` makes it
            shorter.
    """
    made: list[list[int]] = []
    room: list[int] = []
    for number in sorted(range(len(rows)), key=lambda n: (-len(rows[n]), n)):
        length = len(rows[number])
        if length > max_tokens:
            raise UnusableRow(
                RowFault.TOO_LONG,
                rows[number].episode_id,
                f"{length} tokens in micro-batches of {max_tokens}",
            )
        place = next((n for n, left in enumerate(room) if left >= length), None)
        if place is None:
            place = len(made)
            made.append([])
            room.append(max_tokens)
        made[place].append(number)
        room[place] -= length
    return made + [[] for _ in range(at_least - len(made))]
