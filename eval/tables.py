"""Writes tables of scores in Markdown, CSV and HTML.

For each benchmark, published scores stand below ours and are marked as published.
"""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2

from questloom.eval.published import Published, published_for
from questloom.eval.scores import OUTCOMES
from questloom.eval.statements import statements

TEMPLATE = Path(__file__).parent / "templates" / "scores.html.jinja"
COLUMNS: Mapping[str, str] = {
    "agent": "agent",
    "mode": "mode",
    "part": "questions",
    "strict": "strict pass@1",
    "strict_k": "strict pass@k",
    "lenient": "lenient pass@1",
    "outcomes": "right / wrong / none / judge failed / not played",
    "calls": "calls",
    "success": "calls that succeeded",
    "tokens": "tokens in / out",
    "cost": "cost",
    "seconds": "seconds",
    "training": "in the training data",
    "published": "source",
}
"""The name and the title of each column."""
_MARKS = str.maketrans({"<": "&lt;", ">": "&gt;", **{mark: f"\\{mark}" for mark in "\\|`*_[]"}})
EXPLANATION = (
    "Shares are percent of all questions, with 95 % intervals over questions in brackets; what failed, was not judged or not played counts as not right. "
    "Strict: the final answer is right. Lenient: the right answer stands anywhere in what the agent ended with, as published scores are marked. "
    "Calls, tokens, cost and seconds are means over attempts. Lines with a source are published: other tools, judges and often other questions."
)


@dataclass(frozen=True, kw_only=True)
class Section:
    """The lines of the tables for one benchmark."""

    title: str
    note: str
    lines: Sequence[Mapping[str, str]]


def sections(found: Sequence[Mapping[str, Any]]) -> list[Section]:
    """The content of all tables, with one section per benchmark.

    Args:
        found: the contents of several `scores.json` files; each also has its times under the key
            `timing`.
    """
    made = []
    for name in sorted({scores["benchmark"]["name"] for scores in found}):
        mine = [scores for scores in found if scores["benchmark"]["name"] == name]
        order = sorted(mine, key=lambda s: (s["benchmark"]["subset"], s["policy"], s["mode"]))
        title, note = mine[0]["benchmark"]["title"], mine[0]["benchmark"]["note"]
        others = (
            [row for row in published_for(name) if row.metric == "pass@1"]
            if name in statements()
            else []
        )
        made.append(
            Section(
                title=title, note=note, lines=[*map(line_of, order), *map(_published_line, others)]
            )
        )
    return made


def line_of(scores: Mapping[str, Any]) -> dict[str, str]:
    """The line of a table for one of our own scores."""
    benchmark, strict, lenient, calls = (
        scores["benchmark"],
        scores["strict"],
        scores["lenient"],
        scores["calls"],
    )
    outcomes, k = strict["outcomes"], str(scores["rollouts"])
    clean = strict.get("pass@1 on clean questions")
    found = scores["contamination"]
    return {
        "agent": scores["policy"] + ("" if scores["whole"] else " (unfinished)"),
        "mode": scores["mode"],
        "part": f"{scores['questions']:,}"
        + (f" ({benchmark['subset']})" if benchmark["subset"] else "")
        + (" partial" if benchmark["partial"] else ""),
        "strict": _share(strict["pass@k"]["1"]),
        "strict_k": "" if k == "1" else f"{_share(strict['pass@k'][k])} at {k}",
        "lenient": _share(lenient["pass@k"]["1"]),
        "outcomes": " / ".join(f"{outcomes[name]:,}" for name in OUTCOMES),
        "calls": f"{calls['mean']:.1f}",
        "success": "" if calls["success"] is None else f"{100 * calls['success']:.0f} %",
        "tokens": f"{scores['tokens_in']:,.0f} / {scores['tokens_out']:,.0f}",
        "cost": f"{scores['cost'] + scores['timing'].get('tool_cost', 0.0):.4f}",
        "seconds": f"{scores['timing'].get('seconds', 0.0):.1f}",
        "training": "not looked for"
        if found is None
        else f"{found['any']:,} of {found['questions']:,}"
        + (
            f"; strict on the rest {_share(clean)}"
            if found["any"] and clean and "value" in clean
            else ""
        ),
        "published": "",
    }


def _published_line(row: Published) -> dict[str, str]:
    part = "" if row.benchmark in statements() else row.benchmark
    return dict.fromkeys(COLUMNS, "") | {
        "agent": row.agent,
        "mode": row.harness,
        "part": part,
        "strict": f"{row.percent:.1f}",
        "published": f"published: {row.source}; {row.protocol}",
    }


def _share(facts: Mapping[str, float]) -> str:
    return f"{100 * facts['value']:.1f} [{100 * facts['low']:.1f}, {100 * facts['high']:.1f}]"


def as_markdown(made: Sequence[Section]) -> str:
    """The scores as Markdown, one table per benchmark."""
    parts = ["# Scores", "", EXPLANATION]
    for section in made:
        parts += [
            "",
            f"## {_cell(section.title)}",
            "",
            _cell(section.note),
            "",
            f"| {' | '.join(COLUMNS.values())} |",
            "|" + " --- |" * len(COLUMNS),
        ]
        parts += [
            f"| {' | '.join(_cell(line[name]) for name in COLUMNS)} |" for line in section.lines
        ]
    return "\n".join(parts) + "\n"


def _cell(text: str) -> str:
    """Escapes a text, so that it cannot end its table cell and cannot begin markup."""
    return " ".join(text.translate(_MARKS).split())


def as_csv(made: Sequence[Section]) -> str:
    """All lines as one CSV table, with the benchmark in the first column."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(["benchmark", *COLUMNS.values()])
    writer.writerows(
        [section.title, *(line[name] for name in COLUMNS)]
        for section in made
        for line in section.lines
    )
    return out.getvalue()


def as_html(made: Sequence[Section], picture: str = "") -> str:
    """All scores as one HTML page that needs no other files. All text in the page is escaped."""
    environment = jinja2.Environment(
        undefined=jinja2.StrictUndefined, autoescape=True, trim_blocks=True, lstrip_blocks=True
    )
    return environment.from_string(TEMPLATE.read_text(encoding="utf-8")).render(
        sections=made,
        names=list(COLUMNS),
        titles=list(COLUMNS.values()),
        explanation=EXPLANATION,
        picture=picture,
    )


def as_text(found: Sequence[Mapping[str, Any]]) -> str:
    """The text that the command prints at its end, with only our own scores."""
    rows = [["benchmark", "agent", "mode", "strict pass@1", "lenient pass@1", "calls"]]
    for scores in sorted(
        found,
        key=lambda s: (s["benchmark"]["name"], s["benchmark"]["subset"], s["policy"], s["mode"]),
    ):
        line = line_of(scores)
        rows.append(
            [
                scores["benchmark"]["name"],
                *(line[name] for name in ("agent", "mode", "strict", "lenient", "calls")),
            ]
        )
    widths = [max(len(row[place]) for row in rows) for place in range(len(rows[0]))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in rows
    )
