"""`visible_text`: what the text in a picture may not say, what a question may ask to be read off it, and how much of the picture it may be."""

import io

from PIL import Image as Pictures

from questloom.models.ocr import TextBlock
from questloom.records.form import Ask, ClaimClause, Form, Image, Reads
from questloom.records.knowledge import Entity, Value, entity_value
from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Answer, Certificate, Check, Question
from questloom.records.table import Json
from questloom.transforms.filters.visible_text import visible_text
from tests.small_facts import SmallFacts, claim, year

FACTS = SmallFacts(
    [claim("Q1", "P84", "Q2")],
    {
        "Q1": Entity(id="Q1", labels={"en": "Ardwen Tower"}),
        "Q2": Entity(id="Q2", labels={"en": "Ilse Varga"}),
    },
)
FORM = Form(
    clauses=(
        Image(var="x0"),
        Reads(var="y", of="x0", property="P1684", part="Q9"),
        ClaimClause(subject="x0", property="P84", object="a"),
    ),
    ask=Ask(var="a", type="entity"),
)
BINDINGS = {"x0": "Q1", "a": "Q2", "y": year(1832).key()}
CHECK = Check(name="unique", passed=True)


def picture() -> bytes:
    out = io.BytesIO()
    Pictures.new("RGB", (100, 100)).save(out, "PNG")
    return out.getvalue()


def looked_at(
    *lines: str,
    answer: Value | None = None,
    form: Form | None = FORM,
    box: tuple[float, float, float, float] = (0, 0, 10, 10),
    **bindings,
):
    """The filter's verdict on a picture with these lines of text."""
    value = answer or entity_value("Q2")
    question = Question(
        seed_id="s",
        seed_entity="Q1",
        method="paths",
        level="easy",
        domain="other",
        text="Who designed it?",
        writer="graph",
        anchor="Q1",
        answer=Answer(value=value, text=value.text or "", type=value.kind),
        form=Json(form.to_json() if form else None),
        bindings={**BINDINGS, **bindings},
        certificate=Certificate(basis="margin", margin=2, checks=(CHECK,)),
    )
    return visible_text(
        question, picture(), lambda _: [TextBlock(line, box, 0.9) for line in lines], FACTS, ("en",)
    )


def test_a_picture_in_which_the_answer_or_a_node_can_be_read_is_refused():
    for line, name in (("ILSE VARGA", "Ilse Varga"), ("Ardwen Tower, east", "Ardwen Tower")):
        refused = looked_at("open daily", line)
        assert isinstance(refused, Rejection) and refused.reason == Reason.LEAK
        assert refused.evidence == {"where": "picture", "name": name, "text": f"open daily\n{line}"}


def test_other_text_is_let_through_and_the_check_added_with_the_number_of_lines():
    kept = looked_at("open daily", "no dogs")
    assert isinstance(kept, Question)
    assert [(c.name, c.passed, c.score) for c in kept.certificate.checks] == [
        ("unique", True, None),
        ("no_leak_in_picture", True, 2.0),
    ]


def test_what_the_question_asks_to_be_read_may_stand_there_but_not_beside_a_question_that_does_not_ask():
    assert isinstance(looked_at("ANNO 1832", answer=year(1832), a=year(1832).key()), Question)
    without = Form(clauses=(FORM.clauses[0], FORM.clauses[2]), ask=FORM.ask)
    assert isinstance(looked_at("ANNO 1832", answer=year(1832), form=without), Rejection)
    assert isinstance(looked_at("ANNO 1832", answer=year(1832), form=None), Rejection)


def test_what_is_read_in_a_later_picture_may_not_stand_in_the_questions_own():
    later = Reads(var="y", of="a", property="P1684", part="Q9")
    form = Form(clauses=(FORM.clauses[0], later, FORM.clauses[2]), ask=FORM.ask)
    refused = looked_at("ANNO 1832", answer=year(1832), form=form)
    assert isinstance(refused, Rejection) and refused.reason == Reason.LEAK


def test_a_picture_that_is_a_page_of_text_is_too_simple_whatever_it_says():
    refused = looked_at("open daily", box=(0, 0, 100, 60))
    assert (
        isinstance(refused, Rejection)
        and refused.reason == Reason.PICTURE_TOO_SIMPLE
        and refused.evidence == {"sign": "text", "coverage": 0.6}
    )


def test_of_a_long_text_the_beginning_is_quoted():
    long = "x" * 290 + " Ilse Varga " + "y" * 900
    assert looked_at(long).evidence["text"] == long[:300]


def test_writing_that_is_no_year_may_stand_there_where_it_is_asked_for():
    words = Value(kind="string", text="Harbour Board")
    assert isinstance(looked_at("HARBOUR BOARD", answer=words, y=words.key()), Question)
    assert isinstance(looked_at("HARBOUR BOARD", answer=words), Rejection)
