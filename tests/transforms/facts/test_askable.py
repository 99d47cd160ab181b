"""What nobody asks for: an area as a birthplace, the height of a person, a class that is no word of people's, half an answer, a date that cannot be."""

import pytest

from questloom.records.knowledge import Entity, Value, entity_value
from questloom.transforms.facts.askable import (
    FEWEST,
    RARE,
    has_common_class,
    is_askable,
    leads_to_kind,
)
from tests.small_facts import SmallFacts, claim, year

HUMAN, CITY, COUNTY, CEMETERY, GRAVE, PAINTING, MUSEUM, MOVEMENT = (
    "Q5",
    "Q515",
    "Q28575",
    "Q39614",
    "Q173387",
    "Q3305213",
    "Q33506",
    "Q968159",
)
HEIGHT = Value(kind="quantity", number=189.0, unit="Q174728")
FACTS = SmallFacts(
    [
        claim("Q1", "P31", HUMAN),
        claim("Q2", "P31", CITY),
        claim("Q3", "P31", COUNTY),
        claim("Q4", "P31", CEMETERY),
        claim("Q6", "P31", PAINTING),
        claim("Q7", "P31", MUSEUM),
        claim("Q8", "P31", "Q43229"),
        claim("Q9", "P31", "Q12518"),
    ]
)


@pytest.mark.parametrize(("property", "value"), [("P19", "Q3"), ("P20", "Q3"), ("P119", "Q3")])
def test_nobody_asks_in_which_county_somebody_lies(property, value):
    assert not is_askable(FACTS, "Q1", property, entity_value(value)) and not leads_to_kind(
        FACTS, property, value
    )
    assert is_askable(FACTS, "Q1", property, entity_value("Q2")) and leads_to_kind(
        FACTS, property, "Q2"
    )


def test_a_painting_is_asked_to_belong_to_a_museum_and_to_no_town():
    assert is_askable(FACTS, "Q6", "P195", entity_value("Q7")) and not is_askable(
        FACTS, "Q6", "P195", entity_value("Q2")
    )


def test_the_height_is_asked_of_a_tower_and_not_of_a_person():
    assert is_askable(FACTS, "Q9", "P2048", HEIGHT) and not is_askable(FACTS, "Q1", "P2048", HEIGHT)


@pytest.mark.parametrize("property", ["P2043", "P2049"])
@pytest.mark.parametrize("of", ["Q82794", "Q46831", "Q6256", "Q165"])
def test_nobody_knows_how_long_or_wide_a_region_is_and_a_bridge_has_a_length(property, of):
    long = Value(kind="quantity", number=1200.0, unit="Q828224")
    facts = SmallFacts([claim("Q1", "P31", of), claim("Q2", "P31", "Q12280")])
    assert not is_askable(facts, "Q1", property, long) and is_askable(facts, "Q2", property, long)


@pytest.mark.parametrize("property", ["P580", "P582", "P1619"])
def test_no_grave_is_asked_when_it_began_ended_or_opened(property):
    facts = SmallFacts([claim("Q1", "P31", GRAVE), claim("Q2", "P31", "Q198")])
    assert not is_askable(facts, "Q1", property, year(1897))
    assert is_askable(facts, "Q2", property, year(1897))  # a war


def test_a_thing_without_a_class_or_with_one_that_fits_everything_is_not_asked_for():
    assert not has_common_class(FACTS, "Q8") and not is_askable(
        FACTS, "Q6", "P127", entity_value("Q8")
    )
    assert not has_common_class(
        SmallFacts([], {"Q1": Entity(id="Q1", labels={"en": "Renaissance"})}), "Q1"
    )


def test_a_class_that_hardly_anything_is_of_is_a_word_of_the_stores_unless_the_store_is_small():
    people = [claim(f"Q1{i:06}", "P31", HUMAN) for i in range(RARE * FEWEST)]
    assert not has_common_class(SmallFacts([*people, claim("Q2", "P31", GRAVE)]), "Q2")
    graves = [claim(f"Q2{i:03}", "P31", GRAVE) for i in range(FEWEST)]
    assert has_common_class(SmallFacts([*people, *graves]), "Q2000")
    assert has_common_class(SmallFacts([claim("Q2", "P31", GRAVE)]), "Q2")


def test_an_answer_of_which_the_relation_has_parts_of_the_same_kind_is_half_an_answer():
    movements = [
        claim("Q10", "P31", MOVEMENT),
        claim("Q11", "P31", MOVEMENT),
        claim("Q11", "P361", "Q10"),
    ]
    used = claim("Q20", "P135", "Q11")
    assert not is_askable(SmallFacts([*movements, used]), "Q6", "P135", entity_value("Q10"))
    assert is_askable(SmallFacts([*movements, used]), "Q6", "P135", entity_value("Q11"))
    assert is_askable(
        SmallFacts(movements), "Q6", "P135", entity_value("Q10")
    )  # nothing is said to belong to the part


def test_a_date_that_the_store_contradicts_is_not_asked_for():
    war = [claim("Q1", "P607", "Q9"), claim("Q9", "P580", year(1846))]
    assert not is_askable(
        SmallFacts([claim("Q1", "P570", year(1812)), *war]), "Q1", "P570", year(1812)
    )
    assert is_askable(SmallFacts([claim("Q1", "P570", year(1850)), *war]), "Q1", "P570", year(1850))
