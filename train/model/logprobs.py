"""Log-probabilities and entropies of labels. The logits of all tokens are never in memory at once.

The fp32 logits of 32,768 tokens with a vocabulary of 151,936 take 20 GB. Therefore the head
computes the logits of one chunk of tokens at a time. The logits are not stored: the backward pass
computes them a second time, chunk by chunk. The head's gradients from all chunks are summed in
fp32, because in bf16 the error of the sum would grow with the number of chunks.
"""

import contextlib
from typing import Any, NamedTuple

import torch
from torch import Tensor

CHUNK_ELEMENTS = {"cuda": 1 << 27, "cpu": 1 << 24}
"""The number of logits in a chunk, for each type of device.

On a GPU a chunk takes 512 MB in fp32, which is about 880 tokens with Qwen3's vocabulary. Small
chunks are slow on a GPU: adding a chunk to the head's gradient takes longer than computing the
logits. On a CPU, chunks of 64 MB are as fast as chunks of 512 MB.
"""


class TokenScores(NamedTuple):
    """Scores of N tokens, in fp32.

    The scores are a tuple, because DDP and FSDP look for tensors in tuples, but not in other
    classes.
    """

    logp: Tensor
    """(N,) natural log-probabilities."""
    entropy: Tensor
    """(N,) entropies in nats. Each entropy belongs to the distribution from which a token was
    drawn."""


def token_scores(
    hidden: Tensor,
    weight: Tensor,
    labels: Tensor,
    *,
    temperature: float = 1.0,
    chunk_elements: int = 0,
) -> TokenScores:
    """The log-probability of each label, and the entropy of the distribution from which the label
    was drawn.

    The result can be differentiated once, with respect to `hidden` and `weight`.

    Args:
        hidden: (N, d) output of the last layer at the position before each label.
        weight: (V, d) weight matrix of the head, which has no bias.
        labels: (N,) int64, the token ids.
        temperature: the temperature at which the labels were sampled. Engines report
            log-probabilities at this temperature.
        chunk_elements: number of logits per chunk. 0 takes the number in `CHUNK_ELEMENTS` for the
            device. A chunk has the logits of one token at least. Two chunks of logits are in memory
            at once.

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
    """The dtype in which the head computes logits: autocast's dtype if autocast is on."""
    device = hidden.device.type
    return torch.get_autocast_dtype(device) if torch.is_autocast_enabled(device) else hidden.dtype


def _sum_dtype(tensor: Tensor) -> torch.dtype:
    return torch.promote_types(tensor.dtype, torch.float32)


def _as_they_are(tensor: Tensor) -> contextlib.AbstractContextManager[Any]:
    """Switches autocast off, because autocast would round fp32 logits to bf16."""
    return torch.autocast(tensor.device.type, enabled=False)


def _add_product(total: Tensor, a: Tensor, b: Tensor) -> None:
    """Computes total += a @ b in place. A tensor for the product, as large as the head, would cost
    much memory traffic for every chunk.
    """
    if a.dtype == total.dtype:
        total.addmm_(a, b)
    elif a.is_cuda:
        torch.addmm(total, a, b, out_dtype=total.dtype, out=total)
    else:
        total.addmm_(a.to(total.dtype), b.to(total.dtype))


def _product(a: Tensor, b: Tensor) -> Tensor:
    """Computes the matrix product a @ b. The sums and the result are fp32, or fp64 if the factors
    are fp64. The product is not rounded to the dtype of the factors.
    """
    wide = _sum_dtype(a)
    if a.dtype == wide:
        return a @ b
    if a.is_cuda:
        return torch.mm(a, b, out_dtype=wide)
    return a.to(wide) @ b.to(wide)
