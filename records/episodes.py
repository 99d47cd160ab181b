"""Records of what an agent did: turns, tool calls with typed results, pictures with handles (names
that calls can use), and whole episodes.

The teacher, the filters, training, evaluation and the report read these records. A record never
contains the pixels of a picture. A `BankImage` names its picture by the sha256 of the picture's
bytes. The folder of the episodes stores each picture once.
"""

from dataclasses import dataclass
from enum import StrEnum

from questloom.records.identity import record_id
from questloom.records.table import Json, Record


class ToolStatus(StrEnum):
    """Says whether a tool call worked, and if not, who caused the failure. The code of the tool
    sets this status. The text that a tool returns never sets the status."""

    OK = "ok"
    MODEL_FAULT = "model_fault"
    """The call was wrong: an unknown tool, bad arguments, an unknown handle, or code that raises an
    error. The model can correct the call in its next turn."""
    PROVIDER_FAULT = "provider_fault"
    """A service failed: a timeout, status 429 or 500, or an unreadable reply. Or a custom tool
    raised an exception. The model did not cause this failure and must not learn from it."""
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
    """The verdict of the answer judge. Episodes with any of the four verdicts count in the
    denominator of the success rate."""

    CORRECT = "correct"
    WRONG = "wrong"
    NO_ANSWER = "no_answer"
    JUDGE_FAILED = "judge_failed"


@dataclass(frozen=True, kw_only=True)
class BankImage(Record):
    """One picture of an episode's image bank (the numbered list of its pictures). A call names the
    picture by its handle, which is written `<image:N>`."""

    handle: int
    sha256: str
    """The sha256 of the picture's bytes, in the form that the model saw."""
    width: int
    """Pixels."""
    height: int
    """Pixels."""
    origin: str
    """"task" for the task's own picture; otherwise the name of the tool that returned the
    picture."""
    call: int = -1
    """The index of the turn whose call returned the picture; -1 for the task's own picture."""
    url: str = ""
    """The URL at which a search found the picture; "" for a picture that a tool made."""
    title: str = ""
    parent: int = -1
    """The handle of the picture from which a tool made this picture; -1 if there is none."""
    box: tuple[float, ...] = ()
    """If the picture is a crop, its place (x0, y0, x1, y1) in the parent picture, on a scale of 0
    to 1000."""


@dataclass(frozen=True, kw_only=True)
class ToolCall(Record):
    """A tool call as the model wrote it, which has passed the format check."""

    name: str
    arguments: Json
    """The arguments of the call as a JSON object."""


@dataclass(frozen=True, kw_only=True)
class ToolResult(Record):
    """What a tool returned for a call."""

    status: str
    """A `ToolStatus`."""
    code: str = ""
    """A word for the kind of fault, which tests can compare ("unknown_handle", "rate_limited"). If
    the status is ok, the code is "", "no_effect" (the call changed nothing) or "no_results" (the
    call found nothing)."""
    text: str = ""
    """The text that the model reads, before it is wrapped in `<tool_response>`. A text from the web
    may be hostile and imitate tags and tool results."""
    images: tuple[int, ...] = ()
    """The handles of all pictures in the result. Some of the pictures may have been known
    before."""
    cost: float = 0.0
    """What the call cost, in the currency of the price list."""
    seconds: float = 0.0
    cached: bool = False


@dataclass(frozen=True, kw_only=True)
class Turn(Record):
    """One turn of the policy, together with what the program answered."""

    text: str
    """The text of the turn, including a `<think>` that the chat template put before it. The strict
    format check reads this text."""
    thought: str = ""
    call: ToolCall | None = None
    answer: str | None = None
    violation: str = ""
    """The fault that the strict format check found; "" if the turn is correct."""
    result: ToolResult | None = None
    """What the tool returned; None if the turn called no tool, because it gave the answer or ended
    the episode."""
    num_prompt_tokens: int = 0
    num_new_tokens: int = 0
    token_ids: tuple[int, ...] = ()
    """The ids of the tokens that the model sampled, if the engine returns them."""
    logprobs: tuple[float, ...] = ()
    """The natural logarithm of each token's probability, one number for each entry of
    `token_ids`."""
    cost: float = 0.0
    """What the call to the model cost. The cost of the tool is in `result`."""
    seconds: float = 0.0
    """How many seconds the whole turn took, model and tool together."""


@dataclass(frozen=True, kw_only=True)
class Episode(Record):
    """One finished rollout: one attempt at one task. The record is also written if the attempt
    failed."""

    task_id: str
    rollout: int
    """The index of this rollout among the K rollouts of the same task."""
    engine: str
    """The name of the engine that played: "oracle", "openai", "transformers" or "server"."""
    model: str
    question: str
    turns: tuple[Turn, ...] = ()
    images: tuple[BankImage, ...] = ()
    end: str = ""
    """An `EndReason`."""
    end_evidence: str = ""
    """Why the episode ended, in more detail: the violation, the message of the fault, or the limit
    that was reached."""
    answer: str = ""
    seconds: float = 0.0
    cost: float = 0.0

    @property
    def id(self) -> str:
        """A hash of the task, the number of the rollout, the engine and the model. The text of the
        episode does not affect this id."""
        return record_id("Episode", self.task_id, self.engine, self.model, index=self.rollout)
