"""The default provider gives tools the passages, pictures and pages of a local store, without a
network.

Text search uses BM25. Search by a picture uses CLIP vectors. The same picture in another size or
file comes first; perceptual hashes and pixels reveal it. Search by words takes pictures alternately
from two sources: the pages that BM25 finds, and the pictures nearest to CLIP's text vector. The
search needs BM25 and CLIP, because CLIP does not know every name, and a page does not describe all
its pictures. No search returns the question's own picture. The picture is recognised by its looks,
and by its id if the caller gives the id.
"""

import asyncio
import functools
import itertools
import re
import urllib.parse
from collections.abc import Collection, Iterable
from dataclasses import dataclass

import numpy as np

from questloom.agent.providers.provider import (
    Answered,
    Block,
    Page,
    PageHit,
    PageLink,
    PagePicture,
    PictureHit,
)
from questloom.agent.turns.image_bank import MAX_HASH_BITS, ImageBank
from questloom.agent.turns.tool_output import model_fault
from questloom.knowledge.licences import may_be_given_on
from questloom.knowledge.readers.titles import normalise_title
from questloom.knowledge.search import PictureSearch, TextSearch
from questloom.knowledge.store import Store
from questloom.models.clip import Clip
from questloom.models.picture_file import PictureError
from questloom.records.errors import InputError
from questloom.records.knowledge import Article, ImageAsset, Passage

NUM_PAGES = 8
"""To find pictures by words, a search takes the pictures of this number of best pages."""
PASSAGES_A_PAGE = 3
MORE_PAGES = 12
"""After the hits with pictures, a search by a picture lists this number of further pages without
their pictures, far fewer than web search engines list. If the CLIP model is small or many things
are similar, the right page is seldom among the first four."""
PICTURES_A_PAGE = 4
"""To list pages, a search by a picture reads this number of nearest picture vectors per page."""
MAX_LINKS = 400
CACHED_PAGES = 1024
CACHED_FILES = 256
"""The number of cached pictures; each takes about 100 kB."""
_FILE = re.compile(r"\.(?:jpe?g|png|svg|gif|tiff?|webp)$", re.I)
CACHED_VECTORS = 4096


@dataclass(frozen=True)
class _Hashes:
    """The perceptual hashes of the pictures in the store."""

    ids: tuple[str, ...]
    bits: np.ndarray
    """(pictures,) uint64."""

    def near(self, bits: int) -> list[str]:
        distances = np.bitwise_count(self.bits ^ np.uint64(bits))
        return [self.ids[row] for row in np.flatnonzero(distances <= MAX_HASH_BITS)]


