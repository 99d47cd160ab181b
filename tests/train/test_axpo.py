"""AXPO: trigger, boundaries, ranking within the budget, credit; prefixes identical over resamples."""

import dataclasses
import math

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from questloom.records.errors import InputError
from questloom.train.credit.axpo import (
    Boundary,
    Source,
    boundaries,
    boundary,
    check_prefix,
    continuation_advantages,
    continuation_mask,
    is_triggered,
    prefix_advantage,
    prefix_mask,
    recovered_reward,
    select,
)
from questloom.train.credit.credit_rules import Axpo
from questloom.train.credit.groups import advantages
from questloom.train.rows.row import Row, RowError, RowFault
from tests.train.played import PICTURES, TOKENS, row

OPEN, CLOSE = TOKENS.tokenizer.convert_tokens_to_ids(["<tool_call>", "</tool_call>"])


def calling(*turns: tuple[str, float] | None) -> Row:
    """A row whose turns call a tool, with a probability of the call's tokens; None for a turn without a call."""
    made = row(len(turns))
    ids, logp = made.ids.clone(), made.old_logp.clone()
    for (begin, end), turn in zip(made.turns, turns, strict=True):
        if turn:
            kind, probability = turn
            ids[begin + 3] = OPEN
            logp[begin + 3] = math.log(0.01)  # the tag's own is not counted
            stop = end - 2 if kind == "closed" else end
            if kind == "closed":
                ids[stop] = CLOSE
                logp[stop:end] = math.log(0.02)
            logp[begin + 4 : stop] = math.log(probability)
    return dataclasses.replace(made, ids=ids, old_logp=logp)


MADE = calling(None, ("closed", 0.9), ("closed", 0.3), ("cut", 0.5))


def test_boundaries_stand_right_after_the_tag_with_the_mean_probability_of_the_call():
    found = boundaries(MADE, OPEN, CLOSE)
    assert [each.turn for each in found] == [1, 2, 3]
    assert [each.confidence for each in found] == pytest.approx([0.9, 0.3, 0.5])
    assert all(MADE.ids[each.end - 1] == OPEN for each in found)


def test_the_prefix_ends_at_the_first_call_or_the_least_sure_one_before_the_fatal_step():
    assert boundary(MADE, OPEN, CLOSE, "first").turn == 1
    assert boundary(MADE, OPEN, CLOSE, "most_uncertain").turn == 2
    assert boundary(MADE, OPEN, CLOSE, "most_uncertain", fatal=2).turn == 1
    assert (
        boundary(MADE, OPEN, CLOSE, "first", fatal=1) is None
        and boundary(row(2), OPEN, CLOSE, "first") is None
    )


def test_probabilities_are_averaged_and_not_their_logarithms():
    made = calling(("closed", 0.5))
    start = made.turns[0][0] + 4
    logp = made.old_logp.clone()
    logp[start] = math.log(0.001)
    num = made.turns[0][1] - 2 - start
    (found,) = boundaries(dataclasses.replace(made, old_logp=logp), OPEN, CLOSE)
    assert found.confidence == pytest.approx((0.5 * (num - 1) + 0.001) / num)


TRIGGERS = st.lists(
    st.tuples(st.sampled_from([0.0, 1.0, math.nan]), st.booleans()), min_size=1, max_size=6
)


@given(TRIGGERS)
def test_the_trigger_is_members_that_are_all_known_to_be_wrong(group):
    accuracy, member = torch.tensor([a for a, _ in group]), torch.tensor([m for _, m in group])
    members = [a for a, m in group if m]
    assert is_triggered(accuracy, member) == (bool(members) and all(a == 0.0 for a in members))


POOLS = st.lists(st.lists(st.integers(0, 20), max_size=5), max_size=6)


@given(
    POOLS,
    st.integers(0, 128),
    st.integers(2, 6),
    st.sampled_from([0.0, 0.1, 0.25, 0.5]),
    st.sampled_from(["confidence", "random"]),
)
def test_selection_keeps_the_budget_and_gives_each_question_one_before_any_gets_two(
    pools, num_rollouts, k, budget, rank
):
    groups = [
        [Source(g, n, Boundary(9, 0, c / 20)) for n, c in enumerate(pool)]
        for g, pool in enumerate(pools)
    ]
    rules = Axpo(continuations=k, budget=budget, rank=rank)
    chosen = select(groups, num_rollouts=num_rollouts, rules=rules, seed=3)
    assert len(chosen) * k <= budget * num_rollouts + 1e-6
    room = math.floor(budget * num_rollouts / k + 1e-9)
    assert len(set(chosen)) == len(chosen) == min(room, sum(map(len, groups)))
    per = [sum(source.group == g for source in chosen) for g in range(len(groups))]
    for g, num in enumerate(per):
        assert all(other >= min(num - 1, len(groups[h])) for h, other in enumerate(per)), per
        if rank == "confidence":
            taken = [s.boundary.confidence for s in chosen if s.group == g]
            assert taken == sorted(s.boundary.confidence for s in groups[g])[:num]
    assert chosen == select(groups, num_rollouts=num_rollouts, rules=rules, seed=3)


