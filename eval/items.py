"""What an evaluation passes from stage to stage: questions, attempts at them, and how each attempt was marked."""

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
    """The benchmark's own id of it."""
    question: str
    """As the policy is asked, with the options where the question has some."""
    answer: Answer
    language: str = "en"
    category: str = ""
    pictures: tuple[str, ...] = ()
    """By sha256, in the order in which they are shown."""
    entities: tuple[str, ...] = ()
    """Ids of the entities that it speaks of, where they are known."""
    question_id: str = ""
    """Of a run's own question; "" for others."""
    withheld: str = ""
    """The picture of the store that no search may return: the question's own."""

    @property
    def id(self) -> str:
        """A run's question keeps its id; others have one by benchmark and row."""
        return self.question_id or record_id("Item", self.benchmark, self.row)


@dataclass(frozen=True, kw_only=True)
class Attempt(Record):
    """One episode over one question."""

    item: Item
    episode: Episode
    """Without times: those stand beside."""
    statistics: ToolStatistics

    @property
    def id(self) -> str:
        """The episode's."""
        return self.episode.id


@dataclass(frozen=True, kw_only=True)
class Mark(Record):
    """How one attempt was marked, and what it took."""

    episode_id: str
    item_id: str
    rollout: int
    end: str
    """An `EndReason`."""
    strict: AnswerVerdict
    """Of the final answer."""
    lenient: AnswerVerdict
    """Of anything in the last turn, as published scores are marked."""
    num_turns: int
    calls_by_tool: dict[str, int] = field(default_factory=dict)
    faults_by_tool: dict[str, int] = field(default_factory=dict)
    """Calls whose result was no success."""
    tokens_in: int = 0
    """Prompt tokens over all turns: a prompt that is read again counts again."""
    tokens_out: int = 0
    cost: float = 0.0
    """Money for the model's own calls."""

    @property
    def id(self) -> str:
        """The episode's."""
        return self.episode_id
