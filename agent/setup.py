"""Makes players (which play episodes) from plain settings. The module opens the store, searches,
clients, tool box and engine. This module does not know recipes or runs.

The store, clients and other parts are opened through an `Opened` object. A process thus opens each
part only once, and the owner of the object closes all parts.
"""

import logging
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from questloom.agent.engines.engine import Engine
from questloom.agent.engines.openai_engine import OpenAIEngine
from questloom.agent.engines.server_engine import ServerEngine
from questloom.agent.engines.token_engine import Sampling, TokenEngine
from questloom.agent.live.live_provider import LiveProvider
from questloom.agent.oracle.oracle_engine import OracleEngine, keep
from questloom.agent.oracle.puzzle import Puzzle, puzzle_from
from questloom.agent.oracle.slips import MAX_VIOLATIONS
from questloom.agent.play.player import Player
from questloom.agent.play_settings import PlaySettings
from questloom.agent.providers.local_provider import LocalProvider
from questloom.agent.providers.provider import Provider
from questloom.agent.sandbox import Sandbox, open_sandbox
from questloom.agent.shortcut.shortcut_engine import ShortcutEngine
from questloom.agent.shortcut.shortcut_solver import MAX_CALLS
from questloom.agent.tool_settings import CONFINED
from questloom.agent.tools import ToolBox
from questloom.agent.tools.model_reader import ROLE as READER
from questloom.agent.tools.model_reader import ModelReader
from questloom.agent.tools.toolbox import offered_tools, tool_schemas
from questloom.agent.turns.renderer import Renderer
from questloom.calls.budget import Budget
from questloom.calls.caller import Caller
from questloom.calls.event_loop import is_event_loop_thread, submit
from questloom.calls.open import open_cache
from questloom.calls.shared.place import is_url
from questloom.files.extras import require
from questloom.files.opened import Opened
from questloom.knowledge.store.store import Store
from questloom.models.chat_client import ChatClient
from questloom.models.clip import Clip
from questloom.models.model_settings import ModelSettings
from questloom.models.stage_client import StageClient
from questloom.prompts.roles import AGENT, DEFAULT, ROLES
from questloom.records.errors import InputError
from questloom.records.synthesis import Question

LOG = logging.getLogger(__name__)
CLOSE_SECONDS = 5.0
SHAPING = ("engine", "opened", "model", "server", "temperature", "top_p", "device")
"""The names of the settings that identify an engine. If a setting that identifies the engine
changes, a new engine is opened."""
MEND_SANDBOX = (
    f"Install bubblewrap and libseccomp there (apt-get install bubblewrap libseccomp2), name the tools without {CONFINED} "
    "(teach.tools.tools, filters.oracle_tools), or take the recipe demo_without_python."
)
"""The hint in an error message: what to do if the recipe's tools run code but this machine has no
sandbox."""


@dataclass(frozen=True)
class Playing:
    """The player that a process uses, together with its parts."""

    player: Player
    toolbox: ToolBox
    special_tokens: tuple[str, ...]
    """Special tokens of the model's tokenizer, if this process knows the tokenizer. Text from
    outside is escaped, so that the tokenizer never reads a special token in it."""
    begin: Callable[[Question], None]
    """A function that is called with each question before the question is played."""


def opened_store(path: str, opened: Opened) -> Store:
    """Opens a store by its absolute path."""
    return opened.once(("store", path), lambda: Store.open(path))


def opened_searches(
    store: str, clip: str, licences: tuple[str, ...] | None, opened: Opened
) -> LocalProvider:
    """Opens the searches over a store, for episodes and for the filters of questions.

    Args:
        licences: allowed families of licences of pictures, see `LocalProvider`.
    """
    return opened.once(
        ("searches", store, clip, licences),
        lambda: LocalProvider(opened_store(store, opened), Clip.load(clip), licences=licences),
    )


