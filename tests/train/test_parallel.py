"""What a launcher was configured for is kept or refused, never ignored."""

import pytest
import torch
from torch import nn

from questloom.records.errors import InputError
from questloom.train.model.scorer import Scorer
from questloom.train.run.parallel import World, clip_gradients, kind_of, world, wrap_policy
from questloom.train.settings.training_settings import ParallelSettings
from tests.agent import tiny

FSDP = {"ACCELERATE_USE_FSDP": "true", "FSDP_VERSION": "2", "WORLD_SIZE": "8"}


@pytest.mark.parametrize(
    ("settings", "environment", "kind", "size"),
    [
        ({}, {}, "single", 1),
        ({}, {"WORLD_SIZE": "8"}, "ddp", 8),
        ({}, FSDP, "fsdp", 8),
        ({"kind": "fsdp"}, {"WORLD_SIZE": "2"}, "fsdp", 2),
        ({"processes": 8}, FSDP, "fsdp", 8),
        ({}, {"ACCELERATE_GRADIENT_ACCUMULATION_STEPS": "1"}, "single", 1),
    ],
)
def test_one_process_is_alone_and_several_are_what_the_launcher_was_configured_for(
    settings, environment, kind, size
):
    assert kind_of(ParallelSettings(**settings), environment) == (kind, size)


@pytest.mark.parametrize(
    ("settings", "environment", "message"),
    [
        ({}, {"ACCELERATE_USE_FSDP": "true", "FSDP_VERSION": "2"}, "started 1 process for fsdp"),
        ({}, {**FSDP, "FSDP_VERSION": "1"}, "asks for FSDP version 1"),
        ({"kind": "ddp"}, FSDP, "asks for FSDP, and parallel.kind is ddp"),
        ({"processes": 2}, {}, "started 1 process and parallel.processes is 2"),
        ({"kind": "ddp"}, {}, "started 1 process for ddp"),
        ({"kind": "single"}, {"WORLD_SIZE": "2"}, "started 2 processes for single"),
        ({}, {"ACCELERATE_GRADIENT_ACCUMULATION_STEPS": "4"}, "accumulates gradients"),
        ({}, {"ACCELERATE_USE_DEEPSPEED": "true"}, "asks for DeepSpeed"),
        ({}, {"OMPI_COMM_WORLD_SIZE": "2"}, "processes that do not know each other"),
    ],
)
def test_what_would_train_something_else_than_was_asked_is_refused(settings, environment, message):
    with pytest.raises(InputError, match=message):
        kind_of(ParallelSettings(**settings), environment)


def test_one_process_needs_no_group_and_hears_itself():
    with world(ParallelSettings(), {}) as at:
        assert at.first and at.gather("x") == ["x"] and at.sum(torch.tensor(2.5)) == 2.5
        assert not torch.distributed.is_initialized()


def test_a_model_without_named_layers_is_not_sharded():
    model = tiny.model.__wrapped__()
    model._no_split_modules = None
    with pytest.raises(InputError, match="names no layers to shard"):
        wrap_policy(Scorer(model), World("fsdp", 0, 2, torch.device("cpu")), bf16=False)


def test_gradients_are_scaled_to_the_norm_and_the_norm_they_had_is_told():
    layer = nn.Linear(1, 1, bias=False)
    layer.weight.grad = torch.tensor([[4.0]])
    assert clip_gradients(layer, 1.0) == 4.0 and layer.weight.grad.item() == pytest.approx(
        1.0, abs=1e-5
    )
