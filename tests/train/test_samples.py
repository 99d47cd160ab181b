"""Lessons: the order of statistics, credit, masks and clamps; every rollout is taught or left out with a reason."""

import dataclasses
import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from questloom.records.episodes import EndReason
from questloom.train.credit import samples as lessons_module
from questloom.train.credit.credit_rules import Axpo, FatalRules
from questloom.train.credit.samples import (
    DroppedWeight,
    DropReason,
    QuestionSamples,
    Resampled,
    Rollout,
    Sample,
    loss_inputs,
)
from questloom.train.loss.objective_rules import Objective
from questloom.train.rows.packing import pack
from tests.train.played import PICTURES, row

ROW = row(4)
PREFIX = ROW.turns[1][0] + 4
RULES = {"statistic": "population", "fatal": FatalRules()}
PLAIN, KL, TAUGHT = Objective(), Objective(kl=0.1), Objective(kl=0.1, divisor="taught")


def samples(rollouts: list[Rollout], objective: Objective = PLAIN, **rules) -> QuestionSamples:
    return lessons_module.make_samples(rollouts, objective=objective, **rules)


def rollout(
    name: str,
    reward: float = 0.0,
    *,
    fatal: int | None = None,
    end: str = EndReason.ANSWERED,
    accuracy: float | None = None,
) -> Rollout:
    return Rollout(
        row=dataclasses.replace(ROW, episode_id=name),
        reward=reward,
        accuracy=reward if accuracy is None else accuracy,
        end=end,
        answered=end == EndReason.ANSWERED,
        fatal=fatal,
    )


def group(*rewards: float, **options) -> list[Rollout]:
    return [rollout(f"r{n}", reward, **options) for n, reward in enumerate(rewards)]


def taught(made: QuestionSamples) -> dict[str, tuple[float, int, float]]:
    """By episode: advantage, tokens in the loss, weight."""
    return {
        each.row.episode_id: (
            round(each.advantage, 3),
            int(each.row.loss_mask.sum()),
            round(each.weight, 3),
        )
        for each in made.samples
    }


ALL = int(ROW.loss_mask.sum())
BEFORE = int((ROW.loss_mask & (torch.arange(len(ROW)) < PREFIX)).sum())
PUBLISHED = [0.0, 0, 0, 1, 1, 0, 0, 0]


def test_a_plain_group_is_grpo():
    made = samples(group(*PUBLISHED), **RULES)
    assert (
        taught(made)
        == {f"r{n}": (1.732 if r else -0.577, ALL, 1.0) for n, r in enumerate(PUBLISHED)}
        and not made.left_out
    )


def test_a_recovered_source_gets_its_prefix_credited_and_changes_nobody_else():
    new = tuple(rollout(f"k{k}", float(k == 1)) for k in range(4))
    made = samples(
        group(*PUBLISHED),
        axpo=Axpo(),
        resampled=[Resampled(source=0, prefix=PREFIX, continuations=new)],
        **RULES,
    )
    want = {f"r{n}": (1.732 if r else -0.577, ALL, 1.0) for n, r in enumerate(PUBLISHED)}
    want["r0"] = (1.291, BEFORE, 0.2)
    want |= {f"k{k}": (1.732 if k == 1 else -0.577, ALL - BEFORE, 0.2) for k in range(4)}
    assert taught(made) == want and not made.left_out


def test_a_source_that_was_not_recovered_keeps_its_number_for_its_prefix_only():
    new = tuple(rollout(f"k{k}") for k in range(4))
    made = samples(
        group(*PUBLISHED),
        axpo=Axpo(),
        resampled=[Resampled(source=0, prefix=PREFIX, continuations=new)],
        **RULES,
    )
    assert taught(made)["r0"] == (-0.577, BEFORE, 0.2)
    assert dict(made.left_out) == {f"k{k}": DropReason.NO_VARIANCE for k in range(4)}


