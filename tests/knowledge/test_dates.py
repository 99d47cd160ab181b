"""What each reader of dates makes of the same text: the readers share a grammar, and differ only in what they accept."""

import datetime
import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from questloom.agent.judges import dates as judge
from questloom.agent.oracle import observation_reading as oracle_reading
from questloom.knowledge.dates import Date, dates_in, day_of, time_value
from questloom.knowledge.readers.templates import expand_templates
from questloom.records.knowledge import Value, entity_value
from questloom.transforms.ingest.infobox_claims import read_date

READ = [  # text or template; dates that a judge finds in it, that the oracle finds in it, that an infobox holds with nothing else
    ("26 August 1825", "1825-08-26", "1825-08-26", "+1825-08-26/11"),
    ("August 26, 1825", "1825-08-26", "1825-08-26", "+1825-08-26/11"),
    ("26 August, 1825", "1825-08-26", "1825-08-26", "+1825-08-26/11"),
    ("August 26 1825", "1825-08-26", "1825", ""),
    ("26th of August, 1825", "1825-08-26", "1825", ""),
    ("the 26th of August 1825", "1825-08-26", "1825-08", ""),
    ("26 Aug 1825", "1825-08-26", "1825", ""),
    ("Sept. 5, 1901", "1901-09-05", "1901", ""),
    ("26 august 1825", "1825-08-26", "1825", "+1825-08-26/11"),
    ("26 AUGUST 1825", "1825-08-26", "1825", "+1825-08-26/11"),
    ("AUGUST 26, 1825", "1825-08-26", "1825", "+1825-08-26/11"),
    ("August 1825", "1825-08", "1825-08", "+1825-08-00/10"),
    ("August, 1825", "1825-08", "1825", ""),
    ("august 1825", "1825-08", "1825", "+1825-08-00/10"),
    ("1825", "1825", "1825", "+1825-00-00/9"),
    ("AD 1825", "1825", "1825", ""),
    ("1825 AD", "1825", "1825", ""),
    ("850", "850", "850", "+0850-00-00/9"),
    ("0850", "850", "", "+0850-00-00/9"),
    ("44 BC", "-44", "", ""),
    ("44 BCE", "-44", "", ""),
    ("44 B.C.", "-44", "", ""),
    ("15 March 44 BC", "-44-03-15", "", ""),
    ("March 15, 44 BC", "-44-03-15", "", ""),
    ("12 May 31", "31-05-12", "", ""),
    ("-0044-03-15", "-44-03-15", "44-03-15", ""),
    ("1825-08-26", "1825-08-26", "1825-08-26", "+1825-08-26/11"),
    ("+1825-08-26T00:00:00Z", "1825-08-26", "1825-08-26", ""),
    ("1825-08-26T00:00:00Z", "1825-08-26", "1825-08-26", ""),
    ("1825-08", "1825-08", "1825", ""),
    ("1825-8-6", "1825-08-06", "1825", ""),
    ("1825-13-01", "", "", ""),
    ("1825-00-00", "1825", "1825", "+1825-00-00/9"),
    ("1825-08-00", "1825-08", "1825-08", "+1825-08-00/10"),
    ("1825-00-12", "", "", ""),
    ("45 May 1850", "", "", ""),
    ("31 February 1850", "1850-02-31", "1850-02-31", "+1850-02-31/11"),
    ("00 May 1850", "1850-05", "1850-05", "+1850-05-00/10"),
    ("26. 8. 1825", "1825-08-26", "1825", ""),
    ("26.8.1825", "1825-08-26", "1825", ""),
    ("26/08/1825", "1825-08-26", "1825", ""),
    ("05/12/1931", "", "1931", ""),
    ("05/05/1931", "1931-05-05", "1931", ""),
    ("12-05-1931", "", "1931", ""),
    ("1825/08/26", "1825-08-26", "1825", ""),
    ("1825.08.26", "1825-08-26", "", ""),
    ("26. August 1825", "1825-08-26", "1825-08", ""),
    ("26 août 1825", "1825-08-26", "1825", ""),
    ("26 de agosto de 1825", "1825-08-26", "1825", ""),
    ("agosto de 1825", "1825-08", "1825", ""),
    ("12 de maig de 1931", "1931-05-12", "1931", ""),
    ("26 agosto 1825", "1825-08-26", "1825", ""),
    ("1825年8月26日", "1825-08-26", "1825", ""),
    ("1825年", "1825", "1825", ""),
    ("c. 1825", "1825", "1825", ""),
    ("circa 1825", "1825", "1825", ""),
    ("about 1825", "1825", "1825", ""),
    ("before 1825", "1825", "1825", ""),
    ("1825?", "1825", "1825", ""),
    ("1825-26", "", "1825", ""),
    ("1825–26", "", "1825", ""),
    ("1825–1830", "", "1825 1830", ""),
    ("1825-1830", "", "1825 1830", ""),
    ("1939/40", "", "1939", ""),
    ("1850 or 1851", "1850 1851", "1850 1851", ""),
    ("between 1931 and 1933", "1931 1933", "1931 1933", ""),
    ("3rd century", "201/7", "", ""),
    ("the 20th century", "1901/7", "", ""),
    ("3rd century BC", "-300/7", "", ""),
    ("1820s", "1820/8", "1820", ""),
    ("the 1930's", "1930/8", "1930", ""),
    ("26 August 1825 (aged 60)", "1825-08-26 60", "1825-08-26", "+1825-08-26/11"),
    ("26 August 1825 (age 60 years)", "1825-08-26 60", "1825-08-26", "+1825-08-26/11"),
    ("1825 (1825-08-26)", "1825 1825-08-26", "1825 1825-08-26", "+1825-00-00/9"),
    ("(1899–1950)", "", "1899 1950", ""),
    (
        "Ada Lund (26 August 1825 – 3 May 1901) was an architect",
        "1825-08-26 1901-05-03",
        "1825-08-26 1901-05-03",
        "",
    ),
    (
        "It opened on 26 August 1825 and closed in May 1850.",
        "1825-08-26 1850-05",
        "1825-08-26 1850-05",
        "",
    ),
    ("Built in 1850, 1,850 m long, for 1850.5 crowns", "1850", "1850 850", ""),
    ("nineteen thirty-one", "1931", "", ""),
    ("in May 1850 the keeper said he may 1850 times", "1850-05 1850-05", "1850-05 1850", ""),
    ("Tuesday, the 12th of May, 1931", "1931-05-12", "1931", ""),
    ("May 12 June 1850", "1850-06-12", "1850-06-12", ""),
    ("12 Brumaire 1850", "12 1850", "1850", ""),
    ("26  August  1825", "1825-08-26", "1825", ""),
    ("26\u00a0August\u00a01825", "1825-08-26", "1825", ""),
    ("２６ August １８２５", "1825-08-26", "1825-08-26", "+1825-08-26/11"),
    ("26 August 18255", "26", "", ""),
    ("12345", "", "", ""),
    ("2019-20 season", "", "2019", ""),
    ("room 404", "404", "404", ""),
    ("1850 people", "1850", "1850", ""),
    ("26 August 1825, 11 am", "1825-08-26 11", "1825-08-26", ""),
    ("10 a.c.", "-10", "", ""),
    ("26-Aug-1825", "1825-08-26", "1825", ""),
    ("1825-Aug-26", "1825-08-26", "1825", ""),
    ("1825 August 26", "1825-08-26", "1825", ""),
    ("26 August of the year 1825", "1825-08-26", "1825", ""),
    ("no date", "", "", ""),
    ("", "", "", ""),
    ("3 May 000", "", "", ""),
    ("0000-05-03", "", "", ""),
    ("{{birth date|1889|4|20}}", "1889-04-20", "1889-04-20", "+1889-04-20/11"),
    ("{{Birth date and age|1889|4|20|df=y}}", "1889-04-20", "1889-04-20", "+1889-04-20/11"),
    ("{{start date|1889|4}}", "1889-04", "1889-04", "+1889-04-00/10"),
    ("{{start date|1889}}", "1889", "1889", "+1889-00-00/9"),
    ("{{death date and age|1945|4|30|1889|4|20}}", "1945-04-30", "1945-04-30", "+1945-04-30/11"),
    ("{{circa|1825}}", "1825", "1825", ""),
    ("{{birth date|1889|13|20}}", "1889", "1889", "+1889-00-00/9"),
    ("{{birth date|1889|4|45}}", "1889-04", "1889-04", "+1889-04-00/10"),
    ("{{birth-date|20 April 1889}}", "1889-04-20", "1889-04-20", "+1889-04-20/11"),
    ("{{as of|2019|5}}", "2019-05", "2019-05", ""),
    ("{{date|April 20, 1889}}", "1889-04-20", "1889-04-20", "+1889-04-20/11"),
    ("{{film date|1889|4|20|Paris}}", "1889-04-20", "1889-04-20", "+1889-04-20/11"),
]


