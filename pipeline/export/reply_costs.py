"""Adds up what it cost to get the model replies behind a data set. Only replies that arrived count.
The sum is therefore the same whether or not the run was interrupted. `run.json` and the report also
count lost and repeated requests.
"""

import sqlite3
from collections import defaultdict
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from questloom.calls.attempts import Status
from questloom.calls.ledger import has_ledger
from questloom.files.locations import BucketPath
from questloom.transforms.stages.run_folder import RunFolder


@dataclass(frozen=True)
class Spent:
    """The cost of the replies of one model. `money` is None if the price of some replies is
    unknown."""

    model: str
    num_replies: int
    tokens_in: int
    tokens_out: int
    money: float | None


def replies_of(run: RunFolder, calls: str = "") -> list[Spent]:
    """The cost of a run's model replies, with one entry for each model. The list is empty if no
    model was called. `calls` is the recipe's `run.calls`."""
    if calls:
        path: Path | str = run.calls(calls)
    else:
        found = run.at("calls.sqlite")
        if isinstance(found, BucketPath):
            return []
        path = found
    if not has_ledger(path):
        return []
    if isinstance(path, str):
        return _replies_in_redis(path)
    query = """SELECT model, COUNT(*), SUM(tokens_in), SUM(tokens_out), CASE WHEN SUM(money IS NULL) THEN NULL ELSE SUM(money) END
               FROM attempts WHERE status = 'ok' GROUP BY model ORDER BY model"""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        return [Spent(*row) for row in connection.execute(query)]


def _replies_in_redis(address: str) -> list[Spent]:
    from questloom.calls.shared.redis_ledger import rows  # the `redis` package is an extra

    by_model: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows(address):
        if row["status"] == Status.OK:
            by_model[row["model"]].append(row)
    return [
        Spent(
            model=model,
            num_replies=len(mine),
            tokens_in=sum(r["tokens_in"] for r in mine),
            tokens_out=sum(r["tokens_out"] for r in mine),
            money=None if any(r["money"] is None for r in mine) else sum(r["money"] for r in mine),
        )
        for model, mine in sorted(by_model.items())
    ]
