"""The oracle's slips: turns that do not keep the protocol, now and then, each before the turn that was meant."""

import asyncio
import random

import pytest

from questloom.agent.oracle.desk import Ended, advanced
from questloom.agent.oracle.oracle_engine import OracleEngine
from questloom.agent.oracle.puzzle import Puzzle
from questloom.agent.oracle.slips import (
    MAX_VIOLATIONS,
    SHAPES,
    ProtocolViolation,
    add_violations,
    parts_of,
)
from questloom.agent.oracle.speech import Action, Observation
from questloom.agent.play.player import Player, Task
from questloom.agent.turns.limits import Limits
from questloom.agent.turns.turn_protocol import TurnProtocol
from questloom.records.episodes import EndReason, ToolStatus
from tests.agent import tiny
from tests.agent.small_provider import toolbox

MEANT = (
    Action("red ship 8", "text_search", {"query": "red ship 8"}),
    Action("Lado, owned by", "visit", {"url": "Lado", "goal": "owned by"}),
    Ended(answer="Toni", thought="Toni", turn=1),
)
PUZZLE = Puzzle(
    pictured="x0",
    pictured_as="the bridge in the picture",
    seen=("red", "ship", "8"),
    facts=(),
    ask="x0",
    ask_type="entity",
)


def search():
    """What was meant, in order."""
    for action in MEANT[:-1]:
        assert (yield action).text == "found", "what answered a slip is told to nobody"
    return MEANT[-1]


def played(share, seed=0, *, ok=True):
    """All that is said; a slip is answered as the harness answers one."""
    slips, said = add_violations(search(), random.Random(seed), share), []
    turn = advanced(slips, None)
    while True:
        said.append(turn)
        if isinstance(turn, Ended):
            return said
        turn = advanced(
            slips,
            Observation(False, "not understood", (), 0)
            if isinstance(turn, ProtocolViolation)
            else Observation(ok, "found", (), 0),
        )


@pytest.mark.parametrize("meant", MEANT)
@pytest.mark.parametrize("shape", SHAPES)
def test_every_shape_breaks_the_protocol_and_is_no_call_that_a_tool_would_answer(shape, meant):
    checked = TurnProtocol(
        [{"name": name, "parameters": {"type": "object"}} for name in ("text_search", "visit")]
    ).check(shape(*parts_of(meant)))
    assert checked.violation and checked.for_play().call is None


def test_with_a_share_of_0_none_is_drawn():
    assert all(played(0.0, seed) == list(MEANT) for seed in range(20))


@pytest.mark.parametrize("seed", range(20))
def test_what_was_meant_follows_whatever_slipped(seed):
    said = played(0.5, seed)
    assert [turn for turn in said if not isinstance(turn, ProtocolViolation)] == list(
        MEANT
    ) and said == played(0.5, seed)
    assert sum(isinstance(turn, ProtocolViolation) for turn in said) <= MAX_VIOLATIONS


def test_calls_and_the_answer_slip_once_or_twice_in_a_row():
    places = {
        tuple(n for n, turn in enumerate(played(0.4, seed)) if isinstance(turn, ProtocolViolation))
        for seed in range(80)
    }
    assert {(), (0,), (1,), (2,), (0, 1), (0, 2), (2, 3)} <= places


def test_none_comes_behind_a_call_that_failed():
    assert all(
        isinstance(turn, ProtocolViolation) == (n < MAX_VIOLATIONS)
        for n, turn in enumerate(played(1.0, ok=False))
    )
    late = [played(0.4, seed, ok=False) for seed in range(40)]
    assert all(
        not isinstance(turn, ProtocolViolation)
        for said in late
        for turn in said[said.index(MEANT[0]) :]
    )


def test_the_harness_answers_a_slip_as_any_such_turn_and_the_oracle_goes_on():
    def episode(**limits):
        engine = OracleEngine({"t": PUZZLE}, tools=["text_search"], slips=1.0)
        player = Player(engine, toolbox(), Limits(**limits))
        return asyncio.run(
            player.play(Task(task_id="t", question="Which one?", pictures=(tiny.picture(1),)))
        ), engine

    made, engine = episode(on_violation="observe", faults=MAX_VIOLATIONS + 1)
    assert [bool(turn.violation) for turn in made.turns] == [True] * MAX_VIOLATIONS + [False, False]
    assert all(
        turn.result.status == ToolStatus.MODEL_FAULT
        and turn.result.text.startswith("Your turn was not understood.")
        for turn in made.turns[:MAX_VIOLATIONS]
    )
    assert (
        made.turns[MAX_VIOLATIONS].call.arguments == {"query": "red ship 8"}
        and made.end == EndReason.ANSWERED
    )
    assert engine.sampling == {"max_calls": 50, "slips": 1.0, "seed": 0}
    assert (
        episode(on_violation="observe", faults=MAX_VIOLATIONS)[0].end == EndReason.FATAL
        and episode()[0].end == EndReason.FORMAT
    )


def test_without_slips_the_engine_draws_nothing():
    assert OracleEngine({"t": PUZZLE}, tools=["text_search"]).sampling == {"max_calls": 50}
