"""Asking Wikimedia's services as they want to be asked: identified, one request at a time, so much a minute, nothing twice.

Rules: https://foundation.wikimedia.org/wiki/Policy:Wikimedia_Foundation_User-Agent_Policy and the Query Service's limits (60 s
of work a minute, no parallel queries, a ban of 24 h for ignoring 429).
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from questloom.calls.caller import Caller, Send
from questloom.calls.pacing import Pace
from questloom.calls.request import FREE, CallRequest, Reply
from questloom.calls.retry import RetryPolicy
from questloom.calls.sqlite import SqliteCache
from questloom.records.errors import InputError

CONTACT_VARIABLE = "QUESTLOOM_CONTACT"
CALLS = "calls.sqlite"
STAGE = "ingest"
"""What the ledger books these calls on."""
QUERIES, COMMONS, FILES = "sparql", "commons", "commons-files"
WIKIDATA, WIKIPEDIA = "wikidata", "wikipedia"
"""The services, as the ledger names them; each has a pace of its own."""
PACES = {
    QUERIES: Pace(max_in_flight=1, requests_per_minute=60, work_per_minute=60),
    **dict.fromkeys(
        (WIKIDATA, WIKIPEDIA, COMMONS, FILES),
        Pace(max_in_flight=1, requests_per_minute=600, work_per_minute=60),
    ),
}
RETRY = RetryPolicy(
    max_attempts=5, first_delay=5.0, max_delay=60.0, max_retry_after=300.0, max_unreachable=2
)


def user_agent(contact: str = "") -> str:
    """The name under which we ask, with somebody to write to.

    Args:
        contact: a mail address or a page; "" takes it from the environment (QUESTLOOM_CONTACT).

    Raises:
        InputError: there is none, or it is neither.
    """
    contact = (contact or os.environ.get(CONTACT_VARIABLE, "")).strip()
    if not contact.isprintable() or not (
        "@" in contact or contact.startswith(("https://", "http://"))
    ):
        raise InputError(
            CONTACT_VARIABLE,
            "Wikimedia's services refuse clients without a contact, and none is set",
            "Set it to your mail address or the address of a page about your project.",
        )
    return f"Questloom/0.1 ({contact})"


class PoliteCaller(Caller):
    """A caller over one file whose replies can be forgotten, by whoever keeps elsewhere what they said."""

    def __init__(self, cache: SqliteCache, *, retry: RetryPolicy) -> None:
        super().__init__(cache, paces=PACES, retry=retry)
        self._file = cache
        self._used: list[str] = []

    async def call(
        self, request: CallRequest, send: Send, *, is_reply: Callable[[Reply], bool] | None = None
    ) -> Reply:
        """See `Caller.call`."""
        reply = await super().call(request, send, is_reply=is_reply)
        self._used.append(request.key())
        return reply

    def forget_used(self) -> None:
        """Drops the replies that were given since this was last called; the ledger stays."""
        self._file.forget_keys(self._used)
        self._used = []


@contextmanager
def polite_caller(folder: Path, *, retry: RetryPolicy = RETRY) -> Iterator[PoliteCaller]:
    """A caller with the services' paces, over FOLDER/calls.sqlite: turns are taken with all processes that use the folder.

    Args:
        folder: made where there is none.

    Raises:
        InputError: the cache cannot be opened.
    """
    folder.mkdir(parents=True, exist_ok=True)
    cache = SqliteCache(folder / CALLS)
    try:
        yield PoliteCaller(cache, retry=retry)
    finally:
        cache.close()


def ask(
    caller: Caller,
    service: str,
    content: dict[str, Any],
    send: Callable[[], Awaitable[bytes]],
    *,
    timeout: float,
) -> bytes:
    """The reply to a request, for code that no event loop runs.

    Args:
        caller: of `polite_caller`.
        service: whose pace holds.
        content: what identifies the request; the same content gives the same reply.
        send: asks once; raises `CallFault` where the reply is not there, not whole, or not what was asked for. Only what it returns is cached.
        timeout: seconds for one attempt.

    Raises:
        ProviderFault: no reply after the retries, or the service asks for a longer pause than we wait.
    """

    async def reply(_: str) -> Reply:
        return Reply(body=await send())

    request = CallRequest(
        provider=service, content=content, stage=STAGE, price=FREE, timeout=timeout
    )
    return asyncio.run(caller.call(request, reply)).body
