"""Records of the agent's episodes: turns, tool calls with typed results, pictures with handles, whole episodes.

The teacher, the filters, training, evaluation and the report read these records. A record contains no pixels. A
`BankImage` names its picture by the sha256 of its bytes, and an episode folder stores each picture once.
"""

from dataclasses import dataclass
from enum import StrEnum

from questloom.records.identity import record_id
from questloom.records.table import Json, Record


class ToolStatus(StrEnum):
    """Who caused the result of a tool. The tool's code sets this status, never the text that the tool returns."""

    OK = "ok"
    MODEL_FAULT = "model_fault"
    """The call was wrong: an unknown tool, bad arguments, an unknown handle, or code that raises an error. The model
    can correct the call."""
    PROVIDER_FAULT = "provider_fault"
    """A service failed: a timeout, status 429 or 500, or an unreadable reply. The model did not cause the fault and
    must not learn from it."""
    LIMIT = "limit"
    """The call reached a limit of the recipe or the sandbox: time, memory, output, or pictures per call."""


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
    """One picture of an episode's image bank; its handle is written `<image:N>`."""

    handle: int
    sha256: str
    """The sha256 of the picture's bytes as the model saw them."""
    width: int
    """Pixels."""
    height: int
    """Pixels."""
    origin: str
    """"task" for the task's picture, else the name of the tool that returned the picture."""
    call: int = -1
    """Index of the turn whose call returned the picture; -1 for the task's own picture."""
    url: str = ""
    """The URL where a search found the picture; "" for pictures that a tool made."""
    title: str = ""
    parent: int = -1
    """Handle of the picture from which this picture was made; -1 for none."""
    box: tuple[float, ...] = ()
    """(x0, y0, x1, y1) of a crop in its parent picture, on a scale of 0 to 1000."""


@dataclass(frozen=True, kw_only=True)
class ToolCall(Record):
    """One call as the model wrote it, after the format check."""

    name: str
    arguments: Json
    """The arguments as a JSON object."""


@dataclass(frozen=True, kw_only=True)
class ToolResult(Record):
    """The result that a tool returned for a call."""

    status: str
    """A `ToolStatus`."""
    code: str = ""
    """A word that names the fault for tests ("unknown_handle", "rate_limited"). If the status is ok, the code is "",
    "no_effect" (the call changed nothing) or "no_results" (the call found nothing)."""
    text: str = ""
    """The text for the model, before `<tool_response>` wraps it. The text may be hostile, and imitate tags and
    results."""
    images: tuple[int, ...] = ()
    """Handles of the pictures in the result, whether new or already known."""
    cost: float = 0.0
    """Cost of the call in the currency of the price list."""
    seconds: float = 0.0
    cached: bool = False


@dataclass(frozen=True, kw_only=True)
class Turn(Record):
    """One turn of the policy, with the harness's response to the turn."""

    text: str
    """The turn as rendered (with a `<think>` that the chat template put before it). The strict format check reads the
    turn in this form."""
    thought: str = ""
    call: ToolCall | None = None
    answer: str | None = None
    violation: str = ""
    """The violation that the strict check found; "" if the turn passed."""
    result: ToolResult | None = None
    """The tool's result; None if the turn gave the answer or ended the episode."""
    num_prompt_tokens: int = 0
    num_new_tokens: int = 0
    token_ids: tuple[int, ...] = ()
    """The sampled token ids, if the engine returns them."""
    logprobs: tuple[float, ...] = ()
    """Natural log-probabilities, one for each entry of `token_ids`."""
    cost: float = 0.0
    """Cost of the model's call; the tool's cost is in `result`."""
    seconds: float = 0.0
    """Number of seconds that the whole turn took, for model and tool together."""


@dataclass(frozen=True, kw_only=True)
class Episode(Record):
    """One finished rollout of one task. The record also exists if the episode failed."""

    task_id: str
    rollout: int
    """Index of this rollout among the K rollouts of its task."""
    engine: str
    """The engine's name: "oracle", "openai", "transformers" or "server"."""
    model: str
    question: str
    turns: tuple[Turn, ...] = ()
    images: tuple[BankImage, ...] = ()
    end: str = ""
    """An `EndReason`."""
    end_evidence: str = ""
    """The evidence for the end reason: the violation, the fault's message, or the limit that was reached."""
    answer: str = ""
    seconds: float = 0.0
    cost: float = 0.0

    @property
    def id(self) -> str:
        """The hash of task, rollout, engine and model. The id does not depend on the text of the episode."""
        return record_id("Episode", self.task_id, self.engine, self.model, index=self.rollout)
