"""r_query: nothing searched is 0, a failed judge is unknown, and the measured score tells a search from going in circles."""

import asyncio
import math

import pytest

from questloom.agent.judges.query import QueryJudge, measured, retrieval_score
from questloom.agent.judges.steps import MAX_ARGUMENT_CHARS, MAX_RESULT_CHARS, transcript
from questloom.models.structured import BadReply
from questloom.records.episodes import BankImage
from questloom.records.errors import BudgetExceeded, ProviderFault
from tests.agent.judges.runs import GOOD, SEARCH, VISIT, answer, call, episode
from tests.prompts.scripted import Scripted

RATED = {
    "why": "w",
    "image_search": 0.7,
    "text_search": None,
    "progression": 1.0,
    "complementarity": 0.5,
    "evidence": 0.6,
}


def scored(run, *replies):
    client = Scripted([("judge_retrieval", "", r) for r in replies])
    return asyncio.run(QueryJudge(client=client).score(run)), client


def test_no_tool_call_scores_zero_and_nobody_is_asked():
    run = episode(answer("1871"))
    assert scored(run, RATED)[0].score == 0.0 and scored(run, RATED)[1].prompts == []
    assert measured(run).score == 0.0 and asyncio.run(QueryJudge().score(run)).score == 0.0


def test_the_models_score_is_the_mean_of_the_criteria_that_apply():
    verdict, _ = scored(GOOD, RATED)
    assert (
        verdict.score == pytest.approx(0.7)
        and verdict.by == "scripted"
        and verdict.parts["text_search"] is None
    )


@pytest.mark.parametrize(
    "fault",
    [
        BadReply("judge_retrieval", "no JSON", ""),
        ProviderFault("host", "503"),
        {**RATED, "evidence": 1.5},
    ],
)
def test_a_failed_judge_is_unknown_and_never_zero(fault):
    assert scored(GOOD, fault)[0].score is None


def test_a_judge_is_shown_at_most_twenty_shortened_steps():
    turns = [
        call("text_search", {"query": f"q{n} " + "x" * 1_000}, f"r{n} " + "long words " * 500)
        for n in range(33)
    ]
    shown = transcript(episode(*turns, answer("x")))
    assert shown.count("   call: ") == 20 and "(13 steps are left out here)" in shown
    assert "q9 " in shown and "q10 " not in shown and "q32 " in shown and "33. thought" in shown
    assert len(shown) < 20 * (MAX_ARGUMENT_CHARS + 2 * MAX_RESULT_CHARS + 100)


def test_a_judge_is_shown_the_deciding_number_late_in_a_result_and_the_last_thought():
    page = "It is a novel. " + "Its publisher is known for maps. " * 20 + "It has 380 pages."
    shown = transcript(
        episode(
            call("visit", {"url": "x", "goal": "pages"}, page),
            answer("380", "The page says that it has 380 pages, so that is it."),
        )
    )
    assert "It has 380 pages." in shown and shown.endswith(
        "2. thought: The page says that it has 380 pages, so that is it.\n   then it answered"
    )


@pytest.mark.parametrize(("said", "shown"), [("380", True), ("38", False), ("", False)])
def test_what_says_the_answer_behind_the_cut_is_shown_and_nothing_else_there(said, shown):
    page = (
        "It is a novel. "
        + "Its publisher is known for maps. " * 100
        + "It has 380 pages. It was bound in Tolm."
    )
    told = transcript(
        episode(call("visit", {"url": "x", "goal": "pages"}, page), answer(said, "So that is it."))
    )
    assert ("[…] It has 380 pages." in told) is shown and "Tolm" not in told


def test_a_search_that_leads_on_scores_higher_than_one_in_circles():
    circles = episode(SEARCH, SEARCH, SEARCH, answer("1871"))
    astray = episode(
        call("text_search", {"query": "weather"}, "Rain is expected in Orlen tomorrow."),
        answer("1871"),
    )
    assert (
        measured(GOOD).score > 0.9 > measured(circles).score
        and measured(GOOD).score > measured(astray).score
    )
    assert measured(circles).parts["not_wasted"] == pytest.approx(1 / 3)


def test_a_result_is_used_only_by_what_was_new_in_it():
    """The query's own word in the result is no find."""
    run = episode(
        call("text_search", {"query": "Merren harbour"}, "Nothing but Merren harbour."),
        answer("Merren"),
    )
    assert measured(run).parts["used"] == 0.0


@pytest.mark.parametrize(
    "turn",
    [
        call("text_search", {"query": "x"}, "", status="model_fault", code="bad_arguments"),
        call(
            "sharpen",
            {"handle": 0},
            "No effect: it is sharp. No new picture was made.",
            code="no_effect",
        ),
        call("text_search", {"query": "x"}, "No results: x.", code="no_results"),
    ],
)
def test_a_call_that_brought_nothing_is_wasted(turn):
    assert measured(episode(turn, answer("1871"))).parts == {
        "used": 0.0,
        "not_wasted": 0.0,
        "new_evidence": 0.0,
    }


