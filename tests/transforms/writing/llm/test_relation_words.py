"""In which English words a relation may be said, and which words tell one that something must support."""

import pytest

from questloom.language.relations import worded_properties
from questloom.prompts.phrases import property_phrase, variants, verb_forms
from questloom.transforms.writing.llm.relation_words import (
    relation_words,
    telling_words,
    unsupported_words,
)


@pytest.mark.parametrize(
    "text",
    [
        "She was detained in a castle.",
        "In which castle was the painter imprisoned?",
        "Where was the painter held prisoner?",
    ],
)
def test_a_detention_is_said_by_its_verbs(text):
    detention = relation_words("P2632", "place of detention")
    assert detention.is_stated(text, of_object=True)
    assert not detention.is_stated("The painter was crowned in a castle.", of_object=True)


@pytest.mark.parametrize(
    ("property_id", "label", "said", "other"),
    [
        (
            "P740",
            "location of formation",
            "the town where the band was formed",
            "the town where the band was recorded",
        ),
        (
            "P291",
            "place of publication",
            "the town where the book came out",
            "the town where the book came to light",
        ),
        ("P647", "drafted by", "the team that drafted the player", "the team that the player left"),
    ],
)
def test_a_relation_without_words_of_its_own_is_said_as_the_graph_writer_says_it(
    property_id, label, said, other
):
    relation = relation_words(property_id, label)
    assert relation.is_stated(said, of_object=True) and not relation.is_stated(
        other, of_object=True
    )


def test_the_graph_writers_verbs_say_the_relation_where_it_need_not_tell_its_ends_apart():
    unsaid = {
        property_id
        for property_id in worded_properties()
        for phrase in variants(property_phrase(property_id))
        for frame in phrase.frames(verb_forms())
        for relation in [relation_words(property_id, property_id)]
        if relation.subject is relation.object
        and not relation.is_stated(frame.statement("Ada", "Orm"), of_object=True)
    }
    # "runs" and "has a …" say too much to say a relation; "from" says it with the name of a family only
    assert unsaid == {"P53", "P664", "P1088"}


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("How many years after the year of his own birth did he found it?", ("birth", "found")),
        ("Which of its own rooms is it?", ()),
        ("Which family may own the house in the picture?", ("own",)),
        ("Who was his owner?", ("owner",)),
        ("Which house did the sisters own?", ("sisters", "own")),
        (
            "Under whose ownership was it, who owned it, and who owns it?",
            ("ownership", "owned", "owns"),
        ),
    ],
)
def test_own_tells_a_relation_where_it_is_a_verb_and_not_behind_a_possessive(text, words):
    assert telling_words(text) == words


def test_a_style_is_said_by_its_name_alone_but_not_beside_another_relation():
    style = relation_words("P149", "architectural style")
    assert style.is_stated("the Salt Gothic dam", of_object=True) and not style.is_stated(
        "the dam commissioned by the Salt Gothic", of_object=True
    )


@pytest.mark.parametrize(
    ("property_id", "label", "said", "other"),
    [
        ("P1923", "participating team", "the clubs that competed in the cup", "the clubs' own cup"),
        ("P2522", "victory", "the race of which she was the winner", "the race that she watched"),
        ("P725", "voice actor", "who voiced the robot", "who drew the robot"),
        ("P272", "production company", "the studio behind the film", "the director of the film"),
        ("P1040", "film editor", "the film's cutting was hers", "the first edition is hers"),
        ("P1376", "capital of", "the region governed from the town", "the region near the town"),
        (
            "P2554",
            "production designer",
            "who did its production design",
            "who painted its poster",
        ),
        ("P344", "director of photography", "its cameraman", "its composer"),
        ("P740", "location of formation", "where the band got together", "the former band's home"),
        ("P2515", "costume designer", "whose wardrobe the film shows", "who painted its poster"),
        ("P647", "drafted by", "whose first pick of the year he was", "whom he coached"),
        ("P1891", "signatory", "a signatory of the treaty", "a significant man of the treaty"),
        ("P449", "original broadcaster", "the network that aired it", "the studio that made it"),
        ("P1877", "after a work by", "adapted from a novel by Ada", "praised by Ada"),
        ("P179", "part of the series", "the saga that it closes", "the novel that it mocks"),
        ("P1249", "earliest record", "documented in 1204", "destroyed in 1204"),
        ("P559", "terminus", "the last stop of the line", "the owner of the line"),
        ("P828", "has cause", "the flood was due to a storm", "the flood came before a storm"),
        ("P1891", "signatory", "the treaty that he signed", "the treaty that he broke"),
        ("P417", "patron saint", "the town's protector", "the town's founder"),
        ("P807", "separated from", "from which it seceded", "which it borders"),
        ("P1191", "date of first performance", "it premiered in 1890", "it was written in 1890"),
        ("P4602", "date of burial or cremation", "was laid to rest in May", "was born in May"),
        ("P655", "translator", "whose translation it is", "whose printing it is"),
    ],
)
def test_a_filled_relation_is_said_in_more_words_than_the_graph_writers_and_no_other_is(
    property_id, label, said, other
):
    words = relation_words(property_id, label)
    assert words.is_stated(said, of_object=True) and not words.is_stated(other, of_object=True)


@pytest.mark.parametrize(
    ("property_id", "label", "by"),
    [("P1066", "student of", True), ("P22", "father", False), ("P802", "student", False)],
)
def test_by_names_the_object_only_where_the_graph_writer_says_it_so(property_id, label, by):
    assert relation_words(property_id, label).by_object is by


@pytest.mark.parametrize(
    ("label", "text", "said"),
    [
        ("composer", "who composed it", True),
        ("composition", "a composite view", False),
        ("award received", "the award", True),
        ("loss of composer", "the loss", False),
        ("place of composition", "the place", False),
    ],
)
def test_a_relation_that_no_table_has_is_said_by_the_long_words_of_its_label(label, text, said):
    assert relation_words("P9999", label).is_stated(text, of_object=True) is said


def test_six_hints_follow_the_label_at_most():
    places = relation_words("P131", "located in")
    assert places.hints == ("located in", "in", "at", "located", "lies", "stand", "situated")
    assert relation_words("P9999", "composer").hints == ("composer",)


def test_in_another_language_the_words_tell_no_direction():
    drawn = relation_words("P84", "Architekt", "de")
    assert drawn.subject is drawn.object and not drawn.by_object
    assert not drawn.done_by("Which architect was designed by the cathedral?", ("cathedral",))
    assert not relation_words("P84", "architect").done_by("Who was it designed by?", ())


def test_a_source_supports_the_words_that_begin_as_its_own_do():
    text = "Where did its painter live?"
    assert unsupported_words(text, [], ["she paints"]) == ()
    assert unsupported_words(text, [], ["her pain"]) == ("painter",)
