"""What rules refuse in a question without a model: language, precision, units, names, numbers, kinds and events."""

import pytest

from questloom.records.knowledge import Value, entity_value
from questloom.records.synthesis import Answer
from questloom.transforms.writing.llm.question_checks import (
    check_events,
    check_exactness,
    check_kinds,
    check_language,
    check_names,
    check_plain,
    check_relations,
    check_words,
    other_language,
)
from questloom.transforms.writing.llm.relation_words import relation_words


def asked(type: str, unit: str = "", precision: str = "") -> Answer:
    return Answer(value=entity_value("Q1"), text="x", type=type, unit=unit, precision=precision)


def passes(check, *args) -> bool:
    try:
        check(*args)
    except ValueError:
        return False
    return True


@pytest.mark.parametrize(
    ("text", "precision", "language", "right"),
    [
        ("In which year was it built?", "year", "en", True),
        ("When was it built?", "year", "en", False),
        ("On which day was it opened?", "day", "en", True),
        ("On which day of which month was it opened?", "day", "en", False),
        ("In which month of which year was it opened?", "month", "en", True),
        ("In welchem Jahr wurde es gebaut?", "year", "de", True),
        ("Wann wurde es gebaut?", "year", "de", False),
        ("An welchem Tag welches Monats wurde es gebaut?", "day", "de", False),
        ("Quan es va construir?", "year", "ca", True),
    ],
)
def test_a_date_is_asked_for_in_its_precision(text, precision, language, right):
    assert passes(check_exactness, text, asked("date", precision=precision), language) is right


@pytest.mark.parametrize(
    ("text", "unit", "right"),
    [
        ("How many feet high is it?", "ft", True),
        ("How many yards high is it?", "ft", False),
        ("How many square kilometres does it cover?", "km²", True),
        ("How many kilometres does it cover?", "km²", False),
        ("How many storeys has it?", "storey", True),
        ("How many rooms has it?", "storey", False),
        ("How many people live there?", "", True),
    ],
)
def test_a_number_is_asked_for_in_its_unit(text, unit, right):
    assert passes(check_exactness, text, asked("quantity", unit), "en") is right


def test_a_missing_unit_is_told_in_the_recipes_language():
    for language, told in (("en", "how many storeys"), ("de", "wie viele storey")):
        with pytest.raises(ValueError, match=told):
            check_exactness("Wie hoch ist es?", asked("quantity", "storey"), language)
    check_exactness("Who built it?", asked("entity"), "en")


@pytest.mark.parametrize(
    ("text", "sources", "language", "right"),
    [
        ("Who saw the Tolms in 1850?", ["Tolm, 1850"], "en", True),
        ("Who saw the Tolms in 1850?", ["Tolm, 1851"], "en", False),
        ("Who saw 1,850 of them?", ["1,850"], "en", True),
        ("Who saw the Tolmers?", ["Tolm"], "en", True),
        ("Who saw the Tolberts?", ["Tolm"], "en", False),
        ("Who saw the Merskers?", ["Mersa"], "en", False),
        ("Who saw the Merskers?", ["Mersk"], "en", True),
        ("Where did I see it?", [], "en", True),
        ("Where did Ida see it?", [], "en", False),
        ("It stands here. Ida saw it.", [], "en", True),
        ("Wo steht der Turm?", [], "de", True),
        ("Wo stand der Turm 1850?", [], "de", False),
    ],
)
def test_a_name_or_a_number_has_a_source(text, sources, language, right):
    assert passes(check_names, text, sources, language) is right


def test_every_lost_name_is_told_once():
    with pytest.raises(ValueError, match=r'says "Ida, Orm"$'):
        check_names("Who saw Ida and Orm and Ida?", [], "en")


PAINTED = [relation_words("P170", "creator")]
NEVER = frozenset({"sculptor"})


@pytest.mark.parametrize(
    ("text", "relations", "language", "right"),
    [
        ("Who is the painter of it?", PAINTED, "en", True),
        ("Who is the painter of it?", [], "en", False),
        ("Who are the sculptors of it?", PAINTED, "en", False),
        ("Who is the woman in it?", PAINTED, "en", False),
        ("Who is the woman in it?", PAINTED, "de", True),
    ],
)
def test_an_occupation_is_said_by_a_claim_or_by_a_relation_to_the_right_kind(
    text, relations, language, right
):
    args = (text, [], [], relations, language, frozenset(), NEVER)
    assert passes(check_kinds, *args) is right


def test_a_refused_kind_is_told_with_what_the_claims_say():
    with pytest.raises(ValueError, match=r'is "woman" .*the claims say: nothing;'):
        check_kinds("Who is the woman in it?", [], [], [], "en")
    with pytest.raises(ValueError, match="the claims say: bird, tower;"):
        check_kinds("Who is the woman?", [], [], [], "en", frozenset({"tower", "bird"}))


def test_an_event_is_said_where_a_page_says_it_and_the_refusal_tells_what_to_say():
    inception, built = relation_words("P571", "inception"), relation_words("P84", "architect")
    text, page = "In which year was it founded?", "It was founded as a fort."
    check_events(text, inception, [], page, "en")
    check_events(text, inception, [], "", "de")
    check_events("Who built it?", inception, [built], "", "en")
    with pytest.raises(ValueError, match='"inception" is not "built"; no page says which event'):
        check_events("In which year was it built?", inception, [], "", "en")
    with pytest.raises(ValueError, match='say it as the page does: "It was built'):
        check_events(text, inception, [], '"It was built."', "en")


@pytest.mark.parametrize("check", [check_relations, check_words])
def test_words_of_another_language_are_not_compared_with_english_relations(check):
    assert passes(check, "Who was buried in it?", [], [], "de")
    assert not passes(check, "Who was buried in it?", [], [], "en")


def test_a_text_is_in_another_language_where_that_has_more_of_its_small_words():
    assert not other_language("the der", "en") and not other_language("der die", "xx")
    assert other_language("the der die", "en") and not other_language("the der die", "de")
    with pytest.raises(ValueError, match="not written in the language asked for, en"):
        check_language("Wer war der Architekt?", "en")
    check_language("Who was the architect?", "en")


def test_a_tables_label_is_told_and_only_in_english():
    with pytest.raises(ValueError, match=r'^"in or next to" is a label'):
        check_plain("What lies in or next to it?", "en")
    check_plain("What lies in or next to it?", "de")


def test_a_quantity_without_a_unit_needs_none():
    number = Value(kind="quantity", number=9)
    check_exactness("How high?", Answer(value=number, text="9", type="quantity"), "en")
