"""Plots the share of right answers against the number of tool calls."""

import io
from collections.abc import Mapping, Sequence
from typing import Any

MARKERS = "osD^vP*X"


def calls_plot(found: Sequence[Mapping[str, Any]]) -> bytes:
    """Draws a PNG with one panel per benchmark, and one point for each agent and mode.

    The x axis shows the mean number of calls. The y axis shows strict pass@1 with its interval.

    Args:
        found: the contents of several `scores.json` files.
    """
    from matplotlib.figure import Figure  # imported here because it loads slowly

    names = sorted({scores["benchmark"]["name"] for scores in found})
    figure = Figure(figsize=(6.4, 4.2 * len(names)), layout="constrained")
    for place, name in enumerate(names, 1):
        axes = figure.add_subplot(len(names), 1, place)
        mine = sorted(
            (s for s in found if s["benchmark"]["name"] == name),
            key=lambda s: (s["benchmark"]["subset"], s["policy"], s["mode"]),
        )
        for number, scores in enumerate(mine):
            share = scores["strict"]["pass@k"]["1"]
            value, low, high = (100 * share[part] for part in ("value", "low", "high"))
            subset = f" ({scores['benchmark']['subset']})" if scores["benchmark"]["subset"] else ""
            axes.errorbar(
                scores["calls"]["mean"],
                value,
                [[value - low], [high - value]],
                fmt=MARKERS[number % len(MARKERS)],
                capsize=3,
                label=f"{scores['policy']}, {scores['mode']}{subset}".replace("$", r"\$"),
            )
        axes.set(
            title=mine[0]["benchmark"]["title"].replace("$", r"\$"),
            xlabel="tool calls an attempt",
            ylabel="strict pass@1, %",
            ylim=(-3, 103),
        )
        axes.set_xlim(left=-0.3)
        axes.grid(alpha=0.3)
        axes.legend(fontsize="small")
    out = io.BytesIO()
    figure.savefig(out, format="png", dpi=120, metadata={"Software": None})
    return out.getvalue()
