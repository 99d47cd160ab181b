"""Sums the call ledger (the record of all calls and their cost) in Redis. The ledger rows are JSON,
as `questloom.calls.shared.redis_cache` writes them.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

import orjson

from questloom.calls.attempts import CostLine, Status
from questloom.calls.shared.link import Link
from questloom.calls.shared.place import place_of
from questloom.calls.shared.redis_cache import OPEN_SECONDS, PATIENCE_SECONDS
from questloom.records.errors import InputError, ProviderFault

CHUNK = 10_000


def rows(place: str) -> Iterator[dict[str, Any]]:
    """The ledger rows of all attempts, whether they ended, were lost with their worker, or are in
    flight.

    Raises:
        InputError: the server cannot be reached, or there is no ledger.
    """
    link = Link(place_of(place), patience=PATIENCE_SECONDS)
    prefix = link.place.prefix
    try:
        if not link.run_now("EXISTS", f"{prefix}:version", patience=OPEN_SECONDS):
            raise InputError(
                str(link.place),
                "the call ledger cannot be read: there is none",
                "Give the address and prefix of a run.",
            )
        start = 0
        while chunk := link.run_now("LRANGE", f"{prefix}:ledger", start, start + CHUNK - 1):
            yield from map(orjson.loads, chunk)
            start += len(chunk)
        for row in link.run_now("HVALS", f"{prefix}:lost"):
            yield orjson.loads(row) | {"status": Status.LOST.value}
        for held in link.run_now("HVALS", f"{prefix}:open"):
            yield orjson.loads(held.split(b" ", 5)[5])
    except ProviderFault as fault:
        raise InputError(
            str(link.place),
            f"the call ledger cannot be read: {fault.message}",
            "Start Redis there and check the address.",
        ) from None
    finally:
        link.close()


def has_ledger(place: str) -> bool:
    """Whether there is a ledger at an address. Raises `InputError` if the server cannot be
    reached.
    """
    link = Link(place_of(place), patience=PATIENCE_SECONDS)
    try:
        return bool(link.run_now("EXISTS", f"{link.place.prefix}:version", patience=OPEN_SECONDS))
    except ProviderFault as fault:
        raise InputError(
            str(link.place),
            f"the call ledger cannot be read: {fault.message}",
            "Start Redis there and check the address.",
        ) from None
    finally:
        link.close()


def last_settled(place: str) -> float:
    """The time at which the last attempt ended, in seconds since the epoch."""
    link = Link(place_of(place), patience=PATIENCE_SECONDS)
    try:
        last = link.run_now("LINDEX", f"{link.place.prefix}:ledger", -1)
    except ProviderFault:
        return 0.0  # callers that need the server handle its outage themselves; this function only looks from outside
    finally:
        link.close()
    return float(orjson.loads(last)["ended"]) if last else 0.0


def last_attempts(place: str, since: float, most: int) -> list[tuple[str, str, str]]:
    """See `questloom.calls.ledger.last_attempts`. Attempts that were lost with their worker are not
    in the returned list.
    """
    link = Link(place_of(place), patience=PATIENCE_SECONDS)
    try:
        ended = [
            orjson.loads(row)
            for row in link.run_now("LRANGE", f"{link.place.prefix}:ledger", -most, -1)
        ]
        held = [
            orjson.loads(row.split(b" ", 5)[5])
            for row in link.run_now("HVALS", f"{link.place.prefix}:open")
        ]
    except ProviderFault as fault:
        raise InputError(
            str(link.place),
            f"the call ledger cannot be read: {fault.message}",
            "Start Redis there and check the address.",
        ) from None
    finally:
        link.close()
    return [
        (row["provider"], row["key"], row["status"])
        for row in (*ended, *held)
        if row["ended"] >= since
    ][-most:]


def cost_lines(place: str, by: Sequence[str]) -> list[CostLine]:
    """Sums the ledger by group; see `questloom.calls.ledger.cost_lines`."""
    groups: dict[tuple[str, ...], list[dict[str, Any]]] = defaultdict(list)
    if not by:
        groups[()] = []
    for row in rows(place):
        groups[tuple(row[column] for column in by)].append(row)
    return [_line(group, groups[group]) for group in sorted(groups)]


def _line(group: tuple[str, ...], mine: list[dict[str, Any]]) -> CostLine:
    return CostLine(
        group=group,
        num_calls=sum(r["calls"] for r in mine),
        num_faults=sum(r["status"] not in (Status.OK, Status.IN_FLIGHT) for r in mine),
        num_lost=sum(r["status"] == Status.LOST for r in mine),
        tokens_in=sum(r["tokens_in"] for r in mine),
        tokens_out=sum(r["tokens_out"] for r in mine),
        num_estimated=sum(bool(r["estimated"] and r["calls"]) for r in mine),
        money=sum(r["money"] or 0.0 for r in mine),
        num_unpriced=sum(bool(r["money"] is None and r["calls"]) for r in mine),
        seconds=sum(r["seconds"] or 0.0 for r in mine),
    )
