"""One item in the shapes that trainers read. Pictures travel inside the Parquet rows, so a file is complete by itself.

* **sharegpt** (LLaMA-Factory): `conversations` of {from, value}, `images`, `system`, `tools`; `<image>` stands in the text where
  the picture goes; `dataset_info.json` names the folders. Its README documents the keys. The reply is the bare answer until
  teacher trajectories exist.
* **verl**: `data_source`, `prompt` with `<image>`, `images`, `ability`, `reward_model.ground_truth`, `extra_info`, as
  `examples/data_preprocess/geo3k.py` makes them.
* **trl**: conversational prompt whose content is a list of {type, text}, and `images`, as "Vision datasets" of its page on
  dataset formats asks; further columns reach the reward function by name.

The tests read them with these tools' own code. All need `datasets` 4.0 or later, whose `List` the files name.
"""
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from datasets import Features, Image, List, Value

from pipeline.export.columns import ReadPicture, image_cell
from records.synthesis import Question

IMAGE_TOKEN = "<image>"
PLACEHOLDERS = (IMAGE_TOKEN, "<video>", "<audio>")
"""What LLaMA-Factory and verl replace by pictures, films and sounds, wherever they stand: one too many, and the former ends with an error, while
the latter leaves the row out."""
ABILITY = "multimodal_search"
INDEX_HEX_DIGITS = 15
"""verl wants a number for each row: the first 60 bits of the id, the same in every export."""

STORED = Image(decode=False)
"""For LLaMA-Factory, which writes its rows anew twice before it trains: a picture that `datasets` had opened would be compressed as JPEG again each
time. It takes the bytes as they are."""
_TURN = {"from": Value("string"), "value": Value("string")}
_ANSWERS = List(Value("string"))


@dataclass(frozen=True)
class Format:
    """One tool's format: its columns, its row, and which uses ("sft", "rl") it is written for."""

    features: Features
    row: Callable[[Question, str, str, ReadPicture], dict[str, Any]]
    """Takes question, data source's name, split and the reader of pictures."""
    uses: tuple[str, ...]


def answers(question: Question) -> list[str]:
    """Every wording that is right, the expected one first."""
    return list(dict.fromkeys((question.answer.text, *question.answer.aliases)))


def without_placeholders(text: str) -> str:
    """A text in which what looks like a placeholder has other brackets."""
    for mark in PLACEHOLDERS:
        text = text.replace(mark, f"‹{mark[1:-1]}›")
    return text


def sharegpt_row(question: Question, source: str, split: str, read: ReadPicture) -> dict[str, Any]:
    """A LLaMA-Factory row: the question with its picture, and the answer."""
    turns = [{"from": "human", "value": IMAGE_TOKEN + without_placeholders(question.text)},
             {"from": "gpt", "value": without_placeholders(question.answer.text)}]
    return {"conversations": turns, "images": [image_cell(question.image_id, read)], "system": "", "tools": ""}


def verl_row(question: Question, source: str, split: str, read: ReadPicture) -> dict[str, Any]:
    """A verl row; a reward function finds every right wording in `extra_info.answers`."""
    return {
        "data_source": source, "prompt": [{"role": "user", "content": IMAGE_TOKEN + without_placeholders(question.text)}],
        "images": [image_cell(question.image_id, read)], "ability": ABILITY,
        "reward_model": {"style": "rule", "ground_truth": question.answer.text},
        "extra_info": {"split": split, "index": int(question.id[:INDEX_HEX_DIGITS], 16), "id": question.id, "question": question.text,
                       "answer": question.answer.text, "answers": answers(question), "answer_type": question.answer.type,
                       "level": question.level, "method": question.method},
    }


def trl_row(question: Question, source: str, split: str, read: ReadPicture) -> dict[str, Any]:
    """A TRL row for GRPO on vision-language models."""
    content = [{"type": "image", "text": None}, {"type": "text", "text": question.text}]
    return {"prompt": [{"role": "user", "content": content}], "images": [image_cell(question.image_id, read)], "id": question.id,
            "solution": question.answer.text, "answers": answers(question), "answer_type": question.answer.type, "level": question.level}


FORMATS = {
    "sharegpt": Format(Features({"conversations": List(_TURN), "images": List(STORED), "system": Value("string"), "tools": Value("string")}),
                       sharegpt_row, ("sft", "rl")),
    "verl": Format(Features({
        "data_source": Value("string"), "prompt": List({"role": Value("string"), "content": Value("string")}), "images": List(Image()),
        "ability": Value("string"), "reward_model": {"style": Value("string"), "ground_truth": Value("string")},
        "extra_info": {"split": Value("string"), "index": Value("int64"), "id": Value("string"), "question": Value("string"),
                       "answer": Value("string"), "answers": _ANSWERS, "answer_type": Value("string"), "level": Value("string"),
                       "method": Value("string")}}), verl_row, ("rl",)),
    "trl": Format(Features({
        "prompt": List({"role": Value("string"), "content": List({"type": Value("string"), "text": Value("string")})}), "images": List(Image()),
        "id": Value("string"), "solution": Value("string"), "answers": _ANSWERS, "answer_type": Value("string"),
        "level": Value("string")}), trl_row, ("rl",)),
}


def dataset_info(name: str, folders: list[str]) -> bytes:
    """LLaMA-Factory's `dataset_info.json`.

    Args:
        name: the data set's name, which begins the names of its parts.
        folders: "use_split" folders beside the file.
    """
    entry = {"formatting": "sharegpt", "columns": {"messages": "conversations", "images": "images", "system": "system", "tools": "tools"},
             "tags": {"role_tag": "from", "content_tag": "value", "user_tag": "human", "assistant_tag": "gpt", "observation_tag": "observation",
                      "function_tag": "function_call"}}
    return (json.dumps({f"{name}_{folder}": {"file_name": folder, **entry} for folder in sorted(folders)}, indent=2) + "\n").encode()
