"""Counts how the teacher's episodes use tools, and compares the counts with a reference set."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from questloom.files.locations import location
from questloom.records.trajectories import Trajectory
from questloom.transforms.episodes.episode_folder import KEEP, PLAY, EpisodeFolder
from questloom.transforms.episodes.tool_statistics import distance, read_reference

SUMS = (
    "num_slips",
    "pictures_found",
    "pictures_made",
    "handles_as_input",
    "tool_pictures_used_again",
    "made_pictures_used_again",
)


@dataclass(frozen=True, kw_only=True)
class Behaviour:
    """Sums over a set of episodes."""

    num_episodes: int
    ends: dict[str, int]
    """Number of episodes that ended for each `EndReason`."""
    calls_by_tool: dict[str, int]
    faults_by_tool: dict[str, int]
    episodes_by_calls: dict[str, int]
    """How many episodes have 0, 1, 2, … tool calls."""
    episodes_by_turns: dict[str, int]
    sums: dict[str, int]
    """The fields of `ToolStatistics` that `SUMS` names, each added up over all episodes."""

    @property
    def mean_turns(self) -> float:
        """Mean number of turns per episode. The episodes of OpenSearch-VL have 6.3 turns on
        average."""
        return sum(int(k) * n for k, n in self.episodes_by_turns.items()) / max(
            1, self.num_episodes
        )

    @property
    def mean_calls(self) -> float:
        """Mean number of tool calls per episode."""
        return sum(self.calls_by_tool.values()) / max(1, self.num_episodes)

    def as_json(self) -> dict[str, Any]:
        """All figures as JSON."""
        return {
            "episodes": self.num_episodes,
            "mean_turns": round(self.mean_turns, 3),
            "mean_calls": round(self.mean_calls, 3),
            "ends": self.ends,
            "calls_by_tool": self.calls_by_tool,
            "faults_by_tool": self.faults_by_tool,
            "episodes_by_calls": self.episodes_by_calls,
            "episodes_by_turns": self.episodes_by_turns,
            **self.sums,
        }


@dataclass(frozen=True, kw_only=True)
class Numbers:
    """The figures of all episodes and of the kept episodes, and the distance of the kept episodes
    from the reference."""

    played: Behaviour
    kept: Behaviour
    distances: dict[str, float | None]
    """The Jensen-Shannon distances (0 to 1) from the reference: "tools" compares the calls by tool,
    and "calls" the number of calls per episode. Without a reference there are no distances."""

    def as_json(self) -> dict[str, Any]:
        """All figures as JSON."""
        return {
            "played": self.played.as_json(),
            "kept": self.kept.as_json(),
            "distance_from_reference": self.distances,
        }

    def as_lines(self) -> list[str]:
        """The figures as lines of text for people."""
        kept, played = self.kept, self.played
        turns = f", {kept.mean_turns:.1f} turns each on average" if kept.num_episodes else ""
        calls, calls_kept = _in_words(played.calls_by_tool), _in_words(kept.calls_by_tool)
        lines = [
            f"kept      {kept.num_episodes:,} of {played.num_episodes:,} episodes{turns}",
            f"calls     {calls}"
            + (f"; in kept episodes {calls_kept}" if calls_kept != calls else ""),
            f"pictures  in kept episodes {kept.sums['pictures_found']:,} found, {kept.sums['pictures_made']:,} made; "
            f"{kept.sums['tool_pictures_used_again']:,} of them used again ({kept.sums['made_pictures_used_again']:,} made ones)",
        ]
        if played.faults_by_tool:
            failed = _in_words(played.faults_by_tool)
            lines.append(f"failed    {failed} (calls answered with an error, such as no such page)")
        for name, found in self.distances.items():
            lines.append(
                f"distance  {name}: {'unknown' if found is None else f'{found:.3f}'} from the reference (Jensen-Shannon, 0 to 1)"
            )
        return lines


def _in_words(calls_by_tool: Mapping[str, int]) -> str:
    """The tools with their numbers of calls, the commonest first."""
    found = sorted(calls_by_tool.items(), key=lambda item: -item[1])
    return ", ".join(f"{name} {n:,}" for name, n in found) or "none"


def behaviour(trajectories: Iterable[Trajectory]) -> Behaviour:
    """The sums over the given trajectories."""
    ends: Counter[str] = Counter()
    tools: Counter[str] = Counter()
    faults: Counter[str] = Counter()
    calls: Counter[int] = Counter()
    turns: Counter[int] = Counter()
    sums: Counter[str] = Counter(dict.fromkeys(SUMS, 0))
    num = 0
    for trajectory in trajectories:
        statistics = trajectory.statistics
        num += 1
        ends[trajectory.episode.end] += 1
        tools.update(statistics.calls_by_tool)
        faults.update(statistics.faults_by_tool)
        calls[statistics.num_calls] += 1
        turns[statistics.num_turns] += 1
        sums.update({name: getattr(statistics, name) for name in SUMS})
    return Behaviour(
        num_episodes=num,
        ends=dict(sorted(ends.items())),
        calls_by_tool=dict(sorted(tools.items())),
        faults_by_tool=dict(sorted(faults.items())),
        episodes_by_calls={str(k): calls[k] for k in sorted(calls)},
        episodes_by_turns={str(k): turns[k] for k in sorted(turns)},
        sums=dict(sums),
    )


def numbers_of(out: EpisodeFolder, reference: str = "") -> Numbers:
    """The figures of the episodes in a teacher's folder. The figures are compared with a file of
    reference counts, if the caller names such a file.

    Raises:
        InputError: the reference cannot be read.
    """
    played, kept = (behaviour(_trajectories(out, stage)) for stage in (PLAY, KEEP))
    distances = {}
    if reference:
        own = {"tools": kept.calls_by_tool, "calls": kept.episodes_by_calls}
        distances = {
            name: distance(own[name], counts)
            for name, counts in read_reference(location(reference)).items()
        }
    return Numbers(played=played, kept=kept, distances=distances)


def _trajectories(out: EpisodeFolder, stage: str) -> Iterable[Trajectory]:
    return out.read(out.label(stage), "kept", Trajectory)
