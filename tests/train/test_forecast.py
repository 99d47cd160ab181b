"""Forecasts of training: parameters and arithmetic are the model's own, memory and hours follow the settings."""

import json

import pytest
import torch
from peft import LoraConfig, get_peft_model
from torch.utils.flop_counter import FlopCounterMode
from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration

from benchmarks.train_vs_trl import write_model
from questloom.records.errors import InputError
from questloom.train.forecast import (
    LOGITS,
    Gpu,
    RowLength,
    forecast_grpo,
    forecast_sft,
    forward_flops,
    memory,
    num_trained_parameters,
    row_flops,
)
from questloom.train.model import logprobs
from questloom.train.model.scorer import Scorer
from questloom.train.model.shape import KNOWN, ModelShape, shape_of
from questloom.train.rows.packing import pack
from questloom.train.rows.row import drop_tail
from questloom.train.settings.training_settings import LoraSettings, WeightSettings
from tests.agent import tiny
from tests.train.played import PICTURES, row

TINY = ModelShape.of(tiny.model().config.to_dict(), "tiny")
ROWS = [RowLength(tokens=8000, labels=800, pictures=(256,) * 8), RowLength(tokens=2000, labels=200)]
SMALL = KNOWN["qwen3-vl-2b"]


def test_parameters_are_counted_as_they_are():
    vision = tiny.model().model.visual
    projector = sum(p.numel() for name, p in vision.named_parameters() if "merger" in name)
    assert TINY.parameters == sum(p.numel() for p in tiny.model().parameters())
    assert (
        TINY.projector == projector
        and TINY.tower == sum(p.numel() for p in vision.parameters()) - projector
    )


@pytest.mark.parametrize("name", KNOWN)
def test_a_known_models_shape_is_one_that_transformers_builds(name, tmp_path):
    write_model(tmp_path, name, 0, weights=False)
    with torch.device("meta"):
        made = Qwen3VLForConditionalGeneration(Qwen3VLConfig.from_pretrained(tmp_path))
    assert sum(p.numel() for p in made.parameters()) == KNOWN[name].parameters
    assert shape_of(str(tmp_path)).parameters == KNOWN[name].parameters


def test_adapters_are_counted_as_peft_makes_them():
    made = tiny.model()
    targets = [
        name
        for name, module in made.named_modules()
        if type(module) is torch.nn.Linear and module is not made.get_output_embeddings()
    ]
    with torch.device("meta"):
        fresh = Qwen3VLForConditionalGeneration(made.config)
        adapted = get_peft_model(fresh, LoraConfig(r=4, target_modules=targets))
    assert num_trained_parameters(TINY, WeightSettings(lora=LoraSettings(rank=4))) == sum(
        p.numel() for p in adapted.parameters() if p.requires_grad
    )


def test_the_arithmetic_is_what_torch_counts():
    """Torch counts masked attention whole, and the head's logits twice, once for the backward pass; it does not see the products that are added to the
    head's gradient in place, which are as many. Pixels need no gradient."""
    made = drop_tail(row(3, seed=1), PICTURES)
    model = Qwen3VLForConditionalGeneration(tiny.model().config)
    model.set_attn_implementation("eager")
    pictures = PICTURES.num_tokens(made.grid_thw)
    with FlopCounterMode(display=False) as counted:
        Scorer(model)(pack([made], PICTURES)).logp.sum().backward()
    labels = int(made.loss_mask.sum())
    want = TINY.flops(len(made), labels, pictures)
    masked = 3 * TINY.layers * 2 * TINY.heads * TINY.head_width * len(made) ** 2
    first = 2 * TINY.vision.width * TINY.vision.patch_numbers * sum(pictures) * TINY.vision.merge**2
    assert counted.get_total_flops() == pytest.approx(want + masked - first, rel=1e-3)


def test_the_chunk_of_logits_is_the_scorers():
    assert logprobs.CHUNK_ELEMENTS["cuda"] == LOGITS


def test_more_gpus_hold_less_and_adapters_less_still():
    def total(gpus, kind, **weights):
        return memory(SMALL, WeightSettings(**weights), tokens=8192, gpus=gpus, kind=kind).total

    assert total(8, "fsdp") < total(1, "single") == total(8, "ddp")
    assert total(1, "single", lora=LoraSettings()) < total(1, "single")
    assert total(1, "single", activation_checkpointing=False) > total(1, "single")
    frozen = [
        memory(SMALL, WeightSettings(lora=LoraSettings()), tokens=8192, gpus=gpus, kind=kind).frozen
        for gpus, kind in ((1, "single"), (8, "fsdp"))
    ]
    assert frozen[1] == frozen[0] / 8, "what is not trained is sharded, too"


def test_adapters_save_the_gradients_of_the_weights_and_no_more():
    whole, adapters = (
        row_flops(SMALL, WeightSettings(lora=lora), ROWS[1]) for lora in (None, LoraSettings())
    )
    assert adapters == pytest.approx(whole * 2 / 3) and adapters > forward_flops(SMALL, ROWS[1])


def test_a_measured_pace_is_taken_as_it_is_and_an_assumed_one_says_so():
    def forecast(**options):
        return forecast_sft(
            SMALL,
            WeightSettings(),
            ROWS * 5,
            max_tokens=4000,
            micro_tokens=4000,
            update_rows=4,
            epochs=2,
            gpus=2,
            gpu=Gpu(),
            **options,
        )

    found = forecast(measured=1000.0)
    assert (found.rows, found.tokens, found.labels, found.updates) == (10, 30_000, 3000, 6)
    assert found.pace.measured and found.hours == 60_000 / 2000 / 3600
    assert not forecast().pace.measured


def test_a_step_of_grpo_samples_reads_and_updates():
    found = forecast_grpo(
        SMALL,
        WeightSettings(),
        ROWS,
        max_tokens=32_768,
        micro_tokens=32_768,
        steps=10,
        questions=4,
        rollouts=8,
        at_once=16,
        gpus=2,
        gpu=Gpu(),
        measured=1000.0,
        measured_decode=500.0,
    )
    assert (found.episodes, found.update_tokens, found.decode_tokens) == (32, 160_000, 16_000)
    sampling, reading, updating = found.seconds
    assert (sampling, updating) == (16.0, 80.0) and 0 < reading < updating
    assert found.hours == 10 * (sampling + reading + updating) / 3600


@pytest.mark.parametrize("config", [{}, {"text_config": {"num_experts": 8}, "vision_config": {}}])
def test_a_model_of_another_kind_is_refused(config, tmp_path):
    (tmp_path / "config.json").write_text(json.dumps(config))
    with pytest.raises(InputError, match="no dense model like Qwen3-VL"):
        shape_of(str(tmp_path))


def test_an_unknown_model_is_refused():
    with pytest.raises(InputError, match="no model that is known here"):
        shape_of("qwen9")
