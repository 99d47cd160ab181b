"""What a stage is: a name, what it takes and gives, and a factory of a pure function; and what a job is: its stages in order.

The function maps one record to what becomes of it: a record (kept), a `Rejection`, or a list of both (a stage may fan
out). It may be a coroutine, where it calls models. It is imported and tested without Beam.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from questloom.records.outcomes import Rejection
from questloom.records.table import Record

if TYPE_CHECKING:
    import apache_beam as beam

Outcome = Record | Rejection | list
Apply = Callable[..., Outcome] | Callable[..., Awaitable[Outcome]]


@dataclass(frozen=True, kw_only=True)
class Side:
    """A stage's second input, one file a shard: `side-SSSSS.parquet` in the stage's folder.

    Args:
        record: its type; an item's is found by `item_id`.
        gather: adds to the graph what writes the files. It takes the shard numbers of the stage before, the settings of the job, the label
            of that stage and the label of this one, and gives the shard numbers again, once the files are written.
    """

    record: type[Record]
    gather: "Callable[[beam.PCollection, Any, str, str], beam.PCollection]"


@dataclass(frozen=True, kw_only=True)
class Stage:
    """One step of a job.

    Args:
        name: what people and other code call it, "certify"; the stage of its rejections.
        takes: the record type that comes in.
        gives: the record type that it gives.
        make: called once a process with the job's settings; gives the function. A module-level function, so that a stage can be sent to a
            worker. None for a job's first stage, whose records something else writes.
        fingerprint: changes whenever the stage would compute something else from the same input; part of resume.
        in_flight: records under way at once in a process, for coroutines; 0 for a plain function.
        side: its second input; the function then takes (record, side record or None).
        source: the name of the stage whose kept records it takes; "" for the one before.
        hints: Beam's resource hints for the workers that run it ("accelerator"); no result depends on them.
        number: its position in the job, given by `in_order`.
    """

    name: str
    takes: type[Record]
    gives: type[Record]
    make: Callable[[Any], Apply] | None = None
    fingerprint: str = ""
    in_flight: int = 0
    side: Side | None = None
    source: str = ""
    hints: Mapping[str, str] = field(default_factory=dict)
    number: int = 0

    @property
    def label(self) -> str:
        """The name of its folder: number and name, "04-certify"."""
        return f"{self.number:02d}-{self.name}"


def in_order(*stages: Stage) -> tuple[Stage, ...]:
    """A job's stages with their numbers, from 1. This is the only place where a stage gets its number.

    >>> [stage.label for stage in in_order(Stage(name="seeds", takes=Record, gives=Record), Stage(name="draft", takes=Record, gives=Record))]
    ['01-seeds', '02-draft']
    """
    names = [stage.name for stage in stages]
    assert len(set(names)) == len(names), f"two stages have one name: {names}"
    assert all(
        not stage.source or stage.source in names[:place] for place, stage in enumerate(stages)
    ), "a stage's source stands before it"
    return tuple(replace(stage, number=number) for number, stage in enumerate(stages, 1))


def source_of(stages: Sequence[Stage], stage: Stage) -> Stage:
    """The stage whose kept records a stage takes."""
    return (
        next(s for s in stages if s.name == stage.source)
        if stage.source
        else stages[stage.number - 2]
    )


def reject(item: Any, reason: str, evidence: Any = None) -> Rejection:
    """The rejection of a seed or question, with what a person calls it. Which stage it was is written by whoever runs the stage."""
    seed = getattr(item, "seed_id", "") or item.id
    title = getattr(item, "text", "") or getattr(item, "entity_id", "")
    return Rejection(
        item_id=item.id, seed_id=seed, stage="", reason=str(reason), evidence=evidence, title=title
    )
