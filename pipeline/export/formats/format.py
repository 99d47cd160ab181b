"""Defines a format: how questions and trajectories become rows for a trainer, and what the card says about the rows.

The rows contain their pictures, so each file is complete. Rows for reinforcement learning have the
prompts of our agent (`rendered_question.py`). The tests read the rows with the trainers' own code.
Parquet files need `datasets` 4.0 or later, since their schema uses `List`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from datasets import Features, List, Value

from questloom.pipeline.export.chat import image_cell, pictures_in
from questloom.pipeline.export.rendered_question import RenderedQuestion
from questloom.pipeline.export.sft_rows import RenderedTrajectory
from questloom.records.synthesis import Question

ABOUT = {
    "id": Value("string"),
    "answers": List(Value("string")),
    "answer_type": Value("string"),
    "answer_unit": Value("string"),
    "level": Value("string"),
    "method": Value("string"),
    "withheld_pictures": List(Value("string")),
}
"""The columns of `about`, which hold facts about the question of a row."""
ABOUT_TRAJECTORY = {
    "id": Value("string"),
    "question_id": Value("string"),
    "level": Value("string"),
}
"""The columns of `about_trajectory`."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format for one or more trainers."""

    name: str
    """The name in the recipe key `export.formats`, and the name of the folder."""
    help: str
    """The programs that read the format, in one sentence."""
    uses: tuple[Literal["sft", "rl"], ...]
    """The format has rows for questions with these uses. For "sft" the reply is the bare answer,
    unless a teacher's trajectories exist."""
    features: Callable[[Sequence[str]], Features] | None
    """The columns of a question's row, as a function of the policy's tool names; None for JSON
    lines."""
    row: Callable[[RenderedQuestion, str, str], dict[str, Any]]
    """Makes a question's row from the rendered question, the data source's name, and the split."""
    trajectory_features: Features | None
    """The columns of a trajectory's row; None for JSON lines."""
    trajectory_row: Callable[[RenderedTrajectory], dict[str, Any]]
    """Makes a trajectory's row."""
    rewarded: bool = False
    """Whether `reward.py` scores the replies to the rows. A copy of `reward.py` then lies beside the folders."""
    extras: Callable[[str, Sequence[str]], Mapping[str, bytes]] | None = None
    """A function that makes additional files of the format's folder, by name. The function takes
    the data set's name and the names of the folder's parts."""
    card_folder: str = ""
    """The card's sentence that says how to pass the folder to the trainer."""
    card_withheld: str = ""
    """The column that lists pictures that no search may find, as the card names it beside
    `withheld_pictures`."""
    card_rl: str = ""
    """The card's sentence that says how to use the rows for reinforcement learning."""
    card_trajectories: str = ""
    """The card's sentence that says how to use the trajectories."""


def answers(question: Question) -> list[str]:
    """Every correct wording of the answer, the expected one first."""
    return list(dict.fromkeys((question.answer.text, *question.answer.aliases)))


def about(asked: RenderedQuestion) -> dict[str, Any]:
    """What reward functions, statistics and searches need to know about a question."""
    question = asked.question
    return {
        "id": question.id,
        "answers": answers(question),
        "answer_type": question.answer.type,
        "answer_unit": question.answer.unit,
        "level": question.level,
        "method": question.method,
        "withheld_pictures": list(asked.withheld),
    }


def about_trajectory(rendered: RenderedTrajectory) -> dict[str, str]:
    """The ids of a trajectory and its question."""
    trajectory = rendered.trajectory
    return {
        "id": trajectory.id,
        "question_id": trajectory.question_id,
        "level": trajectory.level,
    }


def images_of_question(asked: RenderedQuestion) -> list[dict[str, Any]]:
    """The pictures of a question's prompt."""
    return [image_cell(p.data, p.sha256) for p in pictures_in(asked.messages)]


def images_of_trajectory(rendered: RenderedTrajectory) -> list[dict[str, Any]]:
    """The pictures of a trajectory, in order."""
    return [image_cell(p.data, p.sha256) for p in rendered.pictures]
