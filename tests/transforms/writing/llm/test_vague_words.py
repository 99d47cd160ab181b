"""Vague clues for the llm writer: a request never shows the value, and a reply that says it, or says not what it is like, is refused."""

import asyncio

import pytest

from questloom.prompts.render import render
from questloom.prompts.roles import ROLES
from questloom.records.form import FUZZY_KINDS, Ask, ClaimClause, ClassClause, Form, Fuzzy, Image
from questloom.records.knowledge import Value, entity_value
from questloom.records.table import Json
from questloom.transforms.certificate.certify import Refusal
from questloom.transforms.writing.llm.llm_rules import LlmRules
from questloom.transforms.writing.llm.llm_writer import LlmWriter
from questloom.transforms.writing.llm.plan_words import request_values
from questloom.transforms.writing.llm.vague_words import (
    check_vague,
    vague_line,
    vague_sources,
)
from questloom.transforms.writing.llm.word_proof import proof_lines
from questloom.transforms.writing.writer import Draft, Wording
from tests.prompts.scripted import Scripted
from tests.transforms.writing.llm.hostile_store import hostile_store, teacher_plan, town_plan

SHOWN = "the cathedral in the picture"
ASKS = "On which day was that teacher born?"
TOWN, MERREN = entity_value("Q15"), entity_value("Q4")
TWENTIES = Value(kind="time", time="+1820-00-00T00:00:00Z", precision=8)
CENTURY = Value(kind="time", time="+1801-00-00T00:00:00Z", precision=7)


def clue(kind, property="P19", of=TOWN, **more):
    return Fuzzy(kind=kind, subject="x1", property=property, object=of, **more)


CLUES = {
    "category": clue("category"),
    "two words": clue("meta-attribute", number=2),
    "initial": clue("meta-attribute", initial="T"),
    "exclusion": clue("exclusion", of=MERREN),
    "decade": clue("range", "P569", TWENTIES),
    "century": clue("range", "P569", CENTURY),
    "arithmetic": clue("arithmetic", "P569", "x2", number=35, since="P569"),
}
SAID = {
    "category": "a man born in a town",
    "two words": "a man born in a town with a two-word name",
    "initial": "a man born in a town whose name begins with T",
    "exclusion": "a man not born in Merren",
    "decade": "a man born in the 1820s",
    "century": "a man born in the nineteenth century",
    "arithmetic": "a man born thirty-five years after his teacher",
}
UNSAID = {
    "category": [("a man born in Tolm", "Tolm"), ("a man born there", "some town")],
    "two words": [
        ("a man born in a town", "two words"),
        ("a man born in a town with a three-word name", ""),
    ],
    "initial": [("a man born in a town", "begins with T")],
    "exclusion": [("a man born in Merren", "not Merren"), ("a man not born there", "Merren")],
    "decade": [
        ("a man born in 1825", "1825"),
        ("a man born in the 1830s", "1830"),
        ("a man born", "1820s"),
    ],
    "century": [("a man born in the 18th century", "18"), ("a man born there", "19th century")],
    "arithmetic": [
        ("a man born after his teacher", "thirty-five years after"),
        ("a man born thirty-five years before his teacher", ""),
    ],
}


def worded(name, told):
    text = f"The architect of {SHOWN}, {told}, had a teacher. {ASKS}"
    reply = {"question": text, "phrase": SHOWN}
    made = LlmWriter(
        Scripted([("word_plan", "", reply), ("word_plan", "", reply)]),
        hostile_store(),
        LlmRules(votes=1),
        max_words=110,
        language="en",
    )
    return asyncio.run(made.word(teacher_plan(CLUES[name]), "seed"))


def test_every_kind_is_tried():
    assert {c.kind for c in CLUES.values()} == {*FUZZY_KINDS} and SAID.keys() == UNSAID.keys()


@pytest.mark.parametrize("name", CLUES)
def test_a_reply_that_says_what_the_value_is_like_is_accepted(name):
    made = worded(name, SAID[name])
    assert isinstance(made, Wording), made.evidence["message"]


@pytest.mark.parametrize(("name", "told", "why"), [(n, t, w) for n in UNSAID for t, w in UNSAID[n]])
def test_a_reply_that_says_the_value_or_leaves_out_what_it_is_like_is_refused(name, told, why):
    made = worded(name, told)
    assert isinstance(made, Refusal) and why in made.evidence["message"], made


