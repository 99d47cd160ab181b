"""An engine that asks an inference server, for models with 8 billion parameters or more. The server
takes token ids, and returns token ids with their log-probabilities.

The engine speaks the HTTP interfaces of two servers:

* `sglang`: POST /generate, with pictures. The request has one placeholder token per picture. The
  server replaces each placeholder by the picture's tokens. Every reply states the prompt length, so
  the engine notices at once if the server counts other tokens per picture.
* `vllm`: POST /v1/completions with `return_token_ids`. vLLM's endpoint takes token ids but no
  pictures, so only text works.

The package `calls/` sends every request: it limits the rate, retries and caches. The key of a
cached reply holds the token ids, hashes of pictures, sampling settings and (task, rollout, turn).

`load_weights` makes the server load a checkpoint from a folder that both sides can read. SGLang
reports the version of its weights in every reply, and the engine checks the version. vLLM reports
no version. With vLLM, a failed load is noticed only when the trainer compares log-probabilities.
"""

import asyncio
import base64
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any
from urllib.parse import urlsplit

import aiohttp
import orjson

from questloom.agent.engines.engine import ContextFull, Sample
from questloom.agent.engines.openai_engine import CONTEXT_FULL
from questloom.agent.engines.server_config import ServerConfig
from questloom.agent.engines.token_engine import Sampling, TokenEngine
from questloom.agent.turns.conversation import Conversation
from questloom.agent.turns.token_renderer import Segment, TokenRenderer
from questloom.calls.attempts import Status
from questloom.calls.caller import Caller
from questloom.calls.pacing import Pace
from questloom.calls.request import FREE, CallRequest, Reply
from questloom.calls.retry import CallFault, fault_of_status
from questloom.models.completion import BROKEN
from questloom.models.messages import Picture
from questloom.models.provider_error import error_in, fault_of_error
from questloom.records.errors import InputError, ProviderFault
from questloom.records.identity import canonical_json, sha256_hex

FORBID = -100.0
"""The number that the server adds to the logits of forbidden tokens. The server's log-probabilities
are computed after this addition, so they exclude forbidden tokens. A trained model gives forbidden
tokens so little probability that the other log-probabilities hardly change."""


