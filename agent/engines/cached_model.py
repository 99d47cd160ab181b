"""Samples many conversations at once with a local transformers model (continuous batching).
Conversations join and leave the batch. Each conversation keeps its key-value cache between turns.

In the code, each conversation is called a row. At the start of a turn, one forward pass reads the
new tokens and pictures of several rows of similar length. Several attempts at one question have the
same prompt, so the model reads this prompt only once.

The model then samples tokens for all rows together. Before sampling, the key-value caches of the
rows are stacked and padded on the left. The stacked caches are split again when a row joins the
batch, or when enough rows have finished their turns.

The code passes four positions of each token to the model: the text position and the three mrope
(multimodal rotary embedding) positions. If the model instead counted positions from the length of
its cache, the logits after a second picture would differ by 0.17. With the positions that the code
passes, the logits differ by 2e-7.
"""

import inspect
import random
from collections import OrderedDict
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from transformers import DynamicCache
from transformers.cache_utils import DynamicLayer

from questloom.agent.engines.key_values import Layers, Stack
from questloom.agent.engines.token_engine import Sampling
from questloom.agent.turns.token_renderer import Segment
from questloom.records.errors import InputError

NUM_PROMPTS = 8
"""Maximum number of read prompts that are kept for later conversations with the same prompt.
Attempts at one question arrive close together, so a few prompts suffice."""
READ_TOKENS = 4_096
"""Maximum number of new tokens, with padding, in one forward pass over several conversations."""


@dataclass(eq=False)
class Row:
    """One conversation as the model sees it: its tokens, its cache and the state of its current
    turn."""

    ids: list[int] = field(default_factory=list)
    """All tokens whose keys and values are in the conversation's cache."""
    layers: Layers = field(default_factory=list)
    position: int = 0
    """The mrope position (position in the multimodal rotary embedding) of the next token."""
    chance: random.Random = field(default_factory=random.Random)
    most: int = 0
    """Maximum number of new tokens in this turn."""
    new_ids: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)
    ended: bool = False
    """Whether the model ended the turn."""

    @property
    def done(self) -> bool:
        """Whether the turn is over."""
        return self.ended or len(self.new_ids) >= self.most

    def clear(self) -> None:
        """Empties the cache."""
        self.ids, self.layers = [], []


@dataclass(frozen=True, eq=False)
class TurnRequest:
    """A request to sample one turn."""

    row: Row
    """The conversation with the cache of its earlier turns. Without a cache, the model reads the
    whole conversation again."""
    segments: Sequence[Segment]
    """The whole conversation, as segments (pieces of encoded text and pictures)."""
    begun: Segment
    """Token ids with which the turn must begin; if empty, the model samples the whole turn."""
    most: int
    """Maximum number of tokens of the turn, including the tokens in `begun`."""
    seed: int
    """Random seed for sampling the turn."""


@dataclass(frozen=True)
class _Read:
    """What the model computed when it read a conversation."""

    layers: Layers
    position: int
    logits: torch.Tensor
    """The logits of the next token, (1, V)."""


@dataclass(eq=False)
class _Reading:
    """Tokens that one forward pass reads for a conversation, or for several conversations with the
    same prompt."""

    ids: list[int]
    segments: Sequence[Segment]
    start: int
    """The number of tokens that are already in the conversation's key-value cache."""
    layers: Layers
    asked: list[TurnRequest] = field(default_factory=list)

    @property
    def num_new(self) -> int:
        return len(self.ids) - self.start


