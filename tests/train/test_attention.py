"""Attention row by row: packed rows score as under transformers' own mask, without one; where one is needed it is made."""

import copy

import pytest
import torch
from transformers import masking_utils

from questloom.train.model import attention
from questloom.train.model.attention import ROW_BY_ROW
from questloom.train.model.scorer import Scorer
from questloom.train.model.weights import load_model
from questloom.train.rows.packing import Packed, pack
from questloom.train.settings.training_settings import WeightSettings
from tests.agent import tiny
from tests.train.played import PICTURES, row

PACKED = pack(
    [row(2, seed=1), row(3, seed=2, task_pictures=0, tool_pictures=False), row(4, seed=3)], PICTURES
)


def model(kind: str) -> torch.nn.Module:
    made = copy.deepcopy(tiny.model())
    made.set_attn_implementation(kind)
    return made


def scored(kind: str, packed: Packed = PACKED) -> tuple[torch.Tensor, torch.Tensor]:
    """Log-probabilities, and the gradient of the first layer's queries."""
    made = model(kind)
    logp = Scorer(made)(packed).logp
    (logp * torch.linspace(-1, 1, len(logp))).sum().backward()
    return logp.detach(), made.model.language_model.layers[0].self_attn.q_proj.weight.grad


def test_packed_rows_score_and_teach_as_under_a_mask():
    for ours, theirs in zip(scored(ROW_BY_ROW), scored("sdpa"), strict=True):
        assert (ours - theirs).abs().max() < 1e-5 * max(1, theirs.abs().max())


def test_no_two_rows_are_attended_to_together_and_no_mask_is_made(monkeypatch):
    seen = []
    forward = attention.sdpa_attention_forward
    monkeypatch.setattr(
        attention,
        "sdpa_attention_forward",
        lambda module, query, *rest, **options: (
            seen.append((query.shape[2], rest[2])),
            forward(module, query, *rest, **options),
        )[1],
    )
    Scorer(model(ROW_BY_ROW))(PACKED)
    layers = tiny.model().config.text_config.num_hidden_layers
    assert all(mask is None for _, mask in seen)
    assert [length for length, _ in seen[-3 * layers :]] == attention.row_lengths(
        PACKED.positions[0, 0]
    ) * layers


@pytest.mark.parametrize("mask", [[[1, 1, 1, 1], [0, 0, 1, 1]], [[0, 1, 1, 1]]])
def test_padding_is_masked(mask):
    """Of several sequences and of one."""
    ids = torch.tensor([[40, 41, 42, 43]] * len(mask))
    ours, theirs = (
        model(kind)(input_ids=ids, attention_mask=torch.tensor(mask)).logits[:, -1]
        for kind in (ROW_BY_ROW, "sdpa")
    )
    assert (ours - theirs).abs().max() < 1e-5


def test_a_generation_of_several_sequences_with_a_cache_is_the_same():
    ids, mask = (
        torch.tensor([[40, 41, 42, 43], [0, 0, 50, 51]]),
        torch.tensor([[1, 1, 1, 1], [0, 0, 1, 1]]),
    )
    ours, theirs = (
        model(kind).generate(input_ids=ids, attention_mask=mask, max_new_tokens=8, do_sample=False)
        for kind in (ROW_BY_ROW, "sdpa")
    )
    assert ours.tolist() == theirs.tolist()


def test_windows_and_masks_of_a_models_own_are_made_as_before():
    def mask(**options):
        return attention._mask(
            batch_size=1,
            q_length=4,
            kv_length=4,
            mask_function=masking_utils.causal_mask_function,
            allow_is_causal_skip=False,
            **options,
        )

    assert mask() is None
    assert (
        mask(local_size=2) is not None
        and mask(use_vmap=True) is not None
        and mask(attention_mask=torch.tensor([[False, True, True, True]])) is not None
    )


def test_training_uses_it_and_another_kind_is_left_as_it_is(tmp_path):
    tiny.model().save_pretrained(tmp_path)
    assert (
        load_model(
            str(tmp_path), WeightSettings(precision="fp32"), 0
        ).model.config._attn_implementation
        == ROW_BY_ROW
    )
    assert (
        load_model(
            str(tmp_path), WeightSettings(precision="fp32", attention="eager"), 0
        ).model.config._attn_implementation
        == "eager"
    )
