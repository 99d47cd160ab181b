"""Chat servers that are read otherwise than most: parts, streams, native calls, and errors inside status 200."""

import asyncio
import json
import subprocess
import sys
import time
import urllib.request
from contextlib import suppress

import pytest

from benchmarks.mock_endpoint import running
from questloom.calls.budget import Budget
from questloom.calls.caller import Caller
from questloom.calls.ledger import cost_lines
from questloom.calls.request import Reply
from questloom.calls.retry import RetryPolicy
from questloom.calls.sqlite import SqliteCache
from questloom.models.chat_client import ChatClient, ChatReply
from questloom.models.endpoints import EndpointConfig, RoleConfig
from questloom.models.messages import user
from questloom.records.errors import ProviderFault
from tests.calls.redis_server import free_port
from tests.shared_data import SHARED

ODD_SERVER = SHARED / "data" / "reports" / "odd_server.py"
SECRET = "sk-a-very-secret-key-0123456789"
ANSWER = "<answer>Vantascara</answer>"
THOUGHT = "It is known."


@pytest.fixture(scope="module")
def server():
    with running() as url:
        yield url


class Asker:
    """A client on a cache of its own."""

    def __init__(self, url: str, path, budget: Budget | None = None, **endpoint) -> None:
        self.cache = SqliteCache(path)
        self.url = url
        caller = Caller(
            self.cache,
            budget=budget,
            retry=RetryPolicy(max_attempts=3, first_delay=0.001, max_delay=0.002),
        )
        config = EndpointConfig.model_validate(
            {"name": "odd", "base_url": url, "timeout": 5} | endpoint
        )
        self.client = ChatClient(
            [config], {"role": RoleConfig(endpoint="odd", model="small", max_tokens=50)}, caller
        )

    def serve(self, *behaviours: dict) -> None:
        """What the next requests get."""
        address = self.url.removesuffix("/v1") + "/script"
        urllib.request.urlopen(
            urllib.request.Request(address, json.dumps(behaviours).encode())
        ).close()

    def ask(self, text: str = "Which town?") -> ChatReply:
        async def once() -> ChatReply:
            try:
                return await self.client.chat("role", [user(text)])
            finally:
                await self.client.aclose()

        return asyncio.run(once())

    def statuses(self) -> list[str]:
        return [
            status
            for (status,) in self.cache._connection.execute(
                "SELECT status FROM attempts ORDER BY id"
            )
        ]

    def num_kept(self) -> int:
        return self.cache._connection.execute("SELECT COUNT(*) FROM replies").fetchone()[0]


@pytest.fixture
def asker(server, tmp_path):
    made = Asker(server, tmp_path / "calls.sqlite")
    made.serve()
    yield made
    made.cache.close()


def body(
    message: dict | None = None, *, finish: object = "stop", usage: object = None, **more
) -> dict:
    """A response whose body is a completion with this message."""
    choice = {
        "index": 0,
        "finish_reason": finish,
        **({} if message is None else {"message": {"role": "assistant", **message}}),
        **more,
    }
    return raw(
        json.dumps({"object": "chat.completion", "choices": [choice], "usage": usage}),
        type="application/json",
    )


def raw(*pieces: str | bytes, **how) -> dict:
    return {
        "kind": "raw",
        "pieces": [
            p.decode("latin-1") if isinstance(p, bytes) else p.encode().decode("latin-1")
            for p in pieces
        ],
        **how,
    }


def event(delta: dict | None = None, finish: str | None = None, **more) -> str:
    choices = [] if delta is None else [{"index": 0, "delta": delta, "finish_reason": finish}]
    return (
        f"data: {json.dumps({'object': 'chat.completion.chunk', 'choices': choices, **more})}\n\n"
    )


def stream(*deltas: dict, **how) -> dict:
    return raw("".join([*map(event, deltas), event({}, "stop"), "data: [DONE]\n\n"]), **how)


# one completion


