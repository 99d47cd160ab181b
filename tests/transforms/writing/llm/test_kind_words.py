"""What stands in the brackets behind a name is evidence for who writes and who reads."""

from dataclasses import replace

import pytest

from questloom.records.form import Ask, ClaimClause, Form, Image
from questloom.records.knowledge import Entity, PropertyInfo, Value
from questloom.records.synthesis import Answer
from questloom.transforms.writing.llm.evidence_words import kinds_lines
from questloom.transforms.writing.llm.kind_words import description_kind, noun_phrase, seen_kind
from questloom.transforms.writing.llm.question_checks import check_plain
from questloom.transforms.writing.llm.word_proof import check_words_proven
from questloom.transforms.writing.writer import Draft
from tests.small_facts import SmallFacts, claim

NAMES = {
    "Q1": "Merren plover",
    "Q2": "Ada Orm",
    "Q3": "Tolm",
    "Q4": "taxon",
    "Q5": "human",
    "Q6": "architect",
    "Q7": "View of Merren",
    "Q8": "painting",
}
ABOUT = {
    "Q1": "species of bird in Norland",
    "Q2": "Norlandish sculptor",
    "Q7": "painting by Ada Orm",
}


@pytest.fixture
def store():
    claims = [
        claim("Q1", "P31", "Q4"),
        claim("Q2", "P31", "Q5"),
        claim("Q2", "P106", "Q6"),
        claim("Q2", "P19", "Q3"),
        claim("Q7", "P31", "Q8"),
        claim("Q7", "P180", "Q1"),
        claim("Q7", "P180", "Q2"),
    ]
    entities = {
        e: Entity(id=e, labels={"en": name}, descriptions={"en": ABOUT[e]} if e in ABOUT else {})
        for e, name in NAMES.items()
    }
    return SmallFacts(
        claims,
        entities,
        properties={
            p: PropertyInfo(id=p, labels={"en": n})
            for p, n in {"P180": "depicts", "P19": "place of birth"}.items()
        },
    )


def asking(text, depicted="Q1"):
    """Where what the pictured painting depicts was born."""
    clauses = (
        Image(var="x0"),
        ClaimClause(subject="x0", property="P180", object="x1"),
        ClaimClause(subject="x1", property="P19", object="a"),
    )
    answer = Answer(value=Value(kind="entity", entity="Q3"), text="Tolm", type="entity")
    form = Form(clauses=clauses, ask=Ask(var="a", type="entity"))
    return Draft(
        text=text,
        answer=answer,
        anchor="Q7",
        form=form,
        bindings={"x0": "Q7", "x1": depicted, "a": "Q3"},
    )


def proven(store, text, depicted):
    check_words_proven(store, asking(text, depicted), "en", ("en",))


def test_a_closer_kind_than_the_class_may_be_said_of_the_picture_alone_and_a_reader_is_shown_it(
    store,
):
    """ "The fish that she discovered" may be one, where of the species that she discovered the picture tells which is meant."""
    text = "Where was the bird born that the painting in the picture depicts?"
    assert [description_kind(store, e, "en") for e in ("Q1", "Q2", "Q7")] == [
        "species of bird",
        "",
        "painting",
    ]
    check_words_proven(store, replace(asking(text), anchor="Q1"), "en", ("en",))
    with pytest.raises(ValueError, match='"bird"'):
        proven(store, text, "Q1")
    told = [
        kinds_lines(store, ("Q1", "Q2"), anchor, "en").splitlines()[0] for anchor in ("Q1", "Q7")
    ]
    assert told == [
        "Merren plover: taxon, species, species of bird",
        "Merren plover: taxon, species",
    ]
    with pytest.raises(ValueError, match='"lake"'):
        check_words_proven(
            store,
            replace(asking(text.replace("bird", "bird of the lake")), anchor="Q1"),
            "en",
            ("en",),
        )


