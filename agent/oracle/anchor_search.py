"""Searches for the thing that the question's picture shows. The oracle (a scripted solver) first
searches by the repaired picture, whole and in parts. The oracle then searches by the question's
words."""

import re
from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Any

from questloom.agent.oracle.desk import Desk, Listing
from questloom.agent.oracle.manner import CLOSER, WRONG_TURNS
from questloom.agent.oracle.observation_reading import Line, PageRead, Thing, hits_of, says
from questloom.agent.oracle.speech import (
    Action,
    Observation,
    goal_of,
    head_of,
    is_kind,
    label_of,
    lead_of,
    query_of,
    subject_phrase,
)

MAX_LISTED = 16
"""Maximum number of pages that the oracle opens after one text search, to compare their pictures
with the question's picture."""
SHARE_OF_CALLS = 0.8
"""Maximum share of an episode's tool calls that the oracle may use to find out what the picture
shows."""
FIRST = 4
"""When the oracle searches by a picture, this number of hits come with their pictures."""


REPAIRS: dict[str, tuple[str, dict[str, Any], str]] = {
    "perspective": (
        "perspective_correct",
        {},
        "It was taken at an angle, so I set it straight first.",
    ),
    "blur": ("sharpen", {}, "It is blurred, so I sharpen it first."),
    "down_sampling": ("super_resolution", {}, "It is very small, so I enlarge it first."),
    "turned_left": ("rotate", {"angle": 90}, "It lies on its left side, so I turn it first."),
    "turned_right": ("rotate", {"angle": 270}, "It lies on its right side, so I turn it first."),
    "upside_down": ("rotate", {"angle": 180}, "It stands on its head, so I turn it first."),
    "mirrored": (
        "flip",
        {"axis": "vertical"},
        "Top and bottom are swapped, so I mirror it first.",
    ),
}
"""The flaws of a picture, each with the tool that repairs it."""


