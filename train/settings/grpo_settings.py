"""The settings that only GRPO has. The settings that GRPO shares with SFT are in
`settings/training_settings.py`.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from annotated_types import Ge, Gt, Le

from questloom.agent.play_settings import PlaySettings
from questloom.files.settings_files import settings_adapter
from questloom.models.model_settings import ModelSettings
from questloom.prompts.roles import check_roles
from questloom.records.errors import InputError
from questloom.train.credit.credit_rules import Axpo, FatalRules, RewardRules, Statistic
from questloom.train.loss.objective_rules import KL_ALARM, Objective
from questloom.train.settings.settings_file import presets, read_settings
from questloom.train.settings.training_settings import (
    OF_THE_MACHINE,
    DataSettings,
    OptimiserSettings,
    ParallelSettings,
    WeightSettings,
    check_micro_tokens,
    identity_of,
)


@dataclass(frozen=True, kw_only=True)
class PolicySettings(PlaySettings):
    """Settings of the episodes that the trained model plays: engine, sampling, tools and limits."""

    engine: Literal["transformers", "server"] = "transformers"
    """The inference engine that samples the policy's turns. `transformers` samples on this machine.
    `server` uses an inference server that takes and returns token ids; the settings `play.server`
    describe the server.
    """
    temperature: Annotated[float, Gt(0)] = 1.0
    """The temperature at which the engine samples. The trainer computes log-probabilities at the
    same temperature."""
    top_p: Annotated[float, Gt(0), Le(1)] = 1.0
    """Top-p: the policy samples only from the most probable tokens, as many as are needed to reach
    this total probability. The recorded log-probabilities always belong to the distribution over
    all tokens, even if `top_p` is below 1.
    """


@dataclass(frozen=True, kw_only=True)
class StepSettings:
    """Settings of a step. In each step, the policy plays questions with its current weights, then
    learns from them.
    """

    steps: Annotated[int, Gt(0)] = 200
    """Number of steps in the whole run."""
    questions: Annotated[int, Gt(0)] = 32
    """B: number of questions per step, all ranks together."""
    rollouts: Annotated[int, Gt(1)] = 8
    """N: number of rollouts per question in a step."""
    mini_questions: Annotated[int, Ge(0)] = 0
    """Number of questions per update. 0 takes all questions of the step, so that every update is
    on-policy.
    """
    refills: Annotated[int, Ge(0)] = 0
    """Dynamic sampling (DAPO): how many times a step may play new questions in place of questions
    whose rollouts all have the same reward.
    """
    micro_tokens: Annotated[int, Ge(0)] = 0
    """Maximum number of tokens in one forward pass of a rank; 0 takes the value of
    `data.max_tokens`."""
    at_once: Annotated[int, Gt(0)] = 64
    """Number of episodes that a rank plays at the same time. The engine `transformers` decodes this
    number of conversations together.
    """

    @property
    def updates(self) -> int:
        """The number of updates per step."""
        return -(-self.questions // (self.mini_questions or self.questions))


@dataclass(frozen=True, kw_only=True)
class EvaluationSettings:
    """Settings of evaluations. An evaluation plays held-out questions (split rl/validation) during
    training. The policy does not learn from held-out questions.
    """

    every: Annotated[int, Ge(0)] = 10
    """Number of steps between evaluations. The run also evaluates before the first step and after
    the last step. 0 switches evaluations off.
    """
    questions: Annotated[int, Ge(0)] = 0
    """Number of held-out questions; 0 takes all of them. Each evaluation plays the same
    questions."""
    rollouts: Annotated[int, Gt(0)] = 1
    """Number of rollouts per held-out question. The pass rate of an evaluation is the share of its
    rollouts that have a right answer.
    """
    temperature: Annotated[float, Ge(0)] | None = None
    """The temperature at which evaluations sample. Without a value, evaluations sample at the
    temperature of training.
    """
    top_p: Annotated[float, Gt(0), Le(1)] | None = None
    """The top-p of sampling in evaluations. Without a value, evaluations use the top-p of
    training.
    """
    calls: Annotated[int, Ge(0)] | None = None
    """Maximum number of tool calls in an episode of an evaluation. Without a value, evaluations use
    the maximum of training.
    """


@dataclass(frozen=True, kw_only=True)
class CareSettings:
    """Limits that stop a run with an error before it learns from too few or wrong samples.

    A resumed run may change these settings.
    """

    max_lost: Annotated[float, Ge(0), Le(1)] = 0.5
    """Maximum share of a step's rollouts that may end because a provider failed. `max_lost` also
    limits the share of rollouts without a judge's verdict.
    """
    engine_kl: Annotated[float, Gt(0)] = KL_ALARM
    """Maximum of the mean KL divergence per token (k3 estimate) between the inference engine and
    the trainer, which have the same weights.
    """


@dataclass(frozen=True, kw_only=True)
class GrpoKeepSettings:
    """What the run stores on disk, and how often. A resumed run may change these settings."""

    checkpoint_every: Annotated[int, Gt(0)] = 10
    """Number of steps from one checkpoint to the next. The last step always writes a checkpoint
    too."""
    checkpoints: Annotated[int, Gt(0)] = 2
    """How many checkpoints stay on disk; older ones are removed."""
    episodes_every: Annotated[int, Ge(0)] = 10
    """Example rollouts are stored once in this number of steps: all rollouts of a step's first
    question. 0 stores no example rollouts.
    """
    replay_steps: Annotated[int, Ge(0)] = 0
    """How many of the newest steps keep their rows on disk for replays; 0 keeps the rows of all
    steps. The rows of steps after the last checkpoint are always kept.
    """


@dataclass(frozen=True, kw_only=True)
class GrpoSettings:
    """The settings of a GRPO run."""

    name: str = "custom"
    """A name for these settings, which is stored with the run. A resumed run must have the same
    name."""
    seed: Annotated[int, Ge(0)] = 0
    """Random seed for the order of questions, for all random draws, and for the adapters' initial
    weights and dropout.
    """
    step: StepSettings = field(default_factory=StepSettings)
    play: PolicySettings = field(default_factory=PolicySettings)
    reward: RewardRules = field(default_factory=RewardRules)
    statistic: Statistic = "population"
    """How the rewards of a question's rollouts become advantages; see `credit/groups.py`."""
    fatal: FatalRules = field(default_factory=FatalRules)
    axpo: Axpo | None = None
    """Settings of AXPO, a method that samples new endings for wrong rollouts. Without a value, GRPO
    runs without AXPO."""
    objective: Objective = field(default_factory=Objective)
    evaluation: EvaluationSettings = field(default_factory=EvaluationSettings)
    models: ModelSettings | None = None
    """The models that judge answers and read pages. Without a value, GRPO uses the models that the
    run's recipe names.
    """
    data: DataSettings = field(default_factory=DataSettings)
    weights: WeightSettings = field(default_factory=WeightSettings)
    optimiser: OptimiserSettings = field(
        default_factory=lambda: OptimiserSettings(lr=1e-6, schedule="constant", warm_up=0.0)
    )
    parallel: ParallelSettings = field(
        default_factory=lambda: ParallelSettings(timeout_minutes=180.0)
    )
    """How processes train together. A rank may have to wait until another rank's longest episode
    ends; `play.limits.seconds` limits the time of an episode, to 150 minutes by default.
    """
    care: CareSettings = field(default_factory=CareSettings)
    keep: GrpoKeepSettings = field(default_factory=GrpoKeepSettings)

    @property
    def micro_tokens(self) -> int:
        """The maximum number of tokens in one forward pass."""
        return self.step.micro_tokens or self.data.max_tokens

    @property
    def updates(self) -> int:
        """The number of updates in the whole run."""
        return self.step.steps * self.step.updates

    def resolved(self) -> dict[str, Any]:
        """All settings as plain JSON."""
        return settings_adapter(GrpoSettings).dump_python(self, mode="json")

    def identity(self) -> dict[str, Any]:
        """The settings that must stay the same when a run is resumed; see
        `SftSettings.identity`."""
        resolved = self.resolved()
        if resolved["play"]["server"]:
            del resolved["play"]["server"]["url"]  # the server may move
        return identity_of(resolved, _OF_THE_MACHINE)


