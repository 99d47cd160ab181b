"""A claim's value as the answer that is asked for."""

import pytest

from questloom.agent.judges.match import match
from questloom.records.knowledge import Entity, Value, entity_value
from questloom.transforms.writing.answers import answer_of
from tests.small_facts import SmallFacts, year

FACTS = SmallFacts([])


@pytest.mark.parametrize(
    ("date", "text"),
    [
        (1642, "17th century"),
        (1600, "16th century"),
        (1601, "17th century"),
        (2021, "21st century"),
    ],
)
def test_a_year_is_asked_for_by_its_century(date, text):
    answer = answer_of(FACTS, year(date), precision="century")
    assert (answer.text, answer.type, answer.precision) == (text, "date", "century")


@pytest.mark.parametrize(
    ("said", "right"),
    [
        ("17th century", "date"),
        ("the 17th century", "date"),
        ("1642", "date"),
        ("1655", "date"),
        ("16th century", ""),
        ("1542", ""),
        ("17", ""),
    ],
)
def test_a_century_is_met_by_itself_and_by_any_year_in_it(said, right):
    answer = answer_of(FACTS, year(1642), precision="century")
    assert bool(match(answer, said)) is bool(right)


def test_a_julian_day_is_said_as_it_is_stated_and_the_gregorian_day_is_right_too():
    newton = Value(kind="time", time="+1642-12-25T00:00:00Z", precision=11, unit="Q1985786")
    day, in_year = answer_of(FACTS, newton), answer_of(FACTS, newton, precision="year")
    assert (day.text, day.precision, day.value) == ("25 December 1642", "day", newton)
    assert day.aliases == (
        "December 25, 1642",
        "1642-12-25",
        "4 January 1643",
        "January 4, 1643",
        "1643-01-04",
    )
    assert (in_year.text, in_year.aliases, in_year.value.key()) == (
        "1642",
        ("1643",),
        "time:+1642/9",
    )
    assert (
        answer_of(FACTS, newton.replace(time="+1642-05-04T00:00:00Z"), precision="year").aliases
        == ()
    )


def test_a_year_before_christ_is_said_so_and_by_its_century():
    caesar = Value(kind="time", time="-0044-03-15T00:00:00Z", precision=11)
    assert [answer_of(FACTS, caesar, precision=p).text for p in ("", "year", "century")] == [
        "15 March 44 BC",
        "44 BC",
        "1st century BC",
    ]
    assert answer_of(FACTS, caesar, precision="century").value.key() == "time:-00/7"


def test_a_name_that_holds_in_every_language_is_an_alias_of_the_answer():
    facts = SmallFacts(
        [], {"Q9": Entity(id="Q9", labels={"mul": "Haus Lorn"}, aliases={"mul": ("Lornpalais",)})}
    )
    answer = answer_of(facts, entity_value("Q9"))
    assert (answer.text, answer.aliases) == ("Haus Lorn", ("Lornpalais",)) and match(
        answer, "Lornpalais"
    )


def test_a_day_is_asked_for_by_its_year_and_what_is_no_year_gives_no_century():
    day = Value(kind="time", time="+1642-05-04T00:00:00Z", precision=11)
    assert (
        answer_of(FACTS, day, precision="year").text == "1642"
        and answer_of(FACTS, day).text == "4 May 1642"
    )
    assert (
        answer_of(
            FACTS,
            Value(kind="time", time="+1642-00-00T00:00:00Z", precision=8),
            precision="century",
        )
        is None
    )
