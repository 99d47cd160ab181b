"""Rows of tensors, which are checked before every update. A row is one episode as tensors, with the
tokens and pixels that the engine saw.

The example is a row with two turns and a tool result with a picture between them (P prompt, I
image, p policy, o observation):

```
ids        P P P I I I I P P   p p p p p   o o I I o o   p p p
loss_mask  0 0 0 0 0 0 0 0 0   1 1 1 1 1   0 0 0 0 0 0   1 1 1
steps     -1 …                 0 0 0 0 0   0 …           1 1 1
```

A row can have two kinds of errors. `UnusableRow` means that the model cannot learn from one row,
because of something that the policy or its engine did. The run leaves unusable rows out of the
loss, and counts them by reason. `RowError` means that engine and trainer disagree, for example that
the pixels do not fit the ids. A `RowError` ends the run, because the model would learn from wrong
inputs.
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
    """The policy sampled a token that stands for a picture, or that marks where a picture begins or
    ends. The sampled picture token has no pixels.
    """
    LOGPROB = "logprob"
    """A log-probability is missing, is not finite, or is above 0."""
    TOO_LONG = "too_long"
    """Even the first turn exceeds the maximum number of tokens."""
    SHAPE = "shape"
    PICTURE_TOKENS = "picture_tokens"
    """A picture has more or fewer tokens than its patches need, or the pictures are in another
    order."""
    PIXELS = "pixels"
    """The number of patches does not fit the pictures' sizes."""
    PIXEL_HASH = "pixel_hash"
    """The pixels or the picture files differ from those that the engine had."""
    PREFIX = "prefix"
    """A continuation begins differently from the rollout that it continues."""
    DIALOGUE = "dialogue"
    """In a dialogue from an outside data set, the roles do not alternate, or the number of
    placeholders differs from the number of pictures.
    """
    PICTURE_FILE = "picture_file"
    """In a dialogue from an outside data set, a picture is missing or cannot be read."""


class RowError(QuestloomError):
    """A row differs from what the engine saw.

    Args:
        fault: what is wrong.
        episode_id: id of the row's episode.
        what: where the fault is, with the figures.
    """

    def __init__(self, fault: RowFault, episode_id: str, what: str) -> None:
        super().__init__(fault, episode_id, what)
        self.fault, self.episode_id, self.what = fault, episode_id, what

    def __str__(self) -> str:
        return f"row of episode {self.episode_id}: {self.what} ({self.fault})"


class UnusableRow(RowError):
    """A row from which the model cannot learn. The run leaves unusable rows out of the loss and
    counts them."""


