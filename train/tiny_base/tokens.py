"""The tokenizer and the processor of the tiny model. The tokenizer is a byte-level BPE of a few
hundred tokens, with Qwen's special tokens. The processor is that of Qwen3-VL.

Each word in the questions, pages and tool results of the fictional worlds is one token. A name is
two tokens, one for each syllable. A small model learns to copy texts that have few tokens.
"""

import itertools
import json
from collections.abc import Iterable

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
    Qwen3VLProcessor,
    Qwen3VLVideoProcessor,
)

from questloom.agent.play.player import HINT
from questloom.agent.tools.text_search import text_search
from questloom.agent.tools.tool_schema import Tool
from questloom.agent.tools.visit import visit
from questloom.agent.turns.turn_protocol import TurnProtocol
from questloom.knowledge.world.learning import SYLLABLES
from questloom.prompts.agent import agent_system_prompt
from questloom.train.tiny_base.drills import vocabulary_texts

SPECIAL = (
    "<|endoftext|>",
    "<|im_start|>",
    "<|im_end|>",
    "<|vision_start|>",
    "<|vision_end|>",
    "<|image_pad|>",
    "<|video_pad|>",
)
TAGS = ("<think>", "</think>", "<tool_call>", "</tool_call>", "<tool_response>", "</tool_response>")
"""The tokens that Qwen3 adds without making them special tokens."""
PICTURE = "<|vision_start|><|image_pad|><|vision_end|>"
TEMPLATE = (
    "{%- macro shown(content) %}{% if content is string %}{{ content }}{% else %}{% for part in content %}"
    "{% if part.type == 'text' %}{{ part.text }}{% else %}"
    + PICTURE
    + "{% endif %}{% endfor %}{% endif %}{% endmacro -%}"
    "{% for message in messages %}<|im_start|>{{ message.role }}\n{{ shown(message.content) }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n{% endif %}"
)
"""The chat template of Qwen3-VL-Instruct without its parts for tools and videos.

The template needs no part for tools, because the system prompt describes the tools.
"""
SIDE = 64
MANY = 1_000_000


def new_processor() -> Qwen3VLProcessor:
    """Makes the processor and its tokenizer. Processor and tokenizer are the same on every
    machine."""
    made = new_tokenizer()
    return Qwen3VLProcessor(
        image_processor=Qwen2VLImageProcessor(
            patch_size=16,
            merge_size=2,
            temporal_patch_size=2,
            size={"shortest_edge": SIDE * SIDE, "longest_edge": 4 * SIDE * SIDE},
        ),
        tokenizer=made,
        video_processor=Qwen3VLVideoProcessor(),
        chat_template=TEMPLATE,
    )


def new_tokenizer() -> PreTrainedTokenizerFast:
    """Makes the tokenizer that is described at the top of this file."""
    bpe = Tokenizer(models.BPE())
    bpe.normalizer = normalizers.NFC()
    bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    bpe.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=MANY,
        min_frequency=1,
        special_tokens=list(SPECIAL),
        initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
        show_progress=False,
    )
    bpe.train_from_iterator(_texts(), trainer)
    bpe.add_tokens([AddedToken(word, special=False, normalized=False) for word in TAGS])
    return PreTrainedTokenizerFast(
        tokenizer_object=bpe,
        eos_token="<|im_end|>",
        pad_token="<|endoftext|>",
        chat_template=TEMPLATE,
        extra_special_tokens=list(SPECIAL[3:]),
    )


def _texts() -> Iterable[str]:
    """Yields the texts on which the tokenizer is trained. In these texts, syllables are much more
    frequent than all else.

    Therefore the tokenizer merges syllables first, and no whole name becomes a token.
    """
    syllables = [*SYLLABLES, *(s.capitalize() for s in SYLLABLES)]
    for _ in range(400):
        yield from syllables
        yield from (f" {s.capitalize()}" for s in SYLLABLES)
    yield from vocabulary_texts()
    yield from protocol_texts()


def protocol_texts() -> list[str]:
    """The texts that the agent and its tools write: the short prompt, turns, calls, error
    messages."""
    schemas = [Tool(f).schema(handles=False) for f in (text_search, visit)]
    protocol = TurnProtocol(schemas)
    call = json.dumps({"name": "text_search", "arguments": {"query": "q"}})
    turns = [
        "",
        "q",
        "<think>q",
        "<think>q</think>",
        "<think>q</think>q",
        f"<think>q</think><tool_call>{call}",
        "<think>q</think><tool_call>{</tool_call>",
        f"<think>q</think><tool_call>{call}</tool_call>q",
        f"<think>q</think><tool_call>{call}</tool_call><tool_call>{call}</tool_call>",
        "<think>q</think><tool_call>{}</tool_call>",
        "<think>q</think><answer>q",
        "<think>q</think><answer></answer>",
        "<answer>q</answer>",
        "<think>q</think><answer>q</answer>q",
        "<think>q</think></answer>",
        "<think>q</think><tool_call>"
        + json.dumps({"name": "search", "arguments": {"query": "q"}})
        + "</tool_call>",
        "<think>q</think><tool_call>"
        + json.dumps({"name": "visit", "arguments": {"url": "q"}})
        + "</tool_call>",
    ]
    told = [protocol.check(turn).detail for turn in turns]
    calls = [
        json.dumps({"name": name, "arguments": arguments})
        for name, arguments in (
            ("text_search", {"query": "red"}),
            ("visit", {"url": "red", "goal": "architect"}),
        )
    ]
    heads = [f"<|im_start|>{role}\n" for role in ("system", "user", "assistant")]
    return [
        agent_system_prompt(schemas, max_calls=6, brief=True),
        HINT,
        "Your turn was not understood.",
        *told,
        *calls,
        *heads,
        "no, ",
        "answer",
        "<tool_response>\n",
        "\n</tool_response>",
        "</think>\n<answer>",
        "</answer>",
        "[1] [2] [3] [4] [5]",
        "Picture, 64×64 px\n",
        "visit: there is no page at this address. Use an address that a search or a page gave.",
        "No results: no page matches the query; try other words.",
    ]


def check_names(tokenizer: PreTrainedTokenizerFast) -> None:
    """Checks that every name is two tokens, at any place in a text."""
    for pair in itertools.product(SYLLABLES, repeat=2):
        for before in ("", " ", "\n", '"'):
            ids = tokenizer(before + "".join(pair).capitalize(), add_special_tokens=False)[
                "input_ids"
            ]
            assert len(ids) == 2 + (before in ("\n", '"')), (
                pair,
                before,
                tokenizer.convert_ids_to_tokens(ids),
            )
