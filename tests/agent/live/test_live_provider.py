"""The live provider against services on loopback: their protocols, keys, recordings, and what hostile pages and hosts may not do."""

import asyncio
import json
import time

import pytest

from questloom.agent.live.http_client import Http, Keys, is_public
from questloom.agent.live.live_settings import ServiceSettings
from questloom.agent.live.services import jina
from questloom.agent.live.services.service import Query
from questloom.calls.budget import Budget
from questloom.calls.ledger import cost_lines
from questloom.calls.retry import CallFault
from questloom.records.errors import BudgetExceeded, InputError
from tests.agent.live.live_bench import KEYS, SECRETS, LiveBench
from tests.agent.live.live_server import live_services


@pytest.fixture
def services():
    with live_services() as found:
        yield found


@pytest.fixture
def bench(services, tmp_path, monkeypatch):
    monkeypatch.setenv(KEYS, ",".join(SECRETS))
    made: list[LiveBench] = []

    def make(**changes) -> LiveBench:
        made.append(LiveBench(services, tmp_path, **changes))
        return made[-1]

    yield make
    for one in made:
        one.close()


@pytest.mark.parametrize(
    ("kind", "path", "header"),
    [("serper", "/search", "X-API-KEY"), ("serper_scholar", "/scholar", "X-API-KEY")],
)
def test_text_is_searched_with_the_key_in_a_header(services, bench, kind, path, header):
    result = bench(text=kind).call("text_search", query="who built it?", top_k=2)
    assert (result.status, result.cost) == ("ok", 0.001)
    assert (
        result.text.startswith("[1] Page 0 & more\nURL: https://example.org/0\nSnippet 0.")
        and "[3]" not in result.text
    )
    ((asked, method, headers, told),) = services.asked
    assert (asked, method, told) == (path, "POST", {"q": "who built it?", "num": 2})
    assert headers[header] in SECRETS


def test_google_custom_search_is_asked_by_its_engine_and_never_with_the_key_in_the_address(
    services, bench
):
    setting = ServiceSettings(
        kind="google", address=services.base, key_env=KEYS, engine="cx-1", price=0.0
    )
    assert bench(text=setting).call("web_search", query="a b").status == "ok"
    ((_, _, headers, told),) = services.asked
    assert told == {"cx": "cx-1", "q": "a b", "num": "5"}
    assert {k.lower(): v for k, v in headers.items()}["x-goog-api-key"] in SECRETS


def test_a_local_picture_is_searched_without_a_public_address_and_brings_one_picture_a_page(
    services, bench
):
    live = bench()
    result = live.call("image_search", handle=0)
    assert result.status == "ok" and result.images == (1, 2)
    assert (
        result.text.index("Page 1") < result.text.index("Page 3") < result.text.index("Page 0")
    ), "pages whose picture can be had come first"
    assert (
        live.bank.get(1).url.endswith("/pictures/2.jpg")
        and live.bank.get(1).origin == "image_search"
        and live.bank.get(1).call == 1
    )


def test_lens_takes_a_picture_that_has_a_public_address_and_says_so_where_there_is_none(
    services, bench
):
    live = bench(picture="lens")
    assert live.call("image_search", handle=0).code == "no_public_address"
    live.call("image_search", query="a lighthouse")
    assert live.call("image_search", handle=1).status == "ok"
    assert [told for path, _, _, told in services.asked if path == "/lens"] == [
        {"url": f"{services.base}/pictures/1.jpg"}
    ]


@pytest.mark.parametrize("kind", ["serper_images", "google_images"])
def test_pictures_are_searched_by_words(services, bench, kind):
    setting = ServiceSettings(
        kind=kind, address=services.base, key_env=KEYS, engine="cx-1", price=0.0
    )
    live = bench(words=setting)
    result = live.call("image_search", query="a lighthouse")
    assert result.images == (1, 2, 3) and "https://example.org/1" in result.text


def test_a_page_is_read_for_the_goal_with_its_pictures_and_links(services, bench):
    live = bench()
    result = live.call("visit", url="https://example.org/ardwen", goal="when was it built")
    assert result.status == "ok" and result.images == (1,)
    assert (
        "was built in 1871 by Ilse Varga" in result.text
        and "- Ilse Varga: https://example.org/varga" in result.text
    )
    assert (
        "On the page: The tower" in result.text
        and "huggingface" not in result.text
        and "logo.svg" not in str(services.asked)
    )
    assert ("/reader", {"url": "https://example.org/ardwen"}) in [
        (path, told) for path, _, _, told in services.asked
    ]


def test_the_outside_ocr_service_reads_the_picture(bench):
    result = bench().call("layout_parsing", handle=0)
    assert result.text.splitlines()[1:] == ["[100, 100, 500, 500] MERREN 1871"]


