"""The chat client against a server on loopback that answers well and in every bad way (`benchmarks/mock_endpoint.py`)."""

import asyncio
import io
import json
import traceback
import urllib.request
from contextlib import contextmanager

import pytest
from PIL import Image
from pydantic import BaseModel, ConfigDict

from benchmarks.mock_endpoint import running
from questloom.calls.caller import Caller
from questloom.calls.ledger import cost_lines
from questloom.calls.retry import RetryPolicy
from questloom.calls.sqlite import SqliteCache
from questloom.models.chat_client import ChatClient, ChatReply
from questloom.models.endpoints import EndpointConfig, RoleConfig
from questloom.models.messages import Picture, system, user
from questloom.models.structured import BadReply, RefusedReply
from questloom.records.errors import ProviderFault

SECRET = "sk-a-very-secret-key-0123456789"


class Answer(BaseModel):
    model_config = ConfigDict(extra="forbid")
    answer: str


@pytest.fixture(scope="module")
def server():
    with running() as url:
        yield url


def get_stats(url: str) -> dict:
    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as reply:
        return json.load(reply)


def script(url: str, *behaviours: str | dict) -> None:
    told = json.dumps([{"kind": b} if isinstance(b, str) else b for b in behaviours]).encode()
    urllib.request.urlopen(
        urllib.request.Request(url.removesuffix("/v1") + "/script", told)
    ).close()


class Bench:
    """A client on a fresh cache, used by one coroutine a test."""

    def __init__(self, url: str, path, **endpoint) -> None:
        self.cache = SqliteCache(path)
        self.caller = Caller(
            self.cache, retry=RetryPolicy(max_attempts=3, first_delay=0.001, max_delay=0.002)
        )
        config = EndpointConfig.model_validate(
            {"name": "mock", "base_url": url, "timeout": 5} | endpoint
        )
        roles = {
            "role": RoleConfig(
                endpoint="mock",
                model="small",
                temperature=0.5,
                top_p=0.9,
                max_tokens=100,
                extra={"seed": 7},
            )
        }
        self.client = ChatClient([config], roles, self.caller)

    def run(self, method: str, *args, **kwargs):
        async def once():
            try:
                return await getattr(self.client, method)("role", *args, **kwargs)
            finally:
                await self.client.aclose()

        return asyncio.run(once())

    def chat(self, text: str = "Which bridge?", **kwargs) -> ChatReply:
        return self.run("chat", [user(text)], **kwargs)

    def structured(self, text: str = "Which bridge?", schema=Answer, **kwargs):
        return self.run("structured", [system("Be brief."), user(text)], schema, **kwargs)

    def num_sent(self) -> int:
        return sum(1 for _ in self.cache._connection.execute("SELECT 1 FROM attempts"))


@contextmanager
def bench(url: str, tmp_path, **endpoint):
    made = Bench(url, tmp_path / "calls.sqlite", **endpoint)
    yield made
    made.cache.close()


@pytest.fixture
def mock(server, tmp_path):
    script(server)
    with bench(server, tmp_path) as made:
        yield made


def png(colour: str = "red") -> bytes:
    out = io.BytesIO()
    Image.new("RGB", (64, 48), colour).save(out, "PNG")
    return out.getvalue()


def test_a_text_is_asked_with_the_roles_parameters_and_comes_from_the_cache_the_second_time(
    server, mock
):
    first, second = mock.chat(), mock.chat()
    assert first.text == second.text
    assert first.text.startswith("text ")
    assert (first.cached, second.cached) == (False, True)
    assert first.tokens_in > 0 < first.tokens_out
    assert get_stats(server)["last_body"] == {
        "model": "small",
        "messages": [{"role": "user", "content": "Which bridge?"}],
        "temperature": 0.5,
        "top_p": 0.9,
        "max_tokens": 100,
        "seed": 7,
        "stream": False,
    }


def test_pictures_are_sent_as_data_urls_and_known_by_hash(server, mock):
    mock.run("chat", [user("Which bridge?", Picture(png()))])
    content = get_stats(server)["last_body"]["messages"][0]["content"]
    assert content[0] == {"type": "text", "text": "Which bridge?"}
    assert content[1]["image_url"]["url"].startswith("data:image/png;base64,iVBOR")
    again = mock.run("chat", [user("Which bridge?", Picture(png()))])
    other = mock.run("chat", [user("Which bridge?", Picture(png("blue")))])
    assert (again.cached, other.cached) == (True, False)


def test_bytes_that_are_no_picture_are_refused_before_anything_is_sent(mock):
    with pytest.raises(ValueError, match="no PNG"):
        mock.run("chat", [user("Which bridge?", Picture(b"no picture"))])
    assert mock.num_sent() == 0


