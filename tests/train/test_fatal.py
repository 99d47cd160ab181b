"""Fatal-aware treatment: masks over all error patterns up to length 6, and every rule's precedence."""

import itertools

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from questloom.records.episodes import EndReason, Episode, ToolResult, Turn
from questloom.train.credit.credit_rules import FatalRules
from questloom.train.credit.fatal import (
    OVERLONG,
    Treatment,
    fatal_step,
    in_statistics,
    statuses,
    step_mask,
    treat,
)

OK, FAULT, PROVIDER, LIMIT = "ok", "model_fault", "provider_fault", "limit"
TREATMENTS = ("vanilla", "hard_mask", "fatal_mask", "fatal_mask+clamp")


def by_hand(pattern: tuple[str, ...], faults: int) -> tuple[int, int] | None:
    """First and last step of the first run of so many faults; only faults and successes are looked at."""
    told = [(step, each) for step, each in enumerate(pattern) if each in (OK, FAULT)]
    for start in range(len(told) - faults + 1):
        run = told[start : start + faults]
        if all(each == FAULT for _, each in run):
            return run[0][0], run[-1][0]
    return None


@pytest.mark.parametrize("faults", [1, 2, 3])
def test_the_fatal_step_and_the_mask_for_every_error_pattern_up_to_length_six(faults):
    num = 0
    for length in range(7):
        steps = torch.tensor(
            [-1, -1, *(step for step in range(length) for _ in range(3))]
        )  # a prompt of 2, then 2 policy tokens and 1 observed
        policy = torch.tensor([False, False, *([True, True, False] * length)])
        for pattern in itertools.product((OK, FAULT), repeat=length):
            want = by_hand(pattern, faults)
            first, last = (
                fatal_step(pattern, faults=faults, fatal_index=which) for which in ("first", "last")
            )
            assert (first, last) == (want or (None, None))
            kept = treat(
                1.0, num_steps=length, fatal=first, end="fatal", answered=False, rules=FatalRules()
            ).num_steps
            mask = step_mask(policy, steps, kept)
            assert mask.tolist() == [
                p and s < (length if want is None else want[0])
                for p, s in zip(policy.tolist(), steps.tolist(), strict=True)
            ]
            num += 1
    assert num == 127


@given(
    st.lists(st.sampled_from([OK, FAULT, PROVIDER, LIMIT]), max_size=9).map(tuple),
    st.integers(1, 4),
)
def test_faults_of_providers_and_limits_neither_count_nor_reset(pattern, faults):
    want = by_hand(pattern, faults)
    assert fatal_step(pattern, faults=faults) == (want and want[0])
    assert fatal_step(pattern, faults=faults, fatal_index="last") == (want and want[1])


def test_a_step_is_what_its_call_was_or_how_it_ended_the_episode():
    def of(end: str, *last: Turn) -> list[str]:
        calls = tuple(
            Turn(text="x", result=ToolResult(status=s)) for s in (OK, FAULT, PROVIDER, LIMIT)
        )
        return statuses(
            Episode(
                task_id="t",
                rollout=0,
                engine="e",
                model="m",
                question="q",
                end=end,
                turns=(*calls, *last),
            )
        )

    assert of(EndReason.FATAL) == [OK, FAULT, PROVIDER, LIMIT]
    for end, last in (
        (EndReason.FORMAT, FAULT),
        (EndReason.ANSWERED, OK),
        (EndReason.TOKENS, LIMIT),
        (EndReason.REPETITION, LIMIT),
    ):
        assert of(end, Turn(text="x", violation="" if last == OK else "unclosed")) == [
            OK,
            FAULT,
            PROVIDER,
            LIMIT,
            last,
        ]


FACTS = {"num_steps": 6, "end": EndReason.FATAL, "answered": False}


@pytest.mark.parametrize("advantage", [-1.5, 0.0, 1.5])
def test_each_treatment_of_a_fatal_rollout(advantage):
    made = {
        t: treat(advantage, fatal=2, rules=FatalRules(treatment=t), **FACTS) for t in TREATMENTS
    }
    assert made == {
        "vanilla": Treatment(advantage, 6),
        "hard_mask": Treatment(advantage, 0),
        "fatal_mask": Treatment(advantage, 2),
        "fatal_mask+clamp": Treatment(max(advantage, 0.0), 2),
    }


@pytest.mark.parametrize("treatment", TREATMENTS[1:])
def test_a_rollout_that_is_fatal_from_its_first_step_teaches_nothing_and_is_in_the_statistics(
    treatment,
):
    rules = FatalRules(treatment=treatment)
    assert treat(-1.0, fatal=0, rules=rules, **FACTS).num_steps == 0 and in_statistics(
        EndReason.FATAL, rules
    )


@pytest.mark.parametrize("treatment", TREATMENTS)
def test_a_rollout_that_went_well_is_left_alone_by_all(treatment):
    made = treat(
        -1.0,
        num_steps=4,
        fatal=None,
        end=EndReason.ANSWERED,
        answered=True,
        rules=FatalRules(treatment=treatment, no_answer="clamp", overlong="out_of_loss"),
    )
    assert made == Treatment(-1.0, 4)


@pytest.mark.parametrize(
    "end",
    [EndReason.FORMAT, EndReason.CALLS, EndReason.TOKENS, EndReason.TIME, EndReason.REPETITION],
)
def test_never_answering_is_pushed_down_unless_it_is_asked_otherwise(end):
    made = {
        rule: treat(
            -1.0, num_steps=4, fatal=None, end=end, answered=False, rules=FatalRules(no_answer=rule)
        )
        for rule in ("normal", "clamp")
    }
    assert made == {"normal": Treatment(-1.0, 4), "clamp": Treatment(0.0, 4)}


def test_the_fatal_rules_come_before_those_for_no_answer():
    assert treat(
        -1.0, fatal=2, rules=FatalRules(treatment="fatal_mask", no_answer="clamp"), **FACTS
    ) == Treatment(-1.0, 2)
    assert treat(
        -1.0, fatal=2, rules=FatalRules(treatment="vanilla", no_answer="clamp"), **FACTS
    ) == Treatment(0.0, 6)


@pytest.mark.parametrize("treatment", TREATMENTS)
@pytest.mark.parametrize("fatal", [None, 2])
def test_the_rule_for_overlong_rollouts_wins_where_it_is_on(treatment, fatal):
    assert {EndReason.TOKENS, EndReason.CALLS, EndReason.TIME} == OVERLONG
    for end in OVERLONG:
        facts = {"num_steps": 6, "fatal": fatal, "end": end, "answered": False}
        assert (
            treat(
                1.0, rules=FatalRules(treatment=treatment, overlong="out_of_loss"), **facts
            ).num_steps
            == 0
        )
        assert in_statistics(end, FatalRules(overlong="out_of_loss"))
        assert (treat(1.0, rules=FatalRules(treatment=treatment), **facts).num_steps == 0) == (
            fatal is not None and treatment == "hard_mask"
        )


def test_ends_by_a_providers_fault_leave_the_loss_always_and_the_statistics_by_default():
    for rule, stays in (("leave", False), ("out_of_loss", True)):
        rules = FatalRules(provider=rule)
        assert in_statistics(EndReason.PROVIDER, rules) is stays
        assert (
            treat(
                1.0, num_steps=4, fatal=None, end=EndReason.PROVIDER, answered=False, rules=rules
            ).num_steps
            == 0
        )
