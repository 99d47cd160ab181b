"""The turn protocol defines the form of a turn that a policy (the model that plays) writes. If a
turn breaks this form, the check names the exact violation.

```
<think>…</think>
<tool_call>{"name": "text_search", "arguments": {"query": "…"}}</tool_call>      or      <answer>…</answer>
```

The check is strict (VSearcher, appendix A.3). A turn has exactly one thought in `<think>` tags,
followed by exactly one tool call or one answer. Every tag must be closed. A call must be a valid
JSON object with a known tool and arguments that fit the tool's schema. Before and after the thought
and the call or answer, only white space is allowed. A JSON decoder reads the call from its opening
tag on, so tags inside JSON strings count as text. The check takes time in proportion to the turn's
length.

Chat templates of *thinking* models put `<think>` into the prompt, so the sampled text lacks this
tag. `TurnProtocol.check` expects a turn that includes what the template put before it, as engines
return it.
"""

import json
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import jsonschema

from questloom.records.episodes import ToolCall
from questloom.records.identity import canonical_json
from questloom.records.table import Json

MAX_TURN_CHARS = 2_000_000
"""Maximum number of characters of a turn. Usual limits on tokens are far lower."""
TAGS = ("think", "tool_call", "answer", "tool_response")


class Violation(StrEnum):
    """The ways in which a turn can break the protocol. A turn with several faults gets the first
    one in reading order."""

    EMPTY = "empty"
    REFUSED = "refused"
    """The model, or a filter of its provider, refused to answer."""
    TOO_LONG = "too_long"
    NOT_UNICODE = "not_unicode"
    """The text contains a lone surrogate (half of a Unicode character), which files and endpoints
    do not accept."""
    NO_THOUGHT = "no_thought"
    TEXT_BEFORE_THOUGHT = "text_before_thought"
    THOUGHT_NOT_CLOSED = "thought_not_closed"
    TAG_IN_THOUGHT = "tag_in_thought"
    SECOND_THOUGHT = "second_thought"
    NO_ACTION = "no_action"
    """The turn has a thought, but neither a call nor an answer."""
    TEXT_AFTER_THOUGHT = "text_after_thought"
    """After the thought comes text that is neither a call nor an answer."""
    CALL_NOT_CLOSED = "call_not_closed"
    SECOND_CALL = "second_call"
    CALL_AND_ANSWER = "call_and_answer"
    ANSWER_NOT_CLOSED = "answer_not_closed"
    SECOND_ANSWER = "second_answer"
    TAG_IN_ANSWER = "tag_in_answer"
    EMPTY_ANSWER = "empty_answer"
    OWN_TOOL_RESPONSE = "own_tool_response"
    """The model wrote a tool's response itself instead of waiting for the tool."""
    STRAY_TAG = "stray_tag"
    """There is a closing tag without an opening tag."""
    TEXT_AFTER_ACTION = "text_after_action"
    BAD_JSON = "bad_json"
    NOT_AN_OBJECT = "not_an_object"
    BAD_CALL = "bad_call"
    """The JSON object of the call does not have exactly the two keys `name` (a string) and
    `arguments` (an object)."""
    UNKNOWN_TOOL = "unknown_tool"
    BAD_ARGUMENTS = "bad_arguments"


VIOLATIONS = frozenset(v.value for v in Violation)


@dataclass(frozen=True, slots=True, kw_only=True)
class Checked:
    """The result of checking a turn: a call, an answer, or a violation."""

    thought: str = ""
    call: ToolCall | None = None
    answer: str | None = None
    violation: Violation | None = None
    detail: str = ""
    """A sentence about the violation that helps the model to correct its turn."""
    misdirected: ToolCall | None = None
    """A well-formed call that names an unknown tool or has wrong arguments."""

    @property
    def ok(self) -> bool:
        """Whether the turn has no violation."""
        return self.violation is None

    def for_play(self) -> "Checked":
        """The result of the check for a turn in an episode. In an episode, a well-formed call with
        an unknown tool or wrong arguments (such as a box that reaches to 1005) is no violation,
        because the tool box later refuses the call."""
        return (
            self
            if self.misdirected is None
            else Checked(thought=self.thought, call=self.misdirected)
        )


class _Broken(Exception):
    def __init__(self, violation: Violation, detail: str, call: ToolCall | None = None) -> None:
        super().__init__(violation, detail)
        self.violation, self.detail, self.call = violation, detail, call


_TAG = re.compile(rf"<(/?)({'|'.join(TAGS)})>")


