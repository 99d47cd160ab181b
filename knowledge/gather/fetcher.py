"""Fetches the things that a folder does not have yet, batch by batch. Each batch is stored before the next request is
sent."""

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TypeVar

import orjson

from questloom.calls.attempts import Status
from questloom.calls.retry import CallFault
from questloom.files.parquet import write_whole
from questloom.knowledge.gather import gathered as state
from questloom.knowledge.gather.closure import Links, links_of, number_of
from questloom.knowledge.gather.gathered import FETCHED, MERGED, MISSING, UNREADABLE, Gathered, row
from questloom.knowledge.gather.request import GatherRequest
from questloom.knowledge.gather.wikimedia import (
    ENTITIES_A_CALL,
    FILES_A_CALL,
    PAGES_A_CALL,
    Wikimedia,
)
from questloom.knowledge.readers.commons_page import file_name

PICTURES = "pictures"
Progress = Callable[[str, int, int], None]
"""A progress callback; its arguments are (step, number done, total)."""
T = TypeVar("T")


class Fetcher:
    """A folder together with the services from which it is filled.

    Args:
        request: request with the language, the wiki and the width of pictures.
        services: the clients of Wikimedia's services.
        gathered: the things that the folder already has.
        out: path of the folder.
        progress: function that is called after each request.

    Every method raises ProviderFault if a service fails permanently.
    """

    def __init__(
        self,
        request: GatherRequest,
        services: Wikimedia,
        gathered: Gathered,
        out: Path,
        progress: Progress = lambda step, done, total: None,
    ) -> None:
        self.request, self.services, self.gathered = request, services, gathered
        self.out, self.progress = out, progress
        self.links: dict[str, Links] = {}
        """For every entity in the folder, the ids and titles to which it refers."""
        self._moved: dict[str, str] = {}
        for name, body in gathered.each(state.ENTITY):
            self.links[name] = links_of(orjson.loads(body), request.wiki)
        for name, body in gathered.each(state.ENTITY, MERGED):
            self._moved[name] = body.decode()

    def entities(self, names: Iterable[str], step: str, *, again: bool = False) -> None:
        """Fetches the entities that the folder does not have yet. With `again`, entities that were missing at the last
        request are requested again."""
        known = self.gathered.outcomes(state.ENTITY)
        have = known.keys() - {name for name in known if again and known[name] == MISSING}
        wanted = sorted(set(names) - have, key=number_of)
        for batch in self.batches(wanted, ENTITIES_A_CALL, step):
            rows = []
            for name, entity in self.services.entities(batch).items():
                if entity is None:
                    rows.append(row(state.ENTITY, name, MISSING, why="Wikidata does not have it"))
                    continue
                final = str(entity["id"])
                if final != name:
                    self._moved[name] = final
                    rows.append(row(state.ENTITY, name, MERGED, final))
                    entity.pop("redirects", None)
                if final not in self.links:
                    self.links[final] = links_of(entity, self.request.wiki)
                    rows.append(row(state.ENTITY, final, FETCHED, orjson.dumps(entity)))
            self.keep(rows)

    def articles(self, titles: Iterable[str]) -> None:
        """Fetches the articles that the folder does not have yet, and follows redirects."""
        known = self.gathered.outcomes(state.PAGE)
        wanted = [title for title in dict.fromkeys(titles) if title not in known]
        for batch in self.batches(wanted, PAGES_A_CALL, "reading articles"):
            export = self.services.articles(batch)
            rows = [row(state.PAGE, title, FETCHED, xml) for title, xml in export.pages.items()]
            for title, final in export.titles.items():
                if not final:
                    rows.append(row(state.PAGE, title, MISSING, why="there is no such article"))
                elif final != title:
                    rows.append(row(state.PAGE, title, MERGED, final))
            rows.append(row(state.NOTE, "header", FETCHED, export.header))
            self.keep(rows)

    def pictures(self, names: Sequence[str]) -> None:
        """Fetches the pictures and their file pages on Commons."""
        known = self.gathered.outcomes(state.FILE)
        wanted = [name for name in names if name not in known]
        for batch in self.batches(wanted, FILES_A_CALL, "asking what files say"):
            pages = self.services.files(batch, width=self.request.width)
            self.keep(
                row(state.FILE, name, FETCHED, orjson.dumps(page))
                if (page := pages.get(name)) and page.get("imageinfo")
                else row(state.FILE, name, MISSING, why="Commons has no such file")
                for name in batch
            )
        known = self.gathered.outcomes(state.FILE)
        had = {
            name
            for name, outcome in self.gathered.outcomes(state.PICTURE).items()
            if outcome != FETCHED or (self.out / PICTURES / name).exists()
        }
        wanted = [name for name in names if known.get(name) == FETCHED and name not in had]
        for (name,) in self.batches(wanted, 1, "fetching pictures"):
            self.keep([self._picture(name)])

    def _picture(self, name: str) -> state.Row:
        page = orjson.loads(self.gathered.body(state.FILE, name) or b"{}")
        kind = str(page["imageinfo"][0].get("mime", ""))
        if not kind.startswith("image/") or kind == "image/svg+xml":
            return row(state.PICTURE, name, UNREADABLE, why=f"its kind is {kind!r}")
        if "/" in name or name.startswith(".") or file_name(name) != name:
            return row(state.PICTURE, name, UNREADABLE, why="its name is none of a file")
        try:
            data = self.services.picture(page)
        except ValueError as error:
            return row(state.PICTURE, name, UNREADABLE, why=str(error)[:200])
        except CallFault as fault:
            if fault.kind is not Status.NOT_ACCEPTED or fault.status in (401, 402, 403):
                raise
            return row(state.PICTURE, name, UNREADABLE, why=str(fault)[:200])
        write_whole(self.out / PICTURES / name, data)
        return row(state.PICTURE, name, FETCHED)

    def batches(self, wanted: Sequence[T], size: int, step: str) -> Iterable[list[T]]:
        """Splits a list into batches of `size` items. When the caller takes the next batch, the previous batch is
        reported as done."""
        for at in range(0, len(wanted), size):
            if not at:
                self.progress(step, 0, len(wanted))
            yield list(wanted[at : at + size])
            self.progress(step, min(at + size, len(wanted)), len(wanted))

    def keep(self, rows: Iterable[state.Row]) -> None:
        """Stores things, and drops the cached replies with the same content, which would double the
        size of the folder."""
        self.gathered.keep(rows)
        self.services.forget_replies()

    def list_of(self, key: str, fetch: Callable[[], T]) -> T:
        """Returns a list from a service, which is fetched once and then stored as JSON."""
        if (body := self.gathered.body(state.LIST, key)) is None:
            body = orjson.dumps(fetch())
            self.keep([row(state.LIST, key, FETCHED, body)])
        found: T = orjson.loads(body)
        return found

    def has_list(self, key: str) -> bool:
        """Whether a list is stored."""
        return self.gathered.body(state.LIST, key) is not None

    def number(self, key: str, fetch: Callable[[], int]) -> int:
        """Returns a number that the query service gives. A stored number is not fetched again."""
        return int(self.list_of(key, lambda: [str(fetch())])[0])

    def final(self, name: str) -> str:
        """The current id of an entity; if the entity was merged into another one, the other
        entity's id."""
        return self._moved.get(name, name)

    def of(self, name: str) -> Links | None:
        """The ids and titles to which an entity refers; None if the folder does not have the
        entity."""
        return self.links.get(self.final(name))
