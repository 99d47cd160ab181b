"""Tags, axes, findings, scores and rivals: pure parts of the loop, each with a case that it refuses."""

import pytest

from questloom.pipeline.evolve.axes import balanced, profile_of
from questloom.pipeline.evolve.findings import Finding, blamed, recurring
from questloom.pipeline.evolve.rollouts import Played, Rollout
from questloom.pipeline.evolve.tags import Cause, Evidence, Tag, TeacherResult, tag_of
from questloom.pipeline.evolve.verify import task_row
from questloom.records.form import Ask, Compute, Form
from questloom.records.share import Share
from questloom.records.trajectories import ToolStatistics
from tests.pipeline.evolve.asked import FORM, question


def rollout(outcome: str = "correct", said: str = "x", faults: int = 0) -> Rollout:
    return Rollout(
        number=0,
        outcome=outcome,
        said=said,
        provider_faults=faults,
        chain=("visit",),
        statistics=ToolStatistics(),
    )


def found(good: int, num: int = 4, **rest) -> Evidence:
    return Evidence(
        **{"passed": Share(good, num), "num_failed": num - good, "num_by_provider": 0, **rest}
    )


@pytest.mark.parametrize(
    ("evidence", "tag", "cause"),
    [
        (found(4), Tag.TOO_EASY, Cause.NONE),
        (found(3), Tag.GOOD_MATCH, Cause.NONE),
        (found(1), Tag.GOOD_MATCH, Cause.NONE),
        (found(0, num_recovered=1), Tag.RECOVERABLE, Cause.NONE),
        (found(0, teacher=TeacherResult.SOLVED), Tag.TOO_HARD, Cause.NONE),
        (found(0), Tag.TOO_HARD, Cause.NONE),
        (found(0, teacher=TeacherResult.FAILED), Tag.FAKE_HARD, Cause.UNSOLVED),
        (found(0, teacher=TeacherResult.PROVIDER), Tag.INFRA_FAILURE, Cause.NONE),
        (found(2, rival="y"), Tag.FAKE_HARD, Cause.RIVAL_FITS),
        (found(2, contradicted=True), Tag.FAKE_HARD, Cause.JUDGE_CONTRADICTS),
        (found(0, 0), Tag.FAKE_HARD, Cause.JUDGE_FAILED),
        (found(0, num_by_provider=2), Tag.INFRA_FAILURE, Cause.NONE),
        (found(0, num_by_provider=1, teacher=TeacherResult.FAILED), Tag.FAKE_HARD, Cause.UNSOLVED),
        (found(3, num_by_provider=1), Tag.INFRA_FAILURE, Cause.NONE),
        (found(1, num_by_provider=1), Tag.GOOD_MATCH, Cause.NONE),
        (found(3, num_by_provider=1, rival="y"), Tag.INFRA_FAILURE, Cause.NONE),
    ],
)
def test_the_tag_of(evidence, tag, cause):
    assert tag_of(evidence) == (tag, cause)


def test_what_was_played_on_counts_in_no_pass_rate():
    tried = Played(tuple(rollout("wrong_answer_given", "y") for _ in range(4)))
    row = task_row(question(), tried, [rollout()] * 4, Played(), None, too_easy=0.75)
    assert (row.tag, row.correct, row.judged, row.recovered) == ("recoverable", 0, 4, 4)


def test_a_rollout_that_no_judge_could_judge_is_no_failure():
    tried = Played(
        (rollout("judge_failed"), rollout(), rollout(), rollout("wrong_answer_given", "y"))
    )
    assert task_row(question(), tried, (), Played(), None, too_easy=0.75).judged == 3


def test_a_judge_that_calls_the_same_words_right_and_wrong_breaks_the_task():
    tried = Played(
        (
            rollout(said="The Tower"),
            rollout("wrong_answer_given", "the tower"),
            rollout(),
            rollout(),
        )
    )
    assert (
        tried.contradicted
        and task_row(question(), tried, (), Played(), None, too_easy=0.75).cause
        is Cause.JUDGE_CONTRADICTS
    )
    assert not Played((rollout(said="a"), rollout("wrong_answer_given", "b"))).contradicted


@pytest.mark.parametrize(
    ("form", "profile"),
    [
        (FORM, "perception+search"),
        (None, "perception+search"),
        (
            Form(
                clauses=(*FORM.clauses, Compute(op="difference", args=("x1", "x1"), out="x2")),
                ask=Ask(var="x2", type="quantity"),
            ),
            "perception+search+reasoning",
        ),
    ],
)
def test_the_profile_of_a_question_is_in_its_form(form, profile):
    assert profile_of(question(form=form)) == profile


def test_a_batch_takes_levels_by_weight_and_spreads_over_domains():
    made = [
        question(f"{level}{domain}{n}", level, domain=domain)
        for level in ("easy", "hard")
        for domain in ("arts", "life")
        for n in range(20)
    ]
    chosen = balanced(made, 16, levels={"easy": 1.0, "hard": 3.0}, seed=1)
    levels, domains = [q.level for q in chosen], [q.domain for q in chosen]
    assert 10 <= levels.count("hard") <= 13 and domains.count("arts") == 8
    assert chosen == balanced(made[::-1], 16, levels={"easy": 1.0, "hard": 3.0}, seed=1), (
        "in any order"
    )
    assert len(balanced(made, 100, levels={"easy": 1.0}, seed=1)) == 80


def test_what_shows_in_two_tasks_does_not_recur_and_blames_nobody():
    twice = [Finding(f"t{n}", "pictures", "not_grounded", 5.0, "") for n in (1, 1, 2)]
    often = [Finding(f"t{n}", "writer", "too_easy", 3.0, "") for n in range(4)]
    assert recurring(twice, least=3) == [] and blamed(twice, least=3) == ""
    assert blamed([*twice, *often], least=3) == "writer"
