"""Reads the folder of a run for the report and the audit: the stages in order, their rows, and the
content of `run.json`.

```
RUN/recipe.json   RUN/run.json   RUN/stages/NN-name/{kept,rejected,pending}-SSSSS.parquet
```

Files are read in row groups, so that memory never holds all rows at once.
"""

import json
import re
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from questloom.files.locations import Location, listed, readable
from questloom.files.parquet import read_metadata, read_records
from questloom.knowledge.store.store import Store
from questloom.records.errors import InputError, ProviderFault
from questloom.records.identity import record_id
from questloom.records.outcomes import Pending, Rejection, StageCount
from questloom.records.synthesis import Question, Seed

_STAGE_FOLDER = re.compile(r"(\d+)-(.+)")
_BATCH = 1024


@dataclass(frozen=True)
class Stage:
    """The folder of one stage. `name` is the folder's name without its number."""

    folder: Location
    number: int
    name: str

    def files(self, outcome: str) -> list[Location]:
        """The files of all shards with one outcome ("kept", "rejected" or "pending"), in order."""
        return listed(self.folder, f"{outcome}-*.parquet")

    @cached_property
    def kind(self) -> str:
        """The type of the records in the kept rows ("Seed" or "Question"); "" if no shard is
        complete."""
        for path in self.files("kept"):
            facts = read_metadata(path)
            if facts:
                return facts.get("record", "")
        return ""

    def questions(self) -> Iterator[Question]:
        """Yields the kept questions, shard by shard."""
        for path in self.files("kept"):
            yield from read_records(path, Question)

    def pick(self, ids: Collection[str]) -> Iterator[Question]:
        """The kept questions that have one of these ids. To save time, only the rows of these
        questions are decoded."""
        for path in self.files("kept"):
            with _open(path) as file:
                for group in range(file.num_row_groups):
                    keys = file.read_row_group(group, columns=["seed_id", "index"]).to_pylist()
                    rows = [
                        i
                        for i, key in enumerate(keys)
                        if question_id(key["seed_id"], key["index"]) in ids
                    ]
                    if rows:
                        yield from map(
                            Question.from_row, file.read_row_group(group).take(rows).to_pylist()
                        )

    def seeds(self) -> Iterator[Seed]:
        """Yields the kept seeds, shard by shard."""
        for path in self.files("kept"):
            yield from read_records(path, Seed)

    def question_ids(self) -> Iterator[tuple[str, bool]]:
        """Yields a pair for each kept question: its id, and whether it has words and a picture. The
        function reads only four columns."""
        for path in self.files("kept"):
            with _open(path) as file:
                for batch in file.iter_batches(
                    _BATCH, columns=["seed_id", "index", "image_id", "text"]
                ):
                    for row in batch.to_pylist():
                        yield (
                            question_id(row["seed_id"], row["index"]),
                            bool(row["image_id"] and row["text"]),
                        )

    def rejections(self) -> Iterator[Rejection]:
        """The items that this stage rejected."""
        for path in self.files("rejected"):
            yield from read_records(path, Rejection)

    def pending(self) -> Iterator[Pending]:
        """The items that wait for a provider (a model or search service) or for budget."""
        for path in self.files("pending"):
            yield from read_records(path, Pending)

    @property
    def counts(self) -> StageCount | None:
        """The sums of what the stage itself counted. The counts are in the metadata of the kept
        shards. The result is None if a shard has no counts."""
        total = dict.fromkeys(("num_in", "num_kept", "num_rejected", "num_pending", "num_out"), 0)
        for path in self.files("kept"):
            facts = read_metadata(path) or {}
            if not total.keys() <= facts.keys():
                return None
            for name in total:
                total[name] += int(facts[name])
        return StageCount(stage=self.name, shard=-1, **total)

    def num_rows(self, outcome: str) -> int:
        """The number of rows with one outcome, as stated in the footers of the files."""
        return sum(_open(path).metadata.num_rows for path in self.files(outcome))


def _open(path: Location) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(readable(path))
    except (OSError, pa.ArrowInvalid) as error:
        raise InputError(
            str(path),
            f"cannot be read as Parquet ({error})",
            "Remove the file and run the same command again.",
        ) from error


