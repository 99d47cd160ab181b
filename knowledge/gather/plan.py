"""Forecasts a gathering before the first call: the numbers of things, calls and minutes at each
service.

The forecast uses a formula that was fitted to the claims of real things. The formula gives the
number of things that are reached from a number of anchors (things where questions start). The
command `python -m benchmarks.gather_plan` prints the fit and its data. If the anchors share a
class, they share more values than the fit assumes, and the forecasted numbers are too high. If the
things have many claims, they lead to more values than the fit assumes, and the forecasted numbers
are too low. The seconds per call to a service are assumed, not measured.
"""

import math
from dataclasses import dataclass

from questloom.knowledge.gather.request import MAX_CLASSES, GatherRequest
from questloom.knowledge.gather.wikimedia import (
    ENTITIES_A_CALL,
    FILES_A_CALL,
    IDS_A_QUERY,
    MEMBERS_A_CALL,
    PAGES_A_CALL,
    TITLES_A_CALL,
    VIEWS_A_CALL,
)

SECONDS = {"query service": 5.0, "Wikidata": 2.0, "Wikipedia": 2.0, "Commons": 2.0, "pictures": 0.4}
"""Assumed seconds per call to each service."""
REACHED, EXPONENT = (1.0, 50.0, 200.0, 400.0), 0.7
"""According to the fit, a gathering with n anchors reaches REACHED[depth] * n**EXPONENT things,
including the anchors."""
CLASSES, CLASS_EXPONENT = 2600.0, 0.09
"""According to the fit, n gathered things have CLASSES * n**CLASS_EXPONENT classes, superclasses
and units."""
PROPERTIES = 2000
WITH_ARTICLE, WITH_PICTURE = 0.55, 0.7
"""The share of gathered things that have an article in a large Wikipedia, and the share of things
with an article that also have a picture."""
RIVALS_OF_A_CLASS = 500
"""The assumed number of members of a class that was not counted."""


@dataclass(frozen=True)
class Step:
    """All requests that a gathering sends to one service."""

    service: str
    what: str
    things: int
    calls: int

    @property
    def seconds(self) -> float:
        return self.calls * SECONDS[self.service]


@dataclass(frozen=True)
class Plan:
    """The steps of a gathering, in order."""

    steps: tuple[Step, ...]

    @property
    def calls(self) -> int:
        return sum(step.calls for step in self.steps)

    @property
    def minutes(self) -> float:
        return sum(step.seconds for step in self.steps) / 60

    def as_text(self) -> str:
        """The plan as a table with totals."""
        lines = [
            f"  {step.service:<14}{step.what:<28}{step.things:>9,} in {step.calls:>7,} calls, "
            f"{duration(step.seconds / 60)}"
            for step in self.steps
        ]
        return "\n".join(
            [
                "The plan, estimated, one request at a time to a service:",
                *lines,
                f"  In all about {self.calls:,} calls and {duration(self.minutes)}.",
            ]
        )


def plan_of(
    request: GatherRequest,
    *,
    members: int | None = None,
    categories: int = 1,
    articles: int | None = None,
) -> Plan:
    """Plans the steps for a gathering request.

    Args:
        members: number of members of the class, if it was counted.
        categories: number of known categories: the request's category with its known subcategories.
        articles: number of articles in the categories, if they were read.
    """
    wanted = len(request.ids or request.titles) or request.limit
    anchors = min(n for n in (wanted, members, articles) if n is not None)
    reached = max(float(anchors), REACHED[min(request.depth, 3)] * anchors**EXPONENT)
    if not request.depth:
        reached = float(anchors)
    classes = 1 if request.class_id else min(MAX_CLASSES, anchors)
    listed = request.rivals if members is None else min(members, request.rivals)
    rivals = listed if request.class_id else min(RIVALS_OF_A_CLASS, listed) * classes
    words = CLASSES * anchors**CLASS_EXPONENT + PROPERTIES
    pages = reached * WITH_ARTICLE
    files = pages * WITH_PICTURE if request.all_pictures else float(anchors)
    files += anchors * request.views
    queries = classes * (2 + math.ceil(listed / IDS_A_QUERY)) + bool(request.class_id)
    steps = [
        Step("query service", "classes and their members", classes, queries),
        _step("Wikidata", "anchors and what they lead to", reached, ENTITIES_A_CALL),
        _step("Wikidata", "rivals", rivals, ENTITIES_A_CALL),
        _step("Wikidata", "classes, units, properties", words, ENTITIES_A_CALL),
        _step("Wikipedia", "articles", pages, PAGES_A_CALL),
        _step("Commons", "more views of anchors", anchors * bool(request.views), 1),
        _step("Commons", "what files say", files, FILES_A_CALL / 2),
        _step("pictures", f"pictures, {request.width} px wide", files, 1),
        _step("Wikipedia", "page views", pages * request.page_views, VIEWS_A_CALL),
    ]
    if request.titles or request.category:
        steps.insert(0, _step("Wikipedia", "items of titles", anchors, TITLES_A_CALL))
    if request.category:
        what = "articles of the category" if categories == 1 else f"of {categories:,} categories"
        calls = max(categories, math.ceil(anchors / MEMBERS_A_CALL))
        steps.insert(0, Step("Wikipedia", what, anchors, calls))
    if request.query:
        steps.insert(0, Step("query service", "the query", anchors, 1))
    return Plan(tuple(step for step in steps if step.things))


def _step(service: str, what: str, things: float, size: float) -> Step:
    things = round(things)
    return Step(service, what, things, math.ceil(things / size))


def duration(minutes: float) -> str:
    """Formats minutes as words.

    >>> duration(0.2), duration(90), duration(200)
    ('12 s', '90 min', '3.3 h')
    """
    if minutes < 1:
        return f"{math.ceil(60 * minutes)} s"
    return f"{round(minutes)} min" if minutes < 100 else f"{minutes / 60:.1f} h"
