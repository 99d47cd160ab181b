"""Defines a stage (a name, its input and output types, and a factory of a pure function) and a job
(its stages in order).

The function maps one record to its outcome: a record that is kept, a `Rejection`, or a list of such
outcomes. A function that calls models may be a coroutine. This module can be imported and tested
without Beam.
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
    """The second input of a stage. The stage's folder has one file `side-SSSSS.parquet` per shard.

    Args:
        record: the type of the records in the side files. The stage finds the record for an item by
            `item_id`.
        gather: adds to the Beam graph the steps that write the files. `gather` takes four arguments:
            the shard numbers of the previous stage, the settings of the job, the label of the
            previous stage and the label of this stage. `gather` returns the shard numbers once the
            files are written.
    """

    record: type[Record]
    gather: "Callable[[beam.PCollection, Any, str, str], beam.PCollection]"


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A stage is one step of a job.

    Args:
        name: the stage's name, such as "certify".
        takes: the record type of the input.
        gives: the record type of the output.
        make: takes the job's settings, and returns the stage's function. `make` is called once per
            process. `make` must be a module-level function, so that a stage can be sent to a
            worker. For a job's first stage, `make` is None, since other code writes the records.
        fingerprint: a text that differs whenever the stage would compute a different result from
            the same input. A resumed run compares fingerprints.
        in_flight: for a coroutine, the number of records that a process works on at once; 0 for a
            plain function.
        side: the stage's second input. If `side` is set, the stage's function takes a record, and a
            side record or None.
        source: the name of the stage whose kept records are the input; "" for the previous stage.
        doing: what the stage does, for the progress display ("asking the filter
            no_sports:NoSports"); "" for the words in `pipeline/runners/stage_words.py`.
        reasons: the stage's own reasons for dropping an item, each with a sentence for the progress
            display.
        hints: Beam's resource hints for the stage's workers ("accelerator"). Hints do not change
            results.
        number: the stage's position in the job, set by `in_order`.
    """

    name: str
    takes: type[Record]
    gives: type[Record]
    make: Callable[[Any], Apply] | None = None
    fingerprint: str = ""
    in_flight: int = 0
    side: Side | None = None
    source: str = ""
    doing: str = ""
    reasons: Mapping[str, str] = field(default_factory=dict)
    hints: Mapping[str, str] = field(default_factory=dict)
    number: int = 0

    @property
    def label(self) -> str:
        """The name of the stage's folder: number and name, "04-certify"."""
        return f"{self.number:02d}-{self.name}"


def in_order(*stages: Stage) -> tuple[Stage, ...]:
    """Numbers the stages of a job, from 1. No other function numbers stages.

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
    """The stage whose kept records are the input of the given stage."""
    return (
        next(s for s in stages if s.name == stage.source)
        if stage.source
        else stages[stage.number - 2]
    )


def reject(item: Any, reason: str, evidence: Any = None) -> Rejection:
    """Rejects a seed or question. The rejection states the item's readable name. The code that runs
    the stage adds the stage's name."""
    seed = getattr(item, "seed_id", "") or item.id
    title = getattr(item, "text", "") or getattr(item, "entity_id", "")
    return Rejection(
        item_id=item.id, seed_id=seed, stage="", reason=str(reason), evidence=evidence, title=title
    )
