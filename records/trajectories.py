"""What the teacher's stages pass to each other: an episode with its task, the judges' verdicts, and
tool statistics.

The records of this module do not depend on time, machine or worker. `EpisodeTimes` holds the clock
times separately.
"""

from dataclasses import dataclass, field

from questloom.records.episodes import Episode
from questloom.records.synthesis import Answer
from questloom.records.table import Record


@dataclass(frozen=True, kw_only=True)
class ToolStatistics(Record):
    """What one episode did with its tools (ODE's measures of behaviour). Only calls that passed the
    format check and were run count."""

    num_turns: int = 0
    num_slips: int = 0
    """Number of turns that broke the protocol."""
    num_calls: int = 0
    calls_by_tool: dict[str, int] = field(default_factory=dict)
    faults_by_tool: dict[str, int] = field(default_factory=dict)
    """Failed calls by tool: the model's fault, a limit, or the provider's fault."""
    pictures_found: int = 0
    """Number of pictures that searches and pages returned."""
    pictures_made: int = 0
    """Number of pictures that a tool made: crops, repairs, figures."""
    handles_as_input: int = 0
    """Number of calls that named a picture."""
    tool_pictures_used_again: int = 0
    """Number of pictures from tools, found or made, that a later call named."""
    made_pictures_used_again: int = 0
    """Number of pictures made by a tool that a later call named."""


@dataclass(frozen=True, kw_only=True)
class AnswerVerdict(Record):
    """The verdict of the answer judge."""

    outcome: str
    """A `questloom.records.episodes.Outcome`."""
    by: str
    """Who judged: "rules", or the model's name."""
    given: str = ""
    """The final answer that the judge read."""
    why: str = ""
    confidence: float | None = None
    prompt: str = ""
    """Version of the prompt for the judge's model."""


@dataclass(frozen=True, kw_only=True)
class ProcessFinding(Record):
    """One fault that the process judge found."""

    rule: str
    turn: int
    """Index of the turn with the fault; -1 for the episode as a whole."""
    evidence: str = ""


@dataclass(frozen=True, kw_only=True)
class ProcessCheck(Record):
    """The process judge's report on a trajectory that passed."""

    by: str
    num_checked: int = 0
    """Number of cited observations that the judge looked up."""
    findings: tuple[ProcessFinding, ...] = ()
    """The faults that the recipe tolerates."""
    scores: dict[str, float] = field(default_factory=dict)
    """The model's scores by dimension."""
    why: str = ""
    prompt: str = ""


@dataclass(frozen=True, kw_only=True)
class Trajectory(Record):
    """One rollout on its way to the data set."""

    question_id: str
    seed_id: str
    split: str
    """Split of the question: "sft/train", "rl/validation", …"""
    level: str
    method: str
    domain: str
    language: str
    answer: Answer
    """The expected answer."""
    image_id: str
    """Id of the task's picture as the model saw it."""
    source_image_id: str
    episode: Episode
    """The episode without its times; `EpisodeTimes` holds the times."""
    source_ids: tuple[str, ...] = ()
    """For each picture of the episode, the store's picture that it is or was made from; "" where this is unknown."""
    statistics: ToolStatistics
    verdict: AnswerVerdict | None = None
    process: ProcessCheck | None = None

    @property
    def id(self) -> str:
        """The id of the episode."""
        return self.episode.id

    @property
    def text(self) -> str:
        """A readable name of the trajectory: its question."""
        return self.episode.question


@dataclass(frozen=True, kw_only=True)
class EpisodeTimes(Record):
    """The clock times of an episode, and facts that depend on how workers shared the work."""

    episode_id: str
    seconds: float = 0.0
    """Seconds that the whole episode took, over all runs that played it."""
    turn_seconds: tuple[float, ...] = ()
    """Seconds of model and tool together, by turn."""
    tool_seconds: tuple[float, ...] = ()
    """Seconds of the tool, by turn; 0 for turns without a tool call."""
    tool_cost: tuple[float, ...] = ()
    """Money spent on the tool, by turn. A result from the memory of a process costs nothing."""
    cached: tuple[bool, ...] = ()
    """Whether the tool's result came from the memory of a process, by turn."""


@dataclass(frozen=True, kw_only=True)
class TaskResult(Record):
    """A task that at least one rollout solved."""

    question_id: str
    seed_id: str
    split: str
    num_rollouts: int
    num_correct: int
    """Number of rollouts with a correct answer, whether or not their process passed."""
    num_kept: int
    """Number of kept trajectories."""
    reasons: dict[str, int] = field(default_factory=dict)
    """Reasons why the other rollouts were not kept, with counts."""

    @property
    def id(self) -> str:
        """The id of the question."""
        return self.question_id