@pytest.mark.parametrize(
    ("message", "text", "thought"),
    [
        ({"content": [{"type": "text", "text": ANSWER}]}, ANSWER, ""),
        (
            {
                "content": [
                    {"type": "text", "text": ANSWER[:9]},
                    {"type": "text", "text": ANSWER[9:]},
                ]
            },
            ANSWER,
            "",
        ),
        (
            {
                "content": [
                    {"type": "thinking", "thinking": [{"type": "text", "text": THOUGHT}]},
                    {"type": "text", "text": ANSWER},
                ]
            },
            ANSWER,
            THOUGHT,
        ),
        (
            {
                "content": [
                    {"type": "thinking", "thinking": THOUGHT, "signature": "x"},
                    {"type": "redacted_thinking", "data": "y"},
                    {"type": "text", "text": ANSWER},
                ]
            },
            ANSWER,
            THOUGHT,
        ),
        (
            {
                "content": [
                    {"type": "reasoning", "summary": [{"type": "summary_text", "text": THOUGHT}]},
                    {"type": "output_text", "text": ANSWER},
                ]
            },
            ANSWER,
            THOUGHT,
        ),
        ({"content": [{"text": THOUGHT, "thought": True}, {"text": ANSWER}]}, ANSWER, THOUGHT),
        ({"content": [ANSWER]}, ANSWER, ""),
        ({"content": {"type": "text", "text": ANSWER}}, ANSWER, ""),
        ({"content": [{"type": "text", "text": {"value": ANSWER, "annotations": []}}]}, ANSWER, ""),
        (
            {
                "content": [
                    {"type": "reference", "reference_ids": [1]},
                    {"type": "image_url", "image_url": {"url": "x"}},
                    None,
                    3,
                    {"type": "text", "text": ANSWER},
                ]
            },
            ANSWER,
            "",
        ),
        ({"content": ANSWER, "reasoning_content": THOUGHT, "reasoning": THOUGHT}, ANSWER, THOUGHT),
        (
            {
                "content": ANSWER,
                "reasoning": THOUGHT,
                "reasoning_details": [{"type": "reasoning.text", "text": THOUGHT}],
            },
            ANSWER,
            THOUGHT,
        ),
        (
            {
                "content": ANSWER,
                "reasoning_content": None,
                "thinking_blocks": [{"type": "thinking", "thinking": THOUGHT}],
            },
            ANSWER,
            THOUGHT,
        ),
        (
            {
                "content": ANSWER,
                "reasoning_content": THOUGHT,
                "refusal": None,
                "tool_calls": None,
                "function_call": None,
            },
            ANSWER,
            THOUGHT,
        ),
    ],
)
def test_text_and_thought_are_read_in_whichever_parts_and_fields_they_stand(
    asker, message, text, thought
):
    asker.serve(body(message))
    reply, again = asker.ask(), asker.ask()
    assert (reply.text, reply.reasoning, reply.refusal, reply.calls) == (text, thought, "", ())
    assert (again.text, again.reasoning, again.cached) == (text, thought, True)


@pytest.mark.parametrize("content", [None, "", []])
@pytest.mark.parametrize(
    "calls",
    [
        {
            "tool_calls": [
                {
                    "id": "c",
                    "type": "function",
                    "function": {"name": "text_search", "arguments": '{"query": "V"}'},
                }
            ]
        },
        {"tool_calls": [{"function": {"name": "text_search", "arguments": {"query": "V"}}}]},
        {"tool_calls": [{"name": "text_search", "arguments": '{"query": "V"}'}]},
        {"function_call": {"name": "text_search", "arguments": '{"query": "V"}'}},
    ],
)
def test_a_native_call_is_a_call_though_the_content_is_empty(asker, content, calls):
    asker.serve(body({"content": content, **calls}, finish="tool_calls"))
    assert asker.ask().calls == (("text_search", '{"query": "V"}'),)


