"""The engine over an endpoint: text and pictures, thoughts parted or not, nothing paid twice, dead endpoints named."""

import asyncio
import json
import multiprocessing
import random
import sqlite3
import time
import urllib.request
from pathlib import Path

import pytest

from benchmarks.mock_endpoint import running
from questloom.agent.engines.openai_engine import OpenAIEngine
from questloom.agent.play.journal import Journal
from questloom.agent.play.player import Player, Task
from questloom.agent.turns.limits import Limits
from questloom.calls.caller import Caller
from questloom.calls.request import Price
from questloom.calls.retry import RetryPolicy
from questloom.calls.sqlite import SqliteCache
from questloom.models.chat_client import ChatClient
from questloom.models.endpoints import EndpointConfig, RoleConfig
from questloom.records.episodes import EndReason, Episode
from tests.agent import tiny
from tests.agent.small_provider import answer, search, toolbox

CALLS = 3


def play(
    url: str,
    folder: Path,
    tasks: list[Task],
    *,
    journal: bool = False,
    rollouts: int = 1,
    at_once: int = 64,
    opened: str = "",
    attempts: int = 9,
    limits: Limits | None = None,
) -> list[Episode]:
    async def run() -> list[Episode]:
        cache = SqliteCache(folder / "calls.sqlite")
        client = ChatClient(
            [EndpointConfig(name="lab", base_url=url)],
            {"agent": RoleConfig(endpoint="lab", model=f"agent:{CALLS}", temperature=0.6)},
            Caller(cache, retry=RetryPolicy(max_attempts=attempts, first_delay=0.01)),
        )
        player = Player(
            OpenAIEngine(client, opened=opened, price=Price(1.0, 2.0)),
            toolbox(),
            limits or Limits(),
        )
        kept = Journal(folder / "journal", player.settings) if journal else None
        try:
            return [
                e
                async for e in player.play_all(
                    tasks, rollouts=rollouts, journal=kept, at_once=at_once
                )
            ]
        finally:
            await client.aclose()
            cache.close()
            if kept:
                kept.close()

    return asyncio.run(run())


def tasks(num: int, *pictures: bytes) -> list[Task]:
    return [
        Task(task_id=f"t{n}", question=f"Who built bridge {n}?", pictures=pictures)
        for n in range(num)
    ]


def stats(url: str) -> dict:
    with urllib.request.urlopen(url.removesuffix("/v1") + "/stats") as reply:
        return json.load(reply)


def script(url: str, *behaviours: dict) -> None:
    body = json.dumps(behaviours).encode()
    urllib.request.urlopen(
        urllib.request.Request(
            url.removesuffix("/v1") + "/script",
            data=body,
            headers={"Content-Type": "application/json"},
        )
    ).close()


@pytest.fixture(scope="module")
def url():
    with running() as made:
        yield made


def test_episodes_are_played_over_the_wire_with_pictures(url, tmp_path):
    done = play(url, tmp_path, tasks(4, tiny.picture(1)))
    assert {e.end for e in done} == {EndReason.ANSWERED}
    assert {len(e.turns) for e in done} == {CALLS + 1}
    sent = stats(url)["last_body"]["messages"]
    assert [m["role"] for m in sent] == ["system", "user", *["assistant", "user"] * CALLS]
    assert sent[1]["content"][1]["image_url"]["url"].startswith("data:image/png;base64,")
    assert all(
        e.cost
        == pytest.approx(sum(t.num_prompt_tokens + 2 * t.num_new_tokens for t in e.turns) / 1e6)
        for e in done
    )
    assert all(t.num_prompt_tokens > 0 < t.num_new_tokens for e in done for t in e.turns)


def test_rollouts_of_a_task_are_asked_for_each_and_asked_once(url, tmp_path):
    before = stats(url)["num_requests"]
    first = play(url, tmp_path, tasks(1), rollouts=3)
    assert stats(url)["num_requests"] - before == 3 * (CALLS + 1)
    again = play(url, tmp_path, tasks(1), rollouts=3)
    assert stats(url)["num_requests"] - before == 3 * (CALLS + 1)
    assert [[t.text for t in e.turns] for e in sorted(again, key=lambda e: e.rollout)] == [
        [t.text for t in e.turns] for e in sorted(first, key=lambda e: e.rollout)
    ]


