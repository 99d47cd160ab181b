"""What verify makes of rollouts: who plays, which tasks are played on, a task's row, behaviour and the round in numbers."""

import pytest

from questloom.agent.play_settings import PlaySettings
from questloom.agent.tool_settings import ALL_TOOLS
from questloom.pipeline.evolve.rivals import FittingRival
from questloom.pipeline.evolve.rollouts import KINDS, Played, Rollout, strategy_of
from questloom.pipeline.evolve.task_row import row_as_json
from questloom.pipeline.evolve.verify import (
    _playing,
    _unsolved,
    behaviour,
    policy_of,
    policy_settings,
    solver_settings,
    summary,
    task_row,
)
from questloom.records.form import Ask, Compute, Form, Reads
from questloom.records.synthesis import Enhancement
from questloom.records.trajectories import ToolStatistics
from tests.pipeline.evolve.asked import FORM, question
from tests.pipeline.evolve.made import recipe, row

WRONG = "wrong_answer_given"


def rollout(
    outcome: str = "correct",
    said: str = "x",
    faults: int = 0,
    chain: tuple[str, ...] = ("visit",),
    process: str = "",
    **done,
) -> Rollout:
    return Rollout(
        number=0,
        outcome=outcome,
        said=said,
        provider_faults=faults,
        chain=chain,
        process=process,
        statistics=ToolStatistics(**done),
    )


def told(
    tried: list[Rollout],
    again: list[Rollout] | None = None,
    teacher: list[Rollout] | None = None,
    rival: FittingRival | None = None,
    asked=None,
):
    return row_as_json(
        task_row(
            asked or question(),
            Played(tuple(tried)),
            again or [],
            Played(tuple(teacher or [])),
            rival,
            too_easy=0.75,
        )
    )


# who plays


def test_in_mode_rl_the_policy_is_measured_and_the_teacher_asked_and_in_mode_sft_the_teacher_and_the_oracle():
    rl, sft = recipe(), recipe(mode="sft")
    assert (
        policy_of(rl) == "policy"
        and policy_settings(rl, "").model == "skilled"
        and solver_settings(rl) == rl.teach
    )
    assert policy_of(sft) == "teacher" and policy_settings(sft, "/new") == sft.teach, (
        "what is trained on the teacher's episodes does not play"
    )
    asked = solver_settings(sft)
    assert (
        asked.engine == "oracle"
        and asked.tools == sft.teach.tools
        and asked.limits == sft.teach.limits
    )


def test_the_policy_plays_with_the_model_that_the_loop_has_trained():
    assert policy_settings(recipe(), "/new").model == "/new"


def test_where_no_policy_is_named_the_teachers_settings_are_the_policys():
    alone = recipe(policy=None)
    assert policy_settings(alone, "") == alone.teach


def test_verify_plays_every_task_with_the_policys_settings_and_keeps_no_episode_for_a_data_set():
    made = _playing(recipe(), PlaySettings(engine="oracle"), 6).teach
    assert (made.engine, made.rollouts, made.uses, made.keep) == ("oracle", 6, ("sft", "rl"), 0)


# which tasks are played on


@pytest.mark.parametrize(
    ("tried", "again"),
    [
        ([rollout(WRONG)] * 4, True),
        ([rollout(WRONG)] * 3 + [rollout()], False),
        ([], False),
        ([rollout("judge_failed")] * 4, False),
        ([rollout(WRONG, faults=1)] * 2 + [rollout(WRONG)] * 2, False),
        ([rollout(WRONG, faults=1)] + [rollout(WRONG)] * 3, True),
        ([rollout(WRONG, faults=1)] + [rollout(WRONG)] * 2, True),
    ],
)
def test_played_on_is_what_was_judged_and_never_solved_and_where_that_was_not_the_providers_doing(
    tried, again
):
    assert _unsolved(Played(tuple(tried))) is again


# a task's row


