"""Sends requests to Wikimedia's services by their rules: with a contact, one at a time, at a limited pace, and never
twice.

Rules: https://foundation.wikimedia.org/wiki/Policy:Wikimedia_Foundation_User-Agent_Policy and the Query Service's
limits (60 s of work a minute, no parallel queries, a ban of 24 h for ignoring 429).
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
"""Name of the stage under which the ledger records calls to Wikimedia."""
QUERIES, COMMONS, FILES = "sparql", "commons", "commons-files"
WIKIDATA, WIKIPEDIA = "wikidata", "wikipedia"
"""Names of the services in the ledger; each service has its own pace."""
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
    """The User-Agent header of a request, with a contact.

    Args:
        contact: a mail address or a web page; "" takes the environment variable QUESTLOOM_CONTACT.

    Raises: InputError: there is no contact, or it is neither a mail address nor a web page.
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
    """A caller whose cached replies can be dropped after their contents are stored elsewhere."""

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
        """Drops the replies that were cached since the last call of this method, but not the
        entries of the ledger."""
        self._file.forget_keys(self._used)
        self._used = []


@contextmanager
def polite_caller(folder: Path, *, retry: RetryPolicy = RETRY) -> Iterator[PoliteCaller]:
    """A caller (an object that sends requests) that keeps to the pace of each service. The cache of
    the caller lies in FOLDER/calls.sqlite. All processes that use the caller's folder take turns.

    Args:
        folder: path of the folder; created if missing.

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
    """Sends a request and returns the reply, for code outside an event loop.

    Args:
        caller: a caller from `polite_caller`.
        service: name of the service; it decides the pace.
        content: text that identifies the request; equal content gets the same reply.
        send: sends the request once. For a reply that is missing, incomplete or unwanted, `send`
            raises `CallFault`. A reply is cached only if `send` returns it.
        timeout: seconds for one attempt.

    Raises:
        ProviderFault: all retries failed, or the service asks for a longer pause than the policy allows.
    """

    async def reply(_: str) -> Reply:
        return Reply(body=await send())

    request = CallRequest(
        provider=service, content=content, stage=STAGE, price=FREE, timeout=timeout
    )
    return asyncio.run(caller.call(request, reply)).body
