"""The server engine against a server that really runs the model: ids and log-probabilities in, out, and the same as the local engine's."""

import asyncio
import dataclasses
import json

import pytest
import torch

from questloom.agent.engines.engine import ContextFull
from questloom.agent.engines.server_config import ServerConfig
from questloom.agent.engines.server_engine import ServerEngine
from questloom.agent.engines.token_engine import Sampling
from questloom.agent.engines.transformers_engine import TransformersEngine
from questloom.agent.play.player import Player, Task
from questloom.agent.turns.conversation import Conversation
from questloom.agent.turns.limits import Limits
from questloom.agent.turns.renderer import Renderer
from questloom.agent.turns.token_renderer import Segment
from questloom.calls.caller import Caller
from questloom.calls.ledger import cost_lines
from questloom.calls.retry import RetryPolicy
from questloom.calls.sqlite import SqliteCache
from questloom.records.episodes import Episode
from questloom.records.errors import InputError, ProviderFault
from tests.agent import tiny
from tests.agent.engines.full_forward import TOKENS, answered, full_logprobs, opening
from tests.agent.loopback_server import LoopbackServer
from tests.agent.small_provider import toolbox

FORBIDDEN = TransformersEngine(tiny.model(), TOKENS, model_name="tiny").picture_ids


@pytest.fixture(scope="module")
def server():
    made = LoopbackServer()
    yield made
    made.close()


@pytest.fixture
def caller(tmp_path):
    cache = SqliteCache(tmp_path / "calls.sqlite")
    yield Caller(cache, retry=RetryPolicy(max_attempts=3, first_delay=0.01))
    cache.close()


def engine(
    server: LoopbackServer,
    caller: Caller,
    *,
    dialect="sglang",
    temperature: float = 1.0,
    model: str = "tiny@0",
    **config,
) -> ServerEngine:
    return ServerEngine(
        ServerConfig(
            name=f"lab-{model}-{dialect}",
            url=config.pop("url", server.url),
            dialect=dialect,
            model=model,
            **config,
        ),
        TOKENS,
        caller,
        sampling=Sampling(temperature=temperature),
    )


def run(played: ServerEngine, work):
    async def once():
        try:
            return await work(played)
        finally:
            await played.aclose()

    return asyncio.run(once())


def step(played: ServerEngine, conversation: Conversation, most: int = 6):
    return run(played, lambda e: e.step(conversation, max_new_tokens=most))


def worst(conversation: Conversation, sample, temperature: float) -> float:
    """Against a full forward with the bias that keeps picture tokens from being drawn."""
    wanted = full_logprobs(conversation, sample, temperature, FORBIDDEN)
    return float((wanted - torch.tensor(sample.logprobs)).abs().max())


async def three_turns(played, most: int):
    conversation, bank = opening("t", tiny.picture(1))
    made = []
    for n in range(3):
        sample = await played.step(conversation, max_new_tokens=most)
        made.append((conversation, sample))
        conversation = answered(
            conversation, sample, bank, f"Result {n}.", tiny.picture(n + 5, (128, 64))
        )
    return made


def test_greedy_turns_with_pictures_are_those_of_the_local_engine(server, caller):
    local = TransformersEngine(
        tiny.model(), TOKENS, model_name="tiny", sampling=Sampling(temperature=0.0)
    )
    wanted = asyncio.run(three_turns(local, 5))
    got = run(engine(server, caller, temperature=0.0), lambda e: three_turns(e, 5))
    assert [s.token_ids for _, s in got] == [s.token_ids for _, s in wanted]
    assert [s.text for _, s in got] == [s.text for _, s in wanted]
    assert [s.num_prompt_tokens for _, s in got] == [s.num_prompt_tokens for _, s in wanted]
    assert max(worst(c, s, 1.0) for c, s in got) < 1e-4


@pytest.mark.parametrize("temperature", [1.0, 0.7])
def test_log_probabilities_are_those_of_the_sampling_distribution(server, caller, temperature):
    turns = run(engine(server, caller, temperature=temperature), lambda e: three_turns(e, 5))
    assert all(len(s.logprobs) == len(s.token_ids) == s.num_new_tokens > 0 for _, s in turns)
    assert max(worst(c, s, temperature) for c, s in turns) < 1e-4


def test_sampled_ids_go_back_as_they_came_and_pictures_as_one_place_each(server, caller):
    turns = run(engine(server, caller), lambda e: three_turns(e, 4))
    sent = server.last_body["input_ids"]
    assert (
        sent.count(tiny.model().config.image_token_id) == len(server.last_body["image_data"]) == 3
    )
    first = list(turns[0][1].token_ids)
    assert any(sent[place : place + len(first)] == first for place in range(len(sent)))
    assert (
        not {t for _, s in turns for t in s.token_ids}
        & engine(server, Caller(caller.cache)).picture_ids
    )


