"""New weights for an inference server: really loaded, waited for, told by version, and a server that keeps the old ones is found out."""

import asyncio

import pytest
import torch

from questloom.agent.engines.server_config import ServerConfig
from questloom.agent.engines.server_engine import ServerEngine
from questloom.agent.engines.token_engine import Sampling
from questloom.calls.caller import Caller
from questloom.calls.retry import RetryPolicy
from questloom.calls.sqlite import SqliteCache
from questloom.records.episodes import Turn
from questloom.records.errors import InputError, ProviderFault
from questloom.train.loss.objective import EngineMismatch, check_engine
from questloom.train.model.scorer import Scorer
from questloom.train.rows.episode_rows import row_of_segments
from questloom.train.rows.packing import pack
from tests.agent import tiny
from tests.agent.engines.full_forward import TOKENS, full_logprobs, opening
from tests.agent.loopback_server import LoopbackServer
from tests.train.played import PICTURES, ROPE

NEW = tiny.model(seed=1)


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    folder = tmp_path_factory.mktemp("weights") / "step-1"
    NEW.save_pretrained(folder)
    return str(folder)


@pytest.fixture
def server():
    made = LoopbackServer()
    yield made
    made.close()


@pytest.fixture
def caller(tmp_path):
    cache = SqliteCache(tmp_path / "calls.sqlite")
    yield Caller(cache, retry=RetryPolicy(max_attempts=2, first_delay=0.01))
    cache.close()


def play(
    server: LoopbackServer,
    caller: Caller,
    work,
    *,
    dialect="sglang",
    url: str = "",
    timeout: float = 60.0,
):
    async def run():
        engine = ServerEngine(
            ServerConfig(
                name="lab", url=url or server.url, dialect=dialect, model="tiny@0", timeout=timeout
            ),
            TOKENS,
            caller,
            sampling=Sampling(),
        )
        try:
            return await work(engine)
        finally:
            await engine.aclose()

    return asyncio.run(run())


def worst(conversation, sample, model) -> float:
    forbidden = frozenset(
        TOKENS.tokenizer.convert_tokens_to_ids(
            ["<|image_pad|>", "<|video_pad|>", "<|vision_start|>", "<|vision_end|>"]
        )
    )
    return float(
        (full_logprobs(conversation, sample, 1.0, forbidden, model) - torch.tensor(sample.logprobs))
        .abs()
        .max()
    )


@pytest.mark.parametrize(("dialect", "pictures"), [("sglang", (tiny.picture(1),)), ("vllm", ())])
def test_new_weights_are_loaded_and_no_reply_of_the_old_ones_comes_back(
    server, caller, checkpoint, dialect, pictures
):
    conversation, _ = opening("t", *pictures)

    async def work(engine):
        old = await engine.step(conversation, max_new_tokens=6)
        await engine.load_weights(checkpoint, "1")
        return old, await engine.step(conversation, max_new_tokens=6), engine.model

    old, new, model = play(server, caller, work, dialect=dialect)
    assert worst(conversation, old, tiny.model()) < 1e-4 and worst(conversation, old, NEW) > 0.1
    assert worst(conversation, new, NEW) < 1e-4 and worst(conversation, new, tiny.model()) > 0.1
    assert (model, server.num_flushed) == ("tiny@1", 1)


def test_an_update_waits_for_turns_in_flight_and_turns_wait_for_it(server, caller, checkpoint):
    server.slow = 0.2
    order: list[str] = []

    async def named(name: str, work):
        result = await work
        order.append(name)
        return result

    async def work(engine):
        before = [
            asyncio.create_task(
                named(f"old {n}", engine.step(opening(f"a{n}")[0], max_new_tokens=4))
            )
            for n in range(2)
        ]
        await asyncio.sleep(0.05)
        update = asyncio.create_task(named("update", engine.load_weights(checkpoint, "1")))
        await asyncio.sleep(0.05)
        after = asyncio.create_task(named("new", engine.step(opening("b")[0], max_new_tokens=4)))
        return await asyncio.gather(*before, after, update)

    *old, new, _ = play(server, caller, work)
    assert sorted(order[:2]) == ["old 0", "old 1"] and order[2:] == ["update", "new"]
    assert all(
        worst(opening(f"a{n}")[0], sample, tiny.model()) < 1e-4 for n, sample in enumerate(old)
    )
    assert worst(opening("b")[0], new, NEW) < 1e-4


def test_a_cancelled_turn_does_not_hold_an_update_up_for_ever(server, caller, checkpoint):
    server.slow = 0.3

    async def work(engine):
        turn = asyncio.create_task(engine.step(opening("a")[0], max_new_tokens=4))
        await asyncio.sleep(0.05)
        turn.cancel()
        await asyncio.wait_for(engine.load_weights(checkpoint, "1"), 20)

    play(server, caller, work)


