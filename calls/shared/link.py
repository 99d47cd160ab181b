"""A process's connection to the Redis server. The connection sends commands in batches, retries them for a limited
time, and then raises a typed error.

While one batch is on its way, new commands of the event loop collect for the next batch. A batch
needs only one write and one read. With batches, a call costs only a fraction of a round trip. If
the connection breaks, the same batch is sent again. Sending a batch twice is safe, because each
script has the same effect if it runs twice.
"""

import asyncio
import hashlib
import logging
import time
from collections import deque
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

from redis import Redis
from redis.asyncio import Redis as AsyncRedis
from redis.asyncio.retry import Retry as AsyncRetry
from redis.backoff import NoBackoff
from redis.exceptions import (
    AuthenticationError,
    BusyLoadingError,
    ConnectionError,
    NoScriptError,
    OutOfMemoryError,
    ReadOnlyError,
    RedisError,
    ResponseError,
    TimeoutError,
)
from redis.retry import Retry

from questloom.calls.shared.place import Place
from questloom.records.errors import ProviderFault

LOG = logging.getLogger(__name__)
SCRIPTS = Path(__file__).parent / "scripts"
BATCH = 512
"""Maximum number of commands in one batch. Between two batches, the server can answer other
clients.
"""
SOCKET_SECONDS = 10.0
PAUSES = (0.02, 1.0)
"""The first pause and the longest pause in seconds between two attempts to send a batch."""
HOPELESS_SECONDS = 2.0
"""How many seconds a call waits for a server that recently failed to answer other calls."""
PASSING = (
    ConnectionError,
    TimeoutError,
    BusyLoadingError,
    ReadOnlyError,
    OutOfMemoryError,
    OSError,
)
PASSING_WORDS = ("MISCONF", "LOADING", "TRYAGAIN", "MASTERDOWN", "NOREPLICAS")
"""The first words of further temporary error messages, which a server sends while it cannot write
its disk, is loading its data, or waits for another server.
"""


@cache
def script(name: str) -> tuple[str, str]:
    """Returns the text of a script and its SHA1. The server knows the script by this SHA1."""
    prelude = ["common"] + (
        ["attempts"] if name in ("start", "settle", "abandon", "sweep", "owners") else []
    )
    text = "\n".join(
        (SCRIPTS / f"{part}.lua").read_text(encoding="utf-8") for part in [*prelude, name]
    )
    return text, hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()


@dataclass(slots=True)
class Command:
    """A command that is waiting for its reply."""

    args: tuple[Any, ...]
    future: asyncio.Future
    keep: bool
    """Whether the command must run even if its caller no longer waits for the reply."""
    undo: tuple[Any, ...] | None
    """The command that undoes this command. The server runs the undoing command if the caller no
    longer waits for the reply.
    """
    since: float = field(default_factory=time.monotonic)


def passes(error: Exception) -> bool:
    """Whether the same command may succeed later, because the error is temporary. The server may be
    unreachable, restarting, full, not yet the primary, or unable to write its disk.
    """
    if isinstance(error, AuthenticationError):
        return False
    return isinstance(error, PASSING) or (
        isinstance(error, ResponseError) and str(error).startswith(PASSING_WORDS)
    )