class TurnProtocol:
    """The strict check of turns for a given set of tools.

    Args:
        schemas: OpenAI-style function schemas, with or without the enclosing `{"type": "function", …}`.
        brief: whether violations are described in the words of the brief prompt, which small models
            were trained with.
    """

    def __init__(self, schemas: Iterable[Mapping[str, Any]], *, brief: bool = False) -> None:
        self._brief = brief
        self._validators: dict[str, jsonschema.Draft202012Validator] = {}
        for schema in schemas:
            function = schema.get("function", schema)
            self._validators[function["name"]] = jsonschema.Draft202012Validator(
                function.get("parameters", {"type": "object"})
            )

    @property
    def tools(self) -> tuple[str, ...]:
        """The names of the known tools, in order."""
        return tuple(self._validators)

    def check(self, text: str) -> Checked:
        """Checks one turn, which includes the text that the chat template put before it. The check
        never raises an exception. If the turn has a fault, the result names a violation.

        >>> TurnProtocol([]).check("<think>It is known.</think><answer>1871</answer>").answer
        '1871'
        >>> TurnProtocol([]).check("<answer>1871</answer>").violation
        <Violation.NO_THOUGHT: 'no_thought'>
        """
        thought = ""
        try:
            _check_text(text)
            thought, rest = _read_thought(text)
            call, answer = self._read_action(text, rest)
        except _Broken as broken:
            return Checked(
                thought=thought,
                violation=broken.violation,
                detail=broken.detail,
                misdirected=broken.call,
            )
        return Checked(thought=thought, call=call, answer=answer)

    def _read_action(self, text: str, start: int) -> tuple[ToolCall | None, str | None]:
        tag = _TAG.search(text, start)
        between = text[start : tag.start() if tag else len(text)].strip()
        if between:
            raise _Broken(
                Violation.TEXT_AFTER_THOUGHT,
                f"After </think> comes {_shown(between)} instead of <tool_call> or <answer>.",
            )
        if tag is None:
            raise _Broken(
                Violation.NO_ACTION, "After </think> there is neither <tool_call> nor <answer>."
            )
        match tag.group():
            case "<tool_call>":
                return self._read_call(text, tag.end()), None
            case "<answer>":
                return None, _read_answer(text, tag.end())
            case "<think>":
                raise _Broken(
                    Violation.SECOND_THOUGHT, "There is a second <think>; a turn has one."
                )
            case "<tool_response>":
                raise _Broken(
                    Violation.OWN_TOOL_RESPONSE, "<tool_response> is written by the tools only."
                )
        raise _Broken(Violation.STRAY_TAG, f"{tag.group()} closes nothing.")

    def _read_call(self, text: str, start: int) -> ToolCall:
        begin = _past_space(text, start)
        try:
            value, end = _DECODER.raw_decode(text, begin)
            # JSON allows infinities and lone surrogates, which can be neither stored nor sent.
            canonical_json(value).encode()
        except (ValueError, RecursionError) as error:
            if "</tool_call>" not in text[start:]:
                raise _Broken(Violation.CALL_NOT_CLOSED, "<tool_call> is not closed.") from None
            raise _Broken(
                Violation.BAD_JSON, f"The call is no valid JSON: {self._json_fault(error, begin)}."
            ) from None
        end = _past_space(text, end)
        if not text.startswith("</tool_call>", end):
            if "</tool_call>" not in text[end:]:
                raise _Broken(Violation.CALL_NOT_CLOSED, "<tool_call> is not closed.")
            after = _TAG.search(text, end)
            if (after is not None and after.group() == "<tool_call>") or text.startswith("{", end):
                raise _Broken(Violation.SECOND_CALL, "There is a second call; a turn makes one.")
            raise _Broken(Violation.BAD_JSON, f"After the JSON object comes {_shown(text[end:])}.")
        _check_end(text, end + len("</tool_call>"), after_call=True)
        return self._fitting(value)

    def _json_fault(self, error: Exception, begin: int) -> str:
        if isinstance(error, json.JSONDecodeError):
            place = f"at character {error.pos - begin}"
            if error.msg.endswith(" at") and not self._brief:  # "Unterminated string starting at"
                return f"{error.msg.removesuffix(' at')} {place}"
            return f"{error.msg}, {place}"
        if isinstance(error, RecursionError):
            return "it is nested too deeply"
        return _shown(str(error))

    def _fitting(self, value: Any) -> ToolCall:
        if not isinstance(value, dict):
            raise _Broken(Violation.NOT_AN_OBJECT, "The call is JSON, but no object.")
        if (
            set(value) != {"name", "arguments"}
            or not isinstance(value["name"], str)
            or not isinstance(value["arguments"], dict)
        ):
            raise _Broken(
                Violation.BAD_CALL,
                'A call is {"name": "…", "arguments": {…}}: these two keys, a string and an object.',
            )
        name, arguments = value["name"], value["arguments"]
        call = ToolCall(name=name, arguments=Json(arguments))
        validator = self._validators.get(name)
        if validator is None:
            raise _Broken(
                Violation.UNKNOWN_TOOL,
                f"There is no tool {_shown(name)}; there are: {', '.join(self.tools) or 'none'}.",
                call,
            )
        error = jsonschema.exceptions.best_match(validator.iter_errors(arguments))
        if error is not None:
            raise _Broken(
                Violation.BAD_ARGUMENTS,
                f"The arguments of {name} do not fit: at {error.json_path}, {_shown(error.message)}.",
                call,
            )
        return call


