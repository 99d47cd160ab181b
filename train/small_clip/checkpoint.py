"""The shape of the small CLIP, and the files of its folder: configuration, byte-pair merges,
weights."""

import gzip
import json
from pathlib import Path
from typing import Any

import open_clip
import torch
from open_clip.tokenizer import default_bpe
from safetensors.torch import save_file

from questloom.models.clip import MERGES_FILE
from questloom.train.small_clip.fit import SIDE

NUM_MERGES = 4000
"""How many of open_clip's 48,894 byte-pair merges are kept. With all of open_clip's merges, the
embedding would be twice as large as the rest of the model.
"""
CONFIG: dict[str, Any] = {
    "model_cfg": {
        "embed_dim": 128,
        "init_logit_bias": -4.0,
        # open_clip's ModifiedResNet with one bottleneck per stage. From few pictures it learns more
        # than a transformer.
        "vision_cfg": {"image_size": SIDE, "layers": [1, 1, 1, 1], "width": 20, "head_width": 64},
        "text_cfg": {
            "context_length": 32,
            "vocab_size": NUM_MERGES + 512 + 2,
            "width": 128,
            "heads": 4,
            "layers": 2,
        },
    },
    "preprocess_cfg": {
        "mean": [0.5, 0.5, 0.5],
        "std": [0.25, 0.25, 0.25],
        "interpolation": "bilinear",
        "resize_mode": "squash",
    },
}


def start(folder: Path, seed: int) -> tuple[Any, open_clip.SimpleTokenizer]:
    """Makes a new model and its tokenizer. Writes the configuration and the byte-pair merges to the
    folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "open_clip_config.json").write_text(json.dumps(CONFIG, indent=2) + "\n")
    with gzip.open(default_bpe()) as source:
        lines = source.read().decode().split("\n")[: NUM_MERGES + 1]  # the first is a header
    with (
        open(folder / MERGES_FILE, "wb") as raw,
        gzip.GzipFile(fileobj=raw, mode="wb", mtime=0, filename="") as out,
    ):
        out.write("\n".join(lines).encode())
    torch.manual_seed(seed)
    model = open_clip.create_model(f"local-dir:{folder}", load_weights=False)
    return model, open_clip.get_tokenizer(f"local-dir:{folder}", bpe_path=str(folder / MERGES_FILE))


def save(model: Any, folder: Path) -> None:
    """Writes the weights at half precision. Loading the weights converts them to fp32."""
    weights = {
        name: (t.half() if t.is_floating_point() else t).contiguous()
        for name, t in model.state_dict().items()
    }
    save_file(weights, folder / "open_clip_model.safetensors")
