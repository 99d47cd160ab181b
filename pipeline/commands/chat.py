"""`questloom chat`: one question with a picture, asked of an engine over a store, each turn printed as it comes, or shown on a local page.

The printed text comes from a model and from pages. Control characters are removed, so that none of it reaches the terminal as a command.
"""

import tempfile
import unicodedata
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path

from questloom.agent.engines.engine import Engine
from questloom.agent.play.player import Player, Task
from questloom.agent.setup import (
    PlayPlace,
    check_engine,
    engine_override_key,
    open_player,
    opened_sandbox,
)
from questloom.agent.turns.conversation import Conversation
from questloom.calls.event_loop import submit
from questloom.files.opened import Opened
from questloom.models.messages import Message
from questloom.models.picture_file import PictureError, decode
from questloom.pipeline.commands.chat_page import ChatPage, HandEngine
from questloom.pipeline.commands.watched_engine import WatchedEngine
from questloom.pipeline.ingest.store_vectors import embed_store
from questloom.pipeline.recipe import Recipe
from questloom.records.episodes import EndReason, Episode, ToolResult
from questloom.records.errors import InputError
from questloom.records.identity import sha256_hex
from questloom.transforms.stages.run_folder import RunFolder, absolute

MAX_SHOWN = 2_000
"""Characters of an observation that are printed."""
Print = Callable[[str], None]


def harmless(text: str) -> str:
    """Text without characters that a terminal obeys (escape sequences, backspaces, direction marks).

    >>> harmless("a\\x1b[2Jb\\u202ec\\nd")
    'a[2Jbc\\nd'
    """
    return "".join(
        c for c in text if c in "\n\t" or unicodedata.category(c) not in ("Cc", "Cf", "Cs", "Co")
    )


def spoken(engine: Engine, say: Print) -> WatchedEngine:
    """The engine with each turn printed, and before it what the turn before brought."""

    def before(conversation: Conversation) -> None:
        if (
            conversation.exchanges
            and (result := conversation.exchanges[-1].turn.result) is not None
        ):
            say(observed(result))

    return WatchedEngine(
        engine,
        before,
        lambda conversation, sample: say(
            f"── turn {conversation.turn + 1} ──\n{harmless(sample.text)}\n"
        ),
    )


def shown(engine: Engine, page: ChatPage) -> WatchedEngine:
    """The engine with its conversation on a page."""
    return WatchedEngine(
        engine,
        lambda conversation: page.show(conversation.messages),
        lambda conversation, sample: page.show(
            (*conversation.messages, Message("assistant", (sample.text,)))
        ),
    )


def observed(result: ToolResult) -> str:
    """A tool's result for the terminal."""
    text = harmless(result.text)
    cut = (
        f"{text[:MAX_SHOWN]} … {len(text) - MAX_SHOWN:,} characters more"
        if len(text) > MAX_SHOWN
        else text
    )
    told = (
        "" if result.status == "ok" else f" ({harmless(f'{result.status} {result.code}').strip()})"
    )
    return f"   observed{told}:\n" + "\n".join(f"   │ {line}" for line in cut.split("\n")) + "\n"


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
    """Plays one episode and prints it; gives the episode.

    Args:
        recipe: its sections `teach` (engine, tools, limits) and `models`.
        question: in words.
        store: an ingested store.
        opened: holds what this process opens.
        picture: a file, or "" for none.
        say: prints.
        page: shows it on a local page, whose address is printed.
        by_hand: whoever opens the page plays, and no engine.

    Raises:
        InputError: the engine cannot be made, a tool cannot be had on this machine, the picture cannot be read, or there is nothing to ask.
    """
    if not question.strip():
        raise InputError(
            "the question",
            "is empty",
            'Give it in quotes: questloom chat --store STORE --picture FILE "Who built this?".',
        )
    hand = HandEngine() if by_hand else None
    if hand is not None:
        opened.put(engine_override_key(recipe.teach.engine), hand)
    elif recipe.teach.engine == "oracle":
        raise InputError(
            "--engine oracle",
            "knows only the questions of a run",
            "Take openai, transformers or server, or --by-hand.",
        )
    else:
        check_engine(recipe.teach, recipe.models)
    opened_sandbox(recipe.teach.tools.tools, opened)
    pictures = _read(picture)
    embed_store(absolute(store), recipe.models.clip)
    with tempfile.TemporaryDirectory(prefix="questloom-chat-") as folder:
        calls = RunFolder(folder).calls(recipe.run.calls)
        made = open_player(
            recipe.teach,
            PlayPlace(absolute(store), lambda: calls, recipe.models, opened, recipe.seed),
        )
        task = Task(task_id=sha256_hex(question)[:32], question=question, pictures=pictures)
        with ChatPage(made.toolbox.schemas(), hand) if page or by_hand else nullcontext() as shows:
            engine = (
                spoken(made.player.engine, say)
                if shows is None
                else shown(made.player.engine, shows)
            )
            player = Player(
                engine, made.toolbox, recipe.teach.limits, renderer=made.player.renderer
            )
            if shows is not None:
                say(
                    f"Open {shows.url}\nWhoever has this address sees the episode{' and plays it' if by_hand else ''}. Ctrl-C ends it."
                )
            try:
                episode = submit(player.play(task)).result()
            except PictureError as error:
                raise InputError(
                    picture, f"cannot be used ({error})", "Give a JPEG or PNG file."
                ) from error
            if shows is not None:
                shows.end(episode)
    say(_ended(episode))
    return episode


def _read(picture: str) -> tuple[bytes, ...]:
    if not picture:
        return ()
    try:
        data = Path(picture).read_bytes()
        decode(data)  # before a model is loaded: that takes longer
    except OSError as error:
        raise InputError(
            picture, f"cannot be read ({error.strerror})", "Name a picture's file."
        ) from error
    except PictureError as error:
        raise InputError(
            picture, "is no picture that can be read", "Give a JPEG or PNG file."
        ) from error
    return (data,)


def _ended(episode: Episode) -> str:
    spent = f"{len(episode.turns)} turns, {episode.seconds:.1f} s" + (
        f", ${episode.cost:.4f}" if episode.cost else ""
    )
    if episode.end == EndReason.ANSWERED:
        return f"══ answer: {harmless(episode.answer)}  ({spent})"
    return f"══ no answer: {episode.end}, {harmless(episode.end_evidence)}  ({spent})"
