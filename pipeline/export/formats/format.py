"""What a format is: how questions and trajectories become the rows that a trainer reads, and what the card says of them.

Pictures travel inside the rows, so a file is complete by itself. The prompts of the rows for reinforcement learning are the harness's own
(`asked.py`). The tests read the rows with the trainers' own code. Parquet files need `datasets` 4.0 or later, whose `List` they name.
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
"""The columns of `about`."""
ABOUT_TRAJECTORY = {
    "id": Value("string"),
    "question_id": Value("string"),
    "level": Value("string"),
}
"""The columns of `about_trajectory`."""


@dataclass(frozen=True, kw_only=True)
class Format:
    """One format."""

    name: str
    """What a recipe writes in `export.formats`; the folder's name."""
    help: str
    """What reads it, in one sentence."""
    uses: tuple[Literal["sft", "rl"], ...]
    """The uses of questions for which rows are written. Of "sft" the reply is the bare answer, until there are trajectories."""
    features: Callable[[Sequence[str]], Features] | None
    """The columns of questions, by the names of the policy's tools; None for JSON lines."""
    row: Callable[[RenderedQuestion, str, str], dict[str, Any]]
    """A question's row, from the question as a policy is asked it, the data source's name, and the split."""
    trajectory_features: Features | None
    """The columns of trajectories; None for JSON lines."""
    trajectory_row: Callable[[RenderedTrajectory], dict[str, Any]]
    """A trajectory's row."""
    rewarded: bool = False
    """Whether `reward.py` judges the replies to its rows; a copy then lies beside the folders."""
    extras: Callable[[str, Sequence[str]], Mapping[str, bytes]] | None = None
    """Further files of its folder by name, from the data set's name and the names of the folder's parts."""
    card_folder: str = ""
    """The card: how to name the folder to the trainer."""
    card_withheld: str = ""
    """The card: the column, beside `withheld_pictures`, that names the pictures which no search may find."""
    card_rl: str = ""
    """The card: how to use rows for reinforcement learning."""
    card_trajectories: str = ""
    """The card: how to use trajectories."""


def answers(question: Question) -> list[str]:
    """Every wording that is right, the expected one first."""
    return list(dict.fromkeys((question.answer.text, *question.answer.aliases)))


def about(asked: RenderedQuestion) -> dict[str, Any]:
    """What reward functions, statistics and searches read of a question."""
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
    """What names a trajectory and its question."""
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
    """The pictures of a trajectory, as they appear."""
    return [image_cell(p.data, p.sha256) for p in rendered.pictures]