def test_a_thought_that_the_template_opened_is_put_before_the_reply(url, tmp_path):
    script(url, {"kind": "ok", "content": "I know.</think>\n<answer>Ada</answer>"})
    (done,) = play(url, tmp_path, tasks(1), opened="<think>\n")
    assert (done.end, done.turns[0].text) == (
        EndReason.ANSWERED,
        "<think>\nI know.</think>\n<answer>Ada</answer>",
    )


def test_a_thought_that_the_server_parted_from_the_reply_is_put_before_it(url, tmp_path):
    script(url, {"kind": "ok", "content": "<answer>Ada</answer>", "reasoning": "I know."})
    (done,) = play(url, tmp_path, tasks(1), opened="<think>\n")
    assert done.turns[0].text == "<think>\nI know.\n</think>\n\n<answer>Ada</answer>"
    assert done.turns[0].thought == "I know."


def raw(choice: dict) -> dict:
    return {
        "kind": "raw",
        "type": "application/json",
        "pieces": [json.dumps({"choices": [{"index": 0, **choice}]})],
    }


def test_a_thought_that_stands_among_the_parts_is_put_before_the_reply(url, tmp_path):
    parts = [
        {"type": "thinking", "thinking": [{"type": "text", "text": "I know."}]},
        {"type": "text", "text": "<answer>Ada</answer>"},
    ]
    script(url, raw({"message": {"content": parts}, "finish_reason": "stop"}))
    (done,) = play(url, tmp_path, tasks(1))
    assert (done.end, done.turns[0].text) == (
        EndReason.ANSWERED,
        "<think>\nI know.\n</think>\n\n<answer>Ada</answer>",
    )


@pytest.mark.parametrize("content", [None, "", "<think>\nWho?\n</think>"])
def test_a_call_that_the_server_parted_from_the_reply_is_a_call(url, tmp_path, content):
    call = {
        "id": "c",
        "type": "function",
        "function": {"name": "text_search", "arguments": '{"query": "Ada"}'},
    }
    thought = {} if content else {"reasoning_content": "Who?"}
    script(
        url,
        raw(
            {
                "message": {"content": content, "tool_calls": [call], **thought},
                "finish_reason": "tool_calls",
            }
        ),
    )
    first = play(url, tmp_path, tasks(1))[0].turns[0]
    assert (first.thought, first.violation, first.call.name, first.call.arguments) == (
        "Who?",
        "",
        "text_search",
        {"query": "Ada"},
    )


def test_a_native_call_whose_arguments_are_no_json_is_the_models_fault(url, tmp_path):
    call = {"function": {"name": "text_search", "arguments": '{"query": "Ada'}}
    script(
        url,
        raw(
            {
                "message": {"content": "", "reasoning_content": "Who?", "tool_calls": [call]},
                "finish_reason": "tool_calls",
            }
        ),
    )
    assert play(url, tmp_path, tasks(1))[0].turns[0].violation == "bad_json"


def test_an_error_inside_status_200_ends_no_episode_as_the_policys_and_is_gone_with_a_sound_server(
    url, tmp_path
):
    error = raw(
        {
            "message": {"content": ""},
            "finish_reason": "error",
            "error": {"code": 502, "message": "upstream overloaded"},
        }
    )
    script(url, *[error] * 50)
    broken = play(url, tmp_path, tasks(25), attempts=2)
    assert {e.end for e in broken} == {EndReason.PROVIDER} and "upstream overloaded" in broken[
        0
    ].end_evidence
    script(url)
    assert {e.end for e in play(url, tmp_path, tasks(25))} == {EndReason.ANSWERED}


