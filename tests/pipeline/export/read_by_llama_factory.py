"""Run by `readers.read`, beside LLaMA-Factory's own packages: its `get_dataset` and its collator over parts of a data set.

Takes {"processor": folder, "parts": [[dataset_dir, name, template], ...], "work": folder}; writes {name: {"rows": [...], "batch": ...}}, or
{name: {"refused": what it said}}.
"""

import hashlib
import io
import json
import sys
import types

# LLaMA-Factory imports torchaudio for sounds, and there is none for the environment's torch: an empty module stands for it. Transformers looks for it
# first, since it would take the empty one for the real one.
import transformers.audio_utils  # noqa: F401

sys.modules["torchaudio"] = types.ModuleType("torchaudio")

from llamafactory.data import get_dataset, get_template_and_fix_tokenizer  # noqa: E402
from llamafactory.data.collator import SFTDataCollatorWith4DAttentionMask  # noqa: E402
from llamafactory.extras.constants import IGNORE_INDEX  # noqa: E402
from llamafactory.hparams import DataArguments, ModelArguments, TrainingArguments  # noqa: E402
from PIL import Image  # noqa: E402
from transformers import AutoProcessor  # noqa: E402


def read(job, folder, name, template_name):
    """As its workflow of supervised fine-tuning begins (`llamafactory.train.sft.workflow.run_sft`)."""
    processor = AutoProcessor.from_pretrained(job["processor"])
    processor.tokenizer.padding_side = "right"
    data = DataArguments(dataset=name, dataset_dir=folder, template=template_name, cutoff_len=65536)
    training = TrainingArguments(output_dir=f"{job['work']}/out", use_cpu=True, report_to="none")
    template = get_template_and_fix_tokenizer(processor.tokenizer, data)
    model = ModelArguments(model_name_or_path=job["processor"])
    try:
        rows = get_dataset(template, model, data, training, "sft", processor.tokenizer, processor)[
            "train_dataset"
        ]
    except ValueError as error:
        return {"refused": str(error)}
    batch = SFTDataCollatorWith4DAttentionMask(
        template=template, tokenizer=processor.tokenizer, processor=processor
    )([dict(row) for row in rows])
    return {
        "rows": [
            {
                "ids": row["input_ids"],
                "trained": [i for i in row["labels"] if i != IGNORE_INDEX],
                "pictures": [pixels(p) for p in row["images"]],
            }
            for row in rows
        ],
        "batch": {
            "ids": batch["input_ids"].tolist(),
            "grid": batch["image_grid_thw"].tolist(),
            "patches": len(batch["pixel_values"]),
        },
    }


def pixels(picture):
    """Hash of the pixels that it gives the image processor."""
    opened = Image.open(io.BytesIO(picture["bytes"])) if isinstance(picture, dict) else picture
    return hashlib.sha256(opened.convert("RGB").tobytes()).hexdigest()


if __name__ == "__main__":
    job = json.loads(sys.argv[1])
    result = {name: read(job, folder, name, template) for folder, name, template in job["parts"]}
    with open(sys.argv[2], "w") as out:
        json.dump(result, out)
