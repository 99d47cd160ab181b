"""The format `trl`: a conversational prompt with a list of {type, text} as content, and `images`.

TRL documents this format in the section "Vision datasets" of its page on dataset formats. TRL
passes further columns to the reward function by name.
"""

from typing import Any

from datasets import Features, Image, List, Value

from questloom.pipeline.export.chat import PARTS, with_parts
from questloom.pipeline.export.formats.format import (
    ABOUT,
    ABOUT_TRAJECTORY,
    Format,
    about,
    about_trajectory,
    images_of_question,
    images_of_trajectory,
)
from questloom.pipeline.export.rendered_question import RenderedQuestion
from questloom.pipeline.export.sft_rows import RenderedTrajectory

COLUMNS = Features(
    {
        "prompt": PARTS,
        "images": List(Image()),
        "solution": Value("string"),
        **ABOUT,
        "tool_schemas": Value("string"),
    }
)


def row(asked: RenderedQuestion, source: str, split: str) -> dict[str, Any]:
    """A row for GRPO on vision-language models. No column is called `tools`, since TRL would write
    the tool schemas of such a column into the prompt a second time."""
    return {
        "prompt": with_parts(asked.messages),
        "images": images_of_question(asked),
        "solution": asked.question.answer.text,
        **about(asked),
        "tool_schemas": asked.schemas,
    }


def trajectory_row(rendered: RenderedTrajectory) -> dict[str, Any]:
    """A row for SFT of vision-language models: `messages` with parts, and `images`."""
    return {
        "messages": with_parts(rendered.messages),
        "images": images_of_trajectory(rendered),
        **about_trajectory(rendered),
    }


FORMAT = Format(
    name="trl",
    help="Rows for TRL: for its GRPOTrainer, and for its SFTTrainer.",
    uses=("rl",),
    features=lambda tools: COLUMNS,
    row=row,
    trajectory_features=Features({"messages": PARTS, "images": List(Image()), **ABOUT_TRAJECTORY}),
    trajectory_row=trajectory_row,
    rewarded=True,
    card_trajectories='TRL: `load_dataset("parquet", data_files="formats/trl/trajectories_train/*.parquet")` goes to `SFTTrainer` as it is.',
)
