"""The words for the parts of a form: names with their articles, values with their units, nouns for classes."""

import importlib.util
from pathlib import Path

import pytest

from questloom.records.form import Ask, Form
from questloom.records.knowledge import Value
from questloom.transforms.writing.form_edits import unsayable
from questloom.transforms.writing.graph.form_words import FormWords, clean, place_of_writing

_spec = importlib.util.spec_from_file_location("invented", Path(__file__).parent / "invented.py")
invented = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(invented)


class Labels(invented.InventedWords):
    """Whose ids are labels where they are no ids."""

    def superclasses(self, class_id: str) -> tuple[str, ...]:
        return super().superclasses(class_id) if class_id.startswith("Q") else (class_id,)


def words_of(kinds: str = "", ask: str = "entity", *clauses: str, **more) -> FormWords:
    form = invented.form(ask, *clauses) if clauses else Form(clauses=(), ask=Ask(var="a", type=ask))
    given = {"names": {}, "genders": {}, "years": {}, **more}
    return FormWords(
        form=form, classes=invented.classes(kinds), facts=Labels(), language="en", **given
    )


WORDS = words_of(names={"Q7": "Nick"})


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Karsk", "Karsk"),
        ("Orla", "the Orla"),
        ("Varn", "Varn"),
        ("Merrow", "the Merrow"),
        ("Esk Mountains", "the Esk Mountains"),
        ("Battle of Sarn", "the Battle of Sarn"),
        ("Tor Academy of Arts", "the Tor Academy of Arts"),
        ("Ostmark Museum", "the Ostmark Museum"),
        ("Cape Orlen Light", "Cape Orlen Light"),
        ("Salt and Lanterns", "“Salt and Lanterns”"),
        ("The Grey Harbour", "“The Grey Harbour”"),
    ],
)
def test_a_name_takes_the_article_or_the_quotation_marks_of_its_kind(name, said):
    assert WORDS.name(invented.term(name)) == WORDS.value(invented.term(name)) == said


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("Museum of Tolm", "the Museum of Tolm"),
        ("Tolm and Orm Museum of Art", "the Tolm and Orm Museum of Art"),
        ("Orm Society for Birds", "the Orm Society for Birds"),
        ("Lady of Tolm", "Lady of Tolm"),
        ("association football player", "footballer"),
        ("Orm Islands", "the Orm Islands"),
        ("Islands", "Islands"),
        ("The Hague", "The Hague"),
        ("A Town", "A Town"),
        ("Moon", "the Moon"),
        ("1919 Orm election", "the 1919 Orm election"),
        ("Q7", "Nick"),
    ],
)
def test_a_label_of_no_known_kind_takes_the_article_by_its_words(label, said):
    assert WORDS.name(label) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        ("1850", "1850"),
        ("1850-05-03", "3 May 1850"),
        ("30 metre", "30 metres"),
        ("1 metre", "1 metre"),
        ("12", "twelve"),
        ("=a\x00 {text}", "a text"),
        (Value(kind="monolingual", text="x  y"), "x y"),
        (Value(kind="quantity"), "an unknown value"),
        (Value(kind="somevalue"), "an unknown value"),
    ],
)
def test_a_value_is_said_with_its_unit_and_without_marks(value, said):
    assert WORDS.value(invented.term(value) if isinstance(value, str) else value) == said


def test_a_unit_is_in_the_plural_unless_it_counts_one():
    assert [WORDS.unit("foot", n) for n in (1, 2, None)] == ["foot", "feet", "feet"]
    assert WORDS.unit("metres", 1) == "metres"


def test_a_label_has_no_marks_and_120_characters_at_most():
    assert clean("a\ue000b {c}") == "a b c" and len(clean("d" * 200)) == 120


@pytest.mark.parametrize(
    ("label", "noun"),
    [
        ("human", "person"),
        ("Human", "person"),
        ("commune of France", "commune"),
        ("commune of the Netherlands", "commune"),
        ("painting series in Spain", "painting series"),
        ("house of cards", "house of cards"),
        ("Gothic church", "Gothic church"),
        ("NATO base", "NATO base"),
    ],
)
def test_a_class_is_called_as_people_call_it(label, noun):
    assert WORDS.class_noun(label) == noun


