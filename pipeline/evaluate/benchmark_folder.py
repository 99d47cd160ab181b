"""Prepares a benchmark for evaluation: reads its questions, stores its pictures, and records which
data were read.
"""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from questloom.eval.adapter import chosen, entries, with_pictures
from questloom.eval.items import Item
from questloom.eval.rows import open_hub, open_local
from questloom.eval.run_split import is_run, run_items
from questloom.eval.statements import Statement, statement_of, statements
from questloom.files.extensions import load_extension
from questloom.files.parquet import write_whole
from questloom.pipeline.recipe import Recipe, recipe_of
from questloom.records.errors import InputError
from questloom.records.identity import canonical_json, digest_of
from questloom.transforms.stages.run_folder import RunFolder, absolute


@dataclass(frozen=True, kw_only=True)
class BenchmarkRequest:
    """The benchmark to read, and which part of it."""

    benchmark: str
    """A name in `benchmarks.yaml`, a `module:BENCHMARK` of another package, or a run's folder."""
    data: str = ""
    """The benchmark's file or folder on this machine."""
    pictures: str = ""
    """The folder of the pictures that the benchmark's rows name."""
    download: bool = False
    subset: str = ""
    split: str = "benchmark"
    """Which split of the questions to read, if the benchmark is the folder of a run."""
    limit: int = 0
    """The number of questions to take from the start; 0 for all."""
    partial: bool = False
    """Whether the benchmark may have fewer questions than its description states."""


@dataclass(frozen=True)
class Benchmark:
    """A benchmark as it was read."""

    name: str
    """The name of the benchmark's folder. The name includes the subset, if the evaluation has
    one."""
    items: Sequence[Item]
    facts: dict[str, Any]
    """The facts about the benchmark that every table of results names."""
    run: str = ""
    """The run from which the questions come; "" if the benchmark is not a run."""


def read_benchmark(asked: BenchmarkRequest, out: str) -> Benchmark:
    """Reads a benchmark, stores its pictures under `out`, and checks the number of questions.

    Raises:
        InputError: the benchmark is unknown or missing, or its data differ from the registered
            description, or an earlier evaluation in `out` read it with other options.
    """
    if is_run(asked.benchmark):
        return _of_run(asked, out)
    statement = statement_of(asked.benchmark)
    if statement is None:
        raise InputError(
            f"--benchmark {asked.benchmark}",
            "is neither a benchmark nor a run's folder",
            f"Benchmarks: {', '.join(statements())}; --list tells of each.",
        )
    if bool(asked.data) == asked.download:
        raise InputError(
            f"--benchmark {asked.benchmark}",
            "needs its data: nothing is fetched unless it is asked for"
            if asked.download is False
            else "is to be read from --data and to be downloaded",
            f"Give --data PATH, or --download. It is {statement.place} "
            f"({statement.size:,} questions, licence {statement.licence}). {statement.note}".strip(),
        )
    pictures = Path(asked.pictures) if asked.pictures else None
    rows = (
        open_hub(statement, pictures) if asked.download else open_local(Path(asked.data), pictures)
    )
    found = chosen(statement, entries(statement, rows), asked.subset, partial=asked.partial)
    name = "-".join(filter(None, (statement.name, asked.subset)))
    kept: set[str] = set()

    def keep(sha256: str, data: bytes) -> None:
        path = Path(out, name, "pictures", sha256)
        if sha256 not in kept and not path.is_file():
            write_whole(path, data)
        kept.add(sha256)

    items = [with_pictures(entry, rows, keep) for entry in found[: asked.limit or None]]
    stated = statement.subsets[asked.subset].size if asked.subset else statement.size
    facts = {
        "name": statement.name,
        "title": statement.title,
        "subset": asked.subset,
        "place": statement.place,
        "revision": rows.revision,
        "licence": statement.licence,
        "verified": statement.verified,
        "read": len(found),
        "partial": bool(asked.limit) or bool(stated and len(items) != stated),
        "note": _note(statement, asked.subset),
    }
    if asked.benchmark not in statements():
        own = load_extension(asked.benchmark, "benchmarks", "--benchmark")
        facts["note"] = f"{facts['note']} Of another package: {own.identity}."
    _lay_down(out, name, items, facts)
    return Benchmark(name, items, facts)


def _note(statement: Statement, subset: str) -> str:
    rule = statement.subsets.get(subset)
    known = "" if rule is None else f" Subset {subset}: {rule.note}."
    return f"{statement.paper}; {statement.place}; format verified: {statement.verified}.{known}"


def _of_run(asked: BenchmarkRequest, out: str) -> Benchmark:
    for name in ("data", "pictures", "subset", "download"):
        if getattr(asked, name):
            raise InputError(
                f"--{name}",
                "belongs to outside benchmarks",
                f"Leave it out: {asked.benchmark} is a run.",
            )
    run = RunFolder(absolute(asked.benchmark))
    recipe = run_recipe(run)
    title = Path(run.path).name
    items = run_items(run, title, asked.split, withhold_own=recipe.pictures.withhold_own)
    used = items[: asked.limit or None]
    facts = {
        "name": title,
        "title": f"{title}, split {asked.split}",
        "subset": "",
        "place": f"run {title}, split {asked.split}",
        "revision": digest_of(item.id for item in items),
        "licence": "see the run's attribution",
        "verified": "yes",
        "read": len(items),
        "partial": len(used) != len(items),
        "note": f"Certified questions of the run's recipe {recipe.name}.",
    }
    name = f"{title}-{asked.split.replace('/', '-')}"
    _lay_down(out, name, used, facts)
    return Benchmark(name, used, facts, run.path)


def run_recipe(run: RunFolder) -> Recipe:
    """The recipe with which a run was made.

    Raises:
        InputError: the folder is not a run.
    """
    return recipe_of(run.read_recipe()["recipe"], f"{run.path}/recipe.json")


def _lay_down(out: str, name: str, items: Sequence[Item], facts: dict[str, Any]) -> None:
    """Writes `statement.json`, which records which data were read.

    Raises:
        InputError: the folder holds the same benchmark, read from other data or with other options.
            One table must not mix the scores of two readings of a benchmark.
    """
    path = Path(out, name, "statement.json")
    said = {**facts, "questions": digest_of(canonical_json(item.to_row()) for item in items)}
    if path.is_file() and (before := json.loads(path.read_text(encoding="utf-8"))) != said:
        changed = sorted(key for key in before.keys() | said if before.get(key) != said.get(key))
        raise InputError(
            str(path),
            f"was written of another reading of {name} ({', '.join(changed)} differ)",
            "Give the same data and --limit again, or another --out.",
        )
    write_whole(path, (canonical_json(said) + "\n").encode())
