"""All readers make their rejections (records of refused items) with the function of this module."""

from questloom.records.identity import record_id
from questloom.records.outcomes import Reason, Rejection
from questloom.records.table import Json

STAGE = "read"


def reject(
    reason: Reason, kind: str, *key: object, evidence: object = None, title: str = ""
) -> Rejection:
    """Makes a rejection at the stage "read".

    Args:
        reason: why the item is refused.
        kind: the kind of item ("Article", "Picture", "Entity" …).
        key: JSON values (never a path on disk) from which the item's id is made.
        evidence: a small JSON value that shows the reason.
        title: a readable name of the item.
    """
    return Rejection(
        item_id=record_id(kind, *key),
        seed_id="",
        stage=STAGE,
        reason=reason,
        evidence=Json(evidence),
        title=title,
    )
