"""Detours of the oracle and its words: each over what the tools returned, each taken back with what the page says, none without a draw."""

import random
import re
from typing import Any

import pytest

from questloom.agent.oracle.desk import Ended
from questloom.agent.oracle.manner import LOOKED_UP, SAYINGS, TOO_BROAD, WRONG_TURNS, Manner
from questloom.agent.oracle.puzzle import Const, Fact, Puzzle
from questloom.agent.oracle.relation_words import Relation
from questloom.agent.oracle.solver import Solver
from questloom.agent.oracle.speech import Action, Observation, goal_of, relation_noun, words_of
from tests.agent.oracle.scripted import (
    ALL,
    TOWER_REPLIES,
    TOWERS,
    WHO,
    told,
)

FATHER = Relation(property="P22", label="father")
FOUNDED = Relation(property="P112", label="founded by")
BRIDGE = Puzzle(
    pictured="x", pictured_as="this bridge", facts=WHO.facts, ask="a", ask_type="entity"
)
HITS = (
    "[1] Old Bridge\nURL: https://w/Old_Bridge\nbridge in Velm\nPicture: <image:1>, 9×9 pixels\n\n"
    "[2] {0}\nURL: https://w/Second\n{1}\nPicture: <image:2>, 9×9 pixels"
)
OLD = Observation(
    True,
    "Old Bridge\nURL: https://w/Old_Bridge\narchitect: Ada Lund\n\nOld Bridge is a bridge.\nPicture: <image:0>, 9×9 pixels\n"
    "Links:\n- Ada Lund: https://w/Ada_Lund",
    (0,),
    0,
)
SECOND = Observation(
    True, "New Bridge\nURL: https://w/Second\n\nNew Bridge is a footbridge.", (), 0
)


class Drawn(random.Random):
    """Draws the given number whatever is asked; the first of all words."""

    def __init__(self, number: float) -> None:
        super().__init__(0)
        self._number = number

    def random(self) -> float:
        return self._number

    def choice(self, seq: Any) -> Any:
        return seq[0]


ALWAYS, NEVER = Drawn(0.0), Drawn(1.0)


def played(
    draw: random.Random | None, second: tuple[str, str] = ("New Bridge", "bridge in Velm")
) -> tuple[Ended, list[Action]]:
    replies = {
        "crop": Observation(True, "Picture: <image:5>", (5,), 0),
        "image_search {'handle': 5}": Observation(True, "", (), 0),
        "image_search": Observation(True, HITS.format(*second), (1, 2), 0),
        "w/Old_Bridge": OLD,
        "w/Second": SECOND,
    }
    return told(Solver(BRIDGE, 20, ALL, manner=Manner(draw)), replies)


def test_a_neighbour_that_the_search_returned_is_opened_first_and_taken_back_by_what_its_page_says():
    ended, steps = played(ALWAYS)
    visits = [n for n, s in enumerate(steps) if s.name == "visit"]
    assert steps[visits[0]].arguments["url"] == "https://w/Second"
    back = steps[visits[0] + 1].thought
    assert back.startswith("New Bridge is not the one") and "New Bridge is a footbridge." in back
    assert ended.answer == "Ada Lund"


def test_behind_a_wrong_turn_the_middle_is_cut_out_and_searched_with():
    _, steps = played(ALWAYS)
    assert [s.name for s in steps][:4] == ["image_search", "visit", "crop", "image_search"]
    assert steps[3].arguments == {"handle": 5}


@pytest.mark.parametrize("draw", [None, NEVER])
def test_without_the_draw_there_is_no_wrong_turn_and_no_closer_look(draw):
    ended, steps = played(draw)
    assert [s.name for s in steps] == ["image_search", "visit"] and ended.answer == "Ada Lund"


def test_a_hit_of_another_kind_is_no_wrong_turn():
    _, steps = played(ALWAYS, ("Velm", "town in Perth"))
    assert [s.arguments["url"] for s in steps if s.name == "visit"] == ["https://w/Old_Bridge"]


