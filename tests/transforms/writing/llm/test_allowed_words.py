"""Which words of an English question nothing has that it was made from."""

import pytest

from questloom.language.relations import worded_properties
from questloom.prompts.phrases import property_phrase, variants, verb_forms
from questloom.transforms.writing.llm.allowed_words import unsaid_words
from questloom.transforms.writing.llm.relation_words import relation_words

ARCHITECT = [
    relation_words("P84", "architect"),
    relation_words("P131", "located in the administrative territorial entity"),
]
HONEST = "Which architect designed the cathedral in Merren?"


@pytest.mark.parametrize(
    ("text", "unsaid"),
    [
        (HONEST, ()),
        ("By whom was the cathedral in the town in the picture designed as well?", ()),
        ("Which architect did not design the cathedral in Merren?", ("not",)),
        ("Never did an architect design the cathedral in Merren?", ("never",)),
        ("Which architect designed the smallest cathedral in Merren?", ("smallest",)),
        ("Which architect designed the second cathedral in Merren?", ("second",)),
        (
            "Which architect designed the crypt of the cathedral outside Merren?",
            ("crypt", "outside"),
        ),
        ("Which architect refused to design the cathedral in Merren?", ("refused",)),
    ],
)
def test_a_word_is_refused_that_no_relation_and_no_source_has(text, unsaid):
    assert (
        unsaid_words(text, ARCHITECT, ["architect: Ivo Mersk", "cathedral", "town", "Merren"])
        == unsaid
    )


@pytest.mark.parametrize(
    ("text", "source", "unsaid"),
    [
        ("Who founded it?", "the founding", ()),
        ("Who built it?", "the building", ("built",)),
        ("Who found it?", "the founder", ()),
        ("Who sells it?", "the shop", ("sells",)),
        ("Orm has it, who?", "Orm", ()),
        ("Orm has it, who?", "Ormen", ("orm",)),
    ],
)
def test_two_words_are_forms_of_one_by_their_first_five_letters(text, source, unsaid):
    assert unsaid_words(text, [], [source]) == unsaid


def test_a_name_licenses_no_words_but_itself():
    assert unsaid_words(
        "Who never painted it?",
        [relation_words("P170", "creator")],
        ["Never Let Me Go", "The Last Supper"],
    ) == ("never",)
    assert (
        unsaid_words("Ivo Mersk designed the cathedral.", ARCHITECT, ["Ivo Mersk", "cathedral"])
        == ()
    )


def test_a_negation_in_a_contraction_is_a_word_of_its_own():
    said = "Which man didn't see the largest crypt?"
    told = ["a man could see the great crypt"]
    assert unsaid_words(said, [], told) == ("n", "t", "largest")
    assert unsaid_words(said, [], [*told, "a man who didn't see the largest crypt"]) == ()


def test_a_unit_may_be_said_and_is_no_ordinal():
    height = [relation_words("P2048", "height")]
    assert unsaid_words("How many feet high is the tower?", height, ["tower"]) == ()
    assert unsaid_words("How many feet high is the second tower?", height, ["tower"]) == ("second",)


def test_the_graph_writers_words_for_a_relation_may_always_be_said():
    refused = {
        property_id: words
        for property_id in worded_properties()
        for phrase in variants(property_phrase(property_id))
        for text in (
            *phrase.o,
            *phrase.s,
            *phrase.ask,
            *phrase.predicates("s", verb_forms("en")),
            *phrase.predicates("o", verb_forms("en")),
        )
        if (words := unsaid_words(text, [relation_words(property_id, property_id)], []))
    }
    assert refused == {}


@pytest.mark.parametrize(
    ("property_id", "text", "subject", "turned"),
    [
        ("P84", "Which architect was designed by the cathedral?", ("cathedral",), True),
        (
            "P84",
            "Which architect was designed by Saint Ovid's Cathedral?",
            ("Saint Ovid's Cathedral",),
            True,
        ),
        ("P84", "By which architect was the cathedral designed?", ("cathedral",), False),
        (
            "P84",
            "The cathedral was designed by an architect. Where was he born?",
            ("cathedral",),
            False,
        ),
        ("P47", "Which town is bordered by the town of Merren?", ("town",), False),
    ],
)
def test_a_subject_does_not_do_what_its_object_did(property_id, text, subject, turned):
    assert relation_words(property_id, property_id).done_by(text, subject) is turned
