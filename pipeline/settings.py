"""The recipe sections that belong to the job itself: filters, export, models, and how the job
runs."""

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
"""The settings of all filters in one class. The bases are reversed, since a dataclass lists the
fields of its last base first."""


@dataclass(frozen=True, kw_only=True)
class FilterRules(OF_FILTERS):  # type: ignore[misc]
    """Which filters run, and their settings. For a filter that is off, each question stores the
    verdict `not_run`. This class holds the settings that several filters share."""

    custom: tuple[str, ...] = ()
    """Filters of other packages, which run after `duplicates`. Each filter is named by
    `module:Class`, or by the name of an entry point of `questloom.filters` (example:
    `examples/no_sports.py`)."""
    samples: Annotated[int, Gt(0), Evolves("filters", 1, 8, 1)] = 1
    """Samples that each model solver draws."""
    popular_sitelinks: Annotated[int, Ge(1), Evolves("filters", 10, 200, 10)] = 50
    """The popularity prior replaces the models of `text_only` and `no_tools`. An entity with at
    least this number of sitelinks is popular, and all its claims count as known by heart."""
    popular_page_views: Annotated[int, Ge(1)] = 50_000
    """An entity counts as popular from this number of page views on; the popularity file has the
    page views. This bound applies if no entity of the store has `popular_sitelinks` sitelinks."""
    popular_in_degree: Annotated[int, Ge(1)] = 10_000
    """An entity counts as popular from this number of links from other pages on. This bound applies
    if the store has too few page views as well; the default is OpenSearch-VL's bound of a hub."""
    exclude_pictures: tuple[str, ...] = ()
    """Files of perceptual hashes of benchmark pictures, one hash per line."""


@dataclass(frozen=True, kw_only=True)
class ExportRules:
    """Splits, shares and formats of the data set."""

    shares: Mapping[str, float] = field(default_factory=lambda: {"train": 0.9, "validation": 0.1})
    """The share of each split, counted in pictured entities."""
    rl_share: Share = 0.5
    """Share of tasks for reinforcement learning; the rest is for supervised fine-tuning."""
    level_ratio: Mapping[str, float] = field(default_factory=dict)
    """The ratio easy:medium:hard of the RL configuration (4:3:3 in VSearcher). An empty mapping
    keeps all tasks."""
    benchmark_share: Share = 0.0
    """The share of pictured entities whose questions form the run's own frozen benchmark. Questions
    of level `benchmark` always belong to the benchmark too."""
    formats: tuple[FormatName, ...] = field(
        default=("sharegpt", "verl", "trl"), metadata={"choices": format_helps}
    )
    """The trainer formats that are written in addition to the data set's own files; an empty list writes none."""


@dataclass(frozen=True, kw_only=True)
class ModelRules(ModelSettings):
    """Endpoints and roles for the llm writer, the model filters, agents and judges."""

    llm: LlmRules = field(default_factory=LlmRules)
    """Settings of the llm writer."""


@dataclass(frozen=True, kw_only=True)
class RunRules:
    """Settings for running the job. No result depends on these settings."""

    in_flight: Annotated[int, Gt(0), Le(4096)] = 64
    """The number of records that a process handles at once in stages that call models."""
    shards: Annotated[int, Gt(0), Le(100_000)] = 16
    """The number of files that each stage writes. With more files, more workers share the work, and
    a killed job repeats less."""
    max_error_share: Share = 0.02
    """If more than this share of records ends as `error`, the job exits with 1."""
    calls: str = ""
    """Where replies, ledger, budget and pace are stored: a file, or
    redis://HOST:PORT/DB[?prefix=NAME] for workers on several machines; "" means RUN/calls.sqlite.
    The environment variable QUESTLOOM_REDIS_PASSWORD holds the password."""


@dataclass(frozen=True, kw_only=True)
class TrainingRules:
    """How the policy is trained between rounds, with `python -m questloom.train.sft` or
    `questloom.train.grpo` and their own settings."""

    trainer: Literal["sft", "grpo"]
    """The trainer."""
    config: str
    """A preset of the trainer, or a file of its settings."""
    model: str = ""
    """The folder of the model that the first round trains; the default is the policy's own model
    (`evolve.policy.model`)."""
    set: tuple[str, ...] = ()
    """KEY=VALUE pairs that override the trainer's settings."""
    launcher: tuple[str, ...] = ()
    """Words that start the trainer instead of the Python interpreter: ["torchrun", "--nproc_per_node", "8"]."""


@dataclass(frozen=True, kw_only=True)
class EvolveRules:
    """The closed loop (ODE: up to 5 rounds of 32 tasks, one rollout each). A pass rate needs
    several rollouts, so the default is higher."""

    rounds: Annotated[int, Gt(0)] = 5
    """The highest number of rounds."""
    tasks: Annotated[int, Ge(3)] = 32
    """Tasks per round, chosen over domains, profiles and levels from the questions of `seeds.count` seeds."""
    mode: Literal["sft", "rl"] = "rl"
    """The player whose results steer the edits: the teacher of the section `teach` (sft), or the
    policy (rl). The mode also decides which dimensions count."""
    policy: PlaySettings | None = None
    """The policy's settings in mode "rl"; the default is the teacher's settings."""
    rollouts: Annotated[int, Ge(4)] = 4
    """The policy's attempts at each task."""
    probes: Annotated[int, Ge(0)] = 4
    """The number of continuations for each task that no rollout solved (AXPO's K)."""
    teacher_rollouts: Annotated[int, Gt(0)] = 1
    """The teacher's attempts (in mode "sft": the oracle's) at each task that the policy never
    solved."""
    too_easy: Share = 0.75
    """A task with a higher pass rate is too easy."""
    tolerated: Share = 0.35
    """If a larger share of tasks is too easy, or too hard, the loop edits the difficulty."""
    diagnoser: Literal["measured", "llm"] = "measured"
    """How failures are explained: by measured figures alone, or also by a model."""
    control: Literal["none", "static", "random_edits"] = "none"
    """An experiment's control condition, which replaces the diagnosed edits by equally many other
    edits."""
    max_edits: Annotated[int, Gt(0)] = 4
    """The highest number of edits per round."""
    min_cases: Annotated[int, Ge(3)] = 3
    """The number of tasks that an edit must cite as evidence."""
    held_out: Annotated[int, Ge(0)] = 32
    """The number of fresh tasks on which the recipes are compared in the end; 0 compares the
    rounds' own tasks."""
    train: TrainingRules | None = None
