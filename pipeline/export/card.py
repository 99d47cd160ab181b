"""Writes the data set's card, `README.md`, from the files of the run alone. Two exports of the same
run give the same bytes."""

import html
import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import pyarrow.dataset
import pyarrow.parquet as pq
import yaml
from jinja2 import Environment, PackageLoader, StrictUndefined

from questloom.calls.shared.place import is_url
from questloom.knowledge.readers.titles import is_invented
from questloom.pipeline.export.attribution import Attribution, store_facts
from questloom.pipeline.export.column_words import COLUMNS
from questloom.pipeline.export.data_files import patterns
from questloom.pipeline.export.dataset_shards import Tally
from questloom.pipeline.export.formats.format import Format
from questloom.pipeline.export.quota import BENCHMARK_SPLIT
from questloom.pipeline.export.reply_costs import replies_of
from questloom.pipeline.export.scrub import without_places
from questloom.pipeline.format_registry import load_formats
from questloom.pipeline.recipe import Recipe
from questloom.pipeline.synth.id_files import words_of
from questloom.prompts.phrases.words import answer_words
from questloom.records.outcomes import Reason, StageCount
from questloom.transforms.episodes.episode_folder import EpisodeFolder
from questloom.transforms.pictures.choose import read_hashes
from questloom.transforms.reason_words import CHECKS, FILTERS
from questloom.transforms.stages.run_folder import RunFolder

CONFIGURATIONS = ("tasks", "rl", "sft", "benchmark", "rejected", "attribution")
_SIZES = (
    (1_000, "n<1K"),
    (10_000, "1K<n<10K"),
    (100_000, "10K<n<100K"),
    (1_000_000, "100K<n<1M"),
    (10_000_000, "1M<n<10M"),
)
_LEVELS = ("easy", "medium", "hard", "expert", "benchmark")


def write_card(
    folder: Path, run: RunFolder, recipe: Recipe, tally: Tally, licences: Counter[str]
) -> None:
    """Writes `README.md` into a data set whose other files are complete.

    Args:
        folder: the data set's folder.
        run: the run's folder, with its stages, ledger of calls and store facts.
        recipe: the run's recipe.
        tally: the counts, summed over all shards.
        licences: the number of pictures under each licence, by the licence's name.
    """
    environment = Environment(
        loader=PackageLoader("questloom.pipeline.export", "."),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,
    )  # Markdown: all outside text goes through `plain`
    environment.filters.update(plain=plain, number=lambda n: f"{n:,}", answer=answer_words)
    tables = {
        name: _table(tally, name)
        for name in (
            "level",
            "method",
            "answer type",
            "topic",
            "needs",
            "basis",
            "grounding",
            "writer",
            "split",
        )
    }
    example = tally.example[1] if tally.example else None
    invented = is_invented(store_facts(run).get("base", ""))
    custom = run.read_recipe().get("custom_filters", {})
    text = environment.get_template("card.md.jinja").render(
        front=front_matter(recipe, data_files(folder), sum(tables["split"].values()), invented),
        name=recipe.name,
        tables=tables,
        example=example,
        credit=_credit(folder, example.image_id) if example else None,
        constant=_constant(folder),
        checks={**CHECKS, **FILTERS, **{name: each["help"] for name, each in custom.items()}},
        custom={name: each["identity"] for name, each in custom.items()},
        funnel=_funnel(run),
        reasons=_reasons(tally),
        not_run=run.read_recipe().get("not_run", {}),
        source=store_facts(run),
        invented=invented,
        models=models_of(recipe, tally, run.read_recipe().get("custom_writer", "")),
        spent=[*replies_of(run, recipe.run.calls), *_taught_for(run)],
        licences=sorted(licences.items(), key=lambda item: (-item[1], item[0])),
        num_pictures=sum(licences.values()),
        screen=_screen(recipe, tally),
        rl=_rl(recipe, tables["split"]),
        sft=_part(tables["split"], "sft"),
        surplus=_part(tables["split"], "tasks"),
        teach=_teach(run, tally),
        formats=recipe.export.formats,
        **_format_words(folder, load_formats(recipe.export.formats)),
        margin=recipe.certificate.margin,
        columns=_columns(folder),
        recipe=_settings(recipe),
        fingerprint=run.read_recipe()["fingerprint"],
    )
    (folder / "README.md").write_text(text, encoding="utf-8")


def _format_words(folder: Path, formats: Mapping[str, Format]) -> dict[str, list[str]]:
    """The card's words about the formats: which formats have bare answers, which ones have rewards,
    and what each format says about itself."""
    rewarded = [
        f for name, f in formats.items() if f.rewarded and (folder / "formats" / name).is_dir()
    ]
    return {
        "format_folders": [f.card_folder for f in formats.values() if f.card_folder],
        "bare": [name for name, f in formats.items() if "sft" in f.uses],
        "rewarded": [f.name for f in rewarded],
        "withheld": [f.card_withheld for f in rewarded if f.card_withheld],
        "rl_notes": [f.card_rl for f in rewarded if f.card_rl],
        "trajectory_notes": [
            formats[name].card_trajectories
            for name in sorted(formats)
            if formats[name].card_trajectories
        ],
    }


