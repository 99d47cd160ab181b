"""Which words count as a name, and which texts say one."""

import pytest

from questloom.language.names_in_text import folded, leaked, names_of_entity, number_forms
from questloom.records.knowledge import Entity, Value, entity_value
from questloom.records.synthesis import Answer
from questloom.transforms.certificate.leak import answer_names, find_leak, names_of_value
from tests.small_facts import SmallFacts, claim, year

DAY = Value(kind="time", time="+1832-05-04T00:00:00Z", precision=11)


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        ("the bridges of Ardwen", "Ardwen", True),
        ("Ardwens bridges", "Ardwen", True),
        ("Ardwen's bridges", "Ardwen", True),
        ("Ardwenmouth", "Ardwen", False),
        ("old Ardwen", "New Ardwen", False),
        ("the Ardwenes", "Ardwen", True),
        ("the Merres", "Merr", False),
        ("the Merrenes", "Merren", True),
        ("it is Ob", "Ob", False),
        ("it is Obi", "Obi", True),
        ("of 12", "12", True),
        ("of 7", "7", True),
        ("of 127", "12", False),
        ("saint-évêl", "Saint Evel", True),
        ("", "Ardwen", False),
    ],
)
def test_a_name_is_said_as_whole_words_with_a_plural_or_possessive_s(text, name, found):
    assert leaked(text, (name,)) == (name if found else None)


@pytest.mark.parametrize(
    ("text", "name", "found"),
    [
        ("Müllers Mühle", "Müller", True),
        ("Muellers Mühle", "Müller", True),
        ("MÜLLERS Mühle", "Mueller", True),
        ("die Mullerin von Tolm", "Müller", False),
        ("in der Lange Strasse", "Lange Straße", True),
        ("in der Lange Straße", "Lange Strasse", True),
        ("Kölner und Wiener", "Köln", True),
        ("die Werke Mariens", "Maria", False),
        ("Müllerstraße", "Müller", False),
        ("Kölnisch Wasser", "Köln", False),
    ],
)
def test_a_german_name_is_found_with_its_endings_and_in_each_spelling(text, name, found):
    assert leaked(text, (name,), ("de", "en")) == (name if found else None)


def test_the_first_name_that_is_said_is_told():
    assert leaked("Ardwen in Merren", ("Vess", "Merren", "Ardwen")) == "Merren"
    assert folded("A,b") == " a b "


@pytest.mark.parametrize(
    ("number", "forms"),
    [
        (7.0, {"7", "seven"}),
        (999.0, {"999", "nine hundred and ninety-nine"}),
        (1000.0, {"1000", "1,000", "one thousand"}),
        (1.5, {"1.5"}),
        (1001.0, {"1001", "1,001", "one thousand and one"}),
        (2099.0, {"2099", "2,099", "two thousand and ninety-nine", "twenty ninety-nine"}),
        (2100.0, {"2100", "2,100", "two thousand, one hundred"}),
        (-1500.0, {"-1500", "-1,500", "minus one thousand, five hundred"}),
    ],
)
def test_a_number_is_looked_for_as_digits_and_in_words_and_a_year_in_the_words_of_years(
    number, forms
):
    assert set(number_forms(number)) == forms


def test_a_language_without_number_words_has_the_digits():
    assert number_forms(1832.0, "xx") == ("1832", "1,832")


@pytest.mark.parametrize(
    ("label", "surname"),
    [
        ("Ilse Varga", "Varga"),
        ("Ilse Vega", "Vega"),
        ("Ilse Vog", "Vog"),
        ("Varga", None),
        ("John of Merren", None),
        ("Peter the Great", None),
        ("Henry VIII", None),
        ("Ivo Mersk Jr.", None),
        ("Johann van beethoven", None),
        ("Ivo MERSK", None),
    ],
)
def test_a_persons_surname_is_a_name_unless_it_is_short_a_numeral_or_a_place(label, surname):
    person = Entity(id="Q1", labels={"en": label}, classes=("Q5",))
    names = names_of_entity(person, ("en",))
    assert (surname in names) if surname else (names == (label,))
    assert names_of_entity(person.replace(classes=("Q7",)), ("en",)) == (label,)
    assert (
        surname
        in names_of_entity(person.replace(classes=("Q7",), class_closure=("Q5", "Q7")), ("en",))
    ) == bool(surname)