def new_client(models: ModelSettings, caller: Caller) -> ChatClient:
    """Makes a chat client for the roles in the settings. The entry "default" is for all roles
    without an entry.

    Raises: InputError: an endpoint is unknown, a key is not set, or a price is missing although the budget is in money.
    """
    named = dict(models.roles)
    default = named.pop(DEFAULT, None)
    return ChatClient(
        models.endpoints, {**(dict.fromkeys(ROLES, default) if default else {}), **named}, caller
    )


def budget_of(models: ModelSettings) -> Budget:
    """The hard limits on money, tokens and calls."""
    return Budget(money=models.budget_money, tokens=models.budget_tokens, calls=models.budget_calls)


def opened_client(models: ModelSettings, calls: Path | str, opened: Opened) -> ChatClient:
    """Opens a chat client that stores its calls in a cache. Callers with equal settings and the
    same cache share one client.

    Raises: InputError: the client cannot be made (see `new_client`), or the cache cannot be opened.
    """
    cache = opened.once(
        ("calls", str(calls)), lambda: open_cache(calls), lambda cache: cache.close()
    )
    key = (
        "client",
        str(calls),
        repr((models.endpoints, sorted(models.roles.items()), budget_of(models))),
    )
    return opened.once(
        key, lambda: new_client(models, Caller(cache, budget=budget_of(models))), _close_client
    )


def _close_client(client: ChatClient) -> None:
    """Closes the connections of a client, so that Python prints no warnings at exit about open
    connections."""
    closing = submit(client.aclose())
    if is_event_loop_thread():
        return  # an owner that is collected inside a running loop cannot wait
    try:
        closing.result(CLOSE_SECONDS)
    except TimeoutError:
        LOG.warning("connections to models were not closed within %g s", CLOSE_SECONDS)


def check_client(models: ModelSettings, calls: Path | str) -> None:
    """Checks the settings of models before anything is written.

    Raises: InputError: the client cannot be made (see `new_client`), or the file at `calls` is not a call cache.
    """
    cache = open_cache(calls if is_url(calls) or Path(calls).exists() else ":memory:")
    try:
        new_client(models, Caller(cache, budget=budget_of(models)))
    finally:
        cache.close()


@dataclass(frozen=True)
class PlayPlace:
    """The store, the models and the call cache that a player uses.

    Args:
        store: path of the store to search.
        calls: function that returns the place where replies, ledger and budget are stored. The
            function is called only if a model or a service is used.
        seed: random seed for all random choices.
        licences: licence families of the pictures that tools show; None for all.
    """

    store: str
    calls: Callable[[], Path | str]
    models: ModelSettings
    opened: Opened
    seed: int = 0
    licences: tuple[str, ...] | None = None

    def client(self, stage: str) -> StageClient:
        """The client for models, whose calls the ledger counts for the given stage of the run."""
        return StageClient(opened_client(self.models, self.calls(), self.opened), stage)

    @property
    def caller(self) -> Caller:
        """The object that sends the calls; models and live services share its budget and its
        ledger."""
        return opened_client(self.models, self.calls(), self.opened).caller


def open_player(settings: PlaySettings, at: PlayPlace) -> Playing:
    """Opens the player that a process uses.

    Raises: InputError: the engine's settings are wrong, a named tool is not available on this machine, or the store has
    no vectors.
    """
    toolbox = open_toolbox(settings, at)
    schemas = toolbox.schemas()
    engine, begin = open_engine(
        settings, at, tuple(schema["function"]["name"] for schema in schemas)
    )
    special = tuple(engine.tokens.special_tokens) if isinstance(engine, TokenEngine) else ()
    return Playing(
        Player(engine, toolbox, settings.limits, renderer=prompt_renderer(settings, special)),
        toolbox,
        special,
        begin,
    )


def prompt_renderer(settings: PlaySettings, special_tokens: Collection[str] = ()) -> Renderer:
    """A renderer that writes the model's prompt under the given settings, for callers that have no
    player.

    Args:
        special_tokens: see `Renderer`.
    """
    return Renderer(
        tool_schemas(settings.tools),
        max_calls=settings.limits.calls,
        handles=settings.tools.handles,
        brief=settings.tools.brief,
        special_tokens=special_tokens,
    )


