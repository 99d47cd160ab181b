"""Plays a benchmark in the dialect of another agent: with its tags, tool names and image handles.

Turn checks, prompts and tool calls use the dialect's words. Records, limits and judges are the same
for all agents. A record keeps the exact text of each turn, and each call under the agent's own tool
names.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from questloom.agent.tools import ToolBox
from questloom.agent.turns.image_bank import ImageBank, UnknownHandle
from questloom.agent.turns.renderer import Bank, Renderer
from questloom.agent.turns.turn_protocol import Checked, TurnProtocol, Violation
from questloom.eval.dialects import Dialect, ForeignTool
from questloom.models.messages import Message, system
from questloom.prompts.agent import agent_prompt_version, dialect_system_prompt
from questloom.records.episodes import ToolCall, ToolResult
from questloom.records.identity import canonical_json
from questloom.records.table import Json

_HANDLE = re.compile(r"<image:(\d{1,6})>")
_THOUGHT = re.compile(r"\s*(?:<think>(.*?)</think>)?(.*)", re.DOTALL)


class SpokenProtocol(TurnProtocol):
    """Checks turns that use a dialect's tags. The check of turns is as strict as for our own
    protocol.
    """

    def __init__(self, dialect: Dialect, schemas: Iterable[Mapping[str, Any]]) -> None:
        super().__init__(schemas)
        self._dialect = dialect

    def check(self, text: str) -> Checked:
        """Reads one turn; see `TurnProtocol.check`."""
        if not self._dialect.answer:
            return _whole(text)
        for theirs, ours in (
            (self._dialect.answer, "answer"),
            (self._dialect.observation, "tool_response"),
        ):
            text = text.replace(f"<{theirs}>", f"<{ours}>").replace(f"</{theirs}>", f"</{ours}>")
        return super().check(text)


def _whole(text: str) -> Checked:
    found = _THOUGHT.fullmatch(text)
    assert found is not None  # the pattern matches any text
    answer = found[2].strip()
    if not answer or "<think>" in answer:
        return Checked(violation=Violation.EMPTY, detail="There is no answer after the thought.")
    return Checked(thought=(found[1] or "").strip(), answer=answer)


class SpokenRenderer(Renderer):
    """Renders prompts in the same way as our renderer, but with a dialect's tags, tool names and
    handles.

    Args:
        dialect: the agent's dialect.
        schemas: the schemas of the agent's tools.
        max_calls: maximum number of calls, as the prompt states it.
        prompt: the agent's own system message; "" means one of Questloom's messages, written in the
            dialect.
        special_tokens: same argument as in `Renderer`.
    """

    def __init__(
        self,
        dialect: Dialect,
        schemas: Sequence[Mapping[str, Any]],
        *,
        max_calls: int,
        prompt: str = "",
        special_tokens: Iterable[str] = (),
    ) -> None:
        super().__init__(
            schemas,
            max_calls=max_calls,
            handles=bool(dialect.handle),
            special_tokens=special_tokens,
        )
        self._dialect = dialect
        self._tools = "\n".join(canonical_json(dict(schema)) for schema in schemas)
        apart = dialect.tools_in == "user"
        self.system_prompt = prompt or dialect_system_prompt(
            "" if apart else self._tools,
            answer=dialect.answer,
            observation=dialect.observation,
            max_calls=max_calls,
            handle=dialect.handle_text(0) if dialect.handle else "",
        )
        self.version = agent_prompt_version(self.system_prompt)

    def opening(self, question: str, bank: Bank, handles: Iterable[int]) -> tuple[Message, ...]:
        """See `Renderer.opening`."""
        _, asked = super().opening(question, bank, handles)
        if self._dialect.tools_in == "user" and self._tools:
            *pictures, words = asked.parts
            asked = Message(
                asked.role, (*pictures, f"<tools>\n{self._tools}\n</tools>\n\n{str(words).strip()}")
            )
        return system(self.system_prompt), self._translated(asked)

    def observation(self, turn_index: int, result: ToolResult, bank: Bank) -> Message:
        """See `Renderer.observation`."""
        return self._translated(super().observation(turn_index, result, bank))

    def _translated(self, message: Message) -> Message:
        """Rewrites one of our messages with the dialect's tags and handles.

        Quoted text is escaped, so that a tag in quoted text is not read as one of our tags.
        """

        def said(text: str) -> str:
            for slash in ("", "/"):
                text = text.replace(
                    f"<{slash}tool_response>", f"<{slash}{self._dialect.observation}>"
                )
            return (
                _HANDLE.sub(lambda found: self._dialect.handle_text(int(found[1])), text)
                if self._dialect.handle
                else text
            )

        return Message(
            message.role,
            tuple(said(part) if isinstance(part, str) else part for part in message.parts),
        )


class SpokenToolBox(ToolBox):
    """Our tools, offered under the names of a dialect.

    Args:
        box: our tool box.
        dialect: the agent's dialect.
    """

    def __init__(self, box: ToolBox, dialect: Dialect) -> None:
        super().__init__(
            box.provider, settings=box.settings, sandbox=box.sandbox, summarise=box.summarise
        )
        self._dialect = dialect

    def schemas(self) -> list[dict[str, Any]]:
        """See `ToolBox.schemas`."""
        return self._dialect.schemas(super().schemas())

    async def call(self, call: ToolCall, bank: ImageBank, *, turn: int) -> ToolResult:
        """See `ToolBox.call`."""
        tool = self._dialect.tools.get(call.name)
        if tool is None or not isinstance(call.arguments, dict):
            return await super().call(call, bank, turn=turn)
        return await super().call(
            ToolCall(name=tool.is_, arguments=Json(self._in_our_words(tool, call.arguments, bank))),
            bank,
            turn=turn,
        )

    def _in_our_words(
        self, tool: ForeignTool, given: Mapping[str, Any], bank: ImageBank
    ) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for foreign, mine in tool.arguments.items():
            if foreign in given:
                value = given[foreign]
                number = (
                    self._dialect.handle_number(value)
                    if mine == "handle" and isinstance(value, str)
                    else None
                )
                made[mine] = value if number is None else number
        if tool.pixels:
            made["box"] = _shares(
                [float(given[edge]) for edge in tool.pixels], bank, made.get("handle")
            )
        return made


def _shares(edges: Sequence[float], bank: ImageBank, handle: Any) -> list[float]:
    """Converts a box given as left, top, width and height in pixels to our format.

    In our format, a box is left, top, right and bottom in thousandths of the picture.
    """
    try:
        image = bank.get(handle) if isinstance(handle, int) else None
    except UnknownHandle:
        image = None  # the tool itself reports the missing picture
    if image is None:
        return [0.0, 0.0, 1000.0, 1000.0]
    x, y, width, height = edges
    return [
        round(min(1000.0, max(0.0, 1000 * edge / side)), 3)
        for edge, side in (
            (x, image.width),
            (y, image.height),
            (x + width, image.width),
            (y + height, image.height),
        )
    ]