@pytest.mark.parametrize(
    ("description", "kind", "shown"),
    [
        ("Painting by Ada Orm", "painting", "Painting"),
        ("Medieval triptych by Ada Orm", "triptych", "Medieval triptych"),
        ("schooner built in Merren", "schooner", "schooner"),
        ("Norlandish steamship built 1896", "steamship", "Norlandish steamship"),
        ("Book of hours from Tolm", "book of hours", "Book of hours"),
        ("Gothic Revival", "", "Gothic Revival"),
        ("museum of Tolm", "museum", "museum"),
        ("1912 painting by Ada Orm", "painting", "1912 painting"),
        ("1912 by Ada Orm", "", "1912"),
        ("", "", ""),
    ],
)
def test_a_descriptions_beginning_is_a_kind_up_to_what_is_no_part_of_the_noun(
    description, kind, shown
):
    store = SmallFacts(
        [], {"Q1": Entity(id="Q1", labels={"en": "Orm"}, descriptions={"en": description})}
    )
    assert (description_kind(store, "Q1", "en"), noun_phrase(description)) == (kind, shown)
    assert kinds_lines(store, (), "Q1", "en") == (f"Orm: {shown}" if shown else "(none)")


def test_an_occupation_that_claims_state_says_no_relation_where_it_stands_alone(store):
    proven(
        store,
        "The painting in the picture depicts an architect. Where was the architect born?",
        "Q2",
    )
    for text in (
        "The painting in the picture depicts its architect. Where was that person born?",
        "The painting in the picture depicts somebody. Where was the architect of it born?",
        "The painting in the picture by the architect depicts somebody. Where was that person born?",
        "The painting in the picture depicts a sculptor. Where was the sculptor born?",
    ):
        with pytest.raises(ValueError):
            proven(store, text, "Q2")


@pytest.mark.parametrize(
    "text",
    [
        "Which lighthouse stands in or next to the Sound of Orm?",
        "What is the taxon name of the fish?",
        "Where did he die whose son taught the man whose museum it is?",
        "How many square kilometres does the district cover in which that village lies?",
    ],
)
def test_a_tables_label_and_a_torn_clause_are_refused(text):
    with pytest.raises(ValueError):
        check_plain(text, "en")
    check_plain(
        "The museum in the picture was founded by a painter. In which town did the person who taught that founder die?",
        "en",
    )
    check_plain("In which place did the person die who taught its founder?", "en")


@pytest.mark.parametrize(
    ("clause", "torn"),
    [
        ("who taught the oldest founder of the school", False),
        ("who taught the very oldest founder of the school", True),
        ("who taught whom she loved", True),
    ],
)
def test_behind_the_verb_stands_one_short_clause_alone(clause, torn):
    text = f"In which town did the man die {clause}?"
    if torn:
        with pytest.raises(ValueError, match=f'"{clause}." stands apart'):
            check_plain(text, "en")
    else:
        check_plain(text, "en")


def test_the_kind_that_begins_the_pictures_description_may_be_said_in_small_letters(store):
    view = store.entities["Q7"]
    store.entities["Q7"] = view.replace(descriptions={"en": "Triptych by Ada Orm"})
    said = "The {} in the picture depicts an architect. Where was the architect born?"
    proven(store, said.format("triptych"), "Q2")
    with pytest.raises(ValueError, match='"altarpiece"'):
        proven(store, said.format("altarpiece"), "Q2")


@pytest.mark.parametrize(
    ("description", "seen"),
    [
        ("very large oil painting by Ada Orm", "very large oil painting"),
        ("very large old oil painting by Ada Orm", "painting"),
        ("painting and frame by Ada Orm", "painting"),
        ("triptych by Ada Orm", "painting"),
    ],
)
def test_a_picture_is_called_by_its_description_where_that_is_short_and_of_its_class(
    store, description, seen
):
    store.entities["Q7"] = store.entities["Q7"].replace(descriptions={"en": description})
    assert seen_kind(store, "Q7", "en") == seen
    assert seen_kind(store, "Q99", "en") == description_kind(store, "Q99", "en") == ""


def test_a_description_gives_a_kind_in_english_only(store):
    store.entities["Q7"] = store.entities["Q7"].replace(descriptions={"de": "gemälde von Orm"})
    assert description_kind(store, "Q7", "de") == ""
    store.entities["Q3"] = store.entities["Q3"].replace(descriptions={"en": "town in Norland"})
    assert seen_kind(store, "Q3", "en") == "town", "a thing of no class"
