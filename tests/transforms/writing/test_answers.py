"""A claim's value as the answer that is asked for."""
import pytest

from agent.judges.match import match
from records.knowledge import Value
from tests.small_facts import SmallFacts, year
from transforms.writing.answers import answer_of

FACTS = SmallFacts([])


@pytest.mark.parametrize(("date", "text"), [(1642, "17th century"), (1600, "16th century"), (1601, "17th century"), (2021, "21st century")])
def test_a_year_is_asked_for_by_its_century(date, text):
    answer = answer_of(FACTS, year(date), precision="century")
    assert (answer.text, answer.type, answer.precision) == (text, "date", "century")


@pytest.mark.parametrize(("said", "right"), [("17th century", "date"), ("the 17th century", "date"), ("1642", "date"), ("1655", "date"),
                                             ("16th century", ""), ("1542", ""), ("17", "")])
def test_a_century_is_met_by_itself_and_by_any_year_in_it(said, right):
    answer = answer_of(FACTS, year(1642), precision="century")
    assert bool(match(answer, said)) is bool(right)


def test_a_day_is_asked_for_by_its_year_and_what_is_no_year_gives_no_century():
    day = Value(kind="time", time="+1642-05-04T00:00:00Z", precision=11)
    assert answer_of(FACTS, day, precision="year").text == "1642" and answer_of(FACTS, day).text == "4 May 1642"
    assert answer_of(FACTS, Value(kind="time", time="+1642-00-00T00:00:00Z", precision=8), precision="century") is None
