"""Puts the teacher's episodes into the report. Each question gets a data file that the page loads
on demand, and the overview gets a panel.

Every text in an episode may be hostile: what the policy wrote, what pages and searches returned,
titles and addresses. The files therefore hold such text only as JSON. The page inserts hostile text
as plain text and never as markup.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from questloom.calls.attempts import CostLine
from questloom.files.locations import Location
from questloom.files.parquet import read_metadata, read_records
from questloom.pipeline.report.charts import BarTable, bar_table
from questloom.pipeline.report.evidence_text import evidence_text
from questloom.pipeline.report.people_names import Names
from questloom.pipeline.report.run_reader import Run, open_run
from questloom.pipeline.report.seed_outcomes import StageFlow, stage_flow
from questloom.pipeline.report.spend_text import read_spend
from questloom.records.episodes import BankImage, ToolResult, Turn
from questloom.records.outcomes import Pending, Rejection
from questloom.records.trajectories import EpisodeTimes, Trajectory
from questloom.transforms.episodes.episode_folder import KEEP, PLAY, EpisodeFolder
from questloom.transforms.episodes.tool_statistics import is_made
from questloom.transforms.reason_words import PENDING, REASONS, words
from questloom.transforms.stages.run_folder import RunFolder

MAX_TEXT = 6_000
"""At most this number of characters of a thought or of an observation is shown. The page then says
how many characters are missing."""


@dataclass(frozen=True)
class Teacher:
    """The teacher's folder of a run, as the report needs it."""

    out: EpisodeFolder
    run: Run
    facts: dict[str, Any]

    @property
    def flows(self) -> list[StageFlow]:
        """The numbers of items in each stage of the teacher's job."""
        return [stage_flow(self.run, stage) for stage in self.run.stages]

    @property
    def extensions(self) -> list[str]:
        """The tools and live services of other packages, each with its name and identity."""
        return self.out.describe_extensions()

    def tables(self) -> list[BarTable]:
        """The distributions of the kept episodes. A tool that no episode called has a row of its
        own too."""
        kept = (self.facts.get("statistics") or {}).get("kept") or {}
        num = kept.get("episodes", 0)
        by_turns, by_tool = (
            Counter({str(k): int(v) for k, v in (kept.get(name) or {}).items()})
            for name in ("episodes_by_turns", "calls_by_tool")
        )
        if kept and self.out.files.has_prompt():
            offered = (each["function"]["name"] for each in self.out.files.prompt["schemas"])
            by_tool.update(dict.fromkeys(offered, 0))
        ends = Counter(
            {
                words(k): int(v)
                for k, v in ((self.facts.get("statistics") or {}).get("played") or {})
                .get("ends", {})
                .items()
            }
        )
        return [
            table
            for table in (
                bar_table(
                    "Tool calls", "", by_tool, sum(by_tool.values()), note="in kept episodes"
                ),
                bar_table(
                    "Turns",
                    "",
                    by_turns,
                    num,
                    order=sorted(by_turns, key=int),
                    note="of kept episodes",
                ),
                bar_table("Ends", "", ends, sum(ends.values()), note="of all episodes"),
            )
            if table.bars
        ]

    def spend(self) -> tuple[list[CostLine], CostLine | None]:
        """The cost of the teacher's calls."""
        return read_spend(self.out.at(), self.facts)


def teacher_of(run: Location) -> Teacher | None:
    """The teacher's folder of a run; None if the teacher has played nothing."""
    out = EpisodeFolder.of(RunFolder(str(run)))
    if not out.recipe.is_file() or not out.label(PLAY):
        return None
    return Teacher(out, open_run(out.at()), out.read_facts() or {})


