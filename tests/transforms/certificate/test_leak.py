"""Which names of a hidden thing a text gives away, in whatever form."""

import pytest

from questloom.language.names_in_text import leaked, names_of_entity
from questloom.records.knowledge import Entity


def given_away(
    text: str, name: str, *, kind: str = "Q5", closure: tuple[str, ...] = (), **more
) -> str | None:
    return leaked(
        text,
        names_of_entity(
            Entity(id="Q1", labels={"en": name}, classes=(kind,), class_closure=closure, **more),
            ("en",),
        ),
    )


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Who taught Ivo Mersk?", "Ivo Mersk"),
        ("Who taught Mersk?", "Ivo Mersk"),
        ("Whose was Mersk's house?", "Ivo Mersk"),
        ("Whose was Mersk’s house?", "Ivo Mersk"),
        ("Who taught the Mersks?", "Ivo Mersk"),
        ("Who taught Ruiz?", "Ada Ruíz"),
        ("the van Hoorn brothers", "Jan van Hoorn"),
        ("Ugo Mersk's pupil", "Ivo Mersk (born 1874)"),
        ("where Varga-Lund lived", "Ilse Varga-Lund"),
    ],
)
def test_a_persons_name_and_surname_are_found_as_people_write_them(text, name):
    assert given_away(text, name)


@pytest.mark.parametrize("classes", [{"kind": "Q9", "closure": ("Q5",)}, {"kind": "Q15632617"}])
def test_whoever_is_a_person_by_a_class_above_or_in_fiction_has_a_surname(classes):
    assert given_away("Who taught Mersk?", "Ivo Mersk", **classes)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("Who built Délervenza?", "Délervenza (locomotive)"),
        ("Who built Delervenza's boiler?", "Délervenza (locomotive)"),
        ("Who built the Délervenza (locomotive)?", "Délervenza (locomotive)"),
        ("Who keeps Ardwen Light’s lamp?", "Ardwen Light"),
    ],
)
def test_a_bracketed_addition_and_a_possessive_hide_no_name(text, name):
    assert given_away(text, name, kind="Q39715")


@pytest.mark.parametrize(
    ("text", "name", "kind"),
    [
        ("Who taught the merskling?", "Ivo Mersk", "Q5"),
        ("Who lit the light?", "Ardwen Light", "Q39715"),
        ("the house of Merren", "John of Merren", "Q5"),
        ("King Ivo III", "Ada III", "Q5"),
    ],
)
def test_a_part_that_is_no_name_by_itself_gives_nothing_away(text, name, kind):
    assert given_away(text, name, kind=kind) is None


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Who taught Lee?", True),
        ("Who taught Lee's mother?", True),
        ("Which harbour lies on the lee side?", False),
        ("Which LEE was meant?", True),
    ],
)
def test_a_surname_of_three_letters_is_one_where_it_is_written_as_a_name(text, found):
    assert bool(given_away(text, "Robert Lee")) == found