def test_a_random_rank_depends_on_the_seed_and_not_on_confidence():
    groups = [[Source(0, n, Boundary(9, 0, n / 20)) for n in range(20)]]
    orders = {
        tuple(
            s.rollout
            for s in select(groups, num_rollouts=128, rules=Axpo(rank="random"), seed=seed)
        )
        for seed in range(5)
    }
    assert len(orders) == 5


def test_the_budget_of_the_paper_is_half_a_prefix_a_question():
    groups = [[Source(g, n, Boundary(9, 0, 0.5)) for n in range(8)] for g in range(16)]
    assert len(select(groups, num_rollouts=16 * 8, rules=Axpo())) == 8


def test_recovery_takes_the_best_right_continuation_and_no_wrong_one():
    assert recovered_reward(
        0.2, torch.tensor([0.9, 1.0]), torch.tensor([1.0, 0.0])
    ) == pytest.approx(0.9)
    assert recovered_reward(0.2, torch.tensor([math.nan, 1.0]), torch.tensor([1.0, 0.0])) == 0.2


@pytest.mark.parametrize("statistic", ["population", "sample", "leave_one_out"])
@pytest.mark.parametrize("group", [[0.0, 0, 0, 1, 1, 0, 0, 0], [0.1, 0.3, 0.0, 0.9], [0.0] * 8])
def test_a_prefix_is_credited_as_if_its_source_alone_had_another_reward(group, statistic):
    rewards = torch.tensor(group)
    for source in (0, 1):
        replaced = [1.0 if n == source else r for n, r in enumerate(group)]
        want = advantages(torch.tensor(replaced), statistic)[source].item()
        assert prefix_advantage(rewards, source, 1.0, statistic) == want
        assert prefix_advantage(rewards, source, 1.0, statistic, cap=0.5) == min(want, 0.5)
    assert rewards.tolist() == torch.tensor(group).tolist()


def test_continuations_are_compared_among_themselves_or_with_the_question():
    new, group = torch.tensor([1.0, 0, 0, 0]), torch.zeros(8)
    assert continuation_advantages(new, "sample").tolist() == pytest.approx(
        [1.5, -0.5, -0.5, -0.5], abs=1e-4
    )
    merged = continuation_advantages(new, "leave_one_out", beside=group)
    assert merged.tolist() == pytest.approx([1.0, -1 / 11, -1 / 11, -1 / 11])
    assert continuation_advantages(torch.ones(4), "sample").tolist() == [0.0] * 4


def test_prefix_and_continuation_part_a_rows_policy_tokens_without_rest():
    for end in (1, MADE.turns[1][0] + 4, len(MADE)):
        before, after = prefix_mask(MADE, end), continuation_mask(MADE, end)
        assert not (before & after).any() and torch.equal(before | after, MADE.loss_mask)


def test_a_continuation_that_left_its_prefix_is_named():
    end = MADE.turns[2][0] + 4
    later = MADE.ids.clone()
    later[end + 1 : end + 3] = 301
    check_prefix(dataclasses.replace(MADE, ids=later), MADE, end, PICTURES)
    early = MADE.ids.clone()
    early[5] = 301
    with pytest.raises(RowError, match=f"at token 5 of the prefix of {end}") as error:
        check_prefix(dataclasses.replace(MADE, ids=early), MADE, end, PICTURES)
    assert error.value.fault == RowFault.PREFIX
    with pytest.raises(RowError, match="at token 9 of the prefix"):
        check_prefix(dataclasses.replace(MADE, ids=MADE.ids[:9]), MADE, end, PICTURES)
    seen = (MADE.pixel_hashes[0], "other", *MADE.pixel_hashes[2:])
    with pytest.raises(RowError, match=r"other pixels than its source.*picture 1"):
        check_prefix(dataclasses.replace(MADE, pixel_hashes=seen), MADE, end, PICTURES)


def test_resampling_questions_without_a_tool_call_has_no_prefix():
    with pytest.raises(InputError, match="no prefix"):
        Axpo(trigger="no_tool")
    Axpo(trigger="no_tool", resample="question")
