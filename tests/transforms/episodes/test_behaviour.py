"""The sums over episodes, their means, and their words."""

from questloom.records.episodes import Episode, ToolCall, ToolResult, ToolStatus, Turn
from questloom.transforms.episodes.behaviour import SUMS, Numbers, behaviour
from tests.transforms.episodes.made import bank_image, trajectory


def turn(
    name: str,
    status: str = ToolStatus.OK,
    images: tuple[int, ...] = (),
    arguments: dict | None = None,
) -> Turn:
    return Turn(
        text=name,
        call=ToolCall(name=name, arguments=arguments or {}),
        result=ToolResult(status=status, text="x", images=images),
    )


def made(*turns: Turn, images=(), end: str = "answered", rollout: int = 0):
    return trajectory(
        Episode(
            task_id="t",
            rollout=rollout,
            engine="e",
            model="m",
            question="?",
            turns=turns,
            images=tuple(images),
            end=end,
        )
    )


TWO = [
    made(
        turn("visit"),
        turn("crop", images=(1,), arguments={"handle": 0}),
        turn("crop", ToolStatus.MODEL_FAULT, arguments={"handle": 1}),
        Turn(text="a", answer="x"),
        images=(bank_image(0), bank_image(1, "crop", call=1, parent=0)),
    ),
    made(turn("visit"), end="limit", rollout=1),
]


def test_what_episodes_did_is_added_up_and_sorted():
    found = behaviour(TWO)
    assert (found.num_episodes, found.ends, found.calls_by_tool, found.faults_by_tool) == (
        2,
        {"answered": 1, "limit": 1},
        {"crop": 2, "visit": 2},
        {"crop": 1},
    )
    assert (found.episodes_by_calls, found.episodes_by_turns) == (
        {"1": 1, "3": 1},
        {"1": 1, "4": 1},
    )
    assert found.sums == {
        "num_slips": 0,
        "pictures_found": 0,
        "pictures_made": 1,
        "handles_as_input": 2,
        "tool_pictures_used_again": 1,
        "made_pictures_used_again": 1,
    }
    assert (found.mean_turns, found.mean_calls) == (2.5, 2.0)
    assert found.as_json() == {
        "episodes": 2,
        "mean_turns": 2.5,
        "mean_calls": 2.0,
        "ends": found.ends,
        "calls_by_tool": found.calls_by_tool,
        "faults_by_tool": found.faults_by_tool,
        "episodes_by_calls": found.episodes_by_calls,
        "episodes_by_turns": found.episodes_by_turns,
        **found.sums,
    }


def test_of_no_episode_all_sums_and_means_are_nothing():
    none = behaviour([])
    assert (none.num_episodes, none.mean_turns, none.mean_calls, none.sums) == (
        0,
        0.0,
        0.0,
        dict.fromkeys(SUMS, 0),
    )


def test_means_are_given_with_three_digits():
    thirds = behaviour(
        [
            made(turn("visit")),
            made(turn("visit"), rollout=1),
            made(turn("visit"), turn("visit"), rollout=2),
        ]
    )
    assert (thirds.as_json()["mean_turns"], thirds.as_json()["mean_calls"]) == (1.333, 1.333)


def test_the_words_tell_kept_and_played_the_commonest_tool_first_and_the_distances():
    kept = behaviour(
        [
            made(turn("visit"), turn("crop"), turn("crop")),
            made(turn("crop"), turn("audit"), rollout=1),
        ]
    )
    lines = Numbers(
        played=behaviour([*TWO, *TWO]), kept=kept, distances={"tools": 0.12345, "calls": None}
    ).as_lines()
    assert lines == [
        "kept      2 of 4 episodes, 2.5 turns each on average",
        "calls     crop 4, visit 4; in kept episodes crop 3, audit 1, visit 1",
        "pictures  in kept episodes 0 found, 0 made; 0 of them used again (0 made ones)",
        "failed    crop 2 (calls answered with an error, such as no such page)",
        "distance  tools: 0.123 from the reference (Jensen-Shannon, 0 to 1)",
        "distance  calls: unknown from the reference (Jensen-Shannon, 0 to 1)",
    ]


def test_where_all_episodes_were_kept_their_calls_are_told_once():
    every = behaviour(TWO)
    lines = Numbers(played=every, kept=every, distances={}).as_lines()
    assert lines[1] == "calls     crop 2, visit 2"


def test_where_nothing_was_kept_the_words_tell_the_calls_of_all_episodes_and_no_mean():
    lines = Numbers(played=behaviour(TWO), kept=behaviour([]), distances={}).as_lines()
    assert lines[:2] == [
        "kept      0 of 2 episodes",
        "calls     crop 2, visit 2; in kept episodes none",
    ]
