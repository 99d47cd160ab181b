"""Writes the teacher's trajectories into the data set, as the configuration `sft`. The formats for
trainers (`formats/`) use the same trajectories.

A trajectory is stored as the messages that the policy saw and wrote. The first messages are the
system message with the tools' schemas, and the user message with the question and its picture. The
turns follow unchanged. Each observation (what a tool returned) is a user message.

When a policy plays, the same renderer makes its messages. As a result, a model that is trained on
the assistant's messages learns to write exactly what the agent's code can parse. The messages do
not use the trainers' own formats for tool calls.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from datasets import Features, Image, List, Value

from questloom.agent.turns.renderer import Renderer
from questloom.files.parquet import read_records
from questloom.models.messages import Message, Picture
from questloom.pipeline.export.chat import (
    PARTS,
    image_cell,
    pictures_in,
    with_parts,
)
from questloom.records.identity import canonical_json
from questloom.records.outcomes import Reason, Rejection
from questloom.records.trajectories import TaskResult, Trajectory
from questloom.transforms.episodes.episode_folder import KEEP, SOLVED, EpisodeFolder
from questloom.transforms.stages.run_folder import RunFolder
from questloom.transforms.stages.stage import reject

_STATISTICS = (
    "num_turns",
    "num_calls",
    "pictures_found",
    "pictures_made",
    "handles_as_input",
    "tool_pictures_used_again",
    "made_pictures_used_again",
)

SFT = Features(
    {
        "id": Value("string"),
        "question_id": Value("string"),
        "rollout": Value("int64"),
        "messages": PARTS,
        "images": List(Image()),
        "image_sha256": List(Value("string")),
        "tools": Value("string"),
        "question": Value("string"),
        "answer": Value("string"),
        "given": Value("string"),
        "subset": Value("string"),
        "level": Value("string"),
        "method": Value("string"),
        "domain": Value("string"),
        "language": Value("string"),
        "engine": Value("string"),
        "model": Value("string"),
        "prompt_version": Value("string"),
        "judged_by": Value("string"),
        "process_checked_by": Value("string"),
        "calls_by_tool": Value("string"),
        **{name: Value("int64") for name in _STATISTICS},
    }
)


@dataclass(frozen=True)
class RenderedTrajectory:
    """A trajectory as messages, with its pictures in order."""

    trajectory: Trajectory
    messages: tuple[Message, ...]
    prompt_version: str
    tools: str

    @property
    def pictures(self) -> list[Picture]:
        """The pictures of the messages, in order."""
        return pictures_in(self.messages)


def find_violations(trajectory: Trajectory) -> dict[int, str]:
    """The turns that broke the protocol, each with the violation. `questloom.train.sft` leaves the
    turns that broke the protocol out of its loss. In files for other trainers, the faulty turns
    cannot be marked, so a model would learn to imitate them."""
    return {
        number: turn.violation
        for number, turn in enumerate(trajectory.episode.turns)
        if turn.violation
    }


def sft_row(rendered: RenderedTrajectory) -> dict[str, Any]:
    """Makes one row of `sft`."""
    t, pictures = rendered.trajectory, rendered.pictures
    return {
        "id": t.id,
        "question_id": t.question_id,
        "rollout": t.episode.rollout,
        "messages": with_parts(rendered.messages),
        "images": [image_cell(p.data, p.sha256) for p in pictures],
        "image_sha256": [p.sha256 for p in pictures],
        "tools": rendered.tools,
        "question": t.episode.question,
        "answer": t.answer.text,
        "given": t.episode.answer,
        "subset": t.split,
        "level": t.level,
        "method": t.method,
        "domain": t.domain,
        "language": t.language,
        "engine": t.episode.engine,
        "model": t.episode.model,
        "prompt_version": rendered.prompt_version,
        "judged_by": t.verdict.by if t.verdict else "",
        "process_checked_by": t.process.by if t.process else "",
        "calls_by_tool": canonical_json(t.statistics.calls_by_tool),
        **{name: getattr(t.statistics, name) for name in _STATISTICS},
    }


class Teaching:
    """The teacher's results that go into a run's data set. If the teacher has not finished, or has
    not played at all, there are no results."""

    def __init__(self, run: RunFolder) -> None:
        self.out = EpisodeFolder.of(run)
        facts = self.out.read_facts() or {}
        self.is_there, self._engine = bool(facts.get("whole")), facts.get("engine", "")
        self.renderer: Renderer | None = (
            self.out.files.renderer() if self.is_there and self.out.files.has_prompt() else None
        )
        self.schemas: list[dict[str, Any]] = (
            self.out.files.prompt["schemas"] if self.renderer else []
        )

    def is_broken(self, result: tuple[int, int] | None) -> bool:
        """Whether the oracle (the scripted agent) played a task and never solved it. If the oracle
        never solved a task, the task cannot be solved with the tools. A task that the tools cannot
        solve is of no use for training a policy.

        Args:
            result: (number of rollouts, number of right ones); None if the task was not played.
        """
        return self._engine == "oracle" and result is not None and not result[1]

    def rendered(self, shard: int) -> Iterator[RenderedTrajectory]:
        """Those trajectories of a shard that are kept for supervised fine-tuning. A trajectory is
        left out if one of its turns broke the protocol."""
        for trajectory in self._tuning(shard):
            if not find_violations(trajectory):
                assert self.renderer is not None
                episode = trajectory.episode
                yield RenderedTrajectory(
                    trajectory,
                    self.renderer.messages(
                        episode.question, episode.turns, self.out.files.bank(episode.images)
                    ),
                    self.renderer.version,
                    json.dumps(self.schemas, ensure_ascii=False),
                )

    def results(self, shard: int) -> Mapping[str, tuple[int, int]]:
        """A pair (number of rollouts, number of right rollouts) for each task of a shard, by
        question id. Unsolved tasks are included."""
        found = {
            r.question_id: (r.num_rollouts, r.num_correct)
            for r in self._records(SOLVED, TaskResult, shard)
        }
        for rejection in self._records(SOLVED, Rejection, shard, "rejected"):
            if isinstance(rejection.evidence, dict) and "rollouts" in rejection.evidence:
                found[rejection.item_id] = (rejection.evidence["rollouts"], 0)
        return found

    def rejections(self, shard: int) -> Iterable[Rejection]:
        """The trajectories that the teacher's stages rejected. Kept trajectories that the data set
        leaves out are included. The names of the teacher's stages get the prefix "teach-", so that
        they differ from the stages of the main job."""
        for label in self.out.labels() if self.is_there else ():
            for rejection in read_records(self.out.shard(label, "rejected", shard), Rejection):
                yield rejection.replace(stage=f"teach-{rejection.stage}")
        for trajectory in self._tuning(shard):
            if slips := find_violations(trajectory):
                why = {
                    "broken": [
                        {"rule": "format", "turn": turn, "evidence": violation}
                        for turn, violation in slips.items()
                    ],
                    "question": trajectory.question_id,
                    "rollout": trajectory.episode.rollout,
                }
                yield reject(trajectory, Reason.FORMAT, why).replace(stage="teach-export")

    def _tuning(self, shard: int) -> Iterator[Trajectory]:
        return (
            trajectory
            for trajectory in self._records(KEEP, Trajectory, shard)
            if trajectory.split.startswith("sft/")
        )

    def _records(self, stage: str, kind: Any, shard: int, outcome: str = "kept") -> Iterator[Any]:
        return (
            read_records(self.out.shard(self.out.label(stage), outcome, shard), kind)
            if self.is_there
            else iter(())
        )