def test_a_cached_turn_is_not_asked_again_but_another_rollout_turn_or_version_is(server, caller):
    conversation, _ = opening("cached")
    before = server.num_requests
    first = step(engine(server, caller), conversation)
    again = step(engine(server, Caller(caller.cache)), conversation)
    assert (server.num_requests - before, again) == (1, first)
    other = Conversation(task_id="cached", rollout=1, opening=conversation.opening)
    step(engine(server, Caller(caller.cache)), other)
    step(engine(server, Caller(caller.cache), model="tiny@1"), conversation)
    assert server.num_requests - before == 3


@pytest.mark.parametrize(("dialect", "pictures"), [("sglang", (tiny.picture(1),)), ("vllm", ())])
def test_a_turn_goes_on_behind_its_beginning_as_if_it_had_not_stopped(
    server, caller, dialect, pictures
):
    conversation, _ = opening("begun", *pictures)

    async def whole_and_rest(played):
        whole = await played.step(conversation, max_new_tokens=9)
        begun = Segment(kind="policy", ids=whole.token_ids[:4], logprobs=whole.logprobs[:4])
        return whole, await played.step(conversation, max_new_tokens=9, begun=begun)

    whole, again = run(engine(server, caller, dialect=dialect, temperature=0.0), whole_and_rest)
    sent = server.last_body["input_ids" if dialect == "sglang" else "prompt"]
    assert sent[-4:] == list(whole.token_ids[:4]), "as they were sampled"
    assert (again.token_ids, again.text, again.complete) == (
        whole.token_ids,
        whole.text,
        whole.complete,
    )
    assert (again.num_prompt_tokens, again.num_new_tokens) == (
        whole.num_prompt_tokens,
        whole.num_new_tokens,
    )
    assert again.logprobs == pytest.approx(whole.logprobs, abs=1e-4)


def test_continuations_differ_and_each_beginning_is_asked_for_itself(server, caller):
    conversation, _ = opening("branches", tiny.picture(1))

    async def steps(played):
        whole = await played.step(conversation, max_new_tokens=9)
        before = server.num_requests
        made = [
            await played.step(
                dataclasses.replace(conversation, rollout=k, branch=" from x, turn 0"),
                max_new_tokens=9,
                begun=Segment(
                    kind="policy", ids=whole.token_ids[:num], logprobs=whole.logprobs[:num]
                ),
            )
            for k, num in ((0, 3), (1, 3), (0, 4), (0, 3), (0, 9))
        ]
        return whole, made, server.num_requests - before

    whole, made, asked = run(engine(server, caller), steps)
    assert made[0] == made[3] and asked == 3, (
        "the fourth was asked before, the fifth is as long as a turn may be"
    )
    assert len({sample.token_ids for sample in made[:2]}) == 2
    assert [
        sample.token_ids[:num] == whole.token_ids[:num]
        for sample, num in zip(made, (3, 3, 4, 3, 9), strict=True)
    ] == [True] * 5
    assert max(worst(conversation, sample, 1.0) for sample in made) < 1e-4
    with pytest.raises(InputError, match="ends a turn"):
        run(
            engine(server, Caller(caller.cache)),
            lambda e: e.step(
                conversation,
                max_new_tokens=9,
                begun=Segment(kind="policy", ids=(TOKENS.end_id,), logprobs=(-1.0,)),
            ),
        )


def test_vllms_completions_give_the_same_for_text(server, caller):
    conversation, _ = opening("text")
    one = step(engine(server, caller, dialect="vllm", temperature=0.0), conversation)
    two = step(engine(server, caller, temperature=0.0), conversation)
    assert (one.token_ids, one.complete, one.num_prompt_tokens) == (
        two.token_ids,
        two.complete,
        two.num_prompt_tokens,
    )
    assert server.last_body["input_ids"] == [
        i for s in TOKENS.segments(conversation) for i in s.ids
    ]


def test_vllm_with_pictures_or_another_temperature_is_refused(server, caller):
    with pytest.raises(InputError, match="take none beside token ids"):
        step(engine(server, caller, dialect="vllm"), opening("p", tiny.picture(1))[0])
    with pytest.raises(InputError, match="at temperature 1 and would sample at another"):
        engine(server, Caller(caller.cache), dialect="vllm", temperature=0.7)
    engine(server, Caller(caller.cache), dialect="vllm", temperature=0.7, scaled_logprobs=True)


