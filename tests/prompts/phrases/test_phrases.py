"""The language's data: every phrase is well formed, and every property can be said in both directions."""

import re

import pytest

from questloom.knowledge.world import vocabulary
from questloom.language.frames import BE
from questloom.language.relations import PropertyUse, relation_table, worded_properties
from questloom.prompts.phrases import (
    common_class_ranks,
    language_data,
    property_phrase,
    property_use,
    vague_classes,
    variants,
    verb_forms,
)
from questloom.prompts.phrases.words import Words
from questloom.records.errors import InputError
from questloom.records.knowledge import Value

DATA = language_data("en")
WORDS = Words(DATA)
VERBS = verb_forms()
NEEDED = {
    "P17",
    "P131",
    "P84",
    "P571",
    "P1619",
    "P177",
    "P2048",
    "P2043",
    "P138",
    "P61",
    "P19",
    "P20",
    "P569",
    "P570",
    "P26",
    "P22",
    "P25",
    "P40",
    "P3373",
    "P106",
    "P69",
    "P1066",
    "P802",
    "P166",
    "P607",
    "P170",
    "P276",
    "P195",
    "P186",
    "P135",
    "P180",
    "P136",
    "P217",
    "P50",
    "P577",
    "P123",
    "P287",
    "P176",
    "P112",
    "P159",
    "P710",
    "P585",
    "P1346",
    "P225",
    "P171",
    "P189",
    "P575",
    "P403",
    "P974",
    "P885",
    "P2044",
    "P1082",
    "P1101",
    "P4552",
    "P47",
    "P137",
    "P127",
    "P88",
    "P825",
    "P547",
    "P504",
    "P729",
    "P462",
    "P1684",
    "P1114",
    "P108",
    "P119",
    "P140",
    "P407",
    "P495",
    "P749",
    "P144",
    "P86",
    "P57",
    "P178",
    "P101",
    "P737",
    "P1830",
    "P921",
    "P364",
    "P241",
    "P410",
    "P2067",
    "P1441",
    "P279",
    "P31",
    "P1448",
}


@pytest.mark.parametrize("property_id", sorted({*NEEDED, *worded_properties()}))
def test_a_property_has_sentences_of_known_verbs_and_questions_whose_slots_fit(property_id):
    assert property_id in worded_properties()
    for phrase in variants(property_phrase(property_id)):
        assert phrase.say
        for frame in phrase.say:
            assert {frame.subject, frame.end} == {"s", "o"}
            assert frame.verb in BE or frame.verb in VERBS.bases, frame
        for template in phrase.ask_shown:
            assert re.findall(r"\{(\w+)\}", template) == ["this"] and template.endswith("?")
        for template in phrase.ask:
            assert set(re.findall(r"\{(\w+)\}", template)) <= {
                "s",
                "units",
                "their",
            } and template.endswith("?")
        assert len(set(phrase.say)) == len(phrase.say)


def test_a_county_has_its_seat_in_a_town_and_the_subjects_words_stand_before_the_objects():
    said = [
        f.statement(*("a town", "a county") if f.subject == "s" else ("a county", "a town"))
        for f in property_phrase("P1376").variant((), ("county",)).say
    ]
    assert said == ["a town is the seat of a county", "a county has its seat in a town"]
    assert property_phrase("P138").variant(("person",), ("person",)).ask == (
        "Who was {s} named after?",
    )
    assert (
        "Who gave their name to {s}?"
        in property_phrase("P138").variant(("bridge",), ("person",)).ask
    )


def test_what_happens_in_a_town_happens_on_an_island():
    def said(property_id, *kinds):
        frames = property_phrase(property_id).variant(*kinds).say
        return [f.statement("x", "y") for f in frames if f.subject == "s"]

    assert "x was born on y" in said("P19", (), ("island",))
    assert "x was born in y" in said("P19", (), ("settlement",))
    assert "x took place on y" in said("P276", ("event",), ("island",))
    assert not any(" in " in text for text in said("P131", (), ("island",)))


def test_a_prize_goes_to_somebody_and_an_order_does_not():
    def said(*kinds):
        return [f.statement("a", "b") for f in property_phrase("P166").variant((), kinds).say]

    assert "a went to b" in said("award")
    assert "a went to b" not in said("organisation", "award")


def test_kinds_named_by_phrases_exist():
    for property_id in worded_properties():
        phrase = property_phrase(property_id)
        assert {*phrase.kinds, *phrase.kinds_object} <= set(DATA["kinds"]), property_id


@pytest.mark.parametrize(
    ("label", "said"),
    [
        ("sponsored by", "X is sponsored by Y"),
        ("member of", "X is a member of Y"),
        ("structural engineer", "Y is the structural engineer of X"),
        ("has part(s)", "Y is the part of X"),
        ("has {s} quirk", "Y is the s quirk of X"),
        ("crosses", "X crosses Y"),
    ],
)
def test_a_label_is_turned_into_a_sentence_by_its_shape(label, said):
    frame = property_phrase("P99999", label=label).say[0]
    assert frame.statement(*("XY" if frame.subject == "s" else "YX")) == said


