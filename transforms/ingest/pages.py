"""Builds the page table: every title that a page or a link has, with its page and entity.

One task builds the table from titles, without the texts of pages. The task resolves redirects,
joins items with pages and counts links. The table is memory-mapped (about 60 bytes per title), so
that workers share the table and resolve links without a shuffle.
"""

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from questloom.files.locations import Location, listed, local_copy, open_binary, whole_file
from questloom.knowledge.readers.titles import title_reason
from questloom.transforms.ingest.classes import ClassTree
from questloom.transforms.ingest.part_files import hash64, read_parts

ARTICLE, REDIRECT, ITEM_ONLY = 0, 1, 2
"""The kind of page at a title. If several pages have the title, the lowest kind counts. Between an
article and a redirect, the newer page counts. ITEM_ONLY stands for a title that an item's sitelink
names but no page has."""
NOWHERE = -1
HOP_DOUBLINGS = 6
"""Chains of redirects are followed for up to 2^6 = 64 steps. A longer chain counts as a loop."""


class Merged:
    """Ids that were merged into other ids. An id may have been merged several times in a row."""

    def __init__(self, into: dict[str, str]) -> None:
        self.into = into
        self._names: dict[str, list[str]] = {}
        for old in sorted(into):
            self._names.setdefault(self(old), []).append(old)

    def __call__(self, entity_id: str) -> str:
        seen = set()
        while entity_id in self.into and entity_id not in seen:
            seen.add(entity_id)
            entity_id = self.into[entity_id]
        return entity_id

    def names(self, entity_id: str) -> tuple[str, ...]:
        """The ids that were merged into this id, sorted."""
        return tuple(self._names.get(entity_id, ()))


class PageTable:
    """The page table with look-ups by title, for the tasks that complete articles.

    Args:
        folder: the folder in which `build_pages` wrote the table.
    """

    def __init__(self, folder: Location) -> None:
        table = (
            pa.ipc.open_file(pa.memory_map(str(local_copy(folder / "pages.arrow"))))
            .read_all()
            .combine_chunks()
        )
        self._hash, self.target, self.state, self.in_degree = (
            table.column(name).chunk(0).to_numpy(zero_copy_only=True)
            if table.num_rows
            else np.zeros(0, np.int64)
            for name in ("hash", "target", "state", "in_degree")
        )
        self._title, self._entity, self._reason = (
            table.column(name) for name in ("title", "entity", "reason")
        )
        self._redirects = np.load(local_copy(folder / "redirects.npy"), mmap_mode="r")
        self._redirect_targets = np.load(local_copy(folder / "redirect_targets.npy"), mmap_mode="r")

    def row(self, title: str) -> int:
        """The row of a title; NOWHERE if the table lacks the title."""
        if not len(self._hash):
            return NOWHERE
        number = np.uint64(hash64(title))
        row = int(self._hash.searchsorted(number))
        return row if row < len(self._hash) and self._hash[row] == number else NOWHERE

    def resolve(self, title: str) -> int:
        """The row to which a title leads after all redirects; NOWHERE if there is none."""
        row = self.row(title)
        return int(self.target[row]) if row != NOWHERE else NOWHERE

    def title(self, row: int) -> str:
        return self._title[row].as_py()

    def entity(self, row: int) -> str:
        """The entity of a row; "" for a redirect, or for a page that is not an article."""
        return self._entity[row].as_py()

    def reason(self, row: int) -> str:
        """The reason why the page of a row is dropped; "" if the page is kept."""
        return self._reason[row].as_py()

    def entity_of(self, title: str) -> str:
        """The entity to which a title leads after all redirects; "" if there is none."""
        row = self.resolve(title)
        return self.entity(row) if row != NOWHERE else ""

    def redirects_to(self, row: int) -> tuple[str, ...]:
        """The titles that redirect to a row, sorted."""
        start, stop = (
            self._redirect_targets.searchsorted(row),
            self._redirect_targets.searchsorted(row, "right"),
        )
        return tuple(sorted(self.title(int(r)) for r in self._redirects[start:stop]))

    def titles(self) -> pa.Table:
        """The store's table `titles`: (key, record) of every title that has an entity, sorted by
        title."""
        found = np.flatnonzero(self.target != NOWHERE)
        entities = self._entity.take(pa.array(self.target[found]))
        table = pa.table(
            {"key": self._title.take(pa.array(found)), "record": entities.cast(pa.large_binary())}
        )
        return table.filter(pc.not_equal(entities, "")).sort_by("key")


