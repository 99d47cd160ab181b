"""Tool statistics of an episode, and the distance of two distributions."""

import json
import math
import random

import pytest

from questloom.files.locations import location
from questloom.records.episodes import Episode, ToolCall, ToolResult, ToolStatus, Turn
from questloom.records.errors import InputError
from questloom.transforms.episodes.tool_statistics import distance, read_reference, statistics_of
from tests.transforms.episodes.made import bank_image


def turn(
    name: str, arguments: dict, images: tuple[int, ...] = (), status: str = ToolStatus.OK
) -> Turn:
    return Turn(
        text=name,
        call=ToolCall(name=name, arguments=arguments),
        result=ToolResult(status=status, text="x", images=images),
    )


def episode(*turns: Turn, images=()) -> Episode:
    return Episode(
        task_id="t",
        rollout=0,
        engine="e",
        model="m",
        question="?",
        turns=turns,
        images=tuple(images),
    )


def test_pictures_found_made_and_used_again_are_counted():
    images = [
        bank_image(0),
        bank_image(1, "image_search", call=0),
        bank_image(2, "crop", call=1, parent=1),
        bank_image(3, "python_interpreter", call=3),
    ]
    found = statistics_of(
        episode(
            turn("image_search", {"query": "q"}, (1,)),
            turn("crop", {"handle": "<image:1>", "box": [0, 0, 9, 9]}, (2,)),
            turn("sharpen", {"handle": 2}),
            turn("python_interpreter", {"code": "1"}, (3,)),
            turn("crop", {"handle": 9}, status=ToolStatus.MODEL_FAULT),
            Turn(text="a", answer="x"),
            images=images,
        )
    )
    assert (found.num_turns, found.num_calls, found.pictures_found, found.pictures_made) == (
        6,
        5,
        1,
        2,
    )
    assert found.calls_by_tool == {
        "image_search": 1,
        "crop": 2,
        "sharpen": 1,
        "python_interpreter": 1,
    } and found.faults_by_tool == {"crop": 1}
    assert found.handles_as_input == 2  # <image:9> is no picture
    assert (found.tool_pictures_used_again, found.made_pictures_used_again) == (2, 1)


def test_turns_that_broke_the_protocol_are_counted_and_are_no_calls():
    broken = Turn(
        text="x",
        violation="no_thought",
        result=ToolResult(status=ToolStatus.MODEL_FAULT, text="not understood"),
    )
    found = statistics_of(
        episode(turn("visit", {"url": "u"}), broken, broken, Turn(text="a", answer="x"))
    )
    assert (found.num_turns, found.num_slips, found.num_calls, found.faults_by_tool) == (
        4,
        2,
        1,
        {},
    )


def test_the_tasks_own_picture_is_input_but_not_used_again():
    found = statistics_of(
        episode(
            turn("crop", {"handle": 0}, (1,)),
            images=[bank_image(0), bank_image(1, "crop", call=0, parent=0)],
        )
    )
    assert (found.handles_as_input, found.tool_pictures_used_again) == (1, 0)


def test_the_distance_is_a_bounded_metric():
    draw = random.Random(3)
    mixes = [{k: draw.random() for k in draw.sample("abcdef", 4)} for _ in range(12)]
    for a in mixes:
        assert distance(a, a) == 0 and distance(a, {k: 7 * v for k, v in a.items()}) == 0
        for b in mixes:
            assert distance(a, b) == distance(b, a) and 0 <= distance(a, b) <= 1
            for c in mixes:
                assert distance(a, c) <= distance(a, b) + distance(b, c) + 1e-5


def test_the_distance_is_the_root_of_the_divergence_in_bits():
    by_hand = (0.5 * math.log2(0.5 / 0.75) + 0.5 * math.log2(0.5 / 0.25) + math.log2(1 / 0.75)) / 2
    assert distance({"a": 1, "b": 1}, {"a": 5}) == round(math.sqrt(by_hand), 6)
    assert distance({}, {"a": 1}) is None


@pytest.mark.parametrize(
    "text",
    [
        "[1]",
        "{}",
        "{",
        '{"tols": {"a": 1}}',
        '{"tools": {"a": -1}}',
        '{"tools": {"a": true}}',
        '{"tools": {"a": 0}}',
        '{"tools": {}}',
    ],
)
def test_a_reference_that_holds_no_counts_is_refused(tmp_path, text):
    (tmp_path / "reference.json").write_text(text)
    with pytest.raises(InputError, match=r"teach\.reference"):
        read_reference(location(tmp_path / "reference.json"))


def test_a_reference_is_read(tmp_path):
    counts = {"tools": {"visit": 3, "crop": 1}, "calls": {"3": 2}}
    (tmp_path / "reference.json").write_text(json.dumps(counts))
    assert read_reference(location(tmp_path / "reference.json")) == counts
