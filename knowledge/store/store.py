"""All look-ups in a store that the rest of the program uses."""

import json
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from typing import Any, TypeVar

from questloom.files.locations import location
from questloom.knowledge.dates import overlapping
from questloom.knowledge.store.codec import unpack
from questloom.knowledge.store.layout import META, STORE_VERSION, value_row_key
from questloom.knowledge.store.sorted_table import SortedTable
from questloom.records.errors import InputError
from questloom.records.knowledge import (
    Article,
    Claim,
    Entity,
    ImageAsset,
    PropertyInfo,
    PropertyProfile,
)
from questloom.records.table import Record

R = TypeVar("R", bound=Record)
CACHED_ENTITIES = 16_384
CACHED_CLAIMS = 8_192
CACHED_RECORDS = 2_048
CACHED_INBOUND = 2_048
"""Number of things whose inbound claims stay in memory, where a look-up asks for at most
`FEW_INBOUND` of them. Growing plans asks for the same things again and again."""
FEW_INBOUND = 200
CACHED_COUNTS = 65_536
"""Number of cached results that are small: numbers and profiles. A profile (how a class uses a
property) consists of a few numbers."""
REFERRING = 500
"""The approximate number of pages that `Store.references` samples."""


class Store:
    """Looks up entities, claims, articles and pictures of one ingested snapshot. Open one store per
    process. A store that is pickled contains only its path.

    Results are cached in LRU caches of fixed length, so the memory stays limited for stores of any
    size. All look-ups return results in a fixed order.

    Attributes:
        path: folder or URL of the store.
        meta: the contents of meta.json: wiki, address of its main page, languages, snapshot date,
            names and dates of dumps, number of rows and digest of each table, digest of the whole
            store, stated counts of classes.
    """

    def __init__(self, path: str, meta: dict[str, Any]) -> None:
        self.path, self.meta = path, meta
        self._tables = {name: SortedTable(path, name) for name in meta["tables"]}
        self._entity = lru_cache(CACHED_ENTITIES)(self._reader("entities", Entity))
        self._claims = lru_cache(CACHED_CLAIMS)(self._read_claims)
        self._inbound = lru_cache(CACHED_INBOUND)(self._read_inbound)
        self._article = lru_cache(CACHED_RECORDS)(self._reader("articles", Article))
        self._image = lru_cache(CACHED_RECORDS)(self._reader("images", ImageAsset))
        self._property = lru_cache(CACHED_RECORDS)(self._reader("properties", PropertyInfo))
        self._profile = lru_cache(CACHED_COUNTS)(self._reader("profiles", PropertyProfile))
        self._num_subjects = lru_cache(CACHED_COUNTS)(self._count_subjects)
        self._num_members = lru_cache(CACHED_COUNTS)(lambda c: self._count("members", c))

    @classmethod
    def open(cls, path: str) -> "Store":
        """Opens a store for look-ups.

        Raises: InputError: the store does not exist, is incomplete or damaged, or has another version.
        """
        path = str(path).rstrip("/")
        try:
            meta = json.loads(location(path, META).read_bytes())
            version = meta["version"]
        except (FileNotFoundError, NotADirectoryError) as error:
            folder = location(path)
            if (folder / "world.json").exists():
                fix = f"Run `questloom ingest --articles {path}/articles.xml.bz2 --entities {path}/entities.json.bz2 --images {path}/images --store STORE`"
                raise InputError(
                    path, "is a world, not a store", f"{fix}, and give that STORE."
                ) from error
            if folder.is_dir() and any(folder.iterdir()):
                raise InputError(
                    path,
                    "the store is half-built: it has no meta.json, which is written last",
                    "Run `questloom ingest` with the same options again; finished parts are kept.",
                ) from error
            raise InputError(
                path, "no store is there", "Write one with `questloom ingest`, or correct --store."
            ) from error
        except (ValueError, KeyError, TypeError) as error:
            raise InputError(
                f"{path}/{META}",
                f"cannot be read ({error})",
                "Remove the store and run `questloom ingest` again.",
            ) from error
        if version != STORE_VERSION:
            raise InputError(
                path,
                f"the store has version {version}; this program reads version {STORE_VERSION}",
                "Run `questloom ingest` again into a new folder.",
            )
        try:
            return cls(path, meta)
        except OSError as error:
            raise InputError(
                path,
                f"a table of the store cannot be opened ({error})",
                "Remove the store and run `questloom ingest` again.",
            ) from error

    def __reduce__(self):
        return Store.open, (self.path,)

    @property
    def pages(self) -> str:
        """The address of the wiki's pages, without the title."""
        base = self.meta.get("base", "")
        if "/wiki/" in base:
            return base.partition("/wiki/")[0] + "/wiki/"
        return f"https://{self.edition}.wikipedia.org/wiki/"

    @property
    def edition(self) -> str:
        """The language of the wiki whose pages the store holds, as in its address."""
        return self.meta["wiki"].removesuffix("wiki").replace("_", "-") or "en"

    @property
    def language(self) -> str:
        """The language of names, if nobody asks for another one."""
        return self.edition

    # Entities and claims

    def entity(self, entity_id: str) -> Entity | None:
        """The entity with this id, or None if the store lacks it. For the id of a merged entity,
        the result is the entity into which it was merged."""
        return self._entity(entity_id) or self._entity(
            (self._tables["merged"].get(entity_id) or b"").decode()
        )

    def entities(self, ids: Iterable[str]) -> dict[str, Entity]:
        """The entities with these ids; ids that the store lacks are left out."""
        return {i: e for i in ids if (e := self.entity(i)) is not None}

    def label(self, entity_id: str, language: str = "en") -> str:
        """The entity's label, or its id if the store lacks the entity."""
        entity = self.entity(entity_id)
        return entity.label(language) if entity else entity_id

    def claims(self, subject: str) -> tuple[Claim, ...]:
        """All claims about the subject (best or not, from any source), sorted by (property, value key, id)."""
        return self._claims(subject)

    def subjects(self, property: str, value_key: str, *, limit: int = 10_000) -> tuple[str, ...]:
        """The first `limit` subjects that have a best claim with this value, sorted. A date also
        matches other dates that may mean the same date ("4 May 1832" for 1832)."""
        rows = self._tables["values"]
        spans = self._spans(property, value_key)
        if len(spans) == 1:
            start, stop = spans[0]
            return tuple(rows.ids(start, min(stop, start + limit)))
        return tuple(sorted({subject for span in spans for subject in rows.ids(*span)})[:limit])

    def num_subjects(self, property: str, value_key: str) -> int:
        """The number of subjects that `subjects` returns without a limit; a subject with several matching dates counts
        once per date."""
        return self._num_subjects(property, value_key)

    def _count_subjects(self, property: str, value_key: str) -> int:
        return sum(stop - start for start, stop in self._spans(property, value_key))

    def _spans(self, property: str, value_key: str) -> list[tuple[int, int]]:
        """The rows of the table `values` whose values may equal a given value."""
        rows = self._tables["values"]
        if not value_key.startswith("time:"):
            return [rows.find(value_row_key(property, value_key))]
        return [
            rows.find_range(*(value_row_key(property, end) for end in ends))
            for ends in overlapping(value_key)
        ]

    def subjects_by_value(self, property: str) -> Iterator[tuple[str, list[str]]]:
        """The keys of the values of the property's best claims, each with its subjects, all sorted.
        A long list may come in several parts, one after the other. A value may have two keys; see
        `questloom.knowledge.dates.index_keys`."""
        first, last = value_row_key(property, ""), f"{property}!"  # "!" follows the space
        for key, subjects in self._tables["values"].scan_ids(first, last):
            yield key[len(first) :], subjects

    def claims_into(self, entity_id: str, *, limit: int = 10_000) -> tuple[Claim, ...]:
        """The first `limit` best claims whose value is this entity, sorted by (subject, property, id)."""
        read = self._inbound if limit <= FEW_INBOUND else self._read_inbound
        return read(entity_id, limit)

    def members(self, class_id: str, *, limit: int = 10_000) -> tuple[str, ...]:
        """The first `limit` instances of the class or its subclasses, sorted."""
        return self._ids("members", class_id, limit)

    def num_members(self, class_id: str) -> int:
        """The number of instances that `members` returns without a limit."""
        return self._num_members(class_id)

    def stated_members(self, class_id: str) -> int | None:
        """The number of instances of the class and its subclasses according to the whole Wikidata;
        None if the dumps do not state this number."""
        return self.meta.get("class_counts", {}).get(class_id)

    def property(self, property_id: str) -> PropertyInfo | None:
        """The definition of the property; None if the entity dump does not define it."""
        return self._property(property_id)

    def profile(self, property_id: str, class_id: str = "") -> PropertyProfile:
        """How the instances of the class use the property; all counts are 0 if no instance uses it."""
        return self._profile(f"{property_id} {class_id}") or PropertyProfile(
            property=property_id, class_id=class_id
        )

    # Articles and pictures

    def article(self, entity_id: str) -> Article | None:
        """The article about the entity, or None if there is no article."""
        return self._article(entity_id)

    def entity_of_title(self, title: str) -> str | None:
        """The id of the entity that a page describes, by the normalised title of the page or of a
        redirect to the page; None if the title is unknown."""
        data = self._tables["titles"].get(title)
        return None if data is None else data.decode()

    def references(self) -> tuple[int, int]:
        """Samples pages, and counts the distinct things that the sampled pages name. Returns
        (number of named things that the store holds, number of all named things).

        A page names things by its links and by the claims of its entity.

        The quotient of the two numbers estimates how completely the store covers its subject,
        because links and claims also name entities that the store lacks. The sample consists of
        about `REFERRING` evenly spread pages. For a store without pages, the result is (0, 0).
        """
        num_pages = self.num_rows("articles")
        named: dict[str, bool] = {}
        for number in range(0, num_pages, max(1, num_pages // REFERRING)):
            for article in self.scan_articles(number, number + 1):
                named.update(
                    (link.target, self.entity_of_title(link.target) is not None)
                    for link in article.links
                )
                items = [
                    c.value.entity
                    for c in self.claims(article.entity_id)
                    if c.best and c.value.kind == "entity"
                ]
                named.update((item, self.entity(item) is not None) for item in items)
        return sum(named.values()), len(named)

    def image(self, image_id: str) -> ImageAsset | None:
        """The record of a picture, or None if the store lacks it."""
        return self._image(image_id)

    def image_bytes(self, image_id: str) -> bytes:
        """The unchanged bytes of a picture's file.

        Raises:
            KeyError: the store has no such picture.
        """
        data = self._tables["images"].value(image_id, "bytes")
        if data is None:
            raise KeyError(image_id)
        return data

    def image_row(self, image_id: str) -> int:
        """The picture's row in the table of pictures, which is also its row in that of vectors."""
        return self._tables["images"].find(image_id)[0]

    def images_of(self, entity_id: str) -> tuple[ImageAsset, ...]:
        """The pictures that show the entity, sorted by image id."""
        found = (
            self.image(i)
            for i in self._ids("pictured", entity_id, self._tables["pictured"].num_rows)
        )
        return tuple(image for image in found if image is not None)

    def is_pictured(self, entity_id: str) -> bool:
        """Whether some picture shows the entity. No record of a picture is read."""
        return self._count("pictured", entity_id) > 0

    # Whole tables, for jobs that read the store from end to end

    def num_rows(self, table: str) -> int:
        """The number of rows in a table; jobs use this number to split scans into ranges."""
        return self._tables[table].num_rows

    def scan_entities(self, start: int = 0, stop: int | None = None) -> Iterator[Entity]:
        """Streams the entities in the rows [start, stop), sorted by id."""
        return (unpack(Entity, data) for data in self._tables["entities"].scan(start, stop))

    def scan_articles(self, start: int = 0, stop: int | None = None) -> Iterator[Article]:
        """Streams the articles, sorted by the ids of their entities."""
        return (unpack(Article, data) for data in self._tables["articles"].scan(start, stop))

    def scan_images(self, start: int = 0, stop: int | None = None) -> Iterator[ImageAsset]:
        """Streams the pictures, sorted by id."""
        return (unpack(ImageAsset, data) for data in self._tables["images"].scan(start, stop))

    def _reader(self, table: str, kind: type[R]) -> Callable[[str], R | None]:
        rows = self._tables[table]

        def read(key: str) -> R | None:
            data = rows.get(key)
            return None if data is None else unpack(kind, data)

        return read

    def _read_claims(self, subject: str) -> tuple[Claim, ...]:
        table = self._tables["claims"]
        return tuple(unpack(Claim, data) for data in table.records(*table.find(subject)))

    def _read_inbound(self, entity_id: str, limit: int) -> tuple[Claim, ...]:
        table = self._tables["inbound"]
        start, stop = table.find(entity_id)
        return tuple(unpack(Claim, data) for data in table.records(start, min(stop, start + limit)))

    def _ids(self, table: str, key: str, limit: int) -> tuple[str, ...]:
        rows = self._tables[table]
        start, stop = rows.find(key)
        return tuple(rows.ids(start, min(stop, start + limit)))

    def _count(self, table: str, key: str) -> int:
        start, stop = self._tables[table].find(key)
        return stop - start
