"""What the llm writer lets people and things be called: by common nouns, and by what a relation makes of somebody."""

import asyncio

import pytest

from questloom.records.form import Ask, ClaimClause, Form, Image
from questloom.records.knowledge import Entity, PropertyInfo, Value, entity_value
from questloom.records.plan import Plan
from questloom.records.route import Route
from questloom.records.synthesis import Answer, Certificate
from questloom.records.table import Json
from questloom.transforms.writing.llm.everyday_words import (
    find_role_nouns,
    noun_of,
    role_nouns,
    word_claim,
    word_question,
)
from questloom.transforms.writing.llm.evidence_words import about, kinds_lines, roles_of
from questloom.transforms.writing.llm.kind_words import find_descriptor, seen_kind
from questloom.transforms.writing.llm.llm_rules import LlmRules
from questloom.transforms.writing.llm.llm_writer import LlmWriter
from questloom.transforms.writing.llm.question_checks import check_exactness, places
from questloom.transforms.writing.llm.word_proof import ProofLine, check_words_proven, proof_lines
from questloom.transforms.writing.writer import Draft, Wording
from tests.prompts.scripted import Scripted
from tests.small_facts import SmallFacts, claim

NAMES = {
    "Q1": "View of Merren",
    "Q2": "Ada Orm",
    "Q3": "Tolm",
    "Q4": "The Rower",
    "Q5": "human",
    "Q6": "Velm",
    "Q7": "Long Night",
    "Q10": "painting",
    "Q11": "sculpture",
    "Q12": "municipality of Norland",
    "Q13": "municipality",
    "Q14": "town",
    "Q15": "novel",
}
ABOUT = {"Q1": "oil painting by Ada Orm", "Q6": "municipality in Norland"}
PROPERTIES = {"P170": "creator", "P19": "place of birth", "P50": "author"}


@pytest.fixture
def store():
    kinds = {"Q1": "Q10", "Q4": "Q11", "Q2": "Q5", "Q3": "Q12", "Q6": "Q12", "Q7": "Q15"}
    claims = [claim(e, "P31", kind) for e, kind in kinds.items()] + [
        claim("Q12", "P279", "Q15284"),
        claim("Q2", "P19", "Q3"),
        claim("Q7", "P50", "Q2"),
    ]
    claims += [claim(work, "P170", "Q2") for work in ("Q1", "Q4")]
    entities = {
        e: Entity(id=e, labels={"en": name}, descriptions={"en": ABOUT[e]} if e in ABOUT else {})
        for e, name in NAMES.items()
    }
    entities["Q15284"] = Entity(id="Q15284", labels={"en": "municipality"})
    return SmallFacts(
        claims,
        entities,
        properties={
            p: PropertyInfo(id=p, labels={"en": n}, datatype="wikibase-item")
            for p, n in PROPERTIES.items()
        },
    )


def asking(text, work):
    clauses = (
        Image(var="x0"),
        ClaimClause(subject="x0", property="P170", object="x1"),
        ClaimClause(subject="x1", property="P19", object="a"),
    )
    return Draft(
        text=text,
        answer=Answer(value=entity_value("Q3"), text="Tolm", type="entity"),
        anchor=work,
        form=Form(clauses=clauses, ask=Ask(var="a", type="entity")),
        bindings={"x0": work, "x1": "Q2", "a": "Q3"},
    )


@pytest.mark.parametrize(
    ("property_id", "subject", "nouns"),
    [
        ("P170", "Q1", ("painter", "artist")),
        ("P170", "Q4", ("sculptor",)),
        ("P50", "Q7", ("author",)),
        ("P999", "Q1", ()),
    ],
)
def test_a_relation_makes_something_of_somebody_by_the_kind_of_its_subject(
    store, property_id, subject, nouns
):
    assert role_nouns(store, [(subject, property_id, "Q2")], "Q2", "en") == nouns
    assert (
        role_nouns(store, [(subject, property_id, "Q3")], "Q3", "en") == ()
    )  # a town is nobody's painter


@pytest.mark.parametrize(("work", "noun"), [("Q1", "painter"), ("Q4", "sculptor")])
def test_the_painter_of_a_painting_may_be_said_and_of_a_sculpture_not(store, work, noun):
    for said in ("painter", "sculptor"):
        draft = asking(f"In which town was the {said} of the work in the picture born?", work)
        if said == noun:
            check_words_proven(store, draft, "en", ("en",))
            assert noun in kinds_lines(
                store, ("Q2",), work, "en", roles_of(draft)
            ) and noun in about(store, store.entity("Q2"), "en", roles_of(draft))
        else:
            with pytest.raises(ValueError, match=f'"{said}"'):
                check_words_proven(store, draft, "en", ("en",))


def test_a_thing_is_called_by_a_common_noun_and_the_pictures_own_by_its_description_where_that_is_closer(
    store,
):
    assert (noun_of(store, "Q6", "en"), noun_of(store, "Q1", "en"), noun_of(store, "Q6", "de")) == (
        "town",
        "painting",
        "",
    )
    assert [(find_descriptor(store, e, "en"), seen_kind(store, e, "en")) for e in ("Q6", "Q1")] == [
        ("town", "town"),
        ("painting", "oil painting"),
    ]
    assert [
        about(store, store.entity("Q1"), "en", pictured=pictured) for pictured in (False, True)
    ] == ["painting", "oil painting"]


