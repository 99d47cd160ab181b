"""One item in the shapes that trainers read. Pictures travel inside the rows, so a file is complete by itself.

* **sharegpt** (LLaMA-Factory): `conversations` of {from, value}, `images`, `system`, `tools`; `<image>` stands in the text where
  the picture goes; `dataset_info.json` names the folders. Its README documents the keys. The reply is the bare answer until
  teacher trajectories exist.
* **verl**: `data_source`, `prompt` with `<image>`, `images`, `ability`, `agent_name`, `reward_model.ground_truth`, `extra_info`, as
  `examples/data_preprocess/geo3k.py` and the multi-turn recipes make them.
* **trl**: conversational prompt whose content is a list of {type, text}, and `images`, as "Vision datasets" of its page on
  dataset formats asks; further columns reach the reward function by name.
* **jsonl** (ms-swift, rLLM): a JSON object a line: `messages` with `<image>`, `images` as data URIs, the answer under the names that both know.

The prompts of the last three are the harness's own (`rendered_question.py`); a reward function lies beside them (`reward.py`). The tests read them with these
tools' own code. The Parquet files need `datasets` 4.0 or later, whose `List` they name.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from datasets import Features, Image, List, Value

from questloom.pipeline.export.chat import (
    IMAGE_TOKEN,
    PARTS,
    TEXTS,
    data_uri,
    image_cell,
    pictures_in,
    with_parts,
    with_placeholders,
    without_placeholders,
)
from questloom.pipeline.export.rendered_question import RenderedQuestion
from questloom.records.synthesis import Question

ABILITY = "multimodal_search"
AGENT_LOOP = "tool_agent"
"""verl's own loop for tools that are called as `<tool_call>{"name": …, "arguments": …}</tool_call>`, which is our way to call them."""
INDEX_HEX_DIGITS = 15
"""verl wants a number for each row: the first 60 bits of the id, the same in every export."""

STORED = Image(decode=False)
"""For LLaMA-Factory, which writes its rows anew twice before it trains: a picture that `datasets` had opened would be compressed as JPEG again each
time. It takes the bytes as they are."""
_TURN = {"from": Value("string"), "value": Value("string")}
_ANSWERS = List(Value("string"))
_ABOUT = {
    "id": Value("string"),
    "answers": _ANSWERS,
    "answer_type": Value("string"),
    "answer_unit": Value("string"),
    "level": Value("string"),
    "method": Value("string"),
    "withheld_pictures": List(Value("string")),
}


@dataclass(frozen=True)
class Format:
    """One tool's format: its columns, its row, and which uses ("sft", "rl") it is written for."""

    features: Callable[[Sequence[str]], Features] | None
    """By the names of the policy's tools; None for JSON lines."""
    row: Callable[[RenderedQuestion, str, str], dict[str, Any]]
    """Takes a question as it is put, the data source's name, and the split."""
    uses: tuple[str, ...]


def answers(question: Question) -> list[str]:
    """Every wording that is right, the expected one first."""
    return list(dict.fromkeys((question.answer.text, *question.answer.aliases)))


def _about(asked: RenderedQuestion) -> dict[str, Any]:
    """What reward functions, statistics and searches ask of a question."""
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


def sharegpt_row(asked: RenderedQuestion, source: str, split: str) -> dict[str, Any]:
    """A LLaMA-Factory row: the question with its picture, and the answer."""
    turns = [
        {"from": "human", "value": IMAGE_TOKEN + without_placeholders(asked.question.text)},
        {"from": "gpt", "value": without_placeholders(asked.question.answer.text)},
    ]
    return {"conversations": turns, "images": _images(asked), "system": "", "tools": ""}


def verl_row(asked: RenderedQuestion, source: str, split: str) -> dict[str, Any]:
    """A verl row. A reward function finds every right wording in `extra_info.answers`, a tool what it may not find in its `create_kwargs`."""
    question = asked.question
    create = {"task_id": question.id, "withheld_pictures": list(asked.withheld)}
    return {
        "data_source": source,
        "prompt": with_placeholders(asked.messages),
        "images": _images(asked),
        "ability": ABILITY,
        "agent_name": AGENT_LOOP,
        "reward_model": {"style": "rule", "ground_truth": question.answer.text},
        "extra_info": {
            "split": split,
            "index": int(question.id[:INDEX_HEX_DIGITS], 16),
            "question": question.text,
            "answer": question.answer.text,
            **_about(asked),
            "need_tools_kwargs": True,
            "tools_kwargs": {name: {"create_kwargs": create} for name in asked.tools},
            "tool_schemas": asked.schemas,
        },
    }


def verl_features(tools: Sequence[str]) -> Features:
    """verl's columns: a key of `tools_kwargs` a tool."""
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
                **_ABOUT,
                "need_tools_kwargs": Value("bool"),
                "tools_kwargs": {name: create for name in tools},
                "tool_schemas": Value("string"),
            },
        }
    )


def trl_row(asked: RenderedQuestion, source: str, split: str) -> dict[str, Any]:
    """A TRL row for GRPO on vision-language models. Schemas are not called `tools`: TRL would write them into the prompt once more."""
    return {
        "prompt": with_parts(asked.messages),
        "images": _images(asked),
        "solution": asked.question.answer.text,
        **_about(asked),
        "tool_schemas": asked.schemas,
    }


def jsonl_row(asked: RenderedQuestion, source: str, split: str) -> dict[str, Any]:
    """A JSON line for ms-swift (`messages`, `images`, `solution`) and rLLM (`question`, `ground_truth`, `data_source`)."""
    question = asked.question
    return {
        "messages": with_placeholders(asked.messages),
        "images": [data_uri(p) for p in pictures_in(asked.messages)],
        "question": question.text,
        "solution": question.answer.text,
        "ground_truth": question.answer.text,
        "data_source": source,
        "split": split,
        **_about(asked),
        "tool_schemas": asked.schemas,
    }


def _images(asked: RenderedQuestion) -> list[dict[str, Any]]:
    return [image_cell(p.data, p.sha256) for p in pictures_in(asked.messages)]


FORMATS = {
    "sharegpt": Format(
        lambda _: Features(
            {
                "conversations": List(_TURN),
                "images": List(STORED),
                "system": Value("string"),
                "tools": Value("string"),
            }
        ),
        sharegpt_row,
        ("sft", "rl"),
    ),
    "verl": Format(verl_features, verl_row, ("rl",)),
    "trl": Format(
        lambda _: Features(
            {
                "prompt": PARTS,
                "images": List(Image()),
                "solution": Value("string"),
                **_ABOUT,
                "tool_schemas": Value("string"),
            }
        ),
        trl_row,
        ("rl",),
    ),
    "jsonl": Format(None, jsonl_row, ("rl",)),
}
REWARDED = ("verl", "trl", "jsonl")
"""Formats of whose rows `reward.py` judges the replies."""


def dataset_info(name: str, folders: list[str]) -> bytes:
    """LLaMA-Factory's `dataset_info.json`.

    Args:
        name: the data set's name, which begins the names of its parts.
        folders: "use_split" folders beside the file.
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
    return (
        json.dumps(
            {f"{name}_{folder}": {"file_name": folder, **entry} for folder in sorted(folders)},
            indent=2,
        )
        + "\n"
    ).encode()
