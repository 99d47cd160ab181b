"""Matching a solver's words against the typed answer."""
import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from records.knowledge import Value, entity_value
from records.synthesis import Answer
from transforms.filters.answers import Day, dates, matches, name_key, numbers


def date(time, precision, asked, text="x"):
    return Answer(value=Value(kind="time", time=time, precision=precision), text=text, type="date", precision=asked)


def quantity(number, unit="", text=None):
    return Answer(value=Value(kind="quantity", number=number), text=text or f"{number:g}", type="quantity", unit=unit)


CHURCH = Answer(value=entity_value("Q1"), text="Church of Sant Martí (Palafrugell)", type="entity", aliases=("Sant Martí",))
DAY = date("+1931-05-12T00:00:00Z", 11, "day", "12 May 1931")
YEAR_OF_DAY = date("+1931-05-12T00:00:00Z", 11, "year", "1931")
HEIGHT = quantity(1250.0, "metre")
ANTIQUITY = date("-0044-03-15T00:00:00Z", 11, "year", "44 BC")


@pytest.mark.parametrize(("answer", "said"), [
    (CHURCH, "the church of Sant Marti"), (CHURCH, "SANT MARTÍ"), (CHURCH, "It was Sant Martí."),
    (DAY, "May 12, 1931"), (DAY, "12th May 1931"), (DAY, "1931-05-12"), (DAY, "12 de maig de 1931"), (DAY, "1931年5月12日"),
    (YEAR_OF_DAY, "in 1931"), (YEAR_OF_DAY, "12 May 1931"), (YEAR_OF_DAY, "May 1931"), (YEAR_OF_DAY, "The year 1931."),
    (ANTIQUITY, "44 BC"), (ANTIQUITY, "March 15, 44 BCE"),
    (quantity(12), "twelve"), (HEIGHT, "1,250 m"), (HEIGHT, "1.25 km"), (HEIGHT, "1250"),
    (quantity(21), "Twenty-one arches"), (quantity(0.5, "kilogram"), "500 g"), (quantity(3.5), "3,5"),
])
def test_the_same_answer_in_other_words_matches(answer, said):
    assert matches(answer, said)


@pytest.mark.parametrize(("answer", "said"), [
    (CHURCH, "Church of Sant Joan"), (CHURCH, "Sant Martí or Sant Joan"), (CHURCH, ""), (CHURCH, "the"),
    (DAY, "1931"), (DAY, "May 1931"), (DAY, "13 May 1931"), (YEAR_OF_DAY, "1930 or 1931"), (YEAR_OF_DAY, "1932"),
    (YEAR_OF_DAY, "3 June 1931"),  # the right year with a wrong day
    (ANTIQUITY, "44 AD"), (ANTIQUITY, "44"),
    (quantity(12), "twelve or thirteen"), (quantity(12), "120"), (HEIGHT, "1250 km"), (HEIGHT, "1250 kg"),
    (quantity(-2), "2"), (quantity(12), "many"), (quantity(12), "x" * 10_000),
])
def test_another_or_a_vaguer_answer_does_not_match(answer, said):
    assert not matches(answer, said)


def test_the_language_says_which_articles_and_number_words_count():
    bridge = Answer(value=entity_value("Q1"), text="Pont Vell", type="entity")
    assert matches(bridge, "el Pont Vell", "ca")
    assert matches(quantity(12), "douze", "fr")
    assert not matches(quantity(12), "douze", "en")


@pytest.mark.parametrize(("text", "found"), [
    ("between 1931 and 1933", (Day(1931), Day(1933))), ("about 1,250 people", ()), ("no date", ()), ("1931-13-45", ()),
])
def test_dates_are_read_as_exactly_as_they_are_said(text, found):
    assert dates(text) == found


@pytest.mark.parametrize(("text", "found"), [("won 2-1", (2.0, 1.0)), ("1 250 000", (1_250_000.0,)), ("1.5", (1.5,)), ("−3 °C", (-3.0,))])
def test_numbers_are_read_with_separators_and_signs(text, found):
    assert numbers(text) == found


@given(st.text(max_size=60))
def test_a_name_matches_itself(name):
    answer = Answer(value=Value(kind="string", text=name), text=name, type="string")
    assert matches(answer, name) == bool(name_key(" ".join(name.split())))


@given(st.dates(min_value=datetime.date(1000, 1, 1)))
def test_a_day_matches_itself_and_no_other_notation_of_another_day(day):
    answer = date(f"+{day.isoformat()}T00:00:00Z", 11, "day")
    assert matches(answer, day.isoformat())
    assert matches(answer, f"{day:%B} {day.day}, {day.year}")
    assert not matches(answer, f"{day:%B} {day.day}, {day.year + 1}")


@given(st.text(max_size=80), st.sampled_from([CHURCH, DAY, ANTIQUITY, quantity(12)]))
def test_any_text_can_be_marked(said, answer):
    assert matches(answer, said) in (True, False)
