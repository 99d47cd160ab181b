"""The call cache in one SQLite file, shared by the processes of one machine.

If several requests reach the cache in one turn of the event loop, they share one transaction (group
commit). The transaction runs on the thread of the event loop, because a commit in WAL mode takes
only about 30 µs, less than a switch to another thread. A committed reply survives the death of the
process, but may be lost in a power cut (synchronous=NORMAL).
"""

import asyncio
import sqlite3
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any
from urllib.parse import quote

from questloom.calls.attempts import FREE_OF_CHARGE, Status
from questloom.calls.budget import Budget, Spend
from questloom.calls.cache import Decision, Started
from questloom.calls.owner import is_alive, this_owner
from questloom.calls.pacing import AnyLane, Lane, Pace
from questloom.calls.request import CallRequest, Reply
from questloom.calls.turns import TurnLane
from questloom.records.errors import InputError

VERSION = 1
BUSY_SECONDS = 60.0
"""Maximum number of seconds that this process waits while another process locks the file."""
LEASE_MARGIN = 60.0
"""Number of seconds after its timeout at which an attempt counts as lost, even if its process seems
alive. (Another process may have got the same pid.)
"""

SCHEMA = """
CREATE TABLE replies (
    key TEXT PRIMARY KEY, body BLOB NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, estimated INTEGER NOT NULL
);
CREATE TABLE attempts (
    id INTEGER PRIMARY KEY, key TEXT NOT NULL, stage TEXT NOT NULL, item_id TEXT NOT NULL, seed_id TEXT NOT NULL,
    provider TEXT NOT NULL, model TEXT NOT NULL, status TEXT NOT NULL,
    calls INTEGER NOT NULL,      -- 1 where it was or may have been charged
    tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, estimated INTEGER NOT NULL,
    money REAL,                  -- NULL where the price is unknown
    seconds REAL, started REAL NOT NULL, owner TEXT NOT NULL, lease REAL NOT NULL
);
CREATE UNIQUE INDEX attempts_in_flight ON attempts (key) WHERE status = 'in_flight';
-- the sums over attempts
CREATE TABLE spent (money REAL NOT NULL, tokens INTEGER NOT NULL, calls INTEGER NOT NULL);
INSERT INTO spent VALUES (0.0, 0, 0);
"""


def _use_wal(connection: sqlite3.Connection) -> None:
    """Switches the file to WAL mode. Processes often open a new file at the same time, and SQLite
    does not wait for the lock that WAL mode needs, so the function retries until it gets the lock.
    """
    end = time.monotonic() + BUSY_SECONDS
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() > end:
                raise
        time.sleep(0.01)


def _open(path: Path) -> sqlite3.Connection:
    fix = "Give the calls.sqlite of a run, or a path in a folder that exists and is writable."
    if not path.parent.is_dir():
        raise InputError(str(path), "its folder does not exist", fix)
    try:
        connection = sqlite3.connect(
            path, isolation_level=None, check_same_thread=False, timeout=BUSY_SECONDS
        )
        _use_wal(connection)
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute("BEGIN IMMEDIATE")
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            for statement in SCHEMA.split(";\n"):
                connection.execute(statement)
            connection.execute(f"PRAGMA user_version = {VERSION}")
        connection.execute("COMMIT")
    except sqlite3.Error as error:
        raise InputError(str(path), f"the call cache cannot be opened: {error}", fix) from None
    if version not in (0, VERSION):
        connection.close()
        raise InputError(
            str(path),
            f"the call cache has version {version}, this program reads {VERSION}",
            "Use the program that wrote it, or start a new run folder.",
        )
    return connection