class AnchorSearch(Desk):
    """A search in steps, which returns a list of candidates for the pictured thing."""

    seen_as: int = 0
    """The handle (number) of the picture to search with: the question's picture or its repaired
    version."""
    votes: Mapping[Thing, float] = {}
    """The found things with their scores. A search that finds a thing adds 1 / (1 + rank) to the
    thing's score."""
    found_at: Mapping[Thing, Line] = {}
    described: Mapping[Thing, str] = {}
    """For each found thing, the short description that the picture search gave."""

    def find_page(
        self, searches: Iterable[Callable[[str], Listing]]
    ) -> Generator[Action, Observation, tuple[Thing, Line] | None]:
        """Finds the thing whose page shows the question's picture. Returns the thing and the text
        line that led to its page, or None if no search finds a page with the picture."""
        var, shown_as = self.puzzle.pictured, subject_phrase(self.puzzle)
        for search in searches:
            if self.num_calls > self.max_calls * SHARE_OF_CALLS:
                return None
            listed = yield from search(shown_as)
            if search == self._like_it:
                listed = self._strayed(listed)
            waiting = sorted(enumerate(listed), key=lambda hit: not self._of_kind(hit[1][0]))
            while waiting:
                rank, (thing, line) = waiting.pop(0)
                self.votes = {**self.votes, thing: self.votes.get(thing, 0.0) + 1 / (1 + rank)}
                self.found_at = {thing: line, **self.found_at}
                known = self.page_of(thing)
                if (known is not None and known.visited) or not thing.url or _is_file(thing):
                    continue
                page = yield from self.visit(
                    thing,
                    goal_of(self.puzzle, var),
                    self.manner.say(
                        "compare",
                        name=thing.name,
                        what=shown_as,
                        wanted=label_of(self.puzzle, var),
                    ),
                )
                if page is None:
                    continue
                if self.shows(page):
                    return page.thing, line
                self.setback = self.manner.say(
                    "other pictures", name=page.title, quote=lead_of(page)
                )
                if search == self._like_it and self.manner.strays(CLOSER):
                    closer = yield from self._like_its_middle(shown_as)
                    waiting = [
                        *(hit for hit in enumerate(closer) if self._of_kind(hit[1][0])),
                        *waiting,
                    ]
        return None

    def _strayed(self, listed: list[tuple[Thing, Line]]) -> list[tuple[Thing, Line]]:
        """Sometimes, at random, moves a later hit of the right kind to the front, so that the
        oracle opens a wrong page first."""
        neighbour = next(
            (
                hit
                for hit in listed[1:FIRST]
                if hit[0].url and not _is_file(hit[0]) and self._of_kind(hit[0])
            ),
            None,
        )
        if neighbour is None or not self.manner.strays(WRONG_TURNS):
            return listed
        return [neighbour, *(hit for hit in listed if hit != neighbour)]

    def _of_kind(self, thing: Thing) -> bool:
        """Whether the description of a found thing contains the question's noun for the pictured
        thing ("bridge"). If the description lacks the noun, the oracle opens the thing's page
        later."""
        return any(says(self.described.get(thing, ""), head) for head in head_of(self.puzzle))

    def shows(self, page: PageRead) -> bool:
        """Whether a page shows the question's picture."""
        return bool(self.own & set(page.images))

    def on_no_page(self) -> list[tuple[Thing, Line]]:
        """Things that are known only from the names of picture files among the first hits, which no
        page shows."""
        return [
            (Thing(_of_file(t.title)), self.found_at[t])
            for t in list(self.votes)[:FIRST]
            if _is_file(t)
        ]

    def alike(self) -> list[tuple[Thing, Line]]:
        """The found things that may be in the question's picture although their pages do not show
        this picture, likeliest first."""

        def may_be(thing: Thing) -> bool:
            page = self.page_of(thing)
            return _is_file(thing) or (
                page is not None and page.visited and is_kind(page, head_of(self.puzzle)) > 0
            )

        likely = sorted(filter(may_be, self.votes), key=lambda t: -self.votes[t])[:MAX_LISTED]
        return [(Thing(_of_file(t.title)) if _is_file(t) else t, self.found_at[t]) for t in likely]

    def repaired(self) -> Generator[Action, Observation, None]:
        """Repairs the picture if it has an obvious flaw."""
        tool, arguments, why = REPAIRS.get(self.puzzle.flaw, ("", {}, ""))
        made = (
            (yield from self.call(f"I look at the picture. {why}", tool, handle=0, **arguments))
            if tool
            else None
        )
        if made and made.images:
            self.seen_as = made.images[-1]
            self.own.add(self.seen_as)

    def searches(self) -> tuple[Callable[[str], Listing], ...]:
        """The searches for the pictured thing, in the order in which the oracle tries them. Each
        search gets the question's words for the thing."""
        return (
            self._like_it,
            self._like_its_middle,
            self._by_what_is_said,
            self._like_its_mirror,
            self._like_its_upper_part,
            self._by_words,
        )

    def _like_it(self, shown_as: str) -> Listing:
        observation = yield from self.call(
            self.manner.say(
                "begin",
                what=shown_as,
                image=f"<image:{self.seen_as}>",
                kind=" ".join(head_of(self.puzzle)) or "one",
            ),
            "image_search",
            handle=self.seen_as,
        )
        return self._candidates(observation)

    def _like_its_middle(self, _: str) -> Listing:
        return (
            yield from self._like_made(
                self.manner.say("middle"),
                "crop",
                box=[150, 100, 850, 900],
            )
        )

    def _like_its_mirror(self, _: str) -> Listing:
        return (
            yield from self._like_made(
                "Still not found. It may be known from the other side, so I mirror the picture.",
                "flip",
                axis="horizontal",
            )
        )

    def _like_its_upper_part(self, _: str) -> Listing:
        return (
            yield from self._like_made("I try the upper part alone.", "crop", box=[0, 0, 1000, 650])
        )

    def _like_made(self, why: str, tool: str, **arguments: Any) -> Listing:
        made = yield from self.call(why, tool, handle=self.seen_as, **arguments)
        if not made or not made.images:
            return []
        observation = yield from self.call(
            self.manner.say("new one", image=f"<image:{made.images[-1]}>"),
            "image_search",
            handle=made.images[-1],
        )
        return self._candidates(observation)

    def _by_what_is_said(self, shown_as: str) -> Listing:
        observation = yield from self.call(
            f"The picture alone does not lead there. I search for what the question says about {shown_as}.",
            "text_search",
            query=query_of(self.puzzle, self.puzzle.pictured) or shown_as,
            top_k=20,
        )
        hits = [
            t
            for t, _ in self.hits(observation)
            if is_kind(self.pages.get(t.title) or PageRead(t.title, t.url), head_of(self.puzzle))
            > 0
        ]
        return [
            (t, Line(t.title, observation.turn if observation else -1)) for t in hits[:MAX_LISTED]
        ]

    def _by_words(self, shown_as: str) -> Listing:
        query = query_of(self.puzzle, self.puzzle.pictured) or shown_as
        observation = yield from self.call(
            "I look for pictures of such things by words.", "image_search", query=query
        )
        return self._candidates(observation)

    def _candidates(self, observation: Observation | None) -> list[tuple[Thing, Line]]:
        if observation is None:
            return []
        found = hits_of(observation.text)
        self.described = {**dict(found), **self.described}
        return [(t, Line(t.title, observation.turn)) for t, _ in found]


def _is_file(thing: Thing) -> bool:
    """Whether a found thing is only a picture file that no page shows."""
    return "/File:" in thing.url


def _of_file(title: str) -> str:
    """The name of the pictured thing, from the picture's file name ("File:Old Bridge, front.jpg")."""
    name = re.sub(r"^File:|\.\w{3,4}$", "", title)
    return re.sub(r"\s*(?:\([^()]*\d[^()]*\)|\d+)$", "", name.partition(", ")[0]).strip()