def test_a_row_counts_right_rollouts_among_those_that_were_judged():
    made = told(
        [rollout(), rollout(WRONG, "b"), rollout("judge_failed"), rollout("no_answer_given", "")]
    )
    assert (made["correct"], made["judged"], made["rate"], made["tag"]) == (
        1,
        3,
        1 / 3,
        "good_match",
    )
    assert made["interval"][0] < 1 / 3 < made["interval"][1] and made["outcomes"] == {
        "correct": 1,
        "judge_failed": 1,
        "no_answer_given": 1,
        WRONG: 1,
    }


def test_a_row_has_the_wrong_answers_once_and_nothing_that_was_said_without_being_wrong():
    made = told(
        [
            rollout(WRONG, "b"),
            rollout(WRONG, "a"),
            rollout(WRONG, "b"),
            rollout(WRONG, ""),
            rollout("judge_failed", "c"),
            rollout(said="right"),
        ]
    )
    assert made["wrong"] == ["a", "b"]
    assert len(told([rollout(WRONG, str(n)) for n in range(12)])["wrong"]) == 8, "of many eight"


def test_a_row_has_the_calls_of_each_rollout_and_apart_those_of_the_right_ones():
    made = told(
        [
            rollout(chain=("a", "b")),
            rollout(WRONG, "w", chain=()),
            rollout(chain=("c",), process="rule"),
        ]
    )
    assert made["chains"] == [["a", "b"], [], ["c"]] and made["solved_chains"] == [
        ["a", "b"],
        ["c"],
    ]
    assert (
        made["chain_outcomes"] == ["correct", WRONG, "correct"]
        and made["chain_answers"] == ["x", "w", "x"]
        and made["unfit"] == 1
    )


@pytest.mark.parametrize(
    ("teacher", "word", "tag"),
    [
        ([], "", "too_hard"),
        ([rollout()], "solved", "too_hard"),
        ([rollout(WRONG)], "failed", "fake_hard"),
        ([rollout(WRONG, faults=1)] * 2, "provider", "infra_failure"),
        ([rollout(WRONG, faults=1), rollout(WRONG)], "failed", "fake_hard"),
        ([rollout(WRONG, faults=1), rollout()], "solved", "too_hard"),
    ],
)
def test_what_the_teacher_made_of_a_task_that_the_policy_never_solved(teacher, word, tag):
    made = told([rollout(WRONG)] * 4, teacher=teacher)
    assert (made["teacher"], made["tag"]) == (word, tag)


def test_failures_of_the_provider_are_counted_among_the_failures_alone():
    made = told(
        [rollout(faults=3), rollout(WRONG, "y", faults=1), rollout(WRONG, "y"), rollout(WRONG, "z")]
    )
    assert made["by_provider"] == 1 and made["tag"] == "good_match", (
        "a right rollout is nobody's failure"
    )


def test_a_rival_that_fits_breaks_the_task_and_stands_in_its_row():
    made = told([rollout()] * 2, rival=FittingRival("Ilse", "Q5", "certify"))
    assert (made["tag"], made["cause"], made["rival"]) == (
        "fake_hard",
        "rival_fits",
        {"said": "Ilse", "key": "Q5", "passed_by": "certify"},
    )
    assert told([rollout()] * 2)["rival"] is None


def test_a_row_says_what_the_question_needs():
    form = Form(
        clauses=(
            *FORM.clauses,
            Reads(var="x2", of="x0", property="P1"),
            Compute(op="difference", args=("x1", "x2"), out="x3"),
        ),
        ask=Ask(var="x3", type="quantity"),
    )
    plain, needy = (
        told([rollout()]),
        told(
            [rollout()],
            asked=question(form=form).replace(
                enhancement=Enhancement(
                    degradation="blur", tool="sharpen", severity=0.5, original_image_id=""
                )
            ),
        ),
    )
    assert [plain[key] for key in ("needs_detail", "needs_computation", "enhanced", "profile")] == [
        False,
        False,
        False,
        "perception+search",
    ]
    assert [needy[key] for key in ("needs_detail", "needs_computation", "enhanced", "profile")] == [
        True,
        True,
        True,
        "perception+search+reasoning",
    ]