def test_a_providers_fault_is_not_counted_and_alone_leaves_the_score_unknown():
    fault = call("text_search", {"query": "x"}, "down", status="provider_fault", code="timeout")
    assert measured(episode(SEARCH, fault, VISIT, answer("1871"))).parts["not_wasted"] == 1.0
    assert measured(episode(fault, answer("1871"))).score is None


CROP = call("crop", {"handle": 0, "box": [0, 0, 500, 500]}, "<image:1> 500 x 500", images=(1,))
CROPPED = BankImage(handle=1, sha256="1" * 64, width=5, height=5, origin="crop", call=0, parent=0)


@pytest.mark.parametrize(
    ("after", "used"),
    [
        ((call("layout_parsing", {"handle": 1}, "ARDWEN"), answer("x")), True),
        ((answer("1871", "The plaque in <image:1> helps."),), True),
        ((answer("1871", "A plaque reads Ardwen."),), True),
        ((answer("the lighthouse"),), False),
    ],
)
def test_a_crop_counts_when_its_picture_is_taken_up_or_something_is_read_off_it(after, used):
    parts = measured(episode(CROP, *after, images=(CROPPED,))).parts
    assert (parts["used"] >= 0.5) == used and parts["new_evidence"] >= 0.5


def test_a_computation_counts_when_its_number_is_used():
    code = call("python_interpreter", {"code": "print(1871 + 31)"}, "1902")
    assert measured(episode(code, answer("1902"))).parts["used"] == 1.0
    assert measured(episode(code, answer("1903"))).parts["used"] == 0.0


SEARCHED = call("text_search", {"query": "bridge"}, "Lund bridge, Norvik")
READ = call("visit", {"url": "Lund"}, "Ada Sorel built Lund bridge, 1871")
BUILDER = "Who built the bridge?"
WORKED = episode(SEARCHED, READ, SEARCHED, answer("Ada Sorel"), question=BUILDER)


def test_the_measured_score_worked_by_hand():
    """Of three calls two are used (Lund is visited, Sorel is answered), one repeats the first; new are 2 of 3 terms (lund, norvik), then 2 of 5
    (sorel, 1871), then 0 of 3."""
    assert measured(WORKED).parts == pytest.approx(
        {"used": 2 / 3, "not_wasted": 2 / 3, "new_evidence": (2 / 3 + 2 / 5) / 3}
    )
    assert measured(WORKED).score == pytest.approx((2 / 3 + 2 / 3 + 16 / 45) / 3, abs=1e-6)


@pytest.mark.parametrize(
    ("run", "score"),
    [
        (WORKED, 0.562963),
        (
            episode(SEARCHED, READ, answer("Ada Sorel"), question=BUILDER),
            round((1 + 1 + 8 / 15) / 3, 6),
        ),  # the same without the repetition
        (
            episode(SEARCHED, answer("Nobody"), question=BUILDER),
            round((0 + 1 + 2 / 3) / 3, 6),
        ),  # found and left unused
        (
            episode(
                call("visit", {"url": "x"}, "", status="model_fault", code="bad_url"),
                answer("?"),
                question=BUILDER,
            ),
            0.0,
        ),
        (episode(answer("Ada Sorel"), question=BUILDER), 0.0),
    ],
)
def test_one_function_gives_the_score_without_a_model(run, score):
    assert asyncio.run(retrieval_score(run)) == pytest.approx(score, abs=1e-6)


def test_or_the_models_score_where_one_plays_the_role():
    client = Scripted([("judge_retrieval", "", RATED)])
    assert asyncio.run(retrieval_score(WORKED, client=client)) == pytest.approx(0.7)
    other = Scripted([])
    del other.roles["judge_retrieval"]
    assert asyncio.run(retrieval_score(WORKED, client=other)) == pytest.approx(
        measured(WORKED).score
    )
    assert (len(client.prompts), other.prompts) == (1, [])


@pytest.mark.parametrize(
    "fault",
    [
        BadReply("judge_retrieval", "no JSON", ""),
        ProviderFault("host", "503"),
        {**RATED, "evidence": 1.5},
    ],
)
def test_a_judge_that_failed_gives_nan_and_a_used_up_budget_is_no_failure_of_the_judge(fault):
    assert math.isnan(
        asyncio.run(retrieval_score(WORKED, client=Scripted([("judge_retrieval", "", fault)])))
    )
    with pytest.raises(BudgetExceeded):
        asyncio.run(
            retrieval_score(
                WORKED, client=Scripted([("judge_retrieval", "", BudgetExceeded("used up"))])
            )
        )


def test_calls_that_no_provider_answered_give_nan():
    assert math.isnan(
        asyncio.run(
            retrieval_score(
                episode(
                    call("visit", {"url": "x"}, "down", status="provider_fault", code="timeout"),
                    answer("x"),
                )
            )
        )
    )
