"""Answers and processes judged: what is kept, what is rejected for which reason, and what waits."""

import asyncio

import pytest

from questloom.agent.judges.answer import AnswerJudge, Judgement
from questloom.agent.judges.process import ProcessJudge, ProcessVerdict
from questloom.agent.judges.process import Reason as ProcessReason
from questloom.agent.turns.limits import Limits
from questloom.calls.attempts import Status
from questloom.calls.retry import CallFault
from questloom.models.structured import BadReply, RefusedReply
from questloom.records.episodes import EndReason, Outcome
from questloom.records.outcomes import Pending, Reason, Rejection
from questloom.records.trajectories import Trajectory
from questloom.transforms.episodes.judging import check_process, judge_answer
from tests.agent.small_provider import ScriptedEngine, answer, search
from tests.transforms.episodes.made import Player_


def played(tmp_path, *turns: str, **limits) -> Trajectory:
    (made,) = Player_(
        tmp_path,
        ScriptedEngine(lambda c: turns[min(c.turn, len(turns) - 1)]),
        limits=Limits(**limits),
    )()
    return made


def judged(trajectory: Trajectory, judge=None):
    return asyncio.run(judge_answer(trajectory, judge or AnswerJudge()))


def checked(trajectory: Trajectory, judge=None):
    return asyncio.run(check_process(trajectory, judge or ProcessJudge()))


def test_a_right_answer_goes_on_with_its_verdict(tmp_path):
    made = judged(played(tmp_path, search("lund bridge"), answer("Ada Lund")))
    assert made.verdict.outcome == Outcome.CORRECT and made.verdict.by == "rules"
    assert checked(made).process.by == "rules"


@pytest.mark.parametrize(
    ("turns", "limits", "reason"),
    [
        ([search("lund"), answer("Karl Berg")], {}, Reason.WRONG_ANSWER_GIVEN),
        ([search("lund"), answer("I do not know.")], {}, Reason.NO_ANSWER_GIVEN),
        ([search("a"), search("b"), search("c")], {"calls": 2}, Reason.NO_ANSWER_GIVEN),
        (["Ada Lund, of course."], {}, Reason.FORMAT),
        (
            [
                '<think>x</think>\n<tool_call>{"name": "crop", "arguments": {"handle": 9, "box": [0, 0, 9, 9]}}</tool_call>'
            ],
            {"faults": 2},
            Reason.FATAL_FAULTS,
        ),
    ],
)
def test_every_way_to_fail_has_its_reason_and_shows_the_end(tmp_path, turns, limits, reason):
    made = judged(played(tmp_path, *turns, **limits))
    assert (
        isinstance(made, Rejection)
        and made.reason == reason
        and made.evidence["rollout"] == 0
        and made.evidence["question"]
    )


def test_a_turn_that_was_mended_still_broke_the_format(tmp_path):
    made = judged(
        played(tmp_path, search("lund"), "no tags", answer("Ada Lund"), on_violation="observe")
    )
    assert isinstance(made, Trajectory) and checked(made).reason == Reason.FORMAT
    assert [broken["turn"] for broken in checked(made).evidence["broken"]] == [
        1
    ] and made.statistics.num_slips == 1
    assert isinstance(checked(made, ProcessJudge(max_slips=1)), Trajectory)


def test_an_answer_without_a_tool_breaks_the_process(tmp_path):
    made = checked(judged(played(tmp_path, answer("Ada Lund"))))
    assert made.reason == Reason.PROCESS and made.evidence["broken"][0]["rule"] == "no_call"


def test_a_call_repeated_to_no_effect_breaks_the_process(tmp_path):
    made = checked(judged(played(tmp_path, search("lund"), search("lund"), answer("Ada Lund"))))
    assert [b["rule"] for b in made.evidence["broken"]] == ["repeated"]


class Says:
    """A judge that says what it is told to."""

    def __init__(self, said) -> None:
        self.said = said

    async def judge(self, *args, **kwargs):
        return self.said


@pytest.mark.parametrize(
    ("fault", "kind"),
    [
        (CallFault("judge", "BadReply: as a proxy words its 503", Status.SERVER_ERROR), Pending),
        (BadReply("judge_answer", "no JSON", ""), Rejection),
        (RefusedReply("judge_answer", "declined", ""), Rejection),
    ],
)
def test_a_judge_without_provider_waits_and_one_without_a_usable_reply_rejects(
    tmp_path, fault, kind
):
    trajectory = played(tmp_path, search("lund"), answer("Ada Lund"))
    assert trajectory.episode.end == EndReason.ANSWERED
    for made in (
        judged(
            trajectory,
            Says(Judgement(outcome=Outcome.JUDGE_FAILED, by="", why=str(fault), fault=fault)),
        ),
        checked(trajectory, Says(ProcessVerdict(passed=None, why=str(fault), fault=fault))),
    ):
        assert isinstance(made, kind) and made.item_id == trajectory.id
        assert kind is Pending or made.reason == Reason.JUDGE_FAILED


def test_what_the_judges_said_goes_with_the_trajectory_or_into_its_rejection(tmp_path):
    trajectory = played(tmp_path, search("lund"), answer("Ada Lund"))
    scores = {"tool_use": 0.9, "evidence": 0.6}
    kept = checked(
        trajectory,
        Says(
            ProcessVerdict(
                passed=True, num_checked=3, by="m", scores=scores, why="sound", prompt="p1"
            )
        ),
    ).process
    assert (kept.by, kept.num_checked, kept.scores, kept.why, kept.prompt, kept.findings) == (
        "m",
        3,
        scores,
        "sound",
        "p1",
        (),
    )
    assert checked(trajectory, Says(ProcessVerdict(passed=True))).process.scores == {}
    verdict = judged(
        trajectory,
        Says(
            Judgement(
                outcome=Outcome.CORRECT,
                by="m",
                given="Ada",
                why="same",
                confidence=0.7,
                prompt="p2",
            )
        ),
    ).verdict
    assert (
        verdict.outcome,
        verdict.by,
        verdict.given,
        verdict.why,
        verdict.confidence,
        verdict.prompt,
    ) == ("correct", "m", "Ada", "same", 0.7, "p2")
    broken = tuple(ProcessReason("model" if n else "format", n, "x" * 400) for n in range(30))
    fallen = checked(trajectory, Says(ProcessVerdict(passed=False, by="m", reasons=broken)))
    assert (
        fallen.reason == Reason.FORMAT
        and len(fallen.evidence["broken"]) == 20
        and fallen.evidence["by"] == "m"
    )
    assert fallen.evidence["broken"][0] == {"rule": "format", "turn": 0, "evidence": "x" * 300}
    assert (fallen.evidence["question"], fallen.evidence["rollout"]) == (trajectory.question_id, 0)
    assert (
        checked(trajectory, Says(ProcessVerdict(passed=False, reasons=broken[1:]))).reason
        == Reason.PROCESS
    )
    wrong = judged(
        trajectory, Says(Judgement(outcome=Outcome.WRONG, by="m", given="y" * 400, why="other"))
    )
    assert (
        wrong.reason,
        wrong.evidence["said"],
        wrong.evidence["expected"],
        wrong.evidence["by"],
    ) == (Reason.WRONG_ANSWER_GIVEN, "y" * 300, "Ada Lund", "m")
