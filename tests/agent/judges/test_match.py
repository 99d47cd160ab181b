"""The same answer in other words is accepted, and a neighbour is not."""

import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questloom.agent.judges.dates import dates
from questloom.agent.judges.match import Tolerance, match
from questloom.knowledge.dates import Date
from questloom.records.knowledge import Value, entity_value
from questloom.records.synthesis import Answer


def entity(text, *aliases):
    return Answer(value=entity_value("Q1"), text=text, type="entity", aliases=aliases)


def date(time, precision, asked="", text="-"):
    return Answer(
        value=Value(kind="time", time=time, precision=precision),
        text=text,
        type="date",
        precision=asked,
    )


def quantity(number, unit=""):
    return Answer(
        value=Value(kind="quantity", number=number), text=f"{number:g}", type="quantity", unit=unit
    )


@pytest.mark.parametrize(
    ("wording", "said"),
    [
        ("Łódź", "Lodz"),
        ("Göring", "Goering"),
        ("Goering", "Göring"),
        ("Søren Kierkegaard", "Soren Kierkegaard"),
        ("Mount Everest", "Mt. Everest"),
        ("St. Petersburg", "Saint Petersburg"),
        ("Wall Street", "Wall St."),
        ("Sant Martí (Palafrugell)", "Sant Martí"),
        ("O'Brien", "O’Brien"),
        ("Schindler's List", "Schindlers List"),
        ("Spider-Man", "Spiderman"),
        ("J. R. R. Tolkien", "JRR Tolkien"),
        ("U.S. Steel", "US Steel"),
        ("The Who", "who"),
        ("Simon & Garfunkel", "Simon and Garfunkel"),
        ("Mao Zedong", "Zedong Mao"),
        ("James Cameron", "Cameron, James"),
        ("Rocky IV", "Rocky 4"),
        ("東京", "東京"),
        ("Jordan River", "River Jordan"),
        ("“Heroes”", "Heroes"),
        ("÷", "÷"),
        ("Ёлка", "Елка"),
        ("Georg Solti", "Sir Georg Solti"),
    ],
)
def test_spellings_of_one_name_match(wording, said):
    assert match(entity(wording), said)


@pytest.mark.parametrize(
    ("wording", "said"),
    [
        ("Rocky IV", "Rocky V"),
        ("Apollo 11", "Apollo 12"),
        ("Apollo 11", "11 Apollo"),
        ("Paris", "Paris, Texas"),
        ("George W. Bush", "George Bush"),
        ("C++", "C"),
        ("Й", "И"),
        ("が", "か"),
        ("New York", "New York City"),
        ("÷", "×"),
        ("Georgia (country)", "Georgia (U.S. state)"),
        ("Jack White", "Jack"),
    ],
)
def test_other_names_do_not(wording, said):
    assert not match(entity(wording), said)


@pytest.mark.parametrize(
    ("question", "wording", "said"),
    [
        ("Who directed Titanic?", "James Cameron", "James Cameron directed Titanic."),
        ("Who directed Titanic?", "James Cameron", "Titanic was directed by James Cameron"),
        ("What is the capital of France?", "Paris", "The capital of France is Paris."),
        ("What is the capital of France?", "Paris", "Paris is the capital of France."),
        ("Who was it?", "U2", "**U2**."),
        ("Who was it?", "U2", "Answer: U2"),
        ("Who was it?", "Xi Jinping", "It is Xi Jinping."),
        ("Where?", "La Paz (Bolivia)", "It is La Paz (Bolivia)."),
        ("Where?", "Wall St", "It is in Wall Street"),
        ("¿Quién fue?", "Gaudí", "La respuesta es Gaudí"),
    ],
)
def test_a_sentence_may_frame_a_name_or_repeat_the_question(question, wording, said):
    assert match(entity(wording), said, question=question)


