"""Questions and trajectories for tests of the teacher's stages."""

import asyncio
from pathlib import Path
from typing import Any

from questloom.agent.play.player import Player
from questloom.agent.turns.limits import Limits
from questloom.records.episodes import BankImage, Episode
from questloom.records.knowledge import Value
from questloom.records.synthesis import Answer, Question
from questloom.records.trajectories import EpisodeTimes, Trajectory
from questloom.transforms.episodes.playing import Play
from questloom.transforms.episodes.tool_statistics import statistics_of
from tests.agent import tiny
from tests.agent.small_provider import ScriptedEngine, SmallWorld, toolbox

ANSWER = Answer(value=Value(kind="text", text="Ada Lund"), text="Ada Lund", type="string")


def question(index: int = 0, split: str = "sft/train") -> Question:
    """A question about the bridge of `small_provider`."""
    return Question(
        seed_id="seed",
        seed_entity="Q1",
        method="paths",
        level="easy",
        domain="building_or_place",
        text="Who built the bridge in the picture?",
        writer="graph",
        answer=ANSWER,
        image_id="shown",
        source_image_id="own",
        split=split,
        index=index,
    )


def trajectory(episode: Episode, **changes: Any) -> Trajectory:
    """An episode with its task, as the first stage gives it."""
    made = Trajectory(
        question_id=episode.task_id,
        seed_id="seed",
        split="sft/train",
        level="easy",
        method="paths",
        domain="artifact",
        language="en",
        answer=ANSWER,
        image_id="shown",
        source_image_id="own",
        episode=episode,
        statistics=statistics_of(episode),
        source_ids=tuple("own" for _ in episode.images),
    )
    return made.replace(**changes)


def bank_image(handle: int, origin: str = "task", **fields: Any) -> BankImage:
    """A picture of an episode."""
    return BankImage(
        handle=handle, sha256=f"{handle:064x}", width=100, height=80, origin=origin, **fields
    )


class Player_:
    """`Play` over a folder, with everything that it stored at hand."""

    def __init__(
        self,
        folder: Path,
        engine: ScriptedEngine,
        *,
        rollouts: int = 1,
        limits: Limits | None = None,
        world: SmallWorld | None = None,
    ) -> None:
        self.engine, self.pictures, self.times = engine, {}, {}
        self.play = Play(
            player=Player(engine, toolbox(world), limits or Limits()),
            rollouts=rollouts,
            picture=lambda q: tiny.picture(5, (300, 200)),
            journal=lambda q: folder / q.id,
            keep=self.pictures.__setitem__,
            note=self._note,
            source=lambda sha256, url: "found" if "world.example" in url else "",
        )

    def _note(self, asked: Question, times: list[EpisodeTimes]) -> None:
        self.times[asked.id] = times

    def __call__(self, asked: Question | None = None) -> list:
        """What became of a question."""
        return asyncio.run(self.play(asked or question()))
