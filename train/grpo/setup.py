"""The setup that a GRPO run and its replay share: the model, its processor, its optimiser."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from torch import nn

from questloom.agent.play.episode_files import EpisodeFiles
from questloom.agent.turns.token_renderer import TokenRenderer
from questloom.train.grpo.reference import reference_of
from questloom.train.grpo.step_files import Pixels, StepFiles
from questloom.train.grpo.update import Learner
from questloom.train.model.optimiser import adamw
from questloom.train.model.scorer import Scorer
from questloom.train.model.weights import LoadedModel, load_model, load_processor
from questloom.train.rollouts.scored import RolloutRows
from questloom.train.rows.row import PictureTokens, rope_of
from questloom.train.run.checkpoints import Checkpoints
from questloom.train.run.output_lock import together
from questloom.train.run.parallel import World, wrap_policy
from questloom.train.settings.grpo_settings import GrpoSettings


@dataclass(frozen=True)
class Model:
    """The model that will be trained, after loading and before wrapping."""

    folder: str
    processor: Any
    tokens: TokenRenderer
    loaded: LoadedModel
    rows: RolloutRows


@dataclass(frozen=True)
class Trainer:
    """The model in its wrapper, and the objects that update its weights."""

    policy: nn.Module
    """The scorer (which computes log-probabilities) inside its DDP or FSDP wrapper."""
    scorer: Scorer
    """The scorer without the wrapper."""
    learner: Learner
    checkpoints: Checkpoints
    steps: StepFiles


def load(folder: str, settings: GrpoSettings, at: World) -> Model:
    """Loads the model. All ranks must call this function together.

    Raises:
        InputError: the model cannot be trained here; see `load_model` and `TokenRenderer`.
    """
    torch.manual_seed(settings.seed + at.rank)
    processor = together(at, lambda: load_processor(folder, settings.data.max_pixels))
    tokens = together(at, lambda: TokenRenderer(processor, name=folder))
    loaded = together(at, lambda: load_model(folder, settings.weights, settings.seed))
    return Model(
        folder,
        processor,
        tokens,
        loaded,
        RolloutRows(PictureTokens.of(loaded.model.config), rope_of(loaded.model), settings.data),
    )


def episode_files(out: Path) -> EpisodeFiles:
    """The files with the pictures, prompts and journals of a run's episodes."""
    return EpisodeFiles(str(out / "episodes"))


def trainer_of(model: Model, settings: GrpoSettings, out: Path, at: World) -> Trainer:
    """Wraps the model in DDP or FSDP and makes its optimiser. All ranks must call this function
    together.

    Do not copy the model's weights after this call.
    """
    scorer = Scorer(model.loaded.model, temperature=settings.play.temperature)
    policy = wrap_policy(scorer, at, bf16=settings.weights.precision == "bf16")
    optimiser = adamw(policy, settings.optimiser)
    reference = (
        reference_of(model.folder, policy, model.loaded, settings, at)
        if settings.objective.kl
        else None
    )
    rows = model.rows
    return Trainer(
        policy,
        scorer,
        Learner(policy, optimiser, reference, rows.picture_tokens, settings, at),
        Checkpoints(out / "checkpoints", settings.keep.checkpoints),
        StepFiles(
            out / "replay",
            Pixels(model.processor, episode_files(out)),
            rows.picture_tokens,
            rows.rope,
        ),
    )