def _columns(folder: Path) -> dict[str, dict[str, str]]:
    """The card's description of each column in the data set's files, by configuration."""
    there = {
        "tasks, rl, benchmark": ("rl", "sft", "tasks", "benchmark"),
        "sft": ("trajectories",),
        "rejected": ("rejected",),
    }
    files = {
        name: next(
            (path for use in uses for path in sorted((folder / "data" / use).glob("*.parquet"))),
            None,
        )
        for name, uses in there.items()
    }
    files["attribution"] = path if (path := folder / "attribution.parquet").is_file() else None
    return {
        name: {column: COLUMNS[name][column] for column in pq.read_schema(path).names}
        for name, path in files.items()
        if path
    }


def _constant(folder: Path) -> dict[str, str]:
    """The text columns and true/false columns that hold the same value in every question, each with
    this value."""
    files = pyarrow.dataset.dataset(
        sorted(
            str(path)
            for use in ("rl", "sft", "tasks", "benchmark")
            for path in (folder / "data" / use).glob("*.parquet")
        )
    )
    said: dict[str, set[Any]] = {
        field.name: set()
        for field in files.schema
        if pyarrow.types.is_string(field.type) or pyarrow.types.is_boolean(field.type)
    }
    for batch in files.to_batches(columns=list(said)):
        for name, values in said.items():
            if len(values) < 2:
                values |= set(batch[name].unique().to_pylist())
    return {
        name: str(value) or "empty"
        for name, values in said.items()
        if len(values) == 1
        for value in values
    }


def _credit(folder: Path, image_id: str) -> dict[str, Any]:
    """The row of `attribution` for a picture that the card shows."""
    rows = pq.read_table(
        folder / "attribution.parquet", filters=[("image_sha256", "=", image_id)]
    ).to_pylist()
    return rows[0]


def plain(text: Any) -> str:
    """Turns a text from outside into one line of Markdown that looks exactly like the text. No part
    of the text can act as a tag, a link, a table cell or emphasis."""
    return re.sub(
        r"([\\`*_\[\]|#~!])", r"\\\1", html.escape(" ".join(str(text).split()), quote=False)
    )


def data_files(folder: Path) -> dict[str, list[dict[str, Any]]]:
    """The data set's configurations, each with its splits and files. A split without files is left
    out."""
    found: dict[str, dict[str, list[str]]] = {name: {} for name in CONFIGURATIONS}
    for use in ("rl", "sft", "tasks", "benchmark"):
        for split, pattern in patterns(folder / "data" / use).items():
            if use in ("rl", "benchmark"):
                found[use][split] = [f"data/{use}/{pattern}"]
            found["tasks"].setdefault("benchmark" if use == "benchmark" else split, []).append(
                f"data/{use}/{pattern}"
            )
    for name, use in (("sft", "trajectories"), ("rejected", "rejected")):
        found[name] = {
            split: [f"data/{use}/{pattern}"]
            for split, pattern in patterns(folder / "data" / use).items()
        }
    if (folder / "attribution.parquet").exists():
        found["attribution"]["pictures"] = ["attribution.parquet"]
    return {
        name: [{"split": split, "path": paths} for split, paths in splits.items()]
        for name, splits in found.items()
        if splits
    }


def front_matter(
    recipe: Recipe, files: dict[str, list[dict[str, Any]]], num_questions: int, invented: bool
) -> str:
    """The YAML header that the Hub and `datasets` read."""
    size = next((words for limit, words in _SIZES if num_questions < limit), "n>10M")
    facts = {
        "pretty_name": f"Questloom {recipe.name}",
        "license": "other",
        "license_name": "by-picture",
        "license_link": "attribution.parquet",
        "language": [recipe.language],
        "task_categories": ["visual-question-answering"],
        "tags": [
            "questloom",
            "multimodal",
            "multi-hop",
            "search-agents",
            "invented-world" if invented else "wikidata",
        ],
        "size_categories": [size],
        "configs": [
            {
                "config_name": name,
                **({"default": True} if name == "tasks" else {}),
                "data_files": splits,
            }
            for name, splits in files.items()
        ],
    }
    return yaml.safe_dump(facts, sort_keys=False, allow_unicode=True)


