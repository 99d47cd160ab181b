"""Escapes text from outside in a tool's result. A model then cannot mistake the text for a tag of
the turn protocol or a turn of the chat."""

import re

from questloom.prompts.fence import capped, clean

# The protocol's tags in any spelling that a lenient reader might accept, and handles, which only the tool box may
# assign.
_TAG = re.compile(
    r"<(?=\s*/?\s*(?:think|tool_call|tool_response|tool|answer|observation|response|image\b|function|system|user|assistant)[\s>:/_])",
    re.I,
)
_LONE = re.compile(r"[\ud800-\udfff]")


def quoted(text: str, max_chars: int = 4_000) -> str:
    """Escapes a text and cuts it at a maximum length. The opening bracket of each tag of the turn
    protocol becomes ‹. Control characters are removed."""
    return capped(_TAG.sub("‹", clean(_LONE.sub("�", text))), max_chars)


def one_line(text: str, max_chars: int = 300) -> str:
    """Escapes a text and puts it on a single line, for titles and captions."""
    return " ".join(quoted(text, max_chars).split())
