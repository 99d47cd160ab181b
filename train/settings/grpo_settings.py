"""What a run of GRPO may set, beside what it shares with supervised fine-tuning (`settings/training_settings.py`)."""

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
    """Engine, sampling, tools and limits of an episode; the model is the one that is trained."""

    engine: Literal["transformers", "server"] = "transformers"
    """Who samples: "transformers" on this machine; "server" an inference server of token ids, described in `play.server`."""
    temperature: Annotated[float, Gt(0)] = 1.0
    """At which the policy samples, and at which the trainer computes its log-probabilities."""
    top_p: Annotated[float, Gt(0), Le(1)] = 1.0
    """Nucleus from which the policy samples. Below 1 the log-probabilities are still those of the whole distribution."""


@dataclass(frozen=True, kw_only=True)
class StepSettings:
    """What a step is: questions are played by the weights that there are, then learned from."""

    steps: Annotated[int, Gt(0)] = 200
    """Steps of the whole run."""
    questions: Annotated[int, Gt(0)] = 32
    """B: a step's, over all ranks."""
    rollouts: Annotated[int, Gt(1)] = 8
    """N: a question's."""
    mini_questions: Annotated[int, Ge(0)] = 0
    """An update's; 0 for all of the step's, so that every update is on-policy."""
    refills: Annotated[int, Ge(0)] = 0
    """Dynamic sampling: how often a step may play as many further questions as had no variance (DAPO)."""
    micro_tokens: Annotated[int, Ge(0)] = 0
    """That one forward pass of a rank holds; 0 for `data.max_tokens`."""
    at_once: Annotated[int, Gt(0)] = 64
    """Episodes in play on a rank, and conversations that its engine decodes together."""

    @property
    def updates(self) -> int:
        """A step's."""
        return -(-self.questions // (self.mini_questions or self.questions))


@dataclass(frozen=True, kw_only=True)
class EvaluationSettings:
    """Held-out questions (rl/validation) are played in between, and nothing is learned from them."""

    every: Annotated[int, Ge(0)] = 10
    """Steps; also before the first and after the last. 0 for never."""
    questions: Annotated[int, Ge(0)] = 0
    """Number of questions, the same each time; 0 for all."""
    rollouts: Annotated[int, Gt(0)] = 1
    """A question's. Their share of right answers is the pass rate."""
    temperature: Annotated[float, Ge(0)] | None = None
    """None for that of training."""
    top_p: Annotated[float, Gt(0), Le(1)] | None = None
    """None for that of training."""
    calls: Annotated[int, Ge(0)] | None = None
    """Tool calls in each episode; None: as many as in training."""


@dataclass(frozen=True, kw_only=True)
class CareSettings:
    """When a run ends with an error rather than learning from little or from something else than was sampled. No part of a run's identity."""

    max_lost: Annotated[float, Ge(0), Le(1)] = 0.5
    """Share of a step's rollouts that may end by a provider's fault, or stay without a judge's word."""
    engine_kl: Annotated[float, Gt(0)] = KL_ALARM
    """Mean k3 a token between the engine that sampled and the trainer, at the same weights."""


@dataclass(frozen=True, kw_only=True)
class GrpoKeepSettings:
    """What is written down, and how often. No part of a run's identity."""

    checkpoint_every: Annotated[int, Gt(0)] = 10
    """Steps; the end is always kept."""
    checkpoints: Annotated[int, Gt(0)] = 2
    """The newest that stay."""
    episodes_every: Annotated[int, Ge(0)] = 10
    """Steps whose first question's rollouts are kept whole, to be read; 0 for none."""
    replay_steps: Annotated[int, Ge(0)] = 0
    """The newest steps whose rows stay, so that they can be run again; those after the last checkpoint always do. 0 for all."""


@dataclass(frozen=True, kw_only=True)
class GrpoSettings:
    """A run of GRPO."""

    name: str = "custom"
    """The settings' name, stored with the run; part of its identity."""
    seed: Annotated[int, Ge(0)] = 0
    """Seed of the questions' order, of every draw, and of adapters' first weights and dropout."""
    step: StepSettings = field(default_factory=StepSettings)
    play: PolicySettings = field(default_factory=PolicySettings)
    reward: RewardRules = field(default_factory=RewardRules)
    statistic: Statistic = "population"
    """Statistic over a question's rewards; see `credit/groups.py`."""
    fatal: FatalRules = field(default_factory=FatalRules)
    axpo: Axpo | None = None
    """None plays nothing on."""
    objective: Objective = field(default_factory=Objective)
    evaluation: EvaluationSettings = field(default_factory=EvaluationSettings)
    models: ModelSettings | None = None
    """Of the judges and readers; None for those of the run's recipe."""
    data: DataSettings = field(default_factory=DataSettings)
    weights: WeightSettings = field(default_factory=WeightSettings)
    optimiser: OptimiserSettings = field(
        default_factory=lambda: OptimiserSettings(lr=1e-6, schedule="constant", warm_up=0.0)
    )
    parallel: ParallelSettings = field(
        default_factory=lambda: ParallelSettings(timeout_minutes=180.0)
    )
    """A rank waits for another's longest episode, `play.limits.seconds`: 150 minutes where nothing is said."""
    care: CareSettings = field(default_factory=CareSettings)
    keep: GrpoKeepSettings = field(default_factory=GrpoKeepSettings)

    @property
    def micro_tokens(self) -> int:
        """Tokens that one forward pass holds."""
        return self.step.micro_tokens or self.data.max_tokens

    @property
    def updates(self) -> int:
        """Updates of the whole run."""
        return self.step.steps * self.step.updates

    def resolved(self) -> dict[str, Any]:
        """Every setting as plain JSON."""
        return settings_adapter(GrpoSettings).dump_python(self, mode="json")

    def identity(self) -> dict[str, Any]:
        """As `SftSettings.identity`."""
        resolved = self.resolved()
        if resolved["play"]["server"]:
            del resolved["play"]["server"]["url"]  # it may move
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
    """Settings by file name, or by the name of a preset ("grpo-vsearcher"), with `section.key=value` overrides.

    Args:
        tools: the teacher's settings of tools (`questions.teacher_tools`), which hold where `play.tools` names no others: a policy that was taught
            some tools under some prompt is another one under another.

    Raises:
        InputError: see `read_settings`, or values that do not fit each other.
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
