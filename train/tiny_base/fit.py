"""The training loop of the pre-training.

Several drills are packed into one sequence. The learning rate is constant at first, and falls
towards the end.
"""

import io
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from PIL import Image
from torch import Tensor
from torch.nn import functional as F
from transformers import Qwen3VLForConditionalGeneration, Qwen3VLProcessor

from questloom.knowledge.world.pictures.sketches import sketch
from questloom.models.picture_file import JPEG_QUALITY, decode
from questloom.records.identity import chance
from questloom.train.tiny_base.drills import Drill, World, drills, new_world
from questloom.train.tiny_base.tokens import PICTURE

LENGTH = 352
"""Number of tokens in a sequence, chosen near the length of an episode."""
ROWS = 4
TEXT_WEIGHT = 0.2
"""The weight that the text of prompts has in the loss. Answers have the weight 1.

The model learns to copy from the text of prompts, because much of it repeats names.
"""
RATE = 1.5e-3
WARM_UP = 100
"""The number of updates at the start in which the learning rate rises."""
FALL = 0.4
"""The share of the time, at the end, in which the learning rate falls to 0."""
MERGED = 4
"""The number of tokens of a picture."""


@dataclass(frozen=True)
class EncodedDrill:
    """A drill as token ids, with a mask of the answer tokens, and with the drill's pictures."""

    ids: list[int]
    answer: list[bool]
    pictures: list[int]
    kind: str


@dataclass
class Album:
    """Worlds, and the patches of their pictures: float16 (pictures, 16, 3, 16, 16).

    Qwen3-VL reads a picture as two equal frames. Only the first of the two frames is stored here.
    """

    worlds: list[World]
    patches: np.ndarray


def album(seeds: Sequence[int], articles: int, processor: Qwen3VLProcessor) -> Album:
    """Makes worlds and draws their pictures."""
    worlds: list[World] = []
    made: list[np.ndarray] = []
    for seed in seeds:
        world = new_world(seed, articles, len(made))
        worlds.append(world)
        images = [
            _as_jpeg(sketch(t, t.pictures[0], chance(seed, t.id, "view-0"))[0])
            for t in world.pictured
        ]
        pixels = processor.image_processor(images=images, return_tensors="np")["pixel_values"]
        made += list(pixels.reshape(len(images), 16, 3, 2, 16, 16)[:, :, :, 0].astype(np.float16))
    return Album(worlds, np.stack(made))


def _as_jpeg(image: Image.Image) -> Image.Image:
    """A picture after JPEG compression; the pictures of questions are stored as JPEG too."""
    out = io.BytesIO()
    image.save(out, "JPEG", quality=JPEG_QUALITY, subsampling=0)
    return decode(out.getvalue())


class Encoder:
    """Encodes drills as token ids, in the form of the chat template."""

    def __init__(self, processor: Qwen3VLProcessor) -> None:
        self._tokenizer = processor.tokenizer
        self._image_id = self._tokenizer.convert_tokens_to_ids("<|image_pad|>")

    def __call__(self, drill: Drill) -> EncodedDrill:
        ids: list[int] = []
        answer: list[bool] = []
        pictures: list[int] = []

        def add(text: str, told: bool) -> None:
            new = self._tokenizer(text, add_special_tokens=False)["input_ids"]
            new = [
                i
                for token in new
                for i in ([token] * MERGED if token == self._image_id else [token])
            ]
            ids.extend(new)
            answer.extend([told] * len(new))

        for parts, said in drill.turns:
            pictures += [p for p in parts if isinstance(p, int)]
            add(
                "<|im_start|>user\n"
                + "".join(PICTURE if isinstance(p, int) else p for p in parts)
                + "<|im_end|>\n<|im_start|>assistant\n",
                False,
            )
            add(said + "<|im_end|>", True)
            add("\n", False)
        return EncodedDrill(ids, answer, pictures, drill.kind)


@dataclass
class Batch:
    """Several sequences into which drills are packed."""

    ids: Tensor
    """(B, L) token ids."""
    labels: Tensor
    """(B, L) labels; -100 for all tokens outside the answers."""
    positions: Tensor
    """(3, B, L) positions: time, height and width."""
    pad: int
    pixels: Tensor
    """(16 · pictures, 1536) patches."""
    grids: Tensor
    spans: list[tuple[int, int, int, str]] = field(default_factory=list)
    """(row, begin, end, kind) of each drill."""


def batches(
    source: Iterator[EncodedDrill], patches: np.ndarray, image_id: int, pad: int, rows: int = ROWS
) -> Iterator[Batch]:
    """Yields batches without end."""
    held: EncodedDrill | None = None
    while True:
        ids = np.full((rows, LENGTH), pad)
        labels = np.full((rows, LENGTH), -100)
        pictures: list[int] = []
        spans: list[tuple[int, int, int, str]] = []
        for row in range(rows):
            place = 0
            while True:
                drill, held = held or next(source), None
                end = place + len(drill.ids)
                if end > LENGTH:
                    held = drill
                    break
                ids[row, place:end] = drill.ids
                labels[row, place:end] = np.where(drill.answer, drill.ids, -100)
                pictures += drill.pictures
                spans.append((row, place, end, drill.kind))
                place = end
        found = (
            torch.from_numpy(patches[pictures].astype(np.float32))
            if pictures
            else torch.zeros(0, 16, 3, 16, 16)
        )
        pixels = found[:, :, :, None].expand(-1, -1, -1, 2, -1, -1).reshape(-1, 1536)
        yield Batch(
            torch.from_numpy(ids),
            torch.from_numpy(labels),
            torch.from_numpy(positions_of(ids == image_id)),
            pad,
            pixels,
            torch.tensor([[1, 4, 4]] * len(pictures)),
            spans,
        )


