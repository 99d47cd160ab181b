"""What a stage is: a name, what it takes and gives, and a factory of a pure function.

The function maps one record to what becomes of it: a record (kept), a `Rejection`, or a list of both (a stage may fan
out). It may be a coroutine, where it calls models. It is imported and tested without Beam.
"""
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from records.outcomes import Reason, Rejection
from records.table import Record

Outcome = Record | Rejection | list
Apply = Callable[..., Outcome] | Callable[..., Awaitable[Outcome]]


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One step of a job.

    Args:
        name: with its number, "04-certify": the folder's name and the stage of its rejections.
        takes: the record type that comes in.
        gives: the record type that goes on.
        make: called once a process with `settings`; gives the function. A module-level function, so that a stage can be sent to a worker.
        settings: what `make` needs; plain data that pickles (paths, the recipe).
        fingerprint: changes whenever the stage would compute something else from the same input; part of resume.
        in_flight: records under way at once in a process, for coroutines; 0 for a plain function.
        side: the type of a second input, `side-SSSSS.parquet` in the stage's own folder, which a global step wrote; the function
            then takes (record, side record or None), matched by `item_id`.
        hints: Beam's resource hints for the workers that run it ("accelerator"); no result depends on them.
    """

    name: str
    takes: type[Record]
    gives: type[Record]
    make: Callable[[Any], Apply]
    settings: Any = None
    fingerprint: str = ""
    in_flight: int = 0
    side: type[Record] | None = None
    hints: Mapping[str, str] = field(default_factory=dict)


def reject(item: Any, stage: str, reason: Reason, evidence: Any = None) -> Rejection:
    """The rejection of a seed or question, with what a person calls it."""
    seed = getattr(item, "seed_id", "") or item.id
    title = getattr(item, "text", "") or getattr(item, "entity_id", "")
    return Rejection(item_id=item.id, seed_id=seed, stage=stage, reason=reason.value, evidence=evidence, title=title)
