import pytest

from questloom.records.knowledge import DOMAINS, TOPICS
from questloom.transforms.ingest.classes import (
    DOMAIN_CLASSES,
    NOT_ARTICLES,
    OCCUPATIONS,
    TOPIC_CLASSES,
    ClassTree,
    domain_of,
    topic_of,
    write_class_edges,
)


@pytest.fixture
def tree(tmp_path) -> ClassTree:
    write_class_edges(
        tmp_path / "classes.arrow",
        [
            ("Q39715", "Q12518"),
            ("Q12518", "Q811979"),
            ("Q811979", "Q618123"),
            ("Q1", "Q2"),
            ("Q2", "Q1"),
            ("Q36834", "Q483501"),
            ("bad", "Q1"),
        ],
    )
    return ClassTree(tmp_path / "classes.arrow")


def test_the_closure_holds_every_superclass_and_ends_in_loops(tree):
    assert tree.closure(["Q39715"]) == ("Q12518", "Q39715", "Q618123", "Q811979")
    assert tree.closure(["Q1"]) == ("Q1", "Q2") and tree.closure(["Q77"]) == ("Q77",)
    assert tree.ancestors("Q39715")["Q618123"] == 3


def test_the_nearest_listed_class_decides(tree):
    assert domain_of(tree, ["Q39715"]) == "building_or_place", (
        "an architectural structure is nearer than a geographical feature"
    )
    assert domain_of(tree, ["Q1"]) == domain_of(tree, []) == "other"
    assert topic_of(tree, ["Q5"], ["Q36834"]) == "arts" and topic_of(tree, ["Q5"], []) == "history"
    assert tree.reason(["Q4167410"]) == "disambiguation" and tree.reason(["Q39715"]) is None


def test_the_data_name_only_known_domains_and_topics():
    assert {meaning for _, meaning in DOMAIN_CLASSES.values()} == set(DOMAINS)
    assert {meaning for _, meaning in TOPIC_CLASSES.values()} == set(TOPICS)
    assert {meaning for _, meaning in OCCUPATIONS.values()} <= set(TOPICS)
    assert set(NOT_ARTICLES) & {"Q4167410", "Q13406463"} == {"Q4167410", "Q13406463"}