def test_a_call_that_stands_among_the_parts_is_a_call(asker):
    asker.serve(
        body(
            {
                "content": [
                    {"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "c", "name": "text_search", "input": {"query": "V"}},
                ]
            }
        )
    )
    reply = asker.ask()
    assert (reply.text, reply.calls) == ("I look.", (("text_search", '{"query": "V"}'),))


@pytest.mark.parametrize(
    ("message", "finish", "refusal"),
    [
        ({"content": None, "refusal": "I can't."}, "stop", "I can't."),
        ({"content": [{"type": "refusal", "refusal": "I can't."}]}, "stop", "I can't."),
        ({"content": ""}, "content_filter", "content filter"),
        ({"content": "Half"}, "SAFETY", "content filter"),
        (None, "content_filter", "content filter"),
    ],
)
def test_a_refusal_is_one_in_whichever_field_it_stands(asker, message, finish, refusal):
    asker.serve(body(message, finish=finish))
    assert asker.ask().refusal == refusal


@pytest.mark.parametrize("finish", ["length", "max_tokens", "MAX_TOKENS", "model_length"])
def test_a_reply_that_a_limit_cut_is_incomplete_whatever_the_server_calls_it(asker, finish):
    asker.serve(body({"content": "half of"}, finish=finish))
    assert asker.ask().incomplete


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 5}, (10, 5)),
        ({"prompt_tokens": "10", "completion_tokens": "5"}, (10, 5)),
        ({"prompt_tokens": 10.0, "completion_tokens": 5.0}, (10, 5)),
        ({"input_tokens": 10, "output_tokens": 5}, (10, 5)),
    ],
)
def test_tokens_are_read_as_numbers_and_as_text(asker, usage, tokens):
    asker.serve(body({"content": ANSWER}, usage=usage))
    reply = asker.ask()
    assert (reply.tokens_in, reply.tokens_out) == tokens
    assert cost_lines(asker.cache.path, by=())[0].num_estimated == 0


@pytest.mark.parametrize(
    "usage",
    [
        None,
        {},
        [],
        "12",
        {"prompt_tokens": 10},
        {"prompt_tokens": 0, "completion_tokens": 0},
        {"prompt_tokens": "ten", "completion_tokens": 5},
        {"prompt_tokens": -1, "completion_tokens": 5},
        {"prompt_tokens": True, "completion_tokens": True},
        {"prompt_tokens": 1e400, "completion_tokens": 5},
    ],
)
def test_tokens_that_are_not_told_are_estimated(asker, usage):
    asker.serve(body({"content": ANSWER}, usage=usage))
    assert asker.ask().tokens_out > 0
    assert cost_lines(asker.cache.path, by=())[0].num_estimated == 1


@pytest.mark.parametrize(
    "pieces",
    [
        [
            "\ufeff",
            json.dumps(
                {"choices": [{"message": {"content": "Straße 漢字"}, "finish_reason": "stop"}]},
                ensure_ascii=False,
            ),
        ],
        [
            "\n\n  ",
            json.dumps(
                {"choices": [{"message": {"content": "Straße 漢字"}, "finish_reason": "stop"}]}
            ),
        ],
        [
            json.dumps(
                {"choices": [{"message": {"content": "Straße 漢字"}, "finish_reason": None}]},
                indent=1,
            )
        ],
        [json.dumps({"choices": [{"delta": {"content": "Straße 漢字"}, "finish_reason": "stop"}]})],
    ],
)
@pytest.mark.parametrize(
    "kind", ["application/json", "text/plain", "text/event-stream", "application/octet-stream"]
)
def test_a_completion_is_known_by_what_it_is_and_not_by_its_content_type(asker, pieces, kind):
    asker.serve(raw(*pieces, type=kind))
    assert asker.ask().text == "Straße 漢字"


# streams


@pytest.mark.parametrize("kind", ["text/event-stream", "application/json", "text/plain"])
def test_a_stream_is_read_though_none_was_asked_for(asker, kind):
    asker.serve(
        stream(
            {"role": "assistant", "content": ""},
            {"reasoning_content": "It is "},
            {"reasoning_content": "known."},
            {"content": ANSWER[:5]},
            {"content": ANSWER[5:]},
            type=kind,
        )
    )
    reply, again = asker.ask(), asker.ask()
    assert (reply.text, reply.reasoning, reply.finish_reason) == (ANSWER, THOUGHT, "stop")
    assert (again.text, again.reasoning, again.cached) == (ANSWER, THOUGHT, True)


