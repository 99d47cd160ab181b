"""Records that the stages of the teacher (the model that plays episodes) pass to each other: an
episode with its task, the judges' verdicts, and tool statistics.

These records do not depend on time, machine or worker. Clock times are stored separately, in
`EpisodeTimes`.
"""

from dataclasses import dataclass, field

from questloom.records.episodes import Episode
from questloom.records.synthesis import Answer
from questloom.records.table import Record


@dataclass(frozen=True, kw_only=True)
class ToolStatistics(Record):
    """What one episode did with its tools: the measures of behaviour from ODE. A call counts only
    if it passed the format check and was run."""

    num_turns: int = 0
    num_slips: int = 0
    """Number of turns that broke the agent's protocol."""
    num_calls: int = 0
    calls_by_tool: dict[str, int] = field(default_factory=dict)
    faults_by_tool: dict[str, int] = field(default_factory=dict)
    """Number of failed calls, by tool and by cause: a fault of the model, a limit, or a fault of an
    external service."""
    pictures_found: int = 0
    """Number of pictures that searches and pages returned."""
    pictures_made: int = 0
    """Number of pictures that tools made: crops, repairs, figures."""
    handles_as_input: int = 0
    """Number of calls that had a picture as input."""
    tool_pictures_used_again: int = 0
    """Number of pictures from tools (found or made) that were the input of a later call."""
    made_pictures_used_again: int = 0
    """Number of pictures that a tool made and that were the input of a later call."""


@dataclass(frozen=True, kw_only=True)
class AnswerVerdict(Record):
    """The verdict of the answer judge."""

    outcome: str
    """A `questloom.records.episodes.Outcome`."""
    by: str
    """Who judged: "rules", or the name of a model."""
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
    """Index of the faulty turn; -1 if the fault concerns the whole episode."""
    evidence: str = ""


@dataclass(frozen=True, kw_only=True)
class ProcessCheck(Record):
    """What the process judge reports on a trajectory that it accepted."""

    by: str
    num_checked: int = 0
    """Number of facts cited in the trajectory that the judge looked up in the tools'
    observations."""
    findings: tuple[ProcessFinding, ...] = ()
    """The faults that were found, but that the recipe tolerates."""
    scores: dict[str, float] = field(default_factory=dict)
    """The scores that the judge's model gave, by dimension of quality."""
    why: str = ""
    prompt: str = ""


@dataclass(frozen=True, kw_only=True)
class Trajectory(Record):
    """One rollout that may become part of the data set."""

    question_id: str
    seed_id: str
    split: str
    """The split to which the question belongs, such as "sft/train" or "rl/validation"."""
    level: str
    method: str
    domain: str
    language: str
    answer: Answer
    """The expected answer."""
    image_id: str
    """Id of the task's picture in the form in which the model saw it."""
    source_image_id: str
    episode: Episode
    """The episode without its times; `EpisodeTimes` holds the times."""
    source_ids: tuple[str, ...] = ()
    """For each picture of the episode, the id of the same picture in the store, or of the store's
    picture from which a tool made it; "" if unknown."""
    statistics: ToolStatistics
    verdict: AnswerVerdict | None = None
    process: ProcessCheck | None = None

    @property
    def id(self) -> str:
        """The id of the episode."""
        return self.episode.id

    @property
    def text(self) -> str:
        """A readable name of the trajectory: the text of its question."""
        return self.episode.question


@dataclass(frozen=True, kw_only=True)
class EpisodeTimes(Record):
    """The clock times of an episode, and other figures that can differ between two runs of the same
    work."""

    episode_id: str
    seconds: float = 0.0
    """Number of seconds that the whole episode took, summed over all runs that worked on it."""
    turn_seconds: tuple[float, ...] = ()
    """Number of seconds that the model and the tool took together, for each turn."""
    tool_seconds: tuple[float, ...] = ()
    """Number of seconds that the tool took, for each turn; 0 for a turn without a tool call."""
    tool_cost: tuple[float, ...] = ()
    """Money spent on the tool, for each turn. A result costs nothing if it came from a cache in the
    memory of the process."""
    cached: tuple[bool, ...] = ()
    """For each turn, whether the tool's result came from a cache in the memory of the process."""


@dataclass(frozen=True, kw_only=True)
class TaskResult(Record):
    """A task that at least one rollout solved."""

    question_id: str
    seed_id: str
    split: str
    num_rollouts: int
    num_correct: int
    """Number of rollouts with a correct answer, including those that the process judge refused."""
    num_kept: int
    """Number of trajectories of the task that were kept."""
    reasons: dict[str, int] = field(default_factory=dict)
    """Number of rollouts that were not kept, for each reason."""

    @property
    def id(self) -> str:
        """The id of the question."""
        return self.question_id
