"""A step's rows on disk: any number of ranks reads what another number wrote, each its own questions' part."""

import dataclasses
from pathlib import Path

import pytest
import torch

from questloom.agent.play.episode_files import EpisodeFiles
from questloom.train.credit.samples import DroppedWeight, Sample
from questloom.train.grpo.step_files import Pixels, StepFiles
from questloom.train.grpo.step_samples import Share, StepSample
from questloom.train.run.parallel import World
from tests.agent import tiny
from tests.train.played import PICTURES, ROPE, row

CPU = torch.device("cpu")
ALONE = World("single", 0, 1, CPU)


@pytest.fixture
def files(tmp_path: Path) -> StepFiles:
    return StepFiles(
        tmp_path / "replay", Pixels(tiny.processor(), EpisodeFiles(str(tmp_path))), PICTURES, ROPE
    )


def share() -> Share:
    taught = tuple(
        StepSample(
            number,
            Sample(row(2, seed=number, task_pictures=0, tool_pictures=False), number - 0.5, 0.2),
            1.0,
        )
        for number in range(3)
    )
    return Share(
        taught, tuple((number, DroppedWeight(0.5 * number, 10 * number)) for number in (1, 2, 4))
    )


def test_what_is_written_is_read(files):
    files.write(3, share(), {"figures": {}}, ALONE)
    found = files.read(3, ALONE)
    assert found.counted == share().counted
    for one, other in zip(found.samples, share().samples, strict=True):
        assert (one.number, one.reward, one.sample.advantage, one.sample.weight) == (
            other.number,
            other.reward,
            other.sample.advantage,
            other.sample.weight,
        )
        assert torch.equal(one.sample.row.ids, other.sample.row.ids) and torch.equal(
            one.sample.row.loss_mask, other.sample.row.loss_mask
        )


def test_two_ranks_share_what_one_wrote(files):
    files.write(0, share(), {"figures": {}}, ALONE)
    parts = [files.read(0, dataclasses.replace(ALONE, rank=rank, size=2)) for rank in (0, 1)]
    assert [[each.number for each in part.samples] for part in parts] == [[0, 2], [1]]
    assert [[number for number, _ in part.counted] for part in parts] == [[2, 4], [1]]
