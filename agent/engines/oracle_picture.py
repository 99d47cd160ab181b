"""How the oracle finds out what the picture shows: searches by the picture, whole, in parts and repaired, then by the question's words."""
from collections.abc import Callable
from typing import Any

from agent.engines.oracle_desk import Desk, Listing
from agent.engines.oracle_reading import Line, PageRead, Thing, hits_of
from agent.engines.oracle_said import Seen, head_of, is_kind, query_of

MAX_LISTED = 8
"""Pages of one text search that are opened to compare pictures."""


class Sights(Desk):
    """Lists of candidates for the thing in the picture, from search to search."""

    def searches(self) -> tuple[Callable[[str], Listing], ...]:
        """In the order in which they are tried; each takes the question's words for what the picture shows."""
        return (self._like_it, self._like_it_straight, self._like_its_middle, self._by_what_is_said, self._like_its_mirror, self._like_its_upper_part,
                self._like_it_sharpened, self._like_it_enlarged, self._by_words)

    def _like_it(self, shown_as: str) -> Listing:
        seen = yield from self.call(f"I do not know {shown_as} by sight. I search for pages with pictures like <image:0>.", "image_search", handle=0)
        return self._candidates(seen)

    def _like_it_straight(self, _: str) -> Listing:
        return (yield from self._like_made("None of these pages shows the very picture. It may have been taken at an angle, so I set it straight.",
                                           "perspective_correct"))

    def _like_its_middle(self, _: str) -> Listing:
        return (yield from self._like_made("Still not found. I cut out the middle of the picture, so that the surroundings count less.",
                                           "crop", box=[150, 100, 850, 900]))

    def _like_its_mirror(self, _: str) -> Listing:
        return (yield from self._like_made("Still not found. It may be known from the other side, so I mirror the picture.", "flip", axis="horizontal"))

    def _like_its_upper_part(self, _: str) -> Listing:
        return (yield from self._like_made("I try the upper part alone.", "crop", box=[0, 0, 1000, 650]))

    def _like_it_sharpened(self, _: str) -> Listing:
        return (yield from self._like_made("The picture may be too blurred to be recognised, so I sharpen it.", "sharpen"))

    def _like_it_enlarged(self, _: str) -> Listing:
        return (yield from self._like_made("Or it may be too small, so I enlarge it.", "super_resolution"))

    def _like_made(self, why: str, tool: str, **arguments: Any) -> Listing:
        made = yield from self.call(why, tool, handle=0, **arguments)
        if not made or not made.images:
            return []
        if tool in ("perspective_correct", "sharpen", "super_resolution"):
            self.own.add(made.images[-1])
        seen = yield from self.call("I search for pages with pictures like the new one.", "image_search", handle=made.images[-1])
        return self._candidates(seen)

    def _by_what_is_said(self, shown_as: str) -> Listing:
        seen = yield from self.call(f"The picture alone does not lead there. I search for what the question says about {shown_as}.", "text_search",
                                    query=query_of(self.puzzle, self.puzzle.pictured) or shown_as, top_k=20)
        hits = [t for t, _ in self.hits(seen) if is_kind(self.pages.get(t.title) or PageRead(t.title, t.url), head_of(self.puzzle)) > 0]
        return [(t, Line(t.title, seen.turn if seen else -1)) for t in hits[:MAX_LISTED]]

    def _by_words(self, shown_as: str) -> Listing:
        query = query_of(self.puzzle, self.puzzle.pictured) or shown_as
        seen = yield from self.call("I look for pictures of such things by words.", "image_search", query=query)
        return self._candidates(seen)

    def _candidates(self, seen: Seen | None) -> list[tuple[Thing, Line]]:
        return [(t, Line(t.title, seen.turn)) for t, _ in hits_of(seen.text)] if seen else []
