"""Subjects of a place are those of the places in it too, wherever they are listed; what holds too much is not listed at all."""

from questloom.records.form import Ask, ClaimClause, ClassClause, Form
from questloom.records.knowledge import entity_value
from questloom.transforms.certificate.description import descriptions
from questloom.transforms.certificate.execute import TooLarge, answers
from questloom.transforms.certificate.margin import margin_of
from questloom.transforms.facts import value_index
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.value_index import subjects_by_key
from questloom.transforms.facts.values import ENUMERATION_LIMIT
from questloom.transforms.facts.within import MOST_INSIDE, num_within, subjects_within
from tests.small_facts import SmallFacts, claim, year
from tests.transforms.certificate.lighthouses import LIGHTHOUSE, crowd

COUNTY, TOWN, QUARTER = entity_value("Q91"), "Q92", "Q93"
NESTED = [claim(TOWN, "P131", "Q91"), claim(QUARTER, "P131", TOWN)]
IN_COUNTY = ClaimClause(subject="v", property="P131", object=COUNTY)
KIND = ClassClause(var="v", class_id=LIGHTHOUSE)
ALIKE_CLAIMS = [
    *crowd(),
    *NESTED,
    claim("Q1000", "P131", "Q91"),
    claim("Q1999", "P131", QUARTER),
    claim("Q1999", "P31", LIGHTHOUSE),
]
ALIKE = SmallFacts(ALIKE_CLAIMS)
"""One lighthouse of the county is said to be in the county, the other in a quarter of its town."""


def test_a_thing_in_a_part_of_a_place_is_listed_with_the_place():
    assert (
        subjects_within(ALIKE, "P131", COUNTY) == ("Q1000", "Q1999", TOWN, QUARTER)
        and num_within(ALIKE, "P131", COUNTY) == 4
    )
    assert subjects_within(ALIKE, "P131", entity_value(TOWN)) == ("Q1999", QUARTER)


def test_a_relation_that_is_no_place_and_a_date_are_listed_as_they_are_said():
    facts = SmallFacts(
        [
            *NESTED,
            claim("Q1", "P138", TOWN),
            claim("Q2", "P138", "Q91"),
            claim("Q3", "P571", year(1850)),
        ]
    )
    assert subjects_within(facts, "P138", COUNTY) == ("Q2",) and subjects_within(
        facts, "P571", year(1850)
    ) == ("Q3",)


def test_a_ring_of_places_ends():
    assert subjects_within(
        SmallFacts([*NESTED, claim("Q91", "P131", QUARTER)]), "P131", COUNTY
    ) == ("Q91", TOWN, QUARTER)


def test_the_lighthouse_in_the_county_is_not_unique_where_another_stands_in_one_of_its_towns():
    form = Form(clauses=(KIND, IN_COUNTY), ask=Ask(var="v", type="entity"))
    assert [v.entity for v in answers(form, ALIKE, {})] == ["Q1000", "Q1999"]


def test_a_rival_in_a_town_of_the_place_counts_where_neither_place_nor_the_rest_lists_it():
    by_architect = ClaimClause(subject="v", property="P84", object=entity_value("Q2000"))
    (description,) = descriptions(
        Form(clauses=(KIND, IN_COUNTY, by_architect), ask=Ask(var="v", type="entity")),
        {"v": entity_value("Q1000")},
    )
    found = margin_of(Lookups(ALIKE), description, entity_value("Q1000"))
    assert found.margin == 1 and found.nearest.entity_id == "Q1999"


def test_a_place_that_holds_too_much_is_not_listed_and_a_form_over_it_is_too_large():
    facts = SmallFacts([*NESTED, *(claim(f"Q5{i:04}", "P131", TOWN) for i in range(MOST_INSIDE))])
    assert (
        subjects_within(facts, "P131", COUNTY) is None
        and num_within(facts, "P131", COUNTY) == ENUMERATION_LIMIT + 1
    )
    try:
        answers(Form(clauses=(IN_COUNTY,), ask=Ask(var="v", type="entity")), facts, {})
    except TooLarge:
        return
    raise AssertionError("a list of all was made")


def test_the_parts_of_a_place_are_the_same_without_an_index(monkeypatch):
    monkeypatch.setattr(value_index, "MOST_PAIRS", 0)
    facts = SmallFacts(ALIKE_CLAIMS)
    assert subjects_by_key(facts, "P131") is None
    assert subjects_within(facts, "P131", COUNTY) == subjects_within(ALIKE, "P131", COUNTY)
    assert num_within(facts, "P131", COUNTY) == num_within(ALIKE, "P131", COUNTY)


def test_parts_of_a_place_are_counted_in_memory():
    class Unasked(SmallFacts):
        def num_subjects(self, property, value_key):
            raise AssertionError("the index suffices")

    assert num_within(Unasked(ALIKE_CLAIMS), "P131", COUNTY) == 4
