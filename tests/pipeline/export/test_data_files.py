"""The names of a data set's files: `datasets`, which keeps what it has read under them, never gives the rows of another run."""

import glob
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest
import yaml
from datasets import get_dataset_config_names, load_dataset

from questloom.files.parquet import read_metadata, read_records, write_records
from questloom.pipeline.commands.publish import publish
from questloom.pipeline.export import data_files, drop
from questloom.pipeline.export.attribution import Attribution, ledger_path
from questloom.pipeline.export.data_files import DataFiles, name_files
from questloom.pipeline.export.dataset import build_dataset
from questloom.pipeline.export.sft_rows import SFT
from questloom.records.outcomes import Rejection
from questloom.records.synthesis import Question
from questloom.records.trajectories import Trajectory
from questloom.transforms.episodes.episode_folder import KEEP
from tests.pipeline.export import finished_run as world
from tests.pipeline.export import taught as teacher
from tests.run_files import folder, shard_path
from tests.run_files import taught as episodes

PARTS = ("rl_train", "rl_validation", "trajectories_train")
FOLDERS = [
    f"formats/{tool}/{part}" for tool in ("sharegpt", "verl", "trl", "jsonl") for part in PARTS
]


def changed(path, kind, change):
    """Writes a stage's file again with other rows; its facts stay."""
    write_records(
        path, kind, list(map(change, list(read_records(path, kind)))), **read_metadata(path)
    )


def answered(split: str):
    """A change of the answers to the questions of a split."""
    return lambda q: (
        q.replace(answer=q.answer.replace(text="another answer")) if q.split == split else q
    )


def another_turn(t: Trajectory) -> Trajectory:
    """A trajectory with another last turn."""
    *before, last = t.episode.turns
    last = last.replace(text=last.text.replace("So it is", "Or it is"))
    return t.replace(episode=t.episode.replace(turns=(*before, last)))


def last_stage(run: Path, shard: int):
    return shard_path(run, world.SPLIT, "kept", shard)


def kept_episodes(run: Path, shard: int):
    return episodes(run).shard(episodes(run).label(KEEP), "kept", shard)


CHANGES = {
    "nothing": lambda run, shard: None,
    "answers of rl": lambda run, shard: changed(
        last_stage(run, shard), Question, answered("rl/train")
    ),
    "answers of validation": lambda run, shard: changed(
        last_stage(run, shard), Question, answered("rl/validation")
    ),
    "answers of the benchmark": lambda run, shard: changed(
        last_stage(run, shard), Question, answered("benchmark")
    ),
    "reasons": lambda run, shard: changed(
        shard_path(run, world.CERTIFY, "rejected", shard),
        Rejection,
        lambda r: r.replace(evidence={"rival": "Q2"}),
    ),
    "authors": lambda run, shard: changed(
        ledger_path(folder(run), shard), Attribution, lambda a: a.replace(author="Another")
    ),
    "trajectories": lambda run, shard: changed(kept_episodes(run, shard), Trajectory, another_turn),
}
"""What two runs may differ by, one thing at a time."""


def made_by(taught: Path, place: Path, what: str) -> Path:
    """A run whose data set differs from the taught one by one thing."""
    shutil.copytree(taught, place, ignore=shutil.ignore_patterns("dataset"))
    for shard in range(world.NUM_SHARDS):
        CHANGES[what](place, shard)
    build_dataset(folder(place), teacher.settings())
    return place / "dataset"


def held(dataset: Path) -> dict[str, dict[str, list]]:
    """By configuration and split the rows of the files that the card names, past `datasets`."""
    front = yaml.safe_load((dataset / "README.md").read_text(encoding="utf-8").split("---")[1])

    def rows(patterns: list[str]) -> list:
        files = [file for pattern in patterns for file in sorted(glob.glob(str(dataset / pattern)))]
        return [row for file in files for row in pq.read_table(file).to_pylist()]

    return {
        c["config_name"]: {part["split"]: rows(part["path"]) for part in c["data_files"]}
        for c in front["configs"]
    }


