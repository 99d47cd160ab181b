"""Marks: strict and lenient side by side; a judge that cannot be reached leaves an attempt waiting, one that talks nonsense has failed."""

import asyncio

import pytest

from questloom.agent.judges.answer import AnswerJudge
from questloom.agent.judges.report import ReportJudge
from questloom.eval.adapter import answer_of
from questloom.eval.items import Attempt, Item, Mark
from questloom.eval.marking import Marking, report_of
from questloom.models.structured import BadReply
from questloom.records.episodes import Episode, Turn
from questloom.records.errors import ProviderFault
from questloom.records.outcomes import Pending
from questloom.records.trajectories import ToolStatistics
from tests.prompts.scripted import Scripted

ITEM = Item(
    benchmark="b", row="1", question="Who built it?", answer=answer_of(["Ada Lund", "A. Lund"])
)


def attempt(*turns: Turn, answer: str = "", end: str = "answered") -> Attempt:
    episode = Episode(
        task_id=ITEM.id,
        rollout=1,
        engine="e",
        model="m",
        question=ITEM.question,
        turns=turns,
        answer=answer,
        end=end,
        cost=0.25,
    )
    return Attempt(
        item=ITEM,
        episode=episode,
        statistics=ToolStatistics(num_turns=len(turns), calls_by_tool={"visit": 1}),
    )


def marked(given: Attempt, strict=None, lenient=None) -> Mark | Pending:
    return asyncio.run(
        Marking(strict=AnswerJudge(client=strict), lenient=ReportJudge(client=lenient))(given)
    )


def test_a_report_that_names_many_is_right_leniently_only():
    made = marked(
        attempt(
            Turn(text="t", num_prompt_tokens=10, num_new_tokens=3),
            answer="It may be Ada Lund or Bo Berg.",
        )
    )
    assert (made.strict.outcome, made.lenient.outcome, made.lenient.given) == (
        "wrong",
        "correct",
        "Ada Lund",
    )
    assert (made.tokens_in, made.tokens_out, made.cost, made.rollout, made.calls_by_tool) == (
        10,
        3,
        0.25,
        1,
        {"visit": 1},
    )


@pytest.mark.parametrize("box", ["\\boxed{Ada Lund}", "boxed{Ada Lund}"])
def test_a_report_that_ends_with_its_answer_in_a_box_is_right_strictly(box):
    assert (
        marked(
            attempt(Turn(text="t"), answer=f"Bo Berg drew it, so many say.\n\n{box}")
        ).strict.outcome
        == "correct"
    )


def test_an_episode_that_ended_without_an_answer_is_marked_by_its_last_words():
    broken = attempt(Turn(text="<think>x</think>So Ada Lund."), end="format")
    assert report_of(broken.episode) == "So Ada Lund."
    made = marked(broken)
    assert (made.strict.outcome, made.lenient.outcome, made.end) == (
        "no_answer",
        "correct",
        "format",
    )
    assert marked(attempt(end="calls")).lenient.outcome == "no_answer"


def test_a_model_that_cannot_be_reached_leaves_the_attempt_waiting_and_nonsense_is_a_failed_judge():
    given = attempt(Turn(text="t"), answer="a woman of the town")
    waiting = marked(
        given, strict=Scripted([("judge_answer", "", ProviderFault("e", "down", retryable=True))])
    )
    assert isinstance(waiting, Pending) and waiting.cause == "provider"
    assert (
        marked(
            given, lenient=Scripted([("judge_report", "", BadReply("judge_report", "no JSON", ""))])
        ).lenient.outcome
        == "judge_failed"
    )
