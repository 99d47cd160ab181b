"""Computes the report's charts as numbers for SVG: the strips that show the stages of a run, and
tables with bars. Every chart is also a table, so that a screen reader can read it aloud.

This module computes only positions; the style sheet sets the colours. A strip is stretched to the
page's width, so x always runs from 0 to `WIDTH`.
"""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from questloom.pipeline.report.seed_outcomes import StageFlow

WIDTH = 1000
NUM_REASON_SHADES = 5


@dataclass(frozen=True)
class Segment:
    """One coloured part of a stage's bar."""

    x: float
    width: float
    css: str
    title: str


@dataclass(frozen=True)
class Strip:
    """One stage of the chart of stages: a bar, and the stream that joins this bar to the bar of the
    next stage. There is no stream ("") if the next stage does not start with as many items as
    passed this stage."""

    flow: StageFlow
    segments: tuple[Segment, ...]
    stream: str


def _scaled(number: float, largest: int) -> float:
    return round(WIDTH * number / max(largest, 1), 2)


def funnel(flows: Iterable[StageFlow]) -> list[Strip]:
    """The strips of all stages, drawn to the same scale. The bar of each strip has three kinds of
    parts in this order: the kept items, the rejected items by reason, and the pending items."""
    flows = list(flows)
    largest = max((f.size for f in flows), default=1)
    strips = []
    for flow, after in zip(flows, [*flows[1:], None], strict=True):
        kept = flow.num_kept if flow.num_kept is not None else flow.num_out
        rejected = flow.num_rejected if flow.num_rejected is not None else flow.rows_rejected
        parts: list[tuple[float, str, str]] = [(kept, "kept", f"kept {kept:,}")]
        # If an item had several drafts, there are more rows than items: the items' width is divided
        # in proportion to the rows.
        parts += [
            (
                n * rejected / flow.rows_rejected,
                f"reason{min(i, NUM_REASON_SHADES - 1)}",
                f"{reason.replace('_', ' ')} {n:,}",
            )
            for i, (reason, n) in enumerate(flow.reasons)
        ]
        parts += [(n, "pending", f"pending ({cause}) {n:,}") for cause, n in flow.pending]
        x, segments = 0.0, []
        for number, css, title in parts:
            width = _scaled(number, largest)
            if width > 0:
                segments.append(Segment(round(x, 2), width, css, title))
            x += width
        stream = ""
        if after is not None and after.size == flow.num_out:
            top, bottom = _scaled(kept, largest), _scaled(after.size, largest)
            stream = f"M0 30 L{top:g} 30 C{top:g} 44 {bottom:g} 50 {bottom:g} 64 L0 64 Z"
        strips.append(Strip(flow, tuple(segments), stream))
    return strips


@dataclass(frozen=True)
class Bar:
    """A row of a table with bars."""

    label: str
    number: int
    width: float
    """The width of the bar, 0 to 100. The bar of the row with the largest number has the width
    100."""
    share: float
    """The share of this row among all items, 0 to 1."""


@dataclass(frozen=True)
class BarTable:
    """A distribution as a table with bars. `facet` is the name of the gallery's filter for the same
    labels; "" if there is no such filter."""

    title: str
    facet: str
    bars: tuple[Bar, ...]
    note: str = ""


def bar_table(
    title: str,
    facet: str,
    counter: Counter[str],
    num_items: int,
    *,
    order: Iterable[str] = (),
    note: str = "",
) -> BarTable:
    """A distribution as a table with bars. Labels in `order` come first. The other labels follow,
    the largest number first.

    Args:
        title, facet, note: see `BarTable`.
        counter: the number of items for each label.
        num_items: the number of all items. An item may have several labels and then counts for each
            of them, so the shares can add up to more than 1.
        order: labels with a natural order, in this order.
    """
    place = {label: i for i, label in enumerate(order)}
    rows = sorted(
        counter.items(), key=lambda item: (place.get(item[0], len(place)), -item[1], item[0])
    )
    largest = max(counter.values(), default=1) or 1
    return BarTable(
        title,
        facet,
        tuple(
            Bar(label, n, round(100 * n / largest, 1), n / max(num_items, 1)) for label, n in rows
        ),
        note,
    )


def share_words(share: float) -> str:
    """A share (0 to 1) in percent. Less than 1 % is not written as nothing.

    >>> share_words(0.404), share_words(0.004), share_words(0.0)
    ('40%', '<1%', '0%')
    """
    return "<1%" if 0 < share < 0.01 else f"{share:.0%}"


def matrix(counter: Counter[tuple[int, int]]) -> dict:
    """Counts by (row, column), for a table whose cells have one of five shades."""
    rows, columns = sorted({r for r, _ in counter}), sorted({c for _, c in counter})
    largest = max(counter.values(), default=1)
    return {
        "columns": columns,
        "rows": [
            (r, [(counter[r, c], -(-5 * counter[r, c] // largest)) for c in columns]) for r in rows
        ],
    }