def loaded(dataset: Path, cache: Path) -> dict[str, dict[str, list]]:
    """The same by `load_dataset`."""
    found = {
        name: load_dataset(str(dataset), name, cache_dir=str(cache))
        for name in get_dataset_config_names(str(dataset))
    }
    return {
        name: {split: part.data.to_pylist() for split, part in parts.items()}
        for name, parts in found.items()
    }


def test_runs_with_one_card_are_told_apart_in_every_configuration(taught, tmp_path):
    """Each run differs from the first by one thing, in one configuration alone."""
    found = [made_by(taught, tmp_path / str(n), what) for n, what in enumerate(CHANGES)]
    assert set(held(found[0])) == {"tasks", "rl", "sft", "benchmark", "rejected", "attribution"}
    for dataset in (*found, found[0]):
        assert loaded(dataset, tmp_path / "cache") == held(dataset)
    first, *names = [
        frozenset(p.name for p in (dataset / "data").rglob("*.parquet"))
        for dataset in (taught / "dataset", *found)
    ]
    assert len(set(names)) == len(CHANGES), "each has names of its own"
    assert names[0] == first, "and one that did not change keeps its names"


def test_fresh_processes_with_one_cache_are_given_the_run_that_they_name(taught, tmp_path):
    found = [
        made_by(taught, tmp_path / str(n), what)
        for n, what in enumerate(("nothing", "answers of rl", "nothing"))
    ]
    lines = [
        "import sys",
        "from datasets import load_dataset",
        "print([r['answer'] for r in load_dataset(sys.argv[1], 'rl', cache_dir=sys.argv[2])['train']])",
    ]
    told = [
        subprocess.run(
            [sys.executable, "-c", "\n".join(lines), str(dataset), str(tmp_path / "cache")],
            capture_output=True,
            text=True,
            check=True,
        ).stdout.strip()
        for dataset in found
    ]
    assert told == [
        str([row["answer"] for row in held(dataset)["rl"]["train"]]) for dataset in found
    ]
    assert told[0] == told[2] != told[1]


def test_a_run_that_is_made_anew_in_its_place_is_read_anew(taught, tmp_path):
    dataset = made_by(taught, tmp_path / "run", "nothing")
    assert loaded(dataset, tmp_path / "cache") == held(dataset)
    shutil.rmtree(tmp_path / "run")
    dataset = made_by(taught, tmp_path / "run", "answers of rl")
    assert loaded(dataset, tmp_path / "cache") == held(dataset)


def test_a_published_folder_is_read_anew_after_each_publish_and_drop(taught, tmp_path):
    made_by(taught, tmp_path / "run", "nothing")
    out = tmp_path / "out"
    (tmp_path / "drop.txt").write_text(world.file_name(1))
    counts = []
    for how in ({}, {}, {"drop": tmp_path / "drop.txt"}):
        publish(str(tmp_path / "run"), str(out), **how)
        assert loaded(out, tmp_path / "cache") == held(out)
        counts.append(len(held(out)["tasks"]["train"]))
    assert counts[0] == counts[1] > counts[2]
    drop(folder(tmp_path / "run"), [world.file_name(2)])
    assert loaded(tmp_path / "run" / "dataset", tmp_path / "cache") == held(
        tmp_path / "run" / "dataset"
    )


def test_the_formats_of_a_run_made_anew_are_read_anew_where_every_file_has_one_time(
    taught, tmp_path
):
    """As after a copy that gives every file one time, by which `datasets` knows files that are named by their path."""
    seen = {part: set() for part in FOLDERS}
    for what in ("nothing", "answers of rl", "answers of validation", "trajectories"):
        shutil.rmtree(tmp_path / "run", ignore_errors=True)
        dataset = made_by(taught, tmp_path / "run", what)
        for file in dataset.rglob("*"):
            os.utime(file, (1_000_000, 1_000_000))
        for part in FOLDERS:
            (file,) = (dataset / part).iterdir()
            is_text = file.suffix == ".jsonl"
            rows = (
                list(map(json.loads, file.read_text().splitlines()))
                if is_text
                else pq.read_table(file).to_pylist()
            )
            cache = str(tmp_path / "cache")
            by_path = load_dataset(
                "json" if is_text else "parquet",
                data_files=str(dataset / part / "*"),
                cache_dir=cache,
            )["train"]
            by_folder = next(iter(load_dataset(str(dataset / part), cache_dir=cache).values()))
            assert by_path.data.to_pylist() == by_folder.data.to_pylist() == rows, (what, part)
            seen[part].add(str(rows))
    assert {part: len(found) for part, found in seen.items()} == dict.fromkeys(FOLDERS, 2), (
        "one change reaches each folder"
    )


