"""Both backends of the call cache, for the tests that must pass on either."""

import itertools
import sqlite3
import time

import pytest

from questloom.calls.cache import CallCache
from questloom.calls.sqlite import SqliteCache
from tests.calls.redis_server import LIFE, RedisServer, needs_redis

PREFIXES = (f"test{i}" for i in itertools.count())


class SqliteBackend:
    """A file, opened as often as a test likes."""

    life = 0.0

    def __init__(self, place: str) -> None:
        self.place = place
        self._opened: list[CallCache] = []

    def open(self) -> CallCache:
        self._opened.append(self._new())
        return self._opened[-1]

    def renew(self) -> None:
        """A fresh place."""
        self.close()
        self.place += "x"

    def close(self) -> None:
        for cache in self._opened:
            cache.close()
        self._opened.clear()

    def _new(self) -> CallCache:
        return SqliteCache(self.place)

    def statuses(self, key: str) -> list[str]:
        """What the ledger says of a key, read by somebody else."""
        with sqlite3.connect(self.place) as other:
            return [
                status
                for (status,) in other.execute("SELECT status FROM attempts WHERE key = ?", (key,))
            ]


class RedisBackend(SqliteBackend):
    """A prefix on a server."""

    life = LIFE

    def _new(self) -> CallCache:
        from questloom.calls.shared.redis_cache import RedisCache

        return RedisCache(self.place, life=LIFE)

    def statuses(self, key: str) -> list[str]:
        from questloom.calls.shared.redis_ledger import rows

        return [row["status"] for row in rows(self.place) if row["key"] == key]


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory):
    """One server for all tests that do not kill it."""
    server = RedisServer(tmp_path_factory.mktemp("redis"))
    server.start()
    with server.client() as client:
        while (
            client.info("server")["uptime_in_seconds"] < 1
        ):  # one that has just started takes no worker for dead
            time.sleep(0.02)
    yield server
    server.stop()


@pytest.fixture(params=["sqlite", pytest.param("redis", marks=needs_redis)])
def backend(request, tmp_path):
    """A fresh backend of either kind."""
    place = (
        str(tmp_path / "calls.sqlite")
        if request.param == "sqlite"
        else request.getfixturevalue("redis_server").url(next(PREFIXES))
    )
    made = (SqliteBackend if request.param == "sqlite" else RedisBackend)(place)
    yield made
    made.close()
