"""The objective against references of a few lines, and what it must do at its corners."""

import math

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from questloom.train.loss.objective import (
    EngineMismatch,
    check_engine,
    clip_masks,
    count,
    kl_k3,
    loss_sum,
    token_losses,
    truncated_importance,
)
from questloom.train.loss.objective_rules import Objective
from questloom.train.loss.sft_loss import sft_loss_sum

LENGTHS = [3, 1, 7, 2]


def batch(seed: int = 0, lengths=LENGTHS) -> dict[str, torch.Tensor]:
    gen = torch.Generator().manual_seed(seed)
    n = sum(lengths)
    row = torch.tensor([r for r, length in enumerate(lengths) for _ in range(length)])
    made = {
        name: -torch.rand(n, generator=gen, dtype=torch.float64) * 3
        for name in ("logp", "engine_logp", "trainer_logp", "reference_logp")
    }
    return {
        **made,
        "logp": made["logp"].requires_grad_(),
        "row": row,
        "row_weights": torch.rand(len(lengths), generator=gen, dtype=torch.float64) + 0.5,
        "advantage": torch.randn(len(lengths), generator=gen, dtype=torch.float64)[row],
    }


def reference(o: Objective, b: dict[str, torch.Tensor]) -> float:
    """The formula, token by token in plain Python, divided by its count."""
    total = norm = 0.0
    for r, weight in enumerate(b["row_weights"].tolist()):
        tokens = [t for t in range(len(b["row"])) if b["row"][t] == r]
        summed = 0.0
        for t in tokens:
            logp, engine, trainer, ref, a = (
                b[k][t].item()
                for k in ("logp", "engine_logp", "trainer_logp", "reference_logp", "advantage")
            )
            rho = math.exp(logp - (engine if o.importance_cap is None else trainer))
            j = min(rho * a, min(max(rho, 1 - o.clip_low), 1 + o.clip_high) * a)
            j *= (
                1.0
                if o.importance_cap is None
                else min(math.exp(trainer - engine), o.importance_cap)
            )
            summed -= j - o.kl * (math.exp(ref - logp) - (ref - logp) - 1) * (
                rho if o.kl_ratio else 1
            )
        total += (
            weight
            * {
                "trajectory": summed / len(tokens),
                "token": summed,
                "constant": summed / o.constant,
            }[o.normaliser]
        )
        norm += weight * (len(tokens) if o.normaliser == "token" else 1)
    return total / norm


@pytest.mark.parametrize("normaliser", ["trajectory", "token", "constant"])
@pytest.mark.parametrize("kl", [0.0, 0.3])
@pytest.mark.parametrize("kl_ratio", [True, False])
@pytest.mark.parametrize("cap", [None, 1.5])
def test_the_loss_is_that_of_the_formula(normaliser, kl, kl_ratio, cap):
    objective = Objective(
        normaliser=normaliser,
        constant=9,
        kl=kl,
        kl_ratio=kl_ratio,
        importance_cap=cap,
        clip_high=0.4,
    )
    for seed in range(3):
        made = batch(seed)
        got = loss_sum(objective, **made) / count(made["row"], made["row_weights"], objective)
        assert got.item() == pytest.approx(reference(objective, made), rel=1e-12)


@pytest.mark.parametrize("normaliser", ["trajectory", "token", "constant"])
def test_the_gradient_is_that_of_finite_differences(normaliser):
    objective = Objective(normaliser=normaliser, kl=0.1, importance_cap=2.0)
    made = batch()
    assert torch.autograd.gradcheck(
        lambda logp: loss_sum(objective, **{**made, "logp": logp}), (made["logp"],)
    )


def test_on_policy_the_gradient_is_the_advantage_and_points_up():
    """A better rollout's tokens become more likely: −J falls where logp rises."""
    made = batch()
    made["engine_logp"] = made["logp"].detach()
    (grad,) = torch.autograd.grad(loss_sum(Objective(normaliser="token"), **made), made["logp"])
    assert torch.allclose(grad, -(made["advantage"] * made["row_weights"][made["row"]]))


@given(st.floats(-3, 3), st.floats(-3, 3), st.floats(-5, 5), st.floats(0, 0.9), st.floats(0, 2))
def test_the_clipped_objective_is_never_above_the_plain_one_and_flat_where_it_clips(
    logp, old, a, low, high
):
    at = torch.tensor([logp], dtype=torch.float64, requires_grad=True)
    args = torch.tensor([old], dtype=torch.float64), torch.tensor([a], dtype=torch.float64)
    loss = token_losses(at, *args, clip_low=low, clip_high=high)
    ratio = math.exp(logp - old)
    assert loss.item() >= -ratio * a - 1e-9
    held = [part.item() for part in clip_masks(at, *args, Objective(clip_low=low, clip_high=high))]
    (grad,) = torch.autograd.grad(loss.sum(), at)
    if any(held):
        assert grad.item() == 0
    elif abs(ratio - 1 + low) > 1e-9 and abs(ratio - 1 - high) > 1e-9:
        assert grad.item() == pytest.approx(-ratio * a, abs=1e-9)
    assert held == [ratio < 1 - low and a < 0, ratio > 1 + high and a > 0]