@pytest.mark.parametrize(("text", "judged", "seen", "held"), READ)
def test_each_reader_accepts_what_it_accepts_on_purpose(text, judged, seen, held):
    words = expand_templates(text)
    value = read_date(words)
    assert " ".join(_shown(date) for date, _, _ in judge.dates(words)) == judged
    assert (
        " ".join(
            _digits(read.year, read.month, read.day) for _, read in oracle_reading.dates(words)
        )
        == seen
    )
    assert (f"{value.time.removesuffix('T00:00:00Z')}/{value.precision}" if value else "") == held


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("05/12/1931", "1931-12-05"),
        ("12-05-1931", "1931-05-12"),
        ("05/26/1931", "1931-05-26"),
        ("26/26/1931", ""),
    ],
)
def test_where_the_day_comes_first_a_numeric_date_is_read(text, found):
    assert " ".join(_shown(date) for date, _, _ in judge.dates(text, day_first=True)) == found


@given(
    st.text(alphabet="0123456789-/., MayJunest年BC", max_size=30),
    st.sampled_from(["free", "plain"]),
)
def test_what_is_read_lies_in_its_place_in_order_and_could_be_a_date(text, wording):
    found = dates_in(text, wording)
    assert all(end <= start for (_, _, end), (_, start, _) in itertools.pairwise(found))
    for date, start, end in found:
        assert (
            0 <= start < end <= len(text)
            and date.year
            and 0 <= date.month <= 12
            and 0 <= date.day <= 31
            and (date.month or not date.day)
        )


