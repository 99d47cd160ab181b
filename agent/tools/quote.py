"""Text from outside as a tool's result may show it: data that cannot pass for a tag of the protocol or a turn of the chat."""

import re

from questloom.prompts.fence import capped, clean

# The protocol's tags in any spelling that a lenient reader might take, and handles, which only the tool box may give out.
_TAG = re.compile(
    r"<(?=\s*/?\s*(?:think|tool_call|tool_response|tool|answer|observation|response|image\b|function|system|user|assistant)[\s>:/_])",
    re.I,
)
_LONE = re.compile(r"[\ud800-\udfff]")


def quoted(text: str, max_chars: int = 4_000) -> str:
    """The text, capped, with the opening bracket of every protocol tag replaced by ‹ and control characters removed."""
    return capped(_TAG.sub("‹", clean(_LONE.sub("�", text))), max_chars)


def one_line(text: str, max_chars: int = 300) -> str:
    """The same on one line: titles, captions."""
    return " ".join(quoted(text, max_chars).split())
