"""The same rows and weights give the gradient of TRL's GRPO: its own loss function on a padded batch against ours on packed rows."""

import copy
import warnings
from collections.abc import Sequence
from typing import Any

import pytest
import torch
from datasets import Dataset
from torch.nn.utils.rnn import pad_sequence

from questloom.train.loss.normalise import sum_over_ranks
from questloom.train.loss.objective import count, loss_sum
from questloom.train.loss.objective_rules import Objective
from questloom.train.model.scorer import Scorer
from questloom.train.rows.packing import pack
from questloom.train.rows.row import Row
from tests.agent import tiny
from tests.train.played import PICTURES, row
from tests.train.update import Gradient, difference

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from trl import GRPOConfig, GRPOTrainer

ROWS = [
    row(3, seed=1),
    row(2, seed=2, words=1),
    row(4, seed=3, task_pictures=2),
    row(1, seed=4, words=8),
]
TEXT = [
    row(turns, seed=seed, task_pictures=0, tool_pictures=False)
    for seed, turns in ((5, 3), (6, 1), (7, 2), (8, 4))
]
ADVANTAGES = torch.tensor([1.5, -0.7, 0.4, -1.2])
LONGEST = max(len(each) - each.turns[0][0] for each in ROWS + TEXT)


@pytest.fixture(scope="module")
def trainer(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """One trainer for all tests, whose options are set on it: building one takes seconds."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        args = GRPOConfig(
            output_dir=str(tmp_path_factory.mktemp("trl")),
            use_cpu=True,
            bf16=False,
            report_to=[],
            num_generations=2,
            per_device_train_batch_size=4,
            max_completion_length=LONGEST,
            epsilon=0.2,
            epsilon_high=0.28,
            disable_tqdm=True,
        )
        made = GRPOTrainer(
            model=copy.deepcopy(tiny.model()),
            args=args,
            processing_class=tiny.processor(),
            reward_funcs=lambda completions, **_: [0.0] * len(completions),
            train_dataset=Dataset.from_list([{"prompt": "x"}] * 4),
        )
    made.model.train()
    return made


def engine_logp(each: Row) -> torch.Tensor:
    """(T,) of an engine near the model, and of a reference further off: ratios on both sides of the clip."""
    with torch.no_grad():
        logp = Scorer(tiny.model())(pack([each], PICTURES)).logp
    made = torch.zeros(len(each))
    made[each.loss_mask] = logp + 0.3 * torch.sin(each.ids[each.loss_mask] * 1.0)
    return made


def padded(
    rows: Sequence[Row],
    logp: dict[str, list[torch.Tensor]],
    advantages: torch.Tensor,
    num_items: int,
) -> dict[str, Any]:
    """As TRL's rollouts hand a batch to its loss: prompts padded on the left, completions with tool responses on the right."""
    begins = [each.turns[0][0] for each in rows]

    def left(parts: list[torch.Tensor], value: float = 0) -> torch.Tensor:
        return pad_sequence(
            [part.flip(0) for part in parts], batch_first=True, padding_value=value
        ).flip(1)

    def right(parts: list[torch.Tensor]) -> torch.Tensor:
        return pad_sequence(parts, batch_first=True)

    prompt = left([each.ids[:b] for each, b in zip(rows, begins, strict=True)])
    completion = right([each.ids[b:] for each, b in zip(rows, begins, strict=True)])
    made: dict[str, Any] = {
        "prompt_ids": prompt,
        "completion_ids": completion,
        "prompt_mask": left([torch.ones(b, dtype=torch.long) for b in begins]),
        "completion_mask": right(
            [
                torch.ones(len(each) - b, dtype=torch.long)
                for each, b in zip(rows, begins, strict=True)
            ]
        ),
        "tool_mask": right(
            [each.loss_mask[b:].long() for each, b in zip(rows, begins, strict=True)]
        ),
        "advantages": advantages,
        "num_items_in_batch": torch.tensor(num_items),
        **{
            name: right([part[b:] for part, b in zip(parts, begins, strict=True)])
            for name, parts in logp.items()
        },
    }
    if any(len(each.grid_thw) for each in rows):
        made |= {
            "pixel_values": torch.cat([each.pixels for each in rows]),
            "image_grid_thw": torch.cat([each.grid_thw for each in rows]),
            "num_images": [len(each.grid_thw) for each in rows],
            "mm_token_type_ids": torch.cat([prompt, completion], dim=1).eq(PICTURES.image_id).int(),
        }
    return made


def theirs(
    trainer: Any,
    rows: Sequence[Row],
    *,
    steps: int = 1,
    loss_type: str = "dapo",
    beta: float = 0.0,
    cap: float | None = None,
) -> Gradient:
    """TRL's gradient over so many accumulation steps."""
    trainer.loss_type, trainer.beta = loss_type, beta
    trainer.use_vllm, trainer.vllm_importance_sampling_correction = cap is not None, cap is not None
    trainer.current_gradient_accumulation_steps = trainer.args.steps_per_generation = steps
    trainer.model.zero_grad()
    num_items = sum(int(each.loss_mask.sum()) for each in rows)
    each_step = len(rows) // steps
    for start in range(0, len(rows), each_step):
        some = rows[start : start + each_step]
        engine = [engine_logp(each) for each in some]
        logp = {
            "old_per_token_logps": engine,
            "ref_per_token_logps": [part * 0.9 for part in engine],
        }
        if cap is not None:  # the engine's own were 0.2 lower at every third token
            logp["importance_sampling_ratio"] = [
                (0.2 * (each.ids % 3 == 0)).exp().clamp(max=cap) for each in some
            ]
        trainer.compute_loss(
            trainer.model, padded(some, logp, ADVANTAGES[start : start + each_step], num_items)
        ).backward()
    return {
        name: p.grad.clone() if p.grad is not None else torch.zeros_like(p)
        for name, p in trainer.model.named_parameters()
    }


def ours(rows: Sequence[Row], objective: Objective) -> Gradient:
    """All rows in one pack."""
    model = tiny.model()
    model.zero_grad()
    packed = pack(rows, PICTURES)
    logp = Scorer(model)(packed).logp
    old = torch.cat([engine_logp(each)[each.loss_mask] for each in rows])
    engine = old - 0.2 * (packed.labels % 3 == 0) if objective.importance_cap is not None else old
    ones = torch.ones(len(rows))
    summed = loss_sum(
        objective,
        logp=logp,
        engine_logp=engine,
        trainer_logp=old,
        reference_logp=old * 0.9,
        advantage=ADVANTAGES[packed.row],
        row=packed.row,
        row_weights=ones,
    )
    sum_over_ranks(count(packed.row, ones, objective)).share(summed).backward()
    made = {name: p.grad.clone() for name, p in model.named_parameters()}
    model.zero_grad()
    return made


NORMALISERS = {
    "dapo": Objective(normaliser="token"),
    "grpo": Objective(),
    "dr_grpo": Objective(normaliser="constant", constant=LONGEST),
}


@pytest.mark.parametrize("rows", [ROWS, TEXT], ids=["pictures", "text"])
@pytest.mark.parametrize("loss_type", NORMALISERS)
def test_the_gradient_is_trls(trainer, loss_type, rows):
    """With pictures in the prompts and in tool responses, and without any."""
    assert (
        difference(theirs(trainer, rows, loss_type=loss_type), ours(rows, NORMALISERS[loss_type]))
        < 1e-5
    )


@pytest.mark.parametrize("loss_type", NORMALISERS)
def test_it_is_with_two_accumulation_steps(trainer, loss_type):
    assert (
        difference(
            theirs(trainer, ROWS, loss_type=loss_type, steps=2), ours(ROWS, NORMALISERS[loss_type])
        )
        < 1e-5
    )


@pytest.mark.parametrize("loss_type", ["dapo", "grpo"])
@pytest.mark.parametrize("ratio", [True, False])
def test_it_is_with_a_kl_term(trainer, loss_type, ratio, monkeypatch):
    monkeypatch.setattr(trainer.args, "use_bias_correction_kl", ratio)
    objective = Objective(normaliser=NORMALISERS[loss_type].normaliser, kl=0.3, kl_ratio=ratio)
    got = difference(theirs(trainer, ROWS, loss_type=loss_type, beta=0.3), ours(ROWS, objective))
    assert (
        got < 1e-5 < difference(theirs(trainer, ROWS, loss_type=loss_type), ours(ROWS, objective))
    )


def test_it_is_with_truncated_importance_correction(trainer):
    objective = Objective(normaliser="token", importance_cap=1.1)
    got = difference(theirs(trainer, ROWS, cap=1.1), ours(ROWS, objective))
    assert got < 1e-5 < difference(theirs(trainer, ROWS), ours(ROWS, objective))


def test_the_ratios_of_these_tests_are_clipped_on_both_sides():
    old = torch.cat([engine_logp(each)[each.loss_mask] for each in ROWS])
    logp = Scorer(tiny.model())(pack(ROWS, PICTURES)).logp.detach()
    ratio = (logp - old).exp()
    assert (ratio < 0.8).any() and (ratio > 1.28).any() and ((ratio > 0.8) & (ratio < 1.28)).any()
