"""The two trainers that `train_vs_trl.py` compares, one update at a time.

Both trainers get the same weights and rows.

TRL 1.16 runs with the best setting that its code allows:

* For a data set with pictures, TRL's SFT accepts neither packing nor padding-free batches, even
  with a custom collator, so TRL's rows are padded. The benchmark first sorts the rows by length,
  which helps TRL more than its own `group_by_length`. Batches of one row have no padding and no
  mask.
* TRL's GRPO pads all completions of a generation batch to the longest completion, and then splits
  the batch, so even batches of one row contain padding.
* TRL's output head is fused: it computes log-probabilities in tiles of 4,096 × 32,768 logits. On
  CUDA, the output head scores only tokens that have labels. On other devices, the output head
  scores all tokens.
* The optimiser is TRL's default (fused AdamW). The time covers collating, loss, gradient, clipping
  and optimiser step. The time does not cover the loop around the updates (TRL's `Trainer`).

For Questloom's trainer, the time includes work that a real run does on another thread: making
positions, checking all rows, and packing. Both trainers get pictures as patches (small squares of
pixels that the model reads).
"""

import contextlib
import dataclasses
import tempfile
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, Protocol

import torch
from datasets import Dataset
from torch import Tensor
from torch.nn.utils.rnn import pad_sequence

from questloom.train.loss.normalise import sum_over_ranks
from questloom.train.loss.objective import count, loss_sum
from questloom.train.loss.objective_rules import Objective
from questloom.train.loss.sft_loss import num_labels, sft_loss_sum
from questloom.train.model.optimiser import adamw
from questloom.train.model.scorer import Scorer
from questloom.train.model.weights import load_model
from questloom.train.rows.packing import micro_batches, pack
from questloom.train.rows.row import PictureTokens, Row, check, rope_of
from questloom.train.settings.training_settings import OptimiserSettings, WeightSettings
from tests.agent import tiny

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    from trl import GRPOConfig, GRPOTrainer, SFTConfig, SFTTrainer
    from trl.trainer.utils import (
        split_pixel_values_by_grid,
        split_tensor_dict,
        unsplit_pixel_values_by_grid,
    )

Task = Literal["sft", "grpo"]
OBJECTIVE = Objective(normaliser="token")
"""TRL's `dapo` loss, with the clip range that TRL sets by default."""


class Contender(Protocol):
    """The interface of both trainers."""

    model: Any

    def gradient(self, rows: Sequence[Row], advantages: Tensor) -> float:
        """Adds up the gradient of one update. Returns the loss."""

    def step(self) -> None:
        """Clips the gradient, updates the weights and clears the gradient."""


class Ours:
    """Questloom's trainer: the SFT code in `questloom.train.sft`, and the update of GRPO.

    Args:
        folder: the folder of the model.
        micro_tokens: maximum number of tokens per forward pass; rows are packed up to this number.
    """

    def __init__(
        self,
        folder: Path,
        task: Task,
        *,
        micro_tokens: int,
        checkpointing: bool,
        device: torch.device,
    ) -> None:
        precision: Literal["bf16", "fp32"] = "bf16" if device.type == "cuda" else "fp32"
        self.model = load_model(
            str(folder),
            WeightSettings(precision=precision, activation_checkpointing=checkpointing),
            0,
        ).model
        self._tokens, self._rope = PictureTokens.of(self.model.config), rope_of(self.model)
        self._task, self._micro_tokens, self._device = task, micro_tokens, device
        self._policy = Scorer(self.model).to(device).train()
        self._optimiser = adamw(self._policy, OptimiserSettings())

    def gradient(self, rows: Sequence[Row], advantages: Tensor) -> float:
        """See `Contender`."""
        total = 0.0
        counted = sum(int(row.loss_mask.sum()) for row in rows)
        for some in micro_batches(rows, self._micro_tokens):
            made = [
                dataclasses.replace(rows[n], positions=self._rope(rows[n].ids, rows[n].grid_thw))
                for n in some
            ]
            for row in made:
                check(row, self._tokens)
            packed = pack(made, self._tokens).to(self._device)
            with precision(self._device):
                logp = self._policy(packed).logp
            if self._task == "sft":
                summed = sft_loss_sum(logp)
                assert num_labels(packed) == len(logp)
            else:
                assert packed.old_logp is not None
                summed = loss_sum(
                    OBJECTIVE,
                    logp=logp,
                    engine_logp=packed.old_logp,
                    advantage=advantages[some].to(self._device)[packed.row],
                    row=packed.row,
                    row_weights=torch.ones(len(some), device=self._device),
                )
                assert count(
                    packed.row, torch.ones(len(some), device=self._device), OBJECTIVE
                ) == len(logp)
            loss = sum_over_ranks(counted).share(summed)
            loss.backward()
            total += loss.item()
        return total

    def step(self) -> None:
        """See `Contender`."""
        torch.nn.utils.clip_grad_norm_(self._policy.parameters(), 1.0)
        self._optimiser.step()
        self._optimiser.zero_grad()


