"""Forms in German. `goldens.txt` holds the wording of each form of the English tests, or why there is none.

After a deliberate change read the new lines and write them with `QUESTLOOM_WRITE_GOLDENS=1 pytest <this file>`.
"""

import difflib
import os
from pathlib import Path

import pytest

from questloom.language.german import ACCUSATIVE, GENITIVE, Noun
from questloom.records.knowledge import Value
from questloom.transforms.writing.german.nouns import Things, UnsaidError, date
from questloom.transforms.writing.german.questions import german_question
from questloom.transforms.writing.graph.form_words import FormWords
from tests.transforms.writing.graph import invented

GOLDENS = Path(__file__).with_name("goldens.txt")
WORDS = invented.InventedWords()
CASES = invented.CASES + invented.SEVERAL


def say(kinds: str, ask: str, *clauses: str, genders: dict[str, str] | None = None) -> str:
    form = invented.form(ask, *clauses)
    words = FormWords(
        form=form,
        names={},
        classes=invented.classes(kinds),
        genders=genders or {},
        years={},
        facts=WORDS,
        language="en",
    )
    variables = {v for clause in form.clauses for v in vars(clause).values() if isinstance(v, str)}
    made = german_question(lambda: Things(words=words, bindings={v: v for v in variables}))
    return made[0]


def said_or_why(kinds: str, ask: str, clauses: tuple[str, ...]) -> str:
    try:
        return say(kinds, ask, *clauses, genders=invented.GENDERS)
    except UnsaidError as missing:
        return f"- {missing}"


def test_each_form_is_worded_as_a_person_accepted_it():
    lines = [
        f"{' ; '.join(clauses)} ? {ask}\n    {said_or_why(kinds, ask, clauses)}"
        for kinds, ask, clauses in CASES
    ]
    text = "\n".join(lines) + "\n"
    if os.environ.get("QUESTLOOM_WRITE_GOLDENS"):
        GOLDENS.write_text(text, encoding="utf-8")
    expected = GOLDENS.read_text(encoding="utf-8")
    changed = difflib.unified_diff(expected.splitlines(), text.splitlines(), lineterm="", n=1)
    assert not (shown := "\n".join(changed)), f"read these, then write the goldens anew:\n{shown}"


def test_the_verb_stands_last_in_a_relative_clause_and_second_elsewhere():
    clauses = ("image x0", "x0 P84 x1", "x2 P840 x3", "x1 P19 x3", "x2 P577 a")
    kinds = "x0 bridge, x1 human, x2 film, x3 town"
    assert say(kinds, "date year", *clauses, genders={"x1": "she"}) == (
        "Die Architektin dieser Brücke wurde in einer Stadt geboren. "
        "In welchem Jahr kam der Film heraus, der in der Stadt spielt?"
    )


def test_a_pronoun_stands_only_where_one_thing_has_its_gender():
    clauses = ("image x0", "x0 P276 x1", "x1 P159 x2", "x2 P206 x3", "x3 P885 x4", "x4 P4552 a")
    kinds = "x0 painting, x1 museum, x2 town, x3 river, x4 mountain, a mountain range"
    text = say(kinds, "entity", *clauses)
    assert "Es ist in einer Stadt ansässig" not in text, "the painting is neuter too"
    assert "Sie liegt an einem Fluss" in text, "nothing else is feminine"


def test_nothing_is_said_of_a_thing_but_its_role():
    clauses = ("image x0", "x0 P84 x1", "x1 P22 x2", "x2 P108 x3", "x3 P571 a")
    kinds = "x0 church building, x1 human, x2 human, x3 theatre building"
    text = say(kinds, "date year", *clauses, genders={"x1": "she", "x2": "he"})
    assert "für das der Vater der Architektin dieser Kirche arbeitete" in text
    assert "ist ein Mann" not in text


def test_a_thing_with_the_noun_of_the_one_that_leads_to_it_gets_a_sentence():
    clauses = ("image x0", "x0 P189 x1", "x1 P403 x2", "x2 P403 a")
    text = say("x0 taxon, x1 river, x2 river, a lake", "entity", *clauses)
    assert text.endswith("In welchen See mündet der andere Fluss?")


def test_the_other_of_two_things_is_said_so_and_a_third_is_refused():
    two = ("image x0", "x1 P170 a", "x0 P276 x2", "x1 P276 x2")
    kinds = "x0 painting, x1 painting, x2 museum, a human"
    assert "das andere Gemälde" in say(kinds, "entity", *two)
    three = ("image x0", "x0 P403 x1", "x1 P403 x2", "x2 P403 x3", "x3 P2043 a")
    with pytest.raises(UnsaidError, match="three things"):
        say("x0 river, x1 river, x2 river, x3 river", "quantity kilometre", *three)


