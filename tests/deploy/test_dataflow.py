"""The real DataflowRunner makes templates of both jobs against an emulated bucket: what it stages, and what must not be in it."""

import importlib.util
import io
import json
import os
import subprocess
import sys
import tarfile
import urllib.parse
import urllib.request
from dataclasses import dataclass
from pathlib import Path

import pytest

from questloom.files.locations import location
from questloom.transforms.stages.run_folder import name_of
from tests.deploy.runs import ROOT
from tests.small_buckets import BUCKET, FAKE_GCS, NO_FAKE_GCS, gs_server

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not FAKE_GCS, reason=NO_FAKE_GCS),
    pytest.mark.skipif(
        importlib.util.find_spec("apitools") is None,
        reason='apache-beam[gcp] is not here: pip install --editable ".[dataflow]"',
    ),
]
SECRET = "sk-this-must-not-travel"
GPU = "type:nvidia-l4;count:1"
MAX_BYTES = 10 * 2**20
STAGES = (
    "draft",
    "pictures",
    "certify",
    "answer_in_question",
    "duplicates",
    "text_search",
    "image_search",
    "text_only",
    "no_tools",
    "solvable",
    "visible_text",
    "enhance",
    "split",
)
SYNTH = """
import sys
from questloom.pipeline.synth import synth_job
from questloom.files.opened import Opened
from questloom.knowledge.store.store import Store
from questloom.pipeline.recipe import recipe_of
from questloom.pipeline.synth.job import Job
from questloom.pipeline.runners.runner_kind import NothingRun, RunnerKind
from questloom.pipeline.runners.runner_options import RunnerOptions
from questloom.pipeline.runners.submit import run_pipeline
from questloom.transforms.stages.run_folder import RunFolder
local, run, gpu, *beam = sys.argv[1:]
models = {"endpoints": [{"name": "e", "base_url": "https://models.example/v1", "api_key_env": "QUESTLOOM_TEST_KEY"}],
          "roles": {"default": {"endpoint": "e", "model": "m"}}}
opened = Opened()
opened.put(("store", "gs://questloom-tests/store"), Store.open(local))  # Lance cannot write to this emulator; the graph asks for a number of rows
job = Job(RunFolder(run), "gs://questloom-tests/store", recipe_of({"writer": "llm", "models": models}, "test"), opened)
runner = RunnerOptions(kind=RunnerKind.DATAFLOW, gpu=gpu, beam_args=tuple(beam))
try:
    run_pipeline(lambda p: synth_job.build(p, job, frozenset(), runner.clip_hints), runner, workers=1, title="synth", moved=lambda: 0)
except NothingRun as end:
    print(end)
"""


@dataclass(frozen=True)
class Staged:
    """What lies in the bucket after a submission: the template, the graph and the package."""

    template: bytes
    graph: bytes
    package: bytes
    num_bytes: int

    @property
    def everything(self) -> bytes:
        """All bytes, the package unpacked."""
        with tarfile.open(fileobj=io.BytesIO(self.package)) as archive:
            files = [archive.extractfile(m).read() for m in archive.getmembers() if m.isfile()]  # type: ignore[union-attr]
        return b"\n".join([self.template, self.graph, *files])


def staged(url: str, title: str) -> Staged:
    listing = f"{url}/storage/v1/b/{BUCKET}/o"
    found = {}
    for entry in json.load(urllib.request.urlopen(listing, timeout=20))["items"]:
        if entry["name"] == f"templates/{title}" or f"/questloom-{title}-" in entry["name"]:
            with urllib.request.urlopen(
                f"{listing}/{urllib.parse.quote(entry['name'], safe='')}?alt=media", timeout=20
            ) as reply:
                found[entry["name"].rsplit("/", 1)[1]] = reply.read()
    assert set(found) == {title, "pipeline.pb", "workflow.tar.gz"}
    return Staged(
        found[title], found["pipeline.pb"], found["workflow.tar.gz"], sum(map(len, found.values()))
    )


