"""Wrong answers of solvers become values that the certificate can execute."""

from questloom.records.knowledge import Value, entity_value
from questloom.records.synthesis import Answer, Question, Verdict
from questloom.records.table import Json
from questloom.transforms.filters.rivals import named_rivals, rival_keys


class Titles:
    def entity_of_title(self, title):
        return {"Oda Lind": "Q5"}.get(title)


def test_a_wrong_name_becomes_the_entity_of_that_title():
    answer = Answer(value=entity_value("Q2"), text="Ilse Varga", type="entity")
    assert rival_keys(Titles(), answer, "oda Lind") == ("Q5",)
    assert rival_keys(Titles(), answer, "nobody known") == ()


def test_a_wrong_year_and_a_wrong_number_become_values_of_the_answers_kind():
    year = Answer(
        value=Value(kind="time", time="+1871-00-00T00:00:00Z", precision=9),
        text="1871",
        type="date",
    )
    height = Answer(
        value=Value(kind="quantity", number=31.0, unit="Q11573"),
        text="31",
        type="quantity",
        unit="metre",
    )
    assert rival_keys(Titles(), year, "in 1887") == (
        Value(kind="time", time="+1887-00-00T00:00:00Z", precision=9).key(),
    )
    assert rival_keys(Titles(), year, "in May 1887") == (
        Value(kind="time", time="+1887-05-00T00:00:00Z", precision=10).key(),
    )
    assert rival_keys(Titles(), year, "in the 1880s") == (), "a decade is no year"
    assert rival_keys(Titles(), height, "40 m") == (
        Value(kind="quantity", number=40.0, unit="Q11573").key(),
    )


def test_a_day_in_figures_is_read_with_the_day_first_but_in_english_not_at_all():
    born = Answer(
        value=Value(kind="time", time="+1887-05-06T00:00:00Z", precision=11),
        text="6 May 1887",
        type="date",
    )
    assert rival_keys(Titles(), born, "04/05/1887", "de") == (
        Value(kind="time", time="+1887-05-04T00:00:00Z", precision=11).key(),
    )
    assert rival_keys(Titles(), born, "04/05/1887") == ()


def test_a_wrong_text_becomes_a_value_in_the_answers_language():
    motto = Answer(
        value=Value(kind="monolingual", text="Ever on", language="en"),
        text="Ever on",
        type="string",
    )
    assert rival_keys(Titles(), motto, "Never off") == (
        Value(kind="monolingual", text="Never off", language="en").key(),
    )


def test_the_wrong_answers_of_a_verdict_are_read_in_the_shape_that_solvers_store():
    question = Question(
        seed_id="s",
        seed_entity="Q1",
        method="paths",
        level="easy",
        domain="other",
        text="Who?",
        writer="llm",
        answer=Answer(value=entity_value("Q2"), text="Ilse Varga", type="entity"),
    )
    verdict = Verdict(
        filter="no_tools",
        passed=True,
        evidence=Json({"wrong": [["Oda Lind", 2], ["a ghost", 1]], "bad_replies": 0}),
    )
    assert named_rivals(Titles(), question, verdict) == (("Oda Lind", "Q5"),)
