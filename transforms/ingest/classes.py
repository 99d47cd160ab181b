"""Finds all superclasses of a class through P279 (subclass of), and derives domain and topic from
them."""

import json
from collections import deque
from collections.abc import Iterable
from functools import cached_property, lru_cache
from importlib import resources

import numpy as np
import pyarrow as pa

from questloom.files.locations import Location, local_copy, whole_file
from questloom.records.outcomes import Reason

CACHED_CLASSES = 65_536
MAX_ANCESTORS = 2_000
"""Maximum number of ancestors of a class. Wikidata's class graph has loops, and a few classes have
hundreds of ancestors. Ancestors beyond `MAX_ANCESTORS` are useless."""

_DATA = json.loads(
    resources.files("questloom.transforms.ingest").joinpath("data/classes.json").read_text()
)


def _ranks(table: str) -> dict[str, tuple[int, str]]:
    """Maps each class id to (position in the file, meaning)."""
    return {
        class_id: (place, meaning)
        for place, (meaning, ids) in enumerate(_DATA[table].items())
        for class_id in reversed(ids)
    }


NOT_ARTICLES, DOMAIN_CLASSES, TOPIC_CLASSES, OCCUPATIONS = map(
    _ranks, ("not_articles", "domains", "topics", "occupation_topics")
)


class ClassTree:
    """The superclasses of every class, in a memory-mapped file that the workers of a machine share.
    The file has 16 bytes per P279 statement.

    Args:
        path: the file that `write_class_edges` wrote.
    """

    def __init__(self, path: Location) -> None:
        self._path = path
        self.ancestors = lru_cache(CACHED_CLASSES)(self._ancestors)

    @cached_property
    def _edges(self) -> tuple[np.ndarray, np.ndarray]:
        table = pa.ipc.open_file(pa.memory_map(str(local_copy(self._path)))).read_all()
        child, parent = (
            table.column(i).combine_chunks().to_numpy(zero_copy_only=True) for i in range(2)
        )
        return child, parent

    def _ancestors(self, class_id: str) -> dict[str, int]:
        """Every superclass of a class with its distance, nearest first. The class itself has distance 0."""
        child, parent = self._edges
        found, queue = {class_id: 0}, deque([class_id])
        while queue and len(found) < MAX_ANCESTORS:
            current = queue.popleft()
            number = _number(current)
            start, stop = child.searchsorted(number), child.searchsorted(number, "right")
            for above in parent[start:stop]:
                name = f"Q{above}"
                if name not in found:
                    found[name] = found[current] + 1
                    queue.append(name)
        return found

    def closure(self, classes: Iterable[str]) -> tuple[str, ...]:
        """The given classes and all their superclasses, sorted."""
        return tuple(sorted({above for c in classes for above in self.ancestors(c)}))

    def nearest(self, classes: Iterable[str], ranks: dict[str, tuple[int, str]]) -> str:
        """The meaning of the nearest superclass that the table lists; "" if the table lists
        none."""
        found = [
            (distance, *ranks[above])
            for c in classes
            for above, distance in self.ancestors(c).items()
            if above in ranks
        ]
        return min(found)[2] if found else ""

    def reason(self, classes: Iterable[str]) -> Reason | None:
        """The reason why an item of these classes cannot be the subject of an article; None where
        the item can."""
        meaning = self.nearest(classes, NOT_ARTICLES)
        return Reason(meaning) if meaning else None


def write_class_edges(path: Location, edges: Iterable[tuple[str, str]]) -> int:
    """Writes (class, superclass) pairs for `ClassTree` and returns their number."""
    pairs = np.array(
        sorted({(_number(a), _number(b)) for a, b in edges} - {(-1, -1)}), np.int64
    ).reshape(-1, 2)
    pairs = pairs[(pairs >= 0).all(1)]
    table = pa.table({"child": pa.array(pairs[:, 0]), "parent": pa.array(pairs[:, 1])})
    with (
        whole_file(path) as part,
        pa.OSFile(str(part), "wb") as sink,
        pa.ipc.new_file(sink, table.schema) as writer,
    ):
        writer.write_table(table)
    return len(pairs)


def _number(class_id: str) -> int:
    """The number of a QID (42 of "Q42"). -1 for any other string, since P279 statements have only
    QIDs."""
    return int(class_id[1:]) if class_id[:1] == "Q" and class_id[1:].isdigit() else -1


def domain_of(tree: ClassTree, classes: Iterable[str]) -> str:
    """The domain of a thing: one of the five coarse domains of OpenSearch-VL, or "other"."""
    return tree.nearest(classes, DOMAIN_CLASSES) or "other"


def topic_of(tree: ClassTree, classes: Iterable[str], occupations: Iterable[str]) -> str:
    """The topic of a thing: one of the eleven domains of ODE, or "". A person's topic comes from
    the occupation, and any other thing's topic from its class."""
    return tree.nearest(occupations, OCCUPATIONS) or tree.nearest(classes, TOPIC_CLASSES)