def build_pages(
    parts: Location, folder: Location, wiki: str, tree: ClassTree, merged: Merged
) -> None:
    """Builds the page table.

    Args:
        parts: the folder of part files. Rows of kind `page` are (title, `revision_order`, item).
            Rows of kind `redirect` are (title, order, target), where the order is `revision_order`
            followed by the target. Rows of kind `sitelink` are (title, entity id, entity id,
            classes separated by blanks). Files of kind `links` hold arrays of `link_array`.
        folder: the folder for the table.
        wiki: the wiki's name, for the ids of articles without an item.
        tree: the class tree, which shows whether an item can be the subject of an article.
        merged: ids that were merged into other ids.
    """
    pages, redirects, sitelinks = (
        _first_of_title(read_parts(parts, kind)) for kind in ("page", "redirect", "sitelink")
    )
    rows = pa.concat_tables(
        t.append_column("state", pa.array(np.full(t.num_rows, state, np.uint8)))
        for state, t in ((ARTICLE, pages), (REDIRECT, redirects), (ITEM_ONLY, sitelinks))
    )
    hashes, states = _hashes(rows.column("key")), rows.column("state").to_numpy()
    order = np.lexsort((states, hashes))
    order = np.delete(order, _older_than_redirect(order, hashes, states, rows.column("order")))
    order = order[np.diff(hashes[order], prepend=np.uint64(0)) != 0]
    hashes, rows, state = hashes[order], rows.take(pa.array(order)).combine_chunks(), states[order]
    target = _resolve(hashes, state, rows.column("record"))
    entity, reason = _join(rows, hashes, state, sitelinks, wiki, tree, merged)
    gone = np.fromiter(map(bool, reason), bool, len(reason))
    target = (
        np.where((target != NOWHERE) & ~gone[target], target, NOWHERE) if len(target) else target
    )
    table = pa.table(
        {
            "hash": hashes,
            "title": rows.column("key"),
            "state": state,
            "target": target.astype(np.int32),
            "entity": pa.array(entity, pa.string()),
            "reason": pa.array(reason, pa.string()),
            "in_degree": _in_degree(
                listed(parts / "links", "*.npy"), hashes, target, _revisions(rows, state)
            ),
        }
    )
    with (
        whole_file(folder / "pages.arrow") as part,
        pa.OSFile(str(part), "wb") as sink,
        pa.ipc.new_file(sink, table.schema) as writer,
    ):
        writer.write_table(table)
    leading = np.flatnonzero((state == REDIRECT) & (target != NOWHERE))
    leading = leading[np.argsort(target[leading], kind="stable")]
    for name, numbers in (("redirects.npy", leading), ("redirect_targets.npy", target[leading])):
        with whole_file(folder / name) as part, open(part, "wb") as file:
            np.save(file, numbers.astype(np.int32))


def revision_order(revision: int, page_id: int, timestamp: str = "") -> str:
    """A sort key that puts the newest revision of a title first. Revisions are compared by time,
    then by number.

    A revision without a time (a page of a ZIM) comes after revisions with a time
    ("2026-01-02T03:04:05Z").
    """
    time = int("".join(c for c in timestamp if c in "0123456789")[:14] or "0")
    return f"{_LAST_TIME - time:014d} {_LAST_REVISION - revision:012d} {page_id:012d}"


def link_array(title: str, revision: int, targets: Iterable[str]) -> np.ndarray:
    """The links of one article as a uint64 array of shape (number of links, 3). Each row has the
    hash of the article's title, the hash of the link's target, and the revision."""
    source = hash64(title)
    return np.array(
        [(source, hash64(t), revision) for t in sorted(set(targets))], np.uint64
    ).reshape(-1, 3)


_LAST_TIME, _LAST_REVISION = 10**14 - 1, 10**12 - 1
_REVISION, _NEWNESS = slice(15, 27), 27
"""Positions in the sort keys that `revision_order` makes: the digits of the revision's number, and
the length of the prefix that decides which revision is newer."""


def _revisions(rows: pa.Table, state: np.ndarray) -> np.ndarray:
    """The revision of the article of each row of the table; 0 for a row without an article."""
    return np.array(
        [
            _LAST_REVISION - int(order[_REVISION]) if s == ARTICLE else 0
            for order, s in zip(rows.column("order").to_pylist(), state, strict=True)
        ],
        np.uint64,
    )


def _first_of_title(rows: pa.Table) -> pa.Table:
    """The first row of each title. The rows must be sorted by (title, order)."""
    if not rows.num_rows:
        return rows
    keys = rows.column("key").combine_chunks()
    return rows.filter(pa.concat_arrays([pa.array([True]), pc.not_equal(keys[1:], keys[:-1])]))


def _older_than_redirect(
    order: np.ndarray, hashes: np.ndarray, states: np.ndarray, orders: pa.ChunkedArray
) -> list[int]:
    """Finds articles whose title has become a redirect in a newer revision, as positions in `order`
    (sorted by hash, then by state)."""
    this, following = order[:-1], order[1:]
    twice = (
        (hashes[this] == hashes[following])
        & (states[this] == ARTICLE)
        & (states[following] == REDIRECT)
    )
    return [
        at
        for at in map(int, np.flatnonzero(twice))
        if orders[int(order[at + 1])].as_py()[:_NEWNESS] < orders[int(order[at])].as_py()[:_NEWNESS]
    ]


