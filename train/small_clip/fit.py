"""The losses and the training loop of the small CLIP.

The model learns to match texts to pictures. The similarity of a description and a picture of its
entity must exceed a fixed threshold. A description must also fit the pictures of its entity better
than other descriptions do. Different entities may share a description. Therefore the labels of a
batch state, for every pair of text and picture, whether the words really fit. CLIP's contrastive
loss teaches the model to rank the descriptions. SigLIP's balanced pairwise loss (Zhai et al., 2023)
sets the scale of the similarities. Without SigLIP's loss, the words "a man" fitted no picture of a
man well (AUC 0.93), because hundreds of pictures share these words.

The model also learns to match two pictures (views) of the same entity, by a contrastive loss over
two views of each entity (Khosla et al., 2020). Half of the batches have entities of a single class,
because such entities are hardest to tell apart.
"""

import math
import random
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import open_clip
import torch
from torch import nn
from torch.nn import functional as F

from questloom.train.small_clip.examples import Examples, words_of
from questloom.transforms.pictures.describe import Looks

SIDE = 112
ENTITIES_A_BATCH = 48
"""The number of entities in a batch. The batch has two pictures of each of these entities."""
PEAK_RATE = 2e-3
WEIGHT_DECAY = 0.05
VIEW_TEMPERATURE = 0.1
VIEW_WEIGHT = 1.0


def fit(
    model: Any,
    tokenizer: open_clip.SimpleTokenizer,
    examples: Examples,
    *,
    steps: int,
    seed: int,
    report: Callable[[str], Any] = print,
) -> None:
    """Trains the model in place. On one machine, with the same number of threads and the same seed,
    the result is always the same.

    Args:
        model: an open_clip model that is not yet trained.
        tokenizer: the tokenizer of the model.
        examples: the training examples.
        steps: number of batches. A batch has 2 × `ENTITIES_A_BATCH` pictures.
        seed: seed of all random draws.
        report: is called with each line of progress.
    """
    torch.manual_seed(seed)
    rng = random.Random(seed)
    views = _views(examples)
    by_noun: dict[str, list[int]] = {}
    for e in sorted(views):
        by_noun.setdefault(examples.looks[e].noun, []).append(e)
    words = [words_of(looks) for looks in examples.looks]
    decayed = [p for p in model.parameters() if p.ndim >= 2]
    rest = [p for p in model.parameters() if p.ndim < 2]
    optimizer = torch.optim.AdamW(
        [{"params": decayed, "weight_decay": WEIGHT_DECAY}, {"params": rest, "weight_decay": 0.0}],
        lr=PEAK_RATE,
        betas=(0.9, 0.98),
    )
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimizer, lambda s: min(1.0, (s + 1) / 50) * 0.5 * (1 + math.cos(math.pi * s / steps))
    )
    model.train().to(memory_format=torch.channels_last)  # a third faster on a CPU
    started = time.monotonic()
    for step in range(steps):
        chosen = _entities(rng, by_noun, one_noun=step % 2 == 1)
        texts = [_shortened(rng, examples.looks[e]) for e in chosen]
        rows = [rng.sample(views[e], 2) if len(views[e]) > 1 else views[e] * 2 for e in chosen]
        pixels = augment(
            torch.from_numpy(examples.pixels[[r[0] for r in rows] + [r[1] for r in rows]])
        )
        fits = torch.tensor(
            [[words_of(text) <= words[e] for e in chosen] for text in texts], dtype=torch.float32
        )  # (texts, entities)
        with torch.autocast("cpu", torch.bfloat16):
            pictures = model.encode_image(pixels)
            described = model.encode_text(tokenizer([text.text() for text in texts]))
        pictures = F.normalize(pictures.float(), dim=-1)  # (2·B, d)
        described = F.normalize(described.float(), dim=-1)  # (B, d)
        loss_text = text_loss(
            pictures, described, fits.repeat(1, 2), model.logit_scale.exp(), model.logit_bias
        )
        loss_view = view_loss(pictures)
        optimizer.zero_grad()
        (loss_text + VIEW_WEIGHT * loss_view).backward()
        nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        schedule.step()
        with torch.no_grad():
            model.logit_scale.clamp_(0, math.log(100))
        if step % 50 == 48 or step == steps - 1:  # an even step, which draws from all classes
            report(
                f"step {step + 1}/{steps}  text {loss_text.item():.3f}  view {loss_view.item():.3f}  {time.monotonic() - started:.0f} s"
            )
    model.eval()