@pytest.mark.parametrize(
    ("dialect", "says"),
    [
        (
            "sglang",
            "lab: did not take the weights in /nowhere: /update_weights_from_disk: status 400: .*Failed to upd",
        ),
        (
            "vllm",
            "lab: did not take the weights in /nowhere: /collective_rpc: status 500: .*Failed to update",
        ),
    ],
)
def test_a_server_that_refuses_stops_the_run_by_name_and_keeps_its_version(
    server, caller, checkpoint, dialect, says
):
    async def work(engine):
        with pytest.raises(InputError, match=says):
            await engine.load_weights("/nowhere", "1")
        return engine.model, await engine.step(opening("t")[0], max_new_tokens=4)

    model, sample = play(server, caller, work, dialect=dialect)
    assert model == "tiny@0" and worst(opening("t")[0], sample, tiny.model()) < 1e-4


def test_a_server_that_says_it_did_not_succeed_is_believed(server, caller, checkpoint):
    server.faults.append(b'{"success": false, "message": "shape mismatch"}')
    with pytest.raises(InputError, match="shape mismatch"):
        play(server, caller, lambda engine: engine.load_weights(checkpoint, "1"))


def test_a_vllm_that_cannot_load_while_it_runs_is_told_how_to_be_started(caller, checkpoint):
    server = LoopbackServer(dev_mode=False)
    try:
        with pytest.raises(InputError, match=r"status 404.*VLLM_SERVER_DEV_MODE=1"):
            play(
                server, caller, lambda engine: engine.load_weights(checkpoint, "1"), dialect="vllm"
            )
    finally:
        server.close()


def test_a_server_that_is_gone_or_hangs_is_a_providers_fault(server, caller, checkpoint):
    with pytest.raises(ProviderFault, match="lab: cannot be reached"):
        play(
            server,
            caller,
            lambda engine: engine.load_weights(checkpoint, "1"),
            url="http://127.0.0.1:9",
        )
    with pytest.raises(ProviderFault, match="lab: /update_weights_from_disk did not end within"):
        play(server, caller, lambda engine: engine.load_weights(checkpoint, "1"), timeout=1e-4)


@pytest.mark.parametrize(
    ("version", "says"),
    [
        ("7", "lab: answers with the weights 7, and was told to load 1"),
        ("", "the weights of no version"),
    ],
)
def test_a_reply_of_another_version_stops_the_run_by_name(
    server, caller, checkpoint, version, says
):
    async def work(engine):
        await engine.load_weights(checkpoint, "1")
        server.weight_version = version
        await engine.step(opening("t")[0], max_new_tokens=4)

    with pytest.raises(InputError, match=says):
        play(server, caller, work)


def test_another_process_is_told_which_weights_were_loaded(server, caller, checkpoint):
    play(server, caller, lambda engine: engine.load_weights(checkpoint, "1"))

    async def work(engine):
        engine.weights_are("1")
        return engine.model, await engine.step(opening("t")[0], max_new_tokens=4)

    model, sample = play(server, Caller(caller.cache), work)
    assert model == "tiny@1" and worst(opening("t")[0], sample, NEW) < 1e-4


def trained_with(server: LoopbackServer, caller: Caller, checkpoint: str, dialect: str) -> float:
    """The KL between the server that was told to load the new weights and a trainer that has them."""
    conversation, _ = opening("t", *([tiny.picture(1)] if dialect == "sglang" else []))

    async def work(engine):
        await engine.load_weights(checkpoint, "1")
        sample = await engine.step(conversation, max_new_tokens=12)
        turn = Turn(text=sample.text, token_ids=sample.token_ids, logprobs=sample.logprobs)
        return engine.segments_of(conversation, turn)

    row = row_of_segments(
        play(server, caller, work, dialect=dialect), episode_id="t", tokens=PICTURES, rope=ROPE
    )
    packed = pack([row], PICTURES)
    with torch.no_grad():
        return check_engine(Scorer(NEW)(packed).logp, packed.old_logp)


@pytest.mark.parametrize("dialect", ["sglang", "vllm"])
def test_a_server_that_kept_its_old_weights_raises_the_trainers_alarm(
    server, caller, checkpoint, dialect
):
    assert trained_with(server, caller, checkpoint, dialect) < 0.001
    stale = LoopbackServer(loads=False)
    try:
        with pytest.raises(
            EngineMismatch,
            match=r"k3 \d+\.\d+ a token over 12 tokens, the alarm is at 0.015; the mean difference is",
        ):
            trained_with(stale, Caller(SqliteCache(":memory:")), checkpoint, dialect)
    finally:
        stale.close()
