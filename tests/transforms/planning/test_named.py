"""What a page, a search's result and a name give away."""

import pytest

from questloom.records.knowledge import Article, Entity, Section, entity_value
from questloom.transforms.planning.named import (
    find_description,
    find_shown_text,
    name_holds,
    page_names,
    text_names,
)
from tests.small_facts import SmallFacts, year

NAMES = {
    "Q1": "Vantascara Museum",
    "Q2": "Vantascara",
    "Q3": "Orla Dant",
    "Q4": "Dant",
    "Q5": "Ode to Vantascara Lost",
    "Q6": "Ron",
    "Q7": "Ron Vale",
}


def store(**pages: tuple[str, ...]) -> SmallFacts:
    return SmallFacts(
        [],
        {
            k: Entity(id=k, labels={"en": v}, descriptions={"en": f"a {v}"})
            for k, v in NAMES.items()
        },
        {
            key: Article(
                wiki="w",
                title=NAMES[key],
                page_id=1,
                revision=1,
                entity_id=key,
                sections=tuple(Section(title="", level=1, text=t) for t in texts),
            )
            for key, texts in pages.items()
        },
    )


@pytest.mark.parametrize(
    ("one", "other", "held"),
    [
        ("Q1", "Q2", True),
        ("Q5", "Q2", True),
        ("Q2", "Q1", False),
        ("Q3", "Q4", True),
        ("Q7", "Q6", False),
        ("Q1", "Q99", False),
        ("Q99", "Q1", False),
    ],
)
def test_a_name_holds_another_in_whole_words_that_tell(one, other, held):
    assert name_holds(store(), one, other) is held


def test_a_page_names_what_it_says_and_nothing_without_a_page():
    facts = store(Q1=("Built in 1790 in Vantascara.",))
    assert page_names(facts, "Q1", entity_value("Q2")) and page_names(facts, "Q1", year(1790))
    assert not page_names(facts, "Q1", entity_value("Q3")) and not page_names(
        facts, "Q2", entity_value("Q1")
    )


def test_a_text_has_names_as_whole_words():
    assert text_names(store(), "by Orla Dant.", entity_value("Q3"))
    assert not text_names(store(), "by Orla Dantry.", entity_value("Q3"))
    assert not text_names(store(), "in 17901", year(1790)) and text_names(
        store(), "in 1790", year(1790)
    )


def test_a_search_shows_a_page_of_few_passages_whole_and_of_more_those_that_fit():
    said = ("First.", "By Orla Dant.", "Third.", "In 1790.")
    short, long = store(Q1=said[:3]), store(Q1=said)
    dant, built = entity_value("Q3"), year(1790)
    assert find_shown_text(short, "Q1", ()) == "\n".join(said[:3])
    assert find_shown_text(long, "Q1", (dant,)) == "By Orla Dant."
    assert find_shown_text(long, "Q1", (dant, built)) == "By Orla Dant.\nIn 1790."
    assert find_shown_text(long, "Q1", ()) == find_shown_text(long, "Q2", (dant,)) == ""


def test_the_description_is_the_things_own():
    assert (
        find_description(store(), "Q2") == "a Vantascara" and find_description(store(), "Q99") == ""
    )
