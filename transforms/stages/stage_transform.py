"""The PTransform that runs a stage. The PTransform takes shard numbers, and gives shard numbers and
counts. The records of the stage stay in files.

Only shard numbers go through Beam's shuffle. For shard S, a stage reads the file `kept-S` of the
previous stage, and writes its own files `kept-S`, `rejected-S` and, where an item waits,
`pending-S`. A run can therefore be resumed with any Beam runner, and complete files are not
computed again. The outputs are files because the next job, the report and people read files.
"""

import asyncio
import inspect
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import apache_beam as beam
from apache_beam.metrics import Metrics
from apache_beam.transforms.window import GlobalWindow
from apache_beam.utils.windowed_value import WindowedValue

from questloom.calls import meter
from questloom.calls.event_loop import submit
from questloom.files.opened import Opened
from questloom.files.parquet import read_records
from questloom.records.errors import BudgetExceeded, ProviderFault
from questloom.records.outcomes import Pending, PendingCause, Reason, StageCount
from questloom.transforms.stages.call_window import gather_windowed
from questloom.transforms.stages.run_folder import RunFolder
from questloom.transforms.stages.stage import Apply, Stage, reject, source_of
from questloom.transforms.stages.stage_shards import (
    Outcomes,
    file_digest,
    finished,
    source_digest,
    write_shard,
)

MAX_OPEN_SHARDS = 4
"""Maximum number of shards of one bundle whose records are processed at once. The limit bounds the
memory that a worker needs."""
MAX_TRACEBACK = 4_000


def guarded(item: Any, error: BaseException) -> Any:
    """The outcome of an item for which the stage's function raised an exception. The item waits for
    a provider or for budget, or the item is rejected because our code has a fault."""
    seed = getattr(item, "seed_id", "") or item.id
    if isinstance(error, BudgetExceeded):
        return Pending(
            item_id=item.id,
            seed_id=seed,
            stage="",
            cause=PendingCause.BUDGET.value,
            message=str(error),
        )
    if isinstance(error, ProviderFault):
        return Pending(
            item_id=item.id,
            seed_id=seed,
            stage="",
            cause=PendingCause.PROVIDER.value,
            message=str(error),
        )
    text = "".join(traceback.format_exception(error))[-MAX_TRACEBACK:]
    return reject(item, Reason.ERROR, {"error": repr(error)[:500], "traceback": text})


def apply_one(function: Any, item: Any, beside: tuple[Any, ...]) -> Any:
    """The outcome of one record, if the stage's function is a plain function. `beside` holds the
    side record, if the stage has a second input."""
    try:
        return function(item, *beside)
    except Exception as error:
        return guarded(item, error)


async def apply_one_async(function: Any, item: Any, beside: tuple[Any, ...]) -> Any:
    """The outcome of one record, if the stage's function is a coroutine."""
    try:
        return await function(item, *beside)
    except Exception as error:
        return guarded(item, error)


