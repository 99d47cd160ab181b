"""Stores the rows of a step on disk, before the updates learn from these rows. A run that was
killed resumes from the stored rows, and the replay of an update reads them too.

```
OUT/replay/step-000012/rank-00000.pt   the rank's samples (ids, masks, log-probabilities, picture hashes, advantages); divisor parts of the rest
                       step.json       metrics of the rollouts, one line each; written last, by the first rank
```

The files hold no pixels. The model's processor makes the pixels again from OUT/episodes/pictures
and compares their hashes.
"""

import io
import json
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from questloom.agent.play.episode_files import EpisodeFiles
from questloom.files.parquet import write_whole
from questloom.models.picture_file import decode
from questloom.train.credit.samples import DroppedWeight, Sample
from questloom.train.grpo.step_samples import Share, StepSample
from questloom.train.rows.row import PictureTokens, Rope, Row, check
from questloom.train.run.checkpoints import named_if_full
from questloom.train.run.output_lock import together
from questloom.train.run.parallel import World

_TENSORS = ("ids", "loss_mask", "grid_thw", "old_logp")
_PLAIN = ("episode_id", "turns", "pictures", "pixel_hashes", "policy_version")


class Pixels:
    """The pixels of stored pictures, made by the model's processor.

    Args:
        processor: the model's processor. The limit on a picture's pixels is already set in the
            processor.
        files: the files that hold the pictures.
    """

    def __init__(self, processor: Any, files: EpisodeFiles) -> None:
        self._processor, self._files = processor, files

    def of(self, sha256s: Sequence[str], width: int) -> Tensor:
        """The patches of several pictures, one picture after the other: (P, width)."""
        made = [
            self._processor.image_processor(
                images=[decode(self._files.read_picture(each))], return_tensors="pt"
            )["pixel_values"]
            for each in sha256s
        ]
        return torch.cat([torch.zeros(0, width), *made])


@dataclass(frozen=True)
class StepFiles:
    """The stored steps of a run.

    Args:
        folder: OUT/replay.
        pixels: makes the pixels of the pictures in the rows.
    """

    folder: Path
    pixels: Pixels
    tokens: PictureTokens
    rope: Rope

    def read_facts(self, step: int) -> dict[str, Any] | None:
        """The metrics of a step; None if a step's files are not complete."""
        path = self._path(step) / "step.json"
        return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None

    def write(self, step: int, share: Share, facts: Mapping[str, Any], at: World) -> None:
        """Writes a step. All ranks must call this function together.

        Args:
            share: the samples of this rank.
            facts: the step's metrics.

        Raises:
            DiskFull: the disk has no room left.
        """
        path = self._path(step)
        together(at, lambda: self._write(path / f"rank-{at.rank:05d}.pt", share))
        if at.first:
            write_whole(
                path / "step.json",
                (json.dumps({"step": step, "ranks": at.size, **facts}) + "\n").encode(),
            )
        at.wait()

    def _write(self, path: Path, share: Share) -> None:
        out = io.BytesIO()
        torch.save(
            {
                "taught": [_stored(each) for each in share.samples],
                "counted": [(number, vars(each)) for number, each in share.counted],
            },
            out,
        )
        with named_if_full(
            self.folder,
            f"{out.getbuffer().nbytes / 1e9:.3g} GB of a step's rows",
            "set keep.replay_steps",
        ):
            path.parent.mkdir(parents=True, exist_ok=True)
            write_whole(path, out.getvalue())

    def read(self, step: int, at: World) -> Share:
        """Reads a rank's share of a complete step.

        The rows come in the order of training only if the number of ranks is the same as when the
        step was written.

        Raises:
            RowError: the pixels differ from those that the engine saw.
        """
        facts = self.read_facts(step)
        assert facts is not None, f"step {step} is not whole"
        found = [
            torch.load(self._path(step) / f"rank-{rank:05d}.pt", weights_only=True)
            for rank in range(facts["ranks"])
        ]
        return Share(
            tuple(
                self._taught(each)
                for part in found
                for each in part["taught"]
                if each["number"] % at.size == at.rank
            ),
            tuple(
                (number, DroppedWeight(**each))
                for part in found
                for number, each in part["counted"]
                if number % at.size == at.rank
            ),
        )

    def drop(self, steps: Sequence[int]) -> None:
        """Removes stored steps. Only the first rank calls this method."""
        for step in steps:
            shutil.rmtree(self._path(step), ignore_errors=True)

    def steps(self) -> list[int]:
        """The numbers of the complete steps, in order."""
        return sorted(
            int(path.parent.name.removeprefix("step-"))
            for path in self.folder.glob("step-*/step.json")
        )

    def _path(self, step: int) -> Path:
        return self.folder / f"step-{step:06d}"

    def _taught(self, stored: Mapping[str, Any]) -> StepSample:
        row = Row(
            **{name: stored[name] for name in (*_TENSORS, *_PLAIN)},
            positions=self.rope(stored["ids"], stored["grid_thw"]),
            pixels=self.pixels.of(stored["pictures"], self.tokens.pixel_dim),
        )
        check(row, self.tokens)
        return StepSample(
            stored["number"], Sample(row, stored["advantage"], stored["weight"]), stored["reward"]
        )


def _stored(each: StepSample) -> dict[str, Any]:
    row = each.sample.row
    # The clone keeps a slice from being written with the whole tensor that it is cut from.
    return {
        "number": each.number,
        "advantage": each.sample.advantage,
        "weight": each.sample.weight,
        "reward": each.reward,
        **{name: getattr(row, name).clone() for name in _TENSORS},
        **{name: getattr(row, name) for name in _PLAIN},
    }
