"""Turns a finished or unfinished episode into chat messages. Teachers, filters, training and
evaluation all use this renderer.

```
system      the rules, the tools' schemas
user        the task's pictures, each with handle and size; the question
assistant   a turn, unchanged as it was rendered
user        <tool_response> … the tool's text … <image:3> 640×480 px [picture] … </tool_response>
```

Observations (tool results) are user messages that begin with `<tool_response>` and end with
`</tool_response>`. Tool results are user messages because every chat template knows user messages,
and because Qwen's templates keep the thoughts before them. Text from outside (questions, tool
results) is escaped. A model then cannot mistake the text for a tag, the mark of a role or a special
token. `agent/turns/token_renderer.py` turns the same messages into token ids.
"""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from questloom.agent.turns.turn_protocol import VIOLATIONS
from questloom.models.messages import Message, Picture, assistant, system, user
from questloom.prompts.agent import agent_prompt_version, agent_system_prompt
from questloom.records.episodes import BankImage, ToolResult, Turn

FEW_CALLS = 3
"""If at most this number of calls are left, each tool result states how many are left."""
MAX_RESULT_CHARS = 40_000
"""Maximum number of characters of a tool result: about 10,000 tokens of English. The limit is only
a safeguard, because tools already shorten their results."""

# <word>, </word>, <|word|>, <｜word｜>, [INST]: templates and tokenizers read these as marks. Handles (<image:3>) stay.
_MARK = re.compile(r"<(?=[/|｜]{0,2}(?!image:\d{1,6}>)[^\s<>]{1,80}>)|(?<=[|｜])>|\[(?=/?INST\])")
_LOOKALIKE = {"<": "‹", ">": "›", "[": "⟦"}
_OUR_TAG = re.compile(r"‹(/?)(think|tool_call|answer)>")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_BREAK = "\u200b"
"""A zero-width space, which is inserted after the first character of special tokens without
brackets."""


def storable(text: str) -> str:
    """Replaces lone surrogates (halves of Unicode characters), because files and endpoints do not
    accept them."""
    return text.encode("utf-8", "replace").decode("utf-8") if not text.isascii() else text


class Escape:
    """Escapes text from outside.

    Args:
        special_tokens: special tokens of the tokenizer, if known; escaped text never contains a
            special token.

    >>> Escape()("a</tool_response><|im_end|><b>x</b> 3 < 4, <image:3>")
    'a‹/tool_response>‹|im_end|›‹b>x‹/b> 3 < 4, <image:3>'
    """

    def __init__(self, special_tokens: Iterable[str] = ()) -> None:
        left = [
            token for token in special_tokens if len(token) > 1 and _marks_broken(token) == token
        ]
        self._rest = (
            re.compile("|".join(sorted(map(re.escape, left), key=len, reverse=True)))
            if left
            else None
        )

    def __call__(self, text: str) -> str:
        """Escapes a text."""
        # Compose first: some tokenizers compose (NFC), and no mark may arise after the search for marks.
        text = unicodedata.normalize(
            "NFC", storable(text.replace("\r\n", "\n").replace("\r", "\n"))
        )
        text = _marks_broken(_CONTROL.sub("", text))
        while self._rest is not None and self._rest.search(text):
            text = self._rest.sub(lambda found: found.group()[0] + _BREAK + found.group()[1:], text)
        return text


def _marks_broken(text: str) -> str:
    return _MARK.sub(lambda found: _LOOKALIKE[found.group()], text)


class Bank(Protocol):
    """The methods that the renderer needs from an image bank."""

    def get(self, handle: int) -> BankImage:
        """The image bank's entry for a handle (number of a picture)."""

    def data(self, handle: int) -> bytes:
        """The bytes of the picture that the model sees."""


@dataclass(frozen=True)
class Exchange:
    """A turn, together with the observation (tool result) that follows it."""

    turn: Turn
    observation: Message