def test_keys_take_turns_and_one_that_is_used_up_or_refused_is_left_out(services, bench):
    live = bench(attempts=1)
    services.next("/search", ("429", {"Retry-After": "60"}), "ok", "401")
    assert live.call("web_search", query="one").status == "ok", (
        "the second key answered where the first was used up"
    )
    result = live.call("web_search", query="two")
    assert (result.status, result.code) == ("provider_fault", "rate_limited"), (
        "one key rests, the other was refused"
    )
    used = [headers["X-API-KEY"] for _, _, headers, _ in services.asked]
    assert set(used[:2]) == set(SECRETS) and used[2] == used[1] and len(used) == 3


def test_no_result_and_no_ledger_row_holds_a_key_that_the_service_echoed(services, bench, tmp_path):
    live = bench(attempts=1)
    services.next("/search", "echo_key", "echo_key")
    result = live.call("web_search", query="x")
    assert (result.status, result.code) == ("provider_fault", "credentials")
    held = (
        result.text
        + str(cost_lines(tmp_path / "calls.sqlite", by=("provider",)))
        + repr((tmp_path / "calls.sqlite").read_bytes())
    )
    assert not any(secret in held for secret in SECRETS)


def test_a_run_is_replayed_from_its_recording_without_keys_and_without_sending(
    services, bench, tmp_path, monkeypatch
):
    calls = [
        ("text_search", {"query": "x"}),
        ("image_search", {"handle": 0}),
        ("image_search", {"query": "y"}),
        ("layout_parsing", {"handle": 0}),
        ("visit", {"url": "https://example.org/ardwen", "goal": "built"}),
    ]
    live = bench()
    first = [live.call(name, **arguments) for name, arguments in calls]
    assert all(result.status == "ok" for result in first)
    live.close()
    num = len(services.asked)
    monkeypatch.delenv(KEYS)
    again = bench(replay=True)
    second = [again.call(name, **arguments) for name, arguments in calls]
    assert [(r.status, r.text, r.images) for r in first] == [
        (r.status, r.text, r.images) for r in second
    ]
    assert [i.sha256 for i in live.bank.images] == [i.sha256 for i in again.bank.images]
    assert all(r.cost == 0 for r in second) and len(services.asked) == num
    missing = again.call("text_search", query="never asked")
    assert (missing.status, missing.code) == ("provider_fault", "not_recorded")


def test_another_recording_asks_anew(services, bench):
    bench(recording="monday").call("web_search", query="x")
    bench(recording="tuesday").call("web_search", query="x")
    bench(recording="tuesday").call("web_search", query="x")
    assert services.num("/search") == 2


def test_blocked_sites_are_neither_found_nor_visited(services, bench):
    live = bench()
    services.next(
        "/search",
        'json:{"organic": [{"title": "t", "link": "https://huggingface.co/datasets/x"}, {"title": "good", "link": "https://a.org/"}]}',
    )
    assert "huggingface" not in (text := live.call("web_search", query="x").text) and "good" in text
    for url in ("https://huggingface.co/x", "https://www.HuggingFace.co./x"):
        assert live.call("visit", url=url, goal="g").code == "blocked"
    assert services.num("/reader") == 0


def page_of(content: str, url: str = "https://example.org/a") -> str:
    return "json:" + json.dumps(
        {"code": 200, "data": {"title": "A", "url": url, "content": content}}
    )


def test_a_page_that_an_address_leads_to_is_blocked_as_if_it_had_been_named(services, bench):
    live = bench()
    services.next(
        "/reader", page_of("The answer is 1871.", url="https://huggingface.co/datasets/x")
    )
    result = live.call("visit", url="https://short.example.org/1", goal="g")
    assert result.code == "blocked" and "1871" not in result.text


def test_addresses_on_a_page_that_are_none_are_left_out(services, bench):
    services.next(
        "/reader",
        page_of(
            "Built 1871. [a](https://[::1) [b](https://[x]y/) ![c](http://[::1) ![d](https://[z]/d.jpg) [good](https://a.org/M_(planet))"
        ),
    )
    result = bench().call("visit", url="https://example.org/a", goal="built")
    assert result.status == "ok" and result.text.endswith(
        "Links:\n- good: https://a.org/M_(planet)"
    )