class RunStage(beam.DoFn):
    """Runs one stage over shards. The elements of its input and output are shard numbers."""

    def __init__(
        self, stage: Stage, *, run: RunFolder, source: str, settings: Any, opened: Opened
    ) -> None:
        self.stage, self.run, self.source, self.settings, self.opened = (
            stage,
            run,
            source,
            settings,
            opened,
        )
        self._open: list[tuple[int, str, float, Any]] = []
        self._ended = 0.0

    def setup(self) -> None:
        make = self.stage.make
        assert make is not None, "a job's first stage is written, not run"
        # Once per process and run: a stage's function may write into the run's folder.
        key = ("stage", self.run, self.stage.label, self.stage.fingerprint, repr(self.settings))
        self._function: Apply = self.opened.once(key, lambda: make(self.settings))
        self._is_async = inspect.iscoroutinefunction(self._function)

    def start_bundle(self) -> None:
        self._open = []
        if self._is_async:
            self._window = asyncio.Semaphore(max(1, self.stage.in_flight))

    def process(self, shard: int) -> Iterator[Any]:
        path = self.run.shard(self.source, "kept", shard)
        digest, side = file_digest(path), None
        if self.stage.side is not None:
            side_path = self.run.shard(self.stage.label, "side", shard)
            digest = source_digest((path, side_path))
            side = {r.item_id: r for r in read_records(side_path, self.stage.side.record)}  # type: ignore[attr-defined]
        done = finished(self.run, self.stage, shard, digest)
        if done is not None:
            yield from self._report(done)
            return
        items = [
            (item, () if side is None else (side.get(item.id),))  # type: ignore[attr-defined]
            for item in read_records(path, self.stage.takes)
        ]
        if self._is_async:
            while len(self._open) >= MAX_OPEN_SHARDS:
                yield from self._report(self._finish(self._open.pop(0)))
            work = submit(
                gather_windowed(
                    items, lambda given: apply_one_async(self._function, *given), self._window
                )
            )
            self._open.append((shard, digest, time.monotonic(), work))
            return
        outcomes, started = Outcomes.empty(), time.monotonic()
        for item, beside in items:
            outcomes.take(apply_one(self._function, item, beside))
        outcomes.seconds = time.monotonic() - started
        self._count(outcomes)
        yield from self._report(write_shard(self.run, self.stage, shard, digest, outcomes))

    def _finish(self, entry: tuple[int, str, float, Any]) -> StageCount:
        shard, digest, started, work = entry
        outcomes = Outcomes.empty()
        for outcome in work.result():
            outcomes.take(outcome)
        # Open shards overlap. Each shard counts from the end of the shard before, so that their sum
        # is at most the time that passed.
        ended = time.monotonic()
        outcomes.seconds, self._ended = ended - max(started, self._ended), ended
        self._count(outcomes)
        return write_shard(self.run, self.stage, shard, digest, outcomes)

    def finish_bundle(self) -> Iterator[WindowedValue]:
        while self._open:
            for value in self._report(self._finish(self._open.pop(0))):
                yield WindowedValue(value, GlobalWindow().max_timestamp(), (GlobalWindow(),))

    def _count(self, outcomes: Outcomes) -> None:
        """Updates Beam's metrics with the work of this call. A shard that was finished before does
        not change the metrics."""
        for reason, number in Counter(r.reason for r in outcomes.rejected).items():
            Metrics.counter(self.stage.name, f"rejected_{reason}").inc(number)
        spent = meter.take(self.stage.name)
        for name, amount in vars(spent).items() if spent else ():
            Metrics.counter(self.stage.name, name).inc(amount)

    def _report(self, count: StageCount) -> Iterator[Any]:
        for name in ("num_in", "num_kept", "num_rejected", "num_pending"):
            Metrics.counter(self.stage.name, name).inc(getattr(count, name))
        yield count.shard


class StageTransform(beam.PTransform):
    """`shards | StageTransform(stage, …)`: returns the shard numbers once their files are written.

    Args:
        stage: the stage, with its number.
        run: the folder of the input and output.
        source: the label of the stage whose kept records are the input.
        settings: the argument of the stage's `make`, as plain data that can be pickled.
        opened: holds the objects that the stage's `make` opens.
    """

    def __init__(
        self, stage: Stage, *, run: RunFolder, source: str, settings: Any, opened: Opened
    ) -> None:
        super().__init__(label=stage.label)
        self.stage = stage
        self._run = RunStage(stage, run=run, source=source, settings=settings, opened=opened)

    def expand(self, shards: beam.PCollection[int]) -> beam.PCollection[int]:
        run = beam.ParDo(self._run)
        return shards | "run" >> (
            run.with_resource_hints(**self.stage.hints) if self.stage.hints else run
        )


def run_in_order(
    shards: beam.PCollection,
    stages: Sequence[Stage],
    *,
    run: RunFolder,
    settings: Any,
    opened: Opened,
) -> beam.PCollection:
    """Adds all stages of a job to the Beam graph, except the first stage, whose files exist
    already. Returns the shard numbers once all files are written."""
    for stage in stages[1:]:
        source = source_of(stages, stage).label
        if stage.side is not None:
            shards = stage.side.gather(
                shards, settings, stages[stage.number - 2].label, stage.label
            )
        shards = shards | StageTransform(
            stage, run=run, source=source, settings=settings, opened=opened
        )
    return shards
