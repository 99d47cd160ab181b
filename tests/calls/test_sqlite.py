"""The cache file itself: what it refuses, what survives, and that its sums are the ledger's."""
import asyncio
import os
import sqlite3
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from calls.budget import Budget
from calls.cache import Decision
from calls.ledger import Status, cost_lines
from calls.owner import is_alive, this_owner
from calls.request import CallRequest, Price, Reply
from calls.sqlite import SqliteCache
from records.errors import InputError


def request(content: object = "question", **changes) -> CallRequest:
    return CallRequest(**{"provider": "p", "content": content, "tokens_in": 7, "tokens_out": 9, "price": Price(1.0, 2.0)} | changes)


def fill(path, name: str) -> None:
    if name == "text":
        path.write_text("this is no database, it is a text that is long enough to be looked at " * 20)
    elif name == "folder":
        path.mkdir()
    else:
        SqliteCache(path).close()
        with sqlite3.connect(path) as connection:
            connection.execute("PRAGMA user_version = 99")


@pytest.mark.parametrize("name", ["text", "folder", "version"])
def test_a_file_that_is_no_call_cache_of_ours_is_refused_by_name(tmp_path, name):
    path = tmp_path / "calls.sqlite"
    fill(path, name)
    with pytest.raises(InputError, match=r"calls\.sqlite"):
        SqliteCache(path)


def test_a_missing_folder_is_the_users_error(tmp_path):
    with pytest.raises(InputError, match="folder does not exist"):
        SqliteCache(tmp_path / "none" / "calls.sqlite")


def test_a_full_disk_is_an_error_that_names_the_file_and_keeps_what_was_there(tmp_path):
    cache = SqliteCache(tmp_path / "calls.sqlite")

    async def fill_it() -> None:
        one = await cache.start(request(0).key(), request(0), Budget())
        await cache.settle(one.attempt_id, request(0).key(), request(0), Status.OK, 0.1, Reply(body=b"kept"))
        pages = cache._connection.execute("PRAGMA page_count").fetchone()[0]
        cache._connection.execute(f"PRAGMA max_page_count = {pages + 4}")
        two = await cache.start(request(1).key(), request(1), Budget())
        with pytest.raises(InputError, match="cannot be written"):
            await cache.settle(two.attempt_id, request(1).key(), request(1), Status.OK, 0.1, Reply(body=b"x" * 100_000))
        assert (await cache.lookup(request(0).key())).body == b"kept"
        assert await cache.lookup(request(1).key()) is None

    asyncio.run(fill_it())
    cache.close()


DYING = """
import asyncio, os, sys
from calls.budget import Budget
from calls.request import CallRequest
from calls.sqlite import SqliteCache
cache = SqliteCache(sys.argv[1])
request = CallRequest(provider="p", content="question")
asyncio.run(cache.start(request.key(), request, Budget()))
print(cache._owner, flush=True)
os.kill(os.getpid(), 9)
"""


def test_a_call_in_flight_when_its_process_was_killed_is_lost_and_may_be_sent_again(tmp_path):
    path = tmp_path / "calls.sqlite"
    child = subprocess.run([sys.executable, "-c", DYING, str(path)], capture_output=True, text=True, env=os.environ | {"PYTHONPATH": "."})
    assert child.returncode == -9, child.stderr
    assert not is_alive(child.stdout.strip())
    cache, asked = SqliteCache(path), CallRequest(provider="p", content="question")
    assert cost_lines(path, by=())[0].num_lost == 1
    assert asyncio.run(cache.start(asked.key(), asked, Budget())).decision is Decision.SEND
    cache.close()


def test_a_pid_that_another_process_got_is_another_owner():
    pid, start = this_owner().split(":")
    assert is_alive(f"{pid}:{start}")
    if start:
        assert not is_alive(f"{pid}:{int(start) - 1}")


ENDS = st.sampled_from([status for status in Status if status is not Status.IN_FLIGHT])


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(ENDS, st.integers(0, 50), st.booleans()), max_size=12))
def test_the_spend_is_always_the_sum_of_the_ledger(tmp_path_factory, ends):
    path = tmp_path_factory.mktemp("sums") / "calls.sqlite"
    cache = SqliteCache(path)

    async def live() -> None:
        for i, (status, tokens, priced) in enumerate(ends):
            asked = request(i, price=Price(1.0, 2.0) if priced else None)
            started = await cache.start(asked.key(), asked, Budget())
            reply = Reply(body=b"", tokens_in=tokens, tokens_out=tokens) if status is Status.OK else None
            await cache.settle(started.attempt_id, asked.key(), asked, status, 0.1, reply)

    asyncio.run(live())
    line, spent = cost_lines(path, by=())[0], cache.spent()
    cache.close()
    assert (spent.tokens, spent.calls) == (line.tokens_in + line.tokens_out, line.num_calls)
    assert spent.money == pytest.approx(line.money)
