"""Gathering: anchors, what their claims lead to, rivals, articles and pictures, each fetched once.

Everything that was fetched lies in `gathered.py`'s file before the next request leaves. A run that begins there again,
after a kill or with a larger limit, so asks only for what is missing.
"""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import NamedTuple, TypeVar

import orjson

from questloom.calls.attempts import Status
from questloom.calls.retry import CallFault
from questloom.files.parquet import write_whole
from questloom.knowledge.gather import gathered as state
from questloom.knowledge.gather.closure import Links, links_of, number_of
from questloom.knowledge.gather.gathered import FETCHED, MERGED, MISSING, UNREADABLE, Gathered, row
from questloom.knowledge.gather.wikimedia import (
    ENTITIES_A_CALL,
    FILES_A_CALL,
    PAGES_A_CALL,
    TITLES_A_CALL,
    Wikimedia,
)
from questloom.knowledge.readers.commons_page import file_name
from questloom.records.errors import InputError

MAX_CLASS = 100_000
"""Members beyond which the query service gives no sorted list in its time, and a slice is no slice any more."""
MAX_CLASSES = 40
"""Classes of listed anchors whose members are counted, the commonest first."""
PICTURES = "pictures"
Progress = Callable[[str, int, int], None]
"""Called with (step, done, of how many)."""
T = TypeVar("T")


class Lack(NamedTuple):
    """Something that an earlier gathering is without, as a planner names it."""

    kind: str
    """"class": its count and its members; "rival": one thing."""
    id: str
    property: str = ""
    """Of the rival: the claim whose values are wanted."""


@dataclass(frozen=True, kw_only=True)
class GatherRequest:
    """What is to be gathered. One of class_id, ids and titles says which things are the anchors; lacks complete an earlier gathering."""

    class_id: str = ""
    ids: tuple[str, ...] = ()
    titles: tuple[str, ...] = ()
    lacks: tuple[Lack, ...] = ()
    limit: int = 500
    """Anchors of the class."""
    depth: int = 2
    """Steps from an anchor along claims."""
    rivals: int = 2000
    """A class with no more members is gathered whole; of a larger one so many."""
    language: str = "en"
    width: int = 960
    """Of pictures, in pixels."""
    all_pictures: bool = True
    """Also those of things on the way that have an article; otherwise the anchors' alone."""

    @property
    def wiki(self) -> str:
        return f"{self.language.replace('-', '_')}wiki"


@dataclass(frozen=True, kw_only=True)
class ClassCount:
    """A class, as the query service counts it."""

    members: int
    listed: int
    """Of them, how many were gathered."""

    @property
    def is_whole(self) -> bool:
        return self.listed >= self.members


