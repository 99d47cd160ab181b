"""The shape of the tiny base model, and the files of its folder: weights at half precision,
tokenizer, processor."""

from pathlib import Path

import torch
from safetensors.torch import save_file
from transformers import Qwen3VLConfig, Qwen3VLForConditionalGeneration, Qwen3VLProcessor

SPREAD = 0.125
"""The standard deviation of the initial weights.

With the usual 0.02 to 0.05, so small a model would need several times longer to learn copying.
"""


def new_model(
    processor: Qwen3VLProcessor, *, seed: int, width: int = 96, layers: int = 3
) -> Qwen3VLForConditionalGeneration:
    """A Qwen3-VL with about 0.7 million weights, which are random.

    Args:
        processor: the processor whose tokenizer gives the vocabulary.
        seed: seed of the random weights.
        width: width of the language model; a multiple of 32.
        layers: number of layers of the language model. The vision tower has two layers.
    """
    torch.manual_seed(seed)
    tokenizer = processor.tokenizer
    ids = {
        name: tokenizer.convert_tokens_to_ids(name)
        for name in ("<|image_pad|>", "<|video_pad|>", "<|vision_start|>", "<|vision_end|>")
    }
    heads = width // 32
    config = Qwen3VLConfig(
        text_config={
            "vocab_size": len(tokenizer),
            "hidden_size": width,
            "intermediate_size": 8 * width // 3,
            "num_hidden_layers": layers,
            "num_attention_heads": heads,
            "num_key_value_heads": heads,
            "head_dim": 32,
            "max_position_embeddings": 2048,
            "initializer_range": SPREAD,
            "tie_word_embeddings": False,
            "rope_parameters": {
                "rope_type": "default",
                "rope_theta": 10_000.0,
                "mrope_section": [8, 4, 4],
                "mrope_interleaved": True,
            },
        },
        vision_config={
            "depth": 2,
            "hidden_size": 64,
            "intermediate_size": 128,
            "num_heads": 2,
            "out_hidden_size": width,
            "num_position_embeddings": 16,
            "deepstack_visual_indexes": [0, 1],
            "initializer_range": SPREAD,
        },
        image_token_id=ids["<|image_pad|>"],
        video_token_id=ids["<|video_pad|>"],
        vision_start_token_id=ids["<|vision_start|>"],
        vision_end_token_id=ids["<|vision_end|>"],
        tie_word_embeddings=False,
    )
    return Qwen3VLForConditionalGeneration(config)


def save_base(
    model: Qwen3VLForConditionalGeneration, processor: Qwen3VLProcessor, folder: Path
) -> None:
    """Writes a folder that `from_pretrained` can load, with weights at half precision.

    The configuration names no dtype, so loading converts the weights to fp32.
    """
    folder.mkdir(parents=True, exist_ok=True)
    processor.save_pretrained(folder)
    model.config.save_pretrained(folder)
    model.generation_config.save_pretrained(folder)
    save_file(
        {name: t.half().contiguous() for name, t in model.state_dict().items()},
        folder / "model.safetensors",
        metadata={"format": "pt"},
    )
