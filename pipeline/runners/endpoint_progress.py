"""Describes in words how the calls to a job's endpoints are going. The figures come from the ledger
(the record of all calls), so they do not depend on the runner or on the number of workers."""

import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from questloom.calls.attempts import FREE_OF_CHARGE, Status
from questloom.calls.ledger import has_ledger, last_attempts
from questloom.calls.shared.place import is_url
from questloom.models.endpoints import EndpointConfig
from questloom.records.errors import InputError

LAST = 2_000
"""A description covers at most this number of recent attempts (requests to an endpoint)."""
LOOK_SECONDS, SHARED_LOOK_SECONDS = 0.5, 5.0
"""Number of seconds between two reads of the ledger: first for a ledger in a file, then for a
ledger on a server."""
TROUBLE = {
    Status.RATE_LIMITED: "sent back for their number (429)",
    Status.SERVER_ERROR: "met an error of the server",
    Status.CUT: "broken off",
    Status.UNREACHABLE: "could not reach it",
    Status.BAD_RESPONSE: "brought no completion",
    Status.NOT_ACCEPTED: "not accepted",
}


class EndpointProgress:
    """Describes the requests that a job has sent to its endpoints since this object was created.
    Each job has one `EndpointProgress`.

    Args:
        calls: the place of the job's call cache; None if the job calls no model.
        endpoints: the endpoints that the job may call. Calls to any other provider are not
            described.
    """

    def __init__(self, calls: Path | str | None, endpoints: Sequence[EndpointConfig]) -> None:
        self._calls, self._endpoints = calls, {endpoint.name: endpoint for endpoint in endpoints}
        self._since, self._looked = time.time(), 0.0
        self._found: list[tuple[str, str, str]] = []
        self._told: set[str] = set()

    def words(self) -> str:
        """A short text for each endpoint that was called; "" if none was called."""
        self._look()
        return "; ".join(
            endpoint_words(
                endpoint,
                [(key, status) for provider, key, status in self._found if provider == name],
                cut=len(self._found) >= LAST,
            )
            for name, endpoint in self._endpoints.items()
            if any(provider == name for provider, _, _ in self._found)
        )

    def news(self) -> list[str]:
        """One line for each endpoint that has never replied so far. After an endpoint has been
        named once, later calls leave it out."""
        seen = {
            name: {status for provider, _, status in self._found if provider == name}
            - {Status.IN_FLIGHT.value}
            for name in self._endpoints
        }
        silent = [
            name
            for name, statuses in seen.items()
            if name not in self._told and statuses and statuses <= FREE_OF_CHARGE
        ]
        self._told.update(silent)
        return [
            f"endpoint {name} at {self._endpoints[name].base_url} has given no reply so far; what may pass is tried again for about a minute"
            for name in silent
        ]

    def _look(self) -> None:
        if (
            self._calls is None
            or not self._endpoints
            or time.monotonic() - self._looked
            < (SHARED_LOOK_SECONDS if is_url(self._calls) else LOOK_SECONDS)
        ):
            return
        self._looked = time.monotonic()
        with suppress(
            InputError
        ):  # the ledger is being created, or the server is unreachable: the next look finds it, and the calls themselves wait and report
            self._found = (
                last_attempts(self._calls, self._since, LAST) if has_ledger(self._calls) else []
            )


def endpoint_words(
    endpoint: EndpointConfig, attempts: Sequence[tuple[str, str]], *, cut: bool = False
) -> str:
    """Describes in words the latest requests to one endpoint.

    Args:
        attempts: for each request, the call's key in the cache and the status of the reply.
        cut: whether `attempts` leaves out earlier requests.

    >>> endpoint_words(EndpointConfig(name="lab", base_url="http://lab/v1"), [("a", "timeout"), ("b", "timeout"), ("a", "timeout")])
    'lab: 2 asked, 0 answered, 3 gave no reply within 120 s: lower max_in_flight or raise timeout'
    """
    counts = Counter(status for _, status in attempts)
    answered, late = counts[Status.OK.value], counts[Status.TIMEOUT.value]
    said = [
        f"{len({key for key, _ in attempts}):,} asked{' lately' if cut else ''}",
        f"{answered:,} answered",
    ]
    said += [
        f"{counts[status.value]:,} {words}"
        for status, words in TROUBLE.items()
        if counts[status.value]
    ]
    if late:
        mend = (
            "raise timeout"
            if endpoint.max_in_flight == 1
            else "lower max_in_flight or raise timeout"
        )
        said.append(
            f"{late:,} gave no reply within {endpoint.timeout:g} s"
            + (f": {mend}" if 10 * late >= answered else "")
        )
    return f"{endpoint.name}: {', '.join(said)}"
