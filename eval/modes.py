"""A mode says what an agent may do on a benchmark.

An agent may only answer, or answer after one given search, or use all its tools. If a benchmark is
played in several modes, the scores show how much the tools add.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from questloom.agent.engines.engine import Engine, Sample
from questloom.agent.play_settings import PlaySettings
from questloom.agent.tool_settings import ToolName
from questloom.agent.turns.conversation import Conversation
from questloom.eval.dialects import Dialect
from questloom.models.messages import Message

MAX_QUERY_CHARS = 2_000
"""The maximum length of a query for the search tool."""


class Mode(StrEnum):
    """How an agent may answer the questions of a benchmark."""

    DIRECT = "direct"
    """The agent sees the question and its pictures. The agent has no tools and only one turn."""
    IMAGE_SEARCH = "image_search"
    """The agent gets the results of an image search with the first picture, and then answers."""
    TEXT_SEARCH = "text_search"
    """The agent gets the results of a text search with the question's words, and then answers."""
    AGENT = "agent"
    """The agent has all tools that the settings name. The settings also limit the number of
    calls.
    """


SEARCHES: Mapping[Mode, ToolName] = {
    Mode.IMAGE_SEARCH: "image_search",
    Mode.TEXT_SEARCH: "text_search",
}
_THOUGHTS = {
    Mode.IMAGE_SEARCH: "Let me see where this picture is found.",
    Mode.TEXT_SEARCH: "Let me search for what is asked.",
}


def settings_for(mode: Mode, settings: PlaySettings, dialect: Dialect) -> PlaySettings:
    """The settings, but with only the tools and limits that the mode and the dialect allow."""
    limits = dataclasses.replace(settings.limits, **dict(dialect.limits))
    tools: tuple[ToolName, ...] = dialect.own_tools or settings.tools.tools
    if mode is Mode.DIRECT:
        tools, limits = (), dataclasses.replace(limits, calls=0)
    elif mode in SEARCHES:
        tools, limits = (SEARCHES[mode],), dataclasses.replace(limits, calls=1)
    return dataclasses.replace(
        settings,
        limits=limits,
        tools=dataclasses.replace(
            settings.tools, tools=tools, handles=settings.tools.handles and bool(dialect.handle)
        ),
    )


@dataclass
class SearchedFor:
    """An engine whose first turn is a prepared search; another engine plays all later turns."""

    engine: Engine
    mode: Mode
    dialect: Dialect
    handles: bool = True

    def __post_init__(self) -> None:
        self.name, self.model = self.engine.name, self.engine.model
        self._queries: dict[str, str] = {}

    def begin(self, item_id: str, question: str) -> None:
        """Stores the question before the attempt begins, because the text search needs the
        question's words.
        """
        self._queries[item_id] = " ".join(question.split())[:MAX_QUERY_CHARS]

    @property
    def sampling(self) -> Mapping[str, Any]:
        """The sampling settings of the engine, with a note that the engine did not write the first
        turn.
        """
        return {**self.engine.sampling, "searched_for": self.mode.value}

    async def step(self, conversation: Conversation, *, max_new_tokens: int) -> Sample:
        """See `Engine.step`."""
        if conversation.exchanges:
            return await self.engine.step(conversation, max_new_tokens=max_new_tokens)
        of_picture = {"handle": 0} if self.handles else {}
        arguments = (
            of_picture
            if self.mode is Mode.IMAGE_SEARCH
            else {"query": self._queries[conversation.task_id]}
        )
        call = self.dialect.call_text(SEARCHES[self.mode], arguments)
        return Sample(text=f"<think>{_THOUGHTS[self.mode]}</think>\n<tool_call>{call}</tool_call>")

    def num_tokens(self, message: Message) -> int:
        """See `Engine.num_tokens`."""
        return self.engine.num_tokens(message)

    def forget(self, conversation: Conversation) -> None:
        """See `Engine.forget`."""
        self.engine.forget(conversation)