class CachedModel:
    """A local model that samples tokens for many conversations and keeps their caches.

    Args:
        model: a transformers model (causal or image-text-to-text) in eval mode, on its device.
        stop_ids: tokens that end a turn.
        forbidden: tokens that are never sampled.

    Raises:
        InputError: the model has layers that do not cache the keys and values of all tokens.
    """

    def __init__(
        self, model: Any, sampling: Sampling, *, stop_ids: frozenset[int], forbidden: frozenset[int]
    ) -> None:
        self.model, self._sampling = model, sampling
        self._stop_ids = stop_ids
        self._forbidden = torch.tensor(sorted(forbidden), dtype=torch.long, device=model.device)
        self._image_id = int(getattr(model.config, "image_token_id", -1))
        self._rope = getattr(getattr(model, "model", None), "get_rope_index", None)
        # transformers 5.24 renamed the argument; the old name warns at every forward pass.
        self._cache = (
            "cache"
            if "cache" in inspect.signature(type(model).forward).parameters
            else "past_key_values"
        )
        self._prompts: OrderedDict[Hashable, _Read] = OrderedDict()
        self.context = model.config.get_text_config().max_position_embeddings
        if any(
            type(layer) is not DynamicLayer for layer in DynamicCache(config=model.config).layers
        ):
            raise InputError(
                f"model {model.config.model_type}",
                "has layers that do not keep the keys and values of all tokens",
                "Serve it with an inference server and take the engine `server`.",
            )

    # -- the beginning of a turn

    @torch.inference_mode()
    def begin(self, asked: Sequence[TurnRequest]) -> None:
        """Begins a turn in several conversations: reads the new tokens of each, and samples the
        first token of each turn."""
        readings: dict[Hashable, _Reading] = {}
        for each in asked:
            segments = [*each.segments, each.begun]
            ids = [i for segment in segments for i in segment.ids]
            row = each.row
            if row.ids != ids[: len(row.ids)] or len(row.ids) >= len(ids):
                row.clear()
            key: Hashable = (
                row
                if row.ids
                else (tuple(ids), tuple(sha for segment in segments for sha in segment.pictures))
            )
            readings.setdefault(
                key, _Reading(ids, segments, len(row.ids), row.layers)
            ).asked.append(each)
        done = {key: self._prompts[key] for key in readings if key in self._prompts}
        for batch in _batches(
            [(key, reading) for key, reading in readings.items() if key not in done]
        ):
            done |= zip(
                [key for key, _ in batch],
                self._read([reading for _, reading in batch]),
                strict=True,
            )
        for key, reading in readings.items():
            if not reading.start:
                self._prompts[key] = done[key]
                self._prompts.move_to_end(key)
            for each in reading.asked:
                row, begun = each.row, each.begun
                row.ids, row.layers, row.position = (
                    list(reading.ids),
                    done[key].layers,
                    done[key].position,
                )
                row.most, row.new_ids, row.logprobs, row.ended = (
                    each.most,
                    list(begun.ids),
                    list(begun.logprobs),
                    False,
                )
                row.chance = random.Random(each.seed)
        while len(self._prompts) > NUM_PROMPTS:
            self._prompts.popitem(last=False)
        drawing = [
            (each.row, done[key].logits)
            for key, reading in readings.items()
            for each in reading.asked
        ]
        if drawing:
            self._draw([row for row, _ in drawing], torch.cat([logits for _, logits in drawing]))

    def forget_prompts(self) -> None:
        """Frees the memory of the prompts that are kept for later conversations."""
        self._prompts.clear()

    @property
    def num_kept(self) -> int:
        """The number of tokens in the prompts that are kept for later conversations."""
        return sum(read.layers[0][0].shape[2] for read in self._prompts.values())

    def _read(self, readings: Sequence[_Reading]) -> list[_Read]:
        """Runs one forward pass over the new tokens of several conversations. Either all
        conversations in a pass have a cache, or none has one."""
        new = max(reading.num_new for reading in readings)
        stack = Stack(self.model.config, [reading.layers for reading in readings], new)
        ids, mask = torch.zeros(len(readings), new, dtype=torch.long), stack.mask(new)
        positions, ends = [], []
        inputs: dict[str, list[torch.Tensor]] = {}
        for place, reading in enumerate(readings):
            pad = new - reading.num_new
            ids[place, pad:] = torch.tensor(reading.ids[reading.start :])
            mask[place, stack.width : stack.width + pad] = 0
            whole = self._positions(reading.ids, reading.segments)  # (4, 1, T) or (1, T)
            ends.append(
                int(whole[-1].max() if self._rope is None else whole[1:].max()) + 1
            )  # the text row is ahead of the mrope rows
            positions.append(torch.nn.functional.pad(whole[..., reading.start :], (pad, 0)))
            for name, tensor in self._pictures_after(reading.segments, reading.start):
                inputs.setdefault(name, []).append(tensor)
        device, dtype = self.model.device, self.model.dtype
        out = self.model(
            input_ids=ids.to(device),
            position_ids=torch.cat(positions, dim=-2).to(device),
            attention_mask=mask.to(device),
            use_cache=True,
            logits_to_keep=1,
            **{self._cache: stack.cache},
            **{
                name: torch.cat(parts).to(device, dtype if parts[0].is_floating_point() else None)
                for name, parts in inputs.items()
            },
        )
        made = []
        for place, reading in enumerate(readings):
            parts = [
                slice(stack.pads[place], stack.width),
                slice(stack.width + new - reading.num_new, None),
            ]
            made.append(
                _Read(stack.row(place, parts), ends[place], out.logits[place : place + 1, -1])
            )
        return made

    def _positions(self, ids: list[int], segments: Sequence[Segment]) -> torch.Tensor:
        """The positions of all tokens, as a tensor: (4, 1, T) for models with mrope (multimodal
        rotary embedding), (1, T) for others."""
        line = torch.arange(len(ids))[None]  # (1, T)
        if self._rope is None:
            return line
        whole = torch.tensor([ids])
        grids = [
            segment.inputs["image_grid_thw"]
            for segment in segments
            if "image_grid_thw" in segment.inputs
        ]
        kinds = torch.eq(whole, self._image_id).int()
        rope, _ = self._rope(whole, kinds, image_grid_thw=torch.cat(grids) if grids else None)
        return torch.cat([line[None], rope])

    def _pictures_after(
        self, segments: Sequence[Segment], start: int
    ) -> list[tuple[str, torch.Tensor]]:
        """The tensors of the pictures that begin at or after a given token."""
        found: list[tuple[str, torch.Tensor]] = []
        place = 0
        for segment in segments:
            if segment.inputs and place + len(segment.ids) > start:
                # A cache ends with a sampled token, never inside an observation.
                assert place >= start or self._image_id not in segment.ids[: start - place], (
                    "the cache ends within a picture"
                )
                found += segment.inputs.items()
            place += len(segment.ids)
        return found

    # -- the rest of a turn

    @torch.inference_mode()
    def go_on(self, rows: Sequence[Row], steps: int) -> None:
        """Samples up to `steps` more tokens for each unfinished row. Sampling stops early when a
        quarter of the rows have finished, because finished rows waste computation."""
        rows = [row for row in rows if not row.done]
        if not rows:
            return
        device = self.model.device
        stack = Stack(self.model.config, [row.layers for row in rows], steps)
        mask = stack.mask(steps).to(device)
        text = torch.tensor([[len(row.ids)] for row in rows], device=device)  # (B, 1)
        rope = torch.tensor([[row.position] for row in rows], device=device)  # (B, 1)
        fed = torch.tensor([row.new_ids[-1] for row in rows], device=device)  # (B,)
        for step in range(steps):
            for row in rows:
                if not row.done:
                    row.ids.append(row.new_ids[-1])
                    row.position += 1
            out = self.model(
                input_ids=fed[:, None],
                position_ids=text + step
                if self._rope is None
                else torch.stack([text, rope, rope, rope]) + step,
                attention_mask=mask[:, : stack.width + step + 1],
                use_cache=True,
                **{self._cache: stack.cache},
            )
            fed = self._draw(rows, out.logits[:, -1])
            if 4 * sum(row.done for row in rows) >= len(rows):
                break
        for place, row in enumerate(rows):
            held = slice(
                stack.pads[place], stack.pads[place] + len(row.ids)
            )  # tokens that were fed after a row had finished are left out
            row.layers = stack.row(place, [held]) if row.done else stack.view(place, held)

    def _draw(self, rows: Sequence[Row], logits: torch.Tensor) -> torch.Tensor:
        """Samples a token for each unfinished row. The log-probabilities are computed before top-p
        and forbidden tokens reduce the choice.

        Args:
            logits: array (B, V).

        Returns: One sampled token per row, (B,). The token of a finished row has no meaning.
        """
        temperature = self._sampling.temperature
        scaled = logits.float() / (temperature or 1.0)
        logprobs = scaled.log_softmax(-1)
        scaled[:, self._forbidden] = -torch.inf
        drawn = (
            scaled.argmax(-1)
            if temperature == 0
            else self._at(scaled.softmax(-1), [row.chance.random() for row in rows])
        )
        told = logprobs.gather(-1, drawn[:, None])[:, 0].tolist()
        for row, token, logprob in zip(rows, drawn.tolist(), told, strict=True):
            if not row.done:
                row.new_ids.append(token)
                row.logprobs.append(logprob)
                row.ended = token in self._stop_ids
        return drawn

    def _at(self, probs: torch.Tensor, chances: list[float]) -> torch.Tensor:
        """Picks each row's token where the cumulative probability reaches the row's random number
        between 0 and 1. The tokens are in the order of their ids, or with top-p in the order of
        their probability."""
        tokens = None
        if self._sampling.top_p < 1:
            probs, tokens = probs.sort(dim=-1, descending=True, stable=True)  # (B, V)
            probs = probs.masked_fill(probs.cumsum(-1) - probs >= self._sampling.top_p, 0.0)
        cumulated = probs.cumsum(-1)
        total = cumulated[:, -1:].contiguous()
        wanted = torch.tensor(chances, device=probs.device)[:, None] * total
        # Rounding must not pass the last allowed token, at which the sum reaches the total.
        place = torch.minimum(
            torch.searchsorted(cumulated, wanted, right=True), torch.searchsorted(cumulated, total)
        )
        return (place if tokens is None else tokens.gather(-1, place))[:, 0]


def _batches(
    readings: Sequence[tuple[Hashable, _Reading]],
) -> list[list[tuple[Hashable, _Reading]]]:
    """Groups the conversations that must be read into forward passes with little padding. A pass
    never mixes conversations with and without a cache."""
    made: list[list[tuple[Hashable, _Reading]]] = []
    for key, reading in sorted(readings, key=lambda item: (item[1].start > 0, item[1].num_new)):
        first = made[-1][0][1] if made else None
        if (
            first is None
            or (first.start > 0) != (reading.start > 0)
            or reading.num_new > 2 * first.num_new
            or (reading.num_new * (len(made[-1]) + 1) > READ_TOKENS)
        ):
            made.append([])
        made[-1].append((key, reading))
    return made