def test_a_recovered_prefix_of_a_group_that_was_all_wrong_is_taught_though_the_group_is_left_out():
    new = tuple(rollout(f"k{k}", float(k == 0)) for k in range(4))
    made = samples(
        group(*[0.0] * 8),
        axpo=Axpo(cap=1.0),
        resampled=[Resampled(source=3, prefix=PREFIX, continuations=new)],
        **RULES,
    )
    assert taught(made)["r3"] == (1.0, BEFORE, 0.2) and len(made.samples) == 5
    assert dict(made.left_out) == {f"r{n}": DropReason.NO_VARIANCE for n in range(8) if n != 3}


def test_two_sources_of_one_group_are_credited_each_alone():
    again = [
        Resampled(
            source=n,
            prefix=PREFIX,
            continuations=tuple(rollout(f"k{n}{k}", float(k == 0)) for k in range(4)),
        )
        for n in (0, 1)
    ]
    made = taught(samples(group(*PUBLISHED), axpo=Axpo(), resampled=again, **RULES))
    assert made["r0"][0] == made["r1"][0] == 1.291


def test_continuations_that_are_all_right_credit_only_the_prefix():
    again = Resampled(
        source=0, prefix=PREFIX, continuations=tuple(rollout(f"k{k}", 1.0) for k in range(4))
    )
    made = samples(group(*PUBLISHED), axpo=Axpo(), resampled=[again], **RULES)
    assert taught(made)["r0"][0] == 1.291 and {name for name, _ in made.left_out} == {
        f"k{k}" for k in range(4)
    }


@pytest.mark.parametrize(("treatment", "want"), [("fatal_mask", -0.577), ("fatal_mask+clamp", 0.0)])
def test_the_clamp_comes_after_the_advantage_of_a_fatal_source(treatment, want):
    rollouts = group(*PUBLISHED)
    rollouts[0] = dataclasses.replace(rollouts[0], fatal=3, end=EndReason.FATAL, answered=False)
    again = Resampled(source=0, prefix=PREFIX, continuations=(rollout("k0"), rollout("k1")))
    made = taught(
        samples(
            rollouts,
            statistic="population",
            fatal=FatalRules(treatment=treatment),
            axpo=Axpo(continuations=2),
            resampled=[again],
        )
    )
    assert made["r0"] == (want, BEFORE, 0.333)


def test_fatal_rules_apply_to_continuations():
    new = (rollout("k0", 1.0), rollout("k1", 0.0, fatal=2, end=EndReason.FATAL))
    made = taught(
        samples(
            group(*PUBLISHED),
            axpo=Axpo(continuations=2),
            resampled=[Resampled(source=0, prefix=PREFIX, continuations=new)],
            **RULES,
        )
    )
    kept = ROW.loss_mask & (ROW.steps < 2) & (torch.arange(len(ROW)) >= PREFIX)
    assert made["k1"] == (0.0, int(kept.sum()), 0.333)


def test_an_overlong_source_is_taught_by_its_prefix_though_overlong_rollouts_are_not():
    rollouts = group(*PUBLISHED, end=EndReason.TIME)
    again = Resampled(
        source=0, prefix=PREFIX, continuations=tuple(rollout(f"k{k}", float(k)) for k in range(2))
    )
    made = samples(
        rollouts,
        statistic="population",
        fatal=FatalRules(overlong="out_of_loss"),
        axpo=Axpo(continuations=2),
        resampled=[again],
    )
    assert set(taught(made)) == {"r0", "k0", "k1"} and set(dict(made.left_out).values()) == {
        DropReason.OVERLONG
    }


@pytest.mark.parametrize(
    ("axpo", "continued", "source"),
    [
        (Axpo(resample="none"), False, (-0.577, BEFORE, 1.0)),
        (Axpo(prefix_credit=False), True, (-0.577, BEFORE, 0.2)),
        (Axpo(resample="question"), True, (-0.577, ALL, 0.2)),
        (Axpo(resample_weight="each"), True, (1.291, BEFORE, 1.0)),
        (Axpo(group="merged"), True, (1.291, BEFORE, 0.2)),
    ],
)
def test_each_control_changes_the_one_thing_that_it_is_for(axpo, continued, source):
    prefix = 0 if axpo.resample == "question" else PREFIX
    new = tuple(rollout(f"k{k}", float(k in (1, 2))) for k in range(4)) if continued else ()
    made = taught(
        samples(
            group(*PUBLISHED),
            axpo=axpo,
            resampled=[Resampled(source=0, prefix=prefix, continuations=new)],
            **RULES,
        )
    )
    assert made["r0"] == source and made["r3"] == (1.732, ALL, 1.0)
    if continued:
        among = 1.0 if axpo.group == "own" else 1.414  # 2 right of 4, or 4 of 12
        assert made["k1"] == (
            among,
            ALL if axpo.resample == "question" else ALL - BEFORE,
            axpo.piece_weight,
        )


