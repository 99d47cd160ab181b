"""A draft's words against its form and evidence: what each rule refuses, and in which languages."""

from dataclasses import replace

import pytest

from questloom.prompts.replies import WordsRead
from questloom.records.form import Ask, ClaimClause, Compute, Form, Image, Reads
from questloom.records.knowledge import Article, Section, entity_value
from questloom.records.synthesis import Answer
from questloom.records.table import Json
from questloom.transforms.writing.llm.word_proof import (
    ProofLine,
    check_wording,
    check_words_proven,
    proof_lines,
    things,
    words_vote,
)
from questloom.transforms.writing.writer import Draft, Wording
from tests.small_facts import claim, year
from tests.transforms.writing.llm.hostile_store import hostile_store, teacher_plan, town_plan

SHOWN = "the cathedral in the picture"
SAID = f"On which day was the teacher of the architect of {SHOWN} born?"


def prove(plan, text, store=None, language="en"):
    check_words_proven(store or hostile_store(), Draft.of(plan, text), language, ("en",))


def with_clauses(*more, **bindings):
    """The teacher's plan with more clauses; their variables are bound to its date."""
    plan = teacher_plan()
    form = Form(clauses=(*plan.logical_form.clauses, *more), ask=plan.logical_form.ask)
    bound = {**plan.bindings, **dict.fromkeys(bindings, plan.answer.value.key())}
    return plan.replace(form=Json(form.to_json()), bindings=bound)


def test_a_hidden_name_is_told_from_the_answers():
    with pytest.raises(ValueError, match='"Ivo Mersk", which it is to hide'):
        prove(teacher_plan(), SAID.replace("the architect", "Ivo Mersk"))
    with pytest.raises(ValueError, match='"Ivo Mersk", which is the answer'):
        prove(town_plan(), "Which architect, Ivo Mersk, designed the cathedral in the town?")


def test_words_point_to_the_picture_in_languages_that_have_a_list_of_such_words():
    store, plan = hostile_store(), town_plan()
    for language, said, phrase, right in (
        (
            "de",
            "Wer war der Architekt der Kathedrale in der Stadt auf dem Bild?",
            "auf dem Bild",
            1,
        ),
        ("de", "Wer war der Architekt der Kathedrale in der Stadt dort?", "der Stadt dort", 0),
        ("ca", "Qui va projectar la catedral de la ciutat?", "la ciutat", 1),
    ):
        wording = Wording(text=said, anchor_phrase=phrase)
        if right:
            check_wording(store, plan, wording, language)
        else:
            with pytest.raises(ValueError, match="does not point to the picture"):
                check_wording(store, plan, wording, language)


def founded_store(page: str):
    store = hostile_store()
    store._of["Q1"].append(claim("Q1", "P571", year(1871)))
    section = Section(title="", level=1, text=page)
    store.articles["Q1"] = Article(
        wiki="enwiki", title="C", page_id=1, revision=1, entity_id="Q1", sections=(section,)
    )
    return store


@pytest.mark.parametrize(
    ("page", "event", "right"),
    [
        ("Saint Ovid's Cathedral was founded in 1871.", "founded", True),
        ("Saint Ovid's Cathedral was founded in 1871.", "built", False),
        ("Saint Ovid's Cathedral is large.", "founded", False),
    ],
)
def test_an_event_is_said_as_the_page_of_its_claim_says_it(page, event, right):
    plan = town_plan()
    clauses = (
        Image(var="x0"),
        ClaimClause(subject="x1", property="P131", object="x0"),
        ClaimClause(subject="x1", property="P571", object="a"),
    )
    form = Form(clauses=clauses, ask=Ask(var="a", type="date", precision="year"))
    founded = Answer(value=year(1871), text="1871", type="date", precision="year")
    plan = plan.replace(
        form=Json(form.to_json()),
        bindings={"x0": "Q4", "x1": "Q1", "a": year(1871).key()},
        answer=founded,
    )
    text = f"In which year was the cathedral in the town in the picture {event}?"
    if right:
        prove(plan, text, founded_store(page))
    else:
        with pytest.raises(ValueError):
            prove(plan, text, founded_store(page))