class Trl:
    """TRL's trainers.

    Args:
        folder: the folder of the model.
        batch: rows per forward pass.
    """

    def __init__(
        self,
        folder: Path,
        task: Task,
        *,
        batch: int,
        rows: int,
        checkpointing: bool,
        device: torch.device,
    ) -> None:
        from transformers import AutoModelForImageTextToText

        model: Any = AutoModelForImageTextToText.from_pretrained(
            folder, dtype=torch.float32, attn_implementation="sdpa"
        )
        self._tokens, self._batch, self._rows, self._task = (
            PictureTokens.of(model.config),
            batch,
            rows,
            task,
        )
        cpu = device.type == "cpu"
        options: dict[str, Any] = {
            "output_dir": tempfile.mkdtemp(prefix="trl"),
            "use_cpu": cpu,
            "bf16": not cpu,
            "report_to": [],
            "disable_tqdm": True,
            "max_grad_norm": 1.0,
            "per_device_train_batch_size": batch,
            "gradient_accumulation_steps": rows // batch,
            "gradient_checkpointing": checkpointing,
            "learning_rate": OptimiserSettings().lr,
        }
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            if task == "sft":
                self._trainer: Any = SFTTrainer(
                    model=model,
                    processing_class=tiny.processor(),
                    data_collator=list,  # type: ignore[arg-type]  # rows as they are
                    args=SFTConfig(
                        **options,
                        max_length=None,
                        dataset_kwargs={"skip_prepare_dataset": True},
                        remove_unused_columns=False,
                    ),
                    train_dataset=Dataset.from_list([{"input_ids": [1], "labels": [1]}] * rows),
                )
            else:
                self._trainer = GRPOTrainer(
                    model=model,
                    processing_class=tiny.processor(),
                    reward_funcs=_no_reward,
                    args=GRPOConfig(
                        **options,
                        num_generations=2,
                        generation_batch_size=rows,
                        loss_type="dapo",
                        epsilon=0.2,
                        epsilon_high=0.28,
                    ),
                    train_dataset=Dataset.from_list([{"prompt": "x"}] * rows),
                )
                self._trainer.current_gradient_accumulation_steps = rows // batch
        self.model = self._trainer.model
        if checkpointing:
            self.model.gradient_checkpointing_enable({"use_reentrant": False})
        self._trainer.create_optimizer()

    def gradient(self, rows: Sequence[Row], advantages: Tensor) -> float:
        """See `Contender`."""
        assert len(rows) == self._rows
        items = torch.tensor(
            sum(int(row.loss_mask.sum()) for row in rows), device=self._trainer.args.device
        )
        by_length = sorted(rows, key=len, reverse=True)
        batches = (
            [
                self._sft_batch(by_length[n : n + self._batch])
                for n in range(0, len(rows), self._batch)
            ]
            if self._task == "sft"
            else self._grpo_batches(rows, advantages, items)
        )
        self.model.train()
        total = 0.0
        for batch in batches:
            inputs = {
                name: part.to(items.device) if isinstance(part, Tensor) else part
                for name, part in batch.items()
            }
            with precision(items.device):
                loss = self._trainer.compute_loss(self.model, inputs, num_items_in_batch=items)
            loss.backward()
            total += loss.item()
        return total

    def step(self) -> None:
        """See `Contender`."""
        self._trainer.accelerator.clip_grad_norm_(self.model.parameters(), 1.0)
        self._trainer.optimizer.step()
        self.model.zero_grad()

    def _sft_batch(self, rows: Sequence[Row]) -> dict[str, Any]:
        ids = pad_sequence([row.ids for row in rows], batch_first=True)
        labels = pad_sequence(
            [row.ids.masked_fill(~row.loss_mask, -100) for row in rows],
            batch_first=True,
            padding_value=-100,
        )
        return {
            "input_ids": ids,
            "labels": labels,
            "attention_mask": pad_sequence(
                [torch.ones_like(row.ids) for row in rows], batch_first=True
            ),
            "pixel_values": torch.cat([row.pixels for row in rows]),
            "image_grid_thw": torch.cat([row.grid_thw for row in rows]),
            "mm_token_type_ids": ids.eq(self._tokens.image_id).int(),
        }

    def _grpo_batches(
        self, rows: Sequence[Row], advantages: Tensor, items: Tensor
    ) -> list[dict[str, Any]]:
        """Splits a generation batch in the way in which TRL splits rollouts. Prompts are padded on
        the left, and completions are padded on the right.
        """
        begins = [row.turns[0][0] for row in rows]
        prompt = pad_sequence(
            [row.ids[:begin].flip(0) for row, begin in zip(rows, begins, strict=True)],
            batch_first=True,
        ).flip(1)

        def right(parts: Sequence[Tensor]) -> Tensor:
            return pad_sequence(
                [part[begin:] for part, begin in zip(parts, begins, strict=True)], batch_first=True
            )

        completion = right([row.ids for row in rows])
        told = [row.old_logp for row in rows if row.old_logp is not None]
        whole: dict[str, Any] = {
            "prompt_ids": prompt,
            "prompt_mask": torch.arange(prompt.shape[1])
            >= prompt.shape[1] - torch.tensor(begins)[:, None],
            "completion_ids": completion,
            "completion_mask": right([torch.ones_like(row.ids) for row in rows]),
            "tool_mask": right([row.loss_mask.long() for row in rows]),
            "old_per_token_logps": right(told),
            "advantages": advantages,
            "num_items_in_batch": items,
            "pixel_values": torch.cat([row.pixels for row in rows]),
            "image_grid_thw": torch.cat([row.grid_thw for row in rows]),
            "num_images": [len(row.grid_thw) for row in rows],
            "mm_token_type_ids": torch.cat([prompt, completion], dim=1)
            .eq(self._tokens.image_id)
            .int(),
        }
        whole["prompt_mask"] = whole["prompt_mask"].long()
        by_picture: Any = split_pixel_values_by_grid(whole)
        parts: list[dict[str, Any]] = split_tensor_dict(by_picture, len(rows) // self._batch)
        return [unsplit_pixel_values_by_grid(part) for part in parts]


def _no_reward(completions: Any, **_: Any) -> list[float | None]:
    return [0.0] * len(completions)


def precision(device: torch.device) -> contextlib.AbstractContextManager[Any]:
    """The number format of the model: bf16 on a GPU, as in `Training.score`, and fp32 on a CPU."""
    return (
        torch.autocast("cuda", torch.bfloat16)
        if device.type == "cuda"
        else contextlib.nullcontext()
    )


@torch.no_grad()
def with_engine_logp(rows: Sequence[Row], folder: Path, device: torch.device) -> list[Row]:
    """Adds log-probabilities to rows. The log-probabilities are close to the model's own, like
    those that an inference engine reports. Both trainers get the same rows.
    """
    model = load_model(
        str(folder), WeightSettings(precision="bf16" if device.type == "cuda" else "fp32"), 0
    ).model.eval()
    scorer, tokens, made = Scorer(model).to(device), PictureTokens.of(model.config), []
    for row in rows:
        told = torch.zeros(len(row))
        with precision(device):
            told[row.loss_mask] = scorer(
                pack([row], tokens).to(device)
            ).logp.float().cpu() + 0.1 * torch.sin(row.ids[row.loss_mask] * 1.0)
        made.append(dataclasses.replace(row, old_logp=told.clamp(max=0)))
    return made
