"""Playing a task: rollouts, the journal, what providers and budgets stop, times, pictures."""

import pytest

from questloom.records.errors import BudgetExceeded, InputError, ProviderFault
from questloom.records.outcomes import Pending
from questloom.records.trajectories import Trajectory
from tests.agent.small_provider import ScriptedEngine, answer, look, search
from tests.transforms.episodes.made import Player_, question


def solver(conversation):
    """Looks, searches, crops, answers."""
    crop = '<think>Closer.</think>\n<tool_call>{"name": "crop", "arguments": {"handle": "<image:1>", "box": [0, 0, 500, 500]}}</tool_call>'
    return [look("lund bridge"), crop, search("lund"), answer("Ada Lund")][conversation.turn]


def test_every_rollout_becomes_a_trajectory_without_times(tmp_path):
    player = Player_(tmp_path, ScriptedEngine(solver, seconds=0.01), rollouts=3)
    made = player()
    assert [t.episode.rollout for t in made] == [0, 1, 2] and all(
        isinstance(t, Trajectory) for t in made
    )
    assert (
        all(turn.seconds == 0 for t in made for turn in t.episode.turns)
        and made[0].episode.seconds == 0
    )
    (times,) = [t for t in player.times[question().id] if t.episode_id == made[0].id]
    assert times.seconds > 0 and len(times.turn_seconds) == 4 and times.turn_seconds[0] >= 0.01


def test_the_same_played_again_is_the_same_byte_for_byte(tmp_path):
    one, two = (
        Player_(tmp_path / name, ScriptedEngine(solver, seconds=delay))
        for name, delay in (("a", 0.0), ("b", 0.02))
    )
    assert [t.to_row() for t in one()] == [t.to_row() for t in two()]


def test_all_pictures_are_stored_and_their_sources_known(tmp_path):
    player = Player_(tmp_path, ScriptedEngine(solver))
    (made,) = player()
    assert [i.origin for i in made.episode.images] == ["task", "image_search", "crop"]
    assert made.source_ids == ("own", "found", "found")
    assert set(player.pictures) == {i.sha256 for i in made.episode.images}


def test_a_picture_made_of_the_tasks_own_is_from_where_that_is(tmp_path):
    crop = '<think>Closer.</think>\n<tool_call>{"name": "crop", "arguments": {"handle": "<image:0>", "box": [0, 0, 500, 500]}}</tool_call>'
    (made,) = Player_(tmp_path, ScriptedEngine(lambda c: [crop, answer("Ada Lund")][c.turn]))()
    assert [(i.origin, i.parent) for i in made.episode.images] == [
        ("task", -1),
        ("crop", 0),
    ] and made.source_ids == ("own", "own")


def test_a_provider_fault_leaves_the_task_waiting_and_the_next_run_goes_on_behind_the_last_turn(
    tmp_path,
):
    down = True

    def say(conversation):
        if conversation.rollout == 1 and conversation.turn == 2 and down:
            return ProviderFault("teacher", "503")
        return solver(conversation)

    engine = ScriptedEngine(say)
    player = Player_(tmp_path, engine, rollouts=2)
    first = player()
    assert (
        [type(p) for p in first] == [Trajectory, Pending]
        and first[1].cause == "provider"
        and first[1].item_id == question().id
    )
    assert "503" in first[1].message
    steps, down = engine.num_steps, False
    second = player()
    assert [t.episode.rollout for t in second] == [0, 1]
    assert (
        engine.num_steps - steps == 2
    )  # turns 2 and 3 of the second rollout; nothing else was asked again
    assert second[0].to_row() == first[0].to_row()


def test_a_used_up_budget_leaves_the_task_waiting_and_keeps_what_is_finished(tmp_path):
    player = Player_(
        tmp_path,
        ScriptedEngine(lambda c: BudgetExceeded("money is used up") if c.rollout else solver(c)),
        rollouts=2,
    )
    made = player()
    assert (
        [type(p) for p in made] == [Trajectory, Pending]
        and made[1].cause == "budget"
        and "money is used up" in made[1].message
    )


def test_a_bug_of_the_engine_is_raised_and_not_kept_as_data(tmp_path):
    with pytest.raises(ZeroDivisionError):
        Player_(tmp_path, ScriptedEngine(lambda c: ZeroDivisionError()))()


def test_a_damaged_journal_is_refused(tmp_path):
    player = Player_(tmp_path, ScriptedEngine(solver))
    player()
    journal = tmp_path / question().id / "journal.jsonl"
    journal.write_text("no json\n" + journal.read_text())
    with pytest.raises(InputError, match="journal"):
        player()
