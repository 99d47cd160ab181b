"""Gathering fetches anchors, the values of the anchors' claims, rivals, articles and pictures, in
this order.

Anchors are the entities where questions may start. Rivals are the other members of the anchors'
classes. Everything that is fetched is stored (`gathered.py`) before the next request is sent. A run
after a killed run, or with a larger limit, requests only what is missing.
"""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from functools import partial

from questloom.knowledge.gather import gathered as state
from questloom.knowledge.gather.categories import walk_category
from questloom.knowledge.gather.closure import classes_above, is_item, links_of, number_of
from questloom.knowledge.gather.fetcher import Fetcher
from questloom.knowledge.gather.gathered import FETCHED, MERGED, MISSING, row
from questloom.knowledge.gather.page_views import fetch_views
from questloom.knowledge.gather.request import MAX_CLASS, MAX_CLASSES, ClassCount
from questloom.knowledge.gather.wikimedia import TITLES_A_CALL
from questloom.records.errors import InputError


class Gathering:
    """A run of `gather` that fetches into one folder.

    Args:
        fetcher: the fetcher of the folder.
    """

    def __init__(self, fetcher: Fetcher) -> None:
        self.fetcher, self.request, self.gathered = fetcher, fetcher.request, fetcher.gathered
        self.services = fetcher.services
        counts = json.loads(self.gathered.body(state.NOTE, "counts") or b"{}")
        self.counts = {name: ClassCount(**count) for name, count in counts.items()}
        self.views_fault = ""
        """The reason why the fetching of page views was stopped; "" if it was not."""

    def check_class(self) -> int:
        """Returns the number of members that the requested class has.

        Raises:
            InputError: the class does not exist, is empty, or has too many members.
        """
        name = self.request.class_id
        self.fetcher.entities([name], "looking up the class")
        if self.fetcher.of(name) is None:
            raise InputError(
                f"--class {name}",
                "is no item of Wikidata, or was deleted",
                "Look for the class on wikidata.org: its address ends in its id.",
            )
        way_out = "Name a class below it, or give the anchors by --ids or --titles"
        direct = self.fetcher.number(
            f"direct count {name}", lambda: self.services.direct_count(name)
        )
        number = direct
        if direct <= MAX_CLASS:
            number = self.fetcher.number(f"count {name}", lambda: self.services.count(name))
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
        """Returns the ids of the anchors: the things that the request lists, or the results of its
        class, query or category.

        Raises: InputError: the request gives no anchors.
        """
        request = self.request
        if request.class_id:
            found = self.fetcher.list_of(
                f"anchors {request.class_id} {request.limit}",
                lambda: self.services.members(request.class_id, limit=request.limit, askable=True),
            )
            what = f"has members, and none has a picture and an article in {request.language!r}"
            where = f"--class {request.class_id}"
        elif request.query:
            found = self._selected()
            where, what = "--sparql", "selects nothing as ?item"
        elif request.category:
            walked = walk_category(self.fetcher)
            found = self._items_of(walked.titles)
            where = f"--category {request.category}"
            what = f"has no articles in {request.language!r}, or is no category"
            if walked.deeper:
                what = f"has no articles to the depth {request.category_depth}"
                what += f"; its subcategories ({walked.deeper:,}) lie deeper (--category-depth)"
        elif request.titles:
            found = self._items_of(request.titles)
            where = request.titles_option
            what = f"no title is that of an article in {request.language!r}"
        else:
            found, where, what = list(request.ids), "--ids", "holds no id"
        if not found:
            raise InputError(where, what, "Look at --language, or name others.")
        return list(dict.fromkeys(found))

    def _selected(self) -> list[str]:
        """Returns the items that the request's SPARQL query selects.

        Raises: InputError: the query selects something that is not an item.
        """
        request = self.request
        found = self.fetcher.list_of(
            f"query {request.query}", lambda: self.services.selected(request.query)
        )
        for name in found:
            if not is_item(name):
                raise InputError(
                    "--sparql",
                    f"selects {name[:80]!r} as ?item, which is no item",
                    "Select items: SELECT ?item WHERE { ?item wdt:P31 wd:Q39715 }",
                )
        return found[: request.limit]

    def _items_of(self, titles: Sequence[str]) -> list[str]:
        """Looks up the Wikidata items for article titles, and follows redirects. A title without an item is stored as
        missing."""
        known: dict[str, str] = json.loads(self.gathered.body(state.NOTE, "items") or b"{}")
        for batch in self.fetcher.batches(
            [t for t in titles if t not in known], TITLES_A_CALL, "looking up titles"
        ):
            got = self.services.items_of(batch)
            known |= got
            why = "there is no such article, or it has no item"
            lost = [row(state.TITLE, t, MISSING, why=why) for t, item in got.items() if not item]
            self.fetcher.keep([*lost, row(state.NOTE, "items", FETCHED, json.dumps(known))])
        return [known[title] for title in titles if known[title]]

    def close(self, anchors: list[str], depth: int) -> list[str]:
        """Fetches the anchors and follows their claims for `depth` steps; returns the ids of all reached entities,
        anchors first."""
        self.fetcher.keep([row(state.NOTE, "anchors", FETCHED, json.dumps(anchors))])
        self.fetcher.entities(anchors, "anchors")
        reached = dict.fromkeys(anchors)
        frontier = list(anchors)
        for step in range(depth):
            ways = [
                links
                for name in frontier
                if (links := self.fetcher.of(name)) and (not step or links.is_way)
            ]
            values = dict.fromkeys(value for links in ways for value in links.values)
            frontier = [value for value in values if value not in reached]
            self.fetcher.entities(frontier, f"values, step {step + 1}")
            reached |= dict.fromkeys(frontier)
        self._note_reached(reached)
        return list(reached)

    def _note_reached(self, names: Iterable[str]) -> None:
        """Adds ids to the folder's reached entities."""
        reached = dict.fromkeys((*names, *self._noted("reached")))
        self.fetcher.keep([row(state.NOTE, "reached", FETCHED, json.dumps([*reached]))])

    def _noted(self, note: str) -> list[str]:
        """The ids that the folder notes as "anchors" or "reached"."""
        found: list[str] = json.loads(self.gathered.body(state.NOTE, note) or b"[]")
        return found

    def slice_counts(self) -> dict[str, int]:
        """Numbers of what the folder holds for questions: anchors, anchors with an article and a picture, things to
        which claims of the anchors lead, and rivals."""
        reached, anchors = self._noted("reached"), self._noted("anchors")
        pictures, pages = (self.gathered.outcomes(kind) for kind in (state.PICTURE, state.PAGE))
        links = self.fetcher.links
        starts = {self.fetcher.final(name) for name in anchors} & links.keys()
        things = {self.fetcher.final(name) for name in reached} & links.keys()
        of_counted: dict[tuple[str, ...], bool] = {}
        for thing in links.values():
            if thing.classes not in of_counted:
                above = classes_above(thing.classes, links)
                of_counted[thing.classes] = bool(above & self.counts.keys())
        return {
            "anchors": len(starts),
            "anchors_to_ask_about": sum(
                pages.get(links[name].article) in (FETCHED, MERGED)
                and any(pictures.get(picture) == FETCHED for picture in links[name].pictures)
                for name in starts
            ),
            "things": len(things - starts),
            "rivals": sum(of_counted[links[name].classes] for name in links.keys() - things),
        }

    def gather_rivals(self, anchors: list[str]) -> None:
        """Counts the requested class, or the anchors' classes if no class is requested, and fetches the members."""
        classes: dict[str, int] = {}
        for name in anchors:
            for each in links.classes if (links := self.fetcher.of(name)) else ():
                classes[each] = classes.get(each, 0) + 1
        commonest = sorted(classes, key=lambda c: (-classes[c], number_of(c)))[:MAX_CLASSES]
        members: list[str] = []
        for name in [self.request.class_id] if self.request.class_id else commonest:
            members += self.count_class(name)
        self.fetcher.entities(members, "rivals")

    def count_class(self, name: str) -> list[str]:
        """Counts the members of a class, and returns at most `request.rivals` of them."""
        number = self.fetcher.number(
            f"direct count {name}", lambda: self.services.direct_count(name)
        )
        if number <= MAX_CLASS:
            number = self.fetcher.number(f"count {name}", lambda: self.services.count(name))
        limit, members = min(number, self.request.rivals), list[str]()
        if limit and number <= MAX_CLASS:
            members = self.fetcher.list_of(
                f"members {name} {limit}", lambda: self.services.members(name, limit=limit)
            )
        self.counts[name] = ClassCount(members=number, listed=len(members))
        counts = {name: asdict(count) for name, count in self.counts.items()}
        self.fetcher.keep([row(state.NOTE, "counts", FETCHED, json.dumps(counts))])
        return members

    def complete(self, depth: int) -> None:
        """Completes an earlier gathering. Asks again for the entities that were missing, and repeats the walk from
        the anchors. Completes the classes in `request.lacking`: fetches their counts, members and articles. Fetches
        also the things to which the claims in `request.ways` lead, and their articles.

        Args:
            depth: the number of steps from the anchors in the earlier gathering.
        """
        known = self.gathered.outcomes(state.ENTITY)
        missing = [name for name, outcome in known.items() if outcome == MISSING]
        self.fetcher.entities(missing, "what was missing", again=True)
        self.close(self._noted("anchors"), depth)  # the claims of what was missing lead on
        members = [name for each in self.request.lacking for name in self.count_class(each)]
        self.fetcher.entities(members, "members that were lacking")
        things = self._go_on()
        self.gather_words()
        self.gather_articles([*members, *things])
        self.gather_views([*members, *things])

    def _go_on(self) -> list[str]:
        """Follows the claims in `request.ways` from the reached things for `request.depth` steps. Returns the reached
        things and the ones they lead to."""
        ways: dict[str, set[str]] = {}
        for class_id, prop in self.request.ways:
            ways.setdefault(class_id, set()).add(prop)
        frontier = self._noted("reached")
        reached = dict.fromkeys(frontier)
        for step in range(self.request.depth if ways else 0):
            values = dict.fromkeys(value for name in frontier for value in self._led_to(name, ways))
            self.fetcher.entities(values, f"values that were lacking, step {step + 1}")
            frontier = list(values)
            reached |= values
        self._note_reached(reached)
        return list(reached)

    def _led_to(self, name: str, ways: Mapping[str, set[str]]) -> tuple[str, ...]:
        """The items to which an entity's claims of the given properties lead, by the entity's class."""
        links = self.fetcher.of(name)
        kinds = classes_above(links.classes, self.fetcher.links) & ways.keys() if links else ()
        if not kinds:
            return ()
        wanted = set[str]().union(*(ways[kind] for kind in kinds))
        body = json.loads(self.gathered.body(state.ENTITY, self.fetcher.final(name)) or b"{}")
        claims = {p: said for p, said in (body.get("claims") or {}).items() if p in wanted}
        return links_of({"claims": claims}, self.request.wiki).values

    def gather_words(self) -> None:
        """Fetches all superclasses, units and properties of the gathered things, because sentences
        need their labels."""
        items = [links for name, links in self.fetcher.links.items() if name.startswith("Q")]
        wanted = {n for links in items for n in (*links.classes, *links.parents, *links.units)}
        seen: set[str] = set()
        while wanted:
            self.fetcher.entities(wanted, "classes and units")
            seen |= wanted
            above = (links.parents for name in wanted if (links := self.fetcher.of(name)))
            wanted = {parent for parents in above for parent in parents} - seen
        items = [links for name, links in self.fetcher.links.items() if name.startswith("Q")]
        properties = {p for links in items for p in links.properties}
        self.fetcher.entities(properties, "properties")

    def gather_articles(self, things: Iterable[str]) -> None:
        """Fetches the articles about the given entities."""
        self.fetcher.articles(self._titles_of(things))

    def gather_views(self, things: Iterable[str]) -> None:
        """Fetches the page views of entities' articles, if they are wanted."""
        if self.request.page_views:
            self.views_fault = fetch_views(self.fetcher, self._titles_of(things))

    def _titles_of(self, things: Iterable[str]) -> list[str]:
        titles = dict.fromkeys(links.article for name in things if (links := self.fetcher.of(name)))
        return [title for title in titles if title]

    def gather_pictures(self, anchors: Iterable[str], things: Iterable[str]) -> None:
        """Fetches three kinds of pictures: pictures of the anchors, further files that depict an
        anchor, and pictures of things with an article."""
        first = dict.fromkeys(
            n for name in anchors if (li := self.fetcher.of(name)) for n in li.pictures
        )
        more = (li for name in things if (li := self.fetcher.of(name)) and li.article)
        ways = dict.fromkeys(n for li in more for n in li.pictures)
        names = list(first | self._views(anchors) | (ways if self.request.all_pictures else {}))
        self.fetcher.pictures(names)

    def _views(self, anchors: Iterable[str]) -> dict[str, None]:
        """Returns the file names of further pictures that depict the anchors."""
        views, wanted = self.request.views, [self.fetcher.final(name) for name in anchors]
        found: dict[str, None] = {}
        for (name,) in self.fetcher.batches(wanted if views else [], 1, "looking for more views"):
            more = self.fetcher.list_of(
                f"views {name} {views}", partial(self.services.depicting, name, limit=views)
            )
            found |= dict.fromkeys(more)
        return found
