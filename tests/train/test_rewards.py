"""Rewards: unknown is not zero, an empty valid prefix is."""

import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from questloom.records.episodes import Outcome, ToolResult, Turn
from questloom.train.credit.credit_rules import RewardRules
from questloom.train.credit.rewards import accuracy, format_reward, rewards, step_passed

SHARES = st.lists(
    st.tuples(
        st.floats(0, 1),
        st.sampled_from([0.0, 1.0, math.nan]),
        st.floats(0, 1) | st.just(math.nan),
        st.integers(0, 3),
    ),
    min_size=1,
    max_size=6,
)


@given(SHARES, st.floats(0, 0.99), st.booleans())
def test_the_reward_is_that_of_the_formula_and_unknown_wherever_a_judge_failed(group, alpha, fmt):
    shares, right, query, valid = (
        torch.tensor(column, dtype=torch.float64) for column in zip(*group, strict=True)
    )
    got = rewards(
        RewardRules(alpha=alpha, format=fmt),
        format_share=shares,
        accuracy=right,
        query=query,
        num_valid=valid,
        used_tool=torch.ones(len(group), dtype=torch.bool),
    )
    for each, (f, a, q, v) in zip(got.tolist(), group, strict=True):
        want = (f if fmt else 1.0) * (alpha * a + (1 - alpha) * q) if v else 0.0
        assert (math.isnan(each) and math.isnan(want)) or each == pytest.approx(want)


def test_the_plain_answer_reward_asks_no_query_judge_and_the_composite_one_does():
    told = {
        "format_share": torch.tensor([0.2]),
        "accuracy": torch.tensor([1.0]),
        "used_tool": torch.tensor([True]),
    }
    assert rewards(RewardRules(alpha=1.0, format=False), **told).tolist() == [1.0]
    with pytest.raises(ValueError, match=r"alpha 0\.8 needs"):
        rewards(RewardRules(), **told)


def test_a_bonus_goes_to_those_that_called_a_tool():
    told = {
        "format_share": torch.ones(2),
        "accuracy": torch.tensor([0.0, 1.0]),
        "used_tool": torch.tensor([True, False]),
    }
    assert rewards(RewardRules(alpha=1.0, tool_bonus=-0.25), **told).tolist() == [-0.25, 1.0]


def test_every_outcome_has_its_accuracy():
    assert [accuracy(o) for o in (Outcome.CORRECT, Outcome.WRONG, Outcome.NO_ANSWER)] == [
        1.0,
        0.0,
        0.0,
    ]
    assert math.isnan(accuracy(Outcome.JUDGE_FAILED))
    with pytest.raises(ValueError):
        accuracy("probably")


def test_a_step_fails_by_its_format_or_its_call_and_not_by_a_provider():
    def turn(status: str = "ok", violation: str = "") -> Turn:
        return Turn(text="x", violation=violation, result=ToolResult(status=status))

    assert [step_passed(turn(s)) for s in ("ok", "model_fault", "provider_fault", "limit")] == [
        True,
        False,
        True,
        True,
    ]
    assert not step_passed(turn(violation="two_calls")) and step_passed(
        Turn(text="x", answer="1871")
    )


def test_the_format_share_is_over_the_valid_prefix_only():
    assert (
        format_reward([True, False, False, False], 1) == 1.0
        and format_reward([True, False, False, False]) == 0.25
    )
    assert format_reward([], None) == 0.0
