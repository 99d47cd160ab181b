"""Verdicts of the model solvers: who is right how often, and what was said instead."""

import asyncio
import io

import pytest
from PIL import Image

from questloom.models.messages import Picture
from questloom.models.structured import BadReply, RefusedReply
from questloom.records.errors import ProviderFault
from questloom.records.knowledge import entity_value
from questloom.records.synthesis import Answer, Question, Verdict
from questloom.records.table import Json
from questloom.transforms.filters.solvers import (
    MAX_MATERIAL_CHARS,
    MAX_PAGE_CHARS,
    Solvers,
    wrong_answers,
)
from tests.prompts.scripted import Scripted

ANSWER = Answer(value=entity_value("Q2"), text="Ilse Varga", type="entity")
QUESTION = Question(
    seed_id="s",
    seed_entity="Q1",
    method="paths",
    level="easy",
    domain="person",
    writer="llm",
    answer=ANSWER,
    text="Who built the lighthouse in the picture?",
)


def picture():
    out = io.BytesIO()
    Image.new("RGB", (8, 8), "red").save(out, "PNG")
    return Picture(out.getvalue())


def solvers(role, *answers, judge=None, **more):
    replies = [
        (role, "", a if isinstance(a, Exception) else {"reasoning": "r", "answer": a})
        for a in answers
    ]
    replies += [
        ("judge_answer", f"\n{said}\n", {"given": said, "why": "w", "correct": right})
        for said, right in (judge or {}).items()
    ]
    return Solvers(Scripted(replies), num_samples=len(answers), judge=judge is not None, **more)


def text_only(*answers, **more):
    return asyncio.run(solvers("answer_text_only", *answers, **more).text_only(QUESTION))


def test_one_right_sample_of_many_drops_the_question_and_pass_at_n_is_kept():
    verdict = text_only("Oda Lind", "ilse varga", None)
    assert (verdict.filter, verdict.passed, verdict.num_samples, verdict.num_correct) == (
        "text_only",
        False,
        3,
        1,
    )
    assert verdict.solver == "scripted"


def test_wrong_answers_are_kept_with_their_counts_as_rivals():
    verdict = text_only("Oda Lind", "Oda Lind", "Brisk", None)
    assert verdict.passed
    assert verdict.evidence["wrong"] == [["Brisk", 1], ["Oda Lind", 2]]
    assert wrong_answers((verdict, verdict)) == ("Brisk", "Oda Lind")


def test_the_judge_decides_about_each_other_wording_once():
    verdict = text_only(
        "I. Varga", "I. Varga", "Oda Lind", judge={"I. Varga": True, "Oda Lind": False}
    )
    assert (verdict.passed, verdict.num_correct) == (False, 2)


def test_a_judge_that_fails_is_no_verdict():
    for fault in (BadReply("judge_answer", "no JSON", ""), ProviderFault("p", "down")):
        made = solvers("answer_text_only", "I. Varga", judge={})
        made.client.left.append(("judge_answer", "", fault))
        with pytest.raises(type(fault)):
            asyncio.run(made.text_only(QUESTION))


def test_answers_are_marked_as_an_episodes_are():
    """An answer in the question's words is right, one that names two candidates is not."""
    verdict = text_only(
        "Ilse Varga built the lighthouse.", "Ilse Varga or Oda Lind", "It may be Ilse Varga"
    )
    assert verdict.num_correct == 1 and verdict.evidence["wrong"] == [
        ["Ilse Varga or Oda Lind", 1],
        ["It may be Ilse Varga", 1],
    ]


def test_a_model_that_gives_no_usable_reply_does_not_pass_the_question():
    with pytest.raises(BadReply):
        text_only(BadReply("r", "no JSON", ""), BadReply("r", "no JSON", ""))


def test_of_several_unusable_replies_the_first_is_told():
    with pytest.raises(BadReply, match="first"):
        text_only(BadReply("r", "first", ""), BadReply("r", "second", ""))


def test_single_bad_replies_and_refusals_are_no_answers():
    verdict = text_only(BadReply("r", "no JSON", ""), RefusedReply("r", "no", ""), "Oda Lind")
    assert (verdict.passed, verdict.num_correct, verdict.evidence["bad_replies"]) == (True, 0, 1)


