"""Everything in buckets: the same bytes as with local folders, also after kill -9; models need a cache elsewhere; wrong places are told first.

The slow tests go through the command line with every path an address. Lance cannot write to fake-gcs-server, so there the
store stays local.
"""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from questloom.files.buckets import BucketPath
from questloom.files.locations import Location, location
from questloom.files.opened import Opened
from questloom.knowledge.world.write import write_world
from questloom.pipeline.commands.audit import read_sheet, write_sheet
from questloom.pipeline.commands.publish import publish
from questloom.pipeline.commands.recheck import recheck_run
from questloom.pipeline.export.run_end import finish_run
from questloom.pipeline.ingest.store_job import IngestOptions, run_ingest
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.synth_job import prepare, run_synth
from questloom.records.errors import InputError
from questloom.transforms.stages.run_folder import RunFolder
from tests.pipeline.small_world import LEAN, small_recipe
from tests.small_buckets import BUCKET

SNAPSHOT = "2026-01-01"
SETTINGS = (
    "seeds.count=160",
    "run.shards=4",
    "seeds.anchor_min_in_degree=1",
    "seeds.rare_min_statements=5",
)
FIXED = ("dataset/", "stages/", "pictures/", "attribution/", "recipe.json")
"""What of a run must not depend on where and how it was run; times do."""


def tree(root: Location) -> dict[str, bytes]:
    """Every file under a folder by its relative name."""
    files = (
        root.files()
        if isinstance(root, BucketPath)
        else [p for p in root.rglob("*") if p.is_file()]
    )
    return {str(p).removeprefix(f"{root}/"): p.read_bytes() for p in files}


def fixed(run: str) -> dict[str, bytes]:
    return {name: data for name, data in tree(location(run)).items() if name.startswith(FIXED)}


def upload(folder: Path, target: str) -> None:
    for name, data in tree(folder).items():
        location(target, name).write_bytes(data)


def store_facts(store: str) -> dict:
    """Rows and digests of all tables, and what was dropped: what makes two stores equal."""
    meta = json.loads(location(store, "meta.json").read_bytes())
    return {
        key: meta[key] for key in ("tables", "digest", "reasons", "dumps", "wiki", "languages")
    } | {name: data for name, data in tree(location(store, "rejected")).items()}


def inputs(world: str) -> dict[str, tuple[str, ...]]:
    return {
        "articles": (f"{world}/articles.xml.bz2",),
        "entities": (f"{world}/entities.json.bz2",),
        "images": (f"{world}/images",),
    }


@pytest.mark.slow
def test_store_run_audit_and_published_copy_in_a_bucket_are_those_of_local_folders(
    s3, small, tmp_path
):
    world = Path(small).parent / "world"
    upload(world, f"{s3}/world")
    made = run_ingest(
        IngestOptions(store=f"{s3}/store", snapshot=SNAPSHOT, **inputs(f"{s3}/world"))
    )
    assert (
        store_facts(f"{s3}/store") == store_facts(small) and not location(s3, "store/work").exists()
    )
    again = run_ingest(
        IngestOptions(store=f"{s3}/store", snapshot=SNAPSHOT, **inputs(f"{s3}/world"))
    )
    assert again.reused and again.meta == made.meta
    recipe = small_recipe(
        filters=LEAN, seeds={"count": 60, "rare_min_statements": 6, "anchor_min_in_degree": 1}
    )
    kept = []
    for store, run in ((small, str(tmp_path / "run")), (f"{s3}/store", f"{s3}/run")):
        job = Job.at(recipe, run=run, store=store, opened=Opened())
        funnel = run_synth(recipe, store=store, out=run, opened=job.opened)
        done = finish_run(job, funnel, started=0.0)
        assert (
            done.exit_code == 0
            and location(done.report).is_file()
            and location(run, "run.json").is_file()
        )
        kept.append(funnel.counts[-1].num_out)
    assert kept[0] == kept[1] > 0
    assert fixed(f"{s3}/run") == fixed(str(tmp_path / "run"))
    sheets = [write_sheet(run, items=4, seed=1) for run in (str(tmp_path / "run"), f"{s3}/run")]
    assert sheets[0].read_bytes() == sheets[1].read_bytes()
    assert (
        read_sheet(sheets[1].with_name("sheet.csv")).num_open
        == read_sheet(sheets[0].with_name("sheet.csv")).num_open
        > 0
    )
    assert (
        recheck_run(f"{s3}/run", f"{s3}/store").verdicts
        == recheck_run(str(tmp_path / "run"), small).verdicts
    )
    publish(f"{s3}/run", f"{s3}/published")
    publish(f"{s3}/run", str(tmp_path / "published"))
    assert (
        tree(location(s3, "published"))
        == tree(tmp_path / "published")
        == tree(tmp_path / "run" / "dataset")
    )


def test_a_run_in_a_bucket_that_calls_models_is_told_where_its_cache_can_be(s3, small, tmp_path):
    recipe = small_recipe(
        models={
            "endpoints": [{"name": "e", "base_url": "http://127.0.0.1:9/v1"}],
            "roles": {"default": {"endpoint": "e", "model": "m"}},
        }
    )
    with pytest.raises(InputError, match=r"--cache: redis://.*path of a file"):
        prepare(Job(RunFolder(f"{s3}/run"), small, recipe))
    assert not location(s3).exists()
    assert RunFolder(f"{s3}/run").calls(str(tmp_path / "calls.sqlite")) == tmp_path / "calls.sqlite"


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"store": f"s3://{BUCKET}-no/store"}, "there is no bucket"),
        ({"articles": (f"s3://{BUCKET}/no.xml",)}, "nothing is there"),
        ({"images": (f"s3://{BUCKET}-no/images",)}, "there is no bucket"),
        ({"store": "s3:/one/slash"}, "one slash"),
    ],
)
def test_wrong_places_are_told_before_ingest_starts(s3, small, change, message):
    options = {
        "store": f"{s3}/store",
        "snapshot": SNAPSHOT,
        **inputs(str(Path(small).parent / "world")),
        **change,
    }
    with pytest.raises(InputError, match=message):
        run_ingest(IngestOptions(**options))
    assert not location(s3).exists()


