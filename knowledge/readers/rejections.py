"""The function by which all readers refuse an item."""

from questloom.records.identity import record_id
from questloom.records.outcomes import Reason, Rejection
from questloom.records.table import Json

STAGE = "read"


def reject(
    reason: Reason, kind: str, *key: object, evidence: object = None, title: str = ""
) -> Rejection:
    """A rejection at the stage "read".

    Args:
        reason: why the item is refused.
        kind: the kind of item ("Article", "Picture", "Entity" …).
        key: the natural key of the item, for its id: JSON values, never a path on disk.
        evidence: a small JSON value that shows the reason.
        title: the item's name for people.
    """
    return Rejection(
        item_id=record_id(kind, *key),
        seed_id="",
        stage=STAGE,
        reason=reason,
        evidence=Json(evidence),
        title=title,
    )
