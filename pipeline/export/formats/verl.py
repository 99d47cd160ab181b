"""The format `verl`. The columns are `data_source`, `prompt` with `<image>`, `images`, `ability`,
`agent_name`, `reward_model.ground_truth` and `extra_info`.

The rows look like those of verl's example `examples/data_preprocess/geo3k.py` and of its multi-turn
recipes. A trajectory becomes a row of verl's data set for multi-turn SFT.
"""

from collections.abc import Sequence
from typing import Any

from datasets import Features, Image, List, Value

from questloom.pipeline.export.chat import TEXTS, with_placeholders
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

ABILITY = "multimodal_search"
AGENT_LOOP = "tool_agent"
"""The name of verl's agent loop for calls written as `<tool_call>{"name": …, "arguments":
…}</tool_call>`. Our prompt writes calls in the same way."""
INDEX_HEX_DIGITS = 15
"""verl needs a number for each row. The number is the first 60 bits of the id, so every export
gives a row the same number."""


def features(tools: Sequence[str]) -> Features:
    """The columns of a question's row; the column `tools_kwargs` has one key for each tool."""
    create = {
        "create_kwargs": {"task_id": Value("string"), "withheld_pictures": List(Value("string"))}
    }
    return Features(
        {
            "data_source": Value("string"),
            "prompt": TEXTS,
            "images": List(Image()),
            "ability": Value("string"),
            "agent_name": Value("string"),
            "reward_model": {"style": Value("string"), "ground_truth": Value("string")},
            "extra_info": {
                "split": Value("string"),
                "index": Value("int64"),
                "question": Value("string"),
                "answer": Value("string"),
                **ABOUT,
                "need_tools_kwargs": Value("bool"),
                "tools_kwargs": {name: create for name in tools},
                "tool_schemas": Value("string"),
            },
        }
    )


def row(asked: RenderedQuestion, source: str, split: str) -> dict[str, Any]:
    """A question's row. The reward function reads every right wording of the answer from
    `extra_info.answers`. The `create_kwargs` of a tool name the pictures that the tool must not
    return."""
    question = asked.question
    create = {"task_id": question.id, "withheld_pictures": list(asked.withheld)}
    return {
        "data_source": source,
        "prompt": with_placeholders(asked.messages),
        "images": images_of_question(asked),
        "ability": ABILITY,
        "agent_name": AGENT_LOOP,
        "reward_model": {"style": "rule", "ground_truth": question.answer.text},
        "extra_info": {
            "split": split,
            "index": int(question.id[:INDEX_HEX_DIGITS], 16),
            "question": question.text,
            "answer": question.answer.text,
            **about(asked),
            "need_tools_kwargs": True,
            "tools_kwargs": {name: {"create_kwargs": create} for name in asked.tools},
            "tool_schemas": asked.schemas,
        },
    }


def trajectory_row(rendered: RenderedTrajectory) -> dict[str, Any]:
    """A trajectory's row: `messages` with `<image>` in the text, and `images`."""
    return {
        "messages": with_placeholders(rendered.messages),
        "images": images_of_trajectory(rendered),
        **about_trajectory(rendered),
    }


FORMAT = Format(
    name="verl",
    help="Rows for verl: for its multi-turn agent loop, and for its multi-turn SFT.",
    uses=("rl",),
    features=features,
    row=row,
    trajectory_features=Features({"messages": TEXTS, "images": List(Image()), **ABOUT_TRAJECTORY}),
    trajectory_row=trajectory_row,
    rewarded=True,
    card_withheld="`tools_kwargs` (verl)",
    card_rl="verl: `agent_name` is\n`tool_agent`, its own loop; the tools behind it are yours to serve.",
    card_trajectories="verl: `data.messages_key=messages`, `data.image_key=images`, and the chat template of an instruct model: "
    "its reader renders messages one by one, where a thinking model's template leaves thoughts out.",
)
