"""The chat client asks models by role, over several OpenAI-compatible endpoints at once.

This file implements only the HTTP protocol; `calls/` does caching, budgets and retries. The client uses aiohttp
directly, which takes 0.10 ms of CPU per call. The `openai` client over aiohttp needs 1.1 ms (0.5 ms through its raw
`post`), and reports a cut connection as a timeout.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit
from urllib.request import getproxies, proxy_bypass

import aiohttp
import orjson

from questloom.calls.attempts import Status
from questloom.calls.caller import Caller
from questloom.calls.request import CallRequest, Reply
from questloom.calls.retry import CallFault
from questloom.models.completion import read_completion, whole
from questloom.models.endpoints import EndpointConfig, RoleConfig
from questloom.models.event_stream import has_ended
from questloom.models.message_parts import loaded
from questloom.models.messages import Message, assistant, user
from questloom.models.provider_error import ContentFiltered, error_in, fault_of_error
from questloom.models.structured import (
    BadReply,
    RefusedReply,
    Schema,
    correction,
    instructions,
    is_refusal,
    parse,
    response_format,
)
from questloom.records.errors import InputError

MAX_BODY = 64 << 20
"""Maximum number of bytes that the client reads of one reply; no real completion is that long."""


@dataclass(frozen=True, slots=True)
class ChatReply:
    """One reply of a model as text."""

    text: str
    refusal: str = ""
    """Why the model or its provider declined, if the protocol states a reason."""
    reasoning: str = ""
    calls: tuple[tuple[str, str], ...] = ()
    """Native tool calls that the server separated from the text: pairs of a name and its arguments as JSON."""
    finish_reason: str = ""
    tokens_in: int = 0
    tokens_out: int = 0
    cached: bool = False

    @property
    def incomplete(self) -> bool:
        """Whether the reply is empty or was cut at the token limit."""
        return self.finish_reason == "length" or not self.text.strip()


class ChatClient:
    """Asks chat models by role (the purpose of a request). One client is enough for a process.

    Event loops may use the client one after the other, if each loop ends with `aclose`.

    Args:
        endpoints: the servers, each with its own name.
        roles: the roles by name; each role uses one of the endpoints.
        caller: the object that sends requests, with cache, budget, ledger and retries. The client
            tells the caller how many requests each endpoint may get at once.

    Raises: InputError: a role's endpoint is unknown, a key is not set, or a model has no price although the budget is
    in money.
    """

    def __init__(
        self, endpoints: Sequence[EndpointConfig], roles: Mapping[str, RoleConfig], caller: Caller
    ) -> None:
        self.roles = dict(roles)
        self._caller = caller
        self._endpoints = {endpoint.name: endpoint for endpoint in endpoints}
        if len(self._endpoints) < len(endpoints):
            raise InputError("endpoints", "two have the same name", "Give each a name of its own.")
        self._keys: dict[str, str] = {}
        for name, role in self.roles.items():
            endpoint = self._endpoints.get(role.endpoint)
            if endpoint is None:
                raise InputError(
                    f"role {name}",
                    f"there is no endpoint {role.endpoint!r}",
                    f"Name one of: {', '.join(sorted(self._endpoints)) or 'none is configured'}.",
                )
            caller.budget.check_price(endpoint.name, role.model, endpoint.price(role.model))
            self._keys[endpoint.name] = endpoint.key()
        for endpoint in endpoints:
            caller.set_pace(endpoint.name, endpoint.pace())
        self._proxies = {name: _proxy(self._endpoints[name].base_url) for name in self._keys}
        self._session: aiohttp.ClientSession | None = None
        self._loop: asyncio.AbstractEventLoop | None = None

    @property
    def caller(self) -> Caller:
        """The object that sends this client's calls.

        Other services in the run use the same caller, so that all share one budget and one ledger.
        """
        return self._caller

    async def aclose(self) -> None:
        """Closes the client's connections in the current event loop."""
        if self._session is not None:
            await self._session.close()
            self._session = None
        await self._caller.aclose()

    async def chat(
        self,
        role: str,
        messages: Sequence[Message],
        *,
        stage: str = "",
        item_id: str = "",
        seed_id: str = "",
        sample: int = 0,
        schema: Schema | None = None,
        max_tokens: int | None = None,
    ) -> ChatReply:
        """Asks a model once and returns its reply as text; refusals and empty replies are also returned.

        Args:
            stage, item_id, seed_id: stage, item and seed under which the ledger books the call; the default stage is
                the role.
            sample: number of the sample; each number asks for a separate reply to the same messages.
            schema: JSON schema that the endpoint enforces if it can.
            max_tokens: replaces the role's limit on new tokens.

        Raises: ProviderFault, BudgetExceeded: raised by `Caller.call`.
            ValueError: a picture is not a PNG, JPEG, WebP or GIF file.
        """
        config = self.roles[role]
        endpoint = self._endpoints[config.endpoint]
        limit = max_tokens or config.max_tokens
        parameters: dict[str, Any] = {endpoint.token_limit: limit, **config.extra}
        if config.temperature is not None:
            parameters["temperature"] = config.temperature
        if config.top_p is not None:
            parameters["top_p"] = config.top_p
        wanted = response_format(schema, endpoint.structured) if schema is not None else None
        if wanted is not None:
            parameters["response_format"] = wanted
        request = CallRequest(
            provider=endpoint.name,
            model=config.model,
            sample=sample,
            stage=stage or role,
            item_id=item_id,
            seed_id=seed_id,
            content={
                "messages": [message.to_key() for message in messages],
                "parameters": parameters,
            },
            tokens_in=sum(message.num_tokens() for message in messages),
            tokens_out=limit,
            price=endpoint.price(config.model),
            timeout=endpoint.timeout,
        )

        async def send(key: str) -> Reply:
            body = orjson.dumps(
                {
                    "model": config.model,
                    "messages": [message.to_send() for message in messages],
                    "stream": False,
                    **parameters,
                }
            )
            return _as_reply(await self._post(endpoint, key, body), request)

        try:
            reply = await self._caller.call(request, send, is_reply=_is_reply)
        except ContentFiltered as declined:
            return ChatReply(text="", refusal=declined.message, finish_reason="content_filter")
        return _read(reply, endpoint.name)

    async def structured(
        self,
        role: str,
        messages: Sequence[Message],
        schema: Schema,
        *,
        stage: str = "",
        item_id: str = "",
        seed_id: str = "",
        sample: int = 0,
    ) -> Any:
        """Asks a model for a reply that fits a schema.

        The reply is an instance of the pydantic model, or JSON that fits the JSON schema. If the reply is empty or cut,
        the client asks once more, with twice the token limit. An unusable reply is sent back to the model once, with
        the error in words. The client makes at most three calls, and each has its own cache key.

        Raises:
            RefusedReply: the model or its provider declined.
            BadReply: the reply was still unusable after the last attempt.
            ProviderFault, BudgetExceeded, ValueError: raised as in `chat`.
        """
        limit = self.roles[role].max_tokens
        if self._endpoints[self.roles[role].endpoint].structured != "json_schema":
            messages = [
                *messages[:-1],
                Message(messages[-1].role, (*messages[-1].parts, instructions(schema))),
            ]

        async def ask(turns: Sequence[Message]) -> ChatReply:
            return await self.chat(
                role,
                turns,
                stage=stage,
                item_id=item_id,
                seed_id=seed_id,
                sample=sample,
                schema=schema,
                max_tokens=limit,
            )

        reply = await ask(messages)
        if reply.incomplete and not reply.refusal:
            limit *= 2
            reply = await ask(messages)
        try:
            return _value(role, reply, schema)
        except RefusedReply:
            raise
        except BadReply as bad:
            if reply.incomplete:
                raise
            why = bad.why
        return _value(
            role, await ask([*messages, assistant(reply.text), user(correction(why))]), schema
        )

    def _open_session(self) -> aiohttp.ClientSession:
        loop = asyncio.get_running_loop()
        if self._session is None or self._loop is not loop:
            self._loop = loop
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0)
            )  # the caller does the pacing
        return self._session

    async def _post(self, endpoint: EndpointConfig, key: str, body: bytes) -> bytes:
        """Sends one request and returns the body of the reply. If the body repeats an API key, the key is masked.

        Raises: CallFault: no reply came. To protect the key, neither the fault nor its context
        contains the request.
        """
        headers = {"Content-Type": "application/json", "Idempotency-Key": key}
        if self._keys[endpoint.name]:
            headers["Authorization"] = f"Bearer {self._keys[endpoint.name]}"
        try:
            # No redirects: a redirect would send the key to another host.
            async with self._open_session().post(
                f"{endpoint.base_url}/chat/completions",
                data=body,
                headers=headers,
                allow_redirects=False,
                proxy=self._proxies[endpoint.name],
                timeout=_NO_TIMEOUT,
            ) as response:
                raw = self._without_key(endpoint, await _body(endpoint, response))
            if response.status == 200:
                # Search the joined text again: the pieces of a stream may each hold a part of the
                # key.
                return self._without_key(endpoint, whole(raw, endpoint.name))
            fault = fault_of_error(
                endpoint.name, _error(raw), status=response.status, headers=response.headers
            )
        except aiohttp.ClientError as error:
            fault = _fault_of_connection(endpoint, error)
        except CallFault as told:
            fault = told
        raise _with_variable(endpoint, fault)

    def _without_key(self, endpoint: EndpointConfig, raw: bytes) -> bytes:
        secret = self._keys[endpoint.name].encode()
        return raw.replace(secret, b"***") if secret else raw