def test_a_candidate_whose_page_says_something_else_is_taken_back_with_the_line():
    _, steps = told(Solver(TOWERS, 20, ALL), TOWER_REPLIES)
    at = next(n for n, s in enumerate(steps) if s.arguments.get("url") == "https://w/Low")
    assert "12 metre" in steps[at + 1].thought and "not the one" in steps[at + 1].thought
    assert not any("not the one" in s.thought for s in steps[: at + 1])


def test_a_search_for_a_kind_alone_is_followed_by_a_narrower_one():
    many = {
        **TOWER_REPLIES,
        "text_search": Observation(True, "[1] Sea Tower\nURL: https://w/Sea\nA tower.", (), 0),
    }

    def queries(draw):
        _, steps = told(Solver(TOWERS, 20, ALL, manner=Manner(draw)), many)
        return [(s.arguments["query"], s.thought) for s in steps if s.name == "text_search"]

    (broad, _), (narrow, thought), *_ = queries(ALWAYS)
    assert broad == "tower" and narrow.startswith("tower ") and "Sea Tower" in thought
    assert "tower" not in [query for query, _ in queries(NEVER)]


CHAIN = Puzzle(
    pictured="x",
    pictured_as="this bridge",
    facts=(
        *WHO.facts,
        Fact(subject="a", relation=Relation(property="P20", label="place of death"), object="b"),
    ),
    ask="b",
    ask_type="entity",
)


@pytest.mark.parametrize(
    ("draw", "first", "queries"),
    [
        (ALWAYS, "Ada Lund", ["Ada Lund"]),
        (ALWAYS, "Lund family", ["Ada Lund", "Ada Lund place of death"]),
        (NEVER, "Ada Lund", []),
    ],
)
def test_a_name_is_looked_up_and_more_narrowly_where_another_page_comes_first(draw, first, queries):
    replies = {
        "image_search": Observation(
            True, "[1] Old Bridge\nURL: https://w/Old_Bridge\nbridge", (), 0
        ),
        "w/Old_Bridge": OLD,
        "text_search": Observation(True, f"[1] {first}\nURL: https://w/F\nLund.", (), 0),
        "w/Ada_Lund": Observation(
            True,
            "Ada Lund\nURL: https://w/Ada_Lund\ndeath_place: Velm\n\nAda Lund (1800–1870) was an architect.\nLinks:\n- Velm: https://w/Velm",
            (),
            0,
        ),
    }
    ended, steps = told(Solver(CHAIN, 20, ALL, manner=Manner(draw)), replies)
    assert ended.answer == "Velm"
    assert [s.arguments["query"] for s in steps if s.name == "text_search"] == queries


def test_detours_come_about_as_often_as_their_share():
    manner = Manner(random.Random(1))
    for share in (WRONG_TURNS, LOOKED_UP, TOO_BROAD):
        assert sum(manner.strays(share) for _ in range(2000)) / 2000 == pytest.approx(
            share, abs=0.04
        )
        assert not any(Manner().strays(share) for _ in range(50))


@pytest.mark.parametrize("occasion", sorted(SAYINGS))
def test_every_occasion_has_several_ways_which_take_the_same_parts(occasion):
    ways = SAYINGS[occasion]
    assert len(set(ways)) == len(ways) > 1
    parts = {part: f"[{part}]" for part in re.findall(r"\{(\w+)\}", " ".join(ways))}
    draw = Manner(random.Random(3))
    assert len({draw.say(occasion, **parts) for _ in range(200)}) == len(ways)
    assert Manner().say(occasion, **parts).casefold() == ways[0].format(**parts).casefold()


def test_no_goal_is_a_list_of_hints_and_none_asks_for_what_is_known():
    goal = goal_of(CHAIN, "a")
    assert goal == "something that was designed by it; the place of death"
    assert goal_of(CHAIN, "a", {"x"}) == "the place of death"
    assert goal_of(CHAIN, "b", {"a"}) == "what it is"


def test_relations_are_spoken_of_by_nouns_and_whole_sentences():
    assert relation_noun(FOUNDED) == "founder" and relation_noun(FATHER) == "father"
    ada = Const(kind="thing", text="Ada Lund")
    assert (
        words_of(Fact(subject="y", relation=FATHER, object=ada), ada) == "is the child of Ada Lund"
    )
    assert "founded by Ada Lund" in words_of(Fact(subject="y", relation=FOUNDED, object=ada), ada)
