"""A mock chat endpoint on loopback, which gives good replies. If asked, the endpoint gives any
known kind of faulty reply.

    python benchmarks/mock_endpoint.py --port 0 --mean 0.3 --sigma 0.5      prints its base URL on the first line

The server answers requests to /v1/chat/completions with log-normal latency. `POST /script` takes a
list of `{"kind": …}`. Each entry sets the kind of reply for one of the next requests. Requests
after the list get the kind "ok". With `--faults SHARE`, this share of the requests first meets a
transport fault, and then gets the good reply. A request's idempotency key decides whether it meets
a fault. With `--rate N`, the server accepts N requests in any second and answers 429 to the others.
With `--slots N`, the server handles N requests at once and queues the rest. The server handles
queued requests even if their client has gone away. `GET /stats` reports statistics of the requests
so far.

Equal requests get equal good replies. If a request has a JSON schema, the good reply is a value
that fits it. If a request has no JSON schema, the good reply is a text with the request's digest.
For the model "agent:N", good replies are turns of an agent. The first N replies are search calls,
and the next reply is an answer.
"""

import argparse
import asyncio
import hashlib
import json
import math
import random
import subprocess
import sys
import time
from collections import Counter, deque
from contextlib import contextmanager
from typing import Any

from aiohttp import web

TRANSPORT_FAULTS = ("429", "429_retry_after", "500", "503", "cut", "cut_body", "empty_body")


def instance_of(schema: dict[str, Any], word: str, root: dict[str, Any] | None = None) -> Any:
    """Makes a value that fits a JSON schema. All strings in the value contain `word`."""
    root = root or schema
    if "$ref" in schema:
        return instance_of(root["$defs"][schema["$ref"].rsplit("/", 1)[1]], word, root)
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            return instance_of(schema[choice][0], word, root)
    match schema.get("type"):
        case "object":
            return {
                name: instance_of(part, word, root)
                for name, part in schema.get("properties", {}).items()
            }
        case "array":
            return [instance_of(schema.get("items", {}), word, root)] * max(
                1, schema.get("minItems", 1)
            )
        case "integer":
            return int(schema.get("minimum", 1))
        case "number":
            return float(schema.get("minimum", 0.5))
        case "boolean":
            return True
        case "null":
            return None
    return f"text {word}"


def good_content(body: dict[str, Any]) -> str:
    """The content of a good reply: a value that fits the request's JSON schema, or a text with the
    request's digest."""
    word = hashlib.sha256(json.dumps(body["messages"], sort_keys=True).encode()).hexdigest()[:12]
    if body["model"].startswith("agent:"):
        return agent_turn(body, word, int(body["model"].removeprefix("agent:")))
    wanted = body.get("response_format") or {}
    if wanted.get("type") == "json_schema":
        return json.dumps(instance_of(wanted["json_schema"]["schema"], word))
    return json.dumps({"answer": f"text {word}"}) if wanted else f"text {word}"


def agent_turn(body: dict[str, Any], word: str, calls: int) -> str:
    """Makes a turn of an agent. The first `calls` turns search, and the next turn answers."""
    if sum(message["role"] == "assistant" for message in body["messages"]) >= calls:
        return f"<think>{word} says it.</think>\n<answer>{word}</answer>"
    call = json.dumps({"name": "text_search", "arguments": {"query": word}})
    return f"<think>What of {word}?</think>\n<tool_call>{call}</tool_call>"


async def raw_response(request: web.Request, behaviour: dict[str, Any]) -> web.StreamResponse:
    """Sends a response with status 200, in the parts and with the end that `behaviour` states.

    The texts in `pieces` are sent one by one, encoded in Latin-1. `end` says how the response ends:
    normally, with a broken connection ("cut"), or with a connection that stays open ("open").
    """
    response = web.StreamResponse(
        headers={"Content-Type": behaviour.get("type", "text/event-stream")}
    )
    response.enable_chunked_encoding()
    await response.prepare(request)
    for piece in behaviour["pieces"]:
        await response.write(piece.encode("latin-1"))
        await asyncio.sleep(0.001)
    match behaviour.get("end"):
        case "cut":
            assert request.transport is not None
            request.transport.close()
        case "open":
            await asyncio.sleep(3600)
        case _:
            await response.write_eof()
    return response