_OF_THE_MACHINE = OF_THE_MACHINE | {
    "care",
    "step.micro_tokens",
    "step.at_once",
    "play.device",
    "models.budget_money",
    "models.budget_tokens",
    "models.budget_calls",
}


def load_grpo_settings(
    source: str, overrides: Iterable[str] = (), tools: Mapping[str, Any] | None = None
) -> GrpoSettings:
    """Reads settings from a file or a preset ("grpo-vsearcher"), with `section.key=value`
    overrides.

    Args:
        tools: the settings of the teacher's tools (`questions.teacher_tools`), used if the file
            does not set `play.tools`. A policy needs the tools and the prompt that it had in its
            fine-tuning.

    Raises:
        InputError: see `read_settings`; also if some values do not fit together.
    """
    settings = read_settings(
        GrpoSettings, source, overrides, presets(grpo=True), {"play": {"tools": tools or {}}}
    )
    if settings.models is not None:
        check_roles(settings.models.roles, f"{source}, key models.roles")
    check_micro_tokens(settings.data, settings.micro_tokens, source, key="step.micro_tokens")
    play = settings.play
    if play.engine == "server" and play.server is None:
        raise InputError(
            f"{source}, key play.server",
            "is missing",
            "Name it: play: {server: {name: …, url: http://host:port, model: …}}.",
        )
    if play.server is not None and play.server.dialect == "vllm":
        raise InputError(
            f"{source}, key play.server.dialect",
            "is vllm, whose completions take no pictures beside token ids",
            "Use an SGLang server.",
        )
    if settings.weights.lora is not None and settings.weights.lora.dropout:
        raise InputError(
            f"{source}, key weights.lora.dropout",
            "is not 0: the policy that is updated would not be the one that played",
            "Leave it out; supervised fine-tuning may have it.",
        )
    if play.model:
        raise InputError(
            f"{source}, key play.model",
            "is set, but the policy is the model that is trained",
            "Leave it out, and name --model.",
        )
    return settings