def test_the_request_says_outright_that_no_stream_is_wanted(asker):
    asker.ask()
    with urllib.request.urlopen(asker.url.removesuffix("/v1") + "/stats") as stats:
        assert json.load(stats)["last_body"]["stream"] is False


@pytest.mark.parametrize(
    "text",
    [
        event({"content": ANSWER}, "stop"),  # no [DONE]
        event({"content": ANSWER}) + "data: [DONE]\n\n",  # no reason to finish
        event({"content": ANSWER}, "stop").rstrip(),  # no empty line behind the last event
        event({"content": ANSWER}, "stop").replace("data: ", "data:") + "data:[DONE]\n\n",
        event({"content": ANSWER}).replace("\n\n", "\n")
        + event({}, "stop").replace("\n\n", "\n")
        + "data: [DONE]\n",
        event({"content": ANSWER}, "stop").replace("\n", "\r\n"),
        event({"content": ANSWER}, "stop").replace("\n", "\r"),
        ": OPENROUTER PROCESSING\n\n:\n\n"
        + event({"content": ANSWER})
        + ": keep-alive\n\n"
        + event({}, "stop"),
        "id: 1\nevent: message\nretry: 10\n" + event({"content": ANSWER}, "stop"),
        "\ufeff" + event({"content": ANSWER}, "stop"),
        event() + event({"content": ANSWER}, "stop") + event(),  # chunks without a choice
        event({"content": None}) + event({"content": [{"type": "text", "text": ANSWER}]}, "stop"),
        json.dumps(json.loads(event({"content": ANSWER})[6:]))
        + "\n"
        + event({}, "stop")[6:],  # JSON a line
        "\ndata: ".join(event({"content": ANSWER}, "stop").split(", ")).replace(
            "\ndata: ", ",\ndata: "
        ),  # one event in many lines
        event({"content": "no, "})
        + f"data: {json.dumps({'choices': [{'message': {'content': ANSWER}, 'finish_reason': 'stop'}]})}\n\n",
    ],
)
def test_a_stream_may_be_written_in_every_way_that_servers_write_it(asker, text):
    asker.serve(raw(text))
    assert asker.ask().text == ANSWER
    assert asker.statuses() == ["ok"]


def test_a_characters_bytes_may_come_in_several_writes_events_and_surrogates(asker):
    text = "漢字 😀 ß\u2028é"
    raw_bytes = (
        event({"content": text}, "stop")
        .encode()
        .replace(json.dumps(text).encode(), json.dumps(text, ensure_ascii=False).encode())
    )
    whole = raw_bytes.decode("latin-1")
    asker.serve({"kind": "raw", "pieces": [*whole]})
    assert asker.ask("one byte a write").text == text
    asker.serve(raw(event({"content": "\ud83d"}), event({"content": "\ude00 fine"}, "stop")))
    assert asker.ask("half a pair an event").text == "😀 fine"
    cut = "".join(
        f'data: {{"choices": [{{"delta": {{"content": "{part}"}}}}]}}\n\n' for part in ("Q", "R")
    ).encode()
    smile = "😀".encode()
    asker.serve(raw(cut.replace(b"Q", smile[:2]).replace(b"R", smile[2:]) + b"data: [DONE]\n\n"))
    assert asker.ask("half the bytes an event").text == "😀"


def test_the_usage_of_a_stream_is_what_its_last_chunks_tell(asker):
    told = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
    asker.serve(
        raw(
            event({"content": ANSWER}, usage={"prompt_tokens": 10, "completion_tokens": 1}),
            event({}, "stop", usage=None),
            event(usage=told),
            event(usage=None),
            "data: [DONE]\n\n",
        )
    )
    reply = asker.ask()
    assert (reply.tokens_in, reply.tokens_out) == (10, 5)


@pytest.mark.parametrize("index", [0, "0", None])
def test_of_a_stream_with_several_choices_the_first_is_read(asker, index):
    told = ((index, ANSWER[:5]), (1, "other"), (index, ANSWER[5:]))
    pieces = [
        {"choices": [{"index": which, "delta": {"content": text}, "finish_reason": None}]}
        for which, text in told
    ]
    asker.serve(
        raw("".join(f"data: {json.dumps(piece)}\n\n" for piece in pieces) + "data: [DONE]\n\n")
    )
    assert asker.ask().text == ANSWER