def rows_of(num: int):
    """Rows of the configuration `sft` with a picture of 10,000 bytes each."""
    for n in range(num):
        picture = {"bytes": bytes([n % 256]) * 10_000, "path": "a.jpg"}
        yield {**dict.fromkeys(SFT), "id": f"{n:04d}", "messages": [], "images": [picture]}


@pytest.mark.parametrize(("features", "suffix"), [(SFT, "parquet"), (None, "jsonl")])
def test_there_are_as_many_files_as_the_size_asks_for(tmp_path, monkeypatch, features, suffix):
    monkeypatch.setattr(data_files, "GROUP_BYTES", 30_000)
    monkeypatch.setattr(data_files, "FILE_BYTES", 100_000)
    files = DataFiles(tmp_path)
    for row in rows_of(30) if features else ({"id": n, "text": "x" * 10_000} for n in range(30)):
        files.put("data/sft/train", features, row)
    files.put("data/sft/validation", features, next(rows_of(1)) if features else {"id": 0})
    files.close()
    name_files(tmp_path)
    found = sorted((tmp_path / "data/sft").iterdir())
    digest = found[0].stem.split("-")[-1]
    train = [p for p in found if p.name.startswith("train")]
    assert [p.name for p in found] == [
        *(f"train-{n:05d}-of-{len(train):05d}-{digest}.{suffix}" for n in range(len(train))),
        f"validation-00000-of-00001-{digest}.{suffix}",
    ]
    assert len(train) == 3 and all(100_000 <= p.stat().st_size < 150_000 for p in train[:-1])
    rows = [
        row["id"]
        for p in train
        for row in (
            pq.read_table(p).to_pylist()
            if features
            else map(json.loads, p.read_text().splitlines())
        )
    ]
    assert len(rows) == 30 and rows == sorted(rows)


def test_a_writer_holds_no_more_than_a_row_group(tmp_path, monkeypatch):
    monkeypatch.setattr(data_files, "GROUP_BYTES", 30_000)
    writer = data_files.RowWriter(tmp_path / "train", SFT)
    for row in rows_of(30):
        writer.write(row)
        assert len(writer._rows) <= 3
    writer.close()
    assert pq.read_metadata(tmp_path / "train-00000.parquet").num_row_groups == 10


def test_a_small_run_has_one_file_a_split(taught):
    """By use, or folder of a format."""
    files = [p for part in ("data", "formats") for p in (taught / "dataset" / part).rglob("*-of-*")]
    assert {p.name.split("-")[1:4] == ["00000", "of", "00001"] for p in files} == {True}
    assert len({(p.parent, p.name.split("-")[0]) for p in files}) == len(files) > 10


def test_the_digest_is_of_every_file_and_its_place(tmp_path):
    names = []
    for n, (place, text) in enumerate(
        [
            ("data/rl/train", "a"),
            ("data/rl/train", "b"),
            ("data/tasks/train", "a"),
            ("data/rl/train", "a"),
        ]
    ):
        for name, held in ((f"{place}-00000.jsonl", text), ("attribution.parquet", "authors")):
            path = tmp_path / str(n) / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(held)
        name_files(tmp_path / str(n))
        names.append(next((tmp_path / str(n)).rglob("train-*")).name)
        assert (tmp_path / str(n) / "attribution.parquet").is_file()
    assert len(set(names)) == 3 and names[0] == names[3]