class ServerEngine(TokenEngine):
    """Samples turns from an inference server. Only one asyncio event loop at a time may use the
    engine. Call `aclose` before the loop ends.

    Args:
        config: settings of the server.
        tokens: turns conversations into token ids with the model's processor. The server must use
            the same processor.
        caller: caches, paces and retries the calls.

    Raises:
        InputError: the address is malformed, or the server's log-probabilities and its sampling
            have different temperatures.
    """

    name = "server"

    def __init__(
        self,
        config: ServerConfig,
        tokens: TokenRenderer,
        caller: Caller,
        *,
        sampling: Sampling | None = None,
    ) -> None:
        super().__init__(tokens, sampling or Sampling())
        parts = urlsplit(config.url)
        if (
            parts.scheme not in ("http", "https")
            or not parts.hostname
            or parts.username
            or parts.path.strip("/")
        ):
            raise InputError(
                f"server {config.name}",
                f"{config.url!r} is no address of a server",
                "Give http://host:port, without path or user.",
            )
        if (
            config.dialect == "vllm"
            and self._sampling.temperature not in (0.0, 1.0)
            and not config.scaled_logprobs
        ):
            raise InputError(
                f"server {config.name}",
                "vLLM tells log-probabilities at temperature 1 and would sample at another",
                "Sample at temperature 1, or start it with --logprobs-mode processed_logprobs and set scaled_logprobs.",
            )
        self._config, self._caller = config, caller
        self.model = config.model
        self._image_ids = frozenset(tokens.image_ids)
        caller.set_pace(config.name, Pace(config.max_in_flight, None))
        self._version: str | None = None
        """The version of the weights that every reply must state; None if no version was set."""
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._num_turns = 0

    @property
    def sampling(self) -> Mapping[str, Any]:
        """See `Engine.sampling`."""
        return {**asdict(self._sampling), "dialect": self._config.dialect}

    async def aclose(self) -> None:
        """Closes the connections that were opened in this asyncio event loop."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def weights_are(self, version: str) -> None:
        """Sets the version of the weights, after some process loaded them into the server. After
        the change, cached replies from earlier versions are not used."""
        self.model, self._version = f"{self.model.partition('@')[0]}@{version}", version

    async def load_weights(self, folder: str, version: str) -> None:
        """Waits until the server has finished all turns of this engine, then makes the server load
        new weights. New turns wait until the weights are loaded.

        Args:
            folder: folder of the checkpoint, as a path that the server can read.
            version: version of the weights; it becomes part of `model`.

        Raises:
            InputError: the server refuses the weights, or this kind of server cannot load weights
                while it runs.
            ProviderFault: the server cannot be reached.
        """
        self._enter_loop()
        while not self._open.is_set():
            await self._open.wait()
        self._open.clear()
        try:
            await self._idle.wait()
            for path, body in self._loading(folder, version):
                await self._told_to(path, body, folder)
            self.weights_are(version)
        finally:
            self._open.set()

    def _loading(self, folder: str, version: str) -> list[tuple[str, dict[str, Any]]]:
        """The HTTP requests (path and body) that make the server load new weights. When the server
        has loaded new weights, it drops the cached prompts that it computed with the old
        weights."""
        if self._config.dialect == "sglang":
            return [
                (
                    "/update_weights_from_disk",
                    {"model_path": folder, "weight_version": version, "flush_cache": True},
                )
            ]
        return [
            ("/collective_rpc", {"method": "reload_weights", "kwargs": {"weights_path": folder}}),
            ("/reset_prefix_cache", {}),
        ]

    async def _told_to(self, path: str, body: dict[str, Any], folder: str) -> None:
        """Sends one of the requests that load weights."""
        vllm = self._config.dialect == "vllm"
        try:
            async with asyncio.timeout(self._config.timeout):
                raw = await self._post(
                    path, sha256_hex(canonical_json([path, body])), orjson.dumps(body)
                )
        except CallFault as fault:
            if not fault.status:
                raise
            why = f"status {fault.status}: {fault.message}"
        except TimeoutError:
            raise CallFault(
                self._config.name,
                f"{path} did not end within {self._config.timeout:g} s",
                Status.TIMEOUT,
            ) from None
        else:
            if _succeeded(raw, unsaid=vllm):
                return
            why = raw[:300].decode("utf-8", "replace")
        dev = (
            " vLLM knows this call only where it was started with VLLM_SERVER_DEV_MODE=1."
            if vllm
            else ""
        )
        raise InputError(
            f"server {self._config.name}",
            f"did not take the weights in {folder}: {path}: {why}"[:600],
            f"See its log, and whether it reads that folder.{dev}",
        )

    async def step(
        self, conversation: Conversation, *, max_new_tokens: int, begun: Segment | None = None
    ) -> Sample:
        """See `TokenEngine.step`.

        Raises:
            InputError: the server and this engine count different numbers of prompt tokens; the
                server samples forbidden tokens; or the server's weights have an unexpected version.
        """
        self._enter_loop()
        while not self._open.is_set():
            await self._open.wait()
        self._num_turns += 1
        self._idle.clear()
        try:
            return await self._step(conversation, max_new_tokens, begun)
        finally:
            self._num_turns -= 1
            if not self._num_turns:
                self._idle.set()

    async def _step(
        self, conversation: Conversation, max_new_tokens: int, begun: Segment | None
    ) -> Sample:
        begun = begun or Segment(kind="policy", ids=())
        self.check_begun(begun)
        segments = [*self.segments(conversation), begun]
        pictures = [
            part
            for message in conversation.messages
            for part in message.parts
            if isinstance(part, Picture)
        ]
        ids = [i for segment in segments for i in segment.ids]
        num_prompt, most = len(ids) - len(begun.ids), max_new_tokens - len(begun.ids)
        if most <= 0:
            return self.sample(begun.ids, begun.logprobs, complete=False, num_prompt=num_prompt)
        path, body = self._body(segments, pictures, most, self._sampling.seed ^ conversation.draw())
        request = CallRequest(
            provider=self._config.name,
            model=self.model,
            sample=conversation.draw(),
            stage="agent",
            item_id=conversation.task_id,
            content={
                "path": path,
                "pictures": [picture.sha256 for picture in pictures],
                **{k: v for k, v in body.items() if k != "image_data"},
            },
            tokens_in=len(ids),
            tokens_out=most,
            price=FREE,
            timeout=self._config.timeout,
        )

        async def send(key: str) -> Reply:
            raw = await self._post(path, key, orjson.dumps({"stream": False, **body}))
            generation = self._generation(raw)
            if (
                self._version is not None
                and self._config.dialect == "sglang"
                and generation.version != self._version
            ):
                raise InputError(
                    f"server {self._config.name}",
                    f"answers with the weights {generation.version or 'of no version'}, and was told to load "
                    f"{self._version}",
                    "Look who else loads weights there; a server that tells no version is too old for training.",
                )
            if generation.num_prompt != len(ids):
                raise InputError(
                    f"server {self._config.name}",
                    f"reads as {generation.num_prompt:,} tokens what is {len(ids):,} tokens here",
                    "Give it the same model, processor and picture budget (min_pixels, max_pixels).",
                )
            if drawn := self.picture_ids.intersection(generation.ids):
                raise InputError(
                    f"server {self._config.name}",
                    f"drew token {min(drawn)}, which stands for a picture: it does not heed logit_bias",
                    "Take a version of the server that knows it.",
                )
            return Reply(
                body=orjson.dumps(asdict(generation)),
                tokens_in=generation.num_prompt,
                tokens_out=len(generation.ids),
            )

        try:
            reply = await self._caller.call(request, send)
        except ProviderFault as fault:
            if fault.status in (400, 413, 422) and CONTEXT_FULL.search(fault.message):
                raise ContextFull(fault.message) from fault
            raise
        generation = _Generation(**orjson.loads(reply.body))
        return self.sample(
            [*begun.ids, *generation.ids],
            [*begun.logprobs, *generation.logprobs],
            complete=not generation.cut,
            num_prompt=num_prompt,
        )

    def _body(
        self, segments: Sequence[Segment], pictures: Sequence[Picture], max_new: int, seed: int
    ) -> tuple[str, dict[str, Any]]:
        """The path and body of the request for a turn."""
        bias = {str(number): FORBID for number in sorted(self.picture_ids)}
        sampling = {
            "temperature": self._sampling.temperature,
            "top_p": self._sampling.top_p,
            "stop_token_ids": sorted(self.tokens.stop_ids),
            "logit_bias": bias,
        }
        if self._config.dialect == "sglang":
            ids = [
                i
                for segment in segments
                for i in (segment.ids if segment.kind == "policy" else self._collapsed(segment.ids))
            ]
            body = {
                "input_ids": ids,
                "return_logprob": True,
                "stream": False,
                "sampling_params": {
                    **sampling,
                    "max_new_tokens": max_new,
                    "sampling_seed": seed % 2**31,
                    "skip_special_tokens": False,
                    "no_stop_trim": True,
                },
            }
            return "/generate", body | (
                {"image_data": [base64.b64encode(p.data).decode() for p in pictures]}
                if pictures
                else {}
            )
        if pictures:
            raise InputError(
                f"server {self._config.name}",
                "the conversation has pictures, and vLLM's completions take none beside token ids",
                "Serve the model with SGLang and set dialect to sglang.",
            )
        return "/v1/completions", {
            **sampling,
            "model": self._config.served_as or self.model.partition("@")[0],
            "prompt": [i for s in segments for i in s.ids],
            "max_tokens": max_new,
            "seed": seed % 2**31,
            "logprobs": 0,
            "return_token_ids": True,
            "skip_special_tokens": False,
        }

    def _collapsed(self, ids: Sequence[int]) -> list[int]:
        """The prompt's token ids, with one placeholder token for each picture."""
        made: list[int] = []
        for number, run in groupby(ids):
            made += [number] if number in self._image_ids else list(run)
        return made

    def _enter_loop(self) -> None:
        """If another asyncio event loop runs than before, drops the old connections and the waiting
        turns."""
        loop = asyncio.get_running_loop()
        if self._loop is not loop:
            self._loop, self._session, self._num_turns = loop, None, 0
            self._open, self._idle = asyncio.Event(), asyncio.Event()
            self._open.set()
            self._idle.set()

    async def _post(self, path: str, key: str, body: bytes) -> bytes:
        """Sends a request and returns the body of the reply.

        Raises:
            CallFault: no reply came.
        """
        name = self._config.name
        if self._session is None:
            self._session = aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0))
        try:
            async with self._session.post(
                self._config.url.rstrip("/") + path,
                data=body,
                allow_redirects=False,
                timeout=aiohttp.ClientTimeout(),
                headers={"Content-Type": "application/json", "Idempotency-Key": key},
            ) as response:
                raw = await response.read()
        except aiohttp.ClientConnectorError as error:
            raise CallFault(
                name, f"cannot be reached at {self._config.url}: {error}"[:300], Status.UNREACHABLE
            ) from None
        except aiohttp.ClientError as error:
            raise CallFault(
                name, f"the connection broke: {type(error).__name__}: {error}"[:300], Status.CUT
            ) from None
        if response.status != 200:
            raise fault_of_status(
                name,
                response.status,
                raw[:300].decode("utf-8", "replace").strip() or "no message",
                response.headers,
            )
        return raw

    def _generation(self, raw: bytes) -> "_Generation":
        """Parses a reply.

        Raises: CallFault: the reply is malformed or reports an error.
        """
        try:
            said = orjson.loads(raw)
            if (error := _error(said)) is not None:
                raise fault_of_error(self._config.name, error)
            generation = _of_sglang(said) if self._config.dialect == "sglang" else _of_vllm(said)
        except (ValueError, LookupError, TypeError, AttributeError) as error:
            shown = raw[:200].decode("utf-8", "replace") or "nothing"
            raise CallFault(
                self._config.name,
                f"status 200 without token ids ({error!r}), but {shown!r}",
                Status.BAD_RESPONSE,
            ) from None
        if not generation.ids or len(generation.ids) != len(generation.logprobs):
            raise CallFault(
                self._config.name,
                f"{len(generation.ids)} token ids with {len(generation.logprobs)} log-probabilities",
                Status.BAD_RESPONSE,
            )
        return generation


