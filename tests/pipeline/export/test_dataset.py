import json
import shutil
from collections import Counter
from pathlib import Path

import datasets
import pyarrow.parquet as pq
import pytest
import yaml
from datasets import load_dataset
from PIL import Image

from questloom.models.picture_file import encode
from questloom.pipeline.export import dataset as dataset_module
from questloom.pipeline.export import export_dataset
from questloom.records.errors import InputError
from questloom.records.identity import sha256_hex
from tests.pipeline.export import finished_run as world
from tests.pipeline.export.scan import found, shows, tree
from tests.run_files import shard_path


def load(folder: Path, name: str, tmp_path: Path):
    return load_dataset(str(folder), name, cache_dir=str(tmp_path / "cache"))


def test_every_configuration_loads_with_datasets(exported, tmp_path):
    front = yaml.safe_load((exported / "README.md").read_text(encoding="utf-8").split("---")[1])
    names = [c["config_name"] for c in front["configs"]]
    assert names == ["tasks", "rl", "benchmark", "rejected", "attribution"]
    rows = {
        name: {split: len(part) for split, part in load(exported, name, tmp_path).items()}
        for name in names
    }
    assert rows["tasks"] == {"train": 14, "validation": 4, "benchmark": 4}
    assert rows["rl"] == {"train": 10, "validation": 4}
    assert rows["benchmark"] == {"test": 4}
    assert rows["rejected"] == {"rejected": 3}
    assert rows["attribution"] == {"pictures": 14}


def test_a_row_shows_the_picture_as_the_run_has_it(exported, tmp_path):
    rows = {r["id"]: r for r in load(exported, "tasks", tmp_path)["train"]}
    plain, degraded = rows[world.drafted(1).id], rows[world.drafted(12).id]
    assert isinstance(plain["image"], Image.Image)
    assert plain["image"].size == (160, 120)
    assert plain["original_image"] is None
    assert plain["image_sha256"] == world.shown_picture(1).id
    assert degraded["enhancement"] == {"degradation": "blur", "tool": "sharpen", "severity": 0.6}
    assert encode(degraded["original_image"]) == world.pixels_of(world.shown_picture(0).data)
    assert (plain["question"], plain["answer"], plain["answer_aliases"], plain["answer_type"]) == (
        "Who drew tower number 1 of the town in the picture?",
        "Answer 1",
        ["A1"],
        "date",
    )
    assert (plain["nominal_hops"], plain["effective_hops"], plain["certificate"]["margin"]) == (
        2,
        1,
        2,
    )
    assert plain["certificate"]["nearest_rival"]["label"] == "Other"
    assert plain["evidence"][0]["revision"] == 7
    assert json.loads(plain["form"])["ask"]["type"] == "date"
    assert plain["verdicts"][0]["filter"] == "image_search"


def test_splits_share_no_picture_and_no_anchor(exported, tmp_path):
    owner = {}
    for split, part in load(exported, "tasks", tmp_path).items():
        for row in part:
            for key in (
                row["image_sha256"],
                row["original_image_sha256"] or row["image_sha256"],
                row["anchor"],
            ):
                assert owner.setdefault(key, (split, row["subset"])) == (split, row["subset"])


def test_every_picture_has_an_origin_an_author_and_a_licence(exported, tmp_path):
    origins = {r["image_sha256"]: r for r in load(exported, "attribution", tmp_path)["pictures"]}
    for part in load(exported, "tasks", tmp_path).values():
        for row in part:
            for image_id in filter(None, (row["image_sha256"], row["original_image_sha256"])):
                origin = origins[image_id]
                assert (
                    origin["licence"]
                    and origin["author"]
                    and origin["source_page"]
                    and origin["file"]
                )
    assert (
        "blur"
        in origins[
            next(
                r["image_sha256"]
                for r in load(exported, "tasks", tmp_path)["train"]
                if r["enhancement"]
            )
        ]["changes"]
    )


def test_pictures_are_named_by_their_hash_and_named_nowhere_but_in_the_attribution(
    exported, tmp_path
):
    names = [world.file_name(n) for n in range(world.NUM_PICTURES)]
    needles = [s.encode() for name in names for s in (name, name.replace(" ", "_"))] + [b"Ann Grey"]
    assert {file for file, _ in found(exported, needles)} == {"attribution.parquet"}
    raw = load(exported, "tasks", tmp_path).cast_column("image", datasets.Image(decode=False))
    for row in raw["train"]:
        assert row["image"]["path"] == f"{sha256_hex(row['image']['bytes'])}.jpg"


def test_a_picture_without_a_licence_cannot_be_found_in_any_form(exported):
    data = world.source_bytes(90)
    needles = [
        world.UNLICENSED.encode(),
        world.UNLICENSED.replace(" ", "_").encode(),
        sha256_hex(data).encode(),
        world.shown_picture(90).id.encode(),
        data[1000:1080],
        world.shown_picture(90).data[1000:1080],
    ]
    assert found(exported, needles) == []
    assert shows(exported, data) == []
    assert shows(exported, world.source_bytes(1))  # the scan does find pictures that are there


