"""Writes the report of a loop, `LOOP/report/index.html`. The report compares rounds, draws curves,
and shows each edit with its evidence and episodes before and after training. The report opens
without a server."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from questloom.files.parquet import write_whole
from questloom.pipeline.evolve.findings import WEIGHTS
from questloom.pipeline.evolve.loop_folder import LoopFolder, RoundFolder
from questloom.pipeline.evolve.rollouts import read_rollouts
from questloom.pipeline.evolve.scores import score_of
from questloom.pipeline.evolve.shown_episodes import amount, pairs_of
from questloom.pipeline.evolve.spending import spent_words
from questloom.pipeline.evolve.tags import Tag
from questloom.pipeline.evolve.task_row import read_rows
from questloom.records.share import Share
from questloom.transforms.episodes.episode_folder import EpisodeFolder

WIDTH, HEIGHT, MARGIN = 420, 150, 28
TAGS = tuple(tag.value for tag in Tag)


@dataclass(frozen=True)
class Point:
    """A point of a curve: one round."""

    x: float
    y: float
    low: float
    high: float
    label: str


@dataclass(frozen=True)
class Curve:
    """One measure over the rounds, with its confidence interval, as SVG coordinates."""

    title: str
    line: str
    points: tuple[Point, ...]
    top: str
    bottom: str


def curve(
    title: str,
    values: Sequence[tuple[str, float, float, float] | None],
    *,
    low: float,
    high: float,
    digits: int = 2,
) -> Curve:
    """A curve through points (round, value, lower end, upper end), drawn between two bounds. Rounds
    without a value are left out.

    >>> curve("p", [("1", 0.5, 0.25, 0.75), None], low=0, high=1).points[0].y
    75.0
    """

    def place(value: float) -> float:
        return round(MARGIN / 2 + (HEIGHT - MARGIN) * (1 - (value - low) / (high - low)), 1)

    step = (WIDTH - 2 * MARGIN) / max(1, len(values) - 1)
    points = tuple(
        Point(
            round(MARGIN + number * step, 1),
            place(v[1]),
            place(v[2]),
            place(v[3]),
            f"round {v[0]}: {v[1]:.{digits}f} ({v[2]:.{digits}f} to {v[3]:.{digits}f})",
        )
        for number, v in enumerate(values)
        if v is not None
    )
    return Curve(
        title, " ".join(f"{p.x:g},{p.y:g}" for p in points), points, f"{high:g}", f"{low:g}"
    )


def build_loop_report(loop: LoopFolder) -> Path:
    """Writes the report of the rounds that `verify` has finished. Returns the path of the
    report."""
    rounds = [each for each in loop.rounds() if each.done("update")]
    shown = [_round(each) for each in rounds]
    environment = Environment(
        loader=PackageLoader("questloom.pipeline.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    rules = loop.recipe.evolve
    best, target = loop.path / "best.json", loop.path / "report"
    compared, pairs = pairs_of(loop, target / "pictures")
    page = environment.get_template("loop.html").render(
        name=loop.recipe.name,
        rules=rules,
        rounds=shown,
        tags=TAGS,
        dimensions=list(WEIGHTS[rules.mode]),
        curves=_curves(shown),
        width=WIDTH,
        height=HEIGHT,
        best=json.loads(best.read_text(encoding="utf-8")) if best.is_file() else None,
        compared=compared,
        pairs=pairs,
    )
    target.mkdir(parents=True, exist_ok=True)
    for style in ("base.css", "loop.css"):
        write_whole(
            target / style, (files("questloom.pipeline.report") / "css" / style).read_bytes()
        )
    write_whole(target / "index.html", page.encode())
    return target / "index.html"


def _round(at: RoundFolder) -> dict[str, Any]:
    forward, verified, diagnosis, update = (
        at.read(step) for step in ("forward", "verify", "diagnose", "update")
    )
    score = score_of(diagnosis)
    rows = read_rows(at)
    words = {row.id: row for row in rows}
    return {
        "number": at.number,
        "parent": at.parent,
        "forward": forward,
        "verified": verified,
        "diagnosis": diagnosis,
        "change": update,
        "score": score,
        "tasks": rows,
        "num": len(rows),
        "cost": _cost(at),
        "train": at.read("train") if at.done("train") else None,
        "edits": [
            {**edit, "shown": [words[t] for t in edit["tasks"] if t in words]}
            for edit in update["edits"]
        ],
        "recurring": [
            {
                **group,
                "shown": [
                    (words[task], why)
                    for task, why in zip(group["tasks"], _whys(group), strict=True)
                ],
            }
            for group in diagnosis["recurring"]
        ],
        "faults": {task["task"]: task["findings"] for task in diagnosis["tasks"]},
        "broken": [row for row in rows if row.tag is Tag.FAKE_HARD],
    }


def _whys(group: Mapping[str, Any]) -> Sequence[str]:
    """Why each task of a group counts as faulty; "" in loops of version 1, which do not record the
    reasons.
    """
    return group.get("whys", [""] * len(group["tasks"]))


def _cost(at: RoundFolder) -> dict[str, str]:
    """The cost of each part of a round: questions, episodes, updates and paid calls."""
    forward = at.read("forward")
    found = {"questions": f"{forward['kept']:,} kept of {forward['seeds']:,} seeds"}
    for name, run in (("policy", at.batch), ("teacher", at.unsolved)):
        for policy in run.policies():
            played = read_rollouts(EpisodeFolder.of(run, policy))
            found[name] = amount([episode for task in played.values() for episode in task.episodes])
    if probed := sum(row.probes for row in read_rows(at)):
        found["probes"] = f"{probed:,} episodes played on"
    if (at.path / "train" / "metrics.jsonl").is_file():
        found["training"] = _trained(at.path / "train" / "metrics.jsonl")
    if words := spent_words(at):
        found["calls of models"] = words
    return found


def _trained(metrics: Path) -> str:
    lines = [json.loads(line) for line in metrics.read_text(encoding="utf-8").splitlines()]
    seconds = sum(
        line.get(name, 0.0)
        for line in lines
        for name in ("seconds", "play_seconds", "update_seconds")
    )
    rollouts = sum(line.get("rollouts", 0.0) for line in lines)
    return f"{max(line['update'] for line in lines):,} updates, {f'{rollouts:,.0f} rollouts, ' if rollouts else ''}{seconds:,.0f} s"


def _curves(rounds: Sequence[Mapping[str, Any]]) -> list[Curve]:
    def share(name: str) -> list[tuple[str, float, float, float] | None]:
        found = [
            (str(r["number"]), Share(r["verified"][name]["good"], r["verified"][name]["judged"]))
            for r in rounds
        ]
        return [
            (number, s.value, *s.interval) if s.value is not None else None for number, s in found
        ]

    scores = [
        (str(r["number"]), s.value, max(-5.0, s.value - s.error), min(5.0, s.value + s.error))
        if (s := r["score"])
        else None
        for r in rounds
    ]
    return [
        curve("good_match, share of tasks", share("good_match"), low=0, high=1),
        curve("pass rate of the rollouts", share("pass_rate"), low=0, high=1),
        curve("score of the recipe (± standard error)", scores, low=-5, high=5),
    ]
