"""Plays one episode over a store, for `questloom chat` and `questloom.play`."""

import tempfile
from collections.abc import Callable
from pathlib import Path

from questloom.agent.engines.engine import Engine
from questloom.agent.play.player import Player, Task
from questloom.agent.setup import (
    Playing,
    PlayPlace,
    check_engine,
    engine_override_key,
    open_player,
    opened_sandbox,
)
from questloom.agent.turns.conversation import Conversation
from questloom.calls.event_loop import submit
from questloom.files.opened import Opened
from questloom.models.picture_file import PictureError, decode
from questloom.pipeline.ingest.store_vectors import embed_store
from questloom.pipeline.recipe import Recipe
from questloom.pipeline.teach.episode_text import observed_text, turn_text
from questloom.pipeline.teach.watched_engine import WatchedEngine
from questloom.records.episodes import Episode
from questloom.records.errors import InputError
from questloom.records.identity import sha256_hex
from questloom.records.synthesis import Question
from questloom.transforms.episodes.run_questions import task_of
from questloom.transforms.stages.run_folder import RunFolder, absolute


def spoken(engine: Engine, say: Callable[[str], None]) -> WatchedEngine:
    """Wraps an engine so that it prints each turn and each observation."""

    def before(conversation: Conversation) -> None:
        if (
            conversation.exchanges
            and (result := conversation.exchanges[-1].turn.result) is not None
        ):
            say(observed_text(result))

    return WatchedEngine(
        engine,
        before,
        lambda conversation, sample: say(turn_text(conversation.turn + 1, sample.text)),
    )


def play_one(
    recipe: Recipe,
    question: Question | str,
    *,
    store: str,
    opened: Opened,
    picture: str | Path | bytes = "",
    engine_of: Callable[[Playing], Engine] = lambda made: made.player.engine,
) -> Episode:
    """Plays one episode.

    Args:
        recipe: a recipe. The recipe's section `teach` sets the engine, the tools and the limits,
            and its section `models` sets the models. If the question belongs to a run, the recipe
            must be the run's recipe.
        question: a question that belongs to a run, or the text of any question.
        store: an ingested store.
        opened: objects that stay open for later use in this process, such as stores and models.
        picture: the path of a file, or the bytes of a picture; "" for no picture.
        engine_of: a function that makes the engine. For example, `engine_of` may return an engine
            that also prints its turns.

    Raises:
        InputError: the engine cannot be made, a tool is unavailable on this machine, the picture
            cannot be read, or the question is empty.
    """
    words = question.text if isinstance(question, Question) else question
    if not words.strip():
        raise InputError(
            "the question",
            "is empty",
            'Give it in quotes: questloom chat --store STORE --picture FILE "Who built this?".',
        )
    if opened.get(engine_override_key(recipe.teach.engine)) is None:
        _check_oracle(recipe, question)
        check_engine(recipe.teach, recipe.models)
    opened_sandbox(recipe.teach.tools.tools, opened)
    pictures = _read(picture)
    embed_store(absolute(store), recipe.models.clip)
    with tempfile.TemporaryDirectory(prefix="questloom-play-") as folder:
        calls = RunFolder(folder).calls(recipe.run.calls)
        licences = recipe.pictures.licences if isinstance(question, Question) else None
        made = open_player(
            recipe.teach,
            PlayPlace(absolute(store), lambda: calls, recipe.models, opened, recipe.seed, licences),
        )
        if isinstance(question, Question):
            if not pictures:
                raise InputError(
                    f"the question {question.id}",
                    "is played with its picture, and none is given",
                    "Give picture=run.picture(question).",
                )
            task = task_of(question, pictures[0], withhold_own=recipe.pictures.withhold_own)
            made.begin(question)
        else:
            task = Task(task_id=sha256_hex(words)[:32], question=words, pictures=pictures)
        player = Player(
            engine_of(made), made.toolbox, recipe.teach.limits, renderer=made.player.renderer
        )
        try:
            return submit(player.play(task)).result()
        except PictureError as error:
            raise InputError(
                _named(picture), f"cannot be used ({error})", "Give a JPEG or PNG file."
            ) from error


def _check_oracle(recipe: Recipe, question: Question | str) -> None:
    """Raises an error if the oracle (a scripted agent) is asked to play a question that has no formal
    query.

    Raises:
        InputError: the engine is the oracle, and the question has no formal query.
    """
    if recipe.teach.engine == "oracle" and (isinstance(question, str) or question.form is None):
        raise InputError(
            "--engine oracle",
            "knows only the questions of a run that have a logical form",
            "Take openai, transformers or server, or --by-hand.",
        )


def _named(picture: str | Path | bytes) -> str:
    return "the picture" if isinstance(picture, bytes) else str(picture)


def _read(picture: str | Path | bytes) -> tuple[bytes, ...]:
    if not picture:
        return ()
    try:
        data = picture if isinstance(picture, bytes) else Path(picture).read_bytes()
        decode(data)  # before a model is loaded, which takes longer
    except OSError as error:
        raise InputError(
            _named(picture), f"cannot be read ({error.strerror})", "Name a picture's file."
        ) from error
    except PictureError as error:
        raise InputError(
            _named(picture), "is no picture that can be read", "Give a JPEG or PNG file."
        ) from error
    return (data,)
