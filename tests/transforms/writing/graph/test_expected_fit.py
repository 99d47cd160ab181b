"""Which descriptions are worth a test on the store: those that are expected to fit few things, and to need their step or a name."""

import pytest

from questloom.records.form import ClaimClause, ClassClause
from questloom.records.knowledge import entity_value
from questloom.transforms.writing.graph.clues import SELF
from questloom.transforms.writing.graph.expected_fit import ExpectedFit
from tests.small_facts import SmallFacts, claim, year

FITS = (1, 2, 5, 6, 7, 20, 200)
FACTS = SmallFacts([claim(f"Q{i}", f"P{n}", f"Q9{n:03}") for n in FITS for i in range(n)])


def clue(num: int) -> ClaimClause:
    """A clue that fits so many things."""
    return ClaimClause(subject=SELF, property=f"P{num}", object=entity_value(f"Q9{num:03}"))


OF_SOMETHING = ClaimClause(subject=entity_value("Q1"), property="P84", object=SELF)
DATED = ClaimClause(subject=SELF, property="P571", object=year(1850))


@pytest.mark.parametrize(
    ("members", "by_hop", "clues", "worth"),
    [
        # behind a step: at most 6 things fit, and without the step at least 0.4
        (60, 6, (), True),
        (60, 7, (), False),
        (100, 60, (clue(20), clue(20)), True),
        (100, 60, (clue(20), clue(2)), True),
        (100, 60, (clue(20), clue(1)), False),
        (60, 6, (clue(200),), True),
        (60, 7, (clue(200),), False),
        # without a step: at most 6 fit, and more where a named thing is left out
        (60, 0, (clue(6),), True),
        (60, 0, (clue(7),), False),
        (60, 0, (), False),
        (100, 0, (clue(5), clue(2)), True),
        (100, 0, (DATED,), False),
        (100, 0, (DATED, ClassClause(var=SELF, class_id="Q5")), False),
        (100, 0, (DATED, DATED, clue(5)), False),
        (100, 0, (DATED, clue(5)), True),
        (100, 0, (OF_SOMETHING,), True),
        (100, 0, (OF_SOMETHING, OF_SOMETHING), True),
        (100, 0, (OF_SOMETHING, OF_SOMETHING, clue(20)), False),
        (100, 0, (clue(20), clue(2), clue(1)), True),
        (100, 0, (clue(20), clue(1), clue(1)), False),
        (0, 0, (OF_SOMETHING,), True),
        (0, 12, (DATED,), False),
    ],
)
def test_a_description_fits_few_things_and_more_without_its_step_or_a_name(
    members, by_hop, clues, worth
):
    assert ExpectedFit(FACTS, members, by_hop)(clues) is worth
