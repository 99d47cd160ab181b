import pytest
from hypothesis import given
from hypothesis import strategies as st

from questloom.records.knowledge import Article, InfoboxField
from questloom.transforms.ingest.infobox_claims import infobox_claims, read_date, read_quantity


@pytest.mark.parametrize(
    ("text", "time", "precision"),
    [
        ("12 March 1850", "+1850-03-12", 11),
        ("March 12, 1850 (aged 60)", "+1850-03-12", 11),
        ("1850-03-12", "+1850-03-12", 11),
        ("March 1850", "+1850-03-00", 10),
        ("850", "+0850-00-00", 9),
    ],
)
def test_a_date_is_read_as_precisely_as_it_is_given(text, time, precision):
    value = read_date(text)
    assert (value.time, value.precision) == (f"{time}T00:00:00Z", precision)


@pytest.mark.parametrize(
    "text",
    ["c. 1850", "1850 or 1851", "1850–1860", "", "12 Brumaire 1850", "1850-13-01", "45 May 1850"],
)
def test_a_date_with_any_doubt_is_not_read(text):
    assert read_date(text) is None


@given(st.text(max_size=30))
def test_no_text_makes_the_readers_of_values_fail(text):
    read_date(text)
    read_quantity(text)


@pytest.mark.parametrize(
    ("text", "number", "unit"),
    [
        ("31.5 m (103 ft)", 31.5, "Q11573"),
        ("1,234 km", 1234, "Q828224"),
        ("12\u00a0kg", 12, "Q11570"),
    ],
)
def test_a_quantity_needs_a_metric_unit(text, number, unit):
    value = read_quantity(text)
    assert (value.number, value.unit) == (number, unit)


@pytest.mark.parametrize("text", ["31", "103 ft", "about 31 m", "31 m or 32 m", "12,34 m"])
def test_a_quantity_with_any_doubt_is_not_read(text):
    assert read_quantity(text) is None


def test_only_fields_of_one_meaning_and_links_to_known_pages_become_claims():
    article = Article(
        wiki="enwiki",
        title="T",
        page_id=1,
        revision=9,
        entity_id="Q1",
        infobox_name="Infobox lighthouse",
        infobox=(
            InfoboxField(name="architect", text="Ada; Bo", targets=("Ada", "Nobody", "Bo")),
            InfoboxField(name="location", text="Here", targets=("Ada",)),
            InfoboxField(name="birth_date", text="1850"),
            InfoboxField(name="height", text="tall"),
        ),
    )
    claims = list(infobox_claims(article, {"Ada": "Q2", "Bo": "Q3"}.get))
    assert [(c.property, c.value.entity or c.value.time[:5]) for c in claims] == [
        ("P31", "Q39715"),
        ("P84", "Q2"),
        ("P84", "Q3"),
        ("P569", "+1850"),
    ]
    assert all(c.source == "infobox" and c.revision == 9 and not c.best for c in claims)


def test_the_occupations_of_an_economy_are_no_occupation():
    article = Article(
        wiki="enwiki",
        title="Economy of Angola",
        page_id=1,
        revision=9,
        entity_id="Q1",
        infobox_name="Infobox economy",
        infobox=(
            InfoboxField(name="occupations", text="agriculture 85%", targets=("Agriculture",)),
        ),
    )
    assert not list(infobox_claims(article, {"Agriculture": "Q2"}.get))
