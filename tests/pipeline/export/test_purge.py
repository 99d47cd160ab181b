import itertools
import json
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from datasets import load_dataset

from questloom.files.parquet import read_metadata, read_records, write_records
from questloom.pipeline.export import drop, export_dataset, purge, read_names
from questloom.pipeline.export.attribution import Attribution, ledger_path
from questloom.pipeline.report import build_report
from questloom.records.errors import InputError
from questloom.records.identity import sha256_hex
from questloom.records.outcomes import Rejection
from questloom.transforms.pictures.choose import perceptual_hash, read_hashes
from questloom.transforms.stages.run_folder import RunFolder
from questloom.transforms.stages.stage_shards import file_digest
from tests.pipeline.export import finished_run as world
from tests.pipeline.export.scan import found, shows, tree
from tests.run_files import counts, read_stage, shard_path, stage_names


@pytest.fixture
def run(exported, tmp_path):
    """A run with its data set."""
    shutil.copytree(exported.parent, tmp_path / "run")
    return tmp_path / "run"


@pytest.fixture
def reported(run):
    """A run with its data set and report."""
    build_report(run)
    return run


def forms_of(picture: int, exported: Path) -> list[bytes]:
    """Everything by which a picture could be found: names, hashes, bytes of the source, of the shown and of the degraded file."""
    name, shown = world.file_name(picture), world.shown_picture(picture)
    datas = [world.source_bytes(picture), shown.data]
    for n in (picture, picture + world.NUM_PICTURES):
        question = world.pictured(world.drafted(n), n)
        data = world.enhanced(question, n)[1]
        datas += [data] if data else []
    texts = [name, name.replace(" ", "_"), *(sha256_hex(d) for d in datas)]
    return [t.encode() for t in texts] + [
        d[at : at + 64] for d in datas for at in (700, len(d) // 2)
    ]


@pytest.mark.parametrize(
    "line", ["name", "File:under_scores", "source hash", "shown hash", "degraded hash"]
)
def test_a_dropped_picture_cannot_be_found_in_the_run_in_any_form(reported, exported, line):
    run = reported
    picture, shown = 0, world.shown_picture(0)
    degraded = world.enhanced(world.pictured(world.drafted(0), 0), 0)[0].image_id
    name = {
        "name": world.file_name(0),
        "File:under_scores": "File:" + world.file_name(0).replace(" ", "_"),
        "source hash": sha256_hex(world.source_bytes(0)),
        "shown hash": shown.id,
        "degraded hash": degraded,
    }[line]
    needles = forms_of(picture, exported)
    before = found(run, needles)
    assert {needle for _, needle in before} >= {n[:60] for n in needles[:5]}, (
        "the scan finds it while it is there"
    )
    made = drop(RunFolder(str(run)), [name])
    assert (made.num_pictures, made.num_questions, made.not_found) == (2, 2, ())
    assert found(run, needles) == []
    assert shows(run / "dataset", shown.data) == []
    assert shows(run / "report", shown.data) == []
    assert shows(run / "pictures", shown.data) == []


def test_its_questions_are_recorded_as_dropped_by_request_without_a_name(run, tmp_path):
    drop(RunFolder(str(run)), [world.file_name(0)])
    rows = [
        r
        for r in load_dataset(str(run / "dataset"), "rejected", cache_dir=str(tmp_path / "c"))[
            "rejected"
        ]
        if r["reason"] == "dropped_by_request"
    ]
    assert {r["id"] for r in rows} == {world.drafted(0).id, world.drafted(12).id}
    assert {(r["evidence"], r["title"], r["stage"]) for r in rows} == {(None, "", world.PICTURES)}
    tasks = load_dataset(str(run / "dataset"), "tasks", cache_dir=str(tmp_path / "c"))
    assert sum(len(part) for part in tasks.values()) == 22 - 2


def test_its_perceptual_hash_is_kept_for_later_runs_and_a_sheet_for_people_goes(run):
    (run / "audit").mkdir()
    for name in ("sheet.html", "sheet.csv", "key.json"):
        (run / "audit" / name).write_text("")
    for n in (0, 3):
        drop(RunFolder(str(run)), [world.file_name(n)])
    kept = read_hashes([str(run / "exclude" / "dropped_pictures.txt")])
    assert {perceptual_hash(world.shown_picture(n).data) for n in (0, 3)} <= kept, "of both calls"
    assert sorted(p.name for p in (run / "audit").iterdir()) == ["key.json", "sheet.csv"]


def test_pictures_that_other_rows_only_mention_are_blanked_there(run):
    drop(RunFolder(str(run)), [world.file_name(3), world.file_name(7)])
    assert (
        found(
            run,
            [
                world.file_name(3).encode(),
                world.shown_picture(3).id.encode(),
                world.file_name(7).encode(),
            ],
        )
        == []
    )
    kept = {q.id: q for q in read_stage(str(run), world.SPLIT, "kept", type(world.drafted(0)))}
    assert kept[world.drafted(5).id].verdicts[0].evidence == {
        "nearest": "(dropped)",
        "image_id": "(dropped)",
    }


def test_a_picture_that_was_only_refused_is_blanked_too(run):
    assert found(run, [world.UNLICENSED.encode()])
    made = drop(RunFolder(str(run)), [world.UNLICENSED])
    assert made.not_found == (world.UNLICENSED,)
    assert found(run, [world.UNLICENSED.encode()]) == []


def test_a_file_name_of_as_many_letters_as_a_hash_is_a_name(run):
    name, ledger = "Lamp Tower".ljust(60, "!") + ".jpg", ledger_path(RunFolder(str(run)), 0)
    first, *others = read_records(ledger, Attribution)
    write_records(ledger, Attribution, [first.replace(file=name), *others])
    made = drop(RunFolder(str(run)), [name])
    assert len(name) == 64 and made.not_found == () and made.num_pictures


def test_counts_and_digests_of_the_stages_stay_true(run):
    (run / "run.json").write_text(
        json.dumps({"stages": {name: {"seconds": 1.5} for name in stage_names(str(run))}})
    )
    drop(RunFolder(str(run)), [world.file_name(0)])
    for shard in range(world.NUM_SHARDS):
        before = None
        for stage in stage_names(str(run)):
            path = shard_path(str(run), stage, "kept", shard)
            facts = read_metadata(path)
            assert facts["source"] == (file_digest(before) if before else "")
            assert facts["fingerprint"] == "f"
            before = path
    rows = {name: counts(str(run), name) for name in stage_names(str(run))}
    for parts in rows.values():
        assert all(c.num_in == c.num_kept + c.num_rejected for c in parts)
    names = stage_names(str(run))
    for earlier, later in itertools.pairwise(names[1:]):
        assert sum(c.num_out for c in rows[earlier]) == sum(c.num_in for c in rows[later])
    stages = json.loads((run / "run.json").read_text())["stages"]
    assert (stages[world.SPLIT]["num_in"], stages[world.SPLIT]["seconds"]) == (20, 1.5)


@pytest.mark.parametrize("step", ["write_records", "build_dataset", "build_report"])
def test_a_drop_that_dies_is_finished_by_the_same_command(reported, tmp_path, monkeypatch, step):
    run = reported
    shutil.copytree(run, tmp_path / "whole")
    drop(RunFolder(str(tmp_path / "whole")), [world.file_name(0)])
    real, calls = getattr(purge, step), []

    def dies(*args, **kwargs):
        calls.append(1)
        raise KeyboardInterrupt

    monkeypatch.setattr(purge, step, dies)
    with pytest.raises(KeyboardInterrupt):
        drop(RunFolder(str(run)), [world.file_name(0)])
    monkeypatch.setattr(purge, step, real)
    assert drop(RunFolder(str(run)), [world.file_name(0)]).not_found == (), (
        "it was there before the try that died took it out"
    )
    assert tree(run) == tree(tmp_path / "whole")


def test_a_drop_that_dies_between_two_files_is_finished_too(run, tmp_path, monkeypatch):
    shutil.copytree(run, tmp_path / "whole")
    drop(RunFolder(str(tmp_path / "whole")), [world.file_name(0)])
    real = purge.rewrite
    for survives in (1, 6, 13):
        shutil.copytree(run, tmp_path / f"try{survives}")
        left = [survives]

        def dies(*args, left=left):
            left[0] -= 1
            if left[0] < 0:
                raise KeyboardInterrupt
            real(*args)

        monkeypatch.setattr(purge, "rewrite", dies)
        with pytest.raises(KeyboardInterrupt):
            drop(RunFolder(str(tmp_path / f"try{survives}")), [world.file_name(0)])
        monkeypatch.setattr(purge, "rewrite", real)
        drop(RunFolder(str(tmp_path / f"try{survives}")), [world.file_name(0)])
        assert tree(tmp_path / f"try{survives}") == tree(tmp_path / "whole")


def test_after_a_drop_an_export_from_the_store_stays_without_the_picture(run, made, exported):
    drop(RunFolder(str(run)), [world.file_name(0)])
    before = tree(run / "dataset")
    export_dataset(world.job_of(run, made / "store"))
    assert tree(run / "dataset") == before


def test_names_are_read_one_a_line_and_bad_files_are_refused(tmp_path):
    file = tmp_path / "drop.txt"
    file.write_text("# objections\nFile:A b.jpg\n\n  File:A b.jpg \nC.png\n", encoding="utf-8")
    assert read_names(file) == ("File:A b.jpg", "C.png")
    file.write_bytes(b"\xff\xfe")
    with pytest.raises(InputError, match="cannot be read"):
        read_names(file)
    file.write_text("\n# nothing\n")
    with pytest.raises(InputError, match="names no picture"):
        read_names(file)
    with pytest.raises(InputError, match="cannot be read"):
        read_names(tmp_path / "absent.txt")


def test_an_unfinished_run_is_refused_before_anything_is_changed(run):
    path = shard_path(str(run), world.CERTIFY, "kept", 0)
    table = pq.read_table(path)
    pq.write_table(
        table.replace_schema_metadata({**table.schema.metadata, b"source": b"older"}), path
    )
    before = tree(run)
    with pytest.raises(InputError, match="is not finished"):
        drop(RunFolder(str(run)), [world.file_name(0)])
    assert tree(run) == before


def test_a_folder_that_is_no_run_is_refused(tmp_path):
    with pytest.raises(InputError, match="is no run"):
        drop(RunFolder(str(tmp_path)), ["A.jpg"])


def test_every_seed_still_has_one_outcome(run):
    drop(RunFolder(str(run)), [world.file_name(0)])
    rejected = [
        r
        for stage in stage_names(str(run))
        for r in read_stage(str(run), stage, "rejected", Rejection)
    ]
    kept = list(read_stage(str(run), world.SPLIT, "kept", type(world.drafted(0))))
    ids = [r.item_id for r in rejected] + [q.id for q in kept]
    assert len(ids) == len(set(ids)) == world.NUM_QUESTIONS + 1
