"""The records of an evaluation: questions, attempts at them, and the mark of each attempt."""

from dataclasses import dataclass, field

from questloom.records.episodes import Episode
from questloom.records.identity import record_id
from questloom.records.synthesis import Answer
from questloom.records.table import Record
from questloom.records.trajectories import AnswerVerdict, ToolStatistics


@dataclass(frozen=True, kw_only=True)
class Item(Record):
    """One question of a benchmark."""

    benchmark: str
    row: str
    """The id of the question in the rows of the benchmark."""
    question: str
    """The text of the question that the policy reads, including any answer options."""
    answer: Answer
    language: str = "en"
    category: str = ""
    pictures: tuple[str, ...] = ()
    """The sha256 of each picture, in the order in which the pictures are shown."""
    entities: tuple[str, ...] = ()
    """The ids of the entities in the question, as far as they are known."""
    question_id: str = ""
    """The id of the question in its run; "" for a question of a public benchmark."""
    withheld: str = ""
    """The question's own picture, if it lies in the store. No search may return the question's own
    picture.
    """

    @property
    def id(self) -> str:
        """The id of the item: the id of a run's question, or else an id made from benchmark and
        row.
        """
        return self.question_id or record_id("Item", self.benchmark, self.row)


@dataclass(frozen=True, kw_only=True)
class Attempt(Record):
    """One attempt at a question: an episode of the agent."""

    item: Item
    episode: Episode
    """The episode without times, which are stored in a separate file."""
    statistics: ToolStatistics

    @property
    def id(self) -> str:
        """The episode's id."""
        return self.episode.id


@dataclass(frozen=True, kw_only=True)
class Mark(Record):
    """The judges' verdicts on one attempt, and the calls, tokens and money that the attempt
    used.
    """

    episode_id: str
    item_id: str
    rollout: int
    end: str
    """The reason why the episode ended: an `EndReason`."""
    strict: AnswerVerdict
    """The verdict on the final answer."""
    lenient: AnswerVerdict
    """The verdict on the whole last turn. Published scores are based on the whole last turn too."""
    num_turns: int
    calls_by_tool: dict[str, int] = field(default_factory=dict)
    faults_by_tool: dict[str, int] = field(default_factory=dict)
    """The number of failed calls for each tool."""
    tokens_in: int = 0
    """The sum of prompt tokens over all turns. If a later turn reads a token again, the token
    counts again.
    """
    tokens_out: int = 0
    cost: float = 0.0
    """The cost of the model's own calls."""

    @property
    def id(self) -> str:
        """The episode's id."""
        return self.episode_id
