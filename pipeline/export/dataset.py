"""Writes the data set of a run, `RUN/dataset`, atomically.

```
README.md            the card, with the configurations that `datasets` reads
data/                questions by use and split, the teacher's trajectories, and rejected items
attribution.parquet  one row per picture
formats/             the same rows for trainers (`formats/`), and a reward function
example/             the card's picture
```

`data_files.py` explains how the files in data/ and formats/ are named.
"""

import re
import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from questloom.files.locations import readable, whole_folder
from questloom.files.parquet import read_metadata
from questloom.pipeline.export.attribution import merged, write_ledger
from questloom.pipeline.export.card import licence_counts, write_card
from questloom.pipeline.export.columns import ATTRIBUTION, attribution_row
from questloom.pipeline.export.data_files import DataFiles, RowWriter, name_files
from questloom.pipeline.export.dataset_shards import Tally, attribution_part, write_shard
from questloom.pipeline.export.episode_ledger import write_episode_ledger
from questloom.pipeline.export.formats.format import Format
from questloom.pipeline.export.quota import Key, Quota, draw, quota
from questloom.pipeline.export.sft_rows import Teaching
from questloom.pipeline.format_registry import load_formats
from questloom.pipeline.recipe import Recipe
from questloom.pipeline.synth.job import Job
from questloom.records.errors import InputError
from questloom.records.identity import record_id
from questloom.transforms.episodes.episode_folder import EpisodeFolder
from questloom.transforms.stages.run_folder import RunFolder

_SPLIT = re.compile(r"\w+")


@dataclass(frozen=True)
class ExportSummary:
    """The contents of a data set, in numbers."""

    path: str
    num_questions: dict[str, int]
    """The number of questions for each use and split, such as "rl/train" or "benchmark/test".
    "tasks/train" counts the questions that `rl` leaves out to keep the ratio of levels."""
    num_rejected: int
    num_pictures: int


def export_dataset(job: Job) -> ExportSummary:
    """Writes the data set of a finished run. If a kill interrupts the export, a new export gives
    the same bytes.

    Raises:
        InputError: the run is not finished, the recipe's export settings are wrong, or a picture is missing, damaged or
            without a licence.
    """
    _check(job.run, job.recipe)
    write_ledger(job.run, job.store, job.recipe.run.shards)
    if EpisodeFolder.of(job.run).is_whole():
        write_episode_ledger(job.run, EpisodeFolder.of(job.run), job.store, job.recipe.run.shards)
    return build_dataset(job.run, job.recipe)


def build_dataset(run: RunFolder, recipe: Recipe) -> ExportSummary:
    """Writes the data set like `export_dataset`, but without the store. The ledgers of picture
    sources must exist already."""
    _check(run, recipe)
    target, limits, tally, teaching = run.dataset, _quota(run, recipe), Tally(), Teaching(run)
    with whole_folder(target, last="README.md") as part:
        files = DataFiles(part)
        for shard in range(recipe.run.shards):
            tally.add(write_shard(run, recipe, limits, shard, files, teaching))
        files.close()
        num_pictures, licences = _write_attribution(part, recipe.run.shards)
        name_files(part)
        _write_extras(part, run, recipe, tally)
        write_card(part, run, recipe, tally, licences)
    return ExportSummary(
        path=str(target),
        num_questions={k[1]: n for k, n in sorted(tally.counts.items()) if k[0] == "split"},
        num_rejected=sum(n for k, n in tally.counts.items() if k[0] == "reason"),
        num_pictures=num_pictures,
    )


def _check(run: RunFolder, recipe: Recipe) -> None:
    stages = run.labels()
    last = stages[-1] if stages else "no stage"
    for shard in range(recipe.run.shards):
        facts = read_metadata(run.shard(last, "kept", shard)) if stages else None
        if facts is None or facts.get("record") != "Question" or facts.get("num_pending") != "0":
            raise InputError(
                run.path,
                f"is not finished ({last}, shard {shard})",
                "Run the same `questloom synth` command again.",
            )
    for name in recipe.export.shares:
        if not _SPLIT.fullmatch(name) or name == "benchmark":
            raise InputError(
                f"recipe key export.shares, {name!r}",
                "cannot name a split",
                'Use letters, digits and _; not "benchmark".',
            )
    if not any(recipe.export.shares.values()):
        raise InputError(
            "recipe key export.shares",
            "gives no split a share",
            "Name a split with a share above 0.",
        )


def _quota(run: RunFolder, recipe: Recipe) -> Quota:
    """How many questions of each level the configuration `rl` may hold, computed from the questions
    that the last stage kept."""
    keys: list[Key] = []
    for shard in range(recipe.run.shards if recipe.export.level_ratio else 0):
        path = run.shard(run.labels()[-1], "kept", shard)
        for row in pq.read_table(
            readable(path), columns=["seed_id", "index", "split", "level"]
        ).to_pylist():
            if row["split"].startswith("rl/"):
                keys.append(
                    (
                        draw(
                            recipe.seed, record_id("Question", row["seed_id"], index=row["index"])
                        ),
                        row["split"],
                        row["level"],
                    )
                )
    return quota(keys, recipe.export.level_ratio, recipe.seed)


def _write_attribution(folder: Path, num_shards: int) -> tuple[int, Counter[str]]:
    parts = [attribution_part(folder, shard) for shard in range(num_shards)]
    licences: Counter[str] = licence_counts(merged(parts))
    num_pictures = sum(licences.values())
    writer = RowWriter(folder / "attribution", ATTRIBUTION)
    for row in merged(parts):
        writer.write(attribution_row(row))
    writer.close()
    if num_pictures:
        (folder / "attribution-00000.parquet").rename(folder / "attribution.parquet")
    shutil.rmtree(parts[0].parent)
    return num_pictures, licences


def _write_extras(folder: Path, run: RunFolder, recipe: Recipe, tally: Tally) -> None:
    """Writes the remaining files: what the formats add, the reward function, and the picture of the
    card's example."""
    formats: dict[str, Format] = load_formats(recipe.export.formats)
    homes = [(f, folder / "formats" / name) for name, f in formats.items()]
    written = [(f, home) for f, home in homes if home.is_dir()]
    for f, home in written:
        parts = [path.name for path in home.iterdir() if path.is_dir()]
        for file, data in (f.extras(f"questloom_{recipe.name}", parts) if f.extras else {}).items():
            (home / file).write_bytes(data)
    if any(f.rewarded for f, _ in written):
        shutil.copy(Path(__file__).with_name("reward.py"), folder / "formats" / "reward.py")
    if tally.example:
        picture = folder / "example" / f"{tally.example[1].image_id}.jpg"
        picture.parent.mkdir()
        picture.write_bytes(run.read_picture(tally.example[1].image_id))
