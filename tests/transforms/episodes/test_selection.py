"""Which trajectories are kept a task, and what became of the task."""

import pytest

from questloom.records.episodes import Episode, Turn
from questloom.records.outcomes import Pending, Reason, Rejection
from questloom.records.trajectories import TaskResult, Trajectory
from questloom.transforms.episodes.selection import choose, keep, solved, tally
from tests.transforms.episodes.made import bank_image, question, trajectory


def made(rollout: int, words: str = "", task: str = "t") -> Trajectory:
    return trajectory(
        Episode(
            task_id=task,
            rollout=rollout,
            engine="e",
            model="m",
            question="?",
            turns=(Turn(text=words or f"turn {rollout}"),),
        )
    )


def free(image: str) -> bool:
    return True


def kept(trajectories, most: int = 0) -> list:
    places = {c.item_id: c for c in choose(trajectories, 7, free)}
    return [keep(t, places[t.id], most, free) for t in trajectories]


def test_all_are_kept_where_no_number_is_set():
    assert all(isinstance(t, Trajectory) for t in kept([made(n) for n in range(5)]))


def test_the_number_holds_for_each_task_and_is_drawn():
    found = kept([made(n, task=task) for task in "ab" for n in range(5)], most=2)
    assert [sum(isinstance(t, Trajectory) for t in found[i : i + 5]) for i in (0, 5)] == [2, 2]
    assert {t.reason for t in found if isinstance(t, Rejection)} == {Reason.OVER_QUOTA}
    draws = {
        tuple(
            c.item_id
            for c in sorted(choose([made(n) for n in range(5)], seed, free), key=lambda c: c.rank)
        )
        for seed in range(10)
    }
    assert len(draws) > 3


def test_rollouts_that_say_the_same_count_once_whatever_their_order():
    rollouts = [made(0, "same"), made(1, "same"), made(2)]
    first, second, third = kept(rollouts, most=2)
    assert isinstance(first, Trajectory) and isinstance(third, Trajectory)
    assert second.reason == Reason.NEAR_DUPLICATE and second.evidence["of rollout"] == 0
    assert choose(rollouts, 7, free) == choose(rollouts[::-1], 7, free)


@pytest.mark.parametrize(
    ("source", "licensed", "goes_on"),
    [("own", False, True), ("other", True, True), ("other", False, False), ("", True, False)],
)
def test_a_picture_without_licence_or_origin_keeps_a_trajectory_back(source, licensed, goes_on):
    one = made(0)
    one = one.replace(
        episode=one.episode.replace(images=(bank_image(0), bank_image(1, "visit", call=0))),
        source_ids=("own", source),
    )
    found = keep(one, choose([one], 7, free)[0], 0, lambda image: licensed)
    assert isinstance(found, Trajectory) if goes_on else found.reason == Reason.NO_LICENCE


def test_a_trajectory_that_may_not_be_given_on_takes_no_place_from_one_that_may():
    rollouts = [made(n) for n in range(4)]
    barred = {
        t.id: t.replace(
            episode=t.episode.replace(images=(bank_image(0, "visit", call=0),)),
            source_ids=("other",),
        )
        for t in rollouts[:3]
    }
    rollouts = [*barred.values(), rollouts[3]]
    for seed in range(8):
        places = {c.item_id: c for c in choose(rollouts, seed, lambda image: False)}
        found = [keep(t, places[t.id], 1, lambda image: False) for t in rollouts]
        assert isinstance(found[3], Trajectory) and {f.reason for f in found[:3]} == {
            Reason.NO_LICENCE
        }


def counted(kept_ids=(), correct=(), pending=()):
    task = question()
    played = [made(n, task=task.id) for n in range(3)]
    lost = [
        Rejection(item_id=t.id, seed_id="s", stage="answer", reason="wrong_answer_given")
        for t in played
        if t.episode.rollout not in correct
    ]
    (found,) = tally(
        [task.id],
        played,
        [played[n].id for n in correct],
        [played[n].id for n in kept_ids],
        lost,
        [
            Pending(
                item_id=played[n].id if n >= 0 else task.id,
                seed_id="s",
                stage="answer",
                cause="provider",
            )
            for n in pending
        ],
    )
    return solved(task, found)


def test_a_task_is_solved_by_one_right_answer_and_says_how_often():
    found = counted(correct=(1,), kept_ids=(1,))
    assert isinstance(found, TaskResult) and (
        found.num_rollouts,
        found.num_correct,
        found.num_kept,
    ) == (3, 1, 1)
    assert found.reasons == {"wrong_answer_given": 2}


def test_a_task_that_no_rollout_solves_is_rejected_with_how_they_ended():
    found = counted()
    assert found.reason == Reason.NOT_SOLVED and found.evidence == {
        "rollouts": 3,
        "ended": {"wrong_answer_given": 3},
    }


@pytest.mark.parametrize("where", [0, -1])
def test_a_task_of_which_a_rollout_waits_waits(where):
    assert isinstance(counted(correct=(1,), pending=(where,)), Pending)