@pytest.fixture(scope="module")
def bucket():
    """The emulator's environment."""
    with gs_server() as names, pytest.MonkeyPatch.context() as patch:
        for name, value in names.items():
            patch.setenv(name, value)
        patch.setenv("QUESTLOOM_TEST_KEY", SECRET)
        yield names["STORAGE_EMULATOR_HOST"]


def options(title: str) -> list[str]:
    return [
        "--project=questloom-test",
        "--region=europe-west1",
        f"--temp_location=gs://{BUCKET}/tmp",
        "--setup_file=./setup.py",
        f"--template_location=gs://{BUCKET}/templates/{title}",
    ]


def ran(command: list[str]) -> str:
    done = subprocess.run(
        command,
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def ingest(bucket, tmp_path_factory) -> Staged:
    from questloom.knowledge.world.write import write_world

    world = tmp_path_factory.mktemp("world")
    write_world(world, articles=60, seed=3, pictures=False)
    for name in ("articles.xml.bz2", "entities.json.bz2"):
        location(f"gs://{BUCKET}/world/{name}").write_bytes((world / name).read_bytes())  # type: ignore[union-attr]
    said = ran(
        [
            sys.executable,
            "-m",
            "questloom.pipeline.cli",
            "ingest",
            "--store",
            f"gs://{BUCKET}/store",
            "--articles",
            f"gs://{BUCKET}/world/articles.xml.bz2",
            "--entities",
            f"gs://{BUCKET}/world/entities.json.bz2",
            "--snapshot",
            "2026-01-01",
            "--runner",
            "dataflow",
            *options("ingest"),
        ]
    )
    assert "nothing was run" in said
    return staged(bucket, "ingest")


@pytest.fixture(scope="module")
def synth(bucket, tmp_path_factory) -> Staged:
    from tests.pipeline.small_world import small_store

    store = small_store(tmp_path_factory.mktemp("store"), articles=60)
    assert "nothing was run" in ran(
        [sys.executable, "-c", SYNTH, store, f"gs://{BUCKET}/run", GPU, *options("synth")]
    )
    return staged(bucket, "synth")


def test_the_graph_of_ingest_has_every_stage_by_name(ingest):
    from questloom.transforms.ingest.ingest_graph import STAGES as INGEST

    assert [name for name in INGEST if f"ingest/{name}".encode() not in ingest.graph] == []


def test_the_graph_of_synth_has_every_stage_by_name(synth):
    assert [
        name for name in ("candidates", "choose seeds", *STAGES) if name.encode() not in synth.graph
    ] == []


def test_only_the_stages_that_run_clip_ask_for_a_gpu(synth):
    from apache_beam.portability.api import beam_runner_api_pb2

    graph = beam_runner_api_pb2.Pipeline.FromString(synth.graph)
    wants = {
        name
        for name, e in graph.components.environments.items()
        if GPU.encode() in e.SerializeToString()
    }
    assert wants
    stages = {
        t.unique_name.split("/")[0]
        for t in graph.components.transforms.values()
        if t.environment_id in wants and not t.subtransforms
    }
    assert {name_of(label) for label in stages} == {"pictures", "enhance"}


@pytest.mark.parametrize("job", ["ingest", "synth"])
def test_the_package_is_staged_and_all_is_small(job, request):
    found = request.getfixturevalue(job)
    assert found.num_bytes < MAX_BYTES
    with tarfile.open(fileobj=io.BytesIO(found.package)) as archive:
        names = {name.split("/", 1)[-1] for name in archive.getnames()}
    assert {
        "pipeline/synth/synth_job.py",
        "transforms/stages/stage_transform.py",
        "models/small_clip/open_clip_model.safetensors",
        "setup.py",
    } <= names


@pytest.mark.parametrize("job", ["ingest", "synth"])
def test_no_secret_and_no_path_of_this_machine_travels(job, request):
    everything = request.getfixturevalue(job).everything
    for found in (
        (SECRET, str(ROOT), str(Path.home())) if str(Path.home()) != "/" else (SECRET, str(ROOT))
    ):
        place_of = everything.find(found.encode())
        assert place_of < 0, everything[max(0, place_of - 120) : place_of + 120]
