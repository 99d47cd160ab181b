"""Splits: components go one way, level `benchmark` leads to the split of that name, and a run without a benchmark draws as before."""

import pytest

from questloom.pipeline.recipe import Recipe, recipe_of
from questloom.pipeline.synth.splits import components, keys_of, sets_aside, split_of
from tests.pipeline.export import finished_run as world


def recipe(**changes) -> Recipe:
    return recipe_of({"seed": 3, **changes}, "test")


def drawn(questions, settings: Recipe) -> dict[str, str]:
    """The split of each question."""
    keys = [
        (q.id, 0, keys_of(q, seeds=sets_aside(settings)), q.level == "benchmark") for q in questions
    ]
    return {question_id: split for question_id, _, _, split in components(keys, settings)}


def question(n: int, level: str = "easy", **changes):
    """One that shares nothing with any other, but what is changed."""
    q = world.drafted(n)
    alone = {
        "anchor": f"Q5{n}",
        "seed_entity": f"Q6{n}",
        "source_image_id": f"p{n}",
        "bindings": {"x0": f"Q5{n}", "a": f"Q7{n}"},
    }
    return q.replace(level=level, **{**alone, **changes})


LEVELS = {"seeds": {"levels": {"easy": 1.0, "benchmark": 1.0}}}


def test_a_question_of_level_benchmark_goes_to_the_benchmark_and_no_other_does():
    questions = [question(n, "benchmark" if n < 4 else "easy") for n in range(12)]
    found = drawn(questions, recipe(**LEVELS))
    assert {q.id for q in questions if found[q.id] == "benchmark"} == {q.id for q in questions[:4]}


@pytest.mark.parametrize(
    "shared",
    [
        {"anchor": "Q50"},
        {"source_image_id": "p0"},
        {"seed_entity": "Q60"},
        {"bindings": {"x0": "Q50", "a": "Q70"}},
    ],
)
def test_what_shares_thing_picture_path_or_seed_with_the_benchmark_goes_there_too(shared):
    pair = [question(0, "benchmark"), question(1, "easy", **shared), question(2)]
    found = drawn(pair, recipe(**LEVELS))
    assert found[pair[1].id] == "benchmark" and found[pair[2].id] != "benchmark"


def test_questions_of_one_seed_part_where_no_benchmark_is_set_aside():
    pair = [question(n, seed_entity="Q60") for n in range(2)]
    assert (
        not sets_aside(recipe())
        and "seed:Q60" not in keys_of(pair[0])
        and "seed:Q60" in keys_of(pair[0], seeds=True)
    )
    keys = [(q.id, 0, keys_of(q), False) for q in pair]
    assert len({component for _, _, component, _ in components(keys, recipe())}) == 2


def test_a_share_of_components_is_set_aside():
    questions = [question(n) for n in range(24)]
    found = list(drawn(questions, recipe(export={"benchmark_share": 0.5})).values())
    assert 5 <= found.count("benchmark") <= 19 and set(
        drawn(questions, recipe(export={"benchmark_share": 1.0})).values()
    ) == {"benchmark"}


@pytest.mark.parametrize(
    ("changes", "aside"),
    [
        ({}, False),
        ({"export": {"benchmark_share": 0.01}}, True),
        (LEVELS, True),
        ({"seeds": {"levels": {"easy": 1, "benchmark": 0}}}, False),
    ],
)
def test_a_benchmark_is_set_aside_where_it_has_a_share_or_a_level_with_a_weight(changes, aside):
    assert sets_aside(recipe(**changes)) == aside


def share_of(of: str, **export) -> float:
    """The share of 2,000 components whose split begins so."""
    settings = recipe(export=export)
    return sum(split_of(f"c{n}", settings).startswith(of) for n in range(2000)) / 2000


def test_shares_are_kept_and_a_share_of_zero_is_nothing():
    assert (
        share_of("rl", rl_share=0.2) == pytest.approx(0.2, abs=0.03)
        and share_of("rl", rl_share=0.0) == 0.0
        and share_of("rl", rl_share=1.0) == 1.0
    )
    assert (
        share_of("benchmark", benchmark_share=0.3) == pytest.approx(0.3, abs=0.03)
        and share_of("benchmark", benchmark_share=0.0) == 0.0
    )
    thirds = {"rl_share": 0.0, "shares": {"train": 2, "validation": 1, "extra": 0}}
    assert share_of("sft/train", **thirds) == pytest.approx(2 / 3, abs=0.03)
    assert (
        share_of("sft/validation", **thirds) == pytest.approx(1 / 3, abs=0.03)
        and share_of("sft/extra", **thirds) == 0.0
    )


def test_use_and_share_are_drawn_apart():
    settings = recipe(export={"rl_share": 0.5, "shares": {"train": 1, "validation": 1}})
    assert {split_of(f"c{n}", settings) for n in range(100)} == {
        "rl/train",
        "rl/validation",
        "sft/train",
        "sft/validation",
    }


def test_a_component_is_named_by_its_first_question_and_holds_whoever_is_tied_to_any_of_it():
    keys = [
        ("q2", 1, ("b", "c"), False),
        ("q1", 0, ("a", "b"), False),
        ("q3", 2, ("c",), False),
        ("q4", 0, ("d",), False),
    ]
    assert [(i, shard, component) for i, shard, component, _ in components(keys, recipe())] == [
        ("q1", 0, "q1"),
        ("q2", 1, "q1"),
        ("q3", 2, "q1"),
        ("q4", 0, "q4"),
    ]


def test_an_outside_row_is_tied_by_its_picture_alone():
    row = question(1, anchor="", seed_entity="rows:1")
    assert keys_of(row, seeds=True) == ("picture:p1",)
    assert keys_of(question(1)) == ("anchor:Q51", "picture:p1", "path:Q51,Q71")
