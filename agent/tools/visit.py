"""The tool `visit`: opens a page."""

import asyncio

from questloom.agent.tools.goal_extract import extract, links_for, names_goal
from questloom.agent.tools.quote import one_line, quoted
from questloom.agent.tools.search_tools import whole_text
from questloom.agent.tools.tool_context import Context
from questloom.agent.tools.tool_schema import Text, Tool
from questloom.agent.turns.tool_output import NewPicture, Output

PAGE_CHARS = 4_000
"""The number of shown characters of a page."""


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
    words, cost = extract(page, goal, PAGE_CHARS), 0.0
    if at.summarise is not None:
        words, cost = await at.summarise(goal, page.title, whole_text(page))
        words = f"Summary for the goal (by a model):\n{words}"
    parts.append(
        quoted(words, PAGE_CHARS) if words.strip() else "The page says nothing about the goal."
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


TOOL = Tool(visit, kind="read", remote=True, finds=True)
