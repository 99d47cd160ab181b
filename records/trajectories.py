"""What the teacher passes from stage to stage: an episode with its task, what the judges said of it, and what it did with its tools.

Nothing here depends on time, machine or worker: what was measured with a clock stands beside, in `EpisodeTimes`.
"""

from dataclasses import dataclass, field

from questloom.records.episodes import Episode
from questloom.records.synthesis import Answer
from questloom.records.table import Record


@dataclass(frozen=True, kw_only=True)
class ToolStatistics(Record):
    """What one episode did with its tools (ODE's measures of behaviour). Counted are calls that passed the format check and were run."""

    num_turns: int = 0
    num_slips: int = 0
    """Turns that broke the protocol."""
    num_calls: int = 0
    calls_by_tool: dict[str, int] = field(default_factory=dict)
    faults_by_tool: dict[str, int] = field(default_factory=dict)
    """Calls whose result was no success: the model's fault, a limit, or the provider's fault."""
    pictures_found: int = 0
    """Pictures that searches and pages brought."""
    pictures_made: int = 0
    """Pictures that a tool made: crops, repairs, figures."""
    handles_as_input: int = 0
    """Calls that named a picture."""
    tool_pictures_used_again: int = 0
    """Pictures from tools, found or made, that a later call named."""
    made_pictures_used_again: int = 0
    """Of them the made ones."""


@dataclass(frozen=True, kw_only=True)
class AnswerVerdict(Record):
    """What the answer judge said."""

    outcome: str
    """A `questloom.records.episodes.Outcome`."""
    by: str
    """"rules", or the model's name."""
    given: str = ""
    """The final answer as it was read."""
    why: str = ""
    confidence: float | None = None
    prompt: str = ""
    """Version of the model's prompt."""


@dataclass(frozen=True, kw_only=True)
class ProcessFinding(Record):
    """One thing that is wrong with a process."""

    rule: str
    turn: int
    """-1 for the episode as a whole."""
    evidence: str = ""


@dataclass(frozen=True, kw_only=True)
class ProcessCheck(Record):
    """What the process judge said of a trajectory that passed."""

    by: str
    num_checked: int = 0
    """Citations of observations that were looked up."""
    findings: tuple[ProcessFinding, ...] = ()
    """Those that the recipe lets pass."""
    scores: dict[str, float] = field(default_factory=dict)
    """The model's, by dimension."""
    why: str = ""
    prompt: str = ""


@dataclass(frozen=True, kw_only=True)
class Trajectory(Record):
    """One rollout on its way to the data set."""

    question_id: str
    seed_id: str
    split: str
    """Of the question: "sft/train", "rl/validation", …"""
    level: str
    method: str
    domain: str
    language: str
    answer: Answer
    """The expected one."""
    image_id: str
    """The task's picture as it is shown."""
    source_image_id: str
    episode: Episode
    """Without times: see `EpisodeTimes`."""
    source_ids: tuple[str, ...] = ()
    """For each picture of the episode the store's picture that it is, or was made from; "" where nobody knows."""
    statistics: ToolStatistics
    verdict: AnswerVerdict | None = None
    process: ProcessCheck | None = None

    @property
    def id(self) -> str:
        """The episode's."""
        return self.episode.id

    @property
    def text(self) -> str:
        """What a person calls it."""
        return self.episode.question


@dataclass(frozen=True, kw_only=True)
class EpisodeTimes(Record):
    """What was measured with a clock while an episode was played, and what depended on chance between workers."""

    episode_id: str
    seconds: float = 0.0
    """Of the whole episode, over all runs that it was played in."""
    turn_seconds: tuple[float, ...] = ()
    """Model and tool, by turn."""
    tool_seconds: tuple[float, ...] = ()
    """Of them the tool's; 0 where none was called."""
    tool_cost: tuple[float, ...] = ()
    """Money for the tool, by turn; a result from the memory of a process costs nothing."""
    cached: tuple[bool, ...] = ()
    """Whether the tool's result came from that memory."""


@dataclass(frozen=True, kw_only=True)
class TaskResult(Record):
    """A task that at least one rollout solved."""

    question_id: str
    seed_id: str
    split: str
    num_rollouts: int
    num_correct: int
    """Rollouts whose answer was judged right, whatever their process."""
    num_kept: int
    """Trajectories that were kept."""
    reasons: dict[str, int] = field(default_factory=dict)
    """Why the other rollouts were not kept."""

    @property
    def id(self) -> str:
        """The question's."""
        return self.question_id
