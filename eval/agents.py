"""Builds the agent that plays a benchmark. The agent depends on settings, a mode (what the agent
may do) and a dialect (its tags and tool names).
"""

from collections.abc import Callable
from dataclasses import dataclass

from questloom.agent.engines.engine import Engine
from questloom.agent.engines.token_engine import TokenEngine
from questloom.agent.play.player import Player
from questloom.agent.play_settings import PlaySettings
from questloom.agent.providers.provider import Answered, Block, Page, PageHit, PictureHit
from questloom.agent.setup import PlayPlace, open_engine, open_toolbox, prompt_renderer
from questloom.agent.tools import ToolBox
from questloom.agent.turns.image_bank import ImageBank
from questloom.agent.turns.tool_output import provider_fault
from questloom.eval.dialects import Dialect
from questloom.eval.items import Item
from questloom.eval.modes import SEARCHES, Mode, SearchedFor, settings_for
from questloom.eval.speaking import SpokenProtocol, SpokenRenderer, SpokenToolBox
from questloom.records.synthesis import Question


class NoProvider:
    """A search provider that finds nothing. With this provider, the mode `direct` needs neither a
    store nor services.
    """

    snapshot = "none"

    async def search_text(self, query: str, k: int) -> Answered[tuple[PageHit, ...]]:
        """See `Provider`."""
        raise provider_fault("unreachable", "There is nothing to be searched.")

    async def search_like(
        self, bank: ImageBank, handle: int, k: int, withheld: frozenset[str]
    ) -> Answered[tuple[PictureHit, ...]]:
        """See `Provider`."""
        raise provider_fault("unreachable", "There is nothing to be searched.")

    async def search_pictures(
        self, query: str, k: int, bank: ImageBank, withheld: frozenset[str]
    ) -> Answered[tuple[PictureHit, ...]]:
        """See `Provider`."""
        raise provider_fault("unreachable", "There is nothing to be searched.")

    async def page(self, url: str, goal: str) -> Answered[Page]:
        """See `Provider`."""
        raise provider_fault("unreachable", "There is nothing to be opened.")

    async def read_text(self, picture: bytes) -> Answered[tuple[Block, ...]] | None:
        """See `Provider`."""
        return None


@dataclass(frozen=True)
class Agent:
    """The agent with which a process plays a benchmark."""

    player: Player
    toolbox: ToolBox
    special_tokens: tuple[str, ...]
    settings: PlaySettings
    """The settings, but with only the tools and limits that the mode and the dialect allow."""
    begin: Callable[[Item], None]
    """A function that must be called with each question before the agent plays it."""


def open_agent(
    settings: PlaySettings,
    at: PlayPlace,
    mode: Mode,
    dialect: Dialect,
    *,
    prompt: str = "",
    question_of: Callable[[str], Question] | None = None,
) -> Agent:
    """Builds the agent of a process.

    Args:
        settings: the engine, the tools and the limits.
        at: the store, the models and the cache.
        mode: what the agent may do.
        dialect: the tags and tool names that the agent uses.
        prompt: the agent's own system message; "" means one of Questloom's messages.
        question_of: function that returns a run's question for its id; the oracle engine needs it.

    Raises:
        InputError: the agent cannot be built, see `questloom.agent.setup`.
    """
    left = settings_for(mode, settings, dialect)
    toolbox = (
        ToolBox(NoProvider(), settings=left.tools)
        if mode is Mode.DIRECT
        else open_toolbox(left, at)
    )
    toolbox = toolbox if dialect.is_ours else SpokenToolBox(toolbox, dialect)
    schemas = toolbox.schemas()
    inner, told = open_engine(left, at, tuple(schema["function"]["name"] for schema in schemas))
    special = tuple(inner.tokens.special_tokens) if isinstance(inner, TokenEngine) else ()
    engine: Engine = (
        SearchedFor(inner, mode, dialect, left.tools.handles) if mode in SEARCHES else inner
    )
    if dialect.is_ours and not prompt:
        renderer = prompt_renderer(left, special)
    else:
        renderer = SpokenRenderer(
            dialect, schemas, max_calls=left.limits.calls, prompt=prompt, special_tokens=special
        )
    player = Player(engine, toolbox, left.limits, renderer=renderer)
    if not dialect.is_ours:
        player.protocol = SpokenProtocol(dialect, schemas)

    def begin(item: Item) -> None:
        if isinstance(engine, SearchedFor):
            engine.begin(item.id, item.question)
        if question_of is not None and item.question_id:
            told(question_of(item.question_id))

    return Agent(player, toolbox, special, left, begin)
