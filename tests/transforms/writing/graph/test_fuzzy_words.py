"""Vague clues in English. `fuzzy_goldens.txt` holds a wording of each kind; a person has read each line aloud.

After a deliberate change, read the new lines and write them with `QUESTLOOM_WRITE_GOLDENS=1 pytest <this file>`.
"""

import importlib.util
import os
from pathlib import Path

import pytest

from questloom.language.frames import Frame
from questloom.language.relations import PropertyPhrase
from questloom.prompts.phrases import language_data, property_phrase, verb_forms
from questloom.prompts.phrases.words import Words
from questloom.records.form import FUZZY_KINDS, Clause, Form, Fuzzy
from questloom.records.knowledge import Value, entity_value
from questloom.transforms.writing.graph.fuzzy_words import (
    by_stand_in,
    negated,
    plain_phrase,
    refers_forward,
    tellable_claims,
    years_from,
)
from questloom.transforms.writing.graph.verbalise import verbalise

HERE = Path(__file__).parent
_spec = importlib.util.spec_from_file_location("invented", HERE / "invented.py")
invented = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(invented)
WORDS, GOLDENS = invented.InventedWords(), HERE / "fuzzy_goldens.txt"


def vague(kind: str, subject: str, property: str, of: str | Value, **more) -> Fuzzy:
    """`of` is a class for categories and names, a thing's name for exclusions, a variable for years."""
    if isinstance(of, str) and of not in ("x0", "x1"):
        of = entity_value(invented.IDS[of] if kind == "exclusion" else invented.CLASS[of])
    return Fuzzy(kind=kind, subject=subject, property=property, object=of, **more)


def period(year: int, precision: int) -> Value:
    return Value(kind="time", time=f"+{year}-00-00T00:00:00Z", precision=precision)


FILM = ("x0 human, a film", "entity", ("image x0", "a P57 x0", "a is film"))
CHURCH = (
    "x0 human, x1 church building",
    "date year",
    ("image x0", "x1 P84 x0", "x1 is church building", "x1 P1619 a"),
)
PICTURE = (
    "x0 painting, x1 human, x2 painting, a art museum",
    "entity",
    ("image x0", "x0 P170 x1", "x2 P170 x1", "x2 is painting", "x2 P276 a"),
)
CASES = [
    (FILM, (vague("category", "a", "P840", "village"),)),
    (CHURCH, (vague("category", "x1", "P131", "village"),)),
    (FILM, (vague("meta-attribute", "a", "P840", "town", number=2),)),
    (FILM, (vague("meta-attribute", "a", "P840", "town", initial="K"),)),
    (PICTURE, (vague("meta-attribute", "x2", "P1028", "family", initial="P"),)),
    (FILM, (vague("exclusion", "a", "P840", "Velm"),)),
    (CHURCH, (vague("exclusion", "x1", "P131", "Karsk"),)),
    (PICTURE, (vague("exclusion", "x2", "P195", "Ostmark Museum"),)),
    (FILM, (vague("range", "a", "P577", period(1931, 8)),)),
    (CHURCH, (vague("range", "x1", "P571", period(1801, 7)),)),
    (PICTURE, (vague("range", "x2", "P571", period(1860, 8)),)),
    (FILM, (vague("arithmetic", "a", "P577", "x0", number=12, since="P570"),)),
    (FILM, (vague("arithmetic", "a", "P577", "x0", number=-1, since="P570"),)),
    (
        ("x0 human, a painting", "entity", ("image x0", "a P170 x0", "a is painting")),
        (vague("arithmetic", "a", "P571", "x0", number=30, since="P569"),),
    ),
    (
        (
            "x0 novel, x1 human, a novel",
            "entity",
            ("image x0", "x0 P50 x1", "a P50 x1", "a is novel"),
        ),
        (vague("arithmetic", "a", "P577", "x1", number=3, since="P570"),),
    ),
    (
        PICTURE,
        (
            vague("range", "x2", "P571", period(1860, 8)),
            vague("exclusion", "x2", "P1071", "Velm"),
        ),
    ),
]


def form_of(case) -> Form:
    (_, ask, clauses), clues = case
    form = invented.form(ask, *clauses)
    before: tuple[Clause, ...] = form.clauses
    return Form(clauses=(*before, *clues), ask=form.ask)