@pytest.mark.parametrize(
    "opened",
    ["![](", "![](x", "[", "![", "[a](https://", "[a](https://x(", "[a](https://x[y](https://"],
)
def test_a_page_of_brackets_that_are_never_closed_is_read_in_linear_time(services, bench, opened):
    provider = bench().provider
    began = time.monotonic()
    provider._page("t", "https://example.org/", opened * (400_000 // len(opened)))
    assert time.monotonic() - began < 2, "the worst of these took 44 s"


def test_a_title_without_end_is_cut_before_it_is_read(services):
    began = time.monotonic()
    body = json.dumps({"data": {"title": "<" * 4_000_000, "url": "", "content": ""}})
    found = jina.SERVICE.read(body.encode(), Query())
    assert time.monotonic() - began < 1 and len(found.title) <= 10_000


def test_what_a_strange_host_has_compressed_is_not_unpacked(services):
    async def fetch() -> bytes:
        http = Http(allow_private=True)
        try:
            return await http.fetch(f"{services.base}/pictures/bomb.jpg", max_bytes=1 << 20)
        finally:
            await http.aclose()

    assert asyncio.run(fetch())[:2] == b"\x1f\x8b"


def test_the_budget_stops_live_calls(bench):
    live = bench(budget=Budget(money=0.0015))
    assert live.call("web_search", query="one").status == "ok"
    with pytest.raises(BudgetExceeded):
        live.call("web_search", query="two")


@pytest.mark.parametrize(
    "host",
    [
        "localhost",
        "127.0.0.1",
        "10.0.0.1",
        "169.254.169.254",
        "[::1]",
        "192.168.1.1",
        "127.1",
        "2130706433",
        "printer.local",
        "metadata.google.internal",
        "[::ffff:127.0.0.1]",
        "0x7f.0.0.1",
        "0x7f.0x1",
        "localhost.",
        "[2002:7f00:1::]",
        "[64:ff9b::a9fe:a9fe]",
        "[::127.0.0.1]",
        "[fec0::1]",
        "[ff02::1]",
        "224.0.0.1",
    ],
)
def test_pictures_are_not_fetched_from_private_networks(host):
    async def fetch() -> None:
        http = Http(allow_private=False)
        try:
            await http.fetch(f"http://{host}/a.jpg", max_bytes=1000)
        finally:
            await http.aclose()

    with pytest.raises(CallFault):
        asyncio.run(fetch())
    assert not is_public(host)


def test_a_name_that_leads_to_a_private_address_is_not_connected_to(services, monkeypatch):
    async def resolve(self, host, port=0, family=0):
        return [
            {
                "hostname": host,
                "host": "127.0.0.1",
                "port": port,
                "family": 2,
                "proto": 0,
                "flags": 0,
            }
        ]

    monkeypatch.setattr("aiohttp.resolver.ThreadedResolver.resolve", resolve)
    port = services.base.rpartition(":")[2]

    async def fetch(allow: bool) -> bytes:
        http = Http(allow_private=allow)
        http._check_public = lambda url: None  # what is left is the resolver alone
        try:
            return await http.fetch(
                f"http://pictures.example.org:{port}/pictures/1.jpg", max_bytes=1 << 20
            )
        finally:
            await http.aclose()

    assert asyncio.run(fetch(True))
    with pytest.raises(CallFault):
        asyncio.run(fetch(False))


@pytest.mark.parametrize("name", ["loop.jpg", "inside.jpg", "huge.jpg", "missing.jpg", "page.html"])
def test_a_picture_that_cannot_be_had_is_a_fault_of_the_fetch(services, name):
    async def fetch() -> None:
        http = Http(allow_private=True)
        if name == "inside.jpg":
            inner = Http(allow_private=False)
            http._check_public = lambda url: (
                None if url.startswith(services.base) else inner._check_public(url)
            )
        try:
            await http.fetch(f"{services.base}/pictures/{name}", max_bytes=1 << 20)
        finally:
            await http.aclose()

    with pytest.raises(CallFault):
        asyncio.run(fetch())


def test_a_redirect_is_followed(services):
    async def fetch() -> bytes:
        http = Http(allow_private=True)
        try:
            return await http.fetch(f"{services.base}/pictures/redirect.jpg", max_bytes=1 << 20)
        finally:
            await http.aclose()

    assert asyncio.run(fetch()).startswith(b"\xff\xd8")


def test_settings_that_cannot_work_are_refused_at_once(services, tmp_path, monkeypatch):
    monkeypatch.delenv(KEYS, raising=False)
    with pytest.raises(InputError, match=KEYS):
        LiveBench(services, tmp_path)
    monkeypatch.setenv(KEYS, "good,bad\nkey")
    with pytest.raises(InputError, match="characters"):
        LiveBench(services, tmp_path)
    monkeypatch.setenv(KEYS, "good")
    for changes, says in (
        ({"text": "vision"}, "cannot do that"),
        ({"text": ServiceSettings(kind="google", key_env=KEYS, price=0.0)}, "engine"),
        ({"ocr": ServiceSettings(kind="pp_structure", price=0.0)}, "address"),
    ):
        with pytest.raises(InputError, match=says):
            LiveBench(services, tmp_path, **changes)


def test_keys_rest_and_come_back():
    keys = Keys(("a", "b"))
    keys.rest("a", 60)
    assert keys.candidates() == ["b"]
    keys.rest("b", 0)
    assert keys.candidates() == ["b"]
    keys.refuse("b")
    assert keys.candidates() == [] and keys.none_left("x").status == 429
    keys.refuse("a")
    assert keys.none_left("x").status == 401