def test_every_property_of_the_world_has_words_whether_listed_or_not():
    for term in vocabulary.properties().values():
        assert property_phrase(term.id, label=term.label).say


def test_uses_say_what_a_good_question_may_use():
    assert property_use("P84").hop
    assert property_use("P170").weight == 1.0
    assert property_use("P1082").volatile
    assert not property_use("P17").answer
    assert not property_use("P17").clue, "all are in one country"
    assert property_use("P18").weight == 0.0
    assert property_use("P19").single and not property_use("P84").single
    assert property_use("P98765") == PropertyUse()


def test_classes_of_what_may_be_asked_for_are_wikidatas():
    for use in (known.use for known in relation_table().relations.values()):
        assert all(
            re.fullmatch(r"Q\d+", c) for c in (*use.only, *use.never, *use.unasked_of)
        ) and not {*use.only} & {*use.never}
    assert (
        "Q5" in property_use("P2048").unasked_of
        and "Q28575" in property_use("P19").never
        and "Q33506" in property_use("P195").only
        and "Q634" in property_use("P706").never  # "the ocean lies in a planet"
    )
    assert vague_classes() and "Q515" not in vague_classes()


def test_a_city_is_based_nowhere_though_its_classes_lie_below_organization():
    for property_id in ("P131", "P17"):
        phrase = property_phrase(property_id, "en")
        for kinds in (("settlement", "region", "organisation"), ("region", "organisation")):
            assert "based" not in " ".join(map(str, phrase.variant(kinds).say))
        assert "based" in str(phrase.variant(("organisation",)).say)


def test_every_property_that_a_question_may_use_has_a_phrase_that_was_read():
    for property_id, known in relation_table().relations.items():
        assert known.say or not known.use.weight, property_id


def test_the_table_holds_hundreds():
    assert len(relation_table().relations) >= 600


@pytest.mark.parametrize(
    "property_id", ["P102", "P39", "P1539", "P1540", "P1082", "P2131", "P749", "P463"]
)
def test_what_changes_with_time_is_used_for_nothing(property_id):
    use = property_use(property_id)
    assert use.volatile and not (use.hop or use.clue or use.answer)


def test_the_classes_that_people_speak_of_are_ranked_each_once():
    ranks = common_class_ranks()
    assert (
        ranks["Q5"] == 0
        and ranks["Q515"] < ranks["Q15284"]
        and sorted(ranks.values()) == list(range(len(ranks)))
    )


def test_an_unknown_language_is_the_users_error():
    with pytest.raises(InputError, match="no phrases"):
        property_phrase("P84", "xx")
    with pytest.raises(InputError):
        language_data("../en")


@pytest.mark.parametrize(
    ("noun", "article"),
    [
        ("hour", "an"),
        ("university", "a"),
        ("European town", "a"),
        ("organ", "an"),
        ("8-metre mast", "an"),
        ("11-arch bridge", "an"),
        ("one-room school", "a"),
        ("heir", "an"),
        ("SOS call", "an"),
        ("UN envoy", "a"),
    ],
)
def test_the_article_follows_the_sound(noun, article):
    assert WORDS.article(noun) == article


@pytest.mark.parametrize(
    ("one", "many"),
    [
        ("church", "churches"),
        ("lady", "ladies"),
        ("valley", "valleys"),
        ("work of art", "works of art"),
        ("species", "species"),
        ("person", "people"),
        ("fisherman", "fishermen"),
        ("bridge", "bridges"),
        ("square kilometre", "square kilometres"),
        ("kilometre per hour", "kilometres per hour"),
        ("bus", "buses"),
    ],
)
def test_plurals(one, many):
    assert WORDS.plural(one) == many


@pytest.mark.parametrize(
    ("time", "precision", "said"),
    [
        ("+1850-00-00T00:00:00Z", 9, "in 1850"),
        ("+1850-05-00T00:00:00Z", 10, "in May 1850"),
        ("+1850-05-03T00:00:00Z", 11, "on 3 May 1850"),
        ("+1850-00-00T00:00:00Z", 8, "in the 1850s"),
        ("+1801-00-00T00:00:00Z", 7, "in the 19th century"),
        ("+1900-00-00T00:00:00Z", 7, "in the 19th century"),
        ("-0100-00-00T00:00:00Z", 7, "in the 1st century BC"),
        ("-1500-00-00T00:00:00Z", 6, "in the 2nd millennium BC"),
        ("-0044-00-00T00:00:00Z", 8, "in the 40s BC"),
        ("-66000000-00-00T00:00:00Z", 3, "in about 66,000,000 BC"),
        ("-0044-03-15T00:00:00Z", 9, "in 44 BC"),
    ],
)
def test_dates_are_said_at_their_precision(time, precision, said):
    assert WORDS.at(Value(kind="time", time=time, precision=precision)) == said
