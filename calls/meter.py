"""Counts what this process has spent on each stage since the last reading. A job shows these counts
as live metrics. If the counts and the ledger disagree, the ledger is right.
"""

import threading
from collections import defaultdict
from dataclasses import dataclass

from questloom.calls.request import CallRequest, Reply


@dataclass
class Spent:
    """The tokens and the money for replies that this process paid for. Replies from the cache are
    not included.
    """

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money_millionths: int = 0
    """The cost in millionths of the currency unit in which prices are given. 0 if the price is
    unknown.
    """


_SPENT: defaultdict[str, Spent] = defaultdict(Spent)
_LOCK = threading.Lock()


def add(request: CallRequest, reply: Reply) -> None:
    """Adds the cost of a reply to the stage that made the request."""
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
    """Returns what a stage has spent since the last call of `take`. Returns None if the stage has
    spent nothing.
    """
    with _LOCK:
        return _SPENT.pop(stage, None)