def test_a_turn_cut_at_the_limit_ends_as_tokens_and_a_filter_as_format(url, tmp_path):
    script(url, {"kind": "truncated", "content": search("a long query")})
    assert play(url, tmp_path, tasks(1))[0].end == EndReason.TOKENS
    script(url, {"kind": "400", "code": "content_filter"})
    (filtered,) = play(url, tmp_path, [Task(task_id="f", question="?")])
    assert (filtered.end, filtered.turns[0].violation) == (EndReason.FORMAT, "refused")


def test_a_context_that_is_full_ends_as_tokens(url, tmp_path):
    script(
        url,
        {"kind": "ok", "content": search("a")},
        {"kind": "400", "message": "This model's maximum context length is 4096 tokens."},
    )
    (done,) = play(url, tmp_path, tasks(1))
    assert (done.end, len(done.turns)) == (EndReason.TOKENS, 1)
    script(url, {"kind": "400", "message": "unknown parameter"})
    (done,) = play(url, tmp_path, [Task(task_id="p", question="?")])
    assert done.end == EndReason.PROVIDER and "unknown parameter" in done.end_evidence


def test_a_dead_endpoint_ends_every_episode_as_provider_with_a_message(tmp_path):
    done = play("http://127.0.0.1:9/v1", tmp_path, tasks(3), attempts=2)
    assert [e.end for e in done] == [EndReason.PROVIDER] * 3
    assert "cannot be reached at http://127.0.0.1:9/v1" in done[0].end_evidence


def test_an_endpoint_that_comes_back_finishes_what_it_began(url, tmp_path):
    script(url, {"kind": "ok", "content": search("a")}, *[{"kind": "500"}] * 2)
    (broken,) = play(url, tmp_path, tasks(1), attempts=2, journal=True)
    assert (broken.end, len(broken.turns)) == (EndReason.PROVIDER, 1)
    (whole,) = play(url, tmp_path, tasks(1), journal=True)
    assert (whole.end, whole.turns[0].text, len(whole.turns)) == (
        EndReason.ANSWERED,
        search("a"),
        CALLS + 1,
    )


NUM, KILLS = 24, 5


def work(url: str, folder: Path) -> None:
    play(url, folder, tasks(NUM, tiny.picture(1)), journal=True, at_once=8)


def test_after_kills_at_random_points_every_episode_is_finished_and_no_arrived_reply_asked_again(
    tmp_path,
):
    with running(mean=0.03) as url:
        arrived: dict[str, int] = {}
        for point in sorted(random.Random(1).sample(range(8, NUM * (CALLS + 1) - 8), KILLS)):
            process = multiprocessing.get_context("fork").Process(target=work, args=(url, tmp_path))
            process.start()
            while process.is_alive() and stats(url)["num_replied"] < point:
                time.sleep(0.002)
            process.kill()
            process.join()
            time.sleep(0.1)
            by_key = stats(url)["by_key"]
            with sqlite3.connect(tmp_path / "calls.sqlite") as cache:
                for (key,) in cache.execute("SELECT key FROM replies"):
                    arrived.setdefault(key, by_key[key])
        done = play(url, tmp_path, tasks(NUM, tiny.picture(1)), journal=True)
        sent = stats(url)["by_key"]
        assert {e.task_id for e in done} == {f"t{n}" for n in range(NUM)}
        assert all(e.end == EndReason.ANSWERED and len(e.turns) == CALLS + 1 for e in done)
        assert len(arrived) > 8 and all(sent[key] == num for key, num in arrived.items())
        assert len(sent) == NUM * (CALLS + 1)
        before = sum(sent.values())
        again = play(url, tmp_path, tasks(NUM, tiny.picture(1)), journal=True)
        assert sum(stats(url)["by_key"].values()) == before
        assert sorted(again, key=lambda e: e.task_id) == sorted(done, key=lambda e: e.task_id)


def test_an_answer_over_the_wire_reads_as_the_policy_wrote_it(url, tmp_path):
    script(url, {"kind": "ok", "content": answer("Ada “Lund” 漢字")})
    assert play(url, tmp_path, tasks(1))[0].answer == "Ada “Lund” 漢字"