def _check_text(text: str) -> None:
    if len(text) > MAX_TURN_CHARS:
        raise _Broken(Violation.TOO_LONG, f"The turn is longer than {MAX_TURN_CHARS:,} characters.")
    if not text.strip():
        raise _Broken(Violation.EMPTY, "The turn is empty.")
    try:
        text.encode()
    except UnicodeEncodeError:
        raise _Broken(Violation.NOT_UNICODE, "The turn holds half of a surrogate pair.") from None


def _read_thought(text: str) -> tuple[str, int]:
    """Reads the thought of a turn. Returns the thought and the position after it."""
    start = _past_space(text, 0)
    if not text.startswith("<think>", start):
        opened = text.find("<think>")
        if opened < 0 or ("<" in text[start:opened] and _TAG.search(text, start, opened)):
            raise _Broken(Violation.NO_THOUGHT, "The turn does not begin with <think>.")
        raise _Broken(
            Violation.TEXT_BEFORE_THOUGHT, f"Before <think> stands {_shown(text[start:opened])}."
        )
    start += len("<think>")
    tag = _TAG.search(text, start)
    if tag is None:
        raise _Broken(Violation.THOUGHT_NOT_CLOSED, "<think> is not closed.")
    if tag.group() != "</think>":
        if "</think>" not in text[tag.end() :]:
            raise _Broken(
                Violation.THOUGHT_NOT_CLOSED, f"<think> is not closed before {tag.group()}."
            )
        raise _Broken(Violation.TAG_IN_THOUGHT, f"{tag.group()} stands inside the thought.")
    return text[start : tag.start()].strip(), tag.end()


def _read_answer(text: str, start: int) -> str:
    tag = _TAG.search(text, start)
    if tag is None or tag.group() != "</answer>":
        if "</answer>" not in text[start:]:
            raise _Broken(Violation.ANSWER_NOT_CLOSED, "<answer> is not closed.")
        assert tag is not None
        raise _Broken(Violation.TAG_IN_ANSWER, f"{tag.group()} stands inside the answer.")
    _check_end(text, tag.end(), after_call=False)
    answer = text[start : tag.start()].strip()
    if not answer:
        raise _Broken(Violation.EMPTY_ANSWER, "The answer is empty.")
    return answer


def _check_end(text: str, start: int, *, after_call: bool) -> None:
    """Checks that only white space follows the call or the answer."""
    tag = _TAG.search(text, start)
    match tag and tag.group():
        case "<tool_call>":
            raise _Broken(
                *(
                    (Violation.SECOND_CALL, "There is a second call; a turn makes one.")
                    if after_call
                    else (
                        Violation.CALL_AND_ANSWER,
                        "There is an answer and a call; a turn has one of them.",
                    )
                )
            )
        case "<answer>":
            raise _Broken(
                *(
                    (
                        Violation.CALL_AND_ANSWER,
                        "There is a call and an answer; a turn has one of them.",
                    )
                    if after_call
                    else (Violation.SECOND_ANSWER, "There is a second answer.")
                )
            )
        case "<think>":
            raise _Broken(Violation.SECOND_THOUGHT, "There is a second <think>; a turn has one.")
        case "<tool_response>":
            raise _Broken(
                Violation.OWN_TOOL_RESPONSE, "<tool_response> is written by the tools only."
            )
        case str(closing):
            raise _Broken(Violation.STRAY_TAG, f"{closing} closes nothing.")
    after = text[start:].strip()
    if after:
        raise _Broken(
            Violation.TEXT_AFTER_ACTION,
            f"After the {'call' if after_call else 'answer'} comes {_shown(after)}.",
        )


_SPACE = re.compile(r"\s*")


def _past_space(text: str, start: int) -> int:
    found = _SPACE.match(text, start)
    assert found is not None
    return found.end()


def _shown(text: str) -> str:
    """Prepares a text for an error message. The result is short, on one line, and contains nothing
    that looks like a tag."""
    flat = " ".join(text[:200].split()).replace("<", "[").replace(">", "]")
    return f"“{flat[:80]}{'…' if len(flat) > 80 or len(text) > 200 else ''}”"


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


def _unique_keys(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made = dict(pairs)
    if len(made) < len(pairs):
        raise ValueError("a key stands twice in one object")
    return made


_DECODER = json.JSONDecoder(parse_constant=_refuse_constant, object_pairs_hook=_unique_keys)
