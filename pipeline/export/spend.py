"""What the model replies behind a data set cost. Only replies that arrived are counted: they are the same however often the
run was stopped (P2); what was lost or asked again stands in `run.json` and the report.
"""
import sqlite3
from contextlib import closing
from dataclasses import dataclass

from pipeline.clients import CALLS
from records.places import BucketPath, place


@dataclass(frozen=True)
class Spent:
    """The replies of one model. `money` is None where the price of some is unknown."""

    model: str
    num_replies: int
    tokens_in: int
    tokens_out: int
    money: float | None


def replies_of(run: str) -> list[Spent]:
    """The replies of a run by model; none where no model was called."""
    path = place(run, CALLS)
    if isinstance(path, BucketPath) or not path.is_file():
        return []
    query = """SELECT model, COUNT(*), SUM(tokens_in), SUM(tokens_out), CASE WHEN SUM(money IS NULL) THEN NULL ELSE SUM(money) END
               FROM attempts WHERE status = 'ok' GROUP BY model ORDER BY model"""
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
        return [Spent(*row) for row in connection.execute(query)]