def positions_of(image: np.ndarray) -> np.ndarray:
    """Computes the positions (3, B, L) of Qwen3-VL: time, height and width. Each picture has 2×2
    tokens here.

    >>> positions_of(np.array([[False, True, True, True, True, False]]))[:, 0].tolist()
    [[0, 1, 1, 1, 1, 3], [0, 1, 1, 2, 2, 3], [0, 1, 2, 1, 2, 3]]
    """
    within = np.zeros(image.shape, int)
    for column in range(1, image.shape[1]):
        within[:, column] = np.where(
            image[:, column] & image[:, column - 1], (within[:, column - 1] + 1) % MERGED, 0
        )
    # A picture of four tokens takes two positions: its second and fourth token add none.
    step = np.where(image & (within % 2 == 1), 0, 1)
    place = np.cumsum(step, 1) - 1
    begin = place - np.where(image, within // 2, 0)
    return np.stack(
        [
            np.where(image, begin, place),
            np.where(image, begin + within // 2, place),
            np.where(image, begin + within % 2, place),
        ]
    )


def logits_of(
    model: Qwen3VLForConditionalGeneration, batch: Batch
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Returns four tensors: logits (N, V) and ids (N,) of the tokens in answers, then logits and
    ids of all other text.
    """
    out = model.model(
        input_ids=batch.ids,
        position_ids=batch.positions,
        use_cache=False,
        pixel_values=batch.pixels if len(batch.pixels) else None,
        image_grid_thw=batch.grids if len(batch.grids) else None,
    )
    hidden, told = out.last_hidden_state[:, :-1], batch.labels[:, 1:] != -100
    text = (
        ~told & (batch.ids[:, 1:] != model.config.image_token_id) & (batch.ids[:, 1:] != batch.pad)
    )
    return (
        model.lm_head(hidden[told]),
        batch.ids[:, 1:][told],
        model.lm_head(hidden[text]),
        batch.ids[:, 1:][text],
    )


@torch.no_grad()
def right(model: Qwen3VLForConditionalGeneration, found: Sequence[Batch]) -> dict[str, float]:
    """The share of drills in which all answer tokens are predicted right, for each kind of drill.

    Each token is predicted from the correct tokens before it, not from earlier predictions.
    """
    model.eval()
    counts: dict[str, list[bool]] = defaultdict(list)
    for batch in found:
        logits, labels, *_ = logits_of(model, batch)
        hit = torch.ones_like(batch.labels, dtype=torch.bool)
        told = batch.labels[:, 1:] != -100
        hit[:, 1:][told] = logits.argmax(-1) == labels
        for row, begin, end, kind in batch.spans:
            counts[kind].append(bool(hit[row, begin:end].all()))
    model.train()
    return {kind: round(sum(c) / len(c), 3) for kind, c in sorted(counts.items())}


def fit(
    model: Qwen3VLForConditionalGeneration,
    processor: Qwen3VLProcessor,
    learned: Album,
    unseen: Album,
    *,
    minutes: float,
    seed: int,
    report: Callable[[str], None],
    keep: Callable[[], None],
    every: int = 400,
) -> None:
    """Trains the model in place for a given time.

    Args:
        learned: worlds for the drills of training.
        unseen: worlds for the drills of evaluation.
        minutes: wall time. The learning rate falls to 0 over the last part of this time (`FALL`).
        report: is called with a line of progress, once in `every` updates.
        keep: stores the model; called after each report.
    """
    encode = Encoder(processor)
    image_id, pad = model.config.image_token_id, processor.tokenizer.pad_token_id
    measured_on = batches(
        map(encode, drills(unseen.worlds, random.Random(seed + 1))), unseen.patches, image_id, pad
    )
    measured = [next(measured_on) for _ in range(8)]
    source = batches(
        map(encode, drills(learned.worlds, random.Random(seed))), learned.patches, image_id, pad
    )
    optimiser = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=0.01)
    began, losses, tokens, step = time.monotonic(), [], 0, 0
    model.train()
    while (gone := (time.monotonic() - began) / 60 / minutes) < 1:
        batch = next(source)
        rate = RATE * min(1.0, (step + 1) / WARM_UP, max(0.0, (1 - gone) / FALL))
        for group in optimiser.param_groups:
            group["lr"] = rate
        logits, labels, others, texts = logits_of(model, batch)
        loss = F.cross_entropy(logits, labels) + TEXT_WEIGHT * F.cross_entropy(others, texts)
        optimiser.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimiser.step()
        losses.append(loss.item())
        tokens += batch.ids.numel()
        step += 1
        if step % every == 0:
            seconds = time.monotonic() - began
            report(
                f"{step} updates, {seconds:.0f} s, {tokens / seconds:.0f} tokens/s, rate {rate:.2g}, loss {np.mean(losses[-every:]):.4f}, "
                f"right {right(model, measured)}"
            )
            keep()
    keep()
    report(f"{step} updates, right {right(model, measured)}")
