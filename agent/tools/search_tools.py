"""Shared code of the tools that search and read pages. The results of searches and visits contain
text from outside. Text from outside is escaped, is never followed as an instruction, and never
decides whether a call succeeded."""

from typing import Annotated

from pydantic import Field

from questloom.agent.providers.provider import Page, PageHit
from questloom.agent.tools.quote import one_line, quoted
from questloom.agent.tools.tool_context import Context

NUM_SNIPPETS = 5
SNIPPET_CHARS = 320
EXTRACT_CHARS = 900
"""Number of characters that text_search quotes from each page."""
TopK = Annotated[int, Field(ge=1, le=20)]


def whole_text(page: Page) -> str:
    """The whole text of a page."""
    facts = [f"{name}: {value}" for name, value in page.facts]
    return "\n".join(
        [*facts, *(f"## {heading}\n{text}" if heading else text for heading, text in page.sections)]
    )


def hits(at: Context, hits: tuple[PageHit, ...], max_chars: int) -> tuple[str, ...]:
    """Formats the found pages: title, address and snippet of each."""
    return tuple(
        f"{head(at, number, hit.title, hit.url)}\n{quoted(hit.snippet, max_chars)}\n"
        for number, hit in enumerate(hits, 1)
    )


def head(at: Context, number: int, title: str, url: str, what: str = "URL") -> str:
    """Formats the number, title and address of a search hit."""
    return f"[{number}] {one_line(title)}" + (
        f"\n{what}: {one_line(url, 2_000)}" if at.settings.addresses else ""
    )
