"""The tool `text_search`: finds pages by words."""

import asyncio

from questloom.agent.providers.provider import PageHit
from questloom.agent.tools.quote import quoted
from questloom.agent.tools.search_tools import (
    EXTRACT_CHARS,
    SNIPPET_CHARS,
    TopK,
    head,
    hits,
    whole_text,
)
from questloom.agent.tools.tool_context import Context
from questloom.agent.tools.tool_schema import Text, Tool
from questloom.agent.turns.tool_output import Output, ToolFault, no_results
from questloom.records.errors import ProviderFault

DEFAULT_RESULTS = 5
"""The default number of results in the function's signature. A model sees the number from the
settings instead, because the tool box (`toolbox.py`) replaces the default in the tool's schema."""


async def text_search(at: Context, query: Text, top_k: TopK = DEFAULT_RESULTS) -> Output:
    """Searches pages by words and returns title, address and an extract of each page found.

    Args:
        query: What to look for, in key words.
        top_k: How many results.
    """
    reply = await at.provider.search_text(query, top_k)
    if not reply.value:
        return no_results("no page matches the query; try other words")
    if not at.settings.summaries:
        return Output(parts=hits(at, reply.value, EXTRACT_CHARS), cost=reply.cost)
    read = await asyncio.gather(
        *(_summary(at, hit, query) for hit in reply.value), return_exceptions=True
    )
    parts: list[str] = []
    cost = reply.cost
    for number, (hit, outcome) in enumerate(zip(reply.value, read, strict=True), 1):
        if isinstance(outcome, BaseException):
            if not isinstance(outcome, ToolFault | ProviderFault):
                raise outcome
            words = f"Extract (the page could not be read): {quoted(hit.snippet, SNIPPET_CHARS)}"
        else:
            words, cost = (
                f"Summary for the query (by a model): {quoted(outcome[0], EXTRACT_CHARS)}",
                cost + outcome[1],
            )
        parts.append(f"{head(at, number, hit.title, hit.url)}\n{words}\n")
    faults = [outcome for outcome in read if isinstance(outcome, BaseException)]
    if len(faults) == len(read):
        raise faults[0]  # no page could be read, so the call failed
    return Output(parts=tuple(parts), cost=cost)


async def _summary(at: Context, hit: PageHit, query: str) -> tuple[str, float]:
    """Summarises a found page for a query. Returns the summary and its cost."""
    assert at.summarise is not None
    page = await at.provider.page(hit.url, query)
    words, cost = await at.summarise(query, page.value.title, whole_text(page.value))
    return words, page.cost + cost


TOOL = Tool(text_search, kind="search", remote=True, finds=True)
