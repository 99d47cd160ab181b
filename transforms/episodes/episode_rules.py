"""The recipe's section `teach`: who plays, how often, with what tools and limits, and what is kept."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Gt, Le

from questloom.agent.play_settings import PlaySettings

Share = Annotated[float, Ge(0), Le(1)]


@dataclass(frozen=True, kw_only=True)
class TeachRules(PlaySettings):
    """Settings of `questloom teach`. Published: OpenSearch-VL plays 5 rollouts at temperature 0.7, VSearcher 1 at 0.6 with top-p 0.95,
    presence penalty 1.5, 10,000 new tokens a turn and a context of 200,000."""

    rollouts: Annotated[int, Gt(0)] = 1
    """Episodes a task."""
    uses: tuple[Literal["sft", "rl", "benchmark"], ...] = ("sft",)
    """Whose questions are played. Trajectories of other uses than "sft" are kept in the run and never reach the data set; a question of "rl"
    that the oracle played and never solved leaves the configuration `rl`."""
    keep: Annotated[int, Ge(0)] = 0
    """Trajectories kept a task, drawn at random among those that passed; 0 for all. Rollouts that say the same word for word count once."""
    max_unfounded: Share = 0.0
    """Share of a trajectory's checked citations that may be unfounded."""
    max_slips: Annotated[int, Ge(0)] = 0
    """Turns of a trajectory that may break the protocol, where it came to its answer all the same (`limits.on_violation: observe`). `questloom.train.sft` never
    has such a turn in its loss; the data set leaves these trajectories out, since other trainers would imitate it."""
    least_process_score: Share = 0.5
    """What each of the process judge's four scores must reach, where a model plays the role `judge_process`."""
    reference: str = ""
    """A JSON file of counts to compare with: {"tools": {"visit": 40, …}, "calls": {"3": 12, …}} (calls by tool, episodes by number of
    calls); either may be absent."""
    episodes_at_once: Annotated[int, Gt(0), Le(4096)] = 64
    """In a process; no part of a run's identity."""


PLAYED = (
    "engine",
    "oracle",
    "rollouts",
    "uses",
    "limits",
    "tools",
    "live",
    "opened",
    "model",
    "server",
    "temperature",
    "top_p",
)
"""Settings that bear on what is played."""
JUDGED = ("keep", "max_unfounded", "max_slips", "least_process_score")
"""Settings under which what was played is judged anew and not played again."""
