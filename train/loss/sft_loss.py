"""The loss of supervised fine-tuning: next-token prediction on the policy's own tokens.

The tokens of observations, templates and pictures are not in the loss.
"""

from torch import Tensor

from questloom.train.rows.packing import Packed


def sft_loss_sum(logp: Tensor) -> Tensor:
    """The sum of the negative log-likelihoods of a micro-batch's labels.

    The trainer divides this sum by the number of labels (`num_labels`) of all ranks and
    micro-batches.

    Args:
        logp: (N,) log-probabilities of the tokens in the loss.

    >>> import torch
    >>> sft_loss_sum(torch.tensor([-1.0, -0.5]))
    tensor(1.5000)
    """
    return -logp.sum()


def num_labels(packed: Packed) -> int:
    """The number of tokens in the loss."""
    return len(packed.labels)
