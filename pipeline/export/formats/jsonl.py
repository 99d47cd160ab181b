"""The format `jsonl` for ms-swift and rLLM: one JSON object per line, with pictures as data URIs.

In each message, the word `<image>` stands for a picture. The answer is stored twice, under a key
for each of the two programs.
"""

from typing import Any

from questloom.pipeline.export.chat import data_uri, pictures_in, with_placeholders
from questloom.pipeline.export.formats.format import Format, about, about_trajectory
from questloom.pipeline.export.rendered_question import RenderedQuestion
from questloom.pipeline.export.sft_rows import RenderedTrajectory


def row(asked: RenderedQuestion, source: str, split: str) -> dict[str, Any]:
    """One JSON line that both ms-swift (`messages`, `images`, `solution`) and rLLM (`question`,
    `ground_truth`, `data_source`) can read."""
    question = asked.question
    return {
        "messages": with_placeholders(asked.messages),
        "images": [data_uri(p) for p in pictures_in(asked.messages)],
        "question": question.text,
        "solution": question.answer.text,
        "ground_truth": question.answer.text,
        "data_source": source,
        "split": split,
        **about(asked),
        "tool_schemas": asked.schemas,
    }


def trajectory_row(rendered: RenderedTrajectory) -> dict[str, Any]:
    """One JSON line for ms-swift."""
    return {
        "messages": with_placeholders(rendered.messages),
        "images": [data_uri(p) for p in rendered.pictures],
        **about_trajectory(rendered),
    }


FORMAT = Format(
    name="jsonl",
    help="JSON lines for ms-swift and rLLM, whose pictures take a third more room.",
    uses=("rl",),
    features=None,
    row=row,
    trajectory_features=None,
    trajectory_row=trajectory_row,
    rewarded=True,
    card_rl="ms-swift: `--dataset formats/jsonl/rl_train/*.jsonl`.",
)
