"""A tiny random Qwen3-VL with tokenizer, processor and Qwen-style templates, made on the spot; and an image bank's pictures."""

import functools
import io
from typing import Any

import torch
from PIL import Image, ImageDraw
from tokenizers import (
    AddedToken,
    Tokenizer,
    decoders,
    models,
    normalizers,
    pre_tokenizers,
    trainers,
)
from transformers import (
    PreTrainedTokenizerFast,
    Qwen2VLImageProcessor,
    Qwen3VLConfig,
    Qwen3VLForConditionalGeneration,
    Qwen3VLProcessor,
    Qwen3VLVideoProcessor,
)

SPECIAL = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
    "<|video_pad|>",
)
WORDS = (
    "<think>",
    "</think>",
    "<tool_call>",
    "</tool_call>",
    "<tool_response>",
    "</tool_response>",
)
"""Qwen3's added tokens that are not special."""

CONTENT = (
    "{%- macro shown(content) %}{% if content is string %}{{ content }}{% else %}{% for part in content %}"
    "{% if part.type == 'text' %}{{ part.text }}{% else %}<|vision_start|><|image_pad|><|vision_end|>{% endif %}"
    "{% endfor %}{% endif %}{% endmacro -%}"
)
INSTRUCT = CONTENT + (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ shown(message.content) }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
# As in Qwen3-VL-Thinking: thoughts stay after the last message of a user that is no tool's response; a thought is taken apart and set anew.
THINKING = CONTENT + (
    "{% set ns = namespace(open=true, last=messages|length - 1) %}{% for message in messages[::-1] %}{% set index = messages|length - 1 - loop.index0 %}"
    "{% if ns.open and message.role == 'user' %}{% set content = shown(message.content) %}"
    "{% if not (content.startswith('<tool_response>') and content.endswith('</tool_response>')) %}{% set ns.open = false %}{% set ns.last = index %}"
    "{% endif %}{% endif %}{% endfor %}"
    "{% for message in messages %}{% set content = shown(message.content) %}<|im_start|>{{ message.role }}\n"
    "{% if message.role == 'assistant' and '</think>' in content %}{% if loop.index0 > ns.last %}<think>\n"
    "{{ content.split('</think>')[0].split('<think>')[-1].strip('\n') }}\n</think>\n\n{% endif %}{{ content.split('</think>')[-1].lstrip('\n') }}"
    "{% else %}{{ content }}{% endif %}<|im_end|>\n{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n<think>\n{% endif %}"
)
DROPS_THOUGHTS = CONTENT + (
    "{% for message in messages %}<|im_start|>{{ message.role }}\n"
    "{{ shown(message.content).split('</think>')[-1] if message.role == 'assistant' and not loop.last else shown(message.content) }}<|im_end|>\n"
    "{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
DROPS_EARLIER_THOUGHTS = DROPS_THOUGHTS.replace(
    "not loop.last", "loop.index0 < messages|length - 2"
)
NUMBERS_PICTURES = INSTRUCT.replace(
    "<|im_end|>", "[{{ loop.index }} of {{ messages|length }}]<|im_end|>"
)
SKIPS_THOUGHT = INSTRUCT.replace(
    "assistant\n{% endif", "assistant\n<think>\n\n</think>\n\n{% endif"
)
TEXT_END = INSTRUCT.replace("<|im_end|>", "###")


@functools.cache
def _bpe() -> Tokenizer:
    bpe = Tokenizer(models.BPE())
    bpe.normalizer = normalizers.NFC()
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=340,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
    )
    bpe.train_from_iterator(
        [
            "the bridge was built in 1871 and the tower beside it in 1902",
            '{"name": "text_search", "arguments": {"query": "',
        ],
        trainer,
    )
    bpe.add_tokens([AddedToken(word, special=False, normalized=False) for word in WORDS])
    return bpe


def tokenizer(template: str = INSTRUCT) -> PreTrainedTokenizerFast:
    """A byte-level BPE with Qwen's special tokens."""
    return PreTrainedTokenizerFast(
        tokenizer_object=_bpe(),
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        chat_template=template,
        extra_special_tokens=list(SPECIAL[3:]),
    )


def processor(template: str = INSTRUCT) -> Qwen3VLProcessor:
    """Its processor: pictures of at most 128×128 pixels, 32 pixels a token's side."""
    return Qwen3VLProcessor(
        image_processor=Qwen2VLImageProcessor(
            patch_size=16,
            merge_size=2,
            temporal_patch_size=2,
            size={"shortest_edge": 32 * 32, "longest_edge": 128 * 128},
        ),
        tokenizer=tokenizer(template),
        video_processor=Qwen3VLVideoProcessor(),
        chat_template=template,
    )


@functools.cache
def model(seed: int = 0) -> Qwen3VLForConditionalGeneration:
    """A random Qwen3-VL of some 200,000 parameters, in float32."""
    torch.manual_seed(seed)
    made = tokenizer()
    ids: dict[str, Any] = {name: made.convert_tokens_to_ids(name) for name in SPECIAL}
    config = Qwen3VLConfig(
        text_config=dict(
            vocab_size=len(made),
            hidden_size=64,
            intermediate_size=128,
            num_hidden_layers=3,
            num_attention_heads=4,
            num_key_value_heads=2,
            head_dim=16,
            max_position_embeddings=8192,
            initializer_range=0.15,
            rope_parameters={
                "rope_type": "default",
                "rope_theta": 10_000.0,
                "mrope_section": [4, 2, 2],
                "mrope_interleaved": True,
            },
        ),
        vision_config=dict(
            depth=2,
            hidden_size=32,
            intermediate_size=64,
            num_heads=2,
            out_hidden_size=64,
            num_position_embeddings=64,
            deepstack_visual_indexes=[0, 1],
        ),
        image_token_id=ids["<|image_pad|>"],
        video_token_id=ids["<|video_pad|>"],
        vision_start_token_id=ids["<|vision_start|>"],
        vision_end_token_id=ids["<|vision_end|>"],
    )
    return Qwen3VLForConditionalGeneration(config).eval()


@functools.cache
def picture(number: int, size: tuple[int, int] = (96, 64)) -> bytes:
    """A PNG that differs from those of other numbers."""
    image = Image.new("RGB", size, (number * 53 % 256, number * 97 % 256, 200))
    ImageDraw.Draw(image).rectangle(
        (number * 7 % 60, 10, number * 7 % 60 + 20, 40), fill=(255, number * 31 % 256, 0)
    )
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()