def test_other_languages_have_labels_of_classes_and_no_roles(store):
    roles = [("Q1", "P170", "Q2"), ("Q4", "P170", "Q9")]
    assert role_nouns(store, roles, "Q2", "en") == ("painter", "artist"), "not of somebody else"
    assert role_nouns(store, roles, "Q2", "de") == role_nouns(store, roles, "Q99", "en") == ()
    assert find_role_nouns(store, roles, "de") == (frozenset(), frozenset())
    store.entities["Q10"] = store.entities["Q10"].replace(labels={"de": "Gemälde"})
    assert [noun_of(store, e, "de") for e in ("Q1", "Q4", "Q99")] == ["Gemälde", "", ""]


def worded(store, work, *questions):
    """What the writer makes of replies, one after the other, and its prompts."""
    draft = asking("", work)
    plan = Plan(
        form=Json(draft.form.to_json()),
        bindings=draft.bindings,
        answer=draft.answer,
        shape="chain",
        certificate=Certificate(basis="margin", margin=2),
        route=Route(calls=2, depth=2, pages=1, looks=1),
    )
    replies = [{"question": q, "phrase": "the work in the picture"} for q in questions]
    made = LlmWriter(
        Scripted([("word_plan", "", reply) for reply in replies]),
        store,
        LlmRules(votes=1),
        max_words=110,
    )
    return asyncio.run(made.word(plan, "seed")), [prompt for _, prompt in made.client.prompts]


def test_the_prompt_tells_what_the_relation_makes_of_somebody_and_how_people_ask(store):
    question = "In which town was the painter of the work in the picture born?"
    made, (prompt,) = worded(store, "Q1", question)
    assert made == Wording(text=question, anchor_phrase="the work in the picture")
    assert "\nAda Orm: human, person, painter, artist\n" in prompt
    assert "your words in place of the name: In which town was Ada Orm born?" in prompt
    assert "(anybody sees: oil painting)" in prompt
    made, (prompt,) = worded(store, "Q4", question.replace("painter", "sculptor"))
    assert isinstance(made, Wording) and "\nAda Orm: human, person, sculptor\n" in prompt


def test_a_complaint_says_which_words_where_they_stand_and_what_is_open(store):
    mistold = (
        "In which town was the sculptor of the work in the picture born?",
        "In which town was the painter born and buried whose work is the work in the picture?",
    )
    made, (_, second) = worded(store, "Q1", *mistold)
    assert (
        'no claim says that anything here is "sculptor" (in "town was the sculptor of the work")'
        in second
    )
    assert (
        "the claims say: painting, " in second and "painter" in second.split("the claims say:")[1]
    )
    assert (
        'nothing that was cited says "buried" (in "painter born and buried whose work is")'
        in made.evidence["message"]
    )
    assert places("Who was it?", ["he"]) == '"he"'


def test_nouns_are_of_another_kind_only_where_the_kind_is_known(store):
    told, other = find_role_nouns(store, [("Q4", "P170", "Q2")], "en")
    assert "sculptor" in told and "painter" in other
    assert find_role_nouns(store, [("Q99", "P170", "Q2")], "en")[1] == frozenset()


def test_where_both_ends_lie_equally_near_the_subject_is_described(store):
    near = [ClaimClause(subject="a", property="P50", object=x) for x in ("x1", "x2")]
    taught = ClaimClause(subject="x1", property="P19", object="x2")
    form = Form(clauses=(Image(var="x1"), *near, taught), ask=Ask(var="a", type="entity"))
    answer = Answer(value=entity_value("Q7"), text="Long Night", type="entity")
    draft = Draft(text="", answer=answer, form=form, bindings={"x1": "Q2", "x2": "Q3", "a": "Q7"})
    assert [line.of_object for line in proof_lines(store, draft, "en")] == [False] * 3


def test_a_unit_of_three_words_is_a_unit():
    answer = Answer(value=Value(kind="quantity", number=9), text="9", type="quantity", unit="km/h")
    check_exactness("How many kilometres per hour did the train reach?", answer, "en")
    with pytest.raises(ValueError, match="does not say its unit"):
        check_exactness("How many hours did the train need?", answer, "en")


def test_a_unit_is_asked_for_in_the_plural(store):
    answer = Answer(
        value=Value(kind="quantity", number=1.89),
        text="1.89",
        type="quantity",
        unit="square kilometre",
    )
    draft = Draft(text="How big is Velm?", answer=answer)
    with pytest.raises(ValueError, match='"how many square kilometres"'):
        check_words_proven(store, draft, "en", ("en",))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (
            "The man in the picture was taught by an architect. In which town did that architect die?",
            True,
        ),
        ("An architect taught the man in the picture. In which town did that architect die?", True),
        ("In which town did the architect who taught the man in the picture die?", True),
        ("In which town did the architect who was taught by the man in the picture die?", False),
        (
            "The man in the picture was buried beside an architect. In which town did that architect die?",
            False,
        ),
    ],
)
def test_a_step_told_in_a_sentence_before_the_question_may_be_told_of_either_end(store, text, said):
    assert ProofLine(words="", property="P1066", of_object=True).is_stated(store, text) == said


def test_the_usual_question_asks_for_a_date_as_exactly_as_the_answer(store):
    day = Value(kind="time", time="+1743-04-13", precision=11)
    for precision, opening in (("year", "In wh"), ("day", "On wh")):
        said = word_question(store, "Q2", "P569", day, "en", precision)
        assert said.startswith(opening) and said.endswith(" was Ada Orm born?"), said


def test_a_claim_is_told_as_people_say_it(store):
    told = {work: word_claim(store, claim(work, "P170", "Q2"), "en") for work in ("Q1", "Q4", "Q2")}
    assert told["Q1"].startswith("Ada Orm painted ") and told["Q4"] == "Ada Orm made “The Rower”"
    assert word_claim(store, claim("Q1", "P170", "Q2"), "de") == ""
    assert word_claim(store, claim("Q1", "P99999", "Q2"), "en") == ""