def test_a_providers_fault_is_no_verdict():
    with pytest.raises(ProviderFault):
        text_only(ProviderFault("p", "down"))


def test_with_the_evidence_the_question_passes_only_if_it_is_solved():
    evidence = ("The picture shows Ardwen Light.", "Ardwen Light — architect: Ilse Varga")
    solved = solvers("answer_with_search", None, "Ilse Varga")
    assert asyncio.run(solved.from_evidence(QUESTION, evidence)).passed
    assert "Ardwen Light — architect: Ilse Varga" in solved.client.prompts[0][1]
    assert not asyncio.run(
        solvers("answer_with_search", None, None).from_evidence(QUESTION, evidence)
    ).passed


def test_one_image_search_shows_picture_and_pages_and_no_other_material():
    made = solvers("answer_with_search", "Ilse Varga")
    verdict = asyncio.run(
        made.one_image_search(QUESTION, picture(), (("Ardwen Light", "Built by Ilse Varga."),))
    )
    assert (verdict.filter, verdict.passed) == ("image_search", False)
    assert "Built by Ilse Varga." in made.client.prompts[0][1]


def test_a_solver_with_the_picture_alone_is_f6():
    assert (
        asyncio.run(solvers("answer_direct", None).without_tools(QUESTION, picture())).filter
        == "no_tools"
    )


@pytest.mark.parametrize("simple", [True, False])
def test_the_judge_of_pictures_drops_what_is_too_simple(simple):
    kind = "flag_or_emblem" if simple else "photograph"
    reply = {"shows": "a flag", "kind": kind, "too_simple": simple}
    verdict = asyncio.run(
        Solvers(Scripted([("image_too_simple", "", reply)])).too_simple(QUESTION, picture())
    )
    assert (verdict.filter, verdict.passed, verdict.evidence["kind"]) == (
        "too_simple",
        not simple,
        kind,
    )


def test_a_solver_draws_four_samples_and_asks_no_judge_unless_told():
    made = Solvers(
        Scripted([("answer_text_only", "", {"reasoning": "r", "answer": "I. Varga"})] * 4)
    )
    assert asyncio.run(made.text_only(QUESTION)).num_samples == 4 and not made.judge


def test_of_each_page_its_beginning_is_shown_and_none_found_is_said():
    made = solvers("answer_with_search", None)
    asyncio.run(
        made.one_image_search(
            QUESTION, picture(), (("Long", "a" * (MAX_PAGE_CHARS + 1)), ("Next", "b"))
        )
    )
    shown = made.client.prompts[0][1]
    assert (
        "a" * MAX_PAGE_CHARS + "\n\nNext\nb" in shown
        and "a" * (MAX_PAGE_CHARS + 1) not in shown
        and "(nothing found)" not in shown
    )
    made = solvers("answer_with_search", None)
    asyncio.run(made.one_image_search(QUESTION, picture(), ()))
    assert "(nothing found)" in made.client.prompts[0][1]
    assert (MAX_MATERIAL_CHARS, MAX_PAGE_CHARS) == (12_000, 1_500)


def test_pages_that_a_picture_found_come_with_what_a_model_knows_and_evidence_alone_counts():
    found, given = solvers("answer_with_search", None), solvers("answer_with_search", None)
    asyncio.run(found.one_image_search(QUESTION, picture(), (("T", "same"),)))
    asyncio.run(given.from_evidence(QUESTION, ("same",)))
    (_, pages), (_, evidence) = found.client.prompts[0], given.client.prompts[0]
    assert (
        "A search by the question's picture found these pages" in pages
        and "Use the material and what you know" in pages
    )
    assert "This is what was found" in evidence and "Use the material and nothing else" in evidence


def test_wrong_answers_are_those_of_verdicts_that_have_some():
    assert (
        wrong_answers(
            (
                Verdict(filter="no_tools", passed=True),
                Verdict(filter="no_tools", passed=True, evidence=Json({"x": 1})),
            )
        )
        == ()
    )


def test_a_picture_judge_is_asked_once():
    reply = {"shows": "a flag", "kind": "photograph", "too_simple": False}
    verdict = asyncio.run(
        Solvers(Scripted([("image_too_simple", "", reply)])).too_simple(QUESTION, picture())
    )
    assert (verdict.num_samples, verdict.evidence["shows"], verdict.solver) == (
        1,
        "a flag",
        "scripted",
    )
