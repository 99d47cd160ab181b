"""The questions that GRPO plays in each step. The questions are those of a run's splits rl/train
and rl/validation.
"""

import dataclasses
import random
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from questloom.files.settings_files import settings_of
from questloom.models.model_settings import ModelSettings
from questloom.prompts.roles import check_roles
from questloom.records.errors import InputError
from questloom.records.synthesis import Question
from questloom.transforms.episodes.episode_folder import EpisodeFolder
from questloom.transforms.episodes.run_questions import finished_stage
from questloom.transforms.stages.run_folder import RunFolder

TRAIN, VALIDATION = "rl/train", "rl/validation"


@dataclass(frozen=True)
class StepQuestion:
    """A question that is played in a step."""

    number: int
    """The question's place among the questions of the step. The place decides which rank plays the
    question, and which update learns from it.
    """
    question: Question


@dataclass(frozen=True)
class Questions:
    """The questions of a run, by split."""

    run: RunFolder
    train: tuple[Question, ...]
    validation: tuple[Question, ...]
    recipe: dict[str, Any]
    """The run's recipe, with all defaults filled in."""

    @property
    def withhold_own(self) -> bool:
        """Whether searches must not return a question's own picture."""
        return bool(self.recipe["pictures"]["withhold_own"])

    @property
    def models(self) -> ModelSettings:
        """The models that the recipe names. The recipe's settings for the model that writes
        questions are left out."""
        known = {field.name for field in dataclasses.fields(ModelSettings)}
        found = {name: value for name, value in self.recipe["models"].items() if name in known}
        made = settings_of(ModelSettings, found, f"{self.run.path}/recipe.json, section models")
        check_roles(made.roles, f"{self.run.path}/recipe.json, key models.roles")
        return made


def teacher_tools(run: RunFolder) -> dict[str, Any]:
    """The settings of the tools that the run's teacher had. If no teacher has played, returns the
    tool settings of the run's recipe."""
    teacher = EpisodeFolder.of(run)
    found: dict[str, Any] = (
        (teacher if teacher.recipe.is_file() else run)
        .read_recipe()["recipe"]
        .get("teach", {})
        .get("tools", {})
    )
    return found


def read_questions(run: RunFolder, store_digest: str) -> Questions:
    """Reads the questions of a finished run.

    Args:
        store_digest: digest of the store that the policy searches.

    Raises:
        InputError: the run is not finished, belongs to another store, or has no question to train
            on.
    """
    facts = run.read_recipe()
    if facts["store"] != store_digest:
        raise InputError(run.path, "was made from another store", "Give the run's own store.")
    found = sorted(
        run.read(finished_stage(run, facts["recipe"]["run"]["shards"]), "kept", Question),
        key=lambda question: question.id,
    )
    made = {
        split: tuple(question for question in found if question.split == split)
        for split in (TRAIN, VALIDATION)
    }
    if not made[TRAIN]:
        raise InputError(
            run.path,
            f"has no question of the split {TRAIN} among its {len(found)}",
            "Raise the recipe's export.rl_share.",
        )
    return Questions(run, made[TRAIN], made[VALIDATION], facts["recipe"])


@dataclass(frozen=True)
class QuestionCourse:
    """Assigns training questions to the steps of a GRPO run.

    Each epoch has every question at most once, in a different order. At the end of an epoch,
    questions that are too few for a whole step are skipped.

    Args:
        questions: the training questions.
        per_step: number of questions per step, over all ranks.

    Raises:
        InputError: there are fewer questions than one step needs.
    """

    questions: Sequence[Question]
    per_step: int
    seed: int

    def __post_init__(self) -> None:
        if len(self.questions) < self.per_step:
            raise InputError(
                "step.questions",
                f"is {self.per_step}, and the run has {len(self.questions)} of the split {TRAIN}",
                "Lower it, or make a run with more questions.",
            )

    @cached_property
    def per_epoch(self) -> int:
        """The number of steps in an epoch."""
        return len(self.questions) // self.per_step

    def of(self, step: int) -> list[StepQuestion]:
        """The questions of a step. The questions depend only on the step's number. A run can
        therefore resume at any step.
        """
        epoch, place = divmod(step, self.per_epoch)
        order = _shuffled(len(self.questions), f"{self.seed} {epoch}")[
            place * self.per_step : (place + 1) * self.per_step
        ]
        return [StepQuestion(number, self.questions[n]) for number, n in enumerate(order)]

    def more(self, step: int, asked: Collection[StepQuestion], wanted: int) -> list[StepQuestion]:
        """Chooses further questions for a step. The result has fewer than `wanted` questions if too
        few are left.

        Args:
            asked: the questions that the step already has.
        """
        taken = {each.question.id for each in asked}
        left = [
            self.questions[n]
            for n in _shuffled(len(self.questions), f"{self.seed} more {step}")
            if self.questions[n].id not in taken
        ]
        return [StepQuestion(len(asked) + n, question) for n, question in enumerate(left[:wanted])]


def _shuffled(number: int, seed: str) -> list[int]:
    order = list(range(number))
    random.Random(seed).shuffle(order)
    return order
