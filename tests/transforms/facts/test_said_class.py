"""The class by which people would call a thing, by the classes that real items have."""

import pytest

from questloom.records.knowledge import Entity
from questloom.transforms.facts.said_class import find_descriptor_class
from tests.small_facts import SmallFacts, claim

LABELS = {
    "Q6256": "country",
    "Q1763527": "stateless nation",
    "Q515": "city",
    "Q1549591": "big city",
    "Q15239622": "place with town rights",
    "Q486972": "human settlement",
    "Q3184121": "municipality of Belgium",
    "Q15284": "municipality",
    "Q16895517": "bark",
    "Q11446": "ship",
    "Q5": "human",
    "Q62049": "county seat",
    "Q1": "thing of its own kind",
    "Q2": "another kind",
    "Q383092": "art academy",
    "Q43229": "organization",
}
ABOVE = [
    ("Q1549591", "Q515"),
    ("Q3184121", "Q15284"),
    ("Q16895517", "Q11446"),
    ("Q62049", "Q486972"),
    ("Q15239622", "Q486972"),
    ("Q383092", "Q43229"),
]


def said(*classes: str, others: tuple[str, ...] = ()) -> str:
    entities = {q: Entity(id=q, labels={"en": label}) for q, label in LABELS.items()}
    claims = [claim("Qx", "P31", c) for c in classes] + [
        claim(f"Qo{i}", "P31", c) for i, c in enumerate(others)
    ]
    return find_descriptor_class(
        SmallFacts([*claims, *(claim(a, "P279", b) for a, b in ABOVE)], entities), "Qx"
    )


@pytest.mark.parametrize(
    ("classes", "expected"),
    [
        (("Q1763527", "Q6256"), "Q6256"),  # England: a country, not a stateless nation
        (("Q15239622", "Q1549591"), "Q515"),  # Amsterdam: a city, not a place with town rights
        (("Q3184121",), "Q15284"),
        (("Q16895517",), "Q16895517"),  # one word says more than the common noun above it
        (("Q6256", "Q515"), "Q515"),  # the list's order
        (("Q62049",), "Q62049"),  # nothing common above
        (("Q383092",), "Q383092"),  # a vague noun above
    ],
)
def test_people_say_a_common_noun_where_there_is_one(classes, expected):
    assert said(*classes) == expected


def test_without_a_common_noun_the_class_with_the_most_members_is_said():
    assert said("Q1", "Q2", others=("Q2", "Q2")) == "Q2"
    assert said("Q1", "Q2", others=("Q1", "Q1", "Q2")) == "Q1"


def test_a_thing_without_a_class_is_called_nothing():
    assert (
        find_descriptor_class(SmallFacts([claim("Qx", "P19", "Q3")]), "Qx")
        == ""
        == find_descriptor_class(SmallFacts([]), "Qnone")
    )