@pytest.mark.parametrize("name", CLUES)
def test_a_request_shows_what_the_value_is_like_and_never_the_value(name):
    store, plan = hostile_store(), teacher_plan(CLUES[name])
    values = request_values(store, plan, "en", 110)
    prompt = render(ROLES["word_plan"], language="English", **values).text
    assert "Tolm" not in prompt and "1825" not in prompt
    line = next(line for line in proof_lines(store, Draft.of(plan), "en") if line.words in prompt)
    assert line
    assert ("Merren" in values["named"]) == (name == "exclusion"), "what is left out is named"


def test_a_line_names_the_relation_and_what_the_value_is_like():
    store = hostile_store()
    assert vague_line(store, CLUES["arithmetic"], "Ivo Mersk", "Oda Lind", "en") == (
        "Ivo Mersk — date of birth: thirty-five years after the date of birth of Oda Lind"
    )
    assert vague_line(store, CLUES["century"], "Ivo Mersk", "", "en").endswith(
        "in the 19th century"
    )


def test_a_number_of_words_is_said_as_a_number():
    form = Form(clauses=(CLUES["two words"],), ask=Ask(var="a", type="entity"))
    check_vague(hostile_store(), form, "Who was born in a town with a two-word name?", "en")
    with pytest.raises(ValueError, match="two words"):
        check_vague(hostile_store(), form, "Who was born in a town with a long name?", "en")


@pytest.mark.parametrize(("number", "when"), [(1, "after"), (-1, "before")])
def test_one_year_is_after_or_before_too(number, when):
    of_teacher = clue("arithmetic", "P569", "x2", number=number, since="P569")
    assert f"{when} the date of birth" in vague_line(hostile_store(), of_teacher, "A", "B", "en")
    form = Form(clauses=(of_teacher,), ask=Ask(var="a", type="entity"))
    text = "a man born one year {} his teacher"
    check_vague(hostile_store(), form, text.format(when), "en")
    other = {"after": "before", "before": "after"}[when]
    with pytest.raises(ValueError, match=when):
        check_vague(hostile_store(), form, text.format(other), "en")


def test_a_number_gives_its_words_and_what_has_none_gives_no_number():
    def sources(name: str) -> list[str]:
        return vague_sources(Form(clauses=(CLUES[name],), ask=Ask(var="a", type="entity")))

    assert sources("arithmetic") == ["35 thirty-five", "after later younger"]
    assert sources("category") == sources("decade")[:0] == []
    name = "name names named called title titled word words letter begin begins beginning starts"
    assert sources("two words") == ["2 two", name] and sources("initial") == [name]
    assert sources("century") == ["nineteenth century"] and sources("decade") == [""]
    assert sources("exclusion")[0].startswith("not n't other than outside except never")


@pytest.mark.parametrize(
    ("kind", "asked"), [((ClassClause(var="a", class_id="Q10"),), "cathedral"), ((), "thing")]
)
def test_what_is_asked_is_called_by_its_class_and_without_one_a_thing(kind, asked):
    lies_in = ClaimClause(subject="a", property="P131", object="x0")
    form = Form(clauses=(Image(var="x0"), *kind, lies_in), ask=Ask(var="a", type="entity"))
    plan = town_plan().replace(form=Json(form.to_json()), bindings={"x0": "Q4", "a": "Q1"})
    assert request_values(hostile_store(), plan, "en", 110)["asked"] == f"which {asked} it is"


@pytest.mark.parametrize(("told", "said"), [("was taught by", True), ("taught", False)])
def test_a_vague_clue_is_told_of_its_subject(told, said):
    taught = clue("category", "P1066", entity_value("Q5"))
    form = Form(clauses=(Image(var="x1"), taught), ask=Ask(var="a", type="entity"))
    draft = Draft(text="", answer=town_plan().answer, form=form, bindings={"x1": "Q2"})
    (line,) = proof_lines(hostile_store(), draft, "en")
    assert line.is_stated(hostile_store(), f"Where did the man who {told} a human die?") is said


@pytest.mark.parametrize(("said", "right"), [("19th", True), ("nineteenth", True), ("20th", False)])
def test_a_century_is_said_by_its_number_or_in_words(said, right):
    form = Form(clauses=(CLUES["century"],), ask=Ask(var="a", type="entity"))
    text = f"Who was born in the {said} century?"
    if right:
        check_vague(hostile_store(), form, text, "en")
    else:
        with pytest.raises(ValueError, match="19th century"):
            check_vague(hostile_store(), form, text, "en")