class Episodes:
    """Yields the episodes of each question, shard by shard.

    Args:
        teacher: the teacher's folder.
        names: the names that replace ids in the evidence of rejections.
    """

    def __init__(self, teacher: Teacher, names: Names) -> None:
        self._teacher, self._names = teacher, names
        self.image_ids: set[str] = set()

    def by_question(self) -> Iterator[tuple[str, list[dict[str, Any]]]]:
        """Yields pairs of a question id and the question's episodes, in order of rollouts."""
        num_shards = self._teacher.run.recipe["run"]["shards"]
        for shard in range(num_shards):
            path = self._path(PLAY, "kept", shard)
            if read_metadata(path) is None:
                continue
            ends, found = self._ends(shard), defaultdict(list)
            times = {
                t.episode_id: t for t in self._read(self._teacher.out.times(shard), EpisodeTimes)
            }
            for trajectory in read_records(path, Trajectory):
                self.image_ids.update(image.sha256 for image in trajectory.episode.images)
                found[trajectory.question_id].append(
                    episode_words(
                        trajectory, ends.get(trajectory.id, _UNDER_WAY), times.get(trajectory.id)
                    )
                )
            for question_id, episodes in sorted(found.items()):
                yield question_id, sorted(episodes, key=lambda e: e["rollout"])

    def _path(self, stage: str, outcome: str, shard: int) -> Location:
        out = self._teacher.out
        return out.shard(out.label(stage), outcome, shard)

    def _read(self, path: Location, kind: Any) -> Iterator[Any]:
        return read_records(path, kind) if path.is_file() else iter(())

    def _ends(self, shard: int) -> dict[str, dict[str, str]]:
        """How each episode of a shard ended, by the episode's id."""
        found: dict[str, dict[str, str]] = {}
        for stage in self._teacher.run.stages:
            for row in self._read(self._path(stage.name, "rejected", shard), Rejection):
                found[row.item_id] = {
                    "outcome": "rejected",
                    "stage": words(stage.name),
                    "reason": words(row.reason),
                    "about": REASONS.get(row.reason, ""),
                    "evidence": evidence_text(row.evidence, self._names),
                }
            for row in self._read(self._path(stage.name, "pending", shard), Pending):
                found[row.item_id] = {
                    "outcome": "pending",
                    "stage": words(stage.name),
                    "reason": row.cause,
                    "about": PENDING.get(row.cause, ""),
                    "evidence": row.message[:MAX_TEXT],
                }
        if read_metadata(self._path(KEEP, "kept", shard)) is not None:
            found.update(
                (t.id, {"outcome": "kept", "stage": "", "reason": "", "about": "", "evidence": ""})
                for t in self._read(self._path(KEEP, "kept", shard), Trajectory)
            )
        return found


_UNDER_WAY = {"outcome": "under way", "stage": "", "reason": "", "about": "", "evidence": ""}


def episode_words(
    trajectory: Trajectory, end: Mapping[str, str], times: EpisodeTimes | None
) -> dict[str, Any]:
    """An episode in the form that the page shows."""
    episode, verdict = trajectory.episode, trajectory.verdict
    return {
        **end,
        "id": trajectory.id,
        "rollout": episode.rollout,
        "engine": episode.engine,
        "model": episode.model,
        "end": words(episode.end),
        "endEvidence": episode.end_evidence[:MAX_TEXT],
        "answer": episode.answer[:MAX_TEXT],
        "expected": trajectory.answer.text,
        "judged": f"{words(verdict.outcome)}, by {verdict.by}{f': {verdict.why}' if verdict.why else ''}"
        if verdict
        else "",
        "seconds": times.seconds if times else None,
        "cost": episode.cost + (sum(times.tool_cost) if times else 0.0),
        "images": [_image(image) for image in episode.images],
        "turns": [_turn(turn, i, times) for i, turn in enumerate(episode.turns)],
    }


def _image(image: BankImage) -> dict[str, Any]:
    return {
        "handle": image.handle,
        "sha": image.sha256,
        "width": image.width,
        "height": image.height,
        "origin": words(image.origin),
        "call": image.call,
        "url": image.url,
        "title": image.title[:300],
        "parent": image.parent,
        "box": list(image.box),
        "made": is_made(image),
    }


def _turn(turn: Turn, index: int, times: EpisodeTimes | None) -> dict[str, Any]:
    known = times is not None and index < len(times.turn_seconds)
    return {
        "thought": _cut(turn.thought),
        "text": "" if turn.call or turn.answer is not None else _cut(turn.text),
        "violation": turn.violation,
        "call": {
            "name": turn.call.name,
            "arguments": _cut(json.dumps(turn.call.arguments, ensure_ascii=False, indent=1)),
        }
        if turn.call
        else None,
        "answer": None if turn.answer is None else _cut(turn.answer),
        "result": _result(turn.result) if turn.result else None,
        "tokensIn": turn.num_prompt_tokens,
        "tokensOut": turn.num_new_tokens,
        "cost": turn.cost,
        "seconds": times.turn_seconds[index] if times and known else None,
        "toolSeconds": times.tool_seconds[index] if times and known else None,
        "toolCost": times.tool_cost[index] if times and known else 0.0,
        "cached": bool(times and known and times.cached[index]),
    }


def _result(result: ToolResult) -> dict[str, Any]:
    return {
        "status": words(result.status),
        "code": words(result.code),
        "text": _cut(result.text),
        "images": list(result.images),
    }


def _cut(text: str) -> str:
    return (
        text
        if len(text) <= MAX_TEXT
        else f"{text[:MAX_TEXT]}\n… {len(text) - MAX_TEXT:,} characters more"
    )


def standing(episodes: Sequence[Mapping[str, Any]]) -> str:
    """What became of the teacher's episodes for a question, in a few words. The filter of the
    gallery uses the same words."""
    outcomes = {e["outcome"] for e in episodes}
    if not outcomes:
        return "not played"
    if "kept" in outcomes:
        return "trajectory kept"
    return "waits" if outcomes & {"pending", "under way"} else "nothing kept"