def test_a_person_is_called_by_sex_or_role_and_another_thing_by_its_class():
    words = words_of(
        "x0 lighthouse, x1 human, x2 human",
        "entity",
        "image x0",
        "x0 P84 x1",
        "x1 P1066 x2",
        "x2 P19 a",
        genders={"x2": "she"},
    )
    nouns = {var: (words.noun(var), words.called(var)) for var in ("x0", "x1", "x2", "a")}
    assert nouns == {
        "x0": ("lighthouse", "lighthouse"),
        "x1": ("person", "architect"),
        "x2": ("woman", "woman"),
        "a": ("thing", "thing"),
    }
    assert words_of("x0 taxon", "entity", "image x0", "x0 P61 a", seen="bird").noun("x0") == "bird"


def test_the_kinds_of_a_term_tell_people_places_and_waters():
    told = {
        name: (WORDS.is_person(term), WORDS.is_place(term), WORDS.is_water(term))
        for name in ("Ivo Mersk", "Karsk", "Orla", "Battle of Sarn", "poet")
        for term in [invented.term(name)]
    }
    assert told == {
        "Ivo Mersk": (True, False, False),
        "Karsk": (False, True, False),
        "Orla": (False, True, True),
        "Battle of Sarn": (False, False, False),
        "poet": (False, False, False),
    }
    unknown = Value(kind="entity", entity="Q404")
    assert WORDS.is_place(unknown, default=True) and not WORDS.is_place(unknown)
    assert WORDS.kinds(unknown, "house") == ("house",)
    assert WORDS.kinds(unknown) == WORDS.kinds(invented.term("1850")) == ()


@pytest.mark.parametrize(
    ("kinds", "part", "place"),
    [
        ("x0 cathedral", "plaque ", "part"),
        ("x0 cathedral", "inscription ", "whole"),
        ("x0 cathedral", "", "whole"),
        ("x0 novel", "", "cover"),
        ("x0 human", "inscription ", "picture"),
        ("x0 mineral", "", "picture"),
    ],
)
def test_writing_stands_on_a_part_a_thing_a_cover_or_in_the_picture(kinds, part, place):
    words = words_of(kinds, "date year", "image x0", f"a reads P1684 {part}x0")
    assert place_of_writing(words, words.reads["a"]) == place


@pytest.mark.parametrize(
    ("kind", "place"), [("human", "portrait_of"), ("mineral", "picture_of"), ("tower", "whole")]
)
def test_writing_on_a_later_person_stands_in_the_portrait(kind, place):
    words = words_of(
        f"x0 tower, x1 {kind}", "date year", "image x0", "x1 P138 x0", "a reads P1684 x1"
    )
    assert place_of_writing(words, words.reads["a"]) == place


def test_a_claim_describes_its_ends_but_no_date_describes_its_thing():
    words = words_of(
        "x0 tower, x1 human",
        "quantity",
        "image x0",
        "x0 P84 x1",
        "x1 P569 d1",
        "d2 reads P1684 x0",
        "x0 P571 d2",
        "a = difference d1 d2",
    )
    assert words.describing("x0") == ((0, "s"), (2, "s"))
    assert words.describing("x1") == ((0, "o"),)
    assert words.definition("d1") == (1, words.claims[1]) and words.literals == {"a", "d1", "d2"}


@pytest.mark.parametrize(("second", "fault"), [("x1 P26 a", True), ("x2 P26 a", False)])
def test_kinship_is_refused_by_way_of_kin_and_not_beside_other_kin(second, fault):
    kinds = "x0 human, x1 human, x2 human, a human"
    words = words_of(kinds, "entity", "image x0", "x0 P22 x1", "x1 P1066 x2", second)
    assert ("kinship by way of kin" in unsayable(words.claims)) is fault


def test_a_vague_value_is_called_by_its_class_and_what_is_denied_by_its_name():
    words = words_of(
        "x0 human, a film",
        "entity",
        "image x0",
        "a P57 x0",
        "a exclusion P840 Velm",
        "a category P840 village",
        "a meta-attribute P840 town K",
        "a arithmetic P577 x0 2 P570",
        "a range P571 1860s",
    )
    *stands, decade = (claim.object for claim in words.claims[1:])
    told = [(words.class_id(value), words.name(value)) for value in stands]
    town, village = invented.CLASS["town"], invented.CLASS["village"]
    named = "a town whose name begins with K"
    assert told == [(town, "Velm"), (village, "a village"), (town, named), ("", "")]
    assert words.class_id(decade) == "" and words.value(decade) == "the 1860s"


def test_a_draft_likes_each_sentence_from_minus_one_to_one_and_always_the_same():
    words = words_of()
    tastes = [words.taste(f"sentence {n}") for n in range(300)]
    assert -1 <= min(tastes) < -0.95 and 0.95 < max(tastes) <= 1
    assert [words.taste(f"sentence {n}") for n in range(300)] == tastes
