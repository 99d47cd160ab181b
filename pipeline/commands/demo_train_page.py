"""Writes the training demo's page, `OUT/report/index.html`: figures before and after, curves, and
episodes side by side. The page opens without a server."""

import base64
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from questloom.files.parquet import write_whole
from questloom.pipeline.commands.held_out_play import is_right, success, tool_use, valid_turns
from questloom.records.episodes import Turn
from questloom.records.trajectories import Trajectory
from questloom.transforms.stages.run_folder import RunFolder

WIDTH, HEIGHT, MARGIN = 420, 150, 28
SHOWN = 2
"""The number of questions of each kind whose episodes are shown."""


@dataclass(frozen=True)
class Curve:
    """The curve of one figure of the training over the updates, in SVG coordinates."""

    title: str
    line: str
    points: tuple[tuple[float, float, str], ...]
    """The (x, y, label) of each mark on the curve; empty if the curve has too many points for
    marks."""
    low: str
    high: str
    last: int


def curve(title: str, values: Sequence[tuple[int, float]]) -> Curve:
    """Draws a curve through the points (update, value). The scale of the curve runs from the
    smallest to the largest value.

    >>> curve("reward", [(0, 0.25), (10, 0.75)]).line
    '28,136 392,14'
    """
    low, high = min(v for _, v in values), max(v for _, v in values)
    first, last = values[0][0], values[-1][0]
    placed = [
        (
            round(MARGIN + (WIDTH - 2 * MARGIN) * (update - first) / max(1, last - first), 1),
            round(HEIGHT - MARGIN / 2 - (HEIGHT - MARGIN) * (value - low) / ((high - low) or 1), 1),
            f"update {update}: {value:.3f}",
        )
        for update, value in values
    ]
    return Curve(
        title,
        " ".join(f"{x:g},{y:g}" for x, y, _ in placed),
        tuple(placed) if len(placed) <= 100 else (),
        f"{low:.3g}",
        f"{high:.3g}",
        last,
    )


def measured(played: Sequence[Trajectory]) -> dict[str, float]:
    """The figures that the page shows for a model's episodes."""
    return {
        "reward": success(played),
        "valid turns": valid_turns(played),
        "tool use": tool_use(played),
        "turns": sum(len(p.episode.turns) for p in played) / len(played),
    }


def write_page(
    out: Path,
    played: Mapping[str, Sequence[Trajectory]],
    figures: Mapping[str, Sequence[tuple[int, float]]],
) -> Path:
    """Writes the page. Returns its path.

    Args:
        out: the demo's folder.
        played: each model's episodes on the held-out questions, in the order of training. The page
            compares the last two models.
        figures: the figures of both trainings by name, each as (update, value).
    """
    run = RunFolder(str(out / "run"))
    environment = Environment(
        loader=PackageLoader("questloom.pipeline.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    page = environment.get_template("training.html").render(
        figures={name: measured(found) for name, found in played.items()},
        number=len(next(iter(played.values()))),
        width=WIDTH,
        height=HEIGHT,
        curves=[curve(title, found) for title, found in figures.items() if found],
        questions=[_question(some, run) for some in chosen(played)],
    )
    for style in ("base.css", "loop.css", "training.css"):
        write_whole(
            out / "report" / style,
            (files("questloom.pipeline.report") / "css" / style).read_bytes(),
        )
    write_whole(out / "report" / "index.html", page.encode())
    return out / "report" / "index.html"


def chosen(played: Mapping[str, Sequence[Trajectory]]) -> list[dict[str, Trajectory]]:
    """Chooses the questions whose episodes are shown: newly solved, still unsolved, solved before
    and after, or lost in training. The choice of questions depends only on the episodes.
    """
    by_question = [
        {name: found[n] for name, found in played.items()}
        for n in range(len(next(iter(played.values()))))
    ]
    assert all(len({p.question_id for p in some.values()}) == 1 for some in by_question), (
        "all models have played the same questions"
    )
    *_, before, after = played
    made = []
    for was, now in ((False, True), (True, True), (False, False), (True, False)):
        made += [
            some
            for some in by_question
            if (is_right(some[before]), is_right(some[after])) == (was, now)
        ][: SHOWN if now else 1]
    return made


def _question(some: Mapping[str, Trajectory], run: RunFolder) -> dict[str, Any]:
    first = next(iter(some.values()))
    data = run.read_picture(first.image_id)
    kind = "png" if data.startswith(b"\x89PNG") else "jpeg"
    return {
        "text": first.episode.question,
        "answer": first.answer.text,
        "picture": f"data:image/{kind};base64,{base64.b64encode(data).decode()}",
        "episodes": {
            name: {
                "right": is_right(p),
                "end": p.episode.end,
                "turns": [_turn(turn) for turn in p.episode.turns],
            }
            for name, p in some.items()
        },
    }


def _turn(turn: Turn) -> dict[str, str]:
    call = (
        f"{turn.call.name}({json.dumps(turn.call.arguments, ensure_ascii=False)})"
        if turn.call
        else ""
    )
    return {
        "thought": turn.thought,
        "call": call,
        "answer": turn.answer or "",
        "text": "" if turn.call or turn.answer is not None else turn.text,
        "violation": turn.violation,
        "result": turn.result.text if turn.result else "",
        "status": str(turn.result.status) if turn.result else "",
    }
