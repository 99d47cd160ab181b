"""Learns from a step's samples in mini-batches. All ranks together make one optimiser step for each
mini-batch.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

from questloom.train.credit.samples import DroppedWeight, Sample, loss_inputs
from questloom.train.grpo.step_samples import Share
from questloom.train.loss.normalise import Normaliser, max_over_ranks, sum_over_ranks
from questloom.train.loss.objective import check_engine, clip_masks, count, kl_k3, loss_sum
from questloom.train.model.logprobs import TokenScores
from questloom.train.rows.packing import Packed, micro_batches, pack
from questloom.train.rows.row import PictureTokens
from questloom.train.run.parallel import World, no_sync_but_last
from questloom.train.run.updating import products, take_step
from questloom.train.settings.grpo_settings import GrpoSettings

Reference = Callable[[Packed], Tensor]
"""A function that returns the (N,) log-probabilities of a micro-batch's labels under the reference
model."""


@dataclass(frozen=True)
class Learner:
    """Everything that one rank needs for its updates."""

    policy: nn.Module
    optimiser: torch.optim.Optimizer
    reference: Reference | None
    """The reference model; needed if the objective has a KL term."""
    tokens: PictureTokens
    settings: GrpoSettings
    at: World

    def learn(self, share: Share, step: int) -> list[dict[str, float]]:
        """Runs the updates of a step and returns their metrics. All ranks must call this function together.

        Args:
            share: this rank's samples of the step.

        Raises:
            NotFinite: a gradient is infinite or NaN.
            EngineMismatch: the inference engine samples from a model that differs from the trained
                model. The failed update changes no weights.
        """
        self.policy.train()
        every = [
            [each.sample for each in share.samples if mini_batch(each.number, self.settings) == n]
            for n in range(self.settings.step.updates)
        ]
        beside = [
            [each for number, each in share.counted if mini_batch(number, self.settings) == n]
            for n in range(self.settings.step.updates)
        ]
        # The weights of the first update are those that sampled. Later updates need
        # log-probabilities from before it.
        sampled = (
            [None, *(self._at_the_sampling_weights(some) for some in every[1:])]
            if self.settings.objective.importance_cap
            else [None] * len(every)
        )
        return [
            self._update(some, counted, before, step * len(every) + n, on_policy=n == 0)
            for n, (some, counted, before) in enumerate(zip(every, beside, sampled, strict=True))
        ]

    def _update(
        self,
        samples: Sequence[Sample],
        counted: Sequence[DroppedWeight],
        sampled: list[Tensor] | None,
        update: int,
        *,
        on_policy: bool,
    ) -> dict[str, float]:
        """Makes one optimiser step, or none if no rank has a row in the loss.

        Args:
            counted: how much each left-out rollout adds to the divisor.
            sampled: for each micro-batch, the trainer's log-probabilities under the weights that
                sampled the tokens. None if the weights have not changed since sampling, or if the
                loss does not need these log-probabilities.
        """
        plan = self._plan(samples)
        if not plan:  # on any rank
            return {
                "loss": 0.0,
                "lr": 0.0,
                "grad_norm": 0.0,
                "rows": 0.0,
                "labels": 0.0,
                "skipped": 1.0,
            }
        agreed = self._agreed(samples, counted)
        figures = _Figures(self.at)
        told: list[Tensor] = []
        for number, some in enumerate(plan):
            packed = self._packed(some)
            with no_sync_but_last(self.policy, number == len(plan) - 1):
                scores, summed = self._loss(
                    packed, some, None if sampled is None else sampled[number], figures
                )
                agreed.share(summed).backward()
            if on_policy:
                told.append(torch.stack([scores.logp.detach(), _engine_logp(packed)]).cpu())
        if on_policy:
            both = torch.cat([torch.zeros(2, 0), *told], dim=1)
            figures.engine_kl = check_engine(both[0], both[1], alarm=self.settings.care.engine_kl)
        names = ", ".join(sample.row.episode_id for sample in samples[:20])
        made = figures.made(agreed)
        stepped = take_step(
            self.policy,
            self.optimiser,
            self.settings.optimiser,
            update=update,
            updates=self.settings.updates,
            about=f"the loss {made['loss']}; this rank's rows: {names}{' …' * (len(samples) > 20)}",
        )
        return {**made, **stepped, "skipped": 0.0}

    def _loss(
        self, packed: Packed, samples: Sequence[Sample], sampled: Tensor | None, figures: "_Figures"
    ) -> tuple[TokenScores, Tensor]:
        objective, engine_logp = self.settings.objective, _engine_logp(packed)
        reference = None
        if objective.kl:
            assert self.reference is not None, "a KL term needs the reference model"
            reference = self.reference(packed)
        advantage, weights = loss_inputs(samples, packed)
        with products(self.settings.weights.precision, self.at):
            scores = self.policy(packed)
        trainer = scores.logp.detach() if sampled is None else sampled.to(self.at.device)
        summed = loss_sum(
            objective,
            logp=scores.logp,
            engine_logp=engine_logp,
            advantage=advantage,
            row=packed.row,
            row_weights=weights,
            trainer_logp=trainer,
            reference_logp=reference,
        )
        with torch.no_grad():
            logp, old = scores.logp, engine_logp if objective.importance_cap is None else trainer
            low, high = clip_masks(logp, old, advantage, objective)
            ratio = (logp - old).exp()
            figures.add(
                loss=summed,
                labels=len(logp),
                rows=len(samples),
                entropy=scores.entropy.sum(),
                clip_low=low.sum(),
                clip_high=high.sum(),
                ratio=ratio.sum(),
                kl=0.0 if reference is None else kl_k3(logp, reference).sum(),
                tokens=sum(len(each.row) for each in samples),
                advantage=advantage.abs().sum(),
            )
        return scores, summed

    @torch.no_grad()
    def _at_the_sampling_weights(self, samples: Sequence[Sample]) -> list[Tensor]:
        made = []
        for some in self._plan(samples):
            with products(self.settings.weights.precision, self.at):
                made.append(self.policy(self._packed(some)).logp.cpu())
        return made

    def _plan(self, samples: Sequence[Sample]) -> list[list[Sample]]:
        """This rank's micro-batches. All ranks get the same number of micro-batches, of which some
        may be empty.
        """
        plan = micro_batches([each.row for each in samples], self.settings.micro_tokens)
        return [[samples[n] for n in some] for some in plan] + [
            [] for _ in range(max_over_ranks(len(plan), self.at.device) - len(plan))
        ]

    def _agreed(self, samples: Sequence[Sample], counted: Sequence[DroppedWeight]) -> Normaliser:
        labels = torch.tensor([int(each.row.loss_mask.sum()) for each in samples], dtype=torch.long)
        row = torch.arange(len(samples)).repeat_interleave(labels)
        objective = self.settings.objective
        taught = count(row, torch.tensor([each.weight for each in samples]), objective)
        return sum_over_ranks(
            taught + sum(each.count(objective) for each in counted), self.at.device
        )

    def _packed(self, samples: Sequence[Sample]) -> Packed:
        return pack([each.row for each in samples], self.tokens).to(self.at.device)


def mini_batch(number: int, settings: GrpoSettings) -> int:
    """Number of the update that learns from a question, counted within the step.

    The questions of an update are neighbours in the order of the step, so that every rank has a
    part of every update.

    Args:
        number: the question's place in the step. Refills (questions played in place of others) have
            places after the step's own questions, and are dealt to the updates in turn.
    """
    step = settings.step
    return (
        number // (step.mini_questions or step.questions)
        if number < step.questions
        else number % step.updates
    )


def _engine_logp(packed: Packed) -> Tensor:
    if packed.old_logp is None:
        assert not packed.num_rows, "a row has no log-probabilities of its engine"
        return torch.zeros(0, device=packed.ids.device)
    return packed.old_logp


class _Figures:
    """Sums over the micro-batches of an update."""

    def __init__(self, at: World) -> None:
        self._at = at
        self._sums: dict[str, Tensor] = {}
        self.engine_kl = 0.0

    def add(self, **more: Any) -> None:
        """Adds the figures of a micro-batch to the sums of the update."""
        for name, value in more.items():
            added = torch.as_tensor(value, dtype=torch.float64, device=self._at.device).detach()
            self._sums[name] = self._sums.get(name, torch.zeros_like(added)) + added

    def made(self, agreed: Normaliser) -> dict[str, float]:
        """Computes the metrics over all ranks. All ranks must call this function together."""
        total = torch.stack(list(self._sums.values()))
        if self._at.size > 1:
            dist.all_reduce(total)
        sums = dict(zip(self._sums, total.tolist(), strict=True))
        labels = max(1.0, sums["labels"])
        means = {
            name: sums[name] / labels
            for name in ("entropy", "clip_low", "clip_high", "ratio", "kl")
        }
        return {
            "loss": sums["loss"] / agreed.total,
            "divisor": agreed.total,
            "rows": sums["rows"],
            "labels": sums["labels"],
            "trained_tokens": sums["tokens"],
            "advantage_size": sums["advantage"] / labels,
            **means,
            "engine_kl": self.engine_kl,
        }