def open_toolbox(settings: PlaySettings, at: PlayPlace) -> ToolBox:
    """Opens the tools over the store, or over the web if the settings name web services."""
    sandbox = opened_sandbox(settings.tools.tools, at.opened)
    provider: Provider = (
        opened_searches(at.store, at.models.clip, at.licences, at.opened)
        if settings.live is None
        else LiveProvider(settings.live, at.caller)
    )
    # The default model reads pages only for summaries; otherwise a model must be named for the reader's role.
    reads = READER in at.models.roles or (settings.tools.summaries and at.models.has_role(READER))
    reader = ModelReader(at.client(READER)) if reads else None
    return ToolBox(provider, settings=settings.tools, sandbox=sandbox, summarise=reader)


def opened_sandbox(tools: Collection[str], opened: Opened) -> Sandbox | None:
    """Opens the sandbox on this machine. Each process tests the sandbox once. Returns None if no
    tool runs code.

    Raises: InputError: a tool runs code, and the sandbox does not work on this machine.
    """
    if CONFINED not in tools:
        return None
    sandbox, why = opened.once("sandbox", open_sandbox)
    if sandbox is None:
        raise InputError(
            f"the tool {CONFINED}", f"cannot be had on this machine: {why}", MEND_SANDBOX
        )
    return sandbox


def engine_override_key(name: str) -> tuple[str, str]:
    """The key under which a caller puts its own engine into `Opened`, to replace the engine with
    the given name. Other worker processes do not see this engine."""
    return "own engine", name


def open_engine(
    settings: PlaySettings, at: PlayPlace, tools: tuple[str, ...]
) -> tuple[Engine, Callable[[Question], None]]:
    """Opens the engine that the settings name. Returns the engine, and a function that the player
    calls with each question before it plays the question.

    Args:
        tools: names of the tools.

    Raises: InputError: a setting or file that the engine needs is missing.
    """
    own = at.opened.get(engine_override_key(settings.engine))
    if own is not None:
        return own, _nothing
    if settings.engine == "oracle":
        return _oracle(settings, at, tools)
    if settings.engine == "shortcut":
        return ShortcutEngine(
            tools=tools, max_calls=min(MAX_CALLS, settings.limits.calls)
        ), _nothing
    make = {"openai": _openai, "transformers": _transformers, "server": _server}[settings.engine]
    asks = (
        (at.models.endpoints, at.models.roles.get(AGENT), budget_of(at.models), str(at.calls()))
        if settings.engine in ("openai", "server")
        else ()
    )
    key = ("engine", repr([getattr(settings, name) for name in SHAPING]), repr(asks), at.seed)
    return at.opened.once(key, lambda: make(settings, at)), _nothing


def check_engine(settings: PlaySettings, models: ModelSettings, where: str = "teach") -> None:
    """Checks the settings of an engine before work starts, without loading a model.

    Args:
        where: name of the recipe's section, for error messages.

    Raises: InputError: a setting of the engine is missing, a custom tool is not available, or a live service does not
    fit its role.
    """
    if settings.engine == "openai" and AGENT not in models.roles:
        raise InputError(
            f"{where}.engine openai",
            f"needs a model in the role {AGENT!r}, and models.roles names none",
            "Add models.endpoints and models.roles.agent to the recipe (--recipe FILE, or --set).",
        )
    if settings.engine in ("transformers", "server") and not settings.model:
        raise InputError(
            f"{where}.engine {settings.engine}",
            f"needs {where}.model",
            "Name the folder of a model (for `server`: of its processor).",
        )
    if settings.engine in ("transformers", "server"):
        require("train", f"{where}.engine {settings.engine}")
    if settings.engine == "server" and settings.server is None:
        raise InputError(
            f"{where}.engine server",
            f"needs {where}.server",
            f"Name it: {where}: {{server: {{name: …, url: http://host:port, model: …}}}}.",
        )
    offered_tools(settings.tools)
    if settings.live is not None:
        settings.live.check()
    if settings.engine == "oracle" and settings.live is not None:
        raise InputError(
            f"{where}.engine oracle",
            "plays over the store only",
            f"Remove {where}.live, or take another engine.",
        )
    if settings.oracle.slips and (
        settings.limits.on_violation == "end" or 0 < settings.limits.faults <= MAX_VIOLATIONS
    ):
        raise InputError(
            f"{where}.oracle.slips",
            f"needs limits under which {MAX_VIOLATIONS} turns that break the protocol end no episode",
            f"Set {where}.limits.on_violation to observe, and {where}.limits.faults to 0 or to 3 and more.",
        )


