"""Tools that search and read. What they bring is other people's text: quoted, never obeyed, never a status."""

import asyncio
from typing import Annotated

from pydantic import Field

from questloom.agent.providers.provider import Page, PageHit, PictureHit
from questloom.agent.tools.goal_extract import extract, links_for, names_goal
from questloom.agent.tools.quote import one_line, quoted
from questloom.agent.tools.tool_context import Context
from questloom.agent.tools.tool_schema import Handle, Text
from questloom.agent.turns.tool_output import NewPicture, Output, ToolFault, model_fault, no_results
from questloom.records.errors import ProviderFault

NUM_SNIPPETS = 5
SNIPPET_CHARS = 320
ABOUT_CHARS = 160
NEAREST = "The nearest that there are; perhaps none fits."

DEFAULT_RESULTS = 5
"""What a schema says; the tool box puts the settings' number in its place (`toolbox.py`)."""
TopK = Annotated[int, Field(ge=1, le=20)]


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
        return Output(parts=_hits(at, reply.value, at.settings.extract_chars), cost=reply.cost)
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
                f"Summary for the query (by a model): {quoted(outcome[0], at.settings.extract_chars)}",
                cost + outcome[1],
            )
        parts.append(f"{_head(at, number, hit.title, hit.url)}\n{words}\n")
    faults = [outcome for outcome in read if isinstance(outcome, BaseException)]
    if len(faults) == len(read):
        raise faults[0]  # nothing was read at all: no success
    return Output(parts=tuple(parts), cost=cost)


async def web_search(at: Context, query: Text) -> Output:
    """Like text_search, but gives {num_snippets} pages at most, with only a short snippet of each.

    Args:
        query: What to look for, in key words.
    """
    reply = await at.provider.search_text(query, NUM_SNIPPETS)
    if not reply.value:
        return no_results("no page matches the query; try other words")
    return Output(parts=_hits(at, reply.value, SNIPPET_CHARS), cost=reply.cost)


async def image_search(
    at: Context, handle: Handle | None = None, query: Text | None = None
) -> Output:
    """Searches for pictures: give exactly one of handle (finds pages that show the same or similar things) and query. The first {num_pictures} hits
    come with their pictures; by a handle, further pages are named behind them. Where nothing fits, a part of the picture (crop), or the picture set
    straight or sharpened, may find more.

    Args:
        handle: The picture to search by, as N or "<image:N>".
        query: The words to search by.
    """
    if (handle is None) == (query is None):
        raise model_fault(
            "bad_arguments", "image_search: give either handle or query, not both and not none."
        )
    k = at.settings.max_new_pictures
    if query is not None:
        reply = await at.provider.search_pictures(query, k, at.bank, at.withheld)
    else:
        assert isinstance(handle, int)
        reply = await at.provider.search_like(at.bank, handle, k, at.withheld)
    if not reply.value:
        return no_results("no picture was found")
    parts = [
        part
        for number, hit in enumerate(reply.value, 1)
        for part in _picture_parts(at, number, hit)
    ]
    return Output(parts=(*([] if at.settings.brief else [NEAREST]), *parts), cost=reply.cost)


async def visit(at: Context, url: Text, goal: Text) -> Output:
    """Opens a page and returns the parts of its text that fit a goal best, its first pictures, and links to follow (of many, those nearest the goal).

    Args:
        url: The page's address, as a search or a page gave it. Not every thing that is named has a page.
        goal: What you want to learn from the page.
    """
    found = await at.provider.page(url, goal)
    page = found.value
    parts: list[str | NewPicture] = [
        one_line(page.title)
        + (f"\nURL: {one_line(page.url, 2_000)}" if at.settings.addresses else "")
    ]
    words, cost = extract(page, goal, at.settings.page_chars), 0.0
    if at.summarise is not None:
        words, cost = await at.summarise(goal, page.title, whole_text(page))
        words = f"Summary for the goal (by a model):\n{words}"
    parts.append(
        quoted(words, at.settings.page_chars)
        if words.strip()
        else "The page says nothing about the goal."
    )
    if (
        at.summarise is None
        and words.strip()
        and not at.settings.brief
        and not names_goal(page, goal)
    ):
        parts.append(
            "The page says nothing in the goal's own words; it may say it in others, or another page may: search by words."
        )
    shown = page.pictures[: at.settings.max_new_pictures]
    fetched = await asyncio.gather(*(p.fetch() for p in shown))
    for picture, data in zip(shown, fetched, strict=True):
        if data:
            parts += [
                f"On the page: {one_line(picture.caption) or '(no caption)'}",
                NewPicture(data=data, url=picture.url, title=one_line(page.title)),
            ]
    if 0 < len(shown) < len(page.pictures):
        parts.append(f"{len(shown)} of the page's {len(page.pictures)} pictures are shown.")
    links = links_for(page, goal, at.settings.links, words)
    if links:
        lines = (
            f"- {one_line(link.title)}"
            + (f": {one_line(link.url, 2_000)}" if at.settings.addresses else "")
            for link in links
        )
        parts.append("Links:\n" + "\n".join(lines))
    return Output(parts=tuple(parts), cost=found.cost + cost)


def whole_text(page: Page) -> str:
    """All that a page says."""
    facts = [f"{name}: {value}" for name, value in page.facts]
    return "\n".join(
        [*facts, *(f"## {heading}\n{text}" if heading else text for heading, text in page.sections)]
    )


async def _summary(at: Context, hit: PageHit, query: str) -> tuple[str, float]:
    """The summary of a found page for a query, and what it cost."""
    assert at.summarise is not None
    page = await at.provider.page(hit.url, query)
    words, cost = await at.summarise(query, page.value.title, whole_text(page.value))
    return words, page.cost + cost


def _hits(at: Context, hits: tuple[PageHit, ...], max_chars: int) -> tuple[str, ...]:
    return tuple(
        f"{_head(at, number, hit.title, hit.url)}\n{quoted(hit.snippet, max_chars)}\n"
        for number, hit in enumerate(hits, 1)
    )


def _picture_parts(at: Context, number: int, hit: PictureHit) -> tuple[str | NewPicture, ...]:
    what = "File, on no page" if hit.url == hit.picture_url else "URL"
    head = _head(at, number, hit.title, hit.url, what) + (
        f"\n{one_line(hit.about, ABOUT_CHARS)}" if hit.about else ""
    )
    return (
        (head, NewPicture(data=hit.data, url=hit.picture_url or hit.url, title=one_line(hit.title)))
        if hit.data
        else (head,)
    )


def _head(at: Context, number: int, title: str, url: str, what: str = "URL") -> str:
    return f"[{number}] {one_line(title)}" + (
        f"\n{what}: {one_line(url, 2_000)}" if at.settings.addresses else ""
    )