_NO_TIMEOUT = aiohttp.ClientTimeout()
"""The HTTP client sets no timeout, because the caller's timeout covers the whole attempt."""


def _proxy(url: str) -> str | None:
    """The proxy for an address, from the environment variables (HTTPS_PROXY, NO_PROXY, …)."""
    parts = urlsplit(url)
    return None if proxy_bypass(parts.netloc) else getproxies().get(parts.scheme)


async def _body(endpoint: EndpointConfig, response: aiohttp.ClientResponse) -> bytes:
    """Reads the body of an HTTP response. A stream is read up to its last event, even if the server keeps the
    connection open.
    """
    raw = bytearray()
    async for piece in response.content.iter_any():
        raw += piece
        if has_ended(raw, len(raw) - len(piece)):
            break
        if len(raw) > MAX_BODY:
            raise CallFault(
                endpoint.name,
                f"status {response.status} with more than {MAX_BODY:,} bytes",
                Status.BAD_RESPONSE,
            )
    return bytes(raw)


def _error(raw: bytes) -> Any:
    """The error that the body of an HTTP error response describes."""
    try:
        error = error_in(loaded(raw))
    except ValueError:
        error = None
    return error or raw.decode("utf-8", "replace")


def _with_variable(endpoint: EndpointConfig, fault: CallFault) -> CallFault:
    """If a fault concerns credentials, adds the name of the environment variable that holds the
    key."""
    if fault.status not in (401, 403) or fault.retryable or isinstance(fault, ContentFiltered):
        return fault
    named = (
        f"the key in {endpoint.api_key_env}"
        if endpoint.api_key_env
        else "a request without a key (api_key_env names none)"
    )
    return CallFault(
        endpoint.name,
        f"{named} is not accepted: {fault.message}",
        fault.kind,
        status=fault.status,
        retryable=False,
    )


