"""Log-probabilities and entropies of labels, without the logits of all tokens at once.

32,768 tokens of a vocabulary of 151,936 are 20 GB of logits in fp32. Here a chunk of tokens is projected at a time, forward, and again
backward. The head's gradient is summed over the chunks in fp32: summed in bf16 its error grows with the number of chunks.
"""

import contextlib
from typing import Any, NamedTuple

import torch
from torch import Tensor

CHUNK_ELEMENTS = {"cuda": 1 << 27, "cpu": 1 << 24}
"""Logits of a chunk: 512 MB in fp32 on a GPU, some 880 tokens of Qwen3's vocabulary; 64 MB on a CPU. Each chunk's products are added to the
head's gradient, which on a GPU takes longer than the products themselves where chunks are small; on a CPU 64 MB are as fast as 512."""


class TokenScores(NamedTuple):
    """Of N tokens, in fp32. A tuple, so that the hooks of DDP and FSDP find the tensors."""

    logp: Tensor
    """(N,) natural log-probabilities."""
    entropy: Tensor
    """(N,) in nats, of the distribution that each token was drawn from."""


def token_scores(
    hidden: Tensor,
    weight: Tensor,
    labels: Tensor,
    *,
    temperature: float = 1.0,
    chunk_elements: int = 0,
) -> TokenScores:
    """How likely each label is under the head, and how open the choice was. Differentiable once, in `hidden` and `weight`.

    Args:
        hidden: (N, d) the last layer's output before each label.
        weight: (V, d) of the head, without bias.
        labels: (N,) int64.
        temperature: the one that the labels were sampled at; engines tell their log-probabilities at it.
        chunk_elements: logits of a chunk, at least one token's; 0 for what suits the device (`CHUNK_ELEMENTS`). Two such tensors are held at once.

    >>> hidden, head = torch.tensor([[1.0, 0.0]]), torch.tensor([[0.0, 0.0], [torch.log(torch.tensor(3.0)), 0.0]])
    >>> [round(x.item(), 4) for x in token_scores(hidden, head, torch.tensor([1]))]  # ln(3/4), and the entropy of (1/4, 3/4)
    [-0.2877, 0.5623]
    """
    if temperature <= 0:
        raise ValueError(f"log-probabilities at temperature {temperature} do not exist")
    elements = chunk_elements or CHUNK_ELEMENTS["cuda" if hidden.is_cuda else "cpu"]
    return TokenScores(
        *_TokenScores.apply(hidden, weight, labels, temperature, max(1, elements // len(weight)))
    )


class _TokenScores(torch.autograd.Function):
    @staticmethod
    def forward(
        ctx: Any, hidden: Tensor, weight: Tensor, labels: Tensor, temperature: float, chunk: int
    ) -> tuple[Tensor, Tensor]:
        kind = _compute_dtype(hidden)
        scores = hidden.new_zeros(
            3, len(hidden), dtype=_sum_dtype(hidden)
        )  # logp, entropy, normaliser
        with _as_they_are(hidden):
            x, w = hidden.to(kind), weight.to(kind)
            for start in range(0, len(hidden), chunk):
                part = slice(start, start + chunk)
                logits = _product(x[part], w.T).div_(temperature)  # (chunk, V)
                norm = logits.logsumexp(-1)
                scores[0, part] = logits.gather(-1, labels[part, None])[:, 0] - norm
                scores[1, part] = norm - (logits - norm[:, None]).exp_().mul_(logits).sum(-1)
                scores[2, part] = norm
        ctx.save_for_backward(hidden, weight, labels, scores)
        ctx.temperature, ctx.chunk, ctx.kind = temperature, chunk, kind
        return scores[0].clone(), scores[1].clone()

    @staticmethod
    @torch.autograd.function.once_differentiable
    def backward(ctx: Any, grad_logp: Tensor, grad_entropy: Tensor) -> tuple[Tensor | None, ...]:
        hidden, weight, labels, scores = ctx.saved_tensors
        wants_hidden, wants_weight = ctx.needs_input_grad[:2]
        grad_hidden = torch.zeros_like(hidden) if wants_hidden else None
        grad_weight = (
            torch.zeros(weight.shape, dtype=_sum_dtype(weight), device=weight.device)
            if wants_weight
            else None
        )
        with _as_they_are(hidden):
            x, w = hidden.to(ctx.kind), weight.to(ctx.kind)
            for start in range(0, len(hidden), ctx.chunk):
                part = slice(start, start + ctx.chunk)
                logp = (
                    _product(x[part], w.T).div_(ctx.temperature).sub_(scores[2, part, None])
                )  # (chunk, V)
                probs = logp.exp()
                # d logp(label) = one-hot − p;  d H = −p·(ln p + H)
                grad = (
                    logp.add_(scores[1, part, None])
                    .mul_(grad_entropy[part, None])
                    .add_(grad_logp[part, None])
                    .mul_(probs)
                    .neg_()
                )
                grad.scatter_add_(-1, labels[part, None], grad_logp[part, None].to(grad.dtype))
                grad = grad.div_(ctx.temperature).to(ctx.kind)
                if grad_hidden is not None:
                    grad_hidden[part] = _product(grad, w).to(hidden.dtype)
                if grad_weight is not None:
                    _add_product(grad_weight, grad.T, x[part])
        return (
            grad_hidden,
            None if grad_weight is None else grad_weight.to(weight.dtype),
            None,
            None,
            None,
        )


def _compute_dtype(hidden: Tensor) -> torch.dtype:
    """That of the head's product: autocast's, where it is on."""
    device = hidden.device.type
    return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else hidden.dtype


def _sum_dtype(tensor: Tensor) -> torch.dtype:
    return torch.promote_types(tensor.dtype, torch.float32)


def _as_they_are(tensor: Tensor) -> contextlib.AbstractContextManager[Any]:
    """Autocast off: it would round fp32 logits to bf16."""
    return torch.autocast(tensor.device.type, enabled=False)


def _add_product(total: Tensor, a: Tensor, b: Tensor) -> None:
    """total += a @ b, without a second tensor as large as the head: with many chunks that would be read and written once each."""
    if a.dtype == total.dtype:
        total.addmm_(a, b)
    elif a.is_cuda:
        torch.addmm(total, a, b, out_dtype=total.dtype, out=total)
    else:
        total.addmm_(a.to(total.dtype), b.to(total.dtype))


def _product(a: Tensor, b: Tensor) -> Tensor:
    """a @ b, summed and kept in fp32 (fp64 for fp64) without rounding to the factors' own kind."""
    wide = _sum_dtype(a)
    if a.dtype == wide:
        return a @ b
    if a.is_cuda:
        return torch.mm(a, b, out_dtype=wide)
    return a.to(wide) @ b.to(wide)