def test_unknown_rewards_and_providers_faults_change_nobodys_statistics():
    rollouts = [
        *group(*PUBLISHED),
        rollout("unknown", math.nan),
        rollout("outage", 0.0, end=EndReason.PROVIDER),
    ]
    made = samples(rollouts, **RULES)
    assert taught(made) == taught(samples(group(*PUBLISHED), **RULES))
    assert dict(made.left_out) == {
        "unknown": DropReason.UNKNOWN_REWARD,
        "outage": DropReason.PROVIDER,
    }
    counted = samples(rollouts, statistic="population", fatal=FatalRules(provider="out_of_loss"))
    assert taught(counted)["r0"][0] > -0.577 and "outage" not in taught(counted)


def total(made: QuestionSamples, objective: Objective) -> float:
    """What the loss of a question's rollouts is divided by."""
    tokens = [
        int(each.row.loss_mask.sum()) if objective.normaliser == "token" else 1
        for each in made.samples
    ]
    return sum(each.weight * n for each, n in zip(made.samples, tokens, strict=True)) + sum(
        each.count(objective) for each in made.counted
    )


@pytest.mark.parametrize(
    "objective",
    [Objective(), Objective(normaliser="token"), KL, Objective(normaliser="constant", constant=9)],
)
def test_a_group_without_variance_is_in_the_divisor_as_all_others_are(objective):
    whole, flat = (
        samples(group(*rewards), objective=objective, **RULES) for rewards in (PUBLISHED, [1.0] * 8)
    )
    assert (
        total(flat, objective)
        == total(whole, objective)
        == 8 * (ALL if objective.normaliser == "token" else 1)
    )
    assert len(flat.left_out) + len(flat.samples) == 8


def test_a_group_without_variance_is_taught_by_the_kl_term_alone_and_left_out_where_there_is_none():
    made = samples(group(*[1.0] * 8), objective=KL, **RULES)
    assert taught(made) == {f"r{n}": (0.0, ALL, 1.0) for n in range(8)} and {
        each.kl_only for each in made.samples
    } == {DropReason.NO_VARIANCE}
    none = samples(group(*[1.0] * 8), **RULES)
    assert (
        not none.samples
        and dict(none.left_out) == {f"r{n}": DropReason.NO_VARIANCE for n in range(8)}
        and none.counted == (DroppedWeight(1.0, ALL),) * 8
    )
    assert {each.kl_only for each in samples(group(*PUBLISHED), objective=KL, **RULES).samples} == {
        None
    }


def test_the_divisor_taught_forgets_whatever_teaches_nothing():
    made = samples(
        [*group(*[1.0] * 8), rollout("late", 1.0, end=EndReason.TIME)],
        objective=TAUGHT,
        statistic="population",
        fatal=FatalRules(overlong="out_of_loss"),
    )
    assert not made.samples and total(made, TAUGHT) == 0 and len(made.left_out) == 9


def test_a_rollout_that_the_rules_leave_out_is_in_the_divisor_and_nowhere_else():
    """1/G Σ: fatal from its first step, over-long, without a row. The KL term does not pull at what is masked."""
    rollouts = [
        *group(*PUBLISHED),
        rollout("fatal", 0.0, fatal=0, end=EndReason.FATAL),
        rollout("late", 0.0, end=EndReason.TIME),
        dataclasses.replace(rollout("long"), unusable="too_long"),
    ]
    made = samples(
        rollouts, statistic="population", fatal=FatalRules(overlong="out_of_loss"), objective=KL
    )
    assert dict(made.left_out) == {
        "fatal": DropReason.FATAL,
        "late": DropReason.OVERLONG,
        "long": DropReason.UNUSABLE,
    }
    assert (
        made.counted == (DroppedWeight(1.0, 0),) * 3
        and total(made, KL) == 11
        and len(made.samples) == 8
    )


