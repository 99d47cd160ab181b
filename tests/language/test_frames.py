"""A plain sentence taken apart: its passive, its questions, its relative clauses."""

import pytest

from questloom.language.frames import Frame, past_tense, third_person
from questloom.prompts.phrases import property_phrase, verb_forms

VERBS = verb_forms()


@pytest.mark.parametrize(
    ("text", "gap", "inverted"),
    [
        ("{s} was born in {o}", "X was born", "was X born"),
        ("{s} died in {o}", "X died", "did X die"),
        ("{s} crosses {o}", "X crosses", "does X cross"),
        ("{s} has its home port in {o}", "X has its home port", "does X have its home port"),
        ("{o} wrote the screenplay of {s}", "X wrote the screenplay", "did X write the screenplay"),
        ("{s} was opened {t}", "X was opened", "was X opened"),
        ("{s} is {q} tall", "X is tall", "is X tall"),
    ],
)
def test_a_sentence_loses_its_other_end_and_is_turned_into_a_question(text, gap, inverted):
    frame = Frame.parse(text)
    assert frame.gap("X") == gap
    assert frame.inverted("X", VERBS.bases) == inverted


@pytest.mark.parametrize(
    ("text", "passive"),
    [
        ("{o} designed {s}", "S was designed by O"),
        ("{o} owns {s}", "S is owned by O"),
        ("{s} crosses {o}", "O is crossed by S"),
        ("{o} brought out {s}", "S was brought out by O"),
        ("{o} taught {s}", "S was taught by O"),
    ],
)
def test_a_verb_with_an_object_has_a_passive(text, passive):
    frame = Frame.parse(text).passive(VERBS.participles)
    assert frame.statement(*(frame.subject.upper(), frame.end.upper())) == passive


@pytest.mark.parametrize(
    "text",
    [
        "{s} married {o}",
        "{s} died in {o}",
        "{o} is the capital of {s}",
        "{s} is {q} tall",
        "{s} opened {t}",
        "{s} involved {o}",
    ],
)
def test_other_verbs_have_none(text):
    assert Frame.parse(text).passive(VERBS.participles) is None


@pytest.mark.parametrize(
    ("text", "reducible"),
    [
        ("{s} was born in {o}", True),
        ("{s} is in {o}", True),
        ("{s} stands in {o}", True),
        ("{s} rises in {o}", False),
        ("{o} was the father of {s}", False),
        ("{s} is part of {o}", False),
    ],
)
def test_a_relative_clause_does_without_its_copula_where_something_but_a_noun_follows(
    text, reducible
):
    assert Frame.parse(text).is_reducible == reducible


@pytest.mark.parametrize(
    "text",
    ["{s} {o}", "designed by {o}", "{s} was born", "Who designed {s}?", "{s} was {o} by {o}"],
)
def test_what_is_no_plain_sentence_is_refused(text):
    with pytest.raises(ValueError, match="plain sentence"):
        Frame.parse(text)


def test_a_text_keeps_its_quotation_marks():
    assert (
        Frame.parse("{s} bears the inscription “{o}”").predicate("Ave")
        == "bears the inscription “Ave”"
    )


def test_regular_verbs_have_their_forms():
    assert [third_person(v) for v in ("cross", "carry", "play", "go")] == [
        "crosses",
        "carries",
        "plays",
        "goes",
    ]
    assert [past_tense(v) for v in ("compose", "carry", "play", "design")] == [
        "composed",
        "carried",
        "played",
        "designed",
    ]


def test_both_ends_of_a_relation_are_said_from_one_sentence():
    phrase = property_phrase("P84")
    assert phrase.predicates("s", VERBS)[0] == "was designed by {o}"
    assert phrase.predicates("o", VERBS)[0] == "designed {s}"
