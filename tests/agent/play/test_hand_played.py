"""Episodes played in earnest by a reader who saw only the requests: nine of the fictional world, two of real paintings without pages.

Every turn must go on to pass the strict check of today's schemas, and the judges must say of the episodes what people do.
"""

import json
from pathlib import Path

import pytest

from questloom.agent.judges import process
from questloom.agent.judges.answer import judge_by_rules
from questloom.agent.turns.turn_protocol import TurnProtocol
from questloom.records.episodes import EndReason, Episode, Outcome
from questloom.records.synthesis import Answer
from tests.agent.small_provider import SmallWorld
from tests.agent.tools.calling import box_with

PLAYED = [
    (Answer.from_row(row["answer"]), Episode.from_row(row["episode"]))
    for row in json.loads(
        (Path(__file__).parent / "recordings" / "hand_played.json").read_text(encoding="utf-8")
    )
]


def test_every_turn_passes_the_strict_check():
    protocol = TurnProtocol(box_with(SmallWorld()).schemas())
    turns = [turn for _, episode in PLAYED for turn in episode.turns]
    assert len(turns) > 60
    assert [
        (t.text, checked.violation) for t in turns if not (checked := protocol.check(t.text)).ok
    ] == []


def test_right_answers_are_judged_right_and_an_admission_is_no_answer():
    found = [
        judge_by_rules(answer, episode.answer, question=episode.question, language="en").outcome
        for answer, episode in PLAYED
    ]
    assert found.count(Outcome.CORRECT) == 9 and found.count(Outcome.NO_ANSWER) == 2, list(
        zip((e.answer for _, e in PLAYED), found, strict=True)
    )


@pytest.mark.parametrize(
    "number", [n for n, (_, episode) in enumerate(PLAYED) if episode.end == EndReason.ANSWERED]
)
def test_what_a_careful_reader_thought_is_founded(number):
    judged = process.judge_by_rules(PLAYED[number][1])
    assert not judged.reasons, judged.reasons
