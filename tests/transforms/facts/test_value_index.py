"""What the table of values says of many subjects at once is what their claims say."""

import pytest

from questloom.records.form import Ask, ClaimClause, ClassClause, Form
from questloom.records.knowledge import Value, entity_value
from questloom.records.periods import DAY, JULIAN, MONTH
from questloom.transforms.certificate.description import Part
from questloom.transforms.certificate.part_status import status
from questloom.transforms.facts import value_index
from questloom.transforms.facts.fuzzy import num_members_with
from questloom.transforms.facts.indexed import things_named
from questloom.transforms.facts.value_index import count_things, indexed_values
from questloom.transforms.facts.values import best_values, values_by_key
from tests.small_facts import SmallFacts, claim, year


class Unread(SmallFacts):
    """A store in which nobody reads claims."""

    def claims(self, subject):
        raise AssertionError("the index suffices")


def keys(found: tuple[Value, ...]) -> set[str]:
    return {value.key() for value in found}


def time(text: str, precision: int = DAY, calendar: str = "") -> Value:
    return Value(kind="time", time=f"{text}T00:00:00Z", precision=precision, unit=calendar)


METRES = Value(kind="quantity", number=12.0, lower=11.0, upper=13.0)
CLAIMS = [
    claim("Q1", "P571", time("+1850-03-04")),
    claim("Q1", "P571", year(1850)),
    claim("Q2", "P571", time("-0044-03-00", MONTH)),
    claim("Q3", "P571", time("+1642-12-03", calendar=JULIAN)),  # 13 December
    claim("Q4", "P571", time("+1642-12-25", calendar=JULIAN)),  # 4 January of the next year
    claim("Q5", "P571", Value(kind="novalue")),
    claim("Q5", "P571", Value(kind="somevalue")),
    claim("Q6", "P1448", Value(kind="monolingual", language="en", text="Ivo: a ship")),
    claim("Q7", "P2048", METRES),
    claim("Q8", "P625", Value(kind="coordinate", latitude=1.123456789, longitude=2.0)),
    claim("Q9", "P84", "Qa", best=False),
    claim("Q9", "P84", "Qb"),
    *(claim(f"Q{n}", "P31", "Qship") for n in (1, 2, 3, 5, 6, 7)),
]


def test_a_date_a_text_and_an_unknown_value_are_read_without_claims():
    facts, read = Unread(CLAIMS), SmallFacts(CLAIMS)
    for subject, property in (("Q1", "P571"), ("Q2", "P571"), ("Q5", "P571"), ("Q6", "P1448")):
        found = values_by_key(facts, subject, property)
        told = best_values(read, subject, property)
        assert found and keys(found) == keys(told)
        assert [v.year for v in found] == [v.year for v in told]
    assert keys(values_by_key(facts, "Q1", "P571")) == {"time:+1850-03-04/11"}, "the year is vague"
    assert values_by_key(facts, "Q9", "P84") == (entity_value("Qb"),), "best claims only"
    assert values_by_key(facts, "Q1", "P84") == ()


def test_a_julian_day_is_given_by_its_key_where_both_calendars_agree_on_the_month():
    facts = SmallFacts(CLAIMS)
    assert keys(indexed_values(facts, "Q3", "P571")) == keys(best_values(facts, "Q3", "P571"))
    assert indexed_values(facts, "Q4", "P571") is None
    assert values_by_key(facts, "Q4", "P571") == best_values(facts, "Q4", "P571")


@pytest.mark.parametrize(("subject", "property"), [("Q7", "P2048"), ("Q8", "P625"), ("Q3", "P571")])
def test_what_a_key_does_not_tell_is_read_from_claims(subject, property):
    facts = SmallFacts(CLAIMS)
    assert things_named(facts, subject, property) == best_values(facts, subject, property)


def test_things_are_counted_alike_with_an_index_and_without(monkeypatch):
    subjects = frozenset({"Q9", "Q1", "Q2"})
    assert count_things(SmallFacts(CLAIMS), "P84", subjects) == {"Qb": 1}
    assert not count_things(SmallFacts(CLAIMS), "P571", subjects), "a date is no thing"
    monkeypatch.setattr(value_index, "MOST_PAIRS", 0)
    facts = SmallFacts(CLAIMS)
    assert indexed_values(facts, "Q9", "P84") is None
    assert count_things(facts, "P84", subjects) == {"Qb": 1}
    assert not count_things(facts, "P84", frozenset({"Q1"}))


def test_rivals_are_compared_by_their_dates_without_their_claims():
    facts = Unread(CLAIMS)
    clause = ClaimClause(subject="x", property="P571", object=year(1850))
    part = Part(role="has", clause=clause, property="P571", value=year(1850))
    facts.trust = SmallFacts([]).trust
    assert [status(facts, rival, part) for rival in ("Q1", "Q6")] == ["match", "gap"]
    form = Form(
        clauses=(clause, ClassClause(var="x", class_id="Qship")), ask=Ask(var="x", type="entity")
    )
    assert num_members_with(facts, form, clause, {"x": entity_value("Q1")}) == 1
