"""`questloom chat`: asks an engine one question with a picture over a store. Each turn is printed
as it comes, or shown on a local page."""

from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack

from questloom.agent.engines.engine import Engine
from questloom.agent.setup import Playing, engine_override_key
from questloom.agent.tools.custom_tool import TOOL_ERROR
from questloom.files.opened import Opened
from questloom.models.messages import Message
from questloom.pipeline.api import play
from questloom.pipeline.commands.chat_page import ChatPage, HandEngine
from questloom.pipeline.recipe import Recipe
from questloom.pipeline.runners.run_log import log_path
from questloom.pipeline.teach.episode_text import end_text
from questloom.pipeline.teach.one_episode import play_one
from questloom.pipeline.teach.watched_engine import WatchedEngine
from questloom.records.episodes import Episode

Print = Callable[[str], None]


def shown(engine: Engine, page: ChatPage) -> WatchedEngine:
    """An engine whose conversation is shown on a page."""
    return WatchedEngine(
        engine,
        lambda conversation: page.show(conversation.messages),
        lambda conversation, sample: page.show(
            (*conversation.messages, Message("assistant", (sample.text,)))
        ),
    )


def chat(
    recipe: Recipe,
    question: str,
    *,
    store: str,
    opened: Opened,
    picture: str = "",
    say: Print = print,
    page: bool = False,
    by_hand: bool = False,
) -> Episode:
    """Plays one episode and prints it. Returns the episode.

    Args:
        recipe: a recipe with the sections `teach` (engine, tools, limits) and `models`.
        question: the text of the question.
        store: an ingested store.
        opened: keeps the objects that this process opens.
        picture: a file, or "" for none.
        say: a function that prints a line.
        page: shows the episode on a local page, and prints the page's address.
        by_hand: the person at the page plays instead of an engine.

    Raises:
        InputError: see `play_one`.
    """
    if not page and not by_hand:
        episode = play(
            question, store=store, recipe=recipe, picture=picture, watch=say, opened=opened
        )
        say(end_text(episode))
        say_failed_tools(episode, say)
        return episode
    hand = HandEngine() if by_hand else None
    if hand is not None:
        opened.put(engine_override_key(recipe.teach.engine), hand)
    pages: list[ChatPage] = []
    with ExitStack() as stack:

        def engine_of(made: Playing) -> Engine:
            pages.append(stack.enter_context(ChatPage(made.toolbox.schemas(), hand)))
            say(
                f"Open {pages[0].url}\nWhoever has this address sees the episode{' and plays it' if by_hand else ''}. Ctrl-C ends it."
            )
            return shown(made.player.engine, pages[0])

        episode = play_one(
            recipe, question, store=store, opened=opened, picture=picture, engine_of=engine_of
        )
        pages[0].end(episode)
    say(end_text(episode))
    say_failed_tools(episode, say)
    return episode


def say_failed_tools(episode: Episode, say: Print) -> None:
    """Says which custom tools failed in an episode, and where the exceptions are."""
    failed = Counter(
        turn.call.name
        for turn in episode.turns
        if turn.call and turn.result and turn.result.code == TOOL_ERROR
    )
    for name, number in failed.items():
        say(
            f"The custom tool {name} failed in {number} of this episode's calls. The log has the exceptions: {log_path()}"
        )
