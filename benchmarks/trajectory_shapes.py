"""Records the lengths of stored trajectories. The training benchmark uses rows of these lengths.

    python -m benchmarks.trajectory_shapes RUN > benchmarks/trajectory_shapes.json

The command reads the teacher's kept trajectories of a run. The output has the number of characters
in the system prompt, the question, each turn and each observation. The output also has the size of
each picture. `trajectory_shapes.json` holds the lengths of 115 trajectories. `questloom demo` kept
these trajectories of the oracle on 22 November 2026.

A row of the training benchmark has one token for every `CHARACTERS` characters. For each picture,
the row has as many tokens as the model's processor makes from it. The token ids and pixels of a row
are random, because they do not change the cost of training.
"""

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import torch
from transformers.models.qwen2_vl.image_processing_qwen2_vl import smart_resize

from questloom.records.episodes import Episode
from questloom.records.trajectories import Trajectory
from questloom.train.rows.row import PictureTokens, Rope, Row, check, hashes_of, shorten
from questloom.transforms.episodes.episode_folder import KEEP, TEACHER, EpisodeFolder
from questloom.transforms.stages.run_folder import RunFolder

SHAPES = Path(__file__).with_suffix(".json")
CHARACTERS = 4
"""The number of characters per token: a rough figure for Qwen's tokenizer, for English text with
some JSON.
"""


@dataclass(frozen=True)
class Shape:
    """The lengths of one trajectory."""

    opening: int
    """The number of characters in the system prompt and the question."""
    said: tuple[int, ...]
    """The number of characters in each turn."""
    observed: tuple[int, ...]
    """The number of characters in the observation after each turn; 0 after the last turn."""
    shown: tuple[int, ...]
    """The number of pictures in the task, followed by the number of pictures in each
    observation.
    """
    sizes: tuple[tuple[int, int], ...]
    """The (width, height) of all pictures, in their order."""


def shape_of(episode: Episode, system_prompt: str) -> Shape:
    """The lengths of an episode."""
    tasks = [image for image in episode.images if image.origin == "task"]
    results = [turn.result for turn in episode.turns]
    by_handle = {image.handle: image for image in episode.images}
    brought = [
        [by_handle[handle] for handle in result.images] if result else [] for result in results
    ]
    return Shape(
        opening=len(system_prompt) + len(episode.question),
        said=tuple(len(turn.text) for turn in episode.turns),
        observed=tuple(len(result.text) if result else 0 for result in results),
        shown=(len(tasks), *map(len, brought)),
        sizes=tuple(
            (image.width, image.height)
            for image in [*tasks, *(image for some in brought for image in some)]
        ),
    )


def read_shapes(path: Path = SHAPES) -> list[Shape]:
    """Reads the lengths in a file."""
    return [
        Shape(
            **{
                **row,
                **{key: tuple(row[key]) for key in ("said", "observed", "shown")},
                "sizes": tuple(map(tuple, row["sizes"])),
            }
        )
        for row in json.loads(path.read_text(encoding="utf-8"))
    ]


def row_of(
    shape: Shape,
    *,
    seed: int,
    tokens: PictureTokens,
    rope: Rope,
    patch: int,
    max_pixels: int,
    scale: int,
    max_tokens: int,
    vocabulary: int,
) -> Row:
    """A row with a trajectory's lengths, and with random ids and pixels.

    Args:
        patch: side of a patch in pixels.
        max_pixels: largest number of pixels that the model sees of a picture.
        scale: number by which the length of the text is divided.
        max_tokens: maximum length of a row; a longer row ends after the last whole turn that fits.
        vocabulary: upper bound of the random ids, which also stay below the model's special ids.
    """
    draw = torch.Generator().manual_seed(seed)
    begin, end = tokens.framing
    side = patch * tokens.merge
    grids, ids, turns, sizes = [], [], [], iter(shape.sizes)

    def text(characters: int) -> None:
        ids.append(
            torch.randint(
                0,
                min(vocabulary, begin),
                (max(1, round(characters / CHARACTERS / scale)),),
                generator=draw,
            )
        )

    def pictures(number: int) -> None:
        for _ in range(number):
            width, height = next(sizes)
            h, w = smart_resize(
                height, width, factor=side, min_pixels=side * side, max_pixels=max_pixels
            )
            grids.append((1, h // patch, w // patch))
            ids.append(torch.tensor([begin, *[tokens.image_id] * (h * w // side**2), end]))

    text(shape.opening)
    pictures(shape.shown[0])
    for said, observed, shown in zip(shape.said, shape.observed, shape.shown[1:], strict=True):
        start = sum(map(len, ids))
        text(said)
        turns.append((start, sum(map(len, ids))))
        if observed:
            text(observed)
            pictures(shown)
    together, grid = torch.cat(ids), torch.tensor(grids).reshape(-1, 3)
    mask = torch.zeros(len(together), dtype=torch.bool)
    for first, last in turns:
        mask[first:last] = True
    pixels = torch.randn(int(grid.prod(-1).sum()), tokens.pixel_dim, generator=draw)
    hashes = hashes_of(pixels, grid)
    row = Row(
        episode_id=f"shape{seed}",
        ids=together,
        loss_mask=mask,
        turns=tuple(turns),
        positions=rope(together, grid),
        pixels=pixels,
        grid_thw=grid,
        pictures=hashes,
        pixel_hashes=hashes,
    )
    if len(row) > max_tokens:
        row = shorten(row, max_tokens, tokens)
    check(row, tokens)
    return row


def _shapes(run: str) -> Sequence[Shape]:
    folder = EpisodeFolder.of(RunFolder(run), TEACHER)
    system_prompt = folder.files.renderer().system_prompt
    return [
        shape_of(trajectory.episode, system_prompt)
        for trajectory in folder.read(folder.label(KEEP), "kept", Trajectory)
    ]


if __name__ == "__main__":
    print("[" + ",\n".join(json.dumps(asdict(shape)) for shape in _shapes(sys.argv[1])) + "]")
