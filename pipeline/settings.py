"""The recipe's parts that belong to the job itself: filters, export, models, and how it is run."""

from collections.abc import Mapping
from dataclasses import dataclass, field, make_dataclass
from typing import TYPE_CHECKING, Annotated, Any, Literal

from annotated_types import Ge, Gt, Le

from questloom.agent.play_settings import PlaySettings
from questloom.models.model_settings import ModelSettings
from questloom.pipeline.format_registry import format_helps, format_names
from questloom.records.evolves import Evolves
from questloom.transforms.filters import registry
from questloom.transforms.writing.llm.llm_rules import LlmRules

if TYPE_CHECKING:
    FormatName = str
else:
    FormatName = Literal[format_names()]
Share = Annotated[float, Ge(0), Le(1)]
OF_FILTERS: Any = make_dataclass(
    "OfFilters",
    (),
    bases=tuple(each.settings for each in reversed(registry.FILTERS) if each.settings),
    frozen=True,
    kw_only=True,
)
"""The settings of all filters together; dataclasses take the fields of the last base first."""


@dataclass(frozen=True, kw_only=True)
class FilterRules(OF_FILTERS):  # type: ignore[misc]
    """Which filters run, and their settings. A filter that is off stores the verdict `not_run`. Here are those that several share; each filter has its own."""

    custom: tuple[str, ...] = ()
    """Filters of other packages, which run after `duplicates`: `module:Class`, or the name of an entry point of `questloom.filters`. They are
    imported and run like a program's own (`examples/no_sports.py`)."""
    samples: Annotated[int, Gt(0), Evolves("filters", 1, 8, 1)] = 1
    """Samples a model solver draws."""
    popular_sitelinks: Annotated[int, Ge(1), Evolves("filters", 10, 200, 10)] = 50
    """The popularity prior knows the claims of entities with at least so many sitelinks by heart. It stands in for the models of `text_only` and `no_tools`."""
    popular_page_views: Annotated[int, Ge(1)] = 50_000
    """The same by page views, as the popularity file counts them, where no thing of the store has so many sitelinks."""
    popular_in_degree: Annotated[int, Ge(1)] = 10_000
    """The same by links from other pages, where page views do not tell either; the default is OpenSearch-VL's bound of a hub."""
    exclude_pictures: tuple[str, ...] = ()
    """Files of perceptual hashes of benchmark pictures, one a line."""


@dataclass(frozen=True, kw_only=True)
class ExportRules:
    """Splits, shares and formats of the data set."""

    shares: Mapping[str, float] = field(default_factory=lambda: {"train": 0.9, "validation": 0.1})
    """Share of pictured things by split."""
    rl_share: Share = 0.5
    """Share of tasks that go to reinforcement learning; the rest to supervised fine-tuning."""
    level_ratio: Mapping[str, float] = field(default_factory=dict)
    """easy:medium:hard of the RL configuration (VSearcher 4:3:3); empty: as they come."""
    benchmark_share: Share = 0.0
    """Share of anchors set aside as the run's own frozen benchmark. Questions of level `benchmark` are always set aside."""
    formats: tuple[FormatName, ...] = field(
        default=("sharegpt", "verl", "trl"), metadata={"choices": format_helps}
    )
    """The formats for trainers beside the data set's own files; none switches them off."""


@dataclass(frozen=True, kw_only=True)
class ModelRules(ModelSettings):
    """Endpoints and roles for the llm writer, the model filters, agents and judges."""

    llm: LlmRules = field(default_factory=LlmRules)
    """The llm writer's."""


@dataclass(frozen=True, kw_only=True)
class RunRules:
    """How the job runs; no result depends on it."""

    in_flight: Annotated[int, Gt(0), Le(4096)] = 64
    """Records under way at once in a process, in stages that call models."""
    shards: Annotated[int, Gt(0), Le(100_000)] = 16
    """Files of each stage: how finely work is spread over workers, and how much of it a kill costs."""
    max_error_share: Share = 0.02
    """A job in which more than this share ended as `error` exits with 1."""
    calls: str = ""
    """Where replies, ledger, budget and pace are kept: redis://HOST:PORT/DB[?prefix=NAME] for workers on several machines, or a file; "" for
    RUN/calls.sqlite. A password is in the environment (QUESTLOOM_REDIS_PASSWORD)."""


@dataclass(frozen=True, kw_only=True)
class TrainingRules:
    """What trains the policy between rounds: `python -m questloom.train.sft` or `questloom.train.grpo`, by their own settings."""

    trainer: Literal["sft", "grpo"]
    """Which trainer."""
    config: str
    """A preset of the trainer, or a file."""
    model: str = ""
    """Folder of the model that the first round trains; by default the policy's own (`evolve.policy.model`)."""
    set: tuple[str, ...] = ()
    """KEY=VALUE in place of the trainer's settings."""
    launcher: tuple[str, ...] = ()
    """Words that start the trainer instead of the interpreter: ["torchrun", "--nproc_per_node", "8"]."""


@dataclass(frozen=True, kw_only=True)
class EvolveRules:
    """The closed loop (ODE: up to 5 rounds of 32 tasks, one rollout each; a pass rate needs several)."""

    rounds: Annotated[int, Gt(0)] = 5
    """Rounds at most."""
    tasks: Annotated[int, Ge(3)] = 32
    """A round, chosen over domains, profiles and levels from what `seeds.count` seeds give."""
    mode: Literal["sft", "rl"] = "rl"
    """Who is measured, and which dimensions count: the teacher of the section `teach`, or the policy."""
    policy: PlaySettings | None = None
    """Who plays in mode "rl"; by default the teacher's settings."""
    rollouts: Annotated[int, Ge(4)] = 4
    """Attempts of the policy at each task."""
    probes: Annotated[int, Ge(0)] = 4
    """Continuations of a task that no rollout solved (AXPO's K)."""
    teacher_rollouts: Annotated[int, Gt(0)] = 1
    """Attempts of the teacher (in mode "sft" of the oracle) at each task that the policy never solved."""
    too_easy: Share = 0.75
    """Pass rates above are too easy."""
    tolerated: Share = 0.35
    """Share of too easy, or too hard, tasks from which difficulty is edited."""
    diagnoser: Literal["measured", "llm"] = "measured"
    """What explains why tasks failed: figures alone, or also a model."""
    control: Literal["none", "static", "random_edits"] = "none"
    """What replaces diagnosed edits, at equal volume."""
    max_edits: Annotated[int, Gt(0)] = 4
    """A round."""
    min_cases: Annotated[int, Ge(3)] = 3
    """Tasks that an edit must cite."""
    held_out: Annotated[int, Ge(0)] = 32
    """Fresh tasks on which the recipes are compared in the end; 0 compares their own rounds."""
    train: TrainingRules | None = None
