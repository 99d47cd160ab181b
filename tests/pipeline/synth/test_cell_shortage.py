"""What is said of places of the schedule that a store could not fill."""

from questloom.pipeline.synth.cell_shortage import Outcome, describe_shortages
from questloom.transforms.drafting.draft_rules import SeedRules
from questloom.transforms.drafting.schedule import Cell

RULES = SeedRules(abilities={"perception+search": 1}, levels={"easy": 1, "hard": 1})


def ended(level: str, *reasons: str, topic: str = "arts") -> list[Outcome]:
    return [Outcome(Cell(topic, "perception+search", level), reason) for reason in reasons]


def test_shares_that_hold_their_weights_are_not_worth_a_line():
    assert not list(describe_shortages([*ended("easy", "", ""), *ended("hard", "", "")], RULES, {}))
    few = [*ended("easy", *[""] * 5), *ended("hard", "not_unique")]
    assert not list(describe_shortages(few, RULES, {})), "two or three say nothing"
    near = [*ended("easy", *[""] * 54), *ended("hard", *[""] * 46)]
    assert not list(describe_shortages(near, RULES, {}))


def test_a_level_that_came_short_is_named_with_the_cell_that_lost_most_and_the_bound():
    found = [
        *ended("easy", *[""] * 16),
        *ended("hard", *[""] * 4, "not_unique", "not_unique", "no_wording"),
    ]
    (line,) = describe_shortages(found, RULES, {})
    assert line == (
        "level hard: 20% of 20 questions for 50% wanted; perception+search at hard lost 3 of 7 "
        "seeds: more than one answer fits (2)"
    )


def test_the_bound_of_a_custom_filter_is_told_in_its_own_sentence():
    found = [*ended("easy", *[""] * 16), *ended("hard", *["sport"] * 4)]
    (line,) = describe_shortages(found, RULES, {"sport": "It is about sport."})
    assert line.endswith("lost 4 of 4 seeds: it is about sport (4)")


def test_a_topic_of_which_the_store_has_little_and_a_level_of_which_it_has_nothing_are_named():
    found = [*ended("easy", *[""] * 18), *ended("easy", "", "", topic="news")]
    lines = list(describe_shortages(found, RULES, {}))
    assert lines == [
        "level hard: 0% of 20 questions for 50% wanted; only 0 seeds were there",
        "topic news: 10% of 20 questions for 50% wanted; only 2 seeds were there",
    ]
