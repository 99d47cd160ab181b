"""Several rows in one sequence, without padding; pictures with them.

Two rows of 5 and 3 tokens:

    ids           a a a a a b b b      (1, 8)
    positions[0]  0 1 2 3 4 0 1 2      the text's own: attention parts the rows where it does not go on by one
    positions[1:] mrope's of each row, as if it were alone

transformers parts packed rows by the text's own positions, and only where no attention mask and no cache are given: with mrope's three
rows alone, with a cache or with a mask of ones the rows read each other (error of the logits 0.87 instead of 2e-7).

A micro-batch without pictures gets one of zeros, in a row of its own that nothing reads and that is in no loss. Every parameter then has a
gradient on every rank; without it two thirds have none, and FSDP waits for them forever.
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
    """One micro-batch: R rows, T tokens, of which N are in the loss."""

    ids: Tensor
    """(1, T) int64."""
    positions: Tensor
    """(4, 1, T) int64."""
    pixels: Tensor
    """(P, pixel_dim)."""
    grid_thw: Tensor
    """(n, 3) int64."""
    places: Tensor
    """(N,) int64: the token before each label, whose last hidden state predicts it."""
    labels: Tensor
    """(N,) int64: the tokens in the loss, row by row."""
    row: Tensor
    """(N,) int64: which of the rows a label is of, 0 to R − 1."""
    num_rows: int
    old_logp: Tensor | None
    """(N,) float32: see `Row`; None where a row has none."""

    def to(self, device: torch.device | str) -> "Packed":
        """On a device."""
        moved: dict[str, Any] = {
            name: part.to(device, non_blocking=True)
            for name, part in vars(self).items()
            if isinstance(part, Tensor)
        }
        return dataclasses.replace(self, **moved)


def pack(rows: Sequence[Row], tokens: PictureTokens) -> Packed:
    """A micro-batch of rows, in their order. Without rows it holds nothing but the picture of zeros: for a rank that has less to do.

    Args:
        rows: that passed `rows.check`.
        tokens: of the model.
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
    """A row of one picture of zeros, as small as there is: one token. So small that mrope's positions are the text's."""
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
    """What dealing rows out needs of them."""

    @property
    def episode_id(self) -> str:
        """Whose row it is."""

    def __len__(self) -> int:
        """Its tokens."""


def micro_batches(
    rows: Sequence[SizedRow], max_tokens: int, *, at_least: int = 0
) -> list[list[int]]:
    """Which rows go together: the longest first, each into the first micro-batch with room.

    Args:
        max_tokens: of a micro-batch.
        at_least: micro-batches that other ranks have; missing ones are empty. Ranks that differ in their number wait for each other forever.

    Returns:
        Indices of rows, each row once.

    Raises:
        UnusableRow: a row is longer than a micro-batch; `rows.shortened` cuts it.
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
