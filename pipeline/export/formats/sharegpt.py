"""The format `sharegpt` for LLaMA-Factory: `conversations` of {from, value}, `images`, `system`, `tools`.

In each text, the word `<image>` stands for a picture. The file `dataset_info.json` tells
LLaMA-Factory the name of each folder. LLaMA-Factory's README documents the keys.
"""

import json
from collections.abc import Sequence
from typing import Any

from datasets import Features, Image, List, Value

from questloom.pipeline.export.chat import IMAGE_TOKEN, with_placeholders, without_placeholders
from questloom.pipeline.export.formats.format import (
    Format,
    images_of_question,
    images_of_trajectory,
)
from questloom.pipeline.export.rendered_question import RenderedQuestion
from questloom.pipeline.export.sft_rows import RenderedTrajectory

COLUMNS = Features(
    {
        "conversations": List({"from": Value("string"), "value": Value("string")}),
        # LLaMA-Factory rewrites its rows twice before training. Pictures opened by `datasets` would
        # be compressed as JPEG each time, so they are stored as bytes, which stay unchanged.
        "images": List(Image(decode=False)),
        "system": Value("string"),
        "tools": Value("string"),
    }
)


def row(asked: RenderedQuestion, source: str, split: str) -> dict[str, Any]:
    """The row for a question: the question with its picture, and the answer."""
    turns = [
        {"from": "human", "value": IMAGE_TOKEN + without_placeholders(asked.question.text)},
        {"from": "gpt", "value": without_placeholders(asked.question.answer.text)},
    ]
    return {
        "conversations": turns,
        "images": images_of_question(asked),
        "system": "",
        "tools": "",
    }


def trajectory_row(rendered: RenderedTrajectory) -> dict[str, Any]:
    """The row for a trajectory, with alternating turns of "human" and "gpt". The system message has
    its own column.

    Observations (what tools return) are human turns, as in our prompt. LLaMA-Factory also has a
    role for observations, but its templates would wrap each observation a second time.
    """
    system, *rest = with_placeholders(rendered.messages)
    turns = [
        {"from": "gpt" if m["role"] == "assistant" else "human", "value": m["content"]}
        for m in rest
    ]
    return {
        "conversations": turns,
        "images": images_of_trajectory(rendered),
        "system": system["content"],
        "tools": "",
    }


def dataset_info(name: str, folders: Sequence[str]) -> dict[str, bytes]:
    """Makes LLaMA-Factory's list of data sets.

    Args:
        name: the data set's name, with which the names of its parts begin.
        folders: the names of the folders beside the file, each made of a use and a split
            ("use_split").

    Returns:
        The file `dataset_info.json`.
    """
    entry = {
        "formatting": "sharegpt",
        "columns": {
            "messages": "conversations",
            "images": "images",
            "system": "system",
            "tools": "tools",
        },
        "tags": {
            "role_tag": "from",
            "content_tag": "value",
            "user_tag": "human",
            "assistant_tag": "gpt",
            "observation_tag": "observation",
            "function_tag": "function_call",
        },
    }
    listed = {f"{name}_{folder}": {"file_name": folder, **entry} for folder in sorted(folders)}
    return {"dataset_info.json": (json.dumps(listed, indent=2) + "\n").encode()}


FORMAT = Format(
    name="sharegpt",
    help="Rows for LLaMA-Factory, with its dataset_info.json.",
    uses=("sft", "rl"),
    features=lambda tools: COLUMNS,
    row=row,
    trajectory_features=COLUMNS,
    trajectory_row=trajectory_row,
    extras=dataset_info,
    card_folder="`sharegpt` is LLaMA-Factory's; point `--dataset_dir` at it",
)
