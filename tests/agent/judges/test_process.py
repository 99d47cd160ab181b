"""What makes an episode unfit to be learned from, rule by rule, and what does not."""

import asyncio

import pytest

from questloom.agent.judges.citations import cited
from questloom.agent.judges.process import ProcessJudge, judge_by_rules
from questloom.models.structured import BadReply
from questloom.records.episodes import BankImage, ToolResult, Turn
from tests.agent.judges.runs import GOOD, SEARCH, VISIT, answer, call, episode
from tests.prompts.scripted import Scripted


def rules(run):
    return [(r.rule, r.turn) for r in judge_by_rules(run).reasons]


def test_a_clean_episode_passes_with_its_citations_checked():
    verdict = judge_by_rules(GOOD)
    assert verdict.passed and verdict.num_checked == 2


def test_a_violation_anywhere_fails_the_format():
    broken = call("text_search", {"query": "x"}, "y", violation="second_call")
    assert rules(episode(SEARCH, broken, answer("1871"))) == [("format", 1)]
    assert rules(episode(SEARCH, end="format", end_evidence="no_action")) == [("format", -1)]


def test_turns_that_broke_the_format_pass_where_a_few_are_let_pass_and_the_answer_came_all_the_same():
    broken = Turn(
        text="no tags",
        violation="no_thought",
        result=ToolResult(status="model_fault", code="no_thought", text="not understood"),
    )
    once, twice = (
        episode(SEARCH, broken, VISIT, answer("1871")),
        episode(broken, SEARCH, broken, answer("1871")),
    )
    assert judge_by_rules(once, max_slips=1).passed and judge_by_rules(twice, max_slips=2).passed
    assert [(r.rule, r.turn, r.evidence) for r in judge_by_rules(twice, max_slips=1).reasons] == [
        ("format", 0, "no_thought"),
        ("format", 2, "no_thought"),
    ]
    assert (
        asyncio.run(ProcessJudge(max_slips=1).judge(once)).passed
        and not asyncio.run(ProcessJudge().judge(once)).passed
    )


@pytest.mark.parametrize("end", ["fatal", "calls", "tokens", "format"])
def test_an_episode_that_never_got_over_it_fails_the_format_however_many_are_let_pass(end):
    broken = Turn(
        text="no tags",
        violation="no_thought",
        result=ToolResult(status="model_fault", code="no_thought", text="not understood"),
    )
    assert [
        (r.rule, r.turn)
        for r in judge_by_rules(episode(SEARCH, broken, end=end), max_slips=9).reasons
    ] == [("format", 1)]


def test_an_episode_without_a_call_fails():
    assert rules(episode(answer("1871"))) == [("no_call", -1)]


def test_a_call_repeated_to_no_effect_fails_and_one_with_another_outcome_does_not():
    first = call("text_search", {"query": "Ardwen Light"}, "A lighthouse.")
    again = call("text_search", {"query": "ardwen  light!"}, "A lighthouse.")
    assert rules(episode(first, again, answer("x"))) == [("repeated", 1)]
    assert (
        rules(
            episode(
                first, call("text_search", {"query": "Ardwen Light"}, "Another page."), answer("x")
            )
        )
        == []
    )
    assert (
        rules(
            episode(first, call("text_search", {"query": "Merren"}, "A lighthouse."), answer("x"))
        )
        == []
    )


def test_code_that_differs_in_a_sign_is_no_repetition():
    assert (
        rules(
            episode(
                call("python_interpreter", {"code": "print(1+1)"}, "2"),
                call("python_interpreter", {"code": "print(1*2)"}, "2"),
                answer("x"),
            )
        )
        == []
    )


def test_a_failed_call_may_be_made_again_only_after_a_providers_fault():
    def turn(status):
        return call("visit", {"url": "u", "goal": "g"}, "failed", status=status, code="c")

    assert (
        rules(episode(turn("provider_fault"), turn("provider_fault"), SEARCH, VISIT, answer("x")))
        == []
    )
    assert rules(episode(turn("model_fault"), turn("model_fault"), answer("x"))) == [
        ("repeated", 1)
    ]


