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
from questloom.transforms.drafting.draft_rules import Level
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
"""One class with the settings of all filters. The base classes are in reversed order, since a
dataclass lists the fields of its last base class first."""


@dataclass(frozen=True, kw_only=True)
class FilterRules(OF_FILTERS):  # type: ignore[misc]
    """Which filters run, and their settings. For a filter that is off, each question stores the
    verdict `not_run`. The fields of this class are settings that several filters share."""

    custom: tuple[str, ...] = ()
    """Filters of other packages, which run after `duplicates`. Each filter is named by
    `module:Class`, or by the name of an entry point of `questloom.filters` (example:
    `examples/no_sports.py`)."""
    samples: Annotated[int, Gt(0), Evolves("filters", 1, 8, 1)] = 1
    """The number of answers that each model solver (a model that tries the question) gives to a
    question."""
    popular_sitelinks: Annotated[int, Ge(1), Evolves("filters", 10, 200, 10)] = 50
    """If no model is configured for `text_only` and `no_tools`, a rule about popular entities
    replaces the model. An entity with at least this number of sitelinks is popular, and a model is
    assumed to know all its claims by heart."""
    popular_page_views: Annotated[int, Ge(1)] = 50_000
    """An entity with at least this number of page views counts as popular; the popularity file
    states the page views. Page views are used only if no entity of the store has
    `popular_sitelinks` sitelinks."""
    popular_in_degree: Annotated[int, Ge(1)] = 10_000
    """An entity to which at least this number of other pages link counts as popular. Links are
    counted only if the store has neither enough sitelinks nor enough page views. The default is
    OpenSearch-VL's bound for a hub (an entity with very many links)."""
    exclude_pictures: tuple[str, ...] = ()
    """Files of perceptual hashes of benchmark pictures, one hash per line."""


@dataclass(frozen=True, kw_only=True)
class ExportRules:
    """Says how the data set is divided, and in which formats it is written."""

    shares: Mapping[str, float] = field(default_factory=lambda: {"train": 0.9, "validation": 0.1})
    """The share of pictured entities whose questions go to each split."""
    rl_share: Share = 0.5
    """The share of tasks for reinforcement learning. All other tasks are for supervised
    fine-tuning."""
    level_ratio: Mapping[Level, float] = field(default_factory=dict)
    """The ratio easy:medium:hard of the questions for reinforcement learning (4:3:3 in VSearcher).
    An empty mapping keeps all questions."""
    benchmark_share: Share = 0.0
    """The share of pictured entities whose questions the run sets aside as its own benchmark.
    Questions of the level `benchmark` always belong to this benchmark too."""
    formats: tuple[FormatName, ...] = field(
        default=("sharegpt", "verl", "trl"), metadata={"choices": format_helps}
    )
    """The formats for trainers that are written besides the data set's own files. If the list is
    empty, no formats are written."""


@dataclass(frozen=True, kw_only=True)
class ModelRules(ModelSettings):
    """The endpoints and the model for each role: the writer, the filters, agents and judges."""

    llm: LlmRules = field(default_factory=LlmRules)
    """The settings of the writer that uses a model."""


@dataclass(frozen=True, kw_only=True)
class RunRules:
    """The settings that say how the job runs. No result depends on these settings."""

    in_flight: Annotated[int, Gt(0), Le(4096)] = 64
    """In stages that call models, a process works on this number of records at the same time."""
    shards: Annotated[int, Gt(0), Le(100_000)] = 16
    """The number of files that each stage writes. With more files, more workers share the work, and
    a killed job repeats less."""
    max_error_share: Share = 0.02
    """If a larger share of records than this ends as `error`, the job exits with 1."""
    calls: str = ""
    """Where the models' replies, the record of costs, the budget and the pace of calls are stored:
    a file, or redis://HOST:PORT/DB[?prefix=NAME] for workers on several machines; "" means
    RUN/calls.sqlite. The environment variable QUESTLOOM_REDIS_PASSWORD holds the password."""


@dataclass(frozen=True, kw_only=True)
class TrainingRules:
    """How the policy is trained between rounds. `python -m questloom.train.sft` or
    `questloom.train.grpo` does the training, with its own settings."""

    trainer: Literal["sft", "grpo"]
    """The trainer."""
    config: str
    """The name of one of the trainer's presets, or a file with settings for the trainer."""
    model: str = ""
    """The folder of the model that the first round trains; the default is the policy's own model
    (`evolve.policy.model`)."""
    set: tuple[str, ...] = ()
    """KEY=VALUE pairs that replace settings of the trainer."""
    launcher: tuple[str, ...] = ()
    """The command that starts the trainer, in place of the Python interpreter: ["torchrun",
    "--nproc_per_node", "8"]."""


@dataclass(frozen=True, kw_only=True)
class EvolveRules:
    """The settings of the closed loop, whose rounds play tasks, diagnose faults and edit the
    recipe. ODE uses up to 5 rounds of 32 tasks, with one rollout for each task. A pass rate needs
    several rollouts of a task, so the default of `rollouts` is higher than one."""

    rounds: Annotated[int, Gt(0)] = 5
    """The highest number of rounds."""
    tasks: Annotated[int, Ge(3)] = 32
    """The number of tasks per round. The tasks are chosen from the questions of `seeds.count`
    seeds, so that domains, abilities and levels are balanced."""
    mode: Literal["sft", "rl"] = "rl"
    """Whose results steer the edits: those of the teacher in the section `teach` (sft), or those of
    the policy (rl). The mode also sets how much each dimension of a task (such as its difficulty)
    counts in a diagnosis."""
    policy: PlaySettings | None = None
    """The settings of the policy in mode "rl". By default the policy has the teacher's settings."""
    rollouts: Annotated[int, Ge(4)] = 4
    """How many times the policy tries each task."""
    probes: Annotated[int, Ge(0)] = 4
    """How many continuations of failed rollouts are played for each task that no rollout solved (K
    in AXPO)."""
    teacher_rollouts: Annotated[int, Gt(0)] = 1
    """How many times the teacher tries each task that the policy never solved. In mode "sft", the
    oracle (a scripted agent) tries these tasks in place of the teacher."""
    too_easy: Share = 0.75
    """A task whose pass rate is higher than this counts as too easy."""
    tolerated: Share = 0.35
    """The loop edits the difficulty if more than this share of the tasks is too easy, or too
    hard."""
    diagnoser: Literal["measured", "llm"] = "measured"
    """How failures are explained: by measurements alone, or also by a model."""
    control: Literal["none", "static", "random_edits"] = "none"
    """For experiments, another way to edit the recipe: `static` makes no edits, and `random_edits`
    makes random edits instead of those that the diagnosis suggests."""
    max_edits: Annotated[int, Gt(0)] = 4
    """The highest number of edits in one round."""
    min_cases: Annotated[int, Ge(3)] = 3
    """An edit must name at least this number of tasks as evidence."""
    held_out: Annotated[int, Ge(0)] = 32
    """The number of fresh tasks on which the recipes are compared at the end. With 0, the recipes
    are compared on the tasks of the rounds instead."""
    train: TrainingRules | None = None