def test_a_bracket_behind_a_name_is_no_part_of_it():
    assert names_of_entity(Entity(id="Q1", labels={"en": "Ardwen (locomotive)"}), ("en",)) == (
        "Ardwen (locomotive)",
        "Ardwen",
    )


FACTS = SmallFacts(
    [claim("Q1", "P84", "Q2")],
    {"Q2": Entity(id="Q2", labels={"en": "Ilse Varga"}, aliases={"en": ("The Baroness",)})},
)


@pytest.mark.parametrize(
    ("value", "names"),
    [
        (entity_value("Q2"), {"Ilse Varga", "The Baroness"}),
        (entity_value("Q77"), set()),
        (year(1832), {"1832", "1,832", "eighteen thirty-two"}),
        (DAY, {"1832", "1832-05-04"}),
        (Value(kind="time", time="+0900-00-00T00:00:00Z", precision=7), {"900"}),
        (
            Value(kind="time", time="+1642-12-25T00:00:00Z", precision=11, unit="Q1985786"),
            {"1642", "1643", "1642-12-25", "1643-01-04"},
        ),
        (Value(kind="time", time="+1830-00-00T00:00:00Z", precision=8), {"1830"}),
        (Value(kind="quantity", number=30.0), {"30", "thirty"}),
        (Value(kind="quantity"), {"0", "zero"}),
        (Value(kind="string", text="abc"), {"abc"}),
        (Value(kind="string"), set()),
    ],
)
def test_a_value_is_named_by_its_kind(value, names):
    found = set(names_of_value(FACTS, value, ("en",)))
    assert names <= found and bool(names) == bool(found)
    assert ("1832-00-00" in found, len(found) > 1) == (False, len(found) > 1)


@pytest.mark.parametrize("languages", [("en",), ("de",), ("de-at",), ("fr", "en")])
def test_a_name_that_holds_in_every_language_leaks_and_stands_in_the_answer_in_each(languages):
    house = Entity(
        id="Q9", labels={"mul": "Haus Lorn", "fr": "Maison Lorn"}, aliases={"mul": ("Lornpalais",)}
    )
    facts = SmallFacts([], {"Q9": house})
    assert find_leak(
        facts,
        {"question": "Who built the Lornpalais?"},
        {"x1": entity_value("Q9")},
        Answer(value=year(1832), text="1832", type="date"),
        languages,
    ) == {"where": "question", "node": "x1", "name": "Lornpalais"}
    assert {"Haus Lorn", "Lornpalais"} <= {*names_of_value(facts, entity_value("Q9"), languages)}


def test_an_answer_is_named_by_its_text_its_aliases_and_its_value_each_once():
    answer = Answer(
        value=entity_value("Q2"), text="Ilse Varga", type="entity", aliases=("I. Varga",)
    )
    assert answer_names(FACTS, answer, ("en",)) == ("Ilse Varga", "I. Varga", "The Baroness")


def test_a_leak_tells_where_which_node_and_what_name_the_answer_first_and_only_things_count_among_the_nodes():
    answer = Answer(value=year(1832), text="1832", type="date")
    hidden = {"x1": entity_value("Q2"), "n": Value(kind="quantity", number=77.0)}
    assert find_leak(FACTS, {"question": "Did Ilse Varga in 1832?"}, hidden, answer, ("en",)) == {
        "where": "question",
        "node": "answer",
        "name": "1832",
    }
    assert find_leak(
        FACTS, {"question": "Who?", "caption": "Ilse Varga"}, hidden, answer, ("en",)
    ) == {"where": "caption", "node": "x1", "name": "Ilse Varga"}
    assert find_leak(FACTS, {"question": "Who of the 77?"}, hidden, answer, ("en",)) is None