def test_samples_of_one_question_are_calls_of_their_own(mock):
    assert not mock.chat(sample=0).cached
    assert not mock.chat(sample=1).cached
    assert mock.chat(sample=1).cached


@pytest.mark.parametrize(
    "fault",
    [
        "429",
        {"kind": "429_retry_after", "seconds": 0.05},
        "500",
        "502",
        "503",
        "cut",
        "cut_body",
        "empty_body",
        "not_json",
    ],
)
def test_a_passing_fault_of_the_endpoint_is_tried_again_with_the_same_idempotency_key(
    server, mock, fault
):
    question = f"Which bridge, after {fault}?"
    script(server, fault)
    assert mock.chat(question).text.startswith("text ")
    assert mock.num_sent() == 2
    key = get_stats(server)["last_headers"]["Idempotency-Key"]
    assert get_stats(server)["by_key"][key] >= 2


@pytest.mark.parametrize("fault", ["500", "cut", "empty_body", "429", "400", "404", "413"])
def test_a_lasting_fault_is_the_providers_and_is_not_cached(server, mock, fault):
    script(server, *[fault] * (1 if fault.startswith("4") and fault != "429" else 3))
    with pytest.raises(ProviderFault):
        mock.chat(f"Lasting {fault}")
    assert not mock.chat(f"Lasting {fault}").cached


def test_an_endpoint_that_hangs_is_a_timeout(server, tmp_path):
    with bench(server, tmp_path, timeout=0.1) as mock:
        script(server, *[{"kind": "hang", "seconds": 1}] * 3)
        with pytest.raises(ProviderFault, match="no reply within"):
            mock.chat("hang")


def test_an_endpoint_that_is_away_is_named_with_its_address(tmp_path):
    with bench("http://127.0.0.1:9/v1", tmp_path) as mock:
        with pytest.raises(ProviderFault, match="cannot be reached at http://127"):
            mock.chat()
        assert cost_lines(mock.cache.path, by=())[0].num_calls == 0


def test_a_spent_quota_is_not_tried_again(server, mock):
    script(server, {"kind": "403", "code": "insufficient_quota"})
    with pytest.raises(ProviderFault, match="status 402"):
        mock.chat("quota")
    assert mock.num_sent() == 1


def test_tokens_are_estimated_and_marked_where_the_endpoint_tells_none(server, mock):
    script(server, {"kind": "ok", "no_usage": True})
    assert mock.chat("no usage").tokens_out > 0
    assert cost_lines(mock.cache.path, by=())[0].num_estimated == 1


# structured replies


def test_a_schema_is_sent_where_the_endpoint_honours_it(server, mock):
    assert mock.structured("held to its form").answer.startswith("text ")
    sent = get_stats(server)["last_body"]
    assert sent["response_format"]["json_schema"]["schema"]["required"] == ["answer"]
    assert "schema" not in sent["messages"][-1]["content"]


@pytest.mark.parametrize("structured", ["json_object", "none"])
def test_the_schema_is_told_in_words_where_it_is_not_honoured(server, tmp_path, structured):
    with bench(server, tmp_path, structured=structured) as mock:
        script(server, {"kind": "ok", "content": '{"answer": "Ostra"}'})
        assert mock.structured() == Answer(answer="Ostra")
    sent = get_stats(server)["last_body"]
    assert (sent.get("response_format") or {}).get("type") == (
        None if structured == "none" else "json_object"
    )
    assert "fits this JSON schema" in str(sent["messages"][-1]["content"])


def test_json_is_found_between_prose_and_code_fences(server, mock):
    script(server, {"kind": "prose", "content": '{"answer": "Ostra"}'})
    assert mock.structured("prose") == Answer(answer="Ostra")
    assert mock.num_sent() == 1


def test_a_reply_of_the_wrong_shape_goes_back_once_with_what_is_wrong(server, mock):
    script(server, "wrong_schema")
    assert mock.structured("wrong once").answer.startswith("text ")
    turns = get_stats(server)["last_body"]["messages"]
    assert [turn["role"] for turn in turns] == ["system", "user", "assistant", "user"]
    assert "answer: Field required" in turns[-1]["content"]
    assert mock.num_sent() == 2


def test_a_reply_of_the_wrong_shape_twice_is_a_bad_reply_and_costs_nothing_on_resume(server, mock):
    script(server, "wrong_schema", "wrong_schema")
    for _ in range(2):
        with pytest.raises(BadReply, match="answer: Field required"):
            mock.structured("wrong twice")
    assert mock.num_sent() == 2