def _hashes(titles: pa.ChunkedArray) -> np.ndarray:
    return np.fromiter(
        (hash64(t) for chunk in titles.chunks for t in chunk.to_pylist()), np.uint64, len(titles)
    )


def _rows_of(hashes: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The row of each wanted hash; NOWHERE for a hash that is missing."""
    if not len(hashes):
        return np.full(len(wanted), NOWHERE, np.int64)
    found = np.minimum(hashes.searchsorted(wanted), len(hashes) - 1)
    return np.where(hashes[found] == wanted, found, NOWHERE)


def _resolve(hashes: np.ndarray, state: np.ndarray, targets: pa.ChunkedArray) -> np.ndarray:
    """For each row, the row at the end of its chain of redirects. The result is the row itself,
    another row, or NOWHERE."""
    leads = np.arange(len(hashes))
    redirects = np.flatnonzero(state == REDIRECT)
    leads[redirects] = _rows_of(
        hashes, _hashes(targets.take(pa.array(redirects)).cast(pa.string()))
    )
    for _ in range(HOP_DOUBLINGS):
        leads = np.where(leads == NOWHERE, NOWHERE, leads[leads]) if len(leads) else leads
    return (
        np.where((leads != NOWHERE) & (state[leads] != REDIRECT), leads, NOWHERE)
        if len(leads)
        else leads
    )


def _join(
    rows: pa.Table,
    hashes: np.ndarray,
    state: np.ndarray,
    sitelinks: pa.Table,
    wiki: str,
    tree: ClassTree,
    merged: Merged,
) -> tuple[list[str], list[str]]:
    """The entity of each row and the reason why its page is dropped. The entity comes from a
    sitelink, or from the page's own item. If both are missing, a new id is made.

    The classes of an item decide whether its page is an article. Where the classes are unknown, the
    title decides.
    """
    link_of = np.full(len(hashes), NOWHERE)
    link_rows = _rows_of(hashes, _hashes(sitelinks.column("key")))
    link_of[link_rows] = np.arange(len(link_rows))
    items, classes = sitelinks.column("record"), sitelinks.column("extra")
    titles, own = rows.column("key").to_pylist(), rows.column("record")
    entity, reason = [""] * len(titles), [""] * len(titles)
    for row in map(int, np.flatnonzero(state != REDIRECT)):
        link, known = link_of[row], []
        if link != NOWHERE:
            entity[row], known = (
                items[link].as_py().decode(),
                classes[link].as_py().decode().split(),
            )
        elif state[row] == ARTICLE:
            entity[row] = own[row].as_py().decode()
        entity[row] = merged(entity[row]) or f"{wiki}:{titles[row]}"
        reason[row] = (tree.reason(known) if known else title_reason(titles[row])) or ""
    articles = [row for row in map(int, np.flatnonzero(state == ARTICLE)) if not reason[row]]
    by_entity = np.fromiter((hash64(entity[row]) for row in articles), np.uint64, len(articles))
    _, inverse, counts = np.unique(by_entity, return_inverse=True, return_counts=True)
    doubles: dict[str, list[int]] = {}
    for i in np.flatnonzero(counts[inverse] > 1):
        doubles.setdefault(entity[articles[i]], []).append(articles[i])
    for several in doubles.values():
        for row in sorted(several, key=lambda r: (link_of[r] == NOWHERE, titles[r]))[1:]:
            entity[row] = f"{wiki}:{titles[row]}"
    return entity, reason


def _in_degree(
    files: list[Location], hashes: np.ndarray, target: np.ndarray, revisions: np.ndarray
) -> np.ndarray:
    """Number of other articles that link to each row, after all redirects. Each article counts
    once, in the revision that is kept."""
    in_degree, seen = np.zeros(len(hashes), np.int32), np.zeros(len(hashes), bool)
    for path in files:
        with open_binary(path) as file:
            links = np.load(file)
        source = _rows_of(hashes, links[:, 0])
        valid = (
            (source != NOWHERE)
            & (target[source] == source)
            & (revisions[source] == links[:, 2])
            & ~seen[source]
        )
        source, goal = source[valid], _rows_of(hashes, links[valid, 1])
        seen[source] = True
        goal = np.where(goal != NOWHERE, target[goal], NOWHERE)
        counted = (goal != NOWHERE) & (goal != source)
        pairs = np.unique(source[counted] * len(hashes) + goal[counted])
        rows, counts = np.unique(pairs % max(1, len(hashes)), return_counts=True)
        in_degree[rows] += counts.astype(np.int32)
    return in_degree
