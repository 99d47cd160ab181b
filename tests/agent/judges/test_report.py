"""The lenient judge: an answer anywhere in the report is right, one that is not there is asked about, a failed judge is unknown."""

import asyncio

import pytest

from questloom.agent.judges.answer import Judgement, judge_by_rules
from questloom.agent.judges.report import ReportJudge
from questloom.models.structured import BadReply
from questloom.records.episodes import Outcome
from questloom.records.errors import ProviderFault
from questloom.records.knowledge import Value
from questloom.records.synthesis import Answer
from tests.prompts.scripted import Scripted

ANSWER = Answer(
    value=Value(kind="string", text="Ada Lund"),
    text="Ada Lund",
    type="string",
    aliases=("A. Lund",),
)
LETTER = Answer(value=Value(kind="string", text="B"), text="B", type="string", aliases=("blue",))


def judged(report: str, answer: Answer = ANSWER, client=None) -> Judgement:
    return asyncio.run(
        ReportJudge(client=client).judge(
            answer, report, judge_by_rules(answer, report), question="Who built it?"
        )
    )


@pytest.mark.parametrize(
    ("report", "outcome"),
    [
        ("Ada Lund", "correct"),
        ("Candidates are Bo Berg, ada lund and others.", "correct"),
        ("Perhaps A. Lund did.", "correct"),
        ("Bo Berg", "wrong"),
        ("Ada Lundquist", "wrong"),
        ("", "no_answer"),
        ("I do not know.", "no_answer"),
    ],
)
def test_a_wording_anywhere_in_the_report_is_right(report, outcome):
    assert judged(report).outcome == outcome


def test_a_letter_that_stands_in_every_text_does_not_count():
    assert judged("Plan B would be to look for the red one.", LETTER).outcome == "wrong"
    assert (
        judged("I see a blue one.", LETTER).outcome == "correct"
        and judged("B", LETTER).outcome == "correct"
    )


def test_the_model_is_asked_only_where_no_wording_stands_there():
    says = {"why": "It names her.", "contains": True}
    client = Scripted([("judge_report", "the woman of the town", says)])
    assert judged("It was the woman of the town.", client=client).outcome is Outcome.CORRECT
    assert judged("Ada Lund", client=client).by == "rules" and len(client.prompts) == 1
    assert (
        judged(
            "Somebody else.", client=Scripted([("judge_report", "", {**says, "contains": False})])
        ).outcome
        is Outcome.WRONG
    )


@pytest.mark.parametrize(
    "fault", [BadReply("judge_report", "no JSON", ""), ProviderFault("e", "down")]
)
def test_a_failed_judge_is_unknown(fault):
    made = judged("Somebody else.", client=Scripted([("judge_report", "", fault)]))
    assert made.outcome is Outcome.JUDGE_FAILED and made.score is None and made.fault is fault
