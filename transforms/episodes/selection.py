"""Selects the good trajectories of a task to keep, and summarises the outcome of the task."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from questloom.records.episodes import BankImage
from questloom.records.identity import canonical_json, priority, sha256_hex
from questloom.records.outcomes import Pending, Reason, Rejection
from questloom.records.synthesis import Question
from questloom.records.table import Record
from questloom.records.trajectories import TaskResult, Trajectory
from questloom.transforms.stages.stage import reject


@dataclass(frozen=True, kw_only=True)
class Chosen(Record):
    """The rank of a trajectory among the trajectories of its task."""

    item_id: str
    rank: int
    """Rank by a random draw among the trajectories of the task, from 0; -1 for a trajectory that
    repeats another one."""
    repeats: int = -1
    """The rollout that this trajectory repeats."""


@dataclass(frozen=True, kw_only=True)
class Tally(Record):
    """The outcome of a task's rollouts."""

    item_id: str
    num_rollouts: int
    num_correct: int
    num_kept: int
    reasons: dict[str, int]
    waits: str = ""
    """Why a rollout of the task waits (for a provider or for budget), if one waits."""


def choose(
    trajectories: Iterable[Trajectory], seed: int, licensed: Callable[[str], bool]
) -> list[Chosen]:
    """Ranks the trajectories of each task by a random draw. Trajectories whose pictures may be
    published come first. If several trajectories have identical texts, only the first rollout
    counts.

    Args:
        licensed: takes a picture's id, and returns whether the picture may be published.
    """
    by_task: dict[str, list[Trajectory]] = defaultdict(list)
    for trajectory in trajectories:
        by_task[trajectory.question_id].append(trajectory)
    made = []
    for mine in by_task.values():
        first: dict[str, Trajectory] = {}
        for trajectory in sorted(mine, key=lambda t: t.episode.rollout):
            earlier = first.setdefault(_words(trajectory), trajectory)
            if earlier is not trajectory:
                made.append(Chosen(item_id=trajectory.id, rank=-1, repeats=earlier.episode.rollout))
        drawn = sorted(
            first.values(),
            key=lambda t: (
                _without_licence(t, licensed) is not None,
                priority(seed, t.id, "keep trajectories"),
            ),
        )
        made += [Chosen(item_id=trajectory.id, rank=rank) for rank, trajectory in enumerate(drawn)]
    return sorted(made, key=lambda c: c.item_id)


def _without_licence(trajectory: Trajectory, licensed: Callable[[str], bool]) -> BankImage | None:
    """The first of an episode's pictures whose licence does not allow publication. The task's own
    picture is left out, since its licence was checked when the picture was chosen."""
    return next(
        (
            image
            for image, source in zip(trajectory.episode.images, trajectory.source_ids, strict=True)
            if source != trajectory.source_image_id and not (source and licensed(source))
        ),
        None,
    )


def _words(trajectory: Trajectory) -> str:
    return sha256_hex(canonical_json([turn.text for turn in trajectory.episode.turns]))


def keep(
    trajectory: Trajectory, chosen: Chosen | None, most: int, licensed: Callable[[str], bool]
) -> Trajectory | Rejection:
    """The trajectory, or the reason why a good trajectory is left out.

    Args:
        most: number of trajectories per task; 0 for all.
        licensed: takes a picture's id, and returns whether the picture may be published.
    """
    assert chosen is not None, "every trajectory was ranked"
    about = {"question": trajectory.question_id, "rollout": trajectory.episode.rollout}
    if chosen.rank < 0:
        return reject(trajectory, Reason.NEAR_DUPLICATE, {"of rollout": chosen.repeats, **about})
    image = _without_licence(trajectory, licensed)
    if image is not None:
        return reject(
            trajectory,
            Reason.NO_LICENCE,
            {"handle": image.handle, "from": image.url[:300], **about},
        )
    if most and chosen.rank >= most:
        return reject(trajectory, Reason.OVER_QUOTA, {"most": most, **about})
    return trajectory


def tally(
    tasks: Iterable[str],
    played: Iterable[Trajectory],
    correct: Iterable[str],
    kept: Iterable[str],
    rejected: Iterable[Rejection],
    pending: Iterable[Pending],
) -> list[Tally]:
    """The outcomes of the rollouts of each task of a shard.

    Args:
        tasks: the ids of all questions.
        played: the trajectories that were played.
        correct: ids of the trajectories with a correct answer.
        kept: ids of the kept trajectories.
        rejected, pending: rejected and pending items of the stages after playing. An item whose
            question is still being played has the question's id.
    """
    task_of = {t.id: t.question_id for t in played}
    rollouts, right, good = (
        Counter(task_of.values()),
        Counter(task_of[i] for i in correct),
        Counter(task_of[i] for i in kept),
    )
    reasons: dict[str, Counter[str]] = defaultdict(Counter)
    for rejection in rejected:
        reasons[task_of.get(rejection.item_id, rejection.item_id)][rejection.reason] += 1
    waits = {
        task_of.get(p.item_id, p.item_id): p.cause
        for p in sorted(pending, key=lambda p: (p.cause, p.item_id), reverse=True)
    }
    return [
        Tally(
            item_id=task,
            num_rollouts=rollouts[task],
            num_correct=right[task],
            num_kept=good[task],
            reasons=dict(reasons[task]),
            waits=waits.get(task, ""),
        )
        for task in sorted(tasks)
    ]


def solved(question: Question, found: Tally | None) -> TaskResult | Rejection | Pending:
    """The result of a task; a rejection where no rollout gave the right answer."""
    assert found is not None, "every task was counted"
    if found.waits:
        return Pending(
            item_id=question.id,
            seed_id=question.seed_id,
            stage="",
            cause=found.waits,
            message="a rollout waits",
        )
    if not found.num_correct:
        return reject(
            question, Reason.NOT_SOLVED, {"rollouts": found.num_rollouts, "ended": found.reasons}
        )
    return TaskResult(
        question_id=question.id,
        seed_id=question.seed_id,
        split=question.split,
        num_rollouts=found.num_rollouts,
        num_correct=found.num_correct,
        num_kept=found.num_kept,
        reasons=found.reasons,
    )
