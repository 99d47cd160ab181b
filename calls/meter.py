"""Counts what this process has spent on each stage since the last reading, for a job's live
metrics. The ledger is authoritative."""

import threading
from collections import defaultdict
from dataclasses import dataclass

from questloom.calls.request import CallRequest, Reply


@dataclass
class Spent:
    """Tokens and money of the replies that this process paid for; replies from the cache are not included."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money_millionths: int = 0
    """Money in millionths of the currency of the prices; 0 if the price is unknown."""


_SPENT: defaultdict[str, Spent] = defaultdict(Spent)
_LOCK = threading.Lock()


def add(request: CallRequest, reply: Reply) -> None:
    """Adds a reply to the spend of the request's stage."""
    with _LOCK:
        spent = _SPENT[request.stage]
        spent.calls += 1
        spent.tokens_in += reply.tokens_in
        spent.tokens_out += reply.tokens_out
        if request.price is not None:
            spent.money_millionths += round(
                1e6 * request.price.of(reply.tokens_in, reply.tokens_out)
            )


def take(stage: str) -> Spent | None:
    """What a stage has spent since the last call of `take`, or None."""
    with _LOCK:
        return _SPENT.pop(stage, None)