# behaviour


def test_behaviour_is_counted_a_rollout_and_dynamic_pictures_are_those_found_and_those_made():
    one = rollout(
        num_calls=4,
        pictures_found=3,
        pictures_made=1,
        handles_as_input=2,
        tool_pictures_used_again=1,
        faults_by_tool={"visit": 1, "crop": 1},
    )
    other = rollout(num_calls=2, pictures_made=1, tool_pictures_used_again=2)
    assert behaviour([one, other]) == {
        "dynamic_pictures": 2.5,
        "calls_with_picture": 1.0,
        "secondary_use": 1.5,
        "calls": 3.0,
        "faults": 0.3333,
    }
    thirds = behaviour(
        [rollout(num_calls=1, pictures_found=1), rollout(num_calls=1), rollout(num_calls=1)]
    )
    assert thirds["dynamic_pictures"] == 0.3333


def test_without_rollouts_or_calls_there_is_no_behaviour():
    assert set(behaviour([]).values()) == {0.0} and behaviour([rollout()])["faults"] == 0.0


# the round in numbers


def test_shares_are_over_the_tasks_that_no_provider_spoiled():
    rows = [
        row("a", "good_match"),
        row("b", "too_easy"),
        row("c", "infra_failure"),
        row("d", "fake_hard"),
    ]
    made = summary(rows)
    assert made["tags"] == {
        "infra_failure": 1,
        "too_easy": 1,
        "good_match": 1,
        "recoverable": 0,
        "too_hard": 0,
        "fake_hard": 1,
    }
    assert (
        made["sound"] == 2 and made["good_match"]["good"] == 1 and made["good_match"]["judged"] == 3
    )
    assert (made["pass_rate"]["good"], made["pass_rate"]["judged"]) == (6, 12), (
        "2, 4 and 0 of four each"
    )


def test_a_round_has_the_mean_behaviour_of_its_measured_tasks():
    rows = [
        row("a", dynamic_pictures=1.0, calls_with_picture=2.0, secondary_use=3.0, calls=4.0),
        row("b", dynamic_pictures=2.0, calls_with_picture=3.0, secondary_use=4.0, calls=5.0),
        row("c", "infra_failure", dynamic_pictures=100.0),
    ]
    made = summary(rows)["behaviour"]
    assert {
        name: made[name]
        for name in ("dynamic_pictures", "calls_with_picture", "secondary_use", "calls")
    } == {"dynamic_pictures": 1.5, "calls_with_picture": 2.5, "secondary_use": 3.5, "calls": 4.5}
    assert (
        summary([row(str(n), dynamic_pictures=float(n == 0)) for n in range(3)])["behaviour"][
            "dynamic_pictures"
        ]
        == 0.3333
    )
    assert set(summary([row("c", "infra_failure")])["behaviour"].values()) == {0.0}


def test_chain_diversity_counts_distinct_chains_and_strategy_diversity_what_kinds_of_tools_follow_each_other():
    chains = [
        ["text_search", "visit"],
        ["web_search", "visit", "visit"],
        ["crop", "text_search"],
        ["text_search", "visit"],
        [],
    ]
    made = summary(
        [
            row("a", chains=chains[:3]),
            row("b", chains=chains[3:]),
            row("c", "infra_failure", chains=[["flip"]]),
        ]
    )["behaviour"]
    assert made["chain_diversity"] == 0.75, "3 of 4; a rollout without a call has no chain"
    assert made["strategy_diversity"] == 0.5, "search and read three times, look and search once"
    thirds = summary([row("a", chains=[["visit"]] * 3)])["behaviour"]
    assert thirds["chain_diversity"] == thirds["strategy_diversity"] == 0.3333


def test_every_tool_has_a_kind_and_one_that_a_model_made_up_breaks_nothing():
    assert set(KINDS) == set(ALL_TOOLS)
    assert (
        strategy_of(["visit", "<script>", "visit"]) == ("read", "other", "read")
        and strategy_of([]) == ()
    )