@pytest.mark.parametrize("kind", ["empty", "truncated"])
def test_an_empty_or_cut_off_reply_is_asked_once_more_with_twice_the_limit(server, mock, kind):
    script(server, kind)
    assert mock.structured(f"{kind} once").answer.startswith("text ")
    assert get_stats(server)["last_body"]["max_tokens"] == 200
    script(server, kind, kind)
    with pytest.raises(BadReply, match="empty" if kind == "empty" else "cut off"):
        mock.structured(f"{kind} twice")
    assert mock.num_sent() == 4


@pytest.mark.parametrize(
    "kind", ["refusal", "refusal_text", {"kind": "400", "code": "content_filter"}]
)
def test_a_refusal_is_told_apart_and_not_argued_with(server, mock, kind):
    script(server, kind)
    with pytest.raises(RefusedReply, match="declined"):
        mock.structured(f"refused by {kind}")
    assert mock.num_sent() == 1


def test_an_answer_in_another_language_passes_as_it_is(server, mock):
    script(server, "other_language")
    assert mock.structured("language").answer == "Das weiß ich leider nicht genau"


def test_a_json_schema_serves_in_place_of_a_model(server, mock):
    schema = {"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}
    assert mock.structured("plain schema", schema) == {"n": 1}


def test_several_endpoints_are_used_at_once(server, tmp_path):
    cache = SqliteCache(tmp_path / "calls.sqlite")
    endpoints = [EndpointConfig(name=name, base_url=server) for name in ("one", "two")]
    client = ChatClient(
        endpoints,
        {"a": RoleConfig(endpoint="one", model="m"), "b": RoleConfig(endpoint="two", model="m")},
        Caller(cache),
    )

    async def both():
        replies = await asyncio.gather(
            client.chat("a", [user("same")]), client.chat("b", [user("same")])
        )
        await client.aclose()
        return replies

    assert not any(reply.cached for reply in asyncio.run(both()))
    assert [line.group for line in cost_lines(cache.path, by=["stage", "provider"])] == [
        ("a", "one"),
        ("b", "two"),
    ]
    cache.close()


# secrets


def texts_of(error: BaseException) -> str:
    told = "".join(traceback.format_exception(error)) + repr(error) + str(vars(error))
    linked = [link for link in (error.__cause__, error.__context__) if link is not None]
    return told + "".join(repr(link) + str(vars(link)) + texts_of(link) for link in linked)


@pytest.mark.parametrize(
    "fault",
    [
        {"kind": "echo_key"},
        {"kind": "echo_key", "status": 400},
        {"kind": "echo_key", "status": 500},
        {"kind": "cut"},
        {"kind": "cut_body"},
        {"kind": "empty_body"},
        {"kind": "hang", "seconds": 0.5},
    ],
)
def test_the_key_is_in_no_exception_cache_log_or_repr(server, tmp_path, monkeypatch, caplog, fault):
    monkeypatch.setenv("QL_TEST_KEY", SECRET)
    caplog.set_level("DEBUG")
    with bench(server, tmp_path, api_key_env="QL_TEST_KEY", timeout=0.2) as mock:
        script(server, *[fault] * 3)
        with pytest.raises(ProviderFault) as caught:
            mock.chat("secret")
        told = texts_of(caught.value) + caplog.text + repr(mock.client) + repr(mock.caller)
    assert SECRET not in told
    assert all(SECRET.encode() not in path.read_bytes() for path in tmp_path.iterdir())


def test_a_key_that_the_endpoint_echoes_in_a_reply_does_not_reach_the_cache(
    server, tmp_path, monkeypatch
):
    monkeypatch.setenv("QL_TEST_KEY", SECRET)
    with bench(server, tmp_path, api_key_env="QL_TEST_KEY") as mock:
        script(server, {"kind": "ok", "content": f"your key is {SECRET}"})
        assert mock.chat("echo").text == "your key is ***"
    assert get_stats(server)["last_headers"]["Authorization"] == f"Bearer {SECRET}"
    assert all(SECRET.encode() not in path.read_bytes() for path in tmp_path.iterdir())


def test_a_key_that_is_not_accepted_is_named_by_its_variable_and_sent_no_more(
    server, tmp_path, monkeypatch
):
    monkeypatch.setenv("QL_TEST_KEY", SECRET)
    with bench(server, tmp_path, api_key_env="QL_TEST_KEY") as mock:
        script(server, "401")
        for question in ("one", "two"):
            with pytest.raises(ProviderFault, match="the key in QL_TEST_KEY is not accepted"):
                mock.chat(question)
        assert mock.num_sent() == 1