@pytest.mark.parametrize(
    "pieces",
    [
        [
            {"index": 0, "id": "a", "function": {"name": "text_search", "arguments": ""}},
            {"index": 0, "function": {"arguments": '{"query"'}},
            {"index": 0, "function": {"arguments": ': "V"}'}},
        ],
        [
            {"id": "a", "function": {"name": "text_search", "arguments": '{"query"'}},
            {"function": {"arguments": ': "V"}'}},
        ],
        [
            {
                "index": 0,
                "id": "a",
                "function": {"name": "text_search", "arguments": '{"query": "V"}'},
            }
        ],
    ],
)
def test_a_call_in_pieces_is_put_together(asker, pieces):
    asker.serve(stream({"content": None}, *({"tool_calls": [piece]} for piece in pieces)))
    assert asker.ask().calls == (("text_search", '{"query": "V"}'),)


@pytest.mark.parametrize(
    "second", [{"index": 1, "id": "b"}, {"index": 0, "id": "b"}, {"id": "b"}, {}]
)
def test_two_calls_of_a_stream_stay_two(asker, second):
    first = {
        **({"index": 0} if "index" in second else {}),
        **({"id": "a"} if "id" in second else {}),
    }
    asker.serve(
        stream(
            *(
                {"tool_calls": [{**which, "function": {"name": name, "arguments": "{}"}}]}
                for which, name in ((first, "zoom"), (second, "crop"))
            )
        )
    )
    assert asker.ask().calls == (("zoom", "{}"), ("crop", "{}"))


def test_a_stream_is_read_to_its_end_though_the_connection_stays_open(asker):
    asker.serve(stream({"content": ANSWER}, end="open"))
    began = time.monotonic()
    assert asker.ask().text == ANSWER
    assert time.monotonic() - began < 4, "not until the time is up"


@pytest.mark.parametrize(
    "cut",
    [
        raw(event({"content": "half of"})),
        raw(event({"content": "half of"}), end="cut"),
        raw(event({"content": "half of"}), 'data: {"choices": [{"de'),
        raw('data: {"choices"'),
        raw(": only a comment\n\n"),
        raw("event: ping\n\n"),
    ],
)
def test_a_stream_that_is_cut_is_no_reply_and_is_asked_again(asker, cut):
    asker.serve(cut)
    assert asker.ask().text.startswith("text ")
    assert len(asker.statuses()) == 2 and asker.statuses()[0] in ("cut", "bad_response")


def test_a_key_in_the_pieces_of_a_stream_does_not_reach_the_cache(server, tmp_path, monkeypatch):
    monkeypatch.setenv("QL_TEST_KEY", SECRET)
    asker = Asker(server, tmp_path / "calls.sqlite", api_key_env="QL_TEST_KEY")
    asker.serve(stream({"content": f"your key is {SECRET[:9]}"}, {"content": SECRET[9:]}))
    assert asker.ask().text == "your key is ***"
    asker.cache.close()
    assert all(SECRET.encode() not in path.read_bytes() for path in tmp_path.iterdir())


# errors inside status 200

