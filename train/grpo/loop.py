"""The loop of GRPO: each step plays questions with the current weights, then learns from them.

`grpo/command.py` does the setup.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from questloom.agent.judges.query import MEASURED
from questloom.files.parquet import write_whole
from questloom.train.grpo.held_out import evaluate_held_out
from questloom.train.grpo.step_play import StepPlay
from questloom.train.grpo.update import Learner
from questloom.train.loss.objective import EngineMismatch
from questloom.train.rollouts.questions import StepQuestion
from questloom.train.run.checkpoints import Checkpoints
from questloom.train.run.metrics import Metrics, duration, peak_memory_gb
from questloom.train.run.stopping import Stopped, stop_error


@dataclass(frozen=True)
class Training:
    """Everything that one rank needs for its steps."""

    play: StepPlay
    learner: Learner
    held_out: Sequence[StepQuestion]
    """The held-out questions; empty if there is no evaluation."""
    measured: Path
    """The folder OUT/held_out with the results of all evaluations. A resumed run does not repeat an
    evaluation whose results are stored."""

    def measured_after(self, update: int) -> Path:
        """The path of the file with the results of the evaluation after this number of updates."""
        return self.measured / f"update-{update:06d}.json"


@dataclass
class _Progress:
    """How far a run has come."""

    update: int
    """The number of updates that the weights have had so far."""


def train(run: Training, *, done: int, checkpoints: Checkpoints, metrics: Metrics | None) -> None:
    """Runs the remaining steps. All ranks must call this function together.

    Args:
        done: number of updates in the loaded checkpoint.
        metrics: the writer of metrics; None on ranks that write no metrics.

    Raises:
        QuestloomError: the run stopped for the reason that the error states; the same command
            continues the run.
        Stopped: the user asked the run to stop, and a checkpoint is written.
    """
    with run.play.at.naming_the_missing("the run"):
        at, progress = run.play.at, _Progress(done)
        try:
            _steps(run, progress, checkpoints, metrics)
        except Stopped:
            if at.gather(progress.update not in (0, *checkpoints.updates()))[0]:
                checkpoints.save(progress.update, run.learner.policy, run.learner.optimiser, at)
            raise stop_error(progress.update, run.play.settings.updates) from None


def _steps(
    run: Training, progress: _Progress, checkpoints: Checkpoints, metrics: Metrics | None
) -> None:
    settings, at, done = run.play.settings, run.play.at, progress.update
    each, every = settings.step.updates, settings.evaluation.every
    weights = run.play.players.weights
    weights.bring_up_to_date(done)
    # A stopped run may have a checkpoint whose evaluation is still missing.
    if every and (
        not done
        or (done // each % every == 0 and not at.gather(run.measured_after(done).is_file())[0])
    ):
        _examine(run, done, metrics)
    for step in range(done // each, settings.step.steps):
        at.meet(f"the rollouts of step {step}")
        began = time.perf_counter()
        share, figures = run.play.of(step)
        at.meet(f"the update of step {step}")
        learning = time.perf_counter()
        try:
            updates = run.learner.learn(share, step)
        except EngineMismatch:
            if at.first:  # all ranks are here; rollouts of a mismatched engine must not be reused
                run.play.files.drop([step])
                run.measured_after(step * each).unlink(missing_ok=True)
            raise
        progress.update = (step + 1) * each
        weights.bring_up_to_date((step + 1) * each)
        if metrics is not None:
            seconds = time.perf_counter() - learning
            tokens = sum(update.get("trained_tokens", 0.0) for update in updates)
            for n, update in enumerate(updates):
                metrics.note(
                    step * each + n + 1, step=step, **(figures if n == 0 else {}), **update
                )
            metrics.note(
                step * each + each,
                update_seconds=seconds,
                trained_tokens_per_second=tokens / seconds,
                peak_memory_gb=peak_memory_gb(at.device),
            )
            _say(
                metrics,
                step,
                settings.step.steps,
                figures,
                updates[-1],
                time.perf_counter() - began,
            )
        last = step + 1 == settings.step.steps
        if not last and run.play.actor.stop.of_any(at):
            raise Stopped("between two steps")
        if every and ((step + 1) % every == 0 or last):
            _examine(run, (step + 1) * each, metrics)
        if (step + 1) % settings.keep.checkpoint_every == 0 or last:
            checkpoints.save((step + 1) * each, run.learner.policy, run.learner.optimiser, at)
            if at.first and settings.keep.replay_steps:
                run.play.files.drop(run.play.files.steps()[: -settings.keep.replay_steps])


def _examine(run: Training, update: int, metrics: Metrics | None) -> None:
    """Plays the held-out questions, or reads the results of an earlier evaluation after the same
    update.

    An evaluation is never repeated: playing again would remove journals of unfinished episodes,
    which a resumed run may still need.
    """
    if not run.held_out:
        return
    at, path = run.play.at, run.measured_after(update)
    found = at.gather(json.loads(path.read_text(encoding="utf-8")) if path.is_file() else None)[0]
    if found is None:
        began = time.perf_counter()
        found = evaluate_held_out(
            run.held_out, run.play.actor, run.play.players, run.play.settings.evaluation, at, update
        )
        found["held_out/seconds"] = time.perf_counter() - began
        if at.first:
            write_whole(path, (json.dumps(found) + "\n").encode())
            run.play.actor.drop_journals()
        at.wait()
    if metrics is not None:
        metrics.note(update, **found)
        metrics.say(
            f"update {update} · held out: {found['held_out/pass_rate']:.3f} right of {found['held_out/rollouts']:,.0f} rollouts"
        )


def _say(
    metrics: Metrics,
    step: int,
    steps: int,
    figures: dict[str, float],
    update: dict[str, float],
    seconds: float,
) -> None:
    kl_only, query = (
        sum(value for name, value in figures.items() if name.startswith("kl_only/")),
        figures.get(f"query_{MEASURED}"),
    )
    taught = f"{figures['taught']:.0f}{f' ({kl_only:.0f} by the KL term only)' if kl_only else ''}"
    measured = "" if query is None else f"r_query {query:.3f}, measured and not judged · "
    metrics.say(
        f"step {step + 1}/{steps} · reward {figures['reward']:.3f} · right {figures['accuracy']:.3f} · tool use {figures['tool_use']:.2f} · "
        f"turns {figures['turns']:.1f} · taught {taught} of {figures['rollouts'] + figures['continuations']:.0f} · {measured}"
        f"loss {update['loss']:+.4f} · {seconds:.1f} s · {duration(seconds * (steps - step - 1))} left"
    )