def models_of(recipe: Recipe, tally: Tally, custom_writer: str = "") -> dict[str, str]:
    """The name of the model for each role or check. If no model does the work, the text says what
    does it instead. `custom_writer` is the entry of `recipe.json`."""
    found = {role: config.model for role, config in sorted(recipe.models.roles.items())}
    if recipe.writer == "graph":
        found["writer"] = "none: the graph writer composes from claims"
    elif custom_writer:
        found["writer"] = f"of another package: {custom_writer}"
    solvers: dict[str, list[tuple[str, int]]] = {}
    for key in sorted(k for k in tally.counts if k[0] == "solver"):
        solvers.setdefault(key[1], []).append((key[2].replace("_", " "), tally.counts[key]))
    for name, several in solvers.items():
        found[f"filter {name.replace('_', ' ')}"] = (
            several[0][0]
            if len(several) == 1
            else ", ".join(f"{solver} {number:,}" for solver, number in several)
        )
    found["picture grounding"] = str(without_places(recipe.models.clip))
    return found


def _settings(recipe: Recipe) -> str:
    """The settings that affect the result. The section `run`, which only affects speed, is left out."""
    settings = {k: v for k, v in recipe.resolved().items() if k != "run"}
    return json.dumps(without_places(settings), indent=2, sort_keys=True, ensure_ascii=False)


def _table(tally: Tally, name: str) -> dict[str, int]:
    rows = {key[1]: number for key, number in tally.counts.items() if key[0] == name}
    if name == "level":
        return {level: rows[level] for level in _LEVELS if level in rows}
    return dict(sorted(rows.items(), key=lambda item: (-item[1], item[0])))


def _funnel(run: RunFolder) -> list[StageCount]:
    return [run.count(label) for label in run.labels()]


def _reasons(tally: Tally, name: str = "reason") -> dict[str, str]:
    """For each stage, the reasons for which items were rejected, with counts: "no path 12, no fact
    3"."""
    by_stage: dict[str, list[tuple[int, str]]] = {}
    for key, number in tally.counts.items():
        if key[0] == name:
            by_stage.setdefault(key[1], []).append((number, key[2].replace("_", " ")))
    return {
        stage: ", ".join(
            f"{reason} {number:,}" for number, reason in sorted(rows, key=lambda r: (-r[0], r[1]))
        )
        for stage, rows in by_stage.items()
    }


def _screen(recipe: Recipe, tally: Tally) -> dict[str, int]:
    """What the run excluded so that no benchmark leaks into the training data, with counts."""
    rejected: Counter[str] = Counter()
    for key, number in tally.counts.items():
        if key[0] == "reason":
            rejected[key[2]] += number
    return {
        "entities": len(words_of(recipe.seeds.exclude, "seeds.exclude")),
        "pictures": len(read_hashes(recipe.filters.exclude_pictures)),
        "excluded": rejected[Reason.EXCLUDED],
        "duplicates": rejected[Reason.PICTURE_DUPLICATE],
        "dropped": rejected[Reason.DROPPED_BY_REQUEST],
    }


def _teach(run: RunFolder, tally: Tally) -> dict[str, Any] | None:
    """The card's words about the trajectories; None without trajectories."""
    taught = EpisodeFolder.of(run)
    facts = taught.read_facts() if taught.is_whole() else None
    if facts is None:
        return None
    settings = taught.read_recipe()["recipe"]
    role = settings["models"]["roles"].get("agent", {})
    model = {
        "oracle": "the oracle, an engine that follows the question's logical form",
        "openai": role.get("model", ""),
    }.get(
        facts["engine"],
        (settings["teach"]["server"] or {}).get("model")
        or without_places(settings["teach"]["model"]),
    )
    return {
        "num": sum(n for k, n in tally.counts.items() if k[0] == "trajectories"),
        "engine": facts["engine"],
        "model": model,
        "rollouts": settings["teach"]["rollouts"],
        "extensions": taught.describe_extensions(),
        "tasks": facts["tasks"],
        "solved": facts["solved"],
        "played": facts["played"],
        "kept": facts["statistics"]["kept"],
        "distances": facts["statistics"]["distance_from_reference"],
        "rl_played": tally.counts["played", "rl"],
        "uses": settings["teach"]["uses"],
        "reasons": _reasons(tally, "teach reason"),
    }


def _taught_for(run: RunFolder) -> list[Any]:
    """The ledger's lines about the teacher's replies, if the teacher has its own ledger."""
    taught = EpisodeFolder.of(run)
    if not taught.is_whole():
        return []
    calls = taught.read_recipe()["recipe"]["run"]["calls"]
    return [] if calls and not is_url(calls) else replies_of(taught, calls)


def _part(splits: dict[str, int], use: str) -> int:
    return sum(number for split, number in splits.items() if split.startswith(f"{use}/"))


def _rl(recipe: Recipe, splits: dict[str, int]) -> dict[str, Any]:
    return {
        "num": _part(splits, "rl"),
        "ratio": ":".join(f"{part:g}" for part in recipe.export.level_ratio.values()),
        "levels": ":".join(recipe.export.level_ratio),
        "test": splits.get(f"benchmark/{BENCHMARK_SPLIT}", 0),
    }


def licence_counts(rows: Iterable[Attribution]) -> Counter[str]:
    """The number of pictures under each licence, by the licence's name."""
    return Counter(row.licence for row in rows)
