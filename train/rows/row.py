"""Rows: what the engine saw, as tensors, and the checks that a row passes before any update.

A row of two turns, the second after a result with a picture (P prompt, I image, p policy, o observation):

    ids        P P P I I I I P P   p p p p p   o o I I o o   p p p
    loss_mask  0 0 0 0 0 0 0 0 0   1 1 1 1 1   0 0 0 0 0 0   1 1 1
    steps     -1 …                 0 0 0 0 0   0 …           1 1 1

Two kinds of trouble are distinguished. `UnusableRow` is data: the policy or its engine did what cannot be learned from; the row leaves and
is counted by its reason. `RowError` is a defect between engine and trainer (pixels that do not fit the ids, other pixels than the engine
had): training on would be training blind, so it ends the run.
"""

import dataclasses
import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from typing import Any

import torch
from torch import Tensor

from questloom.records.errors import InputError, QuestloomError


class RowFault(StrEnum):
    """What is wrong with a row."""

    NO_POLICY_TOKENS = "no_policy_tokens"
    SAMPLED_PICTURE_TOKEN = "sampled_picture_token"
    """The policy drew a token that stands for a picture or frames one: no pixels belong to it."""
    LOGPROB = "logprob"
    """A log-probability is missing, not finite, or above 0."""
    TOO_LONG = "too_long"
    """Not even the first turn fits the limit."""
    SHAPE = "shape"
    PICTURE_TOKENS = "picture_tokens"
    """A picture's places are not as many as its patches, or the pictures are in another order."""
    PIXELS = "pixels"
    """The pixel rows are not as many as the grids say."""
    PIXEL_HASH = "pixel_hash"
    """The pixels, or the picture files, are not those that the engine had."""
    PREFIX = "prefix"
    """A continuation does not begin as its source does."""
    DIALOGUE = "dialogue"
    """An outside dialogue is no alternation of what the policy said and what it read, or its placeholders are not as many as its pictures."""
    PICTURE_FILE = "picture_file"
    """A picture of an outside dialogue is missing or cannot be read."""


class RowError(QuestloomError):
    """A row that does not hold what the engine saw.

    Args:
        fault: what is wrong.
        episode_id: whose row it is.
        what: where, and the figures.
    """

    def __init__(self, fault: RowFault, episode_id: str, what: str) -> None:
        super().__init__(fault, episode_id, what)
        self.fault, self.episode_id, self.what = fault, episode_id, what

    def __str__(self) -> str:
        return f"row of episode {self.episode_id}: {self.what} ({self.fault})"


class UnusableRow(RowError):
    """A row that cannot be learned from; it is left out and counted."""