class MockEndpoint:
    """The server's state: the kinds of the next replies, the random generator for latencies, and
    the counters."""

    def __init__(
        self,
        *,
        mean: float,
        sigma: float,
        seed: int,
        faults: float,
        rate: int = 0,
        retry_after: float = 0.0,
        slots: int = 0,
    ) -> None:
        self.slots = asyncio.Semaphore(slots or 1_000_000)
        self.mean, self.sigma, self.seed, self.faults = mean, sigma, seed, faults
        self.latencies = random.Random(seed)
        self.rate, self.retry_after = rate, retry_after
        self.passed: deque[float] = deque()
        self.num_refused = 0
        self.script: deque[dict[str, Any]] = deque()
        self.by_key: Counter[str] = Counter()
        self.num_replied = self.num_now = self.peak = 0
        self.sum_latency = 0.0
        self.last_body: dict[str, Any] = {}
        self.last_headers: dict[str, str] = {}

    def _behaviour(self, key: str) -> dict[str, Any]:
        if self.script:
            return self.script.popleft()
        if self.rate and not self._passes():
            self.num_refused += 1
            return (
                {"kind": "429_retry_after", "seconds": self.retry_after}
                if self.retry_after
                else {"kind": "429"}
            )
        draw = random.Random(f"{self.seed} {key}")
        if self.by_key[key] == 1 and draw.random() < self.faults:
            return {"kind": draw.choice(TRANSPORT_FAULTS)}
        return {"kind": "ok"}

    def _passes(self) -> bool:
        """Whether the rate limit allows another request, given the requests of the last second."""
        now = time.monotonic()
        while self.passed and self.passed[0] <= now - 1:
            self.passed.popleft()
        if len(self.passed) >= self.rate:
            return False
        self.passed.append(now)
        return True

    def _latency(self) -> float:
        """Draws a latency in seconds from a log-normal distribution with the given mean."""
        if not self.mean:
            return 0.0
        return self.latencies.lognormvariate(math.log(self.mean) - self.sigma**2 / 2, self.sigma)

    async def complete(self, request: web.Request) -> web.StreamResponse:
        """Handles POST /v1/chat/completions."""
        raw = await request.read()
        key = request.headers.get("Idempotency-Key", "")
        self.by_key[key] += 1
        behaviour = self._behaviour(key)
        self.num_now += 1
        self.peak = max(self.peak, self.num_now)
        latency = self._latency()
        self.sum_latency += latency
        try:
            async with self.slots:
                await asyncio.sleep(latency)
            body = json.loads(raw)
            self.last_body, self.last_headers = body, dict(request.headers)
            return await self._answer(request, body, behaviour)
        finally:
            self.num_now -= 1

    async def _answer(
        self, request: web.Request, body: dict[str, Any], behaviour: dict[str, Any]
    ) -> web.StreamResponse:
        kind = behaviour["kind"]
        good = behaviour.get("content") or good_content(body)
        finish, refusal, content = "stop", None, good
        match kind:
            case "429" | "429_retry_after":
                headers = (
                    {"Retry-After": str(behaviour.get("seconds", 1))}
                    if kind == "429_retry_after"
                    else {}
                )
                return web.json_response(
                    {"error": {"message": "slow down", "type": "rate_limit"}},
                    status=429,
                    headers=headers,
                )
            case "echo_key":
                told = f"bad key {request.headers.get('Authorization', '')}"
                return web.json_response(
                    {"error": {"message": told}}, status=behaviour.get("status", 401)
                )
            case "hang":
                await asyncio.sleep(behaviour.get("seconds", 3600))
            case "cut":
                assert request.transport is not None
                request.transport.close()
                return web.Response()
            case "cut_body":
                response = web.StreamResponse(
                    headers={"Content-Type": "application/json", "Content-Length": "5000"}
                )
                await response.prepare(request)
                await response.write(b'{"choices": [{"index": 0, "mess')
                assert request.transport is not None
                request.transport.close()
                return response
            case "empty_body":
                return web.Response(body=b"", content_type="application/json")
            case "not_json":
                return web.Response(text="<html>gateway</html>", content_type="text/html")
            case "raw":
                return await raw_response(request, behaviour)
            case "empty":
                content = ""
            case "prose":
                content = f"Certainly! Here is what you asked for:\n\n```json\n{good}\n```\nLet me know {{if}} you need more."
            case "truncated":
                content, finish = good[: max(1, len(good) // 2)], "length"
            case "wrong_schema":
                content = json.dumps({"unexpected": [1, 2, 3]})
            case "refusal":
                content, refusal = "", "I can't help with that."
            case "refusal_text":
                content = "I'm sorry, but I can't help with that."
            case "other_language":
                content = behaviour.get("content") or json.dumps(
                    {"answer": "Das weiß ich leider nicht genau"}, ensure_ascii=False
                )
            case "ok":
                pass
            case _ if kind.isdigit():
                return web.json_response(
                    {
                        "error": {
                            "message": behaviour.get("message", f"status {kind}"),
                            "code": behaviour.get("code"),
                        }
                    },
                    status=int(kind),
                )
            case _:
                raise ValueError(f"unknown kind {kind!r}")
        message: dict[str, Any] = {"role": "assistant", "content": content, "refusal": refusal}
        if "reasoning" in behaviour:
            message["reasoning_content"] = behaviour["reasoning"]
        reply: dict[str, Any] = {
            "id": "mock",
            "object": "chat.completion",
            "created": 0,
            "model": body["model"],
            "choices": [{"index": 0, "finish_reason": finish, "message": message}],
        }
        if not behaviour.get("no_usage"):
            tokens_in, tokens_out = (
                len(json.dumps(body["messages"])) // 4,
                max(1, len(content) // 4),
            )
            reply["usage"] = {
                "prompt_tokens": tokens_in,
                "completion_tokens": tokens_out,
                "total_tokens": tokens_in + tokens_out,
            }
        self.num_replied += 1
        return web.json_response(reply)

    async def take_script(self, request: web.Request) -> web.Response:
        """Handles POST /script: stores the kinds of reply for the next requests, and discards what
        is left of an earlier list.
        """
        self.script = deque(await request.json())
        return web.json_response({})

    async def stats(self, request: web.Request) -> web.Response:
        """Handles GET /stats: returns the counts since the start, the mean drawn latency, and the
        requests by idempotency key.
        """
        num = sum(self.by_key.values())
        return web.json_response(
            {
                "num_requests": num,
                "num_replied": self.num_replied,
                "num_refused": self.num_refused,
                "peak": self.peak,
                "mean_latency": self.sum_latency / num if num else 0.0,
                "by_key": self.by_key,
                "last_body": self.last_body,
                "last_headers": self.last_headers,
            }
        )

    async def models(self, request: web.Request) -> web.Response:
        """Handles GET /v1/models."""
        return web.json_response({"object": "list", "data": [{"id": "mock", "object": "model"}]})


async def serve(endpoint: MockEndpoint, port: int) -> None:
    """Prints the server's base URL, then serves until the process ends."""
    app = web.Application(client_max_size=64 * 2**20)
    app.add_routes(
        [
            web.post("/v1/chat/completions", endpoint.complete),
            web.get("/v1/models", endpoint.models),
            web.post("/script", endpoint.take_script),
            web.get("/stats", endpoint.stats),
        ]
    )
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", port, backlog=1024)
    await site.start()
    print(f"http://127.0.0.1:{runner.addresses[0][1]}/v1", flush=True)
    await asyncio.Event().wait()


@contextmanager
def running(
    *,
    mean: float = 0.0,
    sigma: float = 0.5,
    seed: int = 0,
    faults: float = 0.0,
    rate: int = 0,
    retry_after: float = 0.0,
    slots: int = 0,
):
    """Runs the server in a process of its own, and yields the server's base URL (…/v1)."""
    options = [
        "--mean",
        mean,
        "--sigma",
        sigma,
        "--seed",
        seed,
        "--faults",
        faults,
        "--rate",
        rate,
        "--retry-after",
        retry_after,
        "--slots",
        slots,
    ]
    server = subprocess.Popen(
        [sys.executable, "-P", __file__, *map(str, options)], stdout=subprocess.PIPE, text=True
    )
    assert server.stdout is not None
    try:
        yield server.stdout.readline().strip()
    finally:
        server.kill()
        server.wait()
        server.stdout.close()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--mean", type=float, default=0.0, help="mean latency in seconds")
    parser.add_argument(
        "--sigma", type=float, default=0.5, help="sigma of the logarithm of the latency"
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument(
        "--faults",
        type=float,
        default=0.0,
        help="share of requests that first meet a fault of transport",
    )
    parser.add_argument(
        "--rate", type=int, default=0, help="requests that pass in any second; 0 for all"
    )
    parser.add_argument(
        "--retry-after",
        type=float,
        default=0.0,
        help="seconds that a 429 of --rate asks to wait; 0 for no such header",
    )
    parser.add_argument(
        "--slots", type=int, default=0, help="requests that are worked at at once; 0 for all"
    )
    asked = parser.parse_args()
    asyncio.run(
        serve(
            MockEndpoint(
                mean=asked.mean,
                sigma=asked.sigma,
                seed=asked.seed,
                faults=asked.faults,
                rate=asked.rate,
                retry_after=asked.retry_after,
                slots=asked.slots,
            ),
            asked.port,
        )
    )
