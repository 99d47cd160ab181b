"""Prepares a trained model's folder for the Hub: the weights, and a card made from the files of the training.

```
README.md        base, data, settings, seeds, hardware, hours, figures, and scores if an evaluation is given
curves.png       of the last stage
training/        settings.json, metrics.jsonl and result.json of each stage, the first one first
```
"""

import html
import json
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined

from questloom.eval.tables import EXPLANATION, as_markdown, sections
from questloom.pipeline.export.scrub import without_places
from questloom.records.errors import InputError

SHOWN = {
    "validation_loss": "validation loss",
    "loss": "loss",
    "reward": "reward of a step's rollouts",
    "accuracy": "share of rollouts that are right",
    "query": "r_query: how well rollouts search, by the judge",
    "query_measured": "r_query, measured from the rollouts in place of a judge",
    "valid_turns": "turns that hold the format",
    "tool_use": "rollouts with a tool call",
    "held_out/pass_rate": "right on held-out questions",
    "held_out/valid_turns": "turns that hold the format, held out",
}
"""The figures of `metrics.jsonl` that the card shows, each with its label."""
SECONDS = ("seconds", "play_seconds", "update_seconds", "held_out/seconds")
FILES = ("settings.json", "metrics.jsonl", "result.json")


@dataclass(frozen=True)
class Stage:
    """One of the trainings that led to a model."""

    folder: Path
    settings: dict[str, Any]
    metrics: list[dict[str, Any]]
    result: dict[str, Any]

    @property
    def kind(self) -> str:
        """The method of the training, "SFT" or "GRPO"."""
        return "GRPO" if "steps" in self.result else "SFT"

    @property
    def hours(self) -> float:
        """How many hours the training spent on playing episodes, updating weights and measuring.
        The numbers come from `metrics.jsonl`; starts and pauses do not count."""
        return sum(line.get(name, 0.0) for line in self.metrics for name in SECONDS) / 3600

    @property
    def figures(self) -> list[tuple[str, float, float]]:
        """One tuple (label, first value, last value) for each available figure."""
        found = {name: [line[name] for line in self.metrics if name in line] for name in SHOWN}
        return [(SHOWN[name], values[0], values[-1]) for name, values in found.items() if values]


def stages_of(out: Path) -> list[Stage]:
    """All trainings that led to OUT/model, the first one first. If a training began from the
    OUT/model of another training, the list has that other training before it.

    Raises:
        InputError: OUT is not a finished training.
    """
    found = [_stage(out)]
    while (before := Path(began_from(found[0]))).name == "model" and (
        before.parent / "result.json"
    ).is_file():
        found.insert(0, _stage(before.parent))
    return found


def began_from(stage: Stage) -> str:
    """The folder or name of the model from which a training began."""
    return str(stage.settings["run"]["model"])


def _stage(out: Path) -> Stage:
    for name in FILES:
        if not (out / name).is_file():
            raise InputError(
                str(out),
                f"is no finished training: it has no {name}",
                "Name the --out of `questloom train`, once it has ended.",
            )
    lines = (out / "metrics.jsonl").read_text(encoding="utf-8").splitlines()
    return Stage(
        out,
        json.loads((out / "settings.json").read_text()),
        [json.loads(line) for line in lines],
        json.loads((out / "result.json").read_text()),
    )


def write_model_folder(
    out: Path, target: Path, *, scores: Sequence[Mapping[str, Any]] = ()
) -> None:
    """Writes the folder to publish.

    Args:
        out: the --out folder of a training.
        target: an empty folder.
        scores: the contents of `scores.json` files of `questloom evaluate`, for the card's tables.

    Raises:
        InputError: OUT is not a finished training.
    """
    stages = stages_of(out)
    if not (out / "model" / "config.json").is_file():
        raise InputError(
            str(out / "model"),
            "is no model",
            "Name the --out of `questloom train`, once it has ended.",
        )
    shutil.copytree(out / "model", target, dirs_exist_ok=True)
    if (out / "curves.png").is_file():
        shutil.copy(out / "curves.png", target / "curves.png")
    for number, stage in enumerate(stages, 1):
        folder = target / "training" / f"{number}-{stage.kind.lower()}"
        folder.mkdir(parents=True)
        for name in ("metrics.jsonl", "result.json"):
            shutil.copy(stage.folder / name, folder / name)
        (folder / "settings.json").write_text(
            json.dumps(without_places(stage.settings), indent=2) + "\n", encoding="utf-8"
        )
    tables = as_markdown(sections(scores)) if scores else ""
    (target / "README.md").write_text(
        _card(stages, tables, has_curves=(target / "curves.png").is_file()), encoding="utf-8"
    )


def _card(stages: list[Stage], tables: str, *, has_curves: bool) -> str:
    environment = Environment(
        loader=PackageLoader("questloom.pipeline.export", "."),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )  # Markdown: outside text is only a path's last part
    base = str(without_places(began_from(stages[0])))
    front = {
        "library_name": "transformers",
        "pipeline_tag": "image-text-to-text",
        "tags": ["questloom", "multimodal", "search-agents"],
        **({"base_model": base} if re.fullmatch(r"[\w.-]+/[\w.-]+", began_from(stages[0])) else {}),
    }
    return environment.get_template("model_card.md.jinja").render(
        front=yaml.safe_dump(front, sort_keys=False),
        base=html.escape(base),
        stages=stages,
        last=stages[-1],
        data=list(map(_data, stages)),
        tables=tables,
        explanation=EXPLANATION,
        has_curves=has_curves,
        told=[json.dumps(without_places(s.settings["settings"]), indent=2) for s in stages],
    )


def _data(stage: Stage) -> str:
    """The source of a training's questions or trajectories. Paths of this machine are left out."""
    run = stage.settings["run"]
    named = run.get("data") or [run.get("questions", "")]
    return ", ".join(html.escape(str(name)) for name in _names(named))


def _names(named: Any) -> Iterator[str]:
    for path in [named] if isinstance(named, str) else named:
        recipe = Path(path, "recipe.json")
        if recipe.is_file():  # one of our runs states its recipe and fingerprint
            told = json.loads(recipe.read_text(encoding="utf-8"))
            yield f"recipe {told['recipe']['name']}, fingerprint {told['fingerprint'][:16]}"
        else:
            yield str(without_places(path))
