"""Days before a country's change of calendar: one event has two days there, so its year is asked."""

import pytest

from questloom.records.knowledge import Entity, Value
from questloom.transforms.facts.calendars import LAST, change_of, precision_to_ask
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.writing.graph.clues import attributes
from tests.small_facts import SmallFacts, claim, year

USA, ITALY, RUSSIA, JULIAN = "Q30", "Q38", "Q159", "Q1985786"
PEOPLE = {"Q1": USA, "Q2": ITALY, "Q3": RUSSIA}
FACTS = Lookups(
    SmallFacts(
        [
            *(claim(one, "P27", country) for one, country in PEOPLE.items()),
            *(claim(one, "P31", "Q5") for one in (*PEOPLE, "Q4", "Q7")),
            claim("Q7", "P27", USA),
            claim("Q7", "P19", "Q70"),
            claim("Q70", "P131", "Q71"),
            claim("Q71", "P17", RUSSIA),
            claim("Q8", "P170", "Q2"),
        ]
    )
)


def day(text: str, calendar: str = "") -> Value:
    return Value(kind="time", time=f"+{text}T00:00:00Z", precision=11, unit=calendar)


@pytest.mark.parametrize(
    ("thing", "date", "precision"),
    [
        ("Q1", day("1743-04-02"), "year"),  # Jefferson's birthday, Old Style
        ("Q1", day("1826-07-04"), ""),
        ("Q2", day("1743-04-02"), ""),
        ("Q2", day("1520-04-06"), "year"),
        ("Q3", day("1880-05-08"), "year"),
        ("Q3", day("1918-05-08"), ""),
        ("Q4", day("1880-05-08"), "year"),  # the store knows no country
        ("Q4", day("1923-05-08"), ""),
        ("Q1", day("1743-01-13"), None),
        ("Q1", day("1743-01-14"), "year"),
        ("Q1", day("1743-12-18"), "year"),
        ("Q1", day("1743-12-19"), None),
        ("Q1", year(1743), ""),
        ("Q1", day("1492-10-12", JULIAN), ""),  # there was one calendar only
        ("Q1", day("1642-06-25", JULIAN), "year"),
    ],
)
def test_a_day_that_may_be_meant_in_either_calendar_is_asked_by_its_year(thing, date, precision):
    assert precision_to_ask(FACTS, thing, date) == precision


def test_the_country_that_changed_last_counts_also_that_of_the_birthplace_and_of_the_maker():
    assert change_of(FACTS, "Q7") == change_of(FACTS, "Q3") > change_of(FACTS, "Q1")
    assert change_of(FACTS, "Q8") == change_of(FACTS, "Q2") < change_of(FACTS, "Q1")
    assert change_of(FACTS, "Q4") == LAST


def test_the_answer_to_such_a_date_is_a_year_and_where_the_year_is_unsure_there_is_none():
    born = {"Q1": day("1743-04-02"), "Q2": day("1743-04-02"), "Q3": day("1879-12-21")}
    facts = SmallFacts(
        [
            *(c for one in PEOPLE for c in FACTS.claims(one)),
            *(claim(one, "P569", date) for one, date in born.items()),
        ]
    )
    asked = {
        one: [a.text for _, _, a in attributes(Lookups(facts), Entity(id=one), 6, frozenset())]
        for one in born
    }
    assert asked == {"Q1": ["1743"], "Q2": ["2 April 1743"], "Q3": []}