def worded(number: int, seed: int = 0):
    case = CASES[number]
    return verbalise(
        form_of(case),
        names={},
        classes=invented.classes(case[0][0]),
        facts=WORDS,
        item_id=f"fuzzy-{number}",
        recipe_seed=seed,
        genders={"x0": "he", "x1": "he"},
    )


def test_each_kind_is_worded_as_a_person_accepted_it():
    assert {c.kind for _, clues in CASES for c in clues} == {*FUZZY_KINDS}
    lines = [
        f"{', '.join(c.kind for c in case[1])}\n    {worded(n).text}"
        for n, case in enumerate(CASES)
    ]
    text = "\n".join(lines) + "\n"
    if os.environ.get("QUESTLOOM_WRITE_GOLDENS"):
        GOLDENS.write_text(text, encoding="utf-8")
    assert text == GOLDENS.read_text(encoding="utf-8")


@pytest.mark.parametrize("number", range(len(CASES)))
def test_no_wording_of_a_vague_clue_has_a_problem_or_leaves_it_out(number):
    told = {
        "category": ("village",),
        "meta-attribute": ("two-word name", "name begins with K", "name begins with P"),
        "exclusion": ("not ",),
        "range": ("1930s", "19th century", "1860s"),
        "arithmetic": (
            "twelve years after",
            "one year before",
            "three years after",
            "30 years after",
        ),
    }
    for seed in range(4):
        made = worded(number, seed)
        assert made.problems == (), made.text
        for clue in CASES[number][1]:
            assert any(words in made.text for words in told[clue.kind]), made.text
        assert not refers_forward(form_of(CASES[number]), made.text, made.anchor_phrase)


def test_a_sentence_is_denied_with_its_verb_and_only_a_denied_one():
    bases = verb_forms().bases
    for said, denied in (
        ("{s} was set in {o}", "was not set in Velm"),
        ("{s} hangs in {o}", "does not hang in Velm"),
        ("{s} crossed {o}", "did not cross Velm"),
    ):
        assert negated(Frame.parse(said), bases).predicate("Velm") == denied


def test_nobody_is_called_by_what_is_denied_and_nothing_stands_before_its_noun():
    pupil, denied = property_phrase("P1066"), vague("exclusion", "x1", "P1066", "Ivo Mersk")
    assert pupil.o and plain_phrase(pupil, denied).o == () == plain_phrase(pupil, denied).s
    kept = plain_phrase(pupil, vague("category", "x1", "P1066", "human"))
    assert kept.o == pupil.o and not (kept.dated or kept.adjective)


def test_he_does_not_stand_before_the_picture_whose_thing_he_is():
    form = form_of(CASES[11])
    text = "Which film released twelve years after he died was directed by this man?"
    assert refers_forward(form, text, "this man")
    assert not refers_forward(form, "Which film by this man came out after he died?", "this man")
    assert not refers_forward(form_of(CASES[0]), text, "this man"), "no years are counted"


def test_a_stand_in_takes_the_place_of_a_value_and_a_decade_is_its_own():
    claims, found = tellable_claims(form_of(CASES[15]))
    assert [c.property for c in claims][-2:] == ["P571", "P1071"] and len(found) == 2
    assert claims[-2].object == period(1860, 8) and claims[-1].object.entity.startswith("fuzzy")
    assert list(by_stand_in(found)) == [claims[-1].object.entity]


@pytest.mark.parametrize(
    ("number", "said", "words"),
    [
        (12, "{s} was made in {o}", "twelve years after he died"),
        (1, "{s} was made in {o}", "one year after he died"),
        (-1, "{s} was made in {o}", "one year before he died"),
        (3, "{s} died in {o}", "three years after him"),
    ],
)
def test_years_are_counted_from_what_the_other_thing_did(number, said, words):
    clue = vague("arithmetic", "a", "P577", "x0", number=number, since="P570")
    frames = "{o} saw the end of {s}", "{s} had {o} as its end", "{s} died in {o}"
    since = PropertyPhrase(property="P570", say=tuple(map(Frame.parse, frames)))
    told = years_from(
        clue,
        Frame.parse(said),
        since,
        Words(language_data("en")),
        lambda options: options[0],
        lambda subject: "he" if subject else "him",
    )
    assert told == words