@pytest.mark.parametrize(
    ("question", "wording", "said"),
    [
        ("Who directed Titanic?", "James Cameron", "James Cameron's Titanic"),
        ("What lake is next to the national park?", "Tahoe", "Tahoe National Park"),
        ("Who is the father of Ann?", "John", "The father of John is Ann"),
        ("Who is older, A B or C D?", "A B", "C D is older than A B"),
    ],
)
def test_the_questions_words_make_no_other_name_right(question, wording, said):
    assert not match(entity(wording), said, question=question)


DAY, YEAR, OLD = (
    date("+1931-05-12T00:00:00Z", 11, "day"),
    date("+1931-05-12T00:00:00Z", 11, "year"),
    date("-0044-03-15T00:00:00Z", 11, "year"),
)
NEWTON = Answer(
    value=Value(kind="time", time="+1642-12-25T00:00:00Z", precision=11, unit="Q1985786"),
    text="-",
    type="date",
    precision="day",
)
DECADE, CENTURY = date("+1931-00-00T00:00:00Z", 8), date("+1931-00-00T00:00:00Z", 7)


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (DAY, "May 12, 1931"),
        (DAY, "the 12th of May, 1931"),
        (DAY, "12.05.1931"),
        (DAY, "1931年5月12日"),
        (DAY, "12 de maig de 1931"),
        (DAY, "Tuesday, 12 May 1931"),
        (DAY, "1931/05/12"),
        (DAY, "12. Mai 1931"),
        (DAY, "12-May-1931"),
        (YEAR, "1931"),
        (YEAR, "It opened in 1931."),
        (YEAR, "May 1931"),
        (YEAR, "12 May 1931"),
        (YEAR, "nineteen thirty-one"),
        (YEAR, "AD 1931"),
        (date("+2000-00-00T00:00:00Z", 7), "the 20th century"),
        (date("+2000-00-00T00:00:00Z", 7), "twentieth century"),
        (date("-0044-00-00T00:00:00Z", 7), "1st century BC"),
        (date("-1500-00-00T00:00:00Z", 6), "the 2nd millennium BC"),
        (date("-0044-00-00T00:00:00Z", 8), "the 40s BC"),
        (NEWTON, "25 December 1642"),
        (NEWTON, "4 January 1643"),
        (OLD, "44 BC"),
        (OLD, "March 15, 44 BCE"),
        (DECADE, "the 1930s"),
        (CENTURY, "20th century"),
        (DECADE, "1931"),
    ],
)
def test_dates_match_as_exactly_as_they_are_asked_for(answer, said):
    assert match(answer, said, question="When did it open?")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (DAY, "1931"),
        (DAY, "May 1931"),
        (DAY, "05/12/1931"),
        (DAY, "12 May 31"),
        (YEAR, "13 May 1931"),
        (YEAR, "the 1930s"),
        (YEAR, "-1931"),
        (YEAR, "1930/31"),
        (date("+2000-00-00T00:00:00Z", 7), "the 21st century"),
        (date("+1900-00-00T00:00:00Z", 7), "the 20th century"),
        (date("-0044-00-00T00:00:00Z", 7), "1st century"),
        (date("-0044-00-00T00:00:00Z", 8), "the 1940s"),
        (NEWTON, "4 January 1642"),
        (NEWTON, "1642"),
        (date("-1500-00-00T00:00:00Z", 6), "the 2nd millennium"),
        (OLD, "44"),
        (OLD, "44 AD"),
        (DECADE, "1941"),
        (CENTURY, "19th century"),
        (YEAR, "1931 people"),
        (YEAR, "by 1931"),
    ],
)
def test_vaguer_and_other_dates_do_not(answer, said):
    assert not match(answer, said, question="When did it open?")


