"""Scores: nothing leaves the denominator, each judge counts for itself, and effort is told beside."""

from questloom.eval.items import Mark
from questloom.eval.scores import scores_of
from questloom.records.trajectories import AnswerVerdict


def mark(item: str, rollout: int, strict: str, lenient: str = "", **facts) -> Mark:
    """How an attempt was marked."""
    return Mark(
        episode_id=f"{item}{rollout}",
        item_id=item,
        rollout=rollout,
        end=facts.pop("end", "answered"),
        strict=AnswerVerdict(outcome=strict, by="rules"),
        lenient=AnswerVerdict(outcome=lenient or strict, by="rules"),
        num_turns=2,
        **facts,
    )


MARKS = [
    mark(
        "a",
        0,
        "correct",
        calls_by_tool={"crop": 2},
        faults_by_tool={"crop": 1},
        tokens_in=300,
        tokens_out=30,
        cost=0.5,
    ),
    mark("a", 1, "wrong", "correct"),
    mark("b", 0, "judge_failed", "wrong"),
    mark("b", 1, "no_answer", end="format"),
    mark("c", 0, "correct"),
]


def test_what_failed_was_not_judged_or_not_played_counts_as_not_right():
    made = scores_of(["a", "b", "c", "d"], MARKS, rollouts=2, seed=0)
    assert made["attempts"] == 8 and not made["whole"]
    assert made["strict"]["outcomes"] == {
        "correct": 2,
        "wrong": 1,
        "no_answer": 1,
        "judge_failed": 1,
        "not_played": 3,
    }
    assert (
        made["strict"]["pass@k"]["1"]["value"] == 2 / 8
        and made["strict"]["pass@k"]["2"]["value"] == 2 / 4
    )
    assert made["lenient"]["pass@k"]["1"]["value"] == 3 / 8 and made["strict"]["by_rollout"] == [
        0.5,
        0,
    ]


def test_effort_is_a_mean_over_attempts_that_were_played():
    made = scores_of(["a", "b", "c"], MARKS, rollouts=2, seed=0)
    assert (
        made["calls"] == {"mean": 0.4, "by_tool": {"crop": 2}, "success": 0.5}
        and made["tokens_in"] == 60
        and made["cost"] == 0.1
    )
    assert made["ends"] == {"answered": 4, "format": 1}
    assert scores_of(["c"], MARKS[-1:], rollouts=1, seed=0)["calls"]["success"] is None


def test_the_score_on_clean_questions_stands_beside_the_whole_one():
    made = scores_of(["a", "b", "c"], MARKS, rollouts=2, seed=0, clean=frozenset("a"))
    assert made["strict"]["pass@1 on clean questions"] == {
        "questions": 1,
        "value": 0.5,
        **{k: made["strict"]["pass@1 on clean questions"][k] for k in ("low", "high")},
    }
    assert scores_of(["a"], [], rollouts=1, seed=0, clean=frozenset())["strict"][
        "pass@1 on clean questions"
    ] == {"questions": 0}


def test_the_order_of_marks_changes_nothing():
    assert scores_of(["b", "a", "c"], MARKS[::-1], rollouts=2, seed=0) == scores_of(
        ["a", "b", "c"], MARKS, rollouts=2, seed=0
    )
