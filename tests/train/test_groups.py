"""Groups: the statistics of the known rewards, exactly zero without variance."""

import math
import statistics

import pytest
import torch
from hypothesis import assume, given
from hypothesis import strategies as st

from questloom.train.credit.groups import advantages, has_variance

KINDS = ("population", "sample", "leave_one_out")
GROUPS = st.lists(st.sampled_from([0.0, 0.1, 0.5, 0.9, 1.0, math.nan]), min_size=1, max_size=8)


@given(GROUPS, st.sampled_from(KINDS))
def test_advantages_are_those_of_plain_python(group, kind):
    got = advantages(torch.tensor(group, dtype=torch.float64), kind, delta=0.0).tolist()
    known = [r for r in group if not math.isnan(r)]
    for number, reward in enumerate(group):
        if math.isnan(reward) or len(set(known)) < 2:
            assert got[number] == 0.0
        elif kind == "leave_one_out":
            others = [r for n, r in enumerate(group) if n != number and not math.isnan(r)]
            assert got[number] == pytest.approx(reward - statistics.mean(others))
        else:
            spread = statistics.pstdev(known) if kind == "population" else statistics.stdev(known)
            assert got[number] == pytest.approx((reward - statistics.mean(known)) / spread)


@given(GROUPS, st.sampled_from(KINDS), st.floats(0.1, 5), st.floats(-3, 3))
def test_they_add_up_to_nothing_and_standard_ones_know_no_scale(group, kind, scale, shift):
    rewards = torch.tensor(group, dtype=torch.float64)
    assume(has_variance(rewards))
    made = advantages(rewards, kind, delta=0.0)
    assert made.sum().item() == pytest.approx(0, abs=1e-9)
    moved = advantages(rewards * scale + shift, kind, delta=0.0)
    assert torch.allclose(moved, made * (scale if kind == "leave_one_out" else 1))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "group", [[0.1] * 8, [0.7], [math.nan] * 3, [1.0, math.nan], [math.nan, 0.3, 0.3]]
)
def test_a_group_without_variance_is_exactly_zero(kind, group):
    rewards = torch.tensor(group)
    assert not has_variance(rewards) and advantages(rewards, kind).tolist() == [0.0] * len(group)


def test_an_unknown_reward_changes_nobodys_statistics():
    known = advantages(torch.tensor([1.0, 0.0, 0.5]), "population")
    assert torch.equal(
        advantages(torch.tensor([1.0, math.nan, 0.0, 0.5]), "population")[[0, 2, 3]], known
    )