def test_wrong_places_are_told_before_a_run_starts(s3, small, tmp_path):
    recipe = small_recipe()
    with pytest.raises(InputError, match="there is no bucket"):
        prepare(Job(RunFolder(f"s3://{BUCKET}-no/run"), small, recipe))
    with pytest.raises(InputError, match="one slash"):
        run_synth(recipe, store=small, out="s3:/bucket/run", opened=Opened())
    with pytest.raises(InputError, match="nothing is there"):
        prepare(Job(RunFolder(str(tmp_path / "run")), f"{s3}/store", recipe))
    location(s3, "other", "file").write_bytes(b"")
    with pytest.raises(InputError, match="is not empty and holds no run"):
        prepare(Job(RunFolder(f"{s3}/other"), small, recipe))
    with pytest.raises(InputError, match="exists and is no store"):
        run_ingest(
            IngestOptions(
                store=f"{s3}/other", snapshot=SNAPSHOT, **inputs(str(Path(small).parent / "world"))
            )
        )
    with pytest.raises(InputError, match="holds something that is no data set"):
        publish(tmp_path, f"{s3}/other")


# Killed in the middle


@pytest.fixture(scope="module")
def local(tmp_path_factory) -> Path:
    """World, store and run in local folders, never interrupted."""
    folder = tmp_path_factory.mktemp("local")
    write_world(folder / "world", articles=300, seed=7, workers=2)
    command(*ingest_arguments(str(folder / "world"), str(folder / "store"))).wait()
    command(*synth_arguments(str(folder / "store"), str(folder / "run"))).wait()
    assert (folder / "run" / "run.json").is_file()
    return folder


def ingest_arguments(world: str, store: str) -> list[str]:
    return [
        "ingest",
        "--store",
        store,
        "--snapshot",
        SNAPSHOT,
        "--workers",
        "1",
        "--articles",
        f"{world}/articles.xml.bz2",
        "--entities",
        f"{world}/entities.json.bz2",
        "--images",
        f"{world}/images",
    ]


def synth_arguments(store: str, run: str) -> list[str]:
    return [
        "synth",
        "--store",
        store,
        "--out",
        run,
        "--workers",
        "1",
        *(a for s in SETTINGS for a in ("--set", s)),
    ]


def command(*arguments: str) -> subprocess.Popen:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
    return subprocess.Popen(
        [sys.executable, "-m", "questloom.pipeline.cli", *arguments],
        env=environment,
        start_new_session=True,
        stderr=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
    )


def kill_when(arguments: list[str], reached: Callable[[], bool]) -> None:
    """Starts a command and kills it, with all of its processes, once something is reached."""
    process = command(*arguments)
    deadline = time.monotonic() + 240
    while not reached():
        assert process.poll() is None, (
            f"{arguments[0]} ended ({process.returncode}) before it could be killed"
        )
        assert time.monotonic() < deadline
        time.sleep(0.05)
    os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def finish(arguments: list[str]) -> None:
    assert command(*arguments).wait(timeout=500) == 0, arguments


@pytest.mark.slow
def test_killed_in_a_bucket_store_and_run_go_on_to_the_bytes_of_local_folders(s3, local):
    upload(local / "world", f"{s3}/world")
    store, run = f"{s3}/store", f"{s3}/run"
    ingest = ingest_arguments(f"{s3}/world", store)
    for stage in ("read", "articles", "tables"):
        kill_when(
            ingest, lambda stage=stage: any(location(store, "work", "done", stage).glob("*.json"))
        )
        assert not location(store, "meta.json").exists()
    finish(ingest)
    assert store_facts(store) == store_facts(str(local / "store"))
    synth = synth_arguments(store, run)
    for stage in ("03-draft", "09-image_search"):
        kill_when(
            synth, lambda stage=stage: any(location(run, "stages", stage).glob("kept-*.parquet"))
        )
        assert not location(run, "run.json").exists()
    kill_when(synth, lambda: location(run, "dataset").exists())
    assert not location(run, "run.json").exists()
    finish(synth)
    assert fixed(run) == fixed(str(local / "run"))


@pytest.mark.slow
def test_dumps_run_and_data_set_in_google_cloud_storage_give_the_bytes_of_local_folders(
    gs, local, tmp_path
):
    upload(local / "world", f"{gs}/world")
    store, run = str(tmp_path / "store"), f"{gs}/run"
    ingest, synth = ingest_arguments(f"{gs}/world", store), synth_arguments(store, run)
    kill_when(ingest, lambda: any(location(store, "work", "done", "read").glob("*.json")))
    finish(ingest)
    assert store_facts(store) == store_facts(str(local / "store"))
    kill_when(synth, lambda: any(location(run, "stages", "04-pictures").glob("kept-*.parquet")))
    finish(synth)
    assert fixed(run) == fixed(str(local / "run"))
