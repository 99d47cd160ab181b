"""Whatever the split over micro-batches and packs, an update has one gradient; the means of means that others take have not."""

import itertools

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from questloom.train.credit.samples import Sample
from questloom.train.loss.normalise import Normaliser, max_over_ranks, sum_over_ranks
from questloom.train.loss.objective_rules import Objective
from questloom.train.rows.packing import micro_batches
from questloom.train.rows.row import drop_tail
from tests.agent import tiny
from tests.train.played import PICTURES
from tests.train.update import difference, gradient, lessons_of, rows_of_unequal_length

ROWS = rows_of_unequal_length()
TAUGHT = lessons_of(ROWS)
MODEL = tiny.model()
OBJECTIVES = {
    "sft": None,
    "trajectory": Objective(kl=0.05),
    "token": Objective(normaliser="token", importance_cap=1.1),
    "constant": Objective(normaliser="constant", constant=64),
}


@pytest.fixture(scope="module")
def whole() -> dict[str, dict[str, torch.Tensor]]:
    """The gradients of one row a micro-batch."""
    return {
        name: gradient(MODEL, [[each] for each in TAUGHT], objective)
        for name, objective in OBJECTIVES.items()
    }


@pytest.mark.parametrize("name", OBJECTIVES)
def test_one_pack_of_all_rows_gives_the_gradient_of_each_row_alone(whole, name):
    assert difference(whole[name], gradient(MODEL, [TAUGHT], OBJECTIVES[name])) < 2e-6


@settings(max_examples=6, deadline=None)
@given(
    st.sampled_from(list(OBJECTIVES)),
    st.permutations(range(5)),
    st.sets(st.integers(1, 4)),
    st.integers(0, 1),
)
def test_any_split_over_micro_batches_and_packs_gives_the_same_gradient(
    whole, name, order, borders, empty
):
    micro = [
        [TAUGHT[n] for n in order[a:b]] for a, b in itertools.pairwise([0, *sorted(borders), 5])
    ] + [[]] * empty
    assert difference(whole[name], gradient(MODEL, micro, OBJECTIVES[name])) < 2e-6


def test_the_planned_micro_batches_do_too(whole):
    plan = micro_batches(ROWS, max(map(len, ROWS)), at_least=6)
    assert (
        difference(
            whole["trajectory"],
            gradient(MODEL, [[TAUGHT[n] for n in some] for some in plan], OBJECTIVES["trajectory"]),
        )
        < 2e-6
    )


def test_leaving_out_what_follows_the_loss_changes_nothing(whole):
    short = [Sample(drop_tail(each.row, PICTURES), each.advantage, each.weight) for each in TAUGHT]
    assert sum(len(each.row) for each in short) < sum(map(len, ROWS))
    assert difference(whole["token"], gradient(MODEL, [short], OBJECTIVES["token"])) < 2e-6


def test_a_mean_of_means_would_be_another_gradient(whole):
    """What the agreed count is for, on these rows."""
    parts = [gradient(MODEL, [[each]], None) for each in TAUGHT]
    mean = {name: sum(part[name] for part in parts) / len(parts) for name in parts[0]}
    assert difference(whole["sft"], mean) > 0.2


def test_one_process_agrees_with_itself_and_nothing_is_divided_by_nothing():
    assert sum_over_ranks(5) == Normaliser(5.0, 1) and max_over_ranks(3) == 3
    for bad in (float("nan"), float("inf"), -1.0, 0.0):
        with pytest.raises(ValueError, match="cannot be divided"):
            sum_over_ranks(bad)