class SqliteCache:
    """A `CallCache` that stores its data in an SQLite file. A process has one `SqliteCache`. Event
    loops may use the cache one after the other, but not at the same time.

    Args:
        path: path of the file; a missing file is created. When the cache opens, it marks the
            attempts of dead processes as lost.

    Raises:
        InputError: the file cannot be opened, is no call cache, or has the format of another
            version.
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        self._connection = _open(self.path)
        self._owner = this_owner()
        self._waiting: list[tuple[Callable[[], Any], asyncio.Future | None]] = []
        self._flush_loop: asyncio.AbstractEventLoop | None = None
        self._waiting.append((self._mark_lost, None))
        self._flush()

    # the protocol

    async def lookup(self, key: str) -> Reply | None:
        """The cached reply for a key, or None."""
        return self._reply_of(key)

    async def start(self, key: str, request: CallRequest, budget: Budget) -> Started:
        """Decides whether a request is sent; see `CallCache`."""
        return await self._commit(lambda: self._start(key, request, budget))

    async def settle(
        self,
        attempt_id: int,
        key: str,
        request: CallRequest,
        status: Status,
        seconds: float,
        reply: Reply | None,
    ) -> None:
        """Records the end of an attempt; see `CallCache`."""
        await self._commit(lambda: self._settle(attempt_id, key, request, status, seconds, reply))

    async def forget(self, key: str, reply: Reply) -> None:
        """Removes an invalid reply from the cache; see `CallCache`."""
        await self._commit(
            lambda: self._connection.execute(
                "DELETE FROM replies WHERE key = ? AND body = ?", (key, reply.body)
            )
        )

    def forget_keys(self, keys: Iterable[str]) -> None:
        """Removes replies from the cache, but keeps the rows of the ledger."""
        self._connection.executemany("DELETE FROM replies WHERE key = ?", ((k,) for k in keys))

    def drop(self, attempt_id: int, key: str, request: CallRequest, seconds: float) -> None:
        """Ends an attempt at once as lost."""
        self._waiting.append(
            (lambda: self._settle(attempt_id, key, request, Status.LOST, seconds, None), None)
        )
        self._flush()

    def spent(self) -> Spend:
        """The sum of all that runs and processes have spent or reserved."""
        return Spend(*self._connection.execute("SELECT money, tokens, calls FROM spent").fetchone())

    def new_lane(self, provider: str, model: str, pace: Pace) -> AnyLane:
        """A lane (the queue of calls) for this process alone. With `work_per_minute`, the calls in
        this lane take turns with the calls of all processes that use the same file.
        """
        if pace.work_per_minute is None:
            return Lane(pace)
        return TurnLane(
            Path(f"{self.path}-turns-{quote(f'{provider} {model}'.strip(), safe='')}"),
            provider,
            pace,
        )

    async def aclose(self) -> None:
        """This backend has nothing to release, because the file belongs to no event loop."""

    def close(self) -> None:
        """Closes the cache. After the last process has closed the cache, SQLite's log is gone and
        only one file remains.
        """
        self._connection.close()

    # group commit

    def _commit(self, step: Callable[[], Any]) -> asyncio.Future:
        """Returns a future for the result of a step. The result arrives after the transaction of
        the step is committed.
        """
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        self._waiting.append((step, future))
        # An earlier loop may have ended before its flush ran.
        if len(self._waiting) == 1 or self._flush_loop is not loop:
            self._flush_loop = loop
            loop.call_soon(self._flush)
        return future

    def _flush(self) -> None:
        steps, self._waiting = self._waiting, []
        if not steps:
            return
        results: list[Any] = []
        failure: Exception | None = None
        try:
            self._connection.execute("BEGIN IMMEDIATE")
            results = [step() for step, _ in steps]
            self._connection.execute("COMMIT")
        except Exception as error:
            if self._connection.in_transaction:
                self._connection.execute("ROLLBACK")
            failure = (
                InputError(
                    str(self.path),
                    f"the call cache cannot be written: {error}",
                    "Free the disk or mend its rights, then resume.",
                )
                if isinstance(error, sqlite3.Error)
                else error
            )
        for i, (_, future) in enumerate(steps):
            if future is None or future.done() or future.get_loop().is_closed():
                continue
            if failure is None:
                future.set_result(results[i])
            else:
                future.set_exception(failure)
        if failure is not None and any(future is None for _, future in steps):
            raise failure

    # steps inside a transaction

    def _reply_of(self, key: str) -> Reply | None:
        row = self._connection.execute(
            "SELECT body, tokens_in, tokens_out, estimated FROM replies WHERE key = ?", (key,)
        ).fetchone()
        return (
            Reply(
                body=row[0],
                tokens_in=row[1],
                tokens_out=row[2],
                estimated=bool(row[3]),
                cached=True,
            )
            if row
            else None
        )

    def _start(self, key: str, request: CallRequest, budget: Budget) -> Started:
        reply = self._reply_of(key)
        if reply is not None:
            return Started(Decision.HIT, reply=reply)
        execute, now = self._connection.execute, time.time()
        held = execute(
            "SELECT id, owner, lease FROM attempts WHERE key = ? AND status = 'in_flight'", (key,)
        ).fetchone()
        if held is not None:
            if held[2] > now and is_alive(held[1]):
                return Started(Decision.BUSY)
            execute("UPDATE attempts SET status = 'lost' WHERE id = ?", held[:1])
        money = (
            None
            if request.price is None
            else request.price.of(request.tokens_in, request.tokens_out)
        )
        cost = Spend(money or 0.0, request.tokens_in + request.tokens_out, 1)
        limit = budget.breach(self.spent() + cost)
        if limit:
            self._mark_lost()
            still_open = budget.breach(self.spent() - self._in_flight() + cost)
            return Started(Decision.EXCEEDED if still_open else Decision.FULL, limit=limit)
        cursor = execute(
            "INSERT INTO attempts (key, stage, item_id, seed_id, provider, model, status, calls, tokens_in, tokens_out, estimated, money,"
            " started, owner, lease) VALUES (?, ?, ?, ?, ?, ?, 'in_flight', 1, ?, ?, 1, ?, ?, ?, ?)",
            (
                key,
                request.stage,
                request.item_id,
                request.seed_id,
                request.provider,
                request.model,
                request.tokens_in,
                request.tokens_out,
                money,
                now,
                self._owner,
                now + request.timeout + LEASE_MARGIN,
            ),
        )
        self._add(cost)
        assert cursor.lastrowid is not None
        return Started(Decision.SEND, attempt_id=cursor.lastrowid)

    def _settle(
        self,
        attempt_id: int,
        key: str,
        request: CallRequest,
        status: Status,
        seconds: float,
        reply: Reply | None,
    ) -> None:
        assert (reply is not None) == (status is Status.OK)
        execute = self._connection.execute
        if reply is None and status not in FREE_OF_CHARGE:
            execute(
                "UPDATE attempts SET status = ?, seconds = ? WHERE id = ?",
                (status, seconds, attempt_id),
            )
            return
        before = Spend(
            *execute(
                "SELECT COALESCE(money, 0.0), tokens_in + tokens_out, calls FROM attempts WHERE id = ?",
                (attempt_id,),
            ).fetchone()
        )
        tokens_in, tokens_out, estimated, calls = 0, 0, False, 0
        money: float | None = 0.0
        if reply is not None:
            tokens_in, tokens_out, estimated, calls = (
                reply.tokens_in,
                reply.tokens_out,
                reply.estimated,
                1,
            )
            money = None if request.price is None else request.price.of(tokens_in, tokens_out)
            execute(
                "INSERT OR IGNORE INTO replies VALUES (?, ?, ?, ?, ?)",
                (key, reply.body, tokens_in, tokens_out, estimated),
            )
        execute(
            "UPDATE attempts SET status = ?, seconds = ?, calls = ?, tokens_in = ?, tokens_out = ?, estimated = ?, money = ?"
            " WHERE id = ?",
            (status, seconds, calls, tokens_in, tokens_out, estimated, money, attempt_id),
        )
        self._add(Spend(money or 0.0, tokens_in + tokens_out, calls) - before)

    def _add(self, cost: Spend) -> None:
        self._connection.execute(
            "UPDATE spent SET money = money + ?, tokens = tokens + ?, calls = calls + ?",
            (cost.money, cost.tokens, cost.calls),
        )

    def _in_flight(self) -> Spend:
        return Spend(
            *self._connection.execute(
                "SELECT COALESCE(SUM(money), 0.0), COALESCE(SUM(tokens_in + tokens_out), 0), COALESCE(SUM(calls), 0)"
                " FROM attempts WHERE status = 'in_flight'"
            ).fetchone()
        )

    def _mark_lost(self) -> None:
        """Marks the attempts of dead processes as lost. Lost attempts keep their reserved cost, because the provider
        may have charged for them."""
        rows = self._connection.execute(
            "SELECT id, owner, lease FROM attempts WHERE status = 'in_flight'"
        ).fetchall()
        gone = {owner for _, owner, _ in rows if not is_alive(owner)}
        lost = [(i,) for i, owner, lease in rows if owner in gone or lease < time.time()]
        self._connection.executemany("UPDATE attempts SET status = 'lost' WHERE id = ?", lost)