def test_the_export_stops_at_a_picture_without_a_licence(job, tmp_path):
    store = tmp_path / "store"
    images = world.LICENCES
    try:
        world.LICENCES = ("", *images[1:])
        world.write_store(store)
    finally:
        world.LICENCES = images
    with pytest.raises(InputError, match="has no licence"):
        export_dataset(world.job_of(Path(job.run.path), store))
    assert not Path(job.run.path, "dataset").exists()


def test_two_exports_give_identical_bytes(exported, job):
    export_dataset(job)
    assert tree(Path(job.run.path, "dataset")) == tree(exported)
    export_dataset(job)
    assert tree(Path(job.run.path, "dataset")) == tree(exported)


def test_an_export_that_dies_leaves_the_old_data_set_or_none_and_is_done_again(
    exported, job, monkeypatch
):
    calls = Counter()
    real = dataset_module.write_shard

    def dies(*args):
        calls["shard"] += 1
        if calls["shard"] == 2:
            raise KeyboardInterrupt
        return real(*args)

    monkeypatch.setattr(dataset_module, "write_shard", dies)
    with pytest.raises(KeyboardInterrupt):
        export_dataset(job)
    assert not Path(job.run.path, "dataset").exists()
    export_dataset(job)
    assert tree(Path(job.run.path, "dataset")) == tree(exported)
    assert not [p for p in Path(job.run.path).iterdir() if p.name.startswith(".")]


def test_what_is_over_the_ratio_of_levels_stays_in_tasks_only(job, tmp_path):
    made = export_dataset(
        world.job_of(
            Path(job.run.path),
            Path(job.store_path),
            level_ratio={"easy": 2, "medium": 3, "hard": 1},
        )
    )
    folder = Path(job.run.path, "dataset")
    levels = Counter(r["level"] for r in load(folder, "rl", tmp_path)["train"])
    assert levels == {"easy": 2, "medium": 3, "hard": 1}
    tasks = load(folder, "tasks", tmp_path)
    assert {split: len(part) for split, part in tasks.items()} == {
        "train": 14,
        "validation": 4,
        "benchmark": 4,
    }
    assert made.num_questions["tasks/train"] == 10 - levels.total()
    assert not {r["id"] for r in load(folder, "rl", tmp_path)["train"]} & {
        r["id"] for r in tasks["train"] if r["subset"] == "tasks/train"
    }


def test_errors_are_shown_without_paths_of_the_machine(exported, tmp_path):
    assert found(exported, [b"/srv/", str(exported.parent).encode(), b"Traceback"]) == []
    reasons = {r["reason"]: r["evidence"] for r in load(exported, "rejected", tmp_path)["rejected"]}
    assert reasons["error"] == '{"error":"FileNotFoundError"}'
    assert json.loads(reasons["no_licence"]) == {"candidates": [{"reason": "no_licence"}]}


def test_an_unfinished_run_is_refused(job):
    shard_path(job.run, world.SPLIT, "kept", 1).unlink()
    with pytest.raises(InputError, match="not finished"):
        export_dataset(job)


def test_a_missing_or_changed_picture_is_refused(job):
    path = Path(job.run.path, "pictures", f"{world.shown_picture(1).id}.jpg")
    path.write_bytes(world.shown_picture(2).data)
    with pytest.raises(InputError, match="is not the picture"):
        export_dataset(job)
    path.unlink()
    with pytest.raises(InputError, match="cannot be read"):
        export_dataset(job)


@pytest.mark.parametrize(
    ("settings", "word"),
    [
        ({"shares": {"a b": 1.0}}, "cannot name a split"),
        ({"shares": {"train": 0.0}}, "gives no split a share"),
        ({"formats": ["csv"]}, "'sharegpt', 'verl', 'trl' or 'jsonl'"),
    ],
)
def test_export_settings_that_cannot_be_are_refused(job, settings, word):
    with pytest.raises(InputError, match=word):
        export_dataset(world.job_of(Path(job.run.path), Path(job.store_path), **settings))


def test_a_run_that_kept_nothing_gives_a_data_set_of_rejections(job, tmp_path):
    for path in job.run.shards(job.run.label(world.SPLIT), "kept"):
        table = pq.read_table(path)
        pq.write_table(table.slice(0, 0).replace_schema_metadata(table.schema.metadata), path)
    made = export_dataset(job)
    assert (made.num_questions, made.num_pictures) == ({}, 0)
    assert len(load(Path(job.run.path, "dataset"), "rejected", tmp_path)["rejected"]) == 3


def test_the_folder_can_be_moved(exported, tmp_path):
    shutil.copytree(exported, tmp_path / "elsewhere")
    assert len(load(tmp_path / "elsewhere", "benchmark", tmp_path)["test"]) == 4