def test_what_leads_to_a_thing_makes_it_definite_and_what_does_not_is_refused():
    clauses = ("image x0", "x0 P84 x1", "x2 P84 x1", "x2 P1619 a")
    kinds = "x0 bridge, x1 human, x2 lighthouse"
    assert say(kinds, "date day", *clauses, genders={"x1": "he"}) == (
        "An welchem Tag wurde der Leuchtturm eröffnet, der vom Architekten dieser Brücke entworfen wurde?"
    )
    apart = ("image x0", "x2 P571 1868", "x2 P1619 a")
    with pytest.raises(UnsaidError):
        say("x0 bridge, x2 lighthouse", "date day", *apart)


def test_years_before_christ_and_days_are_dates():
    painted = ("image x0", "a P170 x0", "a P571 1850-05-03")
    assert "am 3. Mai 1850 gemalt" in say("x0 human, a painting", "entity", *painted)
    assert (
        date(Value(kind="time", time="-0044-00-00T00:00:00Z", precision=9)) == "im Jahr 44 v. Chr."
    )


def test_a_relation_without_german_words_is_refused_by_name():
    with pytest.raises(UnsaidError, match="P1451"):
        say("x0 ship, a town", "entity", "image x0", "x0 P1451 a")


def test_two_possessives_of_one_gender_are_not_used():
    """The plaque ("Tafel") is feminine, and so is the church."""
    clauses = ("image x0", "x0 P119 x1", "d1 reads P1684 plaque x1", "x1 P1619 d2")
    years = (*clauses, "a = difference d1 d2")
    church = say("x0 human, x1 church building", "quantity", *years)
    assert church.endswith("der Tafel der Kirche und der Eröffnung der Kirche?")
    theatre = say("x0 human, x1 theatre building", "quantity", *years)
    assert theatre.endswith("der Tafel des Theaters und seiner Eröffnung?")


def test_a_claim_that_no_sentence_says_is_refused():
    apart = ("image x0", "x0 P84 a", "x2 P84 x3")
    with pytest.raises(UnsaidError, match="no sentence"):
        say("x0 bridge, a human, x2 bridge, x3 human", "entity", *apart)


def test_two_people_of_one_role_and_a_question_for_a_genitive_are_refused():
    two = (
        "image x0",
        "x0 P84 x1",
        "x2 P206 x0",
        "x2 P84 x3",
        "x1 P737 x4",
        "x3 P737 x4",
        "x4 P19 a",
    )
    kinds = "x0 bridge, x1 human, x2 lighthouse, x3 human, x4 human, a town"
    with pytest.raises(UnsaidError):
        say(kinds, "entity", *two, genders={"x1": "he", "x3": "he", "x4": "he"})
    with pytest.raises(UnsaidError, match="genitive"):
        say("x0 painting, a museum", "entity", "image x0", "x0 P195 a")


def test_a_genitive_in_a_relative_clause_keeps_its_preposition():
    owned = ("image x0", "x0 P195 x1", "x1 P112 a")
    assert say("x0 painting, x1 museum, a human", "entity", *owned) == (
        "Von wem wurde das Museum gegründet, zu dessen Sammlung dieses Gemälde gehört?"
    )


def test_things_are_on_an_island_and_in_a_town():
    born = ("image x0", "x0 P84 x1", "x1 P19 a")
    assert say("x0 bridge, x1 human, a island", "entity", *born, genders={"x1": "he"}) == (
        "Auf welcher Insel wurde der Architekt dieser Brücke geboren?"
    )


def test_a_woman_beside_a_wife_is_another_woman():
    taught = ("image x0", "x0 P26 x1", "x1 P1066 x2", "x3 P1066 x2", "x3 P570 a")
    kinds = "x0 human, x1 human, x2 human, x3 human"
    sexes = {"x0": "he", "x1": "she", "x2": "he", "x3": "she"}
    text = say(kinds, "date day", *taught, genders=sexes)
    assert text.endswith("An welchem Tag starb die andere Frau?"), text


def test_one_thing_has_one_name():
    form = invented.form("date day", "image x0", "x0 P84 x1", "x1 P570 a")
    words = FormWords(
        form=form, names={}, classes=invented.classes("x0 bridge, x1 human"), genders={},
        years={}, facts=WORDS, language="en",
    )  # fmt: skip
    with pytest.raises(UnsaidError, match="two names"):
        german_question(lambda: Things(words=words, bindings={"x0": "Q1", "x1": "Q1"}))


def test_nouns_with_other_things_and_relative_pronouns():
    bridge, man = Noun.parse("f Brücke"), Noun.parse("m Mann Mannes")
    assert bridge.definite(ACCUSATIVE, other=True) == "die andere Brücke"
    assert man.definite(ACCUSATIVE, other=True) == "den anderen Mann"
    assert [man.relative(case) for case in (1, 2, 3, 4)] == ["der", "dessen", "dem", "den"]
    assert bridge.relative(GENITIVE) == "deren"
