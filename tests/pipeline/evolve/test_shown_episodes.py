"""The same task before and after training, for the report: which tasks and which episodes are shown, and as what."""

import json

import pytest

from questloom.pipeline.evolve.before_after import BEFORE
from questloom.pipeline.evolve.loop_folder import LoopFolder, write_json
from questloom.pipeline.evolve.shown_episodes import MOST_TEXT, Shown, _turn, amount, pairs_of
from questloom.records.episodes import ToolCall, ToolResult, Turn
from questloom.records.share import Share
from questloom.records.table import Json
from tests.pipeline.evolve.made import a_loop
from tests.pipeline.evolve.made_run import Try, a_run, asked, episode_of, played

WRONG = "wrong_answer_given"
RIGHT, BAD = Try("right"), Try("bad", WRONG, ())


def compared(loop: LoopFolder, *rates: tuple[int, int], judged: int = 4) -> list:
    """Held-out tasks, of which so many of four tries were right before and after."""
    batch = a_run(loop.held_out(1).batch, loop.recipe, [asked(n) for n in range(len(rates))])
    before = [(asked(n), [RIGHT] * good + [BAD] * (4 - good)) for n, (good, _) in enumerate(rates)]
    after = [(asked(n), [BAD] * (4 - good) + [RIGHT] * good) for n, (_, good) in enumerate(rates)]
    played(batch, BEFORE, *before)
    played(batch, "policy", *after)
    tasks = [
        {
            "id": asked(n).id,
            "image": asked(n).image_id,
            "before": Share(b, judged).as_json(),
            "after": Share(a, judged).as_json(),
        }
        for n, (b, a) in enumerate(rates)
    ]
    write_json(loop.path / "before_after.json", {"tasks": tasks, "before": {}, "after": {}})
    return tasks


def test_shown_are_the_two_tasks_whose_pass_rate_rose_most_and_the_one_whose_rose_least(tmp_path):
    loop = a_loop(tmp_path)
    compared(loop, (1, 2), (0, 4), (2, 2), (4, 1), (0, 3))
    found, pairs = pairs_of(loop, tmp_path / "report" / "pictures")
    assert [pair.task["id"] for pair in pairs] == [asked(n).id for n in (1, 4, 3)] and len(
        found["tasks"]
    ) == 5
    assert [pair.picture for pair in pairs] == [
        f"pictures/{asked(n).image_id}.jpg" for n in (1, 4, 3)
    ]
    assert all((tmp_path / "report" / pair.picture).stat().st_size for pair in pairs)


@pytest.mark.parametrize(
    ("rates", "shown"),
    [(((0, 4),), 1), (((0, 4), (0, 3)), 2), (((0, 4), (0, 3), (1, 1)), 3), ((), 0)],
)
def test_no_task_is_shown_twice(tmp_path, rates, shown):
    loop = a_loop(tmp_path)
    compared(loop, *rates)
    assert len(pairs_of(loop, tmp_path / "pictures")[1]) == shown


def test_before_a_failed_episode_is_shown_and_after_a_right_one_where_there_is_one(tmp_path):
    loop = a_loop(tmp_path)
    compared(loop, (2, 4), (4, 0))
    _, (risen, fallen) = pairs_of(loop, tmp_path / "pictures")
    assert (risen.before.outcome, risen.after.outcome) == (WRONG, "correct")
    assert (fallen.before.outcome, fallen.after.outcome) == ("correct", WRONG)
    assert [turn["answer"] for turn in risen.after.turns] == ["", "right"] and isinstance(
        risen.before, Shown
    )


def test_a_task_that_nobody_could_judge_on_one_side_is_not_compared(tmp_path):
    loop = a_loop(tmp_path)
    tasks = compared(loop, (0, 4), (0, 3))
    for side in ("before", "after"):
        changed = [{**tasks[0], side: Share(0, 0).as_json()}, tasks[1]]
        (loop.path / "before_after.json").write_text(json.dumps({"tasks": changed}))
        assert [pair.task["id"] for pair in pairs_of(loop, tmp_path / "pictures")[1]] == [
            asked(1).id
        ]


def test_where_nothing_was_compared_nothing_is_shown(tmp_path):
    assert (
        pairs_of(a_loop(tmp_path), tmp_path / "pictures") == ({}, [])
        and not (tmp_path / "pictures").exists()
    )


@pytest.mark.parametrize(
    ("turn", "thought"),
    [
        (Turn(text="all of it", thought="why"), "why"),
        (Turn(text="all of it", answer="x"), ""),
        (Turn(text="all of it", answer=""), ""),
        (Turn(text="all of it", call=ToolCall(name="visit", arguments=Json({}))), ""),
        (Turn(text="all of it", violation="no tags"), "all of it"),
    ],
)
def test_a_turn_shows_its_thought_or_where_it_broke_the_protocol_all_that_it_said(turn, thought):
    assert _turn(turn)["thought"] == thought


def test_a_turn_shows_its_call_as_it_was_written_and_its_result_cut_short():
    made = _turn(
        Turn(
            text="t",
            call=ToolCall(name="visit", arguments=Json({"url": "Ä"})),
            result=ToolResult(status="ok", text="x" * (MOST_TEXT + 1)),
            violation="late",
        )
    )
    assert made == {
        "thought": "",
        "call": 'visit {"url": "Ä"}',
        "result": "x" * 600 + " …",
        "answer": "",
        "violation": "late",
    }
    assert _turn(Turn(text="t", thought="x" * MOST_TEXT))["thought"] == "x" * 600


def test_what_episodes_took_is_told_in_words():
    made = [episode_of(asked(1), n, Try(chain=("visit",) * 600)) for n in range(2)]
    assert amount(made) == "2 episodes, 1,200 calls, 6,010 tokens sampled"