class Link:
    """The connections from one process to one server. Event loops may use the connections one after
    the other, but not at the same time.

    Args:
        patience: number of seconds during which a failed command is retried.
    """

    def __init__(self, place: Place, *, patience: float) -> None:
        self.place, self.patience = place, patience
        self._direct = Redis(
            **place.options(),
            socket_timeout=SOCKET_SECONDS,
            socket_connect_timeout=SOCKET_SECONDS,
            retry=Retry(NoBackoff(), 0),
        )
        self._loop: asyncio.AbstractEventLoop | None = None
        self._client: AsyncRedis | None = None
        self._pump: asyncio.Task[None] | None = None
        self._waiting: deque[Command] = deque()
        self._hopeless = False

    def call_of(self, name: str, *args: Any) -> tuple[Any, ...]:
        """Makes the command that runs a script on the keys of this cache."""
        return ("EVALSHA", script(name)[1], 1, self.place.prefix, *args)

    def submit(
        self, *args: Any, keep: bool = False, undo: tuple[Any, ...] | None = None
    ) -> asyncio.Future:
        """Queues a command and returns at once, with a future for the reply.

        The future raises `ProviderFault` if the command fails for longer than `patience`, because
        the server cannot be reached or refuses the command.
        """
        loop = asyncio.get_running_loop()
        command = Command(args, loop.create_future(), keep, undo)
        self._waiting.append(command)
        if self._loop is not loop:
            self._use(loop)
        if self._pump is not None and self._pump.done() and self._pump.cancelled():
            # The loop ends and runs no new task.
            command.future.set_result(
                self.run_now(*self._waiting.pop().args, patience=HOPELESS_SECONDS)
            )
        elif self._pump is None or self._pump.done():
            self._pump = loop.create_task(self._send_all())
        return command.future

    def run_now(self, *args: Any, patience: float = 0.0) -> Any:
        """Runs a command without an event loop and waits for the reply.

        Raises: ProviderFault: the command failed for `patience` seconds, see `submit`.
        """
        end, pause = time.monotonic() + patience, PAUSES[0]
        while True:
            try:
                return self._run_once(args)
            except (RedisError, OSError) as error:
                if not passes(error) or time.monotonic() + pause > end:
                    raise self._fault(error) from None
            time.sleep(pause)
            pause = min(PAUSES[1], pause * 2)

    async def aclose(self) -> None:
        """Ends the connection of this event loop."""
        client, self._client, self._loop = self._client, None, None
        if client is not None:
            await client.aclose()

    def close(self) -> None:
        """Closes the connections that need no event loop."""
        self._direct.close()

    def _run_once(self, args: tuple[Any, ...]) -> Any:
        try:
            return self._direct.execute_command(*args)
        except NoScriptError:
            self._direct.script_load(_text_of(args[1]))
            return self._direct.execute_command(*args)

    def _use(self, loop: asyncio.AbstractEventLoop) -> None:
        """Switches to the connection of the running event loop, because each connection belongs to
        the loop that opened it. Commands of an event loop that has ended are dropped, because
        nobody waits for their replies.
        """
        self._client = AsyncRedis(
            **self.place.options(),
            socket_timeout=SOCKET_SECONDS,
            socket_connect_timeout=SOCKET_SECONDS,
            retry=AsyncRetry(NoBackoff(), 0),
        )
        self._loop, self._pump = loop, None
        self._waiting = deque(c for c in self._waiting if c.future.get_loop() is loop)

    async def _send_all(self) -> None:
        batch: list[Command] = []
        pause = PAUSES[0]
        try:
            while self._waiting:
                batch = [self._waiting.popleft() for _ in range(min(BATCH, len(self._waiting)))]
                batch = [c for c in batch if c.keep or not c.future.cancelled()]
                again, error = await self._send(batch)
                batch = self._give_up(again, error)
                self._waiting.extendleft(reversed(batch))
                if batch and not isinstance(error, NoScriptError):
                    await asyncio.sleep(pause)
                pause = min(PAUSES[1], pause * 2) if batch else PAUSES[0]
                batch = []
        except asyncio.CancelledError:
            # The event loop ends. Replies that have come are paid for; unfinished commands are
            # undone.
            left, self._waiting = [*batch, *self._waiting], deque()
            for command in left:
                args = command.args if command.keep else command.undo
                if args is not None:
                    self.run_now(*args, patience=HOPELESS_SECONDS)
            raise

    async def _send(self, batch: list[Command]) -> tuple[list[Command], Exception | None]:
        """Sends a batch of commands and delivers the replies. Returns the commands that must be
        sent again, and the error that interrupted the batch (or None).
        """
        if not batch:
            return [], None
        assert self._client is not None
        pipeline = self._client.pipeline(transaction=False)
        for command in batch:
            pipeline.execute_command(*command.args)
        try:
            replies = await pipeline.execute(raise_on_error=False)
        except (RedisError, OSError) as error:
            replies = [error] * len(batch)
        again: list[Command] = []
        why: Exception | None = None
        missing: set[str] = set()
        for command, reply in zip(batch, replies, strict=True):
            if isinstance(reply, NoScriptError):
                missing.add(command.args[1])
            if isinstance(reply, Exception) and (isinstance(reply, NoScriptError) or passes(reply)):
                again.append(command)
                why = reply
            else:
                self._hand_out(command, reply)
        for sha in missing:
            try:
                await self._client.script_load(_text_of(sha))
            except (RedisError, OSError) as error:
                why = error
        return again, why

    def _hand_out(self, command: Command, reply: Any) -> None:
        if command.future.cancelled():
            if command.undo is not None:
                self.submit(*command.undo, keep=True)
        elif isinstance(reply, Exception):
            command.future.set_exception(self._fault(reply))
        else:
            self._hopeless = False
            command.future.set_result(reply)

    def _give_up(self, batch: list[Command], error: Exception | None) -> list[Command]:
        """Raises an error for the callers whose commands have waited too long. Returns the commands
        that may wait longer.
        """
        if error is None:
            return batch
        limit = HOPELESS_SECONDS if self._hopeless else self.patience
        end = time.monotonic() - limit
        for command in batch:
            if command.since <= end and not command.future.done():
                command.future.set_exception(self._fault(error))
                self._hopeless = True
        return [c for c in batch if c.since > end]

    def _fault(self, error: Exception) -> ProviderFault:
        told = self.place.without_password(str(error))[:200]
        return ProviderFault(
            f"call cache {self.place}", f"{type(error).__name__}: {told}", retryable=passes(error)
        )


def _text_of(sha: str) -> str:
    for path in SCRIPTS.glob("*.lua"):
        if script(path.stem)[1] == sha:
            return script(path.stem)[0]
    raise AssertionError(sha)
