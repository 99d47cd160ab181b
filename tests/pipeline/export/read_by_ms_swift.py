"""Run by `readers.read`, beside ms-swift's own packages: its reader of data sets, its loader of pictures, and its table of reward functions.

Takes {"files": files, "reward": file, "work": folder}; writes the rows as ms-swift's preprocessing leaves them with the pixels of their pictures, and
what the registered reward function says of replies.
"""

import hashlib
import importlib.util
import json
import sys

from swift.dataset import load_dataset
from swift.rewards import orms
from swift.template.vision_utils import load_image


def row_of(row):
    """A row, each picture as the hash of its pixels as ms-swift opens it."""
    paths = [
        image if isinstance(image, str) else image.get("path") or image["bytes"]
        for image in row["images"]
    ]
    return {
        **{k: v for k, v in row.items() if k != "images"},
        "pictures": [
            hashlib.sha256(load_image(p).convert("RGB").tobytes()).hexdigest() for p in paths
        ],
    }


def rewards(path, rows):
    """The reward function as `--external_plugins` registers it, over right and wrong replies to the rows."""
    spec = importlib.util.spec_from_file_location("reward", path)
    spec.loader.exec_module(importlib.util.module_from_spec(spec))
    judge = orms["questloom_answer"](None)
    columns = {
        name: [row[name] for row in rows] for name in ("answers", "answer_type", "answer_unit")
    }
    return [
        judge(
            [f"<think>So.</think><answer>{word or row['solution']}</answer>" for row in rows],
            **columns,
        )
        for word in ("", "another")
    ]


if __name__ == "__main__":
    job = json.loads(sys.argv[1])
    train, _ = load_dataset(job["files"], remove_unused_columns=False, num_proc=1)
    rows = [row_of(row) for row in train]
    with open(sys.argv[2], "w") as out:
        json.dump({"rows": rows, "rewards": rewards(job["reward"], rows)}, out)
