"""The self-check: families of models that pass it, and what it finds."""

import copy
import dataclasses
from typing import Any

import pytest
import torch
from transformers import (
    Qwen2_5_VLConfig,
    Qwen2_5_VLForConditionalGeneration,
    Qwen2VLConfig,
    Qwen2VLForConditionalGeneration,
    Qwen3VLMoeConfig,
    Qwen3VLMoeForConditionalGeneration,
)

from questloom.records.errors import InputError
from questloom.train.model.attention import ROW_BY_ROW
from questloom.train.model.scorer import Scorer
from questloom.train.rows.packing import pack
from questloom.train.rows.row import PictureTokens, rope_of
from questloom.train.run.parallel import World
from questloom.train.run.self_check import check_model, check_on
from questloom.train.settings.training_settings import WeightSettings
from tests.agent import tiny
from tests.train.played import PICTURES
from tests.train.update import rows_of_unequal_length

ROWS = rows_of_unequal_length()
MODEL = tiny.model()
IDS = {
    name: getattr(MODEL.config, name)
    for name in ("image_token_id", "video_token_id", "vision_start_token_id", "vision_end_token_id")
}
TEXT = dict(
    vocab_size=MODEL.config.text_config.vocab_size,
    hidden_size=64,
    intermediate_size=128,
    num_hidden_layers=3,
    num_attention_heads=4,
    num_key_value_heads=2,
    max_position_embeddings=8192,
    initializer_range=0.15,
    bos_token_id=None,
    eos_token_id=None,
    rope_parameters={"rope_type": "default", "rope_theta": 10_000.0, "mrope_section": [4, 2, 2]},
)


def qwen2() -> Any:
    return Qwen2VLForConditionalGeneration(
        Qwen2VLConfig(
            text_config=TEXT,
            **IDS,
            vision_config=dict(
                depth=2, embed_dim=32, hidden_size=64, mlp_ratio=2, num_heads=2, patch_size=16
            ),
        )
    )


def qwen2_5() -> Any:
    return Qwen2_5_VLForConditionalGeneration(
        Qwen2_5_VLConfig(
            text_config=TEXT,
            **IDS,
            vision_config=dict(
                depth=2,
                hidden_size=32,
                intermediate_size=64,
                num_heads=2,
                out_hidden_size=64,
                patch_size=16,
                window_size=64,
                fullatt_block_indexes=[1],
            ),
        )
    )


def qwen3_moe() -> Any:
    text = {
        **TEXT,
        "head_dim": 16,
        "moe_intermediate_size": 32,
        "num_experts": 4,
        "num_experts_per_tok": 2,
        "decoder_sparse_step": 1,
        "rope_parameters": {**TEXT["rope_parameters"], "mrope_interleaved": True},
    }
    return Qwen3VLMoeForConditionalGeneration(
        Qwen3VLMoeConfig(
            text_config=text,
            **IDS,
            vision_config=dict(
                depth=2,
                hidden_size=32,
                intermediate_size=64,
                num_heads=2,
                out_hidden_size=64,
                num_position_embeddings=64,
                deepstack_visual_indexes=[0, 1],
            ),
        )
    )


@pytest.mark.parametrize("attention", ["sdpa", ROW_BY_ROW])
@pytest.mark.parametrize("build", [qwen2, qwen2_5, qwen3_moe])
def test_other_models_of_the_kind_pass_and_all_of_their_parameters_get_a_gradient(build, attention):
    torch.manual_seed(0)
    model = build().eval()
    model.set_attn_implementation(attention)
    assert PictureTokens.of(model.config) == PICTURES
    rope = rope_of(model)
    assert (
        check_model(
            Scorer(model),
            [dataclasses.replace(each, positions=rope(each.ids, each.grid_thw)) for each in ROWS],
            PICTURES,
        )
        < 1e-4
    )
    Scorer(model)(pack([ROWS[1]], PICTURES)).logp.sum().backward()
    assert not len(ROWS[1].grid_thw) and all(
        parameter.grad is not None for parameter in model.parameters()
    )


@pytest.mark.parametrize(
    ("dtype", "most"), [(torch.float64, 1e-9), (torch.float32, 1e-5), (torch.bfloat16, 0.1)]
)
def test_it_passes_the_tiny_model_with_no_more_than_rounding(dtype, most):
    assert check_model(Scorer(copy.deepcopy(MODEL).to(dtype)), ROWS, PICTURES) < most


def test_a_row_whose_first_turn_is_out_of_the_loss_is_checked_at_its_next():
    masked = [row.masked(row.steps > 0) for row in ROWS if len(row.turns) > 1]
    assert masked and all(row.loss_mask.any() for row in masked)
    check_on(
        Scorer(copy.deepcopy(MODEL)),
        masked,
        PICTURES,
        WeightSettings(precision="fp32"),
        World("single", 0, 1, torch.device("cpu")),
    )


def test_it_finds_rows_that_read_each_other(monkeypatch):
    forward = type(MODEL.model).forward
    monkeypatch.setattr(
        type(MODEL.model),
        "forward",
        lambda self, *a, **k: forward(
            self, *a, **{**k, "attention_mask": torch.ones_like(k["input_ids"])}
        ),
    )
    with pytest.raises(InputError, match="otherwise than rows alone"):
        check_model(Scorer(MODEL), ROWS, PICTURES)


def test_it_finds_positions_that_are_not_the_models():
    plain = [
        dataclasses.replace(each, positions=torch.arange(len(each)).expand(4, -1)) for each in ROWS
    ]
    with pytest.raises(InputError, match="otherwise than rows alone"):
        check_model(Scorer(MODEL), plain, PICTURES)


def test_it_finds_active_dropout():
    model = copy.deepcopy(MODEL).train()
    for layer in model.model.language_model.layers:
        layer.self_attn.attention_dropout = 0.3
    with pytest.raises(InputError, match="otherwise than rows alone"):
        check_model(Scorer(model), ROWS, PICTURES)


def test_a_head_that_is_more_than_a_matrix_is_refused():
    biased = torch.nn.Linear(4, 8)
    model = type(
        "Other", (), {"get_output_embeddings": lambda self: biased, "config": MODEL.config}
    )()
    with pytest.raises(InputError, match="not one matrix without bias"):
        Scorer(model)
