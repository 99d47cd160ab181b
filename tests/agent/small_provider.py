"""A provider of a world of one page, for tests of what is around the tools; and an engine that says what it is told to."""

import asyncio
from collections.abc import Callable, Mapping
from typing import Any

from questloom.agent.engines.engine import Sample
from questloom.agent.engines.token_engine import Sampling, TokenEngine
from questloom.agent.providers.provider import Answered, Block, Page, PageHit, PictureHit
from questloom.agent.tools import ToolBox, ToolSettings
from questloom.agent.turns.conversation import Conversation
from questloom.agent.turns.token_renderer import Segment, TokenRenderer
from questloom.models.messages import Message
from tests.agent import tiny


class SmallWorld:
    """Finds one page for any words and a picture of its own for each query."""

    snapshot = "small"

    def __init__(self) -> None:
        self.queries: list[str] = []
        self.text = "The Lund bridge was built by Ada Lund."

    async def search_text(self, query: str, k: int) -> Answered[tuple[PageHit, ...]]:
        self.queries.append(query)
        return Answered(
            value=(
                PageHit(title="Lund bridge", url="https://world.example/lund", snippet=self.text),
            )
        )

    async def search_like(
        self, bank, handle: int, k: int, withheld: frozenset[str]
    ) -> Answered[tuple[PictureHit, ...]]:
        return Answered(value=())

    async def search_pictures(
        self, query: str, k: int, bank, withheld: frozenset[str]
    ) -> Answered[tuple[PictureHit, ...]]:
        self.queries.append(query)
        data = tiny.picture(len(query) + 40, (200, 100))
        return Answered(
            value=(
                PictureHit(
                    title=query,
                    url="https://world.example/lund",
                    data=data,
                    picture_url="https://world.example/p.png",
                ),
            )
        )

    async def page(self, url: str, goal: str) -> Answered[Page]:
        return Answered(value=Page(title="Lund bridge", url=url, sections=(("", self.text),)))

    async def read_text(self, picture: bytes) -> Answered[tuple[Block, ...]] | None:
        return None


def toolbox(world: SmallWorld | None = None, **settings: Any) -> ToolBox:
    """The real tool box over the small world."""
    return ToolBox(
        world or SmallWorld(),
        settings=ToolSettings(
            tools=("text_search", "image_search", "crop"), cache_bytes=0, **settings
        ),
    )


Say = Callable[[Conversation], str | Sample | BaseException]


class ScriptedEngine:
    """Says what a function of the conversation says: the policy of a test."""

    name = "scripted"
    model = "script"

    def __init__(self, say: Say, *, seconds: float | Callable[[Conversation], float] = 0.0) -> None:
        self.say, self.seconds = say, seconds
        self.num_steps = 0
        self.forgotten: list[tuple[str, int]] = []
        self.most_new_tokens: list[int] = []

    @property
    def sampling(self) -> Mapping[str, Any]:
        return {}

    async def step(self, conversation: Conversation, *, max_new_tokens: int) -> Sample:
        self.num_steps += 1
        self.most_new_tokens.append(max_new_tokens)
        await asyncio.sleep(self.seconds(conversation) if callable(self.seconds) else self.seconds)
        said = self.say(conversation)
        if isinstance(said, BaseException):
            raise said
        return (
            said
            if isinstance(said, Sample)
            else Sample(
                text=said, num_prompt_tokens=100 * (conversation.turn + 1), num_new_tokens=20
            )
        )

    def num_tokens(self, message: Message) -> int:
        return 50

    def forget(self, conversation: Conversation) -> None:
        self.forgotten.append(conversation.key)


class ScriptedTokens(TokenEngine):
    """The same in token ids, a letter each, as no tokenizer would encode the text; what it says is the turn's rest where one is begun."""

    name = "scripted ids"
    model = "script"
    sampling: Mapping[str, Any] = {}

    def __init__(
        self,
        say: Callable[[Conversation], str | BaseException],
        tokens: TokenRenderer,
        *,
        seconds: float = 0.0,
    ) -> None:
        super().__init__(tokens, Sampling())
        self.say, self.seconds = say, seconds
        self.num_steps = 0
        self.most_new_tokens: list[int] = []

    async def step(
        self, conversation: Conversation, *, max_new_tokens: int, begun: Segment | None = None
    ) -> Sample:
        begun = begun or Segment(kind="policy", ids=())
        self.check_begun(begun)
        self.num_steps += 1
        self.most_new_tokens.append(max_new_tokens)
        await asyncio.sleep(self.seconds)
        said = self.say(conversation)
        if isinstance(said, BaseException):
            raise said
        ids = [
            *begun.ids,
            *(i for letter in said for i in self.tokens.tokenizer(letter)["input_ids"]),
            self.tokens.end_id,
        ][:max_new_tokens]
        logprobs = [
            *begun.logprobs,
            *(-0.1 - (conversation.draw() + n) % 97 / 97 for n in range(len(begun.ids), len(ids))),
        ]
        return self.sample(
            ids,
            logprobs,
            complete=ids[-1] == self.tokens.end_id,
            num_prompt=sum(len(s.ids) for s in self.segments(conversation)),
        )


def search(query: str) -> str:
    """A turn that searches for text."""
    return f'<think>What of {query}?</think>\n<tool_call>{{"name": "text_search", "arguments": {{"query": "{query}"}}}}</tool_call>'


def look(query: str) -> str:
    """A turn that searches for a picture."""
    return f'<think>How looks {query}?</think>\n<tool_call>{{"name": "image_search", "arguments": {{"query": "{query}"}}}}</tool_call>'


def answer(text: str) -> str:
    """A turn that answers."""
    return f"<think>So it is.</think>\n<answer>{text}</answer>"