@given(st.dates())
def test_a_day_survives_being_written_as_a_value(day):
    assert day_of(time_value(Date(day.year, day.month, day.day, 11))) == day


@pytest.mark.parametrize(
    "value",
    [
        Value(kind="time", time="+1850-05-00T00:00:00Z", precision=10),
        Value(kind="time", time="+1850-05-03T00:00:00Z", precision=9),
        Value(kind="time", time="-0044-03-15T00:00:00Z", precision=11),
        Value(kind="time", time="+1850-02-31T00:00:00Z", precision=11),
        Value(kind="time", time="+12000-01-01T00:00:00Z", precision=11),
        Value(kind="quantity", number=1850),
        entity_value("Q1"),
        Value(kind="somevalue"),
    ],
)
def test_what_is_no_day_of_the_calendar_is_no_day_to_count_with(value):
    assert day_of(value) is None


def test_the_oracle_counts_with_a_day_that_it_read_and_with_no_other():
    assert [
        oracle_reading.dates(text)[0][1].calendar_day
        for text in ("26 August 1825", "31 February 1825", "August 1825", "1825")
    ] == [datetime.date(1825, 8, 26), None, None, None]


def _shown(date):
    """A decade or century with its precision."""
    return (
        _digits(date.year, date.month, date.day)
        if date.precision > 8
        else f"{date.year}/{date.precision}"
    )


def _digits(year, month, day):
    return "-".join([str(year), *(f"{part:02}" for part in (month, day) if part)])
