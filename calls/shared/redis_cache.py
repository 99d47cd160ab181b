"""The call cache, the ledger and the budget in one Redis database, shared by the workers of a cluster.

For each decision, one script runs on the server. Because each decision is one script, the cache,
the calls in flight and the budget stay consistent for all workers. An attempt belongs to a worker
until the worker dies, or until the request's timeout is long over. After the worker's death or the
timeout, the attempt counts as lost. If another worker waits for the same reply, it sends the
request again.

Workers on the same machine can see whether a worker exists, even if it is slow or stopped. Workers
on another machine can see only a sign of life: a key that expires unless the worker renews it.

The server needs Redis 6 or later, and enough memory for all replies and ledger rows. The server's
`maxmemory-policy` must be `noeviction`. With any other `maxmemory-policy`, the server could delete
replies, so opening the cache fails. The server should have `appendonly yes`. With `appendonly yes`,
replies survive a restart or kill of the server. A power cut may lose the replies of the last second
(`appendfsync everysec`). Without `appendonly yes`, a restart of the server loses all data, and
opening the cache logs a warning. If data were lost, a running job stops with an error. The job does
not pay for a reply twice, and does not exceed its budget.
"""

import logging
import os
import socket
import threading
import time
import uuid
from collections.abc import Sequence
from typing import Any

import orjson
from redis.exceptions import RedisError

from questloom.calls.attempts import FREE_OF_CHARGE, Status
from questloom.calls.budget import Budget, Spend
from questloom.calls.cache import Decision, Started
from questloom.calls.owner import boot_and_pid_namespace, is_alive, this_owner
from questloom.calls.pacing import Pace
from questloom.calls.request import CallRequest, Reply
from questloom.calls.shared.lane import SharedLane
from questloom.calls.shared.link import Link
from questloom.calls.shared.place import Place, place_of
from questloom.records.errors import InputError, ProviderFault

LOG = logging.getLogger(__name__)
VERSION = 1
LEAST_REDIS = 6
LIFE_SECONDS = 15.0
"""Number of seconds without a sign of life after which a worker on another machine counts as dead.
"""
PATIENCE_SECONDS = 60.0
"""Number of seconds that a call waits for a server that cannot be reached or is restarting."""
OPEN_SECONDS = 5.0
"""Number of seconds that opening the cache waits for a server that cannot be reached."""
LEASE_MARGIN = 60.0
"""Number of seconds after its timeout at which an attempt counts as lost, even if its worker is
alive.
"""
LIMITS = ("money", "tokens", "calls")
_OPEN: set[str] = set()
"""The names of the caches that are open in this process. The server knows each cache by its
name.
"""


def check_server(link: Link) -> None:
    """Refuses a server that may delete data. Warns about a server that loses its data at a restart.

    Raises:
        InputError: the server cannot be reached, refuses the connection, is too old, or may delete
            keys.
    """
    where = str(link.place)
    try:
        info = link.run_now("INFO", patience=OPEN_SECONDS)
    except ProviderFault as fault:
        raise InputError(
            where,
            f"the call cache cannot be opened: {fault.message}",
            "Start Redis there and check the address; a password stands in QUESTLOOM_REDIS_PASSWORD.",
        ) from None
    if int(str(info["redis_version"]).split(".")[0]) < LEAST_REDIS:
        raise InputError(
            where,
            f"Redis is of version {info['redis_version']}",
            f"Use version {LEAST_REDIS} or later.",
        )
    policy = str(info.get("maxmemory_policy", "noeviction"))
    if policy.startswith("allkeys") and int(info.get("maxmemory", 0)):
        raise InputError(
            where,
            f"Redis throws keys away when its memory is full (maxmemory-policy {policy}): paid replies and the spend would vanish",
            "Set maxmemory-policy noeviction.",
        )
    if not int(info.get("aof_enabled", 0)):
        LOG.warning(
            "%s keeps no append-only file: a restart of Redis loses replies that were paid for. Set `appendonly yes`.",
            where,
        )


