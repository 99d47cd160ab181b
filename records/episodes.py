"""What the agent harness produces: turns, tool calls and their typed results, pictures with handles, whole episodes.

Read by the teacher, the filters, training, evaluation and the report. Pixels are not in the rows: a `BankImage` names its
bytes by their sha256, and whoever stores episodes stores each such picture once.
"""

from dataclasses import dataclass
from enum import StrEnum

from questloom.records.identity import record_id
from questloom.records.table import Json, Record


class ToolStatus(StrEnum):
    """Whose doing a tool's result is. Decided by the tool's code, never by the text it returns."""

    OK = "ok"
    MODEL_FAULT = "model_fault"
    """The call was wrong: unknown tool, bad arguments, an unknown handle, code that raises. The model can mend it."""
    PROVIDER_FAULT = "provider_fault"
    """A service failed: timeout, 429, 500, garbage. Not the model's doing; nothing is learned from it."""
    LIMIT = "limit"
    """A limit of the recipe or the sandbox was met: time, memory, output, pictures a call."""


class EndReason(StrEnum):
    """Why an episode ended."""

    ANSWERED = "answered"
    FORMAT = "format"
    CALLS = "calls"
    TOKENS = "tokens"
    TIME = "time"
    REPETITION = "repetition"
    PROVIDER = "provider"
    FATAL = "fatal"


class Outcome(StrEnum):
    """What the answer judge says. All four stay in the denominator."""

    CORRECT = "correct"
    WRONG = "wrong"
    NO_ANSWER = "no_answer"
    JUDGE_FAILED = "judge_failed"


@dataclass(frozen=True, kw_only=True)
class BankImage(Record):
    """One picture of an episode's image bank, named `<image:N>` by its handle."""

    handle: int
    sha256: str
    """Of the bytes as the model was shown them."""
    width: int
    """Pixels."""
    height: int
    """Pixels."""
    origin: str
    """"task", or the tool that returned it."""
    call: int = -1
    """Index of the turn whose call returned it; -1 for the task's own."""
    url: str = ""
    """Where it was found; "" for pictures that a tool made."""
    title: str = ""
    parent: int = -1
    """Handle of the picture it was made from; -1 for none."""
    box: tuple[float, ...] = ()
    """(x0, y0, x1, y1) in the parent, 0 to 1000, where it was cropped."""


@dataclass(frozen=True, kw_only=True)
class ToolCall(Record):
    """One call as the model wrote it, once it has passed the format check."""

    name: str
    arguments: Json
    """A JSON object."""


@dataclass(frozen=True, kw_only=True)
class ToolResult(Record):
    """What a tool returned."""

    status: str
    """A `ToolStatus`."""
    code: str = ""
    """What went wrong, in a word a test can name ("unknown_handle", "rate_limited"). With status ok it is "", "no_effect" (nothing was
    done) or "no_results" (nothing was found)."""
    text: str = ""
    """What the model reads, before it is wrapped in `<tool_response>`. Hostile: it may imitate tags and results."""
    images: tuple[int, ...] = ()
    """Handles of the pictures it brought, new or already known."""
    cost: float = 0.0
    """Money, in the currency of the price list."""
    seconds: float = 0.0
    cached: bool = False


@dataclass(frozen=True, kw_only=True)
class Turn(Record):
    """One turn of the policy and what the harness answered."""

    text: str
    """The turn as rendered (with a `<think>` that the template opened), as the strict check read it."""
    thought: str = ""
    call: ToolCall | None = None
    answer: str | None = None
    violation: str = ""
    """The strict check's verdict; "" where it passed."""
    result: ToolResult | None = None
    """None where the turn answered or ended the episode."""
    num_prompt_tokens: int = 0
    num_new_tokens: int = 0
    token_ids: tuple[int, ...] = ()
    """The sampled ids, where the engine has them."""
    logprobs: tuple[float, ...] = ()
    """Natural log-probabilities of `token_ids`, one each."""
    cost: float = 0.0
    """Of the model's call; the tool's is in `result`."""
    seconds: float = 0.0
    """Of the whole turn: model and tool."""


@dataclass(frozen=True, kw_only=True)
class Episode(Record):
    """One rollout of one task, finished: a failed episode is data too."""

    task_id: str
    rollout: int
    """Among the K rollouts of the task."""
    engine: str
    """"oracle", "openai", "transformers", "server"."""
    model: str
    question: str
    turns: tuple[Turn, ...] = ()
    images: tuple[BankImage, ...] = ()
    end: str = ""
    """An `EndReason`."""
    end_evidence: str = ""
    """What shows the reason: the violation, the fault's message, the limit that was met."""
    answer: str = ""
    seconds: float = 0.0
    cost: float = 0.0

    @property
    def id(self) -> str:
        """By task, rollout, engine and model, never by what was said."""
        return record_id("Episode", self.task_id, self.engine, self.model, index=self.rollout)
