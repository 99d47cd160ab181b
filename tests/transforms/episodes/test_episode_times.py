"""An episode and its times are parted: the one is the same however fast it was played, the other has all that was measured."""

from questloom.records.episodes import Episode, ToolCall, ToolResult, ToolStatus, Turn
from questloom.transforms.episodes.episode_times import timeless


def played(seconds: float, cost: float, cached: bool) -> Episode:
    result = ToolResult(status=ToolStatus.OK, text="x", seconds=seconds, cost=cost, cached=cached)
    return Episode(
        task_id="t",
        rollout=0,
        engine="e",
        model="m",
        question="?",
        seconds=9 * seconds,
        cost=3.0 + cost,
        turns=(
            Turn(
                text="a",
                seconds=seconds,
                cost=1.0,
                call=ToolCall(name="visit", arguments={}),
                result=result,
            ),
            Turn(text="b", seconds=2 * seconds, cost=2.0, answer="x"),
        ),
    )


def test_the_episode_keeps_nothing_of_time_or_of_what_its_process_remembered():
    (one, _), (two, _) = timeless(played(0.5, 0.25, True)), timeless(played(7.0, 0.0, False))
    assert one == two and (one.seconds, one.cost) == (0.0, 3.0)
    assert [(t.seconds, t.cost) for t in one.turns] == [(0.0, 1.0), (0.0, 2.0)]
    assert (
        one.turns[0].result.seconds,
        one.turns[0].result.cost,
        one.turns[0].result.cached,
        one.turns[0].result.text,
    ) == (0.0, 0.0, False, "x")
    assert one.turns[1].result is None


def test_the_times_hold_all_of_it_and_nothing_where_no_tool_was_called():
    _, times = timeless(played(0.5, 0.25, True))
    assert (
        times.seconds,
        times.turn_seconds,
        times.tool_seconds,
        times.tool_cost,
        times.cached,
    ) == (4.5, (0.5, 1.0), (0.5, 0.0), (0.25, 0.0), (True, False))
