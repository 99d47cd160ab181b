"""The recipe's section `teach`: which policy plays, how often, with which tools and limits, and
which episodes are kept."""

from dataclasses import dataclass
from typing import Annotated, Literal

from annotated_types import Ge, Gt, Le

from questloom.agent.play_settings import PlaySettings

Share = Annotated[float, Ge(0), Le(1)]


@dataclass(frozen=True, kw_only=True)
class TeachRules(PlaySettings):
    """Settings of `questloom teach`. Published settings: OpenSearch-VL plays 5 rollouts at
    temperature 0.7. VSearcher plays 1 rollout at temperature 0.6 with top-p 0.95, presence penalty
    1.5, 10,000 new tokens per turn and a context of 200,000."""

    rollouts: Annotated[int, Gt(0)] = 1
    """Number of episodes per task."""
    uses: tuple[Literal["sft", "rl", "benchmark"], ...] = ("sft",)
    """Only questions with one of the listed uses ("sft", "rl") are played. Trajectories of other
    uses than "sft" stay in the run and never reach the data set. A question of "rl" that the oracle
    plays and never solves is left out of the data set's configuration `rl`."""
    keep: Annotated[int, Ge(0)] = 0
    """Number of trajectories kept per task, drawn at random among those that passed; 0 for all.
    Rollouts with identical texts count once."""
    max_unfounded: Share = 0.0
    """Maximum share of a trajectory's checked citations that may be unfounded."""
    max_slips: Annotated[int, Ge(0)] = 0
    """Maximum number of turns of a trajectory that may break the protocol, if the trajectory still
    reached its answer (`limits.on_violation: observe`). `questloom.train.sft` leaves broken turns
    out of its loss. The data set leaves trajectories with broken turns out, since other trainers
    would imitate the turns."""
    least_process_score: Share = 0.5
    """Minimum value of each of the process judge's four scores, where a model plays the role `judge_process`."""
    reference: str = ""
    """A JSON file of reference counts: {"tools": {"visit": 40, …}, "calls": {"3": 12, …}} (calls by
    tool, episodes by number of calls). The file may omit "tools" or "calls"."""
    episodes_at_once: Annotated[int, Gt(0), Le(4096)] = 64
    """Number of episodes that one process plays at once. The identity of a run does not depend on
    the number of episodes played at once."""


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
"""The settings that decide how episodes are played; after a change, the episodes must be played
again."""
JUDGED = ("keep", "max_unfounded", "max_slips", "least_process_score")
"""The settings that decide which episodes are kept; after a change, the episodes are judged again,
but not played again."""
