"""Writes one shard of a run's stages into the files of the data set. The rows of all shards go into
the same files, one shard after another.

```
data/rl/train                questions, by use and split
data/rejected/rejected
formats/verl/rl_train/train
```
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from questloom.files.parquet import read_records, write_records
from questloom.pipeline.export.attribution import Attribution, read_ledger
from questloom.pipeline.export.columns import REJECTED, rejected_row, task_features, task_row
from questloom.pipeline.export.data_files import DataFiles
from questloom.pipeline.export.episode_ledger import read_episode_ledger
from questloom.pipeline.export.formats.format import Format
from questloom.pipeline.export.quota import SURPLUS_USE, Quota
from questloom.pipeline.export.rendered_question import QuestionRenderer
from questloom.pipeline.export.sft_rows import SFT, Teaching, sft_row
from questloom.pipeline.format_registry import load_formats
from questloom.pipeline.recipe import Recipe
from questloom.records.errors import InputError
from questloom.records.identity import priority
from questloom.records.outcomes import Rejection
from questloom.records.synthesis import Question
from questloom.transforms.episodes.episode_folder import EpisodeFolder
from questloom.transforms.stages.run_folder import RunFolder


@dataclass
class Tally:
    """The card's counts of questions, summed over shards."""

    counts: Counter = field(default_factory=Counter)
    """The number of questions for each pair (property, value), such as ("level", "easy") or
    ("split", "rl/train")."""
    example: tuple[str, Question] | None = None
    """The card's example, a training question, with the random number by which it was chosen: the
    smallest number wins."""

    def add(self, other: "Tally") -> None:
        """Adds another shard's counts."""
        self.counts += other.counts
        self.example = min(
            (e for e in (self.example, other.example) if e), key=lambda e: e[0], default=None
        )


def write_shard(
    run: RunFolder, recipe: Recipe, quota: Quota, shard: int, files: DataFiles, teaching: Teaching
) -> Tally:
    """Adds one shard of the last stage to the data set's files. The function returns the counts of
    the shard. `teaching` holds the teacher's trajectories.

    Raises:
        InputError: a picture is missing or damaged, or no ledger names its source.
    """

    def read(image_id: str) -> bytes:
        return run.read_picture(image_id)

    tally, ledger, used = Tally(), read_ledger(run, shard), {}
    results, asking = (
        teaching.results(shard),
        QuestionRenderer(recipe, teaching.renderer, teaching.schemas),
    )
    formats: dict[str, Format] = load_formats(recipe.export.formats)
    features = {name: f.features and f.features(asking.tools) for name, f in formats.items()}
    columns = task_features(
        enhanced=recipe.enhancement.share > 0,
        outside=bool(recipe.external),
        taught=teaching.is_there,
    )
    for question in questions(run, shard):
        use, split = quota.place_of(question)
        if use == "rl" and teaching.is_broken(results.get(question.id)):
            use = SURPLUS_USE
        row = task_row(question, f"{use}/{split}", read, results.get(question.id))
        files.put(f"data/{use}/{split}", columns, {name: row[name] for name in columns})
        # if there are trajectories, nobody needs to train on bare answers
        wanted = {
            name: f
            for name, f in formats.items()
            if use in f.uses and not (use == "sft" and teaching.is_there)
        }
        asked = asking.of(question, read) if wanted else None
        for name, f in wanted.items():
            assert asked is not None
            files.put(
                f"formats/{name}/{use}_{split}/{split}",
                features[name],
                f.row(asked, f"questloom/{recipe.name}", split),
            )
        for image_id in pictures_of(question):
            if image_id not in ledger:
                raise InputError(
                    f"picture {image_id}",
                    "has no known origin",
                    "Run `questloom synth` again on the same folder.",
                )
            used[image_id] = ledger[image_id]
        _count(tally, question, use, split, recipe.seed)
        tally.counts["played", use] += question.id in results
    ledger |= read_episode_ledger(EpisodeFolder.of(run), shard)
    for rendered in teaching.rendered(shard):
        split = rendered.trajectory.split.partition("/")[2]
        files.put(f"data/trajectories/{split}", SFT, sft_row(rendered))
        for name, f in formats.items():
            files.put(
                f"formats/{name}/trajectories_{split}/{split}",
                f.trajectory_features,
                f.trajectory_row(rendered),
            )
        used |= {picture.sha256: ledger[picture.sha256] for picture in rendered.pictures}
        tally.counts.update(
            [("trajectories", split), ("trajectory level", rendered.trajectory.level)]
        )
    for rejection in teaching.rejections(shard):
        files.put("data/rejected/rejected", REJECTED, rejected_row(rejection))
        tally.counts["teach reason", rejection.stage, rejection.reason] += 1
    for rejection in rejections(run, shard):
        files.put("data/rejected/rejected", REJECTED, rejected_row(rejection))
        tally.counts["reason", rejection.stage, rejection.reason] += 1
    write_records(
        attribution_part(files.folder, shard), Attribution, [used[i] for i in sorted(used)]
    )
    return tally


def attribution_part(folder: Path, shard: int) -> Path:
    """The file for the attribution rows of one shard. The export merges the attribution files of
    all shards at its end."""
    return folder / ".attribution" / f"{shard:05d}.parquet"


def questions(run: RunFolder, shard: int) -> Iterator[Question]:
    """The kept questions of a shard, from the last stage."""
    return read_records(run.shard(run.labels()[-1], "kept", shard), Question)


def rejections(run: RunFolder, shard: int) -> Iterator[Rejection]:
    """The items of a shard that any stage rejected."""
    for stage in run.labels():
        yield from read_records(run.shard(stage, "rejected", shard), Rejection)


def pictures_of(question: Question) -> Iterable[str]:
    """The pictures that one question brings into the data set."""
    return (
        (question.image_id, question.enhancement.original_image_id)
        if question.enhancement
        else (question.image_id,)
    )


def _count(tally: Tally, question: Question, use: str, split: str, seed: int) -> None:
    certificate, enhancement = question.certificate, question.enhancement
    needs = [
        words
        for words, needed in (
            ("a detail seen close up", question.needs_detail),
            ("a computation", question.needs_computation),
            ("a picture to be repaired first", enhancement is not None),
        )
        if needed
    ]
    tally.counts.update(
        [
            ("split", f"{use}/{split}"),
            ("level", question.level),
            ("method", question.method),
            ("answer type", question.answer.type),
            ("topic", question.topic or "none"),
            ("writer", question.writer),
            ("basis", certificate.basis if certificate else "none"),
            (
                "grounding",
                question.grounding["status"] if isinstance(question.grounding, dict) else "none",
            ),
            *(("needs", words) for words in needs),
            *(("solver", v.filter, v.solver) for v in question.verdicts),
        ]
    )
    if split == "train" and enhancement is None:
        tally.add(Tally(example=(priority(seed, question.id, "card"), question)))
