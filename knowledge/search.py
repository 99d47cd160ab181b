"""Text search (BM25) and exact picture search in a store. Callers pass vectors, because this module loads no model."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from questloom.knowledge.store.codec import unpack
from questloom.knowledge.store.lance_files import open_lance, reading
from questloom.knowledge.store.layout import table_path
from questloom.knowledge.store.store import Store
from questloom.knowledge.store.vectors import load_vectors
from questloom.records.identity import rounded
from questloom.records.knowledge import Passage

_SPARE = 32
_VECTOR_ROWS = 65_536
_NO_WORDS = re.compile(r"[^\w]+")


@dataclass(frozen=True, kw_only=True)
class PassageHit:
    """A passage and its BM25 score (rounded; higher is better)."""

    passage: Passage
    score: float


@dataclass(frozen=True, kw_only=True)
class PictureHit:
    """A picture and its cosine similarity to the query (rounded)."""

    image_id: str
    score: float


class TextSearch:
    """BM25 search over the titles and texts of passages. A passage is found if it contains any word
    of the query. Passages with equal scores are ordered by passage id."""

    def __init__(self, store: Store) -> None:
        self._passages = open_lance(table_path(store.path, "passages"))
        self._store, self._empty = store.path, self._passages.count_rows() == 0

    def search(self, query: str, k: int) -> list[PassageHit]:
        """Returns the best `k` passages, or no passages if the query contains no words.

        The search fetches more than `k` passages and sorts them itself, because Lance orders equal
        scores by row, and scores differ in their last digits.
        """
        words = _NO_WORDS.sub(" ", query).strip()
        if self._empty or not words or k < 1:
            return []
        with reading(self._store):
            found = self._passages.to_table(
                columns=["record", "text", "_score"], full_text_query=words, limit=k + _SPARE
            )
        hits = []
        for data, text, score in zip(
            *(found.column(c).to_pylist() for c in ("record", "text", "_score")), strict=True
        ):
            passage = unpack(Passage, data)
            hits.append(
                PassageHit(
                    passage=passage.replace(text=text[len(passage.title) + 1 :]),
                    score=rounded(score),
                )
            )
        return sorted(hits, key=lambda hit: (-hit.score, hit.passage.id))[:k]


class PictureSearch:
    """Exact search by cosine similarity over all picture vectors of the store. The picture vectors
    stay in memory (2 kB per picture at width 512).

    Attributes:
        model: name of the model that computed the vectors; query vectors must come from the same model.
    """

    def __init__(self, store: Store) -> None:
        self._ids, self._vectors, self.model = load_vectors(store.path)

    def search(self, vector: np.ndarray, k: int) -> list[PictureHit]:
        """Returns the best `k` pictures for a unit vector (width,). Pictures with equal scores are ordered by image
        id."""
        (hits,) = self.search_many(np.asarray(vector)[None], k)
        return hits

    def search_many(self, vectors: np.ndarray, k: int) -> list[list[PictureHit]]:
        """Returns the best `k` pictures for each unit vector of an array (queries, width)."""
        return [
            self._best(np.concatenate(columns) if columns else np.zeros(0), k)
            for columns in self._scores(np.asarray(vectors, np.float32))
        ]

    def _scores(self, vectors: np.ndarray) -> Iterable[list[np.ndarray]]:
        # One query at a time: the shape of the product decides its rounding, and must not depend on the other queries.
        for vector in vectors:
            yield [
                self._vectors[i : i + _VECTOR_ROWS] @ vector
                for i in range(0, len(self._ids), _VECTOR_ROWS)
            ]

    def _best(self, scores: np.ndarray, k: int) -> list[PictureHit]:
        scores = np.round(scores, 4) + np.float32(0)
        if k < len(scores):
            cut = np.partition(scores, len(scores) - k)[len(scores) - k]
            rows = np.flatnonzero(scores >= cut)
        else:
            rows = np.arange(len(scores))
        # Rows are in the order of ids, so a stable sort breaks ties by id.
        rows = rows[np.argsort(-scores[rows], kind="stable")][:k]
        return [PictureHit(image_id=self._ids[row], score=rounded(scores[row])) for row in rows]
