"""The look-ups that wording needs, from a store: labels, datatypes, sexes, groups and superclasses."""

from questloom.records.knowledge import PropertyInfo
from questloom.transforms.writing.graph.label_source import (
    StoreWords,
    hidden_names,
    nearest_first,
)
from tests.small_facts import SmallFacts, claim, year

STORE = SmallFacts(
    [
        claim("Q1", "P21", "Q6581072"),
        claim("Q2", "P21", "Q6581097"),
        claim("Q3", "P21", "Q6581072"),
        claim("Q3", "P21", "Q6581097"),
        claim("Q4", "P21", "Q99"),
        claim("Q5", "P171", "Q6"),
        claim("Q6", "P171", "Q7"),
        claim("Q10", "P279", "Q11"),
        claim("Q10", "P279", "Q12", best=False),
    ],
    properties={"P21": PropertyInfo(id="P21", labels={"en": "sex"}, datatype="wikibase-item")},
)
WORDS = StoreWords(STORE)


def test_what_the_store_does_not_know_is_called_by_its_id_and_has_no_datatype():
    assert [WORDS.label(x, "en") for x in ("P21", "P22", "Q1")] == ["sex", "P22", "Q1"]
    assert [WORDS.datatype(x) for x in ("P21", "P22")] == ["wikibase-item", ""]


def test_he_and_she_are_said_by_one_claim_and_of_nobody_else():
    people = ("Q1", "Q2", "Q3", "Q4", "Q5", "time:+1850")
    assert [WORDS.pronoun_of(x) for x in people] == ["she", "he", "", "", "", ""]


def test_a_species_belongs_to_the_nearest_group_above_it():
    assert WORDS.group_of("Q5", {"q7": "animal", "q6": "bird"}) == "bird"
    assert WORDS.group_of("Q7", {"q6": "bird"}) == WORDS.group_of("Q5", {}) == ""


def test_superclasses_follow_best_claims_and_end_where_there_are_too_many():
    assert WORDS.superclasses("Q10") == ("Q10", "Q11")
    assert len(nearest_first("0", lambda below: [str(int(below) + 1)])) == 201


def test_the_names_of_things_are_hidden_and_no_dates():
    assert hidden_names(STORE, {"x0": "Q1", "a": year(1850).key()}, ("en",)) == ["Q1"]


def test_a_class_may_have_a_property_that_one_of_it_has_or_where_none_of_it_is_known():
    words = StoreWords(
        SmallFacts([claim("Q1", "P31", "Q5"), claim("Q1", "P19", "Q2"), claim("Q2", "P31", "Q515")])
    )
    asked = ("Q5", "P19"), ("Q515", "P19"), ("Q99", "P19"), ("Q5", "P170")
    assert [words.may_have(*a) for a in asked] == [True, False, True, False]