class Renderer:
    """Renders episodes as messages, for one set of tools.

    Args:
        schemas: function schemas of the tool box.
        max_calls: maximum number of calls. The prompt states the maximum number of calls, and tool
            results count down the last calls.
        today: date for the prompt; "" leaves it out.
        handles: whether pictures are shown with their handles (numbers). The ODE paper has an
            ablation without handles. The tool box must get the same `handles`.
        brief: whether to use the short system prompt (`prompts/agent.py`), which does not state the
            number of calls.
        special_tokens: special tokens of the tokenizer that reads the messages, if known.
    """

    def __init__(
        self,
        schemas: Sequence[Mapping[str, Any]],
        *,
        max_calls: int,
        today: str = "",
        handles: bool = True,
        brief: bool = False,
        special_tokens: Iterable[str] = (),
    ) -> None:
        self.system_prompt = agent_system_prompt(
            schemas, max_calls=max_calls, today=today, handles=handles, brief=brief
        )
        self._handles = handles
        self._counted = 0 if brief else max_calls
        self.version = agent_prompt_version(self.system_prompt)
        self.escape = Escape(special_tokens)

    def opening(self, question: str, bank: Bank, handles: Iterable[int]) -> tuple[Message, ...]:
        """The messages before the first turn.

        Args:
            question: question of the task; this method escapes it.
            handles: handles of the task's pictures.
        """
        return system(self.system_prompt), user(
            *_joined([*self._pictures(bank, handles), self.escape(question).strip()])
        )

    def observation(self, turn_index: int, result: ToolResult, bank: Bank) -> Message:
        """The message that follows a call.

        Args:
            turn_index: index of the turn that made the call, which is also the number of earlier
                calls. Pictures that entered the bank in this turn are shown. Pictures from earlier
                turns are only named.
        """
        parts: list[str | Picture] = ["<tool_response>\n", *self._result_text(result)]
        new = [
            handle for handle in dict.fromkeys(result.images) if bank.get(handle).call == turn_index
        ]
        old = [f"<image:{handle}>" for handle in dict.fromkeys(result.images) if handle not in new]
        if old and self._handles:
            parts.append(f"Already shown: {', '.join(old)}\n")
        return user(
            *_joined(
                [
                    *parts,
                    *self._pictures(bank, new),
                    *self._calls_left(turn_index + 1),
                    "</tool_response>",
                ]
            )
        )

    def _calls_left(self, num_made: int) -> list[str]:
        left = self._counted - num_made
        if not 0 <= left <= FEW_CALLS:
            return []
        return [
            ("No call is left: the next turn must be the answer.\n", "One call is left.\n")[left]
            if left < 2
            else f"{left} calls are left.\n"
        ]

    def _result_text(self, result: ToolResult) -> list[str]:
        text = self.escape(result.text).strip()
        if (
            result.code in VIOLATIONS
        ):  # our own words stay unescaped, because the model would copy a tag that only looks like one
            text = _OUR_TAG.sub(r"<\1\2>", text)
        if len(text) > MAX_RESULT_CHARS:
            text = f"{text[:MAX_RESULT_CHARS]}\n[cut: {len(text) - MAX_RESULT_CHARS:,} characters more]"
        return [f"{text}\n"] if text else [] if result.images else ["(empty)\n"]

    def _pictures(self, bank: Bank, handles: Iterable[int]) -> list[str | Picture]:
        """Makes the parts of a message that show pictures. For each picture there is a text with
        its handle and size, then the picture."""
        parts: list[str | Picture] = []
        for handle in handles:
            image = bank.get(handle)
            parts += [
                f"<image:{handle}> " if self._handles else "Picture, ",
                f"{image.width}×{image.height} px\n",
                Picture(bank.data(handle)),
                "\n",
            ]
        return parts

    def messages(self, question: str, turns: Sequence[Turn], bank: Bank) -> tuple[Message, ...]:
        """Writes an episode as messages: the messages before the first turn, then each turn and its
        observation (tool result).

        Args:
            turns: the turns to write: all turns of the episode, or only its first turns.
            bank: image bank of the episode. In the bank, the question's own pictures have the
                origin "task".
        """
        made = list(self.opening(question, bank, task_handles(bank)))
        for index, turn in enumerate(turns):
            made.append(assistant(turn.text))
            if turn.result is not None:
                made.append(self.observation(index, turn.result, bank))
        return tuple(made)


def task_handles(bank: Any) -> list[int]:
    """The handles of the task's own pictures."""
    return [image.handle for image in bank.images if image.origin == "task"]


def _joined(parts: Sequence[str | Picture]) -> list[str | Picture]:
    """Joins neighbouring texts among the parts of a message."""
    made: list[str | Picture] = []
    for part in parts:
        if made and isinstance(part, str) and isinstance(made[-1], str):
            made[-1] += part
        else:
            made.append(part)
    return made
