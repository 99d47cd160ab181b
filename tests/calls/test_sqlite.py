"""The cache file itself: what it refuses, and what survives. What both backends promise: `test_backends.py`."""

import asyncio
import sqlite3

import pytest

from questloom.calls.attempts import Status
from questloom.calls.budget import Budget
from questloom.calls.owner import is_alive, this_owner
from questloom.calls.request import CallRequest, Price, Reply
from questloom.calls.sqlite import SqliteCache
from questloom.records.errors import InputError


def request(content: object = "question", **changes) -> CallRequest:
    return CallRequest(
        **{
            "provider": "p",
            "content": content,
            "tokens_in": 7,
            "tokens_out": 9,
            "price": Price(1.0, 2.0),
        }
        | changes
    )


def fill(path, name: str) -> None:
    if name == "text":
        path.write_text(
            "this is no database, it is a text that is long enough to be looked at " * 20
        )
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
        await cache.settle(
            one.attempt_id, request(0).key(), request(0), Status.OK, 0.1, Reply(body=b"kept")
        )
        pages = cache._connection.execute("PRAGMA page_count").fetchone()[0]
        cache._connection.execute(f"PRAGMA max_page_count = {pages + 4}")
        two = await cache.start(request(1).key(), request(1), Budget())
        with pytest.raises(InputError, match="cannot be written"):
            await cache.settle(
                two.attempt_id,
                request(1).key(),
                request(1),
                Status.OK,
                0.1,
                Reply(body=b"x" * 100_000),
            )
        assert (await cache.lookup(request(0).key())).body == b"kept"
        assert await cache.lookup(request(1).key()) is None

    asyncio.run(fill_it())
    cache.close()


def test_a_pid_that_another_process_got_is_another_owner():
    pid, start = this_owner().split(":")
    assert is_alive(f"{pid}:{start}")
    if start:
        assert not is_alive(f"{pid}:{int(start) - 1}")
