"""When an episode found its answer."""

from benchmarks.shortcut import find_hit
from questloom.records.episodes import Episode, ToolCall, ToolResult, Turn
from questloom.records.knowledge import Value
from questloom.records.synthesis import Answer
from tests.small_facts import SmallFacts


def turn(name: str, text: str) -> Turn:
    return Turn(
        text="",
        call=ToolCall(name=name, arguments={}),
        result=ToolResult(status="ok", text=text),
    )


def test_a_computed_number_is_found_by_its_computation_not_where_it_stands_by_chance():
    turns = (
        turn("text_search", "The bridge of 1901 has 13 arches."),
        turn("visit", "She died in 1914."),
        turn("python_interpreter", "13"),
        Turn(text="13", answer="13"),
    )
    episode = Episode(task_id="t", rollout=0, engine="oracle", model="", question="", turns=turns)
    answer = Answer(value=Value(kind="quantity", number=13.0), text="13", type="quantity")
    facts = SmallFacts([])
    assert find_hit(facts, episode, answer, computed=False) == 0.25
    assert find_hit(facts, episode, answer, computed=True) == 0.75
    assert find_hit(facts, episode.replace(turns=turns[:2]), answer, computed=True) is None
