"""Writes an evaluation folder's tables and plot for people, from every `scores.json` in the folder."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from questloom.eval.plot import calls_plot
from questloom.eval.tables import as_csv, as_html, as_markdown, sections
from questloom.files.parquet import write_whole

PLOT = "calls.png"


def all_scores(out: str) -> list[dict[str, Any]]:
    """The content of every `scores.json` in a folder of evaluations, with the times from
    `timing.json`. The scores are in the order of the paths of their files.
    """
    found = []
    for path in sorted(Path(out).glob("*/*/*/scores.json")):
        timing = path.with_name("timing.json")
        found.append(
            {
                **json.loads(path.read_text(encoding="utf-8")),
                "timing": json.loads(timing.read_text(encoding="utf-8"))
                if timing.is_file()
                else {},
            }
        )
    return found


def write_tables(out: str, found: Sequence[dict[str, Any]]) -> dict[str, str]:
    """Writes tables and plot. Returns the paths of the tables and the plot, by name."""
    made = sections(found)
    files = {
        "scores.md": as_markdown(made).encode(),
        "scores.csv": as_csv(made).encode(),
        PLOT: calls_plot(found),
        "scores.html": as_html(made, PLOT).encode(),
    }
    for name, data in files.items():
        write_whole(Path(out, name), data)
    return {
        "table": str(Path(out, "scores.md")),
        "page": str(Path(out, "scores.html")),
        "plot": str(Path(out, PLOT)),
    }