class RedisCache:
    """A `CallCache` that stores its data in a Redis database. A process has one `RedisCache`. Event
    loops may use the cache one after the other, but not at the same time.

    Args:
        place: the address, `redis://host:port/db?prefix=NAME`. Each prefix has its own budget and
            ledger.
        life: number of seconds after which a silent worker on another machine counts as dead.
        patience: maximum number of seconds that a call waits for a server that cannot be reached.

    Raises:
        InputError: the server cannot be reached, `check_server` refuses it, or its data have the
            format of another version.
    """

    def __init__(
        self, place: str | Place, *, life: float = LIFE_SECONDS, patience: float = PATIENCE_SECONDS
    ) -> None:
        self.place = place_of(place) if isinstance(place, str) else place
        self.life = life
        self._link = Link(self.place, patience=patience)
        check_server(self._link)
        self._owner = f"{boot_and_pid_namespace() or socket.gethostname()}|{this_owner()}|{uuid.uuid4().hex[:12]}".replace(
            " ", "_"
        )
        self._swept, self._num_lanes = 0.0, 0
        try:
            self._data = self._open_data()
            self._stopped = threading.Event()
            self._renew()
            self._link.run_now(
                *self._sweep(self._link.run_now(*self._link.call_of("owners", self._grace())))
            )
        except ProviderFault as fault:
            raise InputError(
                str(self.place),
                f"the call cache cannot be opened: {fault.message}",
                "Check the server and its rights.",
            ) from None
        _OPEN.add(self._owner)
        # A thread, since an event loop that computes for seconds, or ends, does not mean that the
        # worker is dead.
        self._thread = threading.Thread(target=self._live, name="sign of life", daemon=True)
        self._thread.start()

    # the protocol

    async def lookup(self, key: str) -> Reply | None:
        """The cached reply for a key, or None."""
        return _reply(
            await self._link.submit(
                "HMGET", self._name("reply", key), "body", "tokens_in", "tokens_out", "estimated"
            )
        )

    async def start(self, key: str, request: CallRequest, budget: Budget) -> Started:
        """Decides whether a request is sent; see `CallCache`.

        Raises: ProviderFault: the server cannot be reached for longer than `patience` seconds, or
            has lost its data.
        """
        attempt, reserved = int.from_bytes(os.urandom(6)), _reserved(request)
        row = _row(key, request, Status.IN_FLIGHT, None, reserved, 1, request.price is None, True)
        limits = [
            "" if limit is None else repr(limit)
            for limit in (budget.money, budget.tokens, budget.calls)
        ]
        command = self._link.call_of(
            "start",
            key,
            attempt,
            self._owner,
            self._data,
            round((request.timeout + LEASE_MARGIN) * 1000),
            self._grace(),
            repr(reserved[0]),
            reserved[1] + reserved[2],
            row,
            *limits,
        )
        answer = await self._link.submit(*command, undo=self._link.call_of("abandon", key, attempt))
        while answer[0] == b"busy" and _is_gone(answer[1].decode(), answer[2] == 1):
            await self._link.submit(*self._link.call_of("sweep", answer[1]))
            answer = await self._link.submit(
                *command, undo=self._link.call_of("abandon", key, attempt)
            )
        match answer[0]:
            case b"send":
                return Started(Decision.SEND, attempt_id=attempt)
            case b"hit":
                return Started(Decision.HIT, reply=_reply(answer[1:]))
            case b"busy":
                return Started(Decision.BUSY)
            case b"full" | b"exceeded" as word:
                limit = LIMITS[int(answer[1]) - 1]
                if (
                    word == b"full" and time.monotonic() - self._swept > self.life / 4
                ):  # a dead worker may hold the request that this call waits for
                    self._swept = time.monotonic()
                    await self._link.submit(
                        *self._sweep(
                            await self._link.submit(*self._link.call_of("owners", self._grace()))
                        )
                    )
                return Started(
                    Decision(word.decode()),
                    limit=f"the budget of {getattr(budget, limit):g} {limit}",
                )
        raise self._gone()

    async def settle(
        self,
        attempt_id: int,
        key: str,
        request: CallRequest,
        status: Status,
        seconds: float,
        reply: Reply | None,
    ) -> None:
        """Records the end of an attempt; see `CallCache`.

        Raises:
            ProviderFault: the reply could not be stored, so the attempt counts as lost and no
                caller gets its reply.
        """
        answer = await self._link.submit(
            *self._settle(attempt_id, key, request, status, seconds, reply), keep=True
        )
        if answer[0] == b"gone":
            raise self._gone()

    async def forget(self, key: str, reply: Reply) -> None:
        """Removes an invalid reply from the cache; see `CallCache`."""
        await self._link.submit(*self._link.call_of("forget", key, reply.body))

    def drop(self, attempt_id: int, key: str, request: CallRequest, seconds: float) -> None:
        """Ends an attempt at once as lost. If the server cannot be reached, the attempt becomes
        lost later, when the worker's claim to the attempt expires.
        """
        try:
            self._link.run_now(*self._settle(attempt_id, key, request, Status.LOST, seconds, None))
        except ProviderFault as fault:
            LOG.warning(
                "an attempt that was dropped stays in flight until its lease ends: %s", fault
            )

    def spent(self) -> Spend:
        """The sum of all that the workers have spent or reserved."""
        money, tokens, calls = self._link.run_now(
            "HMGET", self._name("spent"), *LIMITS, patience=OPEN_SECONDS
        )
        return Spend(float(money or 0), int(tokens or 0), int(calls or 0))

    def new_lane(self, provider: str, model: str, pace: Pace) -> SharedLane:
        """The lane (the queue of calls) for one model of a provider. All workers share the lane.

        Raises:
            InputError: the pace sets `work_per_minute`, which this backend does not support.
        """
        if pace.work_per_minute is not None:
            raise InputError(
                str(self.place),
                f"{provider} may work {pace.work_per_minute:g} s a minute for us, which a call cache in Redis does not count",
                "Give a file as the call cache.",
            )
        self._num_lanes += 1
        return SharedLane(
            self._link,
            f"{provider}/{model}",
            f"{self._owner}:{self._num_lanes}",
            pace,
            life=self.life,
        )

    def close(self) -> None:
        """Stops renewing this worker's sign of life. Closes the connections that belong to no event
        loop.
        """
        self._stopped.set()
        self._thread.join()
        _OPEN.discard(self._owner)
        try:
            self._link.run_now("DEL", self._name("alive", self._owner))
        except ProviderFault as fault:
            LOG.warning(
                "the sign of life of this worker ends by itself in %g s: %s", self.life, fault
            )
        self._link.close()

    async def aclose(self) -> None:
        """Closes the connection of the running event loop. Call `aclose` before `close`."""
        await self._link.aclose()

    # the server's state

    def _name(self, *parts: str) -> str:
        return ":".join((self.place.prefix, *parts))

    def _grace(self) -> int:
        return round(self.life * 1000)

    def _open_data(self) -> str:
        """Returns the id of the data in the database. If the database has no id, makes a new
        one.
        """
        run = self._link.run_now
        run("SET", self._name("version"), VERSION, "NX")
        version = run("GET", self._name("version"))
        if version != str(VERSION).encode():
            raise InputError(
                str(self.place),
                f"the call cache has version {version.decode(errors='replace')}, this program reads {VERSION}",
                "Use the program that wrote it, or another prefix.",
            )
        run("SET", self._name("id"), uuid.uuid4().hex, "NX")
        return run("GET", self._name("id")).decode()

    def _sweep(self, owners: Sequence[Any]) -> tuple[Any, ...]:
        """The command that finds attempts whose worker is dead or whose time limit has passed, and
        marks them as lost. The command's argument is the result of the script `owners.lua`.
        """
        return self._link.call_of(
            "sweep",
            *(
                name
                for name, silent in zip(owners[::2], owners[1::2], strict=True)
                if _is_gone(name.decode(), silent == 1)
            ),
        )

    def _renew(self) -> None:
        self._link.run_now(
            "SET", self._name("alive", self._owner), 1, "PX", round(self.life * 1000)
        )

    def _live(self) -> None:
        pause = self.life / 4
        while not self._stopped.wait(pause):
            began = time.monotonic()
            try:
                self._renew()
            except (ProviderFault, RedisError) as fault:
                LOG.debug(
                    "no sign of life could be given: %s", fault
                )  # the calls themselves notice the outage, wait and report it
                pause = min(1.0, self.life / 4)
            else:
                pause = max(0.0, self.life / 4 - (time.monotonic() - began))

    def _gone(self) -> ProviderFault:
        return ProviderFault(
            f"call cache {self.place}",
            "its data are gone: Redis was emptied, or restarted without an append-only file. Paid replies and "
            "the spend so far are lost; run the same command again to continue without them",
            retryable=False,
        )

    def _settle(
        self,
        attempt_id: int,
        key: str,
        request: CallRequest,
        status: Status,
        seconds: float,
        reply: Reply | None,
    ) -> tuple[Any, ...]:
        assert (reply is not None) == (status is Status.OK)
        reserved = cost = _reserved(request)
        calls, unpriced, estimated = 1, request.price is None, True
        if reply is not None:
            cost = (
                0.0
                if request.price is None
                else request.price.of(reply.tokens_in, reply.tokens_out),
                reply.tokens_in,
                reply.tokens_out,
            )
            estimated = reply.estimated
        elif status in FREE_OF_CHARGE:
            cost, calls, unpriced, estimated = (0.0, 0, 0), 0, False, False
        row = _row(key, request, status, seconds, cost, calls, unpriced, estimated)
        told = (
            ()
            if reply is None
            else (reply.body, reply.tokens_in, reply.tokens_out, int(reply.estimated))
        )
        return self._link.call_of(
            "settle",
            key,
            attempt_id,
            self._data,
            row,
            repr(reserved[0]),
            reserved[1] + reserved[2],
            repr(cost[0]),
            cost[1] + cost[2],
            calls,
            *told,
        )