@pytest.mark.parametrize(
    "thought",
    [
        'The page says "lit in 1872".',
        "According to the article, it was lit in 1872.",
        "The search results mention Pavel Orlov as its builder.",
        "As stated on the page, it is 35 metres high.",
        "The result shows that Ardwen Light was designed by Pavel Orlov.",
        "Wikipedia says it has 12 rooms.",
        "It was lit in 1872, according to the article.",
    ],
)
def test_a_citation_that_no_observation_holds_is_unfounded(thought):
    assert rules(episode(SEARCH, VISIT, answer("1871", thought))) == [("unfounded", 2)]


@pytest.mark.parametrize(
    "thought",
    [
        'The page says "built by Ilse Varga ... lit in 1871".',
        "According to the article, Ardwen Light was lit in 1871, so it stood for 31 years until 1902.",
        "The page does not mention Pavel Orlov.",
        "If the page says 1872, I am wrong.",
        "I know that Pavel Orlov built lighthouses in 1872.",
        "The page says it is about 30 metres high.",
        "Result 3 says it was built by Varga.",
        "The picture shows the year 1999 on a plaque.",
        "Let me check whether the article says 1880.",
        "The page confirms Ilse Varga and Ardwen Light.",
        "The page gives Varga's work as 31 metres.",
        "Assuming the results say that Pavel Orlov did it in 1872.",
        "The Orlen Gazette article confirms the year 1871.",
        "The page says it opened in the early 70s.",
        "Both pictures show the year 1999.",
        "The first picture reads 1902 and the second one 1911.",
        "In the crop I read 1999, and in <image:0> 1872.",
    ],
)
def test_what_stands_there_or_is_no_citation_is_not(thought):
    assert rules(episode(SEARCH, VISIT, answer("1871", thought))) == []


def test_a_citation_must_stand_in_what_came_before_it():
    early = call(
        "image_search", {"handle": 0}, "Ardwen Light", thought="The page says it was lit in 1871."
    )
    assert rules(episode(early, VISIT, answer("1871"))) == [("unfounded", 0)]


def test_the_titles_of_found_pictures_are_observations():
    found = call("image_search", {"handle": 0}, "1 match", images=(1,))
    picture = BankImage(
        handle=1,
        sha256="1" * 64,
        width=5,
        height=5,
        origin="image_search",
        call=0,
        title="Pavel Orlov at Merren",
    )
    assert (
        rules(episode(found, answer("x", "The result shows Pavel Orlov."), images=(picture,))) == []
    )


def test_other_scripts_are_quoted_by_characters():
    page = call("visit", {"url": "u", "goal": "g"}, "アードウェン灯台は1871年に点灯した。")
    assert rules(episode(page, answer("1871", "The page says “1871年に点灯”."))) == []
    assert rules(episode(page, answer("1871", "The page says “1872年に点灯”."))) == [
        ("unfounded", 1)
    ]


def test_a_conclusion_is_not_part_of_a_citation():
    assert cited(
        "The article states that it opened in 1931, which means that it was 40 in 1971."
    ) == ["that it opened in 1931"]


def test_a_long_thought_is_read_in_no_time():
    assert judge_by_rules(episode(SEARCH, answer("x", "the page says " * 100_000))).num_checked == 0


RATED = {"why": "w", "tool_use": 0.8, "consistency": 0.9, "progression": 0.7, "evidence": 0.6}


def judged(run, *replies):
    client = Scripted([("judge_process", "", r) for r in replies])
    return asyncio.run(ProcessJudge(client=client).judge(run)), client


def test_the_model_decides_where_the_rules_pass_and_is_not_asked_where_they_do_not():
    assert judged(GOOD, RATED)[0].passed is True
    low = judged(GOOD, {**RATED, "consistency": 0.2})[0]
    assert low.passed is False and [r.evidence[:16] for r in low.reasons] == ["consistency 0.20"]
    verdict, client = judged(episode(answer("1871")), RATED)
    assert verdict.passed is False and client.prompts == []


def test_a_failed_process_judge_is_unknown():
    assert judged(GOOD, BadReply("judge_process", "no JSON", ""))[0].passed is None