def test_a_named_thing_is_named_where_the_store_knows_its_name():
    named = teacher_plan(ClaimClause(subject="x1", property="P19", object=entity_value("Q20")))
    said = f"The architect of {SHOWN}, a man born in {{}}, had a teacher. On which day was that teacher born?"
    prove(named, said.format("Tolm"))
    with pytest.raises(ValueError, match='does not name "Tolm"'):
        prove(named, said.format("Merren"))
    unknown = teacher_plan(ClaimClause(subject="x1", property="P19", object=entity_value("Q404")))
    prove(unknown, SAID)


def test_a_reading_is_said_by_its_place_or_by_a_word_for_reading():
    placed = with_clauses(Reads(var="r", of="x0", property="P462", part="Q12"), r=1)
    prove(placed, SAID.replace(" born?", " born, as the mineral shows?"))
    with pytest.raises(ValueError, match='does not say "Read on the picture, color on the mineral'):
        prove(placed, SAID.replace(" born?", " born, as the color reads?"))
    plain = with_clauses(Reads(var="r", of="x0", property="P462"), r=1)
    for told in ("as the color shows", "as it reads"):
        prove(plain, SAID.replace(" born?", f" born, {told}?"))


def test_a_german_text_need_not_say_english_words_for_a_computation():
    plan = with_clauses(Compute(out="n", op="difference", args=("a", "a")), n=1)
    said = "An welchem Tag wurde der Lehrer des Architekten der Kathedrale auf dem Bild geboren?"
    prove(plan, said, language="de")
    with pytest.raises(ValueError, match="does not say what is computed"):
        prove(plan, SAID)


def test_a_line_of_no_relation_is_for_the_reader_and_a_relation_is_told_of_its_nearer_end():
    store = hostile_store()
    assert ProofLine(words="x").is_stated(store, "anything")
    lines = proof_lines(store, Draft.of(teacher_plan()), "en")
    assert [(line.property, line.of_object) for line in lines] == [
        ("P84", True),
        ("P1066", True),
        ("P569", True),
    ]


def test_a_draft_mentions_what_is_bound_or_named():
    named = teacher_plan(ClaimClause(subject="x1", property="P19", object=entity_value("Q20")))
    assert things(Draft.of(named)) == ("Q1", "Q2", "Q20", "Q6")
    assert things(Draft(text="", answer=named.answer)) == ()


def vote(text: str = SAID, language: str = "en", **change):
    store, plan = hostile_store(), teacher_plan()
    draft = Draft.of(plan, text)
    lines = proof_lines(store, draft, language)
    said = [
        {"line": 1, "words": f"the architect of {SHOWN}"},
        {"line": 2, "words": "the teacher of the architect"},
        {"line": 3, "words": SAID},
    ]
    reply = {"said": said, "precision": "day", "why": "read", "holds": True, **change}
    return words_vote(store, draft, lines, WordsRead.model_validate(reply), language)


def test_a_vote_holds_where_the_reader_says_so_and_code_finds_no_fault():
    assert vote().holds and vote().other == ""
    assert not vote(holds=False).holds and vote(holds=False).other == ""
    assert vote(precision="").other == "asks for the date, and the answer is exact to the day"
    foreign = vote(text="Wann wurde der Lehrer von dem Architekten geboren?", said=[])
    assert not foreign.holds and foreign.other.startswith("not in the language asked for, en; ")
    lines = [
        {"line": 1, "words": "architect"},
        {"line": 1, "words": "cathedral"},
        {"line": 2, "words": "architect"},
        {"line": 3, "words": SAID},
    ]
    assert vote(said=lines).other == '"architect" does not say: Ivo Mersk — student of: Oda Lind'


@pytest.mark.parametrize("line", [0, 4])
def test_a_line_that_was_not_shown_is_no_quotation(line):
    with pytest.raises(ValueError, match=f"there is no line {line}; the lines are numbered 1 to 3"):
        vote(said=[{"line": line, "words": "architect"}])


def test_what_the_picture_shows_may_be_said_of_it_alone():
    store = hostile_store()
    for thing in ("Q1", "Q2"):
        told = {"en": "basilica by the sea" if thing == "Q1" else "hermit"}
        store.entities[thing] = store.entities[thing].replace(descriptions=told)
    prove(teacher_plan(), SAID.replace("cathedral", "basilica"), store)
    with pytest.raises(ValueError, match='"hermit"'):
        prove(teacher_plan(), SAID.replace("the architect", "the architect, a hermit,"), store)
    draft = replace(Draft.of(teacher_plan(), SAID), anchor="Q6")
    check_words_proven(store, draft, "en", ("en",))
