"""The loop of supervised fine-tuning; each round makes one update. `sft/command.py` does the
setup."""

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import torch
from torch import nn

from questloom.train.loss.normalise import sum_over_ranks
from questloom.train.loss.sft_loss import num_labels, sft_loss_sum
from questloom.train.rows.packing import Packed, micro_batches, pack
from questloom.train.run.checkpoints import Checkpoints
from questloom.train.run.metrics import Metrics, peak_memory_gb
from questloom.train.run.parallel import World, no_sync_but_last
from questloom.train.run.stopping import Stop, stop_error
from questloom.train.run.updating import products, take_step
from questloom.train.settings.training_settings import SftSettings
from questloom.train.sft.data import Course, Documents, RowMaker, SurveyedRow, deal_rows

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class Training:
    """Everything that a rank needs for its updates."""

    policy: nn.Module
    optimiser: torch.optim.Optimizer
    documents: Documents
    maker: RowMaker
    settings: SftSettings
    at: World

    def plan(self, rows: Sequence[SurveyedRow]) -> list[list[SurveyedRow]]:
        """The micro-batches of this rank for the rows of an update. All ranks get the same number
        of micro-batches, of which some may be empty.
        """
        plans = [
            [[hand[n] for n in some] for some in micro_batches(hand, self.settings.micro_tokens)]
            for hand in deal_rows(rows, self.at.size)
        ]
        mine = plans[self.at.rank]
        return mine + [[] for _ in range(max(map(len, plans)) - len(mine))]

    def packed(self, rows: Sequence[SurveyedRow]) -> Packed:
        """The rows of a micro-batch, made with their pixels and packed."""
        return pack(
            [self.maker.again(row, self.documents[row.number]) for row in rows],
            self.maker.picture_tokens,
        )

    def score(self, packed: Packed) -> torch.Tensor:
        """(N,) the log-probabilities of a micro-batch's labels."""
        with products(self.settings.weights.precision, self.at):
            return self.policy(packed.to(self.at.device)).logp


def train(
    run: Training,
    course: Course,
    validation: Sequence[SurveyedRow],
    *,
    done: int,
    checkpoints: Checkpoints,
    metrics: Metrics | None,
    stop: Stop,
) -> None:
    """Runs the remaining updates. All ranks must call this function together.

    Args:
        validation: the validation rows; empty if there is no validation.
        done: number of updates in the loaded checkpoint.
        metrics: the writer of metrics; None on ranks that write no metrics.
        stop: says whether the run should end after the current update.

    Raises:
        NotFinite: a gradient is infinite or NaN.
        DiskFull: see `Checkpoints.save`.
        Stopped: the user asked the run to stop; a checkpoint is written.
    """
    keep, at = run.settings.keep, run.at
    every = keep.validate_every or course.per_epoch
    if validation and not done:
        _validate(run, validation, 0, metrics)
    plans = ((update, run.plan(course.of(update))) for update in range(done, course.updates))
    stream = make_ahead(run.packed, _flat(plans))
    for update in range(done, course.updates):
        rows = course.of(update)
        began = time.perf_counter()
        figures = _update(run, stream, update, course, rows)
        seconds = time.perf_counter() - began
        if metrics is not None:
            tokens = sum(row.tokens for row in rows)
            epoch = (update + 1) / course.per_epoch
            metrics.note(
                update + 1,
                epoch=epoch,
                **figures,
                rows=len(rows),
                tokens=tokens,
                labels=sum(row.labels for row in rows),
                seconds=seconds,
                tokens_per_second=tokens / seconds,
                peak_memory_gb=peak_memory_gb(at.device),
            )
            metrics.progress(
                update + 1, epoch=epoch, loss=figures["loss"], tokens_per_second=tokens / seconds
            )
        last, stopped = update + 1 == course.updates, stop.of_any(at)
        if stopped:  # save before a validation that may take long
            checkpoints.save(update + 1, run.policy, run.optimiser, at)
        if validation and ((update + 1) % every == 0 or last):
            _validate(run, validation, update + 1, metrics)
        if not stopped and ((update + 1) % keep.checkpoint_every == 0 or last):
            checkpoints.save(update + 1, run.policy, run.optimiser, at)
        if stopped and not last:
            raise stop_error(update + 1, course.updates)


def _flat(plans: Iterable[tuple[int, list[list[SurveyedRow]]]]) -> Iterator[list[SurveyedRow]]:
    for _, plan in plans:
        yield from plan


def _update(
    run: Training,
    stream: Iterator[Packed],
    update: int,
    course: Course,
    rows: Sequence[SurveyedRow],
) -> dict[str, float]:
    """Makes one optimiser step over the rows of an update, on all ranks."""
    run.policy.train()
    plan = run.plan(rows)
    agreed = sum_over_ranks(sum(row.labels for some in plan for row in some), run.at.device)
    assert agreed.total == sum(row.labels for row in rows), (
        "the ranks have dealt the rows out differently"
    )
    total = torch.zeros((), dtype=torch.float64, device=run.at.device)
    for number, some in enumerate(plan):
        packed = next(stream)
        assert num_labels(packed) == sum(row.labels for row in some), (
            "the rows that were made are not those of the plan"
        )
        with no_sync_but_last(run.policy, number == len(plan) - 1):
            summed = sft_loss_sum(run.score(packed))
            agreed.share(summed).backward()
        total += summed.detach()
    loss = run.at.sum(total) / agreed.total
    stepped = take_step(
        run.policy,
        run.optimiser,
        run.settings.optimiser,
        update=update,
        updates=course.updates,
        about=f"the loss {loss}; its rows: {', '.join(row.episode_id for row in rows)}",
    )
    return {"loss": loss, **stepped}


@torch.no_grad()
def _validate(
    run: Training, rows: Sequence[SurveyedRow], update: int, metrics: Metrics | None
) -> None:
    """Computes the loss on validation rows: the mean over tokens, as in training."""
    run.policy.eval()
    total = torch.zeros((), dtype=torch.float64, device=run.at.device)
    for packed in make_ahead(run.packed, run.plan(rows)):
        total += sft_loss_sum(run.score(packed))
    loss = run.at.sum(total) / sum(row.labels for row in rows)
    if metrics is not None:
        metrics.note(update, validation_loss=loss)
        metrics.say(f"update {update} · validation loss {loss:.4f} on {len(rows)} rows")


def make_ahead(make: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
    """Yields `make(item)` for each item in order. A thread prepares the next result while the
    caller uses the last one."""
    with ThreadPoolExecutor(1, thread_name_prefix="rows") as pool:
        waiting: Future[R] | None = None
        for item in items:
            coming = pool.submit(make, item)
            if waiting is not None:
                yield waiting.result()
            waiting = coming
        if waiting is not None:
            yield waiting.result()
