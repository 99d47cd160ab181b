"""Describes in words the calls to a job's endpoints. The data come from the ledger of calls, so the
runner and the number of workers do not matter."""

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
"""The number of recent attempts (requests to an endpoint) that a description covers."""
LOOK_SECONDS, SHARED_LOOK_SECONDS = 0.5, 5.0
"""The seconds between two reads of a ledger: for a ledger in a file, and for a ledger on a
server."""
TROUBLE = {
    Status.RATE_LIMITED: "sent back for their number (429)",
    Status.SERVER_ERROR: "met an error of the server",
    Status.CUT: "broken off",
    Status.UNREACHABLE: "could not reach it",
    Status.BAD_RESPONSE: "brought no completion",
    Status.NOT_ACCEPTED: "not accepted",
}


class EndpointProgress:
    """Reports on the attempts since the creation of this object. A job has one `EndpointProgress`.

    Args:
        calls: the job's call cache; None if the job calls no model.
        endpoints: the endpoints that the job may call; other providers are not described.
    """

    def __init__(self, calls: Path | str | None, endpoints: Sequence[EndpointConfig]) -> None:
        self._calls, self._endpoints = calls, {endpoint.name: endpoint for endpoint in endpoints}
        self._since, self._looked = time.time(), 0.0
        self._found: list[tuple[str, str, str]] = []
        self._told: set[str] = set()

    def words(self) -> str:
        """A clause for each endpoint that was called; "" without calls."""
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
        """A line for each endpoint that has not replied at all so far. Each endpoint is named only
        once in the life of the object."""
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
    """Describes the latest attempts at an endpoint.

    Args:
        attempts: key and status of each attempt.
        cut: whether there were earlier attempts.

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
