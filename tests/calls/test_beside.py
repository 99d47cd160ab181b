"""Caches of the parts of one work: each has its own ledger and budget, and what one has paid for serves the others."""
import asyncio
import sqlite3
from pathlib import Path

from calls.beside import share_replies
from calls.budget import Budget
from calls.caller import Caller
from calls.request import FREE, CallRequest, Reply
from calls.sqlite import SqliteCache

QUESTION = CallRequest(provider="p", content="question", price=FREE)


def ask(path: Path, sent: list[str], *, is_reply=None, budget: Budget | None = None) -> Reply:
    async def send(key: str) -> Reply:
        sent.append(path.parent.name)
        return Reply(body=b"good", tokens_in=3, tokens_out=4)

    path.parent.mkdir(parents=True, exist_ok=True)
    cache = SqliteCache(path)
    reply = asyncio.run(Caller(cache, budget=budget).call(QUESTION, send, is_reply=is_reply))
    assert cache.spent().calls == sent.count(path.parent.name), "each part is charged with its own calls"
    cache.close()
    return reply


def test_what_one_part_has_paid_for_the_next_has_for_nothing(tmp_path):
    share_replies(tmp_path, ["parts/*/calls.sqlite"])
    sent: list[str] = []
    first, second = (ask(tmp_path / "parts" / name / "calls.sqlite", sent, budget=Budget(calls=1)) for name in "ab")
    assert sent == ["a"]
    assert (first.cached, second.cached, second.body, second.tokens_in, second.tokens_out) == (False, True, b"good", 3, 4)


def test_caches_that_nobody_put_together_stay_apart(tmp_path):
    share_replies(tmp_path, ["parts/*/calls.sqlite"])
    sent: list[str] = []
    for name in ("parts/a", "elsewhere/b"):
        ask(tmp_path / name / "calls.sqlite", sent)
    for name in ("c", "d"):
        ask(tmp_path.parent / "alone" / name / "calls.sqlite", sent)
    assert sent == ["a", "b", "c", "d"]


def test_a_reply_beside_that_is_none_is_asked_for_and_the_own_one_counts_from_then_on(tmp_path):
    share_replies(tmp_path, ["*/calls.sqlite"])
    sent: list[str] = []
    ask(tmp_path / "a" / "calls.sqlite", sent)
    with sqlite3.connect(tmp_path / "a" / "calls.sqlite") as other:
        other.execute("UPDATE replies SET body = ?", (b"an error",))
    for _ in range(2):
        assert ask(tmp_path / "b" / "calls.sqlite", sent, is_reply=lambda reply: reply.body == b"good").body == b"good"
    assert sent == ["a", "b"]


def test_a_cache_beside_that_is_none_or_of_another_version_is_not_asked(tmp_path):
    share_replies(tmp_path, ["*/calls.sqlite"])
    for name in ("text", "old", "empty"):
        (tmp_path / name).mkdir()
    (tmp_path / "text" / "calls.sqlite").write_text("no database " * 100)
    (tmp_path / "empty" / "calls.sqlite").touch()
    sent: list[str] = []
    ask(tmp_path / "old" / "calls.sqlite", sent)
    with sqlite3.connect(tmp_path / "old" / "calls.sqlite") as other:
        other.execute("PRAGMA user_version = 99")
    ask(tmp_path / "b" / "calls.sqlite", sent)
    assert sent == ["old", "b"]


def test_a_cache_beside_that_breaks_while_it_is_read_is_told_of_and_asked_no_more(tmp_path, caplog):
    share_replies(tmp_path, ["*/calls.sqlite"])
    sent: list[str] = []
    ask(tmp_path / "a" / "calls.sqlite", sent)
    with sqlite3.connect(tmp_path / "a" / "calls.sqlite") as other:
        other.execute("DROP TABLE replies")
    ask(tmp_path / "b" / "calls.sqlite", sent)
    assert sent == ["a", "b"] and "cannot be read" in caplog.text
