"""Fetches page views of articles, and writes the popularity file that `ingest --popularity` reads: how well known
things are."""

from collections.abc import Iterable
from pathlib import Path

from questloom.files.parquet import write_whole
from questloom.knowledge.gather import gathered as state
from questloom.knowledge.gather.closure import number_of
from questloom.knowledge.gather.fetcher import Fetcher
from questloom.knowledge.gather.gathered import FETCHED, MISSING, row
from questloom.knowledge.gather.wikimedia import VIEW_TITLES
from questloom.knowledge.readers.popularity import COLUMNS
from questloom.records.errors import ProviderFault

POPULARITY = "popularity.tsv"
STEP = "counting page views"


def fetch_views(fetcher: Fetcher, titles: Iterable[str]) -> str:
    """Fetches the page views that the folder does not have yet, and stores each reply before the next request.

    A slice is of use without page views. A service that fails permanently therefore ends this step and not the run;
    the same command asks again.

    Returns:
        The reason why some titles have not been requested; "" if all have.
    """
    known = fetcher.gathered.outcomes(state.VIEWS)
    waiting = [title for title in dict.fromkeys(titles) if title not in known]
    total = len(waiting)
    while waiting:
        fetcher.progress(STEP, total - len(waiting), total)
        # A reply has the views of some titles only. The others go into the next request with new titles.
        try:
            found = fetcher.services.page_views(waiting[:VIEW_TITLES])
        except ProviderFault as fault:
            return str(fault)
        if not found:
            return "the service answers without the views of any title"
        fetcher.keep(
            row(state.VIEWS, title, MISSING, why="no views are known")
            if views is None
            else row(state.VIEWS, title, FETCHED, str(views))
            for title, views in found.items()
        )
        waiting = [title for title in waiting if title not in found]
    fetcher.progress(STEP, total, total)
    return ""


def write_popularity(path: Path, fetcher: Fetcher) -> int:
    """Writes a line for each gathered item; returns the number of items with page views. The cell of unknown page
    views is empty: 0 would mean that nobody reads the article."""
    views = {title: body.decode() for title, body in fetcher.gathered.each(state.VIEWS)}
    items = sorted((n for n in fetcher.links if n.startswith("Q")), key=number_of)
    lines = ["\t".join(COLUMNS[:3])]
    for name in items:
        links = fetcher.links[name]
        lines.append(f"{name}\t{links.sitelinks}\t{views.get(links.article, '')}")
    write_whole(path, ("\n".join(lines) + "\n").encode())
    return sum(fetcher.links[name].article in views for name in items)