class LocalProvider:
    """Searches one local store and reads its pages. Open one provider per process; its methods may
    run concurrently.

    Args:
        store: an ingested store; picture searches need its picture vectors.
        clip: the CLIP checkpoint that computed the vectors.
        licences: allowed families of licences of shown pictures (`knowledge/licences.py`). Episodes
            with other pictures could not be redistributed. If `licences` is None, all pictures are
            shown.
    """

    def __init__(
        self, store: Store, clip: Clip, *, licences: Collection[str] | None = None
    ) -> None:
        self.store, self.clip = store, clip
        self._licences = None if licences is None else frozenset(licences)
        self.text = TextSearch(store)
        self._page = functools.lru_cache(CACHED_PAGES)(self._read_page)
        self._file = functools.lru_cache(CACHED_FILES)(store.image_bytes)
        self._vectors = functools.lru_cache(CACHED_VECTORS)(self._text_vector)
        self._by_picture: dict[str, np.ndarray] = {}
        self._twins = functools.lru_cache(CACHED_VECTORS)(lambda bits: self._hashes.near(bits))

    @functools.cached_property
    def pictures(self) -> PictureSearch:
        """The search over the picture vectors. The picture search is opened when it is first used,
        because text search needs no vectors.

        Raises: InputError: the store has no picture vectors, or another CLIP model computed them.
        """
        found = PictureSearch(self.store)
        if found.model not in ("", self.clip.name):
            raise InputError(
                self.store.path,
                f"its picture vectors are of the model {found.model}, the agent's CLIP is {self.clip.name}",
                "Name that model, or compute the vectors anew.",
            )
        return found

    @property
    def snapshot(self) -> str:
        """The name of the data: the digest of the store, the model that made its vectors, and the
        allowed licences."""
        shown = "all" if self._licences is None else ",".join(sorted(self._licences))
        return f"local:{self.store.meta['digest'][:32]}:{self.pictures.model}:{shown}"

    async def search_text(self, query: str, k: int) -> Answered[tuple[PageHit, ...]]:
        """The best pages for a query, ranked by their best passage. Each page comes with up to three matching
        passages."""
        return Answered(value=await asyncio.to_thread(self.find_pages, query, k))

    async def search_like(
        self, bank: ImageBank, handle: int, k: int, withheld: frozenset[str]
    ) -> Answered[tuple[PictureHit, ...]]:
        """Searches for pictures that look like a picture in the image bank."""
        return Answered(value=await asyncio.to_thread(self.find_like, bank, handle, k, withheld))

    async def search_pictures(
        self, query: str, k: int, bank: ImageBank, withheld: frozenset[str]
    ) -> Answered[tuple[PictureHit, ...]]:
        """Searches for pictures by words."""
        return Answered(value=await asyncio.to_thread(self.find_pictures, query, k, bank, withheld))

    async def page(self, url: str, goal: str) -> Answered[Page]:
        """Returns a page of the store, given its address or title.

        Raises:
            ToolFault: the store has no such page.
        """
        page = await asyncio.to_thread(self._page, self._title_of(url))
        if page is None:
            raise model_fault(
                "no_page",
                "visit: there is no page at this address. Use one that a search or a page gave; a picture's file is no page.",
            )
        return Answered(value=page)

    async def read_text(self, picture: bytes) -> Answered[tuple[Block, ...]] | None:
        """Returns None, because this provider has no text reader; the caller then uses the built-in
        reader."""
        return None

    # The same methods without asyncio. The tools run them in threads; the synthesis filters call them directly.

    def find_pages(self, query: str, k: int) -> tuple[PageHit, ...]:
        """See `search_text`."""
        pages: dict[str, list[Passage]] = {}
        for hit in self.text.search(query, 3 * k):
            pages.setdefault(hit.passage.article_id, []).append(hit.passage)
        found = []
        for passages in list(pages.values())[:k]:
            read = sorted(passages[:PASSAGES_A_PAGE], key=lambda p: (p.section, p.start))
            found.append(
                PageHit(
                    title=read[0].title,
                    url=self._url(read[0].title),
                    snippet="\n".join(p.text for p in read),
                )
            )
        return tuple(found)

    def find_like(
        self, bank: ImageBank, handle: int, k: int, withheld: frozenset[str]
    ) -> tuple[PictureHit, ...]:
        """See `search_like`."""
        own = self._own(bank, withheld)
        twins = [
            i
            for i in self._twins(bank.perceptual_hash(handle))
            if i not in own and self._looks_like(bank, handle, i)
        ]
        num = PICTURES_A_PAGE * (k + MORE_PAGES) + len(own)
        found = (
            self.pictures.search(self._picture_vector(bank, handle), num)
            if self.pictures.model
            else []
        )
        ranked = dict.fromkeys([*twins, *(hit.image_id for hit in found)])
        return self.hits(
            (i for i in ranked if i not in own), k + MORE_PAGES, one_a_page=True, shown=k
        )

    def find_pictures(
        self, query: str, k: int, bank: ImageBank, withheld: frozenset[str]
    ) -> tuple[PictureHit, ...]:
        """See `search_pictures`."""
        own = self._own(bank, withheld)
        by_look = (
            [h.image_id for h in self.pictures.search(self._vectors(query), 4 * k + len(own))]
            if self.pictures.model
            else []
        )
        pages = dict.fromkeys(hit.passage.entity_id for hit in self.text.search(query, NUM_PAGES))
        by_page = [image.id for entity in pages for image in self.store.images_of(entity)[:2]]
        in_turn = (
            i for pair in itertools.zip_longest(by_page, by_look) for i in pair if i is not None
        )
        return self.hits((i for i in dict.fromkeys(in_turn) if i not in own), k)

    def hits(
        self,
        image_ids: Iterable[str],
        k: int,
        *,
        one_a_page: bool = False,
        shown: int | None = None,
    ) -> tuple[PictureHit, ...]:
        """The first `k` pictures, each with its page and its file.

        Args:
            shown: number of pictures that come with their file; with None, all. The other pictures
                come only with their page.
            one_a_page: whether only one picture of each page is kept, as in picture searches on the
                web.
        """
        found: list[PictureHit] = []
        seen: set[str] = set()
        for image_id in image_ids:
            image = self.store.image(image_id)
            if image is not None and self._shown(image) and len(found) < k:
                article = next(
                    (a for e in image.entity_ids if (a := self.store.article(e)) is not None), None
                )
                if one_a_page and article is not None and article.title in seen:
                    continue
                seen.update([article.title] if article else [])
                found.append(
                    PictureHit(
                        title=article.title if article else image.file,
                        url=self._url(article.title) if article else image.source_page,
                        data=self._file(image_id) if shown is None or len(found) < shown else b"",
                        picture_url=image.source_page,
                        about=self._about(image.entity_ids),
                    )
                )
            if len(found) == k:
                break
        return tuple(found)

    def _shown(self, image: ImageAsset) -> bool:
        return self._licences is None or may_be_given_on(image, self._licences)

    def _about(self, entity_ids: tuple[str, ...]) -> str:
        """The description of the first thing on the picture that has a description."""
        entities = (self.store.entity(e) for e in entity_ids)
        return next(
            (
                text
                for e in entities
                if e is not None
                and (
                    text := e.description(self.store.edition)
                    or next(iter(e.descriptions.values()), "")
                )
            ),
            "",
        )

    def _own(self, bank: ImageBank, withheld: frozenset[str]) -> frozenset[str]:
        """The store's pictures that no search may return: those with the given ids, and those that
        look the same as the question's picture."""
        if not withheld:
            return withheld
        alike = (
            i
            for image in bank.images
            if image.origin == "task"
            for i in self._twins(bank.perceptual_hash(image.handle))
            if i not in withheld and self._looks_like(bank, image.handle, i)
        )
        return withheld.union(alike)

    def _looks_like(self, bank: ImageBank, handle: int, image_id: str) -> bool:
        try:
            return bank.resembles(handle, self._file(image_id))
        except PictureError:
            return False  # an unreadable file is never shown

    @functools.cached_property
    def _hashes(self) -> _Hashes:
        known = [
            (image.id, int(image.perceptual_hash, 16))
            for image in self.store.scan_images()
            if image.perceptual_hash
        ]
        return _Hashes(tuple(i for i, _ in known), np.array([bits for _, bits in known], np.uint64))

    def _picture_vector(self, bank: ImageBank, handle: int) -> np.ndarray:
        key = bank.get(handle).sha256
        vector = self._by_picture.get(key)
        if vector is None:
            vector = self.clip.embed_pictures([bank.data(handle)])[0]
            if len(self._by_picture) >= CACHED_VECTORS:
                self._by_picture.clear()
            self._by_picture[key] = vector
        return vector

    def _text_vector(self, query: str) -> np.ndarray:
        return self.clip.embed_texts([query])[0]

    # Pages

    def _url(self, title: str) -> str:
        """The address that a page with the given title has in the wiki, even if the page does not
        exist."""
        return self.store.pages + urllib.parse.quote(title.replace(" ", "_"), safe="/:(),!")

    def _title_of(self, url: str) -> str:
        """The page title that a web address or a text names; "" if there is no title."""
        text = url.strip()
        if "://" in text:
            try:
                parts = urllib.parse.urlsplit(text)
            except ValueError:
                return ""
            query = urllib.parse.parse_qs(parts.query).get("title", [])
            text = (
                urllib.parse.unquote(parts.path.partition("/wiki/")[2])
                if "/wiki/" in parts.path
                else (query[0] if query else "")
            )
        return normalise_title(text)

    def _read_page(self, title: str) -> Page | None:
        entity_id = self.store.entity_of_title(title) if title else None
        article = self.store.article(entity_id) if entity_id is not None else None
        if article is None:
            return None
        targets = list(dict.fromkeys(link.target for link in article.links))[:MAX_LINKS]
        links = tuple(PageLink(title=t, url=self._url(t)) for t in targets if self._has_page(t))
        return Page(
            title=article.title,
            url=self._url(article.title),
            sections=tuple((s.title, s.text) for s in article.sections),
            facts=tuple((f.name, f.text) for f in article.infobox if not _FILE.search(f.text)),
            links=links,
            pictures=self._pictures_of(article),
        )

    def _has_page(self, title: str) -> bool:
        entity_id = self.store.entity_of_title(title)
        return entity_id is not None and self.store.article(entity_id) is not None

    def _pictures_of(self, article: Article) -> tuple[PagePicture, ...]:
        """The pictures on a page, in page order, followed by other pictures of the thing that the
        page is about."""
        placed = {
            picture.file.rpartition("/")[2]: (place, picture.caption)
            for place, picture in enumerate(
                sorted(article.pictures, key=lambda p: not p.in_infobox)
            )
        }

        def order(image: ImageAsset) -> tuple[int, str]:
            return placed.get(image.file.rpartition("/")[2], (len(placed), ""))[0], image.id

        return tuple(
            PagePicture(
                url=image.source_page,
                caption=placed.get(image.file.rpartition("/")[2], (0, ""))[1],
                fetch=functools.partial(self._fetch, image.id),
            )
            for image in sorted(self.store.images_of(article.entity_id), key=order)
            if self._shown(image)
        )

    async def _fetch(self, image_id: str) -> bytes:
        return await asyncio.to_thread(self._file, image_id)