OVERLOADED = {"code": 502, "message": "upstream overloaded"}
ERRORS = {
    "in the choice": body({"content": ""}, finish="error", error=OVERLOADED),
    "in the choice, with half a reply": body(
        {"content": "half of"}, finish="stop", error=OVERLOADED
    ),
    "in the choice, called the client's": body(
        {"content": ""}, finish="error", error={"code": 400, "message": "Provider returned error"}
    ),
    "in the choice, called not known": body(
        {"content": ""}, finish="error", error={"code": 501, "message": "Provider returned error"}
    ),
    "in the message": body({"content": None, "error": OVERLOADED}),
    "a reason to finish": body({"content": ""}, finish="error"),
    "aborted": body({"content": "half of"}, finish="abort"),
    "no resources": body({"content": ""}, finish="insufficient_system_resource"),
    "at the top": raw(json.dumps({"error": OVERLOADED}), type="application/json"),
    "at the top, code as text": raw(
        json.dumps({"error": {"code": "502", "message": "overloaded"}}), type="application/json"
    ),
    "at the top, code in words": raw(
        json.dumps({"error": {"type": "overloaded_error", "message": "overloaded"}}),
        type="application/json",
    ),
    "at the top, of a limit": raw(
        json.dumps({"error": {"code": 429, "message": "slow down"}}), type="application/json"
    ),
    "at the top, a text": raw(json.dumps({"error": "model is loading"}), type="application/json"),
    "at the top, beside a reply": raw(
        json.dumps(
            {
                "error": OVERLOADED,
                "choices": [{"message": {"content": ""}, "finish_reason": "stop"}],
            }
        )
    ),
    "an object": raw(
        json.dumps({"object": "error", "message": "engine is dead", "code": 500}),
        type="application/json",
    ),
    "in a list": raw(
        json.dumps([{"error": {"code": 503, "message": "unavailable"}}]), type="application/json"
    ),
    "no choices": raw(
        json.dumps({"choices": [], "usage": {"prompt_tokens": 10, "completion_tokens": 0}}),
        type="application/json",
    ),
    "choices are null": raw(
        json.dumps({"choices": None, "base_resp": {"status_code": 1000}}), type="application/json"
    ),
    "a choice that is null": raw(json.dumps({"choices": [None]}), type="application/json"),
    "in a stream": raw(
        event({"content": "half of"}),
        f"data: {json.dumps({'error': OVERLOADED})}\n\n",
        "data: [DONE]\n\n",
    ),
    "in a stream's choice": raw(
        event({"content": "half of"}),
        f"data: {json.dumps({'choices': [{'delta': {}, 'finish_reason': 'error', 'error': OVERLOADED}]})}\n\n",
    ),
    "in a stream's delta": raw(
        event({"content": "half of"}), event({"error": OVERLOADED}), "data: [DONE]\n\n"
    ),
    "an event of its kind": raw(
        event({"content": "half of"}), f"event: error\ndata: {json.dumps(OVERLOADED)}\n\n"
    ),
    "an event of its kind, in words": raw("event: error\ndata: the engine is dead\n\n"),
    "an empty stream": raw("data: [DONE]\n\n"),
}


@pytest.mark.parametrize("error", ERRORS.values(), ids=ERRORS)
def test_an_error_inside_status_200_is_asked_again_and_charged_to_nobody(asker, error):
    asker.serve(error)
    assert asker.ask().text.startswith("text ")
    assert asker.statuses()[0] in ("server_error", "rate_limited") and asker.statuses()[1:] == [
        "ok"
    ]
    line = cost_lines(asker.cache.path, by=())[0]
    assert (line.num_calls, line.num_faults) == (1, 1)


@pytest.mark.parametrize("error", ERRORS.values(), ids=ERRORS)
def test_an_error_inside_status_200_that_lasts_is_the_providers_and_never_cached(asker, error):
    asker.serve(*[error] * 3)
    with pytest.raises(ProviderFault):
        asker.ask()
    assert (asker.num_kept(), asker.cache.spent().calls) == (0, 0)
    assert asker.ask().text.startswith("text ")


@pytest.mark.parametrize(
    ("code", "told"), [(402, "more credits"), (400, "no such parameter"), ("401", "the key")]
)
def test_an_error_that_does_not_pass_is_not_asked_again_though_its_status_is_200(asker, code, told):
    asker.serve(
        raw(json.dumps({"error": {"code": code, "message": told}}), type="application/json")
    )
    with pytest.raises(ProviderFault, match=told):
        asker.ask()
    assert (asker.statuses(), asker.num_kept()) == (["not_accepted"], 0)


def test_a_filter_that_tells_its_verdict_with_status_200_declined(asker):
    asker.serve(
        raw(
            json.dumps({"error": {"code": "content_filter", "message": "not that"}}),
            type="application/json",
        )
    )
    assert asker.ask().refusal == "not that"


