"""The scorer: takes packed rows, and returns the policy's log-probabilities and entropies for the
loss.

DDP and FSDP wrap the scorer and not only the model, because the head must run inside the wrapped
forward pass. The model's own head is never called on a whole sequence; see `model/logprobs.py`.
"""

from typing import Any

from torch import nn

from questloom.records.errors import InputError
from questloom.train.model.logprobs import TokenScores, token_scores
from questloom.train.rows.packing import Packed


class Scorer(nn.Module):
    """Wraps a transformers model, so that it returns log-probabilities and entropies of the tokens
    in the loss.

    Args:
        model: a model for generation, as transformers loads it. With LoRA, this is the model inside
            peft's wrapper (`get_base_model()`).
        temperature: the temperature at which the rows were sampled; 1 for SFT.
        chunk_elements: see `logprobs.token_scores`.

    Raises:
        InputError: the head has a bias or more than one matrix; the scorer would silently leave out
            these parts of the head.
    """

    def __init__(self, model: Any, *, temperature: float = 1.0, chunk_elements: int = 0) -> None:
        super().__init__()
        head = model.get_output_embeddings()
        if type(head) is not nn.Linear or getattr(head, "bias", None) is not None:
            raise InputError(
                f"model {model.config.model_type}",
                f"has the head {head}, not one matrix without bias",
                "Take a model whose output embedding is plain, and put no adapter on it.",
            )
        self.model = model
        self._temperature, self._chunk_elements = temperature, chunk_elements

    def forward(self, packed: Packed) -> TokenScores:
        """The log-probabilities and entropies of the N labels of a micro-batch."""
        inner = getattr(self.model, self.model.base_model_prefix)
        # No attention mask and no cache: only then are packed rows separated (see packing.py).
        out = inner(
            input_ids=packed.ids,
            position_ids=packed.positions,
            use_cache=False,
            pixel_values=packed.pixels,
            image_grid_thw=packed.grid_thw,
        )
        hidden = out.last_hidden_state[0, packed.places]  # (N, d)
        return token_scores(
            hidden,
            self.model.get_output_embeddings().weight,
            packed.labels,
            temperature=self._temperature,
            chunk_elements=self._chunk_elements,
        )