def text_loss(
    pictures: torch.Tensor,
    texts: torch.Tensor,
    fits: torch.Tensor,
    scale: torch.Tensor,
    bias: torch.Tensor,
) -> torch.Tensor:
    """The loss for matching texts with pictures. `fits` has the shape (texts, pictures). An entry
    is 1 where a text fits a picture, else 0. For every text there is a fitting picture.

    The loss has two parts. One part is the cross-entropy in both directions. The targets of the
    cross-entropy are the fitting pairs, with equal weights. The other part is the mean logistic
    loss of fitting pairs, plus the mean logistic loss of all other pairs.
    """
    logits = scale * texts @ pictures.T
    to_pictures = -(fits / fits.sum(1, keepdim=True) * F.log_softmax(logits, 1)).sum(1).mean()
    to_texts = -(fits / fits.sum(0, keepdim=True) * F.log_softmax(logits, 0)).sum(0).mean()
    fitting = (fits * F.softplus(-logits - bias)).sum() / fits.sum()
    others = ((1 - fits) * F.softplus(logits + bias)).sum() / (1 - fits).sum().clamp(min=1)
    return (to_pictures + to_texts) / 2 + fitting + others


def view_loss(pictures: torch.Tensor) -> torch.Tensor:
    """The InfoNCE loss over two views (pictures) of each entity. Rows i and i + B of the (2·B, d)
    tensor are views of the same entity."""
    size = len(pictures) // 2
    logits = pictures @ pictures.T / VIEW_TEMPERATURE
    logits = logits.masked_fill(torch.eye(2 * size, dtype=torch.bool), -1e9)
    return F.cross_entropy(logits, torch.arange(2 * size).roll(size))


def augment(pixels: torch.Tensor) -> torch.Tensor:
    """Augments pictures. The input is uint8 (n, side, side, 3). The result is normalised float (n,
    3, SIDE, SIDE).

    Pictures are moved, tilted, recoloured and blurred, and noise is added. Blur and tilt imitate
    the degradations of `transforms/enhancement`. The vector of a degraded picture should stay near
    the vector of the original.
    """
    n = len(pixels)
    x = pixels.permute(0, 3, 1, 2).float() / 255
    identity = torch.tensor([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    scale = 1 - 0.22 * torch.rand(n, 1, 1)
    theta = identity * scale + torch.randn(n, 2, 3) * torch.tensor(
        [[0.03, 0.03, 0.0], [0.03, 0.03, 0.0]]
    )
    theta[:, :, 2] += (torch.rand(n, 2) * 2 - 1) * (1.02 - scale[:, :, 0])
    x = F.grid_sample(
        x,
        F.affine_grid(theta, [n, 3, SIDE, SIDE], align_corners=False),
        align_corners=False,
        padding_mode="reflection",
    )
    x = (
        (x - 0.5) * (0.75 + 0.5 * torch.rand(n, 1, 1, 1))
        + 0.5
        + 0.12 * (torch.rand(n, 1, 1, 1) * 2 - 1)
        + 0.03 * torch.randn(n, 3, 1, 1)
    )
    coarse = F.interpolate(F.avg_pool2d(x, 3), size=SIDE, mode="bilinear")
    x = torch.where(torch.rand(n, 1, 1, 1) < 0.25, coarse, x)
    x = x + 0.03 * torch.rand(n, 1, 1, 1) * torch.randn_like(x)
    return ((x.clamp(0, 1) - 0.5) / 0.25).contiguous(memory_format=torch.channels_last)


def _views(examples: Examples) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for row, e in enumerate(examples.entity.tolist()):
        found.setdefault(e, []).append(row)
    return found


def _entities(rng: random.Random, by_noun: dict[str, list[int]], *, one_noun: bool) -> list[int]:
    """Draws the entities of one batch, either from all classes or from one large class. A larger
    class is chosen more often.
    """
    everything = [e for members in by_noun.values() for e in members]
    large = [
        noun for noun, members in sorted(by_noun.items()) if len(members) >= ENTITIES_A_BATCH // 2
    ]
    pool = (
        by_noun[rng.choices(large, [len(by_noun[n]) for n in large])[0]]
        if one_noun and large
        else everything
    )
    return rng.sample(pool, min(ENTITIES_A_BATCH, len(pool)))


def _shortened(rng: random.Random, looks: Looks) -> Looks:
    """Leaves out some attributes of a description.

    The shorter description still fits the picture. From shorter descriptions, the model learns not
    to need all attributes.
    """

    def some(words: tuple[str, ...]) -> tuple[str, ...]:
        return words if rng.random() < 0.7 else tuple(w for w in words if rng.random() < 0.5)

    return replace(
        looks,
        colours=some(looks.colours),
        materials=some(looks.materials),
        parts=some(looks.parts),
        shown=some(looks.shown),
    )
