"""Run by `readers.read`, beside verl's own packages: its two readers over parts of a data set.

Takes {"processor": folder, "rl": {name: files}, "sft": {name: files}, "work": folder}; writes for each name its rows as the reader gives them, or
{"refused": what it said}.
"""

import asyncio
import hashlib
import json
import sys
import types

# verl imports ray (80 MB and a cluster) to hand batches around; its readers of data need none of it but the name of a type in annotations.
sys.modules["ray"] = types.ModuleType("ray")
sys.modules["ray"].ObjectRef = object

from omegaconf import OmegaConf  # noqa: E402
from verl.utils import hf_processor, hf_tokenizer  # noqa: E402
from verl.utils.dataset.multiturn_sft_dataset import MultiTurnSFTDataset  # noqa: E402
from verl.utils.dataset.rl_dataset import RLHFDataset, collate_fn  # noqa: E402


def read_prompts(job, files):
    """What `verl.trainer.main_ppo` gives its agents: the prompt as messages, and the pictures out of them."""
    options = OmegaConf.create(
        {
            "cache_dir": job["work"],
            "max_prompt_length": 8192,
            "filter_overlong_prompts_workers": None,
        }
    )
    processor = hf_processor(job["processor"])
    data = RLHFDataset(files, hf_tokenizer(job["processor"]), options, processor)
    rows = [data[i] for i in range(len(data))]
    if rows:
        collate_fn(rows)
    return [
        {
            "question": said(row["raw_prompt"]),
            "num_seen": len(seen(row["raw_prompt"], processor, options)),
            **{
                k: row[k]
                for k in (
                    "data_source",
                    "reward_model",
                    "extra_info",
                    "index",
                    "tools_kwargs",
                    "agent_name",
                )
            },
        }
        for row in rows
    ]


def said(messages):
    """Role, kinds and contents of all parts; a picture's content is the hash of its pixels."""
    return [
        [
            m["role"],
            p["type"],
            hashlib.sha256(p["image"].tobytes()).hexdigest() if p["type"] == "image" else p["text"],
        ]
        for m in messages
        for p in m["content"]
    ]


def seen(messages, processor, options):
    """The pictures that its agent loop takes out of a prompt."""
    return asyncio.run(
        RLHFDataset.process_vision_info(
            messages, image_patch_size=processor.image_processor.patch_size, config=options
        )
    )[0]


def read_messages(job, files):
    """What `verl.trainer.sft_trainer` trains on."""
    try:
        data = MultiTurnSFTDataset(
            files,
            hf_tokenizer(job["processor"]),
            OmegaConf.create({"max_length": 65536, "pad_mode": "no_padding"}),
            hf_processor(job["processor"]),
        )
        rows = [data[i] for i in range(len(data))]
    except (AssertionError, IndexError) as error:
        return {"refused": f"{type(error).__name__}: {error}"}
    return [
        {
            "ids": row["input_ids"].tolist(),
            "trained": row["input_ids"][row["loss_mask"].bool()].tolist(),
            "positions": list(row["position_ids"].shape),
            "brightness": brightness(**row["multi_modal_inputs"]),
        }
        for row in rows
    ]


def brightness(pixel_values, image_grid_thw, **_):
    """The mean of each picture's patches, which tells the pictures apart."""
    return [float(part.mean()) for part in pixel_values.split(image_grid_thw.prod(dim=1).tolist())]


if __name__ == "__main__":
    job = json.loads(sys.argv[1])
    result = {name: read_prompts(job, files) for name, files in job["rl"].items()} | {
        name: read_messages(job, files) for name, files in job["sft"].items()
    }
    with open(sys.argv[2], "w") as out:
        json.dump(result, out)
