"""A client of a SPARQL query service; it sends one query at a time and caches replies. `gather` uses the service for
members of classes and lists of items.

Source of the format: https://www.w3.org/TR/sparql11-results-json/
"""

import http.client
import re
import socket
import urllib.error
import urllib.parse
from collections.abc import Iterator

import orjson
from SPARQLWrapper import JSON, POST, SPARQLWrapper
from SPARQLWrapper.SPARQLExceptions import (
    EndPointInternalError,
    EndPointNotFound,
    QueryBadFormed,
    Unauthorized,
    URITooLong,
)

from questloom.calls.attempts import Status
from questloom.calls.caller import Caller
from questloom.calls.retry import CallFault, fault_of_status
from questloom.knowledge.readers.polite import QUERIES, ask, user_agent

WIKIDATA_ENDPOINT = "https://query.wikidata.org/sparql"
TIMEOUT = 70
"""Timeout in seconds; the Query Service ends a query after 60 s."""
LONGEST = 600
"""Seconds from sending a query to the last byte of its reply."""
MAX_REPLY_BYTES = 256 << 20
PAGE = 5000

Row = dict[str, dict[str, str]]
"""A row of a query's result maps a variable to {"type", "value", "xml:lang"?, "datatype"?}. A row
lacks the variables that have no value."""

_ENTITY = "http://www.wikidata.org/entity/"
_PREFIXES = f"""PREFIX wd: <{_ENTITY}>
PREFIX wdt: <http://www.wikidata.org/prop/direct/>
PREFIX pq: <http://www.wikidata.org/prop/qualifier/>
PREFIX pqv: <http://www.wikidata.org/prop/qualifier/value/>
PREFIX wikibase: <http://wikiba.se/ontology#>
PREFIX schema: <http://schema.org/>
PREFIX rdfs: <http://www.w3.org/2000/01/rdf-schema#>
PREFIX skos: <http://www.w3.org/2004/02/skos/core#>
PREFIX owl: <http://www.w3.org/2002/07/owl#>
"""


class SparqlService:
    """A query service, and the caller that sends its queries. The service gets one query at a time,
    and replies are cached.

    Args:
        endpoint: the address of the service.
        caller: a caller from `polite_caller`; delete its folder to drop the cached replies.
        contact: mail address or web page of the user; "" takes QUESTLOOM_CONTACT.

    Raises:
        InputError: no contact is given.
    """

    def __init__(self, endpoint: str, caller: Caller, *, contact: str = "") -> None:
        self.endpoint, self.caller, self.agent = endpoint, caller, user_agent(contact)

    def select(self, query: str) -> list[Row]:
        """Returns the rows of a SELECT query in the service's order.

        Raises:
            ProviderFault: the service fails permanently or refuses the query.
        """
        query = _PREFIXES + query

        async def send() -> bytes:
            # This blocks the event loop, which has no other work. A query in a thread would run on beside the next
            # query after a timeout.
            body = self._send(query)
            self._check(body)
            return body

        return rows_of(
            ask(
                self.caller,
                QUERIES,
                {"endpoint": self.endpoint, "query": query},
                send,
                timeout=LONGEST,
            )
        )

    def select_all(
        self, query: str, order: str, *, page: int = PAGE, limit: int | None = None
    ) -> Iterator[Row]:
        """Yields up to `limit` rows in slices of `page` rows. `order` names a variable that has a
        different value in each row, so the order of the rows is stable."""
        offset = 0
        while limit is None or offset < limit:
            wanted = page if limit is None else min(page, limit - offset)
            rows = self.select(f"{query}\nORDER BY {order} LIMIT {wanted} OFFSET {offset}")
            yield from rows
            offset += len(rows)
            if len(rows) < wanted:
                return

    def _send(self, query: str) -> bytes:
        wrapper = SPARQLWrapper(self.endpoint, agent=self.agent, returnFormat=JSON)
        wrapper.setMethod(POST)
        wrapper.setTimeout(TIMEOUT)
        wrapper.setQuery(query)
        try:
            body: bytes = wrapper.query().response.read(MAX_REPLY_BYTES + 1)
        except urllib.error.HTTPError as error:
            said, headers = (
                f"{self.endpoint} answers: {_shown(error.read(500))}",
                {k.lower(): v for k, v in error.headers.items()},
            )
            raise fault_of_status(QUERIES, error.code, said, headers) from error
        except EndPointInternalError as error:
            raise CallFault(
                QUERIES,
                f"{self.endpoint} answers: {_words(str(error))}"[:300],
                Status.SERVER_ERROR,
                status=500,
            ) from error
        except EndPointNotFound as error:
            raise CallFault(
                QUERIES,
                f"there is no query service at {self.endpoint}; look at its address and the network",
                Status.NOT_ACCEPTED,
                status=404,
                retryable=False,
            ) from error
        except (QueryBadFormed, Unauthorized, URITooLong) as error:
            raise CallFault(
                QUERIES,
                f"{self.endpoint} refuses the query: {type(error).__name__}, {_words(str(error))}"[
                    :300
                ],
                Status.NOT_ACCEPTED,
                retryable=False,
            ) from error
        except (urllib.error.URLError, http.client.HTTPException, TimeoutError, OSError) as error:
            reason = getattr(error, "reason", error)
            unreachable = isinstance(reason, ConnectionRefusedError | socket.gaierror)
            kind = (
                Status.TIMEOUT
                if isinstance(reason, TimeoutError)
                else Status.UNREACHABLE
                if unreachable
                else Status.CUT
            )
            raise CallFault(
                QUERIES,
                f"no reply from {self.endpoint} ({reason}); look at its address and the network"[
                    :300
                ],
                kind,
            ) from error
        if len(body) > MAX_REPLY_BYTES:
            raise CallFault(
                QUERIES,
                f"a reply of more than {MAX_REPLY_BYTES:,} bytes",
                Status.NOT_ACCEPTED,
                retryable=False,
            )
        return body

    def _check(self, body: bytes) -> None:
        try:
            rows_of(body)
        except ValueError as error:  # an overloaded service sends a page of HTML or truncated JSON
            raise CallFault(
                QUERIES,
                f"{self.endpoint} gives no SPARQL result ({error}): {_shown(body)}",
                Status.BAD_RESPONSE,
                status=200,
            ) from error


def rows_of(body: bytes) -> list[Row]:
    """The rows of a reply in application/sparql-results+json.

    Raises: ValueError: the body is not in application/sparql-results+json.
    """
    try:
        rows = orjson.loads(body)["results"]["bindings"]
    except (KeyError, TypeError) as error:
        raise ValueError("no results.bindings") from error
    if not isinstance(rows, list) or not all(
        isinstance(row, dict) and all(map(_is_cell, row.values())) for row in rows
    ):
        raise ValueError("results.bindings are no rows")
    return rows


def _is_cell(cell: object) -> bool:
    return isinstance(cell, dict) and isinstance(cell.get("value"), str)


def _shown(body: bytes) -> str:
    return _words(body[:500].decode("utf-8", "replace"))[:200]


def _words(text: str) -> str:
    """Returns an error text on one line, without HTML tags."""
    return " ".join(
        (re.sub(r"<[^>]*>?", " ", text) if "<html" in text[:200].lower() else text).split()
    )