def test_a_server_with_another_picture_budget_is_noticed(caller):
    other = LoopbackServer(max_pixels=32 * 32 * 2)
    try:
        with pytest.raises(InputError, match="the same model, processor and picture budget"):
            step(engine(other, caller), opening("p", tiny.picture(1))[0])
    finally:
        other.close()


def test_a_server_that_draws_pictures_is_noticed(server, caller):
    conversation, _ = opening("t", tiny.picture(1))
    num_prompt = step(engine(server, caller), conversation).num_prompt_tokens
    drawn = [[-0.5, 5, None], [-9.0, min(FORBIDDEN), None]]
    server.faults.append(
        json.dumps(
            {
                "meta_info": {
                    "prompt_tokens": num_prompt,
                    "output_token_logprobs": drawn,
                    "finish_reason": {"type": "length"},
                }
            }
        ).encode()
    )
    with pytest.raises(InputError, match="logit_bias"):
        step(engine(server, caller, model="tiny@1"), conversation)


@pytest.mark.parametrize(
    "fault",
    [
        500,
        429,
        "cut",
        b"",
        b"<html>",
        b'{"text": "x"}',
        b'{"meta_info": {"finish_reason": {"type": "abort", "message": "gone"}, "output_token_logprobs": []}}',
    ],
)
def test_a_passing_fault_is_tried_again(server, caller, fault):
    server.faults.append(fault)
    before = server.num_requests
    assert step(engine(server, caller), opening(f"fault {fault!r}")[0]).token_ids
    assert server.num_requests - before == 2


@pytest.mark.parametrize(
    ("dialect", "error"),
    [
        (
            "sglang",
            {
                "meta_info": {
                    "finish_reason": {"type": "abort", "message": "gone"},
                    "output_token_logprobs": [],
                }
            },
        ),
        ("sglang", {"error": {"message": "the scheduler is dead", "code": 500}}),
        ("vllm", {"object": "error", "message": "the engine is dead", "code": 500}),
        (
            "vllm",
            {
                "choices": [
                    {
                        "finish_reason": "abort",
                        "token_ids": [5],
                        "logprobs": {"token_logprobs": [-1.0]},
                    }
                ],
                "usage": {"prompt_tokens": 3},
            },
        ),
    ],
)
def test_an_error_inside_status_200_is_tried_again_and_charged_to_nobody(
    server, caller, dialect, error
):
    server.faults.append(json.dumps(error).encode())
    assert step(engine(server, caller, dialect=dialect), opening(f"error {error}")[0]).token_ids
    (line,) = cost_lines(caller.cache.path, by=())
    assert (line.num_calls, line.num_faults) == (1, 1)


def test_a_lasting_fault_names_the_server_and_is_not_cached(server, caller):
    server.faults.extend([503] * 3)
    with pytest.raises(ProviderFault, match=r"lab-tiny@0-sglang: .*not now.*503"):
        step(engine(server, caller), opening("lasting")[0])
    assert step(engine(server, Caller(caller.cache)), opening("lasting")[0]).token_ids
    with pytest.raises(ProviderFault, match="cannot be reached at http"):
        step(
            engine(
                server,
                Caller(caller.cache, retry=RetryPolicy(max_attempts=1)),
                model="gone",
                url="http://127.0.0.1:9",
            ),
            opening("x")[0],
        )


def test_a_full_context_is_said(server, caller):
    server.faults.append(
        "The input (5000 tokens) is longer than the model's context length (4096 tokens)."
    )
    with pytest.raises(ContextFull, match="longer than"):
        step(engine(server, caller), opening("long")[0])


@pytest.mark.parametrize(
    "url", ["lab:8000", "http://", "http://user:secret@lab:1", "http://lab:1/v1"]
)
def test_an_address_that_is_none_is_an_error_of_the_user(server, caller, url):
    with pytest.raises(InputError, match="no address of a server"):
        engine(server, caller, url=url)


def test_whole_episodes_over_the_server(server, caller):
    played = engine(server, caller)
    schemas = toolbox().schemas()
    player = Player(
        played,
        toolbox(),
        Limits(calls=2, turn_tokens=6, on_violation="observe"),
        renderer=Renderer(schemas, max_calls=2, special_tokens=TOKENS.special_tokens),
    )
    tasks = [Task(task_id=f"e{n}", question="Who?", pictures=(tiny.picture(n),)) for n in range(2)]

    async def work(_) -> list[Episode]:
        return [episode async for episode in player.play_all(tasks)]

    done = run(played, work)
    assert len(done) == 2
    assert all(t.token_ids and len(t.token_ids) == len(t.logprobs) for e in done for t in e.turns)
