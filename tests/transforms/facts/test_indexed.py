"""What the index of values says of many subjects at once is what their claims say."""

import pytest

from questloom.records.knowledge import Value
from questloom.transforms.facts import value_index
from questloom.transforms.facts.indexed import classes_named, is_instance, things_named
from questloom.transforms.facts.values import best_values
from tests.small_facts import SmallFacts, claim

CLAIMS = [
    claim("Q1", "P31", "Qchurch"),
    claim("Q1", "P84", "Q8"),
    claim("Q1", "P84", "Q9"),
    claim("Q2", "P84", "Q9"),
    claim("Q2", "P84", Value(kind="somevalue")),
    claim("Q3", "P571", Value(kind="time", time="+1850-00-00T00:00:00Z", precision=9)),
]


class Unread(SmallFacts):
    """A store in which nobody reads claims."""

    def claims(self, subject):
        raise AssertionError("the index suffices")


def keys(found: tuple[Value, ...]) -> set[str]:
    return {value.key() for value in found}


def test_the_things_of_a_subject_come_from_the_index_alone():
    facts = Unread(CLAIMS)
    assert keys(things_named(facts, "Q1", "P84")) == {"Q8", "Q9"}
    assert classes_named(facts, "Q1") == ("Qchurch",)


def test_a_subject_with_an_unknown_value_or_without_things_is_read_whole():
    facts = SmallFacts(CLAIMS)
    for subject, property in (("Q2", "P84"), ("Q3", "P571"), ("Q3", "P84")):
        assert things_named(facts, subject, property) == best_values(facts, subject, property)
    assert "somevalue" in keys(things_named(facts, "Q2", "P84"))
    assert classes_named(facts, "Q2") == ()


def test_a_subject_without_a_thing_is_not_read_where_the_index_holds_every_value():
    facts = Unread(CLAIMS)
    assert things_named(facts, "Q3", "P84") == ()
    mixed = SmallFacts([*CLAIMS, claim("Q3", "P84", Value(kind="string", text="a mason"))])
    assert keys(things_named(mixed, "Q3", "P84")) == {"string::a mason"}


def test_classes_are_read_once_for_all_things_of_the_same_classes():
    class OneRead(SmallFacts):
        num_read = 0

        def entity(self, entity_id):
            self.num_read += 1
            return super().entity(entity_id)

    above = claim("Qchurch", "P279", "Qbuilding")
    facts = OneRead([*CLAIMS, above, *(claim(f"Q{n}", "P31", "Qchurch") for n in range(10, 20))])
    assert all(is_instance(facts, f"Q{n}", "Qbuilding") for n in range(10, 20))
    assert facts.num_read == 1
    assert is_instance(facts, "Q10", "Q8") is False and is_instance(facts, "Q3", "Q8") is None


def test_a_property_with_too_many_pairs_is_not_kept(monkeypatch):
    monkeypatch.setattr(value_index, "MOST_PAIRS", 2)
    with pytest.raises(AssertionError, match="the index suffices"):
        things_named(Unread(CLAIMS), "Q1", "P84")
