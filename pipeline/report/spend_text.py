"""Says in words what the calls of a run cost. An unknown price is shown as unknown, never as 0."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from questloom.calls.attempts import CostLine
from questloom.calls.ledger import cost_lines
from questloom.files.locations import BucketPath, Location

LEDGER = "calls.sqlite"


def read_spend(
    run: Location, facts: Mapping[str, Any] | None = None
) -> tuple[list[CostLine], CostLine | None]:
    """What the ledger has recorded: one sum for each stage and model, and the total. If the run has
    no ledger, there are no sums and the total is None.

    Args:
        facts: the content of `run.json`. If the ledger is in Redis, `run.json` holds a copy of its
            sums, so a report needs no server.
    """
    told = [
        CostLine(**{**line, "group": tuple(line["group"])})
        for line in (facts or {}).get("cost", ())
    ]
    if told and (isinstance(run, BucketPath) or not (run / LEDGER).is_file()):
        sums = {
            f.name: sum(getattr(line, f.name) for line in told)
            for f in fields(CostLine)
            if f.name != "group"
        }
        return told, CostLine(group=(), **sums)
    if isinstance(run, BucketPath) or not (run / LEDGER).is_file():
        return [], None
    lines = cost_lines(run / LEDGER, by=("stage", "model"))
    return lines, cost_lines(run / LEDGER, by=())[0] if lines else None


def money_words(line: CostLine | None, per: int = 1) -> str:
    """Money in words: "$1.23", "unknown", "at least $1.23".

    Args:
        line: the sums of the ledger; None if there were no calls.
        per: a number of finished questions. The text gives the cost for one finished question.
    """
    if line is None or not line.num_calls:
        return "$0"
    if line.num_unpriced == line.num_calls:
        return "unknown"
    amount = line.money / per
    known = f"${amount:,.2f}" if amount >= 0.995 or amount == 0 else f"${amount:.4f}"
    return f"at least {known}" if line.num_unpriced else known


def seconds_words(seconds: float | None) -> str:
    """A duration in words: "unknown", "0.4 s", "42 s", "3 min 5 s", "2 h 4 min"."""
    if seconds is None:
        return "unknown"
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    if whole < 3600:
        return f"{whole // 60} min {whole % 60} s"
    return f"{whole // 3600:,} h {whole % 3600 // 60} min"
