"""Turns an exception in an ingest stage into the rejection of its item, with the traceback as evidence."""

import traceback

from questloom.records.outcomes import Reason, Rejection
from questloom.records.table import Json

MAX_TRACEBACK = 4_000


def fault(item_id: str, stage: str, title: str, error: Exception) -> Rejection:
    """Makes a rejection of an exception in our own code. The rejection is counted and shown, and
    the job continues."""
    evidence = {
        "error": repr(error)[:500],
        "traceback": "".join(traceback.format_exception(error))[-MAX_TRACEBACK:],
    }
    return Rejection(
        item_id=item_id,
        seed_id="",
        stage=stage,
        reason=Reason.ERROR.value,
        evidence=Json(evidence),
        title=title,
    )