def _fault_of_connection(endpoint: EndpointConfig, error: aiohttp.ClientError) -> CallFault:
    what = f"{type(error).__name__}: {error}"[:300]
    if isinstance(error, aiohttp.ClientConnectorError):
        return CallFault(
            endpoint.name, f"cannot be reached at {endpoint.base_url}: {what}", Status.UNREACHABLE
        )
    return CallFault(endpoint.name, f"the connection broke: {what}", Status.CUT)


def _as_reply(body: bytes, request: CallRequest) -> Reply:
    """Turns the body of a response into the reply for the cache, with its token counts."""
    said = read_completion(body, request.provider)
    if said.usage is not None:
        return Reply(body=body, tokens_in=said.usage[0], tokens_out=said.usage[1])
    written = (
        said.text + said.reasoning + "".join(f"{name}{arguments}" for name, arguments in said.calls)
    )
    return Reply(
        body=body,
        tokens_in=request.tokens_in,
        tokens_out=len(written.encode()) // 3 + 1,
        estimated=True,
    )


def _is_reply(reply: Reply) -> bool:
    """Whether a cached body is a real reply; earlier versions also cached errors that came with status 200."""
    try:
        read_completion(reply.body, "")
    except CallFault:
        return False
    return True


def _read(reply: Reply, provider: str) -> ChatReply:
    said = read_completion(reply.body, provider)
    return ChatReply(
        text=said.text,
        refusal=said.refusal,
        reasoning=said.reasoning,
        calls=said.calls,
        finish_reason=said.finish_reason,
        tokens_in=reply.tokens_in,
        tokens_out=reply.tokens_out,
        cached=reply.cached,
    )


def _value(role: str, reply: ChatReply, schema: Schema) -> Any:
    if reply.refusal:
        raise RefusedReply(role, f"declined: {reply.refusal[:300]}", reply.text)
    if reply.incomplete:
        raise BadReply(
            role,
            "the reply is empty"
            if not reply.text.strip()
            else "the reply is cut off at the token limit",
            reply.text,
        )
    try:
        return parse(reply.text, schema)
    except ValueError as error:
        why = str(error)
    if is_refusal(reply.text):
        raise RefusedReply(role, "declined in words", reply.text)
    raise BadReply(role, why, reply.text)
