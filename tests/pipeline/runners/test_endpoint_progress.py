"""What the progress line says of endpoints, read from a ledger that real calls have written."""

import asyncio

import pytest

from questloom.calls.attempts import Status
from questloom.calls.caller import Caller
from questloom.calls.request import FREE, CallRequest, Reply
from questloom.calls.retry import CallFault, RetryPolicy
from questloom.calls.sqlite import SqliteCache
from questloom.models.endpoints import EndpointConfig
from questloom.pipeline.runners import endpoint_progress
from questloom.pipeline.runners.endpoint_progress import TROUBLE, EndpointProgress, endpoint_words
from questloom.records.errors import ProviderFault
from tests.calls.redis_server import needs_redis

LAB = EndpointConfig(name="lab", base_url="http://lab:8000/v1")


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    for name in ("LOOK_SECONDS", "SHARED_LOOK_SECONDS"):
        monkeypatch.setattr(endpoint_progress, name, 0.0)


@pytest.fixture(params=["sqlite", pytest.param("redis", marks=needs_redis)])
def place(request, tmp_path):
    if request.param == "sqlite":
        return tmp_path / "calls.sqlite"
    return request.getfixturevalue("redis_server").url(f"progress-{tmp_path.name}")


@pytest.fixture(scope="session")
def redis_server(tmp_path_factory):
    from tests.calls.redis_server import RedisServer

    server = RedisServer(tmp_path_factory.mktemp("redis"))
    server.start()
    yield server
    server.stop()


def calls(place, *ends: Status, attempts: int = 1, provider: str = "lab", first: int = 0) -> None:
    """A call that ends in each of these ways, `attempts` times."""
    from questloom.calls.open import open_cache

    cache = open_cache(place)

    async def one(number: int, end: Status) -> None:
        async def send(key: str) -> Reply:
            if end is Status.OK:
                return Reply(body=b"")
            raise CallFault(provider, "no", end)

        try:
            await Caller(
                cache, retry=RetryPolicy(max_attempts=attempts, first_delay=0.001, max_delay=0.001)
            ).call(CallRequest(provider=provider, content=number, price=FREE), send)
        except ProviderFault:
            assert end is not Status.OK

    async def all_of_them() -> None:
        for number, end in enumerate(ends, first):
            await one(number, end)
        await cache.aclose()

    asyncio.run(all_of_them())
    cache.close()


def test_first_contact_with_a_server_that_never_answers_says_so_and_how_to_mend_it(place):
    progress = EndpointProgress(place, [LAB])
    assert progress.words() == ""
    calls(place, *[Status.TIMEOUT] * 3, attempts=2)
    assert (
        progress.words()
        == "lab: 3 asked, 0 answered, 6 gave no reply within 120 s: lower max_in_flight or raise timeout"
    )


def test_replies_and_every_kind_of_trouble_are_counted(place):
    progress = EndpointProgress(
        place,
        [LAB, LAB.model_copy(update={"name": "other"}), LAB.model_copy(update={"name": "unused"})],
    )
    calls(place, *[Status.OK] * 2, *TROUBLE)
    calls(place, Status.OK, provider="other", first=50)
    calls(place, Status.OK, provider="wikidata", first=60)
    assert (
        progress.words()
        == f"lab: 8 asked, 2 answered, {', '.join(f'1 {words}' for words in TROUBLE.values())}; other: 1 asked, 1 answered"
    )


def test_only_what_was_asked_since_the_job_began_counts(tmp_path, monkeypatch):
    calls(tmp_path / "calls.sqlite", Status.TIMEOUT, Status.OK)
    assert EndpointProgress(tmp_path / "calls.sqlite", [LAB]).words() == ""


def test_of_many_attempts_the_last_are_counted(place, monkeypatch):
    monkeypatch.setattr(endpoint_progress, "LAST", 3)
    progress = EndpointProgress(place, [LAB])
    calls(place, Status.CUT, *[Status.OK] * 4)
    assert progress.words() == "lab: 3 asked lately, 3 answered"


@pytest.mark.parametrize(
    ("most", "answered", "late", "mend"),
    [
        (64, 0, 1, ": lower max_in_flight or raise timeout"),
        (1, 0, 1, ": raise timeout"),
        (64, 20, 2, ": lower max_in_flight or raise timeout"),
        (64, 21, 2, ""),
    ],
)
def test_how_to_mend_timeouts_is_said_where_they_are_many(most, answered, late, mend):
    attempts = [
        *((f"a{n}", "ok") for n in range(answered)),
        *((f"b{n}", "timeout") for n in range(late)),
    ]
    words = endpoint_words(LAB.model_copy(update={"max_in_flight": most}), attempts)
    assert words.endswith(f"{late} gave no reply within 120 s{mend}")


def test_an_endpoint_that_nothing_answers_at_is_told_once(place):
    progress = EndpointProgress(place, [LAB])
    calls(place, Status.UNREACHABLE, Status.SERVER_ERROR)
    progress.words()
    assert [line.split(";")[0] for line in progress.news()] == [
        "endpoint lab at http://lab:8000/v1 has given no reply so far"
    ]
    assert progress.news() == []


def test_an_endpoint_that_has_answered_is_not_told(place):
    progress = EndpointProgress(place, [LAB])
    calls(place, Status.UNREACHABLE, Status.OK)
    progress.words()
    assert progress.news() == []


def test_a_job_without_models_and_a_ledger_that_cannot_be_read_say_nothing(tmp_path):
    assert EndpointProgress(None, [LAB]).words() == ""
    (tmp_path / "calls.sqlite").write_text("no database " * 100)
    assert EndpointProgress(tmp_path / "calls.sqlite", [LAB]).words() == ""
    SqliteCache(tmp_path / "empty.sqlite").close()
    assert EndpointProgress(tmp_path / "empty.sqlite", [LAB]).words() == ""