@dataclass(frozen=True)
class Run:
    """The folder of a run. `recipe` is the resolved recipe. `facts` is the content of `run.json`,
    and is empty if the run has not ended."""

    folder: Location
    recipe: dict[str, Any]
    facts: dict[str, Any]
    stages: tuple[Stage, ...]
    not_run: dict[str, str]
    """The filters that were not run, each with the reason."""
    custom_filters: dict[str, dict[str, Any]] = field(default_factory=dict)
    """The filters that come from other packages, by name: their identity, help and reasons."""
    custom_writer: str = ""
    """The writer if it comes from another package, and what checked its words; "" for a built-in
    writer."""
    extensions: tuple[str, ...] = ()
    """The identities of all objects that come from other packages. In the folder of a policy's
    episodes, the objects are tools and services."""

    @property
    def name(self) -> str:
        return str(self.recipe.get("name") or self.folder.name)

    @property
    def language(self) -> str:
        return str(self.recipe.get("language") or "en")

    @property
    def own_reasons(self) -> dict[str, str]:
        """For each reason that a custom filter of this run adds, its sentence."""
        return {
            reason: words
            for each in self.custom_filters.values()
            for reason, words in each["reasons"].items()
        }

    @property
    def base(self) -> str:
        """The address of the main page of the run's wiki; "" if the address is unknown."""
        path = self.folder / "attribution" / "store.json"
        return (
            str(_read_json(path, "Run `questloom synth` again on the same folder.").get("base", ""))
            if path.is_file()
            else ""
        )

    @property
    def question_stages(self) -> tuple[Stage, ...]:
        return tuple(s for s in self.stages if s.kind == "Question")

    @property
    def last(self) -> Stage | None:
        """The last stage, whose kept questions are the result of the run. The result is None if the
        run has not reached this stage."""
        found = self.question_stages
        return found[-1] if found and found[-1] == self.stages[-1] else None

    def seconds(self, stage: Stage) -> float | None:
        """How many seconds a stage took, according to `run.json`; None if `run.json` does not
        say."""
        row = (self.facts.get("stages") or {}).get(stage.name) or {}
        return float(row["seconds"]) if "seconds" in row else None


def store_of(run: Run) -> Store | None:
    """The store that `run.json` names; None if the store can no longer be opened. Without the
    store, the report shows ids instead of names."""
    path = run.facts.get("store")
    if not isinstance(path, str):
        return None
    try:
        return Store.open(path)
    except (InputError, ProviderFault):
        return None


def _read_json(path: Location, fix: str) -> dict[str, Any]:
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(str(path), f"cannot be read as JSON ({error})", fix) from error
    if not isinstance(data, dict):
        raise InputError(str(path), "is no JSON object", fix)
    return data


def open_run(folder: Location) -> Run:
    """Opens a run by its folder.

    Raises:
        InputError: the folder is missing, or holds no run.
    """
    fix = "Point at a folder that `questloom synth --out` made."
    if not (folder / "recipe.json").is_file():
        raise InputError(str(folder), "is no run (no recipe.json in it)", fix)
    resolved = _read_json(folder / "recipe.json", fix)
    recipe = resolved["recipe"] if isinstance(resolved.get("recipe"), dict) else resolved
    facts = (
        _read_json(folder / "run.json", "Run the same `questloom synth` command again.")
        if (folder / "run.json").is_file()
        else {}
    )
    stages = []
    for path in (p for p in listed(folder / "stages") if p.is_dir()):
        found = _STAGE_FOLDER.fullmatch(path.name)
        if found:
            stages.append(Stage(path, int(found[1]), found[2]))
    if not stages:
        raise InputError(
            str(folder / "stages"),
            "holds no stage",
            "Run `questloom synth` until its first stage has ended.",
        )
    return Run(
        folder,
        recipe,
        facts,
        tuple(sorted(stages, key=lambda s: (s.number, s.name))),
        resolved.get("not_run", {}),
        resolved.get("custom_filters", {}),
        resolved.get("custom_writer", ""),
        tuple(resolved.get("extensions", ())),
    )


def find_questions(run: Run, ids: Iterable[str]) -> dict[str, Question]:
    """The questions with these ids. Each question is read from the last stage that kept it. Ids of
    things that never were questions are left out."""
    missing = set(ids)
    found: dict[str, Question] = {}
    for stage in reversed(run.question_stages):
        if missing:
            found.update((question.id, question) for question in stage.pick(missing))
            missing -= found.keys()
    return found


def question_id(seed_id: str, index: int) -> str:
    """The id of a question, computed from its seed and its index."""
    return record_id("Question", seed_id, index=index)