@dataclass(frozen=True, kw_only=True)
class PictureTokens:
    """How a model's ids stand for pictures."""

    image_id: int
    """One a merged patch."""
    merge: int
    """Patches a side that become one token."""
    pixel_dim: int
    """Numbers a patch: channels × frames × side²."""
    framing: tuple[int, ...] = ()
    """(begin, end) around each picture's tokens, where the model has them."""
    never_sampled: frozenset[int] = frozenset()
    """Ids that a policy must not draw."""

    @classmethod
    def of(cls, config: Any) -> "PictureTokens":
        """From a model's config, as transformers has it for Qwen's models and those built like them."""
        vision = config.vision_config
        framing = tuple(
            int(getattr(config, name))
            for name in ("vision_start_token_id", "vision_end_token_id")
            if hasattr(config, name)
        )
        pads = [getattr(config, name, None) for name in ("image_token_id", "video_token_id")]
        return cls(
            image_id=int(config.image_token_id),
            merge=int(vision.spatial_merge_size),
            pixel_dim=int(vision.in_channels * vision.temporal_patch_size * vision.patch_size**2),
            framing=framing,
            never_sampled=frozenset({*framing, *(int(pad) for pad in pads if pad is not None)}),
        )

    def num_tokens(self, grid_thw: Tensor) -> list[int]:
        """Tokens of each picture.

        Args:
            grid_thw: (n, 3) patches in time, height, width.
        """
        return (grid_thw.prod(-1) // self.merge**2).tolist()


@dataclass(frozen=True, kw_only=True, eq=False)
class Row:
    """One episode, or its beginning, as token ids with everything that a forward pass and the loss need. T tokens, n pictures, P patches."""

    episode_id: str
    ids: Tensor
    """(T,) int64: as they were played."""
    loss_mask: Tensor
    """(T,) bool: policy tokens that count; prompts, observations, templates and pictures never do."""
    turns: tuple[tuple[int, int], ...]
    """[begin, end) of each turn's policy tokens."""
    positions: Tensor
    """(4, T) int64: the text's own, then mrope's three."""
    pixels: Tensor
    """(P, pixel_dim), as the processor made them."""
    grid_thw: Tensor
    """(n, 3) int64."""
    pictures: tuple[str, ...] = ()
    """sha256 of each picture's file, in order."""
    pixel_hashes: tuple[str, ...] = ()
    """`hashes_of` the pixels at the engine."""
    old_logp: Tensor | None = None
    """(T,) float32: natural log-probabilities under the engine that sampled, 0 where the policy did not; None where none were told."""
    policy_version: int = -1
    """Updates that the sampling weights had had; -1 for another model's words."""

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def steps(self) -> Tensor:
        """(T,) int64: the turn that a token belongs to, its observation's tokens with it; -1 before the first."""
        steps = torch.zeros(len(self), dtype=torch.long)
        for begin, _ in self.turns:
            steps[begin] += 1
        return steps.cumsum(0) - 1

    def masked(self, mask: Tensor) -> "Row":
        """The row with fewer tokens in the loss.

        Args:
            mask: (T,) bool; tokens that were not in the loss stay out of it.
        """
        return dataclasses.replace(self, loss_mask=self.loss_mask & mask)


def hashes_of(pixels: Tensor, grid_thw: Tensor) -> tuple[str, ...]:
    """sha256 of each picture's grid and patches.

    Args:
        pixels: (P, pixel_dim).
        grid_thw: (n, 3), P patches in all.
    """
    made = []
    for grid, patches in zip(
        grid_thw.tolist(), pixels.split(grid_thw.prod(-1).tolist()), strict=True
    ):
        digest = hashlib.sha256(f"{grid} {patches.dtype}".encode())
        digest.update(patches.contiguous().cpu().view(torch.uint8).numpy().tobytes())
        made.append(digest.hexdigest())
    return tuple(made)


def check(row: Row, tokens: PictureTokens) -> None:
    """Compares all parts of a row with each other. To be called before each update: it costs a hash of the pixels.

    Raises:
        UnusableRow: what the policy or its engine did cannot be learned from.
        RowError: the parts do not belong together.
    """
    _check_shapes(row)
    _check_policy(row, tokens)
    _check_pictures(row, tokens)


def _check_shapes(row: Row) -> None:
    length = len(row)
    shapes = {
        "loss_mask": (row.loss_mask, (length,)),
        "positions": (row.positions, (4, length)),
        "old_logp": (row.old_logp, (length,)),
    }
    for name, (part, shape) in shapes.items():
        if part is not None and part.shape != shape:
            raise RowError(
                RowFault.SHAPE,
                row.episode_id,
                f"{name} has the shape {tuple(part.shape)} and not {shape}, as the ids have it",
            )
    if not torch.equal(row.positions[0], torch.arange(length)):
        raise RowError(
            RowFault.SHAPE,
            row.episode_id,
            "the text's own positions do not count 0, 1, 2, …, by which packed rows are told apart",
        )
    played = torch.zeros(length, dtype=torch.bool)
    for begin, end in row.turns:
        if not 0 < begin < end <= length or played[begin:].any():
            raise RowError(
                RowFault.SHAPE,
                row.episode_id,
                f"the turn [{begin}, {end}) of {length} ids is empty, first of all, or out of order",
            )
        played[begin:end] = True
    if (row.loss_mask & ~played).any():
        place = int((row.loss_mask & ~played).nonzero()[0])
        raise RowError(
            RowFault.SHAPE, row.episode_id, f"token {place} is in the loss, but not the policy's"
        )


def _check_policy(row: Row, tokens: PictureTokens) -> None:
    if not row.turns:
        raise UnusableRow(RowFault.NO_POLICY_TOKENS, row.episode_id, "the policy said nothing")
    check_sampled(row.ids, row.turns, tokens, row.episode_id)
    for number, (begin, end) in enumerate(row.turns):
        if row.old_logp is not None:
            told = row.old_logp[begin:end]
            bad = ~(torch.isfinite(told) & (told <= 1e-4))  # an engine's rounding may pass 0
            if bad.any():
                at = int(bad.nonzero()[0])
                raise UnusableRow(
                    RowFault.LOGPROB,
                    row.episode_id,
                    f"turn {number} has the log-probability {told[at].item()} at {begin + at}",
                )


def check_sampled(
    ids: Tensor, turns: Sequence[tuple[int, int]], tokens: PictureTokens, episode_id: str
) -> None:
    """Looks for picture tokens in what the policy said; positions cannot even be counted with them.

    Raises:
        UnusableRow: there is one.
    """
    for number, (begin, end) in enumerate(turns):
        for place, token in enumerate(ids[begin:end].tolist(), begin):
            if token in tokens.never_sampled:
                raise UnusableRow(
                    RowFault.SAMPLED_PICTURE_TOKEN,
                    episode_id,
                    f"turn {number} has the picture token {token} at {place}",
                )


def _check_pictures(row: Row, tokens: PictureTokens) -> None:
    wanted = tokens.num_tokens(row.grid_thw)
    runs = [len(list(run)) for token, run in groupby(row.ids.tolist()) if token == tokens.image_id]
    if runs != wanted:
        odd = next(
            (n for n, (a, b) in enumerate(zip(runs, wanted, strict=False)) if a != b),
            min(len(runs), len(wanted)),
        )
        raise RowError(
            RowFault.PICTURE_TOKENS,
            row.episode_id,
            f"picture {odd} has {runs[odd] if odd < len(runs) else 'no'} places and {wanted[odd] if odd < len(wanted) else 'no'} "
            f"merged patches; {len(runs)} pictures in the ids, {len(wanted)} with pixels",
        )
    patches = int(row.grid_thw.prod(-1).sum())
    if len(row.pixels) != patches:
        raise RowError(
            RowFault.PIXELS,
            row.episode_id,
            f"{len(row.pixels)} patches of pixels, {patches} by the grids",
        )
    if len(row.pictures) != len(wanted) or len(row.pixel_hashes) != len(wanted):
        raise RowError(
            RowFault.PIXEL_HASH,
            row.episode_id,
            f"{len(wanted)} pictures, {len(row.pictures)} hashes of files, {len(row.pixel_hashes)} hashes of pixels",
        )
    for number, (now, then) in enumerate(
        zip(hashes_of(row.pixels, row.grid_thw), row.pixel_hashes, strict=True)
    ):
        if now != then:
            raise RowError(
                RowFault.PIXEL_HASH,
                row.episode_id,
                f"picture {number} has the pixels {now[:12]}…; the engine had {then[:12]}…",
            )


def cut(row: Row, length: int, tokens: PictureTokens) -> Row:
    """The row's first tokens, with the pixels of their pictures. Nothing that comes before the cut changes: attention looks back only.

    Args:
        length: 1 to T.

    Raises:
        ValueError: the cut would go through a picture.
    """
    if not 0 < length <= len(row):
        raise ValueError(f"a row of {len(row)} tokens cannot be cut to {length}")
    if length < len(row) and row.ids[length - 1] == tokens.image_id == row.ids[length]:
        raise ValueError(f"a cut at {length} goes through a picture of episode {row.episode_id}")
    kept = sum(token == tokens.image_id for token, _ in groupby(row.ids[:length].tolist()))
    return dataclasses.replace(
        row,
        ids=row.ids[:length],
        loss_mask=row.loss_mask[:length],
        positions=row.positions[:, :length],
        turns=tuple((begin, min(end, length)) for begin, end in row.turns if begin < length),
        pixels=row.pixels[: int(row.grid_thw[:kept].prod(-1).sum())],
        grid_thw=row.grid_thw[:kept],
        pictures=row.pictures[:kept],
        pixel_hashes=row.pixel_hashes[:kept],
        old_logp=None if row.old_logp is None else row.old_logp[:length],
    )


def shorten(row: Row, max_tokens: int, tokens: PictureTokens) -> Row:
    """The row up to the last turn that ends within a limit: whole turns, whole pictures, and no observation that no turn follows.

    Raises:
        UnusableRow: not even the first turn fits.
    """
    ends = [end for _, end in row.turns if end <= max_tokens]
    if not ends:
        first = row.turns[0][1] if row.turns else len(row)
        raise UnusableRow(
            RowFault.TOO_LONG,
            row.episode_id,
            f"the first turn ends at token {first}, the limit is {max_tokens}",
        )
    return cut(row, ends[-1], tokens)


def drop_tail(row: Row, tokens: PictureTokens) -> Row:
    """The row without what comes after its last token in the loss: it would be computed for nothing. A row without any is kept whole."""
    counted = row.loss_mask.nonzero()
    return cut(row, int(counted[-1]) + 1, tokens) if len(counted) else row


Rope = Callable[[Tensor, Tensor], Tensor]
"""(T,) ids and (n, 3) grids to (4, T) positions."""


def rope_of(model: Any) -> Rope:
    """How a model of transformers counts positions. Only its config is used, so a model on the meta device will do.

    Args:
        model: for generation, not wrapped.

    Raises:
        InputError: the model does not place pictures by mrope, as Qwen's and those built like them do.
    """
    index = getattr(getattr(model, "model", None), "get_rope_index", None)
    if index is None:
        raise InputError(
            f"model {model.config.model_type}",
            "has no mrope (get_rope_index)",
            "Take a model of the Qwen-VL kind.",
        )
    image_id = int(model.config.image_token_id)

    def positions(ids: Tensor, grid_thw: Tensor) -> Tensor:
        rope, _ = index(
            ids[None],
            ids.eq(image_id).int()[None],
            image_grid_thw=grid_thw if len(grid_thw) else None,
        )
        return torch.cat([torch.arange(len(ids))[None], rope[:, 0]])

    return positions
