"""The oracle that goes by what is seen: searches for it in words, opens the page that fits, follows the chain, and mends what it did wrong."""

import json
import random

import pytest

from questloom.agent.oracle.puzzle import Fact, Puzzle
from questloom.agent.oracle.relation_words import Relation
from questloom.agent.oracle.sighted_solver import MISTAKES, SightedSolver, chain
from questloom.agent.oracle.speech import Observation

ARCHITECT, BORN = (
    Relation(property="P84", label="architect"),
    Relation(property="P19", label="place of birth"),
)
FACTS = (
    Fact(subject="y", relation=BORN, object="a"),
    Fact(subject="x0", relation=ARCHITECT, object="y"),
)
PUZZLE = Puzzle(
    pictured="x0",
    pictured_as="the tower in the picture",
    seen=("red", "tower", "7"),
    facts=FACTS,
    ask="a",
    ask_type="entity",
)
LEADS = {
    "Bako": "Bako is a red tower with the number 7.",
    "Dimo": "Dimo is a blue tower with the number 7.",
}
PAGES = {
    "Bako": "Bako\n"
    + LEADS["Bako"]
    + "\n## History\nBako was designed by Lemu.\nBako is owned by Saki.",
    "Dimo": "Dimo\n"
    + LEADS["Dimo"]
    + "\n## History\nDimo was designed by Saki.\nDimo is owned by Lemu.",
    "Lemu": "Lemu\nLemu is an architect.\n## Life\nLemu was born in Toni.\nLemu was taught by Saki.",
}


def reply(action, turn):
    """What the tools answer: the thing that is searched for first, another behind it."""
    if action.name == "text_search":
        order = ["Bako", "Dimo"] if action.arguments["query"] == "red tower 7" else ["Dimo"]
        return Observation(
            True, "\n".join(f"[{n}] {t}\n{LEADS[t]}\n" for n, t in enumerate(order, 1)), (), turn
        )
    page = PAGES.get(action.arguments["url"])
    return Observation(
        page is not None, page or "visit: there is no page at this address.", (), turn
    )


def played(puzzle, draw=None):
    search, made = SightedSolver(puzzle, draw).solve(), []
    action = next(search)
    while True:
        made.append(action)
        try:
            action = search.send(reply(action, len(made) - 1))
        except StopIteration as stop:
            return made, stop.value


def test_it_looks_searches_opens_and_follows():
    made, ended = played(PUZZLE)
    assert [(a.name, *a.arguments.values()) for a in made] == [
        ("text_search", "red tower 7"),
        ("visit", "Bako", "architect"),
        ("visit", "Lemu", "place of birth"),
    ]
    assert made[0].thought == "red tower 7" and ended.answer == "Toni" and ended.turn == 2


@pytest.mark.parametrize("seed", range(12))
def test_after_a_mistake_it_still_answers_rightly(seed):
    made, ended = played(PUZZLE, random.Random(seed))
    assert ended.answer == "Toni" and len(made) == 4
    assert any(a.thought.startswith("no, ") for a in made)


def test_every_kind_of_mistake_is_made():
    seen = {
        json.dumps([(a.name, a.arguments) for a in played(PUZZLE, random.Random(seed))[0]][:2])
        for seed in range(40)
    }
    assert len(seen) >= len(MISTAKES)


def test_without_a_page_that_fits_it_says_so():
    made, ended = played(Puzzle(**{**vars(PUZZLE), "seen": ("red", "tower", "8")}))
    assert ended.answer == "unknown" and ended.failed and len(made) == 1


def test_facts_that_are_no_chain_are_not_followed():
    assert [f.object for f in chain(PUZZLE)] == ["y", "a"]
    assert chain(Puzzle(**{**vars(PUZZLE), "facts": FACTS[:1]})) == []
