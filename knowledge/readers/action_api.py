"""A client of MediaWiki's action API and its files. The client sends one request at a time and checks each reply before
caching it.

Rules: https://www.mediawiki.org/wiki/API:Etiquette and https://www.mediawiki.org/wiki/Manual:Maxlag_parameter
"""

from collections.abc import Mapping
from typing import Any

import aiohttp
import orjson

from questloom.calls.attempts import Status
from questloom.calls.caller import Caller
from questloom.calls.retry import CallFault, fault_of_status, retry_after
from questloom.knowledge.readers.html_text import visible_text
from questloom.knowledge.readers.picture_check import MAX_BYTES
from questloom.knowledge.readers.polite import ask, user_agent

TIMEOUT = 60
"""Timeout in seconds for the connection and for each further piece of a reply."""
LONGEST = 600
"""Seconds from sending a request to the last byte of its reply."""
_PASSING_ERRORS = frozenset(
    ("maxlag", "ratelimited", "readonly", "internal_api_error_DBQueryTimeoutError")
)
_TIMEOUT = aiohttp.ClientTimeout(sock_connect=TIMEOUT, sock_read=TIMEOUT)


class ActionApi:
    """Sends requests to one wiki's api.php. The wiki's replies stay cached as long as the caller's
    folder exists.

    Args:
        caller: a caller from `polite_caller`.
        service: name of the service in the ledger; it decides the pace.
        endpoint: the address of api.php.
        contact: mail address or web page of the user; "" takes QUESTLOOM_CONTACT.

    Raises:
        InputError: no contact is given.
    """

    def __init__(self, caller: Caller, service: str, endpoint: str, *, contact: str = "") -> None:
        self.caller, self.service, self.endpoint = caller, service, endpoint
        self.agent = user_agent(contact)

    def ask(self, parameters: dict[str, str]) -> dict[str, Any]:
        """Returns the API's reply, in format version 2.

        Raises:
            ProviderFault: the API fails permanently or refuses the request.
        """
        form = dict(
            sorted({**parameters, "format": "json", "formatversion": "2", "maxlag": "5"}.items())
        )

        async def send() -> bytes:
            body, headers = await load(self.service, self.agent, self.endpoint, form)
            self._check(body, headers)
            return body

        content = {"endpoint": self.endpoint, "form": form}
        reply: dict[str, Any] = orjson.loads(
            ask(self.caller, self.service, content, send, timeout=LONGEST)
        )
        return reply

    def _check(self, body: bytes, headers: Mapping[str, str]) -> None:
        """Raises CallFault if a body is not a reply of the API, or reports an error."""
        try:
            reply = orjson.loads(body)
            code = reply.get("error", {}).get("code", "")
        except (ValueError, AttributeError) as error:
            shown = visible_text(body[:500].decode("utf-8", "replace"))[:100]
            raise CallFault(
                self.service,
                f"no API reply from {self.endpoint} but {shown!r} ({error})"[:300],
                Status.BAD_RESPONSE,
                status=200,
            ) from error
        if code:
            raise CallFault(
                self.service,
                f"{code}: {reply['error'].get('info', '')}"[:300],
                Status.SERVER_ERROR,
                status=200,
                retryable=code in _PASSING_ERRORS,
                retry_after=retry_after(headers),
            )


async def load(
    service: str, agent: str, address: str, form: dict[str, str] | None = None
) -> tuple[bytes, Mapping[str, str]]:
    """Sends one HTTP request and returns (body, headers) of the reply. A request with a form is a
    POST. The body is read up to one byte beyond `MAX_BYTES`.

    Args:
        agent: the User-Agent header, made by `user_agent`.

    Raises:
        CallFault: the reply is missing or incomplete; ValueError: the address, or the target of a redirect, is not a
            valid address.
    """
    try:
        async with (
            aiohttp.ClientSession(
                headers={"User-Agent": agent}, timeout=_TIMEOUT, trust_env=True
            ) as session,
            session.request("GET" if form is None else "POST", address, data=form) as response,
        ):
            if response.status != 200:
                shown = " ".join(
                    (await response.content.read(300)).decode("utf-8", "replace").split()
                )
                raise fault_of_status(service, response.status, shown, response.headers)
            body = bytearray()
            async for piece in response.content.iter_any():
                body += piece
                if len(body) > MAX_BYTES:
                    break
            return bytes(body[: MAX_BYTES + 1]), response.headers
    except aiohttp.InvalidURL:
        raise
    except TimeoutError as error:
        raise CallFault(
            service, f"no reply from {address} within {TIMEOUT} s", Status.TIMEOUT
        ) from error
    except (aiohttp.ClientError, OSError) as error:
        kind = Status.UNREACHABLE if isinstance(error, aiohttp.ClientConnectorError) else Status.CUT
        raise CallFault(
            service,
            f"no reply from {address} ({str(error) or type(error).__name__})"[:300],
            kind,
        ) from error
