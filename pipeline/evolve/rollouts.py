"""Summarises a policy's episodes for each task: outcomes, wrong answers, faults, behaviour. The
data come from the files of the job that played the questions."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby

from questloom.agent.tools.toolbox import TOOLS
from questloom.language.normalise import fold
from questloom.records.episodes import Episode, ToolStatus
from questloom.records.outcomes import Reason, Rejection
from questloom.records.trajectories import ToolStatistics, Trajectory
from questloom.transforms.episodes.episode_folder import ANSWER, PLAY, PROCESS, EpisodeFolder
from questloom.transforms.episodes.tool_statistics import statistics_of

CORRECT = "correct"
KINDS: dict[str, str] = {tool.name: tool.kind for tool in TOOLS}
"""The kind of each tool. ODE (section 3.4) groups chains of calls too, but does not name its
groups, so Questloom defines its own kinds."""


@dataclass(frozen=True, kw_only=True)
class Rollout:
    """The facts about one episode that the loop keeps."""

    number: int
    """The number of the episode within its task."""
    outcome: str
    """"correct", or the reason for the rejection."""
    said: str
    provider_faults: int
    """The number of calls that failed because of a provider (a model or search service)."""
    chain: tuple[str, ...]
    """The names of the called tools, in order."""
    statistics: ToolStatistics
    process: str = ""
    """Why the judges rejected the way to a right answer; "" if they did not reject it."""

    @property
    def solved(self) -> bool:
        return self.outcome == CORRECT

    @property
    def by_provider(self) -> bool:
        """Whether the rollout failed, and a provider (a model or search service) had faults during
        it."""
        return not self.solved and self.provider_faults > 0


@dataclass(frozen=True)
class Played:
    """All rollouts of a task."""

    rollouts: tuple[Rollout, ...] = ()
    episodes: tuple[Episode, ...] = field(default=(), repr=False)

    @property
    def judged(self) -> tuple[Rollout, ...]:
        """The rollouts that were judged right or wrong."""
        return tuple(r for r in self.rollouts if r.outcome != Reason.JUDGE_FAILED.value)

    @property
    def num_correct(self) -> int:
        return sum(r.solved for r in self.rollouts)

    @property
    def contradicted(self) -> bool:
        """Whether the judge called the same answer both right and wrong."""
        said: dict[str, set[bool]] = defaultdict(set)
        for rollout in self.judged:
            if rollout.said:
                said[fold(rollout.said)].add(rollout.solved)
        return any(len(verdicts) > 1 for verdicts in said.values())


def strategy_of(chain: Sequence[str]) -> tuple[str, ...]:
    """The pattern of a chain of calls: the kinds of the called tools in order. Repeated kinds in a
    row count once.

    >>> strategy_of(["text_search", "visit", "visit", "crop", "rotate", "text_search", "a tool that there is not"])
    ('search', 'read', 'look', 'search', 'other')
    """
    return tuple(kind for kind, _ in groupby(KINDS.get(name, "other") for name in chain))


def rollout_of(episode: Episode, outcome: str, process: str = "") -> Rollout:
    """Summarises an episode."""
    called = [turn for turn in episode.turns if turn.call is not None and turn.result is not None]
    faults = sum(turn.result.status == ToolStatus.PROVIDER_FAULT for turn in called if turn.result)
    return Rollout(
        number=episode.rollout,
        outcome=outcome,
        said=episode.answer,
        provider_faults=faults,
        chain=tuple(turn.call.name for turn in called if turn.call),
        statistics=statistics_of(episode),
        process=process,
    )


def read_rollouts(out: EpisodeFolder) -> dict[str, Played]:
    """The rollouts of a policy by question id, in order of their numbers."""
    rejected = {r.item_id: r.reason for r in out.read(out.label(ANSWER), "rejected", Rejection)}
    unfit = {r.item_id: r.reason for r in out.read(out.label(PROCESS), "rejected", Rejection)}
    found: dict[str, list[Trajectory]] = defaultdict(list)
    for trajectory in out.read(out.label(PLAY), "kept", Trajectory):
        found[trajectory.question_id].append(trajectory)
    return {task: _played(mine, rejected, unfit) for task, mine in sorted(found.items())}


def _played(mine: Sequence[Trajectory], rejected: dict[str, str], unfit: dict[str, str]) -> Played:
    ordered = sorted(mine, key=lambda t: t.episode.rollout)
    return Played(
        tuple(
            rollout_of(t.episode, rejected.get(t.id, CORRECT), unfit.get(t.id, "")) for t in ordered
        ),
        tuple(t.episode for t in ordered),
    )