def test_the_kl_estimate_is_zero_with_zero_gradient_for_equal_models_and_right_on_average():
    same = torch.tensor([-0.3, -2.0], requires_grad=True)
    kl = kl_k3(same, same.detach())
    assert not kl.any() and not torch.autograd.grad(kl.sum(), same)[0].any()
    p, q = (
        torch.tensor([0.1, 0.2, 0.3, 0.25, 0.15]).double(),
        torch.tensor([0.3, 0.1, 0.2, 0.2, 0.2]).double(),
    )
    assert (p * kl_k3(p.log(), q.log())).sum().item() == pytest.approx(
        (p * (p / q).log()).sum().item()
    )
    assert (kl_k3(p.log(), q.log()) >= 0).all()


def test_the_gradient_of_the_kl_term_on_policy_is_the_one_that_it_is_said_to_be():
    """Over all five tokens at once: of KL(policy ‖ reference) with the ratio, of KL(reference ‖ policy) without."""
    logits = torch.tensor([0.3, -1.0, 0.2, 0.9, -0.4], dtype=torch.float64, requires_grad=True)
    q = torch.tensor([0.3, 0.1, 0.2, 0.2, 0.2], dtype=torch.float64)
    p = logits.softmax(0).detach()
    for ratio in (True, False):
        logp = logits.log_softmax(0)
        # Token t is drawn with p(t): rows of one token, weighed by it.
        summed = loss_sum(
            Objective(kl=1.0, kl_ratio=ratio),
            logp=logp,
            engine_logp=p.log(),
            advantage=torch.zeros(5, dtype=torch.float64),
            row=torch.arange(5),
            row_weights=p,
            reference_logp=q.log(),
        )
        (got,) = torch.autograd.grad(summed, logits)
        fresh = logits.softmax(0)
        exact = (fresh * (fresh / q).log()).sum() if ratio else (q * (q / fresh).log()).sum()
        assert torch.allclose(got, torch.autograd.grad(exact, logits)[0])


def test_the_importance_correction_has_no_gradient_and_its_cap():
    trainer = torch.tensor([-1.0, -0.5], requires_grad=True)
    made = truncated_importance(trainer, torch.tensor([-0.5, -3.0]), 2.0)
    assert not made.requires_grad and made.tolist() == pytest.approx([math.exp(-0.5), 2.0])


def test_what_an_option_needs_is_asked_for():
    made = batch()
    for objective, name in (
        (Objective(kl=0.1), "reference_logp"),
        (Objective(importance_cap=2.0), "trainer_logp"),
    ):
        with pytest.raises(AssertionError, match="needs"):
            loss_sum(objective, **{**made, name: None})


def test_a_row_whose_tokens_are_all_masked_counts_nowhere():
    row, weights = torch.tensor([0, 0, 2]), torch.ones(3)
    assert (
        count(row, weights, Objective()) == 2
        and count(row, weights, Objective(normaliser="token")) == 3
    )
    assert count(row[:0], weights[:0], Objective()) == 0


def test_pieces_of_a_trajectory_weigh_as_one():
    """A prefix and four continuations at a fifth each pull as hard as one whole trajectory."""
    lengths = [4] * 6
    made = batch(0, lengths)
    made["engine_logp"], made["advantage"] = (
        made["logp"].detach(),
        torch.ones(24, dtype=torch.float64),
    )
    weights = torch.tensor([1.0] + [0.2] * 5, dtype=torch.float64)
    (grad,) = torch.autograd.grad(
        loss_sum(Objective(), **{**made, "row_weights": weights}), made["logp"]
    )
    assert grad[4:].sum().item() == pytest.approx(grad[:4].sum().item()) and count(
        made["row"], weights, Objective()
    ) == pytest.approx(2.0)


def test_engine_and_trainer_that_disagree_stop_the_run_with_the_figures():
    engine = torch.linspace(-3, -0.1, 50)
    assert check_engine(engine, engine) == 0.0 and check_engine(engine + 0.01, engine) < 1e-4
    off = engine.clone()
    off[7] -= 2.0
    with pytest.raises(
        EngineMismatch, match=r"k3 0\.02\d\d a token over 50 tokens.*largest 2\.0000"
    ):
        check_engine(off, engine)
    with pytest.raises(EngineMismatch):
        check_engine(engine * float("nan"), engine)
    assert check_engine(engine[:0], engine[:0]) == 0.0


@settings(max_examples=30)
@given(st.lists(st.floats(-9, 0), max_size=9))
def test_the_sft_loss_is_the_sum_of_negative_log_likelihoods(logp):
    assert sft_loss_sum(torch.tensor(logp, dtype=torch.float64)).item() == pytest.approx(-sum(logp))
