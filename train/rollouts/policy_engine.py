"""The inference engine that samples from the current policy, and the players that use this engine.

In a single process and under DDP, the engine uses the trained weights themselves. The engine needs
its own copy of the weights if they are sharded (FSDP2), or kept in fp32 and multiplied in bf16. The
copy has the dtype in which matrices are multiplied, and is updated after every step. Every step
makes a new engine, because an old engine would reuse cached keys and values of old weights.
"""

import copy
import dataclasses
from typing import Any, Protocol

import torch
from torch import nn
from torch.distributed.tensor import DTensor

from questloom.agent.engines.token_engine import Sampling, TokenEngine
from questloom.agent.engines.transformers_engine import TransformersEngine
from questloom.agent.play.player import Player
from questloom.agent.setup import Playing, PlayPlace, engine_override_key, open_player
from questloom.agent.turns.token_renderer import TokenRenderer
from questloom.records.identity import sha256_hex
from questloom.train.run.parallel import World
from questloom.train.settings.grpo_settings import EvaluationSettings, PolicySettings
from questloom.train.settings.training_settings import WeightSettings


class Weights(Protocol):
    """The interface through which an engine gets the policy's weights."""

    def bring_up_to_date(self, version: int) -> None:
        """Gives the engine the current weights. All ranks must call this function together.

        Args:
            version: number of updates that the weights have had.
        """

    def engine(self, version: int, sampling: Sampling) -> TokenEngine:
        """Makes an engine with the current weights."""

    def close(self) -> None:
        """Frees the memory and connections of the newest engine."""


class PolicyPlayers:
    """Players that use the current policy, for training and for held-out questions.

    Args:
        place: the files and clients that the players use. No other inference engine may be open at
            this place.
        seed: the seed of every random draw.
    """

    def __init__(
        self,
        weights: Weights,
        play: PolicySettings,
        evaluation: EvaluationSettings,
        place: PlayPlace,
        seed: int,
    ) -> None:
        self.weights, self._seed = weights, seed
        self._drawn = {"temperature": play.temperature, "top_p": play.top_p}
        given = {"temperature": evaluation.temperature, "top_p": evaluation.top_p}
        self._drawn_held_out = {
            name: self._drawn[name] if value is None else value for name, value in given.items()
        }
        place.opened.put(engine_override_key(play.engine), weights.engine(0, Sampling()))
        self.playing = open_player(play, place)
        calls = play.limits.calls if evaluation.calls is None else evaluation.calls
        same = calls == play.limits.calls
        self._held_out = (
            self.playing
            if same
            else open_player(
                dataclasses.replace(play, limits=dataclasses.replace(play.limits, calls=calls)),
                place,
            )
        )

    def of_step(self, step: int, version: int) -> Player:
        """The player (which plays episodes) for a step.

        Args:
            version: number of updates that the weights have had. The number of updates is part of
                the episodes' names.
        """
        return self._player(self.playing, version, f"step {step}", self._drawn)

    def held_out(self, version: int) -> Player:
        """The player for held-out questions. The random draws for held-out questions are the same
        at every evaluation."""
        return self._player(self._held_out, version, "held out", self._drawn_held_out)

    def _player(self, playing: Playing, version: int, draw: str, drawn: dict[str, float]) -> Player:
        engine = self.weights.engine(
            version, Sampling(**drawn, seed=int(sha256_hex(f"{self._seed} {draw}")[:12], 16))
        )
        return Player(
            engine, playing.toolbox, playing.player.limits, renderer=playing.player.renderer
        )


class OwnWeights:
    """The trained weights in this process, for the engine `transformers`.

    Args:
        model: the trained model, before it is sharded.
        tokens: the renderer that makes token ids for this model.
        at_once: number of conversations that the engine decodes together.
    """

    def __init__(
        self,
        model: Any,
        tokens: TokenRenderer,
        settings: WeightSettings,
        at: World,
        *,
        at_once: int,
    ) -> None:
        self._trained, self._tokens, self._at_once = model, tokens, at_once
        by_reference = at.kind != "fsdp" and (
            settings.precision == "fp32" or settings.lora is not None
        )
        self._own = (
            None
            if by_reference
            else _copied(
                model, torch.bfloat16 if settings.precision == "bf16" else torch.float32, at.device
            )
        )
        self._engine: TransformersEngine | None = None

    @torch.no_grad()
    def bring_up_to_date(self, version: int) -> None:
        """See `Weights.bring_up_to_date`."""
        if self._own is None:
            return
        own = dict(self._own.named_parameters())
        for name, parameter in self._trained.named_parameters():
            if (
                parameter.requires_grad
            ):  # one tensor after the other, so that no rank holds the gathered model twice
                own[name].copy_(
                    parameter.full_tensor() if isinstance(parameter, DTensor) else parameter
                )

    def engine(self, version: int, sampling: Sampling) -> TokenEngine:
        """See `Weights.engine`."""
        self.close()
        model: nn.Module = self._trained if self._own is None else self._own
        self._engine = TransformersEngine(
            model.eval(),
            self._tokens,
            model_name=f"policy@{version}",
            sampling=sampling,
            max_batch=self._at_once,
        )
        return self._engine

    def close(self) -> None:
        """See `Weights.close`."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None


def _copied(model: Any, kind: torch.dtype, device: torch.device) -> Any:
    return copy.deepcopy(model).to(device=device, dtype=kind).requires_grad_(False).eval()