@dataclass(frozen=True)
class _Generation:
    """A server's reply, in one form for both servers; the cache stores this form."""

    ids: list[int]
    logprobs: list[float]
    num_prompt: int
    cut: bool
    version: str = ""
    """The version of the weights, if the server reports it."""


def _succeeded(raw: bytes, *, unsaid: bool) -> bool:
    """Whether a reply with status 200 reports success of the request. If a reply states neither
    success nor failure, as most vLLM replies do, the function returns `unsaid`."""
    try:
        said = orjson.loads(raw)
    except orjson.JSONDecodeError:
        return unsaid
    return bool(said.get("success", unsaid)) if isinstance(said, dict) else unsaid


def _error(reply: Any) -> Any:
    """The error in a reply with status 200: an error field, or an aborted generation; None for a reply without an
    error."""
    error = error_in(reply)
    if error is not None or not isinstance(reply, dict):
        return error
    reason = (reply.get("meta_info") or {}).get(
        "finish_reason"
    )  # a dict from SGLang, a word from vLLM
    if isinstance(reason, dict) and reason.get("type") == "abort":
        return {
            "message": f"aborted: {reason.get('message', '')}",
            "code": reason.get("status_code"),
        }
    word = next(
        (
            choice.get("finish_reason")
            for choice in reply.get("choices") or ()
            if isinstance(choice, dict)
        ),
        None,
    )
    return f"the turn ended with finish_reason {word!r}" if word in BROKEN else None


def _of_sglang(reply: Any) -> _Generation:
    meta = reply["meta_info"]
    reason = meta["finish_reason"]
    pairs = meta["output_token_logprobs"]  # one [log-probability, id, text or null] per token
    return _Generation(
        ids=[int(pair[1]) for pair in pairs],
        logprobs=[float(pair[0]) for pair in pairs],
        num_prompt=int(meta["prompt_tokens"]),
        cut=reason["type"] == "length",
        version=str(meta.get("weight_version", "")),
    )


def _of_vllm(reply: Any) -> _Generation:
    choice = reply["choices"][0]
    return _Generation(
        ids=[int(i) for i in choice["token_ids"]],
        logprobs=[float(x) for x in choice["logprobs"]["token_logprobs"]],
        num_prompt=int(reply["usage"]["prompt_tokens"]),
        cut=choice["finish_reason"] == "length",
    )