def test_a_numeric_date_is_day_first_outside_english():
    assert match(DAY, "12/05/1931", language="de") and not match(DAY, "05/12/1931", language="de")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (quantity(12), "twelve"),
        (quantity(12), "There are 12 islands."),
        (quantity(12), "about 12"),
        (quantity(12), "twelve (12)"),
        (quantity(1250, "metre"), "1,250 m"),
        (quantity(1250, "metre"), "1.25 km"),
        (quantity(1250, "metre"), "4101 feet"),
        (quantity(1250, "metre"), "1250 m (4,101 ft)"),
        (quantity(74, "inch"), "6'2\""),
        (quantity(188, "centimetre"), "six foot two"),
        (quantity(90, "minute"), "1 h 30 min"),
        (quantity(1.1e6), "1.1 million"),
        (quantity(250000), "0.25 million"),
        (quantity(125000), "one hundred and twenty-five thousand"),
        (quantity(45, "percent"), "45%"),
        (quantity(0.5, "kilogram"), "500 g"),
        (quantity(20, "degree celsius"), "68 °F"),
        (quantity(-3), "minus three"),
        (quantity(5.5), "5½"),
        (quantity(37 / 6, "foot"), "It is 6.166666667 feet."),
        (quantity(30000), "3万"),
    ],
)
def test_quantities_match_in_words_digits_and_other_units(answer, said):
    assert match(answer, said, question="How many islands?")


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (quantity(12), "13"),
        (quantity(12), "12 km"),
        (quantity(1250, "metre"), "1251 m"),
        (quantity(1250, "metre"), "4,200 feet"),
        (quantity(1250, "metre"), "1250 kg"),
        (quantity(74, "inch"), "6'3\""),
        (quantity(1097379), "1.1 million"),
        (quantity(500_000_000), "500000000.5"),
        (quantity(20, "degree celsius"), "70 °F"),
        (quantity(3), "-3"),
        (quantity(10, "euro"), "$10"),
        (quantity(12), "12 dozen"),
        (quantity(0), "none"),
    ],
)
def test_other_quantities_do_not(answer, said):
    assert not match(answer, said, question="How many islands?")


def test_the_tolerance_is_a_setting():
    assert match(quantity(1097379), "1.1 million", tolerance=Tolerance(relative=0.01))
    assert not match(quantity(1097379), "1.2 million", tolerance=Tolerance(relative=0.01))


def test_the_language_decides_what_a_comma_is_and_which_words_are_numbers():
    assert match(quantity(1250), "1.250", language="de") and not match(quantity(1250), "1.250")
    assert match(quantity(12), "douze", language="fr") and not match(quantity(12), "douze")


def test_a_unit_that_nobody_asked_for_must_stand_in_the_question():
    assert match(quantity(40), "40 years old", question="How old is she?")
    assert match(quantity(170e6), "$170 million", question="How many dollars did it make?")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("between 1931 and 1933", [1931, 1933]),
        ("1939-1945", []),
        ("12 May", [12]),
        ("no date", []),
        ("2019", [2019]),
    ],
)
def test_years_are_found_where_they_stand_alone(text, found):
    assert [d.year for d, *_ in dates(text)] == found


@given(st.dates(min_value=datetime.date(1000, 1, 1)))
def test_every_way_to_write_a_day_is_read_as_that_day_and_its_neighbours_are_not(day):
    answer = date(f"+{day.isoformat()}T00:00:00Z", 11, "day")
    for said in (
        day.isoformat(),
        f"{day:%B} {day.day}, {day.year}",
        f"{day.day} {day:%b} {day.year}",
        f"{day.day:02}.{day.month:02}.{day.year}",
    ):
        assert match(answer, said), said
        assert [d for d, *_ in dates(said)] == [Date(day.year, day.month, day.day, 11)]
    other = (
        day + datetime.timedelta(days=1)
        if day < datetime.date.max
        else day - datetime.timedelta(days=1)
    )
    assert not match(answer, other.isoformat())


@given(
    st.text(max_size=120),
    st.sampled_from([DAY, OLD, DECADE, quantity(12), quantity(6, "foot"), entity("Ann Lee")]),
)
def test_any_text_can_be_matched(said, answer):
    assert isinstance(match(answer, said, question=said), str)
