"""The settings of `teach`: their defaults, which the docs name, and what is out of bounds."""

import pytest

from questloom.pipeline.recipe import recipe_of
from questloom.records.errors import InputError
from questloom.transforms.episodes.episode_rules import TeachRules


def test_by_default_one_rollout_of_the_questions_for_fine_tuning_is_played_and_all_that_pass_are_kept():
    rules = TeachRules()
    assert (rules.rollouts, rules.uses, rules.keep, rules.max_unfounded, rules.max_slips) == (
        1,
        ("sft",),
        0,
        0.0,
        0,
    )
    assert (rules.least_process_score, rules.reference, rules.episodes_at_once) == (0.5, "", 64)


@pytest.mark.parametrize(
    ("setting", "good", "bad"),
    [
        ("rollouts", 1, 0),
        ("keep", 0, -1),
        ("max_unfounded", 0, -0.1),
        ("max_unfounded", 1, 1.1),
        ("max_slips", 0, -1),
        ("least_process_score", 1, 1.1),
        ("least_process_score", 0, -0.1),
        ("episodes_at_once", 1, 0),
        ("episodes_at_once", 4096, 4097),
        ("uses", ["benchmark"], ["test"]),
    ],
)
def test_a_value_at_its_bound_is_taken_and_one_beyond_refused(setting, good, bad):
    recipe_of({"teach": {setting: good}}, "test")
    with pytest.raises(InputError, match=f"teach.{setting}"):
        recipe_of({"teach": {setting: bad}}, "test")
