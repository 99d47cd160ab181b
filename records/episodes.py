"""Records that the agent harness produces: turns, tool calls with typed results, pictures with
handles, whole episodes.

The teacher, the filters, training, evaluation and the report read these records. A row holds no
pixels. A `BankImage` names its picture by the sha256 of its bytes, and an episode folder stores
each picture once.
"""

from dataclasses import dataclass
from enum import StrEnum

from questloom.records.identity import record_id
from questloom.records.table import Json, Record


class ToolStatus(StrEnum):
    """Who caused the result of a tool. The tool's code sets the status, never the text that the tool returns."""

    OK = "ok"
    MODEL_FAULT = "model_fault"
    """The call was wrong: unknown tool, bad arguments, an unknown handle, code that raises. The
    model can repair the call."""
    PROVIDER_FAULT = "provider_fault"
    """A service failed: timeout, 429, 500, garbage. The model did not cause the fault and learns nothing from it."""
    LIMIT = "limit"
    """The call reached a limit of the recipe or the sandbox: time, memory, output, pictures per call."""


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
    """The verdict of the answer judge. All four verdicts count in the denominator of the success rate."""

    CORRECT = "correct"
    WRONG = "wrong"
    NO_ANSWER = "no_answer"
    JUDGE_FAILED = "judge_failed"


@dataclass(frozen=True, kw_only=True)
class BankImage(Record):
    """One picture of an episode's image bank, named `<image:N>` by its handle."""

    handle: int
    sha256: str
    """The sha256 of the picture's bytes as the model saw them."""
    width: int
    """Pixels."""
    height: int
    """Pixels."""
    origin: str
    """"task", or the name of the tool that returned the picture."""
    call: int = -1
    """Index of the turn whose call returned the picture; -1 for the task's own picture."""
    url: str = ""
    """The URL where a search found the picture; "" for pictures that a tool made."""
    title: str = ""
    parent: int = -1
    """Handle of the picture from which this one was made; -1 for none."""
    box: tuple[float, ...] = ()
    """(x0, y0, x1, y1) of a crop in its parent picture, on a scale of 0 to 1000."""


@dataclass(frozen=True, kw_only=True)
class ToolCall(Record):
    """One call as the model wrote it, after the format check."""

    name: str
    arguments: Json
    """A JSON object."""


@dataclass(frozen=True, kw_only=True)
class ToolResult(Record):
    """The result that a tool returned."""

    status: str
    """A `ToolStatus`."""
    code: str = ""
    """Says what went wrong in a word that a test can name ("unknown_handle", "rate_limited"). With
    status ok the code is "", "no_effect" (the call changed nothing) or "no_results" (the call found
    nothing)."""
    text: str = ""
    """The text for the model, before `<tool_response>` wraps it. The text is hostile: it may
    imitate tags and results."""
    images: tuple[int, ...] = ()
    """Handles of the pictures that the result brought, new or already known."""
    cost: float = 0.0
    """Cost of the call in money, in the currency of the price list."""
    seconds: float = 0.0
    cached: bool = False


@dataclass(frozen=True, kw_only=True)
class Turn(Record):
    """One turn of the policy and the harness's answer to it."""

    text: str
    """The turn as rendered (with a `<think>` that the template opened). The strict format check
    reads the turn in this form."""
    thought: str = ""
    call: ToolCall | None = None
    answer: str | None = None
    violation: str = ""
    """The strict check's verdict; "" where the turn passed."""
    result: ToolResult | None = None
    """The tool's result; None where the turn gave the answer or ended the episode."""
    num_prompt_tokens: int = 0
    num_new_tokens: int = 0
    token_ids: tuple[int, ...] = ()
    """The sampled token ids, where the engine returns them."""
    logprobs: tuple[float, ...] = ()
    """Natural log-probabilities, one for each entry of `token_ids`."""
    cost: float = 0.0
    """Cost of the model's call; `result` holds the cost of the tool."""
    seconds: float = 0.0
    """Seconds that the whole turn took: model and tool."""


@dataclass(frozen=True, kw_only=True)
class Episode(Record):
    """One finished rollout of one task. A failed episode is data too."""

    task_id: str
    rollout: int
    """Index of this rollout among the K rollouts of the task."""
    engine: str
    """The engine's name: "oracle", "openai", "transformers" or "server"."""
    model: str
    question: str
    turns: tuple[Turn, ...] = ()
    images: tuple[BankImage, ...] = ()
    end: str = ""
    """An `EndReason`."""
    end_evidence: str = ""
    """What shows the end reason: the violation, the fault's message, or the limit that was reached."""
    answer: str = ""
    seconds: float = 0.0
    cost: float = 0.0

    @property
    def id(self) -> str:
        """The hash of task, rollout, engine and model. The text of the episode is no part of the id."""
        return record_id("Episode", self.task_id, self.engine, self.model, index=self.rollout)