def test_an_unknown_reward_is_in_the_divisor_and_the_kl_term_and_a_providers_fault_only_where_it_is_in_the_statistics():
    rollouts = [
        *group(*PUBLISHED),
        rollout("unknown", math.nan),
        rollout("outage", 0.0, end=EndReason.PROVIDER),
    ]
    made = samples(rollouts, objective=KL, **RULES)
    assert (
        taught(made)["unknown"] == (0.0, ALL, 1.0)
        and dict(made.left_out) == {"outage": DropReason.PROVIDER}
        and total(made, KL) == 9
    )
    counted = samples(
        rollouts, statistic="population", fatal=FatalRules(provider="out_of_loss"), objective=KL
    )
    assert counted.counted == (DroppedWeight(1.0, 0),) and total(counted, KL) == 10


def test_a_question_that_is_played_on_counts_as_often_as_it_has_rollouts_whatever_became_of_the_pieces():
    for right in (1.0, 0.0):
        new = tuple(rollout(f"k{k}", right * (k == 1)) for k in range(4))
        made = samples(
            group(*PUBLISHED),
            axpo=Axpo(),
            resampled=[Resampled(source=0, prefix=PREFIX, continuations=new)],
            **RULES,
        )
        assert total(made, Objective()) == pytest.approx(8)


def test_where_other_questions_are_played_in_its_place_a_group_without_variance_leaves_the_step_and_its_continuations_stay():
    made = samples(group(*[0.0] * 8), objective=KL, refilled=True, **RULES)
    assert not made.samples and total(made, KL) == 0
    assert total(samples(group(*PUBLISHED), objective=KL, refilled=True, **RULES), KL) == 8
    again = Resampled(
        source=0, prefix=PREFIX, continuations=tuple(rollout(f"k{k}", 1.0) for k in range(4))
    )
    made = samples(
        group(*[0.0] * 8), axpo=Axpo(), resampled=[again], objective=KL, refilled=True, **RULES
    )
    assert set(taught(made)) == {"r0", "k0", "k1", "k2", "k3"} and total(made, KL) == pytest.approx(
        1
    )


ROLLOUTS = st.lists(
    st.builds(
        rollout,
        st.just("x"),
        st.sampled_from([0.0, 0.5, 1.0, math.nan]),
        fatal=st.sampled_from([None, 0, 1, 3]),
        end=st.sampled_from(list(EndReason)),
    ),
    min_size=1,
    max_size=6,
)


@settings(max_examples=60, deadline=None)
@given(
    ROLLOUTS,
    st.sampled_from(["vanilla", "hard_mask", "fatal_mask", "fatal_mask+clamp"]),
    st.sampled_from(["normal", "out_of_loss"]),
)
def test_the_counts_add_up_and_nothing_is_taught_without_a_token_or_a_finite_number(
    rollouts, treatment, overlong
):
    made = samples(
        rollouts,
        statistic="leave_one_out",
        fatal=FatalRules(treatment=treatment, overlong=overlong),
    )
    assert len(made.samples) + len(made.left_out) == len(rollouts)
    assert all(each.row.loss_mask.any() and math.isfinite(each.advantage) for each in made.samples)


def test_tokens_carry_their_rows_advantage_and_weight():
    made = [Sample(ROW, 0.5), Sample(row(1, seed=4).masked(torch.tensor(True)), -1.0, 0.2)]
    packed = pack([each.row for each in made], PICTURES)
    advantage, weights = loss_inputs(made, packed)
    assert advantage.tolist() == [0.5] * ALL + [-1.0] * (
        len(packed.labels) - ALL
    ) and weights.tolist() == pytest.approx([1.0, 0.2])
