"""The tool `image_search`: finds pictures by words or by a picture."""

from questloom.agent.providers.provider import PictureHit
from questloom.agent.tools.quote import one_line
from questloom.agent.tools.search_tools import head
from questloom.agent.tools.tool_context import Context
from questloom.agent.tools.tool_schema import Handle, Text, Tool
from questloom.agent.turns.image_bank import ImageBank
from questloom.agent.turns.tool_output import NewPicture, Output, model_fault, no_results

ABOUT_CHARS = 160
NEAREST = "The nearest that there are; perhaps none fits."


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


def _picture_parts(at: Context, number: int, hit: PictureHit) -> tuple[str | NewPicture, ...]:
    what = "File, on no page" if hit.url == hit.picture_url else "URL"
    words = head(at, number, hit.title, hit.url, what) + (
        f"\n{one_line(hit.about, ABOUT_CHARS)}" if hit.about else ""
    )
    return (
        (
            words,
            NewPicture(data=hit.data, url=hit.picture_url or hit.url, title=one_line(hit.title)),
        )
        if hit.data
        else (words,)
    )


def task_pictures(bank: ImageBank) -> list[str]:
    """Finds the question's own pictures, which the search must never return."""
    return sorted(image.sha256 for image in bank.images if image.origin == "task")


TOOL = Tool(image_search, kind="search", remote=True, finds=True, depends_on=task_pictures)
