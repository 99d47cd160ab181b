"""Comparing recipes: the mean score of a round's tasks with its standard error, and when one is worse than another."""

import pytest

from questloom.pipeline.evolve.scores import Mean, is_worse, score_of


def diagnosis(*tasks: dict[str, float], mode: str = "rl", **batch: float) -> dict:
    return {
        "mode": mode,
        "batch": {name: {"value": value} for name, value in batch.items()},
        "tasks": [
            {"scores": {name: {"value": value} for name, value in task.items()}} for task in tasks
        ],
    }


def test_a_rounds_score_is_the_mean_over_its_tasks_with_the_standard_error_of_that_mean():
    found = score_of(diagnosis({"capability": 1.0}, {"capability": 3.0}, {"capability": 3.0}))
    assert found == Mean(2.3333, 0.6667, 3), (
        "variance (16/9 + 4/9 + 4/9) / 2 = 4/3; the root of 4/3 / 3 is 2/3"
    )
    assert score_of(diagnosis({"capability": 1.0}, {"capability": 2.0})) == Mean(1.5, 0.5, 2)


def test_of_one_task_the_error_is_unknown_and_counts_as_none_and_of_no_task_there_is_no_score():
    assert score_of(diagnosis({"capability": 1.0})) == Mean(1.0, 0.0, 1)
    assert score_of(diagnosis()) is None


def test_dimensions_are_weighted_as_the_mode_says_and_the_batchs_count_for_each_task():
    assert score_of(diagnosis({"difficulty_match": 3.0, "capability": 0.0})).value == 2.0, (
        "(2 * 3 + 1 * 0) / 3"
    )
    assert (
        score_of(
            diagnosis(
                {"verifiability": 0.0, "difficulty_match": 5.0},
                mode="sft",
                tool_pattern_diversity=4.0,
            )
        ).value
        == 3.0
    ), "3 * 4 / 4; not of sft"


def test_rounds_that_two_policies_played_are_compared_by_what_depends_on_the_question_alone():
    both = diagnosis(
        {"verifiability": 1.0, "difficulty_match": 5.0, "capability": 5.0, "learning_utility": 5.0}
    )
    assert score_of(both, without_policy=True).value == 1.0
    assert score_of(both).value > 1.0


@pytest.mark.parametrize(
    ("later", "worse"), [(1.0, False), (0.2, False), (0.17, True), (3.0, False)]
)
def test_a_score_is_worse_where_it_is_lower_by_more_than_chance_allows(later, worse):
    assert is_worse(Mean(later, 0.3, 32), Mean(1.0, 0.4, 32)) is worse, (
        "1.645 * sqrt(0.09 + 0.16) = 0.8225"
    )
