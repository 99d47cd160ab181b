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
    """The id of the question in the benchmark's own rows."""
    question: str
    """The question as the policy reads it, with the answer options if there are any."""
    answer: Answer
    language: str = "en"
    category: str = ""
    pictures: tuple[str, ...] = ()
    """The sha256 of each picture, in the order in which the pictures are shown."""
    entities: tuple[str, ...] = ()
    """Ids of the entities in the question, if they are known."""
    question_id: str = ""
    """The question's id in its run; "" for a question of a public benchmark."""
    withheld: str = ""
    """The question's own picture in the store, which no search may return."""

    @property
    def id(self) -> str:
        """The item's id: the id of a run's question, or else an id made from benchmark and row."""
        return self.question_id or record_id("Item", self.benchmark, self.row)


@dataclass(frozen=True, kw_only=True)
class Attempt(Record):
    """One episode on one question."""

    item: Item
    episode: Episode
    """The episode without its times, which are stored in a separate file."""
    statistics: ToolStatistics

    @property
    def id(self) -> str:
        """The episode's id."""
        return self.episode.id


@dataclass(frozen=True, kw_only=True)
class Mark(Record):
    """The verdicts on one attempt, and what the attempt used."""

    episode_id: str
    item_id: str
    rollout: int
    end: str
    """How the episode ended: an `EndReason`."""
    strict: AnswerVerdict
    """The verdict on the final answer."""
    lenient: AnswerVerdict
    """The verdict on the whole last turn; published scores are marked in this way."""
    num_turns: int
    calls_by_tool: dict[str, int] = field(default_factory=dict)
    faults_by_tool: dict[str, int] = field(default_factory=dict)
    """The number of failed calls, by tool."""
    tokens_in: int = 0
    """Prompt tokens over all turns; a prompt that is read again counts again."""
    tokens_out: int = 0
    cost: float = 0.0
    """Money for the model's own calls."""

    @property
    def id(self) -> str:
        """The episode's id."""
        return self.episode_id