@dataclass(frozen=True, kw_only=True)
class PictureTokens:
    """How a model's token ids represent pictures."""

    image_id: int
    """The id of an image token. A picture has one image token for each square of merged patches."""
    merge: int
    """The side length, in patches, of the square of patches that becomes one token."""
    pixel_dim: int
    """How many numbers represent one patch of a picture: channels × frames × side²."""
    framing: tuple[int, ...] = ()
    """The ids (begin, end) that stand before and after each picture's tokens, if the model has such
    ids."""
    never_sampled: frozenset[int] = frozenset()
    """The ids that a policy must not sample."""

    @classmethod
    def of(cls, config: Any) -> "PictureTokens":
        """Reads the ids from a transformers config of Qwen's models, or of models built like them."""
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
        """The number of tokens of each picture.

        Args:
            grid_thw: (n, 3) sizes of the pictures in patches (time, height, width).
        """
        return (grid_thw.prod(-1) // self.merge**2).tolist()


@dataclass(frozen=True, kw_only=True, eq=False)
class Row:
    """One episode, or the beginning of one, as tensors: token ids and all else that a forward pass
    and the loss need.

    The shapes use T tokens, n pictures and P patches.
    """

    episode_id: str
    ids: Tensor
    """(T,) int64: the token ids, unchanged since the episode was played."""
    loss_mask: Tensor
    """(T,) bool: which tokens are in the loss; only the policy's own tokens can be. Tokens of
    prompts, observations, templates and pictures are never in the loss.
    """
    turns: tuple[tuple[int, int], ...]
    """For each turn, the range [begin, end) of the policy's tokens."""
    positions: Tensor
    """(4, T) int64: the text positions, then the three rows of mrope positions."""
    pixels: Tensor
    """(P, pixel_dim): the patches as the model's processor made them."""
    grid_thw: Tensor
    """(n, 3) int64: the size of each picture in patches (time, height, width)."""
    pictures: tuple[str, ...] = ()
    """The sha256 of each picture's file, in the order of the pictures."""
    pixel_hashes: tuple[str, ...] = ()
    """The hashes of the pixels that the engine had, as `hashes_of` makes them."""
    old_logp: Tensor | None = None
    """(T,) float32: natural log-probabilities from the engine that sampled; 0 for tokens that are
    not the policy's.

    None if the engine reported no log-probabilities.
    """
    policy_version: int = -1
    """Number of updates that the sampling weights have had; -1 if another model wrote the turns.
    """

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def steps(self) -> Tensor:
        """(T,) int64: the number of the turn to which each token belongs. An observation belongs to
        the turn before it. Tokens before the first turn have -1."""
        steps = torch.zeros(len(self), dtype=torch.long)
        for begin, _ in self.turns:
            steps[begin] += 1
        return steps.cumsum(0) - 1

    def masked(self, mask: Tensor) -> "Row":
        """The same row with fewer tokens in the loss.

        Args:
            mask: (T,) bool, the tokens that may stay in the loss. Tokens that are outside the loss
                stay outside.
        """
        return dataclasses.replace(self, loss_mask=self.loss_mask & mask)


def hashes_of(pixels: Tensor, grid_thw: Tensor) -> tuple[str, ...]:
    """For each picture, the sha256 of its size and its patches.

    Args:
        pixels: (P, pixel_dim) patches of all pictures.
        grid_thw: (n, 3) sizes of the pictures in patches, P patches in all.
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
    """Checks that the parts of a row fit together, and that the pixels have the recorded hashes.
    Call this function before each update.

    Raises:
        UnusableRow: the model cannot learn from the row, because of something that the policy or
            its engine did.
        RowError: the parts do not fit together.
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
            bad = ~(
                torch.isfinite(told) & (told <= 1e-4)
            )  # the engine's rounding may give a value slightly above 0
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
    """Checks that the policy sampled no picture tokens. Picture tokens from the policy would make
    the positions meaningless.

    Raises:
        UnusableRow: the policy sampled a picture token.
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
    """The first tokens of a row, with the pixels of their pictures.

    The cut does not change the results for the tokens before it, because attention only looks back.

    Args:
        length: number of tokens, 1 to T.

    Raises:
        ValueError: the cut would split a picture.
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
    """The row, cut after its last turn that ends within the maximum number of tokens.

    The shorter row has whole turns and whole pictures. The shorter row ends with a turn, not with
    an observation.

    Raises:
        UnusableRow: even the first turn exceeds the maximum number of tokens.
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
    """The row, cut after its last token in the loss. The tokens after this place have no influence
    on the loss.

    A row without tokens in the loss is kept whole.
    """
    counted = row.loss_mask.nonzero()
    return cut(row, int(counted[-1]) + 1, tokens) if len(counted) else row


Rope = Callable[[Tensor, Tensor], Tensor]
"""A function that computes (4, T) positions from (T,) ids and (n, 3) picture sizes."""


def rope_of(model: Any) -> Rope:
    """Makes the function that computes positions as a transformers model does.

    Only the model's config is needed, so `model` may be on the meta device.

    Args:
        model: a model for generation, without a wrapper.

    Raises:
        InputError: the model does not use mrope for pictures, as Qwen's models do.
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