@pytest.mark.parametrize("error", [None, "", {}, False, {"code": None, "message": None}])
def test_an_error_field_that_says_nothing_is_none(asker, error):
    asker.serve(
        raw(
            json.dumps(
                {
                    "error": error,
                    "choices": [
                        {"message": {"content": ANSWER}, "finish_reason": "stop", "error": error}
                    ],
                }
            )
        )
    )
    assert asker.ask().text == ANSWER


@pytest.mark.parametrize(
    "kept",
    [
        {
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "error",
                    "error": OVERLOADED,
                    "message": {"role": "assistant", "content": ""},
                }
            ]
        },
        {
            "choices": [
                {
                    "index": 0,
                    "finish_reason": "error",
                    "message": {"role": "assistant", "content": ""},
                }
            ]
        },
        {"error": OVERLOADED, "choices": [{"message": {"content": ""}}]},
    ],
    ids=["choice", "finish", "top"],
)
def test_an_error_that_an_earlier_version_kept_is_forgotten_and_asked_again(asker, kept):
    old = Reply(body=json.dumps(kept).encode(), tokens_in=10, tokens_out=5)
    asker.ask()
    (key,) = asker.cache._connection.execute("SELECT key FROM replies").fetchone()
    asker.cache._connection.execute("UPDATE replies SET body = ?", (old.body,))
    reply, again = asker.ask(), asker.ask()
    assert reply.text.startswith("text ") and not reply.cached and again.cached
    assert [k for (k,) in asker.cache._connection.execute("SELECT key FROM replies")] == [key]


def test_parts_that_an_earlier_version_kept_are_read(asker):
    asker.ask()
    old = {
        "choices": [
            {
                "index": 0,
                "finish_reason": "stop",
                "message": {"content": [{"type": "text", "text": ANSWER}]},
            }
        ]
    }
    asker.cache._connection.execute("UPDATE replies SET body = ?", (json.dumps(old).encode(),))
    assert (asker.ask().text, asker.ask().cached) == (ANSWER, True)


@pytest.mark.parametrize(
    "hostile",
    [
        '{"choices": ' + "[" * 100_000,
        '{"choices": [{"message": {"content": ' + "[" * 900 + "]" * 900 + "}}]}",
        "\x00" * 99,
        '{"choices": [{"message": "text"}]}',
        '{"choices": [{"message": {"content": 3}}]}',
        '"text"',
        "3",
        "[]",
        "{",
        "data: 3\n\n",
    ],
)
def test_no_body_is_an_error_of_ours(asker, hostile):
    asker.serve(*[raw(hostile)] * 3)
    with suppress(ProviderFault):
        assert asker.ask().text == ""
    assert set(asker.statuses()) <= {"ok", "bad_response", "server_error", "cut"}


# the servers of the reports


@pytest.mark.parametrize(
    "kind", ["ok", "textparts", "parts", "ssedefault", "sse", "native", "error"]
)
@pytest.mark.skipif(not ODD_SERVER.is_file(), reason="the shared data are not here")
def test_the_odd_servers_of_the_reports_are_understood(tmp_path, kind):
    port = free_port()
    process = subprocess.Popen(
        [sys.executable, str(ODD_SERVER), kind, str(port), str(tmp_path / "log")]
    )
    try:
        end = time.monotonic() + 20
        while True:
            try:
                urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models").close()
                break
            except OSError:
                assert time.monotonic() < end
                time.sleep(0.05)
        asker = Asker(f"http://127.0.0.1:{port}/v1", tmp_path / "calls.sqlite")
        if kind == "error":
            with pytest.raises(ProviderFault, match="upstream overloaded"):
                asker.ask()
            assert (asker.statuses(), asker.num_kept(), asker.cache.spent().calls) == (
                ["server_error"] * 3,
                0,
                0,
            )
        elif kind == "native":
            assert asker.ask().calls == (("text_search", '{"query": "Vantascara"}'),)
        else:
            assert ANSWER in asker.ask().text and (asker.ask().reasoning == THOUGHT) == (
                kind == "parts"
            )
        asker.cache.close()
    finally:
        process.kill()
        process.wait()
