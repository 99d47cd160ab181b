"""Log-probabilities in chunks: those of the whole logits, with their gradients, whatever the chunk."""

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from questloom.train.model import logprobs
from questloom.train.model.logprobs import token_scores


def made(
    n: int, d: int, v: int, seed: int = 0, dtype=torch.float64
) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    gen = torch.Generator().manual_seed(seed)
    hidden = torch.randn(n, d, generator=gen, dtype=torch.float64).to(dtype).requires_grad_()
    weight = torch.randn(v, d, generator=gen, dtype=torch.float64).to(dtype).requires_grad_()
    return hidden, weight, torch.randint(v, (n,), generator=gen)


def reference(hidden, weight, labels, temperature):
    logp = (hidden @ weight.T / temperature).log_softmax(-1)
    return logp.gather(-1, labels[:, None])[:, 0], -(logp.exp() * logp).sum(-1)


def gradients(scores, hidden, weight, seed: int = 1):
    gen = torch.Generator().manual_seed(seed)
    by = torch.randn(2, len(hidden), generator=gen, dtype=torch.float64)
    return torch.autograd.grad(
        (scores[0] * by[0]).sum() + (scores[1] * by[1]).sum(), (hidden, weight)
    )


@settings(max_examples=40, deadline=None)
@given(
    st.integers(0, 9),
    st.integers(1, 5),
    st.integers(1, 12),
    st.integers(1, 200),
    st.sampled_from([0.6, 1.0, 1.7]),
)
def test_any_chunk_gives_values_and_gradients_of_the_whole_logits(n, d, v, chunk, temperature):
    hidden, weight, labels = made(n, d, v)
    got = token_scores(hidden, weight, labels, temperature=temperature, chunk_elements=chunk)
    want = reference(hidden, weight, labels, temperature)
    for a, b in zip(got, want, strict=True):
        assert torch.allclose(a, b, rtol=0, atol=1e-12)
    for a, b in zip(gradients(got, hidden, weight), gradients(want, hidden, weight), strict=True):
        assert torch.allclose(a, b, rtol=0, atol=1e-11)


def test_the_gradient_is_that_of_finite_differences():
    hidden, weight, labels = made(5, 3, 7)
    assert torch.autograd.gradcheck(
        lambda h, w: tuple(token_scores(h, w, labels, temperature=0.7, chunk_elements=14)),
        (hidden, weight),
    )


def test_extreme_logits_stay_finite():
    hidden, weight, labels = made(4, 3, 8, dtype=torch.float32)
    scores = token_scores(hidden * 1e4, weight, labels, chunk_elements=8)
    assert all(torch.isfinite(x).all() for x in (*scores, *gradients(scores, hidden, weight)))


def head_error(chunk: int, bf16_sums: bool = False) -> float:
    """Relative error of the head's gradient in bf16 against fp64."""
    hidden, weight, labels = made(512, 16, 64, dtype=torch.bfloat16)
    exact = torch.autograd.grad(
        reference(hidden.double(), weight.double(), labels, 1.0)[0].sum(), weight
    )[0].double()
    if bf16_sums:
        got = torch.zeros_like(weight)
        for start in range(0, 512, chunk):
            logp, _ = reference(
                hidden[start : start + chunk].float(),
                weight.float(),
                labels[start : start + chunk],
                1.0,
            )
            got = got + torch.autograd.grad(logp.sum(), weight)[0]
    else:
        got = torch.autograd.grad(
            token_scores(hidden, weight, labels, chunk_elements=64 * chunk).logp.sum(), weight
        )[0]
    return ((got.double() - exact).norm() / exact.norm()).item()


def test_the_heads_gradient_in_bf16_does_not_worsen_with_the_number_of_chunks():
    whole, many = head_error(512), head_error(1)
    assert many < 1.1 * whole < 0.01
    assert head_error(1, bf16_sums=True) > 3 * whole  # what is avoided


def test_autocast_rounds_the_factors_and_not_the_logits():
    hidden, weight, labels = made(64, 16, 32, dtype=torch.float32)
    with torch.autocast("cpu", torch.bfloat16):
        got = token_scores(hidden, weight, labels)
    want = reference(hidden.bfloat16().double(), weight.bfloat16().double(), labels, 1.0)
    assert got.logp.dtype == torch.float32 and torch.allclose(got.logp.double(), want[0], atol=1e-5)
    grad = torch.autograd.grad(got.logp.sum(), weight)[0]
    exact = torch.autograd.grad(want[0].sum(), weight)[0]
    assert grad.dtype == torch.float32 and (grad - exact).norm() < 0.01 * exact.norm()


def test_only_what_is_asked_for_gets_a_gradient():
    hidden, weight, labels = made(3, 2, 4)
    (grad,) = torch.autograd.grad(token_scores(hidden, weight.detach(), labels).logp.sum(), hidden)
    assert torch.allclose(
        grad, torch.autograd.grad(reference(hidden, weight, labels, 1.0)[0].sum(), hidden)[0]
    )


def test_no_more_logits_are_held_than_asked_for(monkeypatch):
    held = []
    product = logprobs._product
    monkeypatch.setattr(
        logprobs, "_product", lambda a, b: (held.append(product(a, b)), held[-1])[1]
    )
    hidden, weight, labels = made(100, 4, 30)
    scores = token_scores(hidden, weight, labels, chunk_elements=240)
    assert max(part.numel() for part in held) == 240 and len(held) == 13
    gradients(scores, hidden, weight)
    assert max(part.numel() for part in held) == 240


def test_a_temperature_of_zero_is_refused():
    with pytest.raises(ValueError, match="temperature 0"):
        token_scores(*made(1, 2, 3), temperature=0.0)