def _is_gone(owner: str, silent: bool) -> bool:
    """Whether a worker is dead. The function checks a worker on this machine directly. A worker on
    another machine counts as dead if it is silent.
    """
    machine, _, rest = owner.partition("|")
    process, _, _ = rest.partition("|")
    if not process or machine != boot_and_pid_namespace():
        return silent
    return owner not in _OPEN if process == this_owner() else not is_alive(process)


def _reserved(request: CallRequest) -> tuple[float, int, int]:
    money = (
        0.0 if request.price is None else request.price.of(request.tokens_in, request.tokens_out)
    )
    return money, request.tokens_in, request.tokens_out


def _row(
    key: str,
    request: CallRequest,
    status: Status,
    seconds: float | None,
    cost: tuple[float, int, int],
    calls: int,
    unpriced: bool,
    estimated: bool,
) -> bytes:
    return orjson.dumps(
        {
            "key": key,
            "stage": request.stage,
            "item_id": request.item_id,
            "seed_id": request.seed_id,
            "provider": request.provider,
            "model": request.model,
            "status": status.value,
            "calls": calls,
            "tokens_in": cost[1],
            "tokens_out": cost[2],
            "estimated": estimated,
            "money": None if unpriced else cost[0],
            "seconds": seconds,
            "ended": time.time(),
        }
    )


def _reply(fields: Any) -> Reply | None:
    body, tokens_in, tokens_out, estimated = fields
    if body is None:
        return None
    return Reply(
        body=body,
        tokens_in=int(tokens_in),
        tokens_out=int(tokens_out),
        estimated=estimated == b"1",
        cached=True,
    )
