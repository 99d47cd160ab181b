"""Defines a format. A format says how questions and trajectories become rows for a trainer, and
what the card says about these rows.

Each row contains its pictures, so no other file is needed. Rows for reinforcement learning begin
with the same prompt that our agent sends (`rendered_question.py`). The tests read the rows with the
code of the trainers themselves. The Parquet files need `datasets` 4.0 or later, because their
schema uses the type `List`.
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
"""The columns that the function `about` fills: facts about a row's question."""
ABOUT_TRAJECTORY = {
    "id": Value("string"),
    "question_id": Value("string"),
    "level": Value("string"),
}
"""The columns that the function `about_trajectory` fills."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """A format for one or more trainers."""

    name: str
    """The name in the recipe key `export.formats`, and the name of the folder."""
    help: str
    """The programs that read the format, in one sentence."""
    uses: tuple[Literal["sft", "rl"], ...]
    """The uses of questions ("sft" or "rl") for which the format has rows. For the use "sft" the
    row's reply is the bare answer. If a teacher has played, the rows are the teacher's trajectories
    instead."""
    features: Callable[[Sequence[str]], Features] | None
    """A function that takes the names of the policy's tools, and returns the columns of a
    question's row. The value is None if the format is JSON lines."""
    row: Callable[[RenderedQuestion, str, str], dict[str, Any]]
    """A function that makes a question's row from the rendered question, the name of the data
    source, and the split."""
    trajectory_features: Features | None
    """The columns of a trajectory's row; None for JSON lines."""
    trajectory_row: Callable[[RenderedTrajectory], dict[str, Any]]
    """A function that makes a trajectory's row."""
    rewarded: bool = False
    """Whether `reward.py` can score a reply to a row. If `reward.py` can score the replies, a copy
    of it is written beside the folders."""
    extras: Callable[[str, Sequence[str]], Mapping[str, bytes]] | None = None
    """A function that makes additional files for the format's folder. The function returns the
    contents of the files by name. The function takes the name of the data set, and the names of the
    parts of the folder."""
    card_folder: str = ""
    """A sentence for the card: how to pass the folder to the trainer."""
    card_withheld: str = ""
    """The card's name for this format's column with the pictures that no search may return. Some
    formats lack such a column."""
    card_rl: str = ""
    """A sentence for the card: how to use the rows for reinforcement learning."""
    card_trajectories: str = ""
    """A sentence for the card: how to use the trajectories."""


def answers(question: Question) -> list[str]:
    """Every correct wording of the answer. The expected wording comes first."""
    return list(dict.fromkeys((question.answer.text, *question.answer.aliases)))


def about(asked: RenderedQuestion) -> dict[str, Any]:
    """The facts about a question that reward functions, statistics and searches need."""
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
    """The pictures in the prompt of a question."""
    return [image_cell(p.data, p.sha256) for p in pictures_in(asked.messages)]


def images_of_trajectory(rendered: RenderedTrajectory) -> list[dict[str, Any]]:
    """The pictures of a trajectory, in order."""
    return [image_cell(p.data, p.sha256) for p in rendered.pictures]