def _nothing(question: Question) -> None:
    """Does nothing with a question, because most engines know only the question's words and
    picture."""


def _oracle(
    settings: PlaySettings, at: PlayPlace, tools: tuple[str, ...]
) -> tuple[Engine, Callable[[Question], None]]:
    puzzles: dict[str, Puzzle] = {}
    store = opened_store(at.store, at.opened)

    def begin(question: Question) -> None:
        puzzle = puzzle_from(question, store, sighted=settings.oracle.sighted)
        assert puzzle is not None, "tasks without a form are not given to the oracle"
        keep(puzzles, question.id, puzzle)

    return OracleEngine(
        puzzles,
        tools=tools,
        max_calls=settings.limits.calls,
        mistakes=settings.oracle.mistakes,
        slips=settings.oracle.slips,
        seed=at.seed,
    ), begin


def _openai(settings: PlaySettings, at: PlayPlace) -> Engine:
    role = at.models.roles[AGENT]
    endpoint = next(e for e in at.models.endpoints if e.name == role.endpoint)
    return OpenAIEngine(
        at.client(AGENT).client, AGENT, opened=settings.opened, price=endpoint.price(role.model)
    )


def _sampling(settings: PlaySettings, at: PlayPlace) -> Sampling:
    return Sampling(temperature=settings.temperature, top_p=settings.top_p, seed=at.seed)


def _transformers(settings: PlaySettings, at: PlayPlace) -> Engine:
    import torch
    from transformers import AutoModelForImageTextToText, AutoProcessor

    from questloom.agent.engines.transformers_engine import TransformersEngine
    from questloom.agent.turns.token_renderer import TokenRenderer

    try:
        processor = AutoProcessor.from_pretrained(settings.model)
        model: Any = AutoModelForImageTextToText.from_pretrained(settings.model, dtype="auto")
    except (OSError, ValueError) as error:
        raise InputError(
            f"teach.model {settings.model}",
            f"cannot be loaded ({str(error).splitlines()[0][:300]})",
            "Name the folder of an image-text model of transformers.",
        ) from error
    best = "cuda" if torch.cuda.is_available() else "cpu"
    model = model.to(best if settings.device == "auto" else settings.device)
    # the model's name without this machine's folders
    name = (
        settings.model.rstrip("/").rpartition("/")[2]
        if settings.model.startswith(("/", ".", "~"))
        else settings.model
    )
    return TransformersEngine(
        model.eval(),
        TokenRenderer(processor, name=settings.model),
        model_name=name,
        sampling=_sampling(settings, at),
    )


def _server(settings: PlaySettings, at: PlayPlace) -> Engine:
    from transformers import AutoProcessor

    from questloom.agent.turns.token_renderer import TokenRenderer

    assert settings.server is not None, "checked before"
    try:
        processor = AutoProcessor.from_pretrained(settings.model)
    except (OSError, ValueError) as error:
        raise InputError(
            f"teach.model {settings.model}",
            f"holds no processor ({str(error).splitlines()[0][:300]})",
            "Name the folder of the server's model.",
        ) from error
    return ServerEngine(
        settings.server,
        TokenRenderer(processor, name=settings.model),
        at.caller,
        sampling=_sampling(settings, at),
    )
