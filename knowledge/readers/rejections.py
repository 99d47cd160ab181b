"""The one way in which a reader refuses an item."""

from questloom.records.identity import record_id
from questloom.records.outcomes import Reason, Rejection
from questloom.records.table import Json

STAGE = "read"


def reject(
    reason: Reason, kind: str, *key: object, evidence: object = None, title: str = ""
) -> Rejection:
    """A rejection by the stage "read".

    Args:
        reason: why.
        kind: what the item is ("Article", "Picture", "Entity" …).
        key: its natural key, for the item's id; JSON values, never a path on disk.
        evidence: what shows the reason; small JSON.
        title: what a person calls the item.
    """
    return Rejection(
        item_id=record_id(kind, *key),
        seed_id="",
        stage=STAGE,
        reason=reason,
        evidence=Json(evidence),
        title=title,
    )
