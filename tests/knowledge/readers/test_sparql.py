"""The query service: its slices, its cache, and a service that misbehaves."""

import json
import time
import urllib.parse

import pytest

from questloom.calls.caller import Caller
from questloom.calls.ledger import cost_lines
from questloom.calls.retry import RetryPolicy
from questloom.calls.sqlite import SqliteCache
from questloom.knowledge.readers.sparql import SparqlService
from questloom.records.errors import InputError, ProviderFault


def _service(server, tmp_path, *, attempts=4):
    """The service without its pace: the engine is ours."""
    caller = Caller(
        SqliteCache(tmp_path / "calls.sqlite"),
        retry=RetryPolicy(max_attempts=attempts, first_delay=0.01, max_retry_after=100),
    )
    return SparqlService(f"{server.address}/sparql", caller, contact="tests@example.org")


def _rows(*items):
    return json.dumps(
        {
            "head": {"vars": ["item"]},
            "results": {
                "bindings": [
                    {"item": {"type": "uri", "value": f"http://www.wikidata.org/entity/{x}"}}
                    for x in items
                ]
            },
        }
    ).encode()


def test_requests_are_identified_and_a_reply_that_is_there_is_not_asked_for_again(
    loopback, tmp_path
):
    said = (200, {"Content-Type": "application/sparql-results+json"}, _rows("Q7"))
    loopback.answer = lambda path, body, number: said
    first = _service(loopback, tmp_path).select("SELECT ?item WHERE {}")
    assert _service(loopback, tmp_path).select("SELECT ?item WHERE {}") == first
    assert len(loopback.requests) == 1
    assert loopback.requests[0][2]["user-agent"] == "Questloom/0.1 (tests@example.org)"


def test_without_a_contact_nothing_is_asked(monkeypatch, tmp_path):
    monkeypatch.delenv("QUESTLOOM_CONTACT", raising=False)
    for contact in ("", "nobody"):
        with pytest.raises(InputError, match="without a contact"):
            SparqlService(
                "http://127.0.0.1:9",
                Caller(SqliteCache(tmp_path / "calls.sqlite")),
                contact=contact,
            )


def test_slices_are_asked_for_until_one_is_not_full(loopback, tmp_path):
    def answer(path, body, number):
        query = urllib.parse.parse_qs(body)["query"][0]
        offset = int(query.rpartition("OFFSET ")[2])
        return (
            200,
            {"Content-Type": "application/sparql-results+json"},
            _rows(*[f"Q{n}" for n in range(offset, min(offset + 4, 10))]),
        )

    loopback.answer = answer
    rows = list(_service(loopback, tmp_path).select_all("SELECT ?item WHERE {}", "?item", page=4))
    assert [r["item"]["value"].rpartition("/")[2] for r in rows] == [f"Q{n}" for n in range(10)]
    assert len(loopback.requests) == 3


@pytest.mark.parametrize(
    "bad",
    [
        (429, {"Retry-After": "0.3"}, b"too many"),
        (500, {}, b"java.util.concurrent.TimeoutException"),
        (503, {}, b""),
        (200, {}, b"<html>busy</html>"),
        (200, {}, b'{"head": {}, "results": {"bindings": [{"item"'),
        (200, {}, b"[]"),
        (200, {"Content-Length": "500"}, b"cut"),
    ],
)
def test_a_passing_failure_is_asked_again_and_never_cached(loopback, tmp_path, bad):
    loopback.answer = lambda path, body, number: (
        bad
        if number < 3
        else (200, {"Content-Type": "application/sparql-results+json"}, _rows("Q1"))
    )
    began = time.monotonic()
    assert len(_service(loopback, tmp_path).select("SELECT ?item WHERE {}")) == 1
    assert len(loopback.requests) == 3
    assert time.monotonic() - began > (0.6 if bad[0] == 429 else 0)
    (line,) = cost_lines(tmp_path / "calls.sqlite", by=("provider",))
    assert (line.group, line.num_faults, line.money) == (("sparql",), 2, 0)


def test_a_lasting_failure_leaves_the_work_pending(loopback, tmp_path):
    loopback.answer = lambda path, body, number: (500, {}, b"down")
    with pytest.raises(ProviderFault) as caught:
        _service(loopback, tmp_path).select("SELECT ?item WHERE {}")
    assert caught.value.retryable
    assert len(loopback.requests) == 4
    loopback.answer = lambda path, body, number: (
        200,
        {"Content-Type": "application/sparql-results+json"},
        _rows("Q1"),
    )
    assert len(_service(loopback, tmp_path).select("SELECT ?item WHERE {}")) == 1


def test_a_page_of_html_is_told_in_words_with_the_address(loopback, tmp_path):
    for status, body in (
        (404, b"<html><body>Not here</body></html>"),
        (501, b"<!DOCTYPE HTML><html><title>Error</title><p>Unsupported method</p>"),
    ):
        loopback.answer = lambda path, body, number, reply=(status, {}, body): reply
        with pytest.raises(ProviderFault, match=r"http://127.*") as caught:
            _service(loopback, tmp_path).select(f"SELECT {status}")
        assert "<" not in str(caught.value)


@pytest.mark.parametrize(
    "bad",
    [(400, {}, b"malformed"), (403, {}, b"forbidden"), (429, {"Retry-After": "90000"}, b"banned")],
)
def test_a_refusal_or_a_ban_is_not_asked_again(loopback, tmp_path, bad):
    loopback.answer = lambda path, body, number: bad
    with pytest.raises(ProviderFault):
        _service(loopback, tmp_path).select("SELECT nonsense")
    assert len(loopback.requests) == 1
