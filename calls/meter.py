"""What this process has spent since it was last asked, by stage: for the live metrics of a job. The ledger is what counts."""

import threading
from collections import defaultdict
from dataclasses import dataclass

from questloom.calls.request import CallRequest, Reply


@dataclass
class Spent:
    """Replies that were paid for, not those of the cache."""

    calls: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    money_millionths: int = 0
    """Of the currency of the prices; 0 where the price is unknown."""


_SPENT: defaultdict[str, Spent] = defaultdict(Spent)
_LOCK = threading.Lock()


def add(request: CallRequest, reply: Reply) -> None:
    """Books a reply on the request's stage."""
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
    """What a stage has spent since the last call of this, or None."""
    with _LOCK:
        return _SPENT.pop(stage, None)
