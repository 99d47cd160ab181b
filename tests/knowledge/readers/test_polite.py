"""How services are asked: named, one at a time, with every attempt in the ledger, and nothing twice."""

import asyncio
import multiprocessing
import os
import signal
import time

import pytest

from questloom.calls.attempts import Status
from questloom.calls.ledger import cost_lines
from questloom.calls.retry import CallFault, RetryPolicy
from questloom.knowledge.readers.polite import (
    CALLS,
    COMMONS,
    FILES,
    PACES,
    QUERIES,
    WIKIDATA,
    WIKIPEDIA,
    ask,
    polite_caller,
    user_agent,
)
from questloom.records.errors import InputError, ProviderFault

RETRY = RetryPolicy(max_attempts=3, first_delay=0.01, max_retry_after=50)


def _replies(*outcomes):
    """Sends that give these, one after the other."""
    left = list(outcomes)

    async def send():
        outcome = left.pop(0)
        if isinstance(outcome, CallFault):
            raise outcome
        return outcome

    return send


def _half():
    return CallFault("p", "half", Status.BAD_RESPONSE)


def test_a_contact_comes_from_the_option_or_the_environment(monkeypatch):
    monkeypatch.setenv("QUESTLOOM_CONTACT", "https://example.org/us")
    assert user_agent() == "Questloom/0.1 (https://example.org/us)"
    assert user_agent("a@b.org") == "Questloom/0.1 (a@b.org)"
    with pytest.raises(InputError):
        user_agent("a@b.org\r\nX-Evil: 1")


def test_a_reply_that_arrived_is_there_for_every_later_process(tmp_path):
    for send in (_replies(b"whole"), _replies()):
        with polite_caller(tmp_path / "new", retry=RETRY) as caller:
            assert ask(caller, COMMONS, {"q": 1}, send, timeout=5) == b"whole"


def _ask_twice(folder, told):
    async def stay():
        told.put("asked")
        await asyncio.sleep(60)

    with polite_caller(folder, retry=RETRY) as caller:
        ask(caller, COMMONS, {"q": 1}, _replies(b"first"), timeout=90)
        ask(caller, COMMONS, {"q": 2}, stay, timeout=90)


def test_after_a_kill_only_what_had_not_arrived_is_asked_for_again(tmp_path):
    context = multiprocessing.get_context("fork")
    told = context.Queue()
    process = context.Process(target=_ask_twice, args=(tmp_path, told))
    process.start()
    assert told.get(timeout=20) == "asked"
    os.kill(process.pid, signal.SIGKILL)
    process.join(10)
    with polite_caller(tmp_path, retry=RETRY) as caller:
        assert ask(caller, COMMONS, {"q": 1}, _replies(), timeout=5) == b"first"
        assert ask(caller, COMMONS, {"q": 2}, _replies(b"second"), timeout=5) == b"second"
    (line,) = cost_lines(tmp_path / CALLS, by=())
    assert (line.num_calls, line.num_lost) == (3, 1)


def test_every_attempt_stands_in_the_ledger_and_costs_nothing_and_only_a_whole_reply_is_cached(
    tmp_path,
):
    with polite_caller(tmp_path, retry=RETRY) as caller:
        assert ask(caller, COMMONS, {"q": 1}, _replies(_half(), b"whole"), timeout=5) == b"whole"
        with pytest.raises(ProviderFault, match="half"):
            ask(caller, FILES, {"q": 1}, _replies(_half(), _half(), _half()), timeout=5)
        assert ask(caller, FILES, {"q": 1}, _replies(b"now"), timeout=5) == b"now"
    lines = cost_lines(tmp_path / CALLS, by=("stage", "provider"))
    assert [(line.group, line.num_calls, line.num_faults) for line in lines] == [
        (("ingest", "commons"), 2, 1),
        (("ingest", "commons-files"), 4, 3),
    ]
    assert all(
        line.money == line.tokens_in == line.tokens_out == line.num_unpriced == 0 for line in lines
    )


def test_each_service_is_asked_one_request_at_a_time_and_a_minute_of_work_a_minute():
    assert set(PACES) == {QUERIES, WIKIDATA, WIKIPEDIA, COMMONS, FILES}
    assert all((pace.max_in_flight, pace.work_per_minute) == (1, 60) for pace in PACES.values())


def test_two_who_ask_together_are_served_one_after_the_other(tmp_path):
    async def together() -> list[str]:
        seen = []

        async def send():
            seen.append("in")
            await asyncio.sleep(0.05)
            seen.append("out")
            return b"x"

        with polite_caller(tmp_path) as one, polite_caller(tmp_path) as other:
            await asyncio.gather(
                *(
                    asyncio.to_thread(ask, caller, COMMONS, {"q": number}, send, timeout=5)
                    for number, caller in enumerate((one, other))
                )
            )
        return seen

    assert asyncio.run(together()) == ["in", "out", "in", "out"]


def test_a_pause_that_was_asked_for_is_kept_by_a_later_process(tmp_path):
    fault = CallFault("p", "slow down", Status.RATE_LIMITED, status=429, retry_after=0.4)
    with (
        polite_caller(tmp_path, retry=RetryPolicy(max_attempts=1)) as caller,
        pytest.raises(ProviderFault),
    ):
        ask(caller, COMMONS, {"q": 1}, _replies(fault), timeout=5)
    began = time.monotonic()
    with polite_caller(tmp_path, retry=RETRY) as caller:
        ask(caller, COMMONS, {"q": 1}, _replies(b"x"), timeout=5)
    assert time.monotonic() - began > 0.35