class Gathering:
    """One run over a folder.

    Args:
        request: what is wanted.
        services: where it comes from.
        gathered: what the folder has.
        out: the folder.
        progress: told after each request.
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
        self.moved: dict[str, str] = {}
        """Ids that were merged into others."""
        self.counts: dict[str, ClassCount] = {}
        for name, body in gathered.each(state.ENTITY):
            self.links[name] = links_of(orjson.loads(body), request.wiki)
        for name, body in gathered.each(state.ENTITY, MERGED):
            self.moved[name] = body.decode()
        counts = json.loads(gathered.body(state.NOTE, "counts") or b"{}")
        self.counts.update((name, ClassCount(**count)) for name, count in counts.items())

    def check_class(self) -> int:
        """How many members the class has.

        Raises:
            InputError: there is no such class, it has no members, or too many.
        """
        name = self.request.class_id
        self.fetch_entities([name], "looking up the class")
        if self._final(name) not in self.links:
            raise InputError(
                f"--class {name}",
                "is no item of Wikidata, or was deleted",
                "Look for the class on wikidata.org: its address ends in its id.",
            )
        way_out = "Name a class below it, or give the anchors by --ids or --titles"
        direct = self._number(f"direct count {name}", lambda: self.services.direct_count(name))
        number = direct
        if direct <= MAX_CLASS:
            number = self._number(f"count {name}", lambda: self.services.count(name))
        if number > MAX_CLASS:
            raise InputError(
                f"--class {name}", f"has {number:,} members, more than {MAX_CLASS:,}", way_out
            )
        if not number:
            raise InputError(
                f"--class {name}",
                "has no members: nothing is stated to be an instance of it, or of a class below it",
                "Name a class and no thing; `instance of` (P31) of a thing that you mean says which.",
            )
        return number

    def anchors(self) -> list[str]:
        """The anchors, as they were listed or as the class gives them.

        Raises:
            InputError: there are none.
        """
        request = self.request
        if request.class_id:
            found = self._list(
                f"anchors {request.class_id} {request.limit}",
                lambda: self.services.members(request.class_id, limit=request.limit, askable=True),
            )
            what = f"has members, and none has a picture and an article in {request.language!r}"
            where = f"--class {request.class_id}"
        elif request.titles:
            items = self._items_of(request.titles)
            found = [items[title] for title in request.titles if items[title]]
            where, what = "--titles", f"no title is that of an article in {request.language!r}"
        else:
            found, where, what = list(request.ids), "--ids", "holds no id"
        if not found:
            raise InputError(where, what, "Look at --language, or name others.")
        return list(dict.fromkeys(found))

    def _items_of(self, titles: Sequence[str]) -> dict[str, str]:
        known: dict[str, str] = json.loads(self.gathered.body(state.NOTE, "items") or b"{}")
        for batch in self._batches(
            [t for t in titles if t not in known], TITLES_A_CALL, "looking up titles"
        ):
            known |= self.services.items_of(batch)
            self._keep([row(state.NOTE, "items", FETCHED, json.dumps(known))])
        return known

    def close(self, anchors: list[str]) -> list[str]:
        """Fetches the anchors and what their claims lead to, to the depth; gives all of these, anchors first."""
        self.fetch_entities(anchors, "anchors")
        reached = dict.fromkeys(anchors)
        frontier = list(anchors)
        for step in range(self.request.depth):
            ways = [
                links
                for name in frontier
                if (links := self.links.get(self._final(name))) and (not step or links.is_way)
            ]
            values = dict.fromkeys(value for links in ways for value in links.values)
            frontier = [value for value in values if value not in reached]
            self.fetch_entities(frontier, f"values, step {step + 1}")
            reached |= dict.fromkeys(frontier)
        return list(reached)

    def gather_rivals(self, anchors: list[str]) -> None:
        """Counts the class, or the classes of the listed anchors, and fetches their members."""
        classes: dict[str, int] = {}
        for name in anchors:
            for each in links.classes if (links := self._of(name)) else ():
                classes[each] = classes.get(each, 0) + 1
        commonest = sorted(classes, key=lambda c: (-classes[c], number_of(c)))[:MAX_CLASSES]
        members: list[str] = []
        for name in [self.request.class_id] if self.request.class_id else commonest:
            members += self.count_class(name)
        self.fetch_entities(members, "rivals")

    def count_class(self, name: str) -> list[str]:
        """The members of a class, all of them or so many as are wanted."""
        number = self._number(f"direct count {name}", lambda: self.services.direct_count(name))
        if number <= MAX_CLASS:
            number = self._number(f"count {name}", lambda: self.services.count(name))
        limit, members = min(number, self.request.rivals), list[str]()
        if limit and number <= MAX_CLASS:
            members = self._list(
                f"members {name} {limit}", lambda: self.services.members(name, limit=limit)
            )
        self.counts[name] = ClassCount(members=number, listed=len(members))
        counts = {name: asdict(count) for name, count in self.counts.items()}
        self._keep([row(state.NOTE, "counts", FETCHED, json.dumps(counts))])
        return members

    def complete(self, lacks: Iterable[Lack]) -> None:
        """Fetches what an earlier gathering is without: classes with their members, rivals with the values of a claim, and their articles."""
        things: dict[str, None] = {}
        for lack in lacks:
            found = self.count_class(lack.id) if lack.kind == "class" else [lack.id]
            things |= dict.fromkeys(found)
        self.fetch_entities(things, "what was lacking", again=True)
        values: dict[str, None] = {}
        for lack in lacks:
            body = self.gathered.body(state.ENTITY, self._final(lack.id)) if lack.property else None
            claims = (orjson.loads(body) if body else {}).get("claims") or {}
            only = {"claims": {lack.property: claims.get(lack.property, ())}}
            values |= dict.fromkeys(links_of(only, self.request.wiki).named)
        self.fetch_entities(values, "values of claims that were lacking", again=True)
        self.gather_words()
        self.gather_articles(things | values)

    def gather_words(self) -> None:
        """Fetches what gives the gathered things their words: classes up to the topmost, units, properties."""
        items = [links for name, links in self.links.items() if name.startswith("Q")]
        wanted = {n for links in items for n in (*links.classes, *links.parents, *links.units)}
        seen: set[str] = set()
        while wanted:
            self.fetch_entities(wanted, "classes and units")
            seen |= wanted
            above = (links.parents for name in wanted if (links := self._of(name)))
            wanted = {parent for parents in above for parent in parents} - seen
        items = [links for name, links in self.links.items() if name.startswith("Q")]
        properties = {p for links in items for p in links.properties}
        self.fetch_entities(properties, "properties")

    def gather_articles(self, things: Iterable[str]) -> None:
        """Fetches the articles of things."""
        known = self.gathered.outcomes(state.PAGE)
        titles = dict.fromkeys(links.article for name in things if (links := self._of(name)))
        wanted = [title for title in titles if title and title not in known]
        for batch in self._batches(wanted, PAGES_A_CALL, "reading articles"):
            export = self.services.articles(batch)
            rows = [row(state.PAGE, title, FETCHED, xml) for title, xml in export.pages.items()]
            for title, final in export.titles.items():
                if not final:
                    rows.append(row(state.PAGE, title, MISSING, why="there is no such article"))
                elif final != title:
                    rows.append(row(state.PAGE, title, MERGED, final))
            rows.append(row(state.NOTE, "header", FETCHED, export.header))
            self._keep(rows)

    def gather_pictures(self, anchors: Iterable[str], things: Iterable[str]) -> None:
        """Fetches what Commons says of the pictures of anchors and of things with an article, and the pictures."""
        first = dict.fromkeys(n for name in anchors if (li := self._of(name)) for n in li.pictures)
        more = (li for name in things if (li := self._of(name)) and li.article)
        ways = dict.fromkeys(n for li in more for n in li.pictures)
        names = list(first | ways if self.request.all_pictures else first)
        known = self.gathered.outcomes(state.FILE)
        wanted = [name for name in names if name not in known]
        for batch in self._batches(wanted, FILES_A_CALL, "asking what files say"):
            pages = self.services.files(batch, width=self.request.width)
            self._keep(
                row(state.FILE, name, FETCHED, orjson.dumps(page))
                if (page := pages.get(name)) and page.get("imageinfo")
                else row(state.FILE, name, MISSING, why="Commons has no such file")
                for name in batch
            )
        known, had = self.gathered.outcomes(state.FILE), self.gathered.outcomes(state.PICTURE)
        wanted = [name for name in names if known.get(name) == FETCHED and name not in had]
        for (name,) in self._batches(wanted, 1, "fetching pictures"):
            self._keep([self._picture(name)])

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

    def fetch_entities(self, names: Iterable[str], step: str, *, again: bool = False) -> None:
        """Fetches the entities that the folder lacks; with `again` also those that were missing when they were last asked for."""
        known = self.gathered.outcomes(state.ENTITY)
        have = known.keys() - {name for name in known if again and known[name] == MISSING}
        wanted = sorted(set(names) - have, key=number_of)
        for batch in self._batches(wanted, ENTITIES_A_CALL, step):
            rows = []
            for name, entity in self.services.entities(batch).items():
                if entity is None:
                    rows.append(row(state.ENTITY, name, MISSING, why="Wikidata does not have it"))
                    continue
                final = str(entity["id"])
                if final != name:
                    self.moved[name] = final
                    rows.append(row(state.ENTITY, name, MERGED, final))
                    entity.pop("redirects", None)
                if final not in self.links:
                    self.links[final] = links_of(entity, self.request.wiki)
                    rows.append(row(state.ENTITY, final, FETCHED, orjson.dumps(entity)))
            self._keep(rows)

    def _batches(self, wanted: Sequence[T], size: int, step: str) -> Iterable[list[T]]:
        for at in range(0, len(wanted), size):
            if not at:
                self.progress(step, 0, len(wanted))
            yield list(wanted[at : at + size])
            self.progress(step, min(at + size, len(wanted)), len(wanted))

    def _keep(self, rows: Iterable[state.Row]) -> None:
        """Keeps things; the replies that they stood in are needed no more, and would double what the folder weighs."""
        self.gathered.keep(rows)
        self.services.forget_replies()

    def _list(self, key: str, fetch: Callable[[], list[str]]) -> list[str]:
        """A list that the query service gives, fetched once."""
        if (body := self.gathered.body(state.LIST, key)) is None:
            body = orjson.dumps(fetch())
            self._keep([row(state.LIST, key, FETCHED, body)])
        found: list[str] = orjson.loads(body)
        return found

    def _number(self, key: str, fetch: Callable[[], int]) -> int:
        return int(self._list(key, lambda: [str(fetch())])[0])

    def _final(self, name: str) -> str:
        return self.moved.get(name, name)

    def _of(self, name: str) -> Links | None:
        return self.links.get(self._final(name))
