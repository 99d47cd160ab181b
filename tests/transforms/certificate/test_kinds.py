"""What a question's words call its things: found, held against claims, and shown as evidence."""

import pytest

from questloom.records.form import Ask, ClaimClause, Form, Image
from questloom.records.knowledge import Entity, Value, entity_value
from questloom.transforms.certificate.kinds import (
    FEMALE,
    MALE,
    find_kind_words,
    find_sex_words,
    is_occupation,
    kind_hops,
    says,
    stated_kinds,
)
from tests.small_facts import SmallFacts, claim

NAMES = {
    "Q1": "Vess Tower",
    "Q2": "Ada Lund",
    "Q3": "Velm",
    "Q5": "human",
    "Q6": "civil engineer",
    "Q7": "church building",
    "Q8": "county seat",
    "Q9": "borough of New York City",
    MALE: "male",
    FEMALE: "female",
    "Q10": "lighthouse",
    "Q11": "tower",
}
FORM = Form(
    clauses=(
        Image(var="x0"),
        ClaimClause(subject="x0", property="P84", object="x1"),
        ClaimClause(subject="x1", property="P19", object="a"),
    ),
    ask=Ask(var="a", type="entity"),
)
BINDING = {"x0": entity_value("Q1"), "x1": entity_value("Q2"), "a": entity_value("Q3")}


def facts(sex: str = FEMALE, kind: str = "Q9", tower: str = "Q10") -> SmallFacts:
    claims = [
        claim("Q1", "P31", tower),
        claim("Q2", "P31", "Q5"),
        claim("Q2", "P21", sex),
        claim("Q2", "P106", "Q6"),
        claim("Q3", "P31", kind),
        claim("Q10", "P279", "Q11"),
    ]
    return SmallFacts(claims, {e: Entity(id=e, labels={"en": name}) for e, name in NAMES.items()})


def shown(text: str, store: SmallFacts) -> list[tuple[str, str]]:
    return [(hop.source, hop.property) for hop in kind_hops(store, text, BINDING, FORM)]


def test_the_claims_that_the_words_rest_on_are_evidence_and_no_others():
    assert shown(
        "In which borough was the engineer born who designed the lighthouse in the picture?",
        facts(),
    ) == [("a", "P31"), ("x0", "P31"), ("x1", "P106")]
    assert shown("Her name is lost: where was the woman born?", facts()) == [("x1", "P21")]
    assert shown("Where was the civil engineer born?", facts()) == [("x1", "P106")]
    assert shown("Where was the architect of the sight in the picture born?", facts()) == []


def test_what_the_question_names_is_called_something_too():
    clauses = [
        ClaimClause(subject="x1", property=p, object=entity_value(e))
        for p, e in (("P26", "Q3"), ("P69", "Q4"))
    ]
    store = facts(kind=FEMALE)
    hops = kind_hops(
        store,
        "Her spouse is named, and so is her school.",
        BINDING,
        Form(clauses=(*FORM.clauses, *clauses), ask=FORM.ask),
    )
    assert [(h.source, h.property) for h in hops] == [("", "P31"), ("a", "P31"), ("x1", "P21")]


@pytest.mark.parametrize(
    ("text", "store", "missing"),
    [
        ("Where was the man born?", facts(), "man"),
        ("Where was he born?", facts(), "he"),
        ("Where was the woman born?", facts(MALE), "woman"),
        ("Where was the wife of the architect born?", facts(MALE), "wife"),
        ("In which town was she born?", facts(), "town"),
        ("In which county was she born?", facts(kind="Q8"), "county"),
        ("the naturalist who designed it", facts(), "naturalist"),
        ("the bridge in the picture", facts(), "bridge"),
    ],
)
def test_a_kind_or_sex_that_no_claim_says_is_found(text, store, missing):
    words = frozenset().union(
        *(k.words for e in ("Q1", "Q2", "Q3") for k in stated_kinds(store, e))
    )
    assert [w for w in find_kind_words(text) if not says(w, words)] == [missing]


@pytest.mark.parametrize(
    ("text", "store"),
    [
        ("the woman who designed it", facts()),
        ("his engineers", facts(MALE)),
        ("in which borough", facts()),
        ("the church seen here", facts(tower="Q7")),
        ("The engineer of Lake Orm, a person", facts()),
        ("which exists, consists of stone, and is on a list", facts()),
    ],
)
def test_what_a_claim_says_of_any_of_the_things_may_be_said(text, store):
    words = frozenset().union(
        *(k.words for e in ("Q1", "Q2", "Q3") for k in stated_kinds(store, e))
    )
    assert all(says(w, words) for w in find_kind_words(text))


def test_a_father_is_a_man_without_a_claim_of_his_sex():
    told = find_sex_words(
        Form(
            clauses=(Image(var="x0"), ClaimClause(subject="x0", property="P22", object="a")),
            ask=Ask(var="a", type="entity"),
        )
    )
    assert says("he", told) and not says("she", told) and find_sex_words(FORM) == frozenset()


def test_the_kind_is_told_first_then_the_sex_then_the_occupation_and_nothing_else():
    told = [(k.claim.property, k.label) for k in stated_kinds(facts(), "Q2")]
    assert told == [("P31", "human"), ("P21", "female"), ("P106", "civil engineer")] and [
        k.label for k in stated_kinds(facts(), "Q1")
    ] == ["lighthouse"]
    assert stated_kinds(facts(), "Q404") == ()


def test_what_a_better_claim_outdoes_and_what_is_not_known_is_not_told():
    claims = [
        claim("Q1", "P31", "Q10", best=False),
        claim("Q1", "P31", "Q7"),
        claim("Q1", "P106", Value(kind="somevalue")),
    ]
    store = SmallFacts(claims, {e: Entity(id=e, labels={"en": name}) for e, name in NAMES.items()})
    assert [k.label for k in stated_kinds(store, "Q1")] == ["church building"]


def test_the_classes_above_say_what_a_thing_is_and_not_what_somebody_does():
    assert stated_kinds(facts(), "Q1")[0].words == {"lighthouse", "tower"}
    person = SmallFacts(
        [
            claim("Q2", "P31", "Q5"),
            claim("Q5", "P279", "Q11"),
            claim("Q2", "P21", FEMALE),
            claim("Q2", "P106", "Q6"),
        ],
        {e: Entity(id=e, labels={"en": name}) for e, name in NAMES.items()},
    )
    human, female, engineer = stated_kinds(person, "Q2")
    assert (
        "tower" in human.words
        and "tower" not in female.words | engineer.words
        and engineer.words == {"engineer"}
    )


@pytest.mark.parametrize(
    ("word", "occupation"),
    [
        ("engineer", True),
        ("naturalist", True),
        ("widow", False),
        ("he", False),
        ("borough", False),
        ("castle", False),
        ("castles", False),
    ],
)
def test_an_occupation_is_a_word_that_tells_neither_a_sex_nor_a_place_nor_a_building(
    word, occupation
):
    assert is_occupation(word) == occupation
