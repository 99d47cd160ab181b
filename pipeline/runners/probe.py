"""A tiny job, which runs on the cluster before the real job. The tiny job shows whether workers
start, run the same code, and see the job's folders.

The submitter is the process that starts the job. The submitter writes a small file, the mark, into
each folder. Every worker reads the mark of each folder and writes a small file, its note, beside
the mark. The submitter then reads the notes. Folders are local paths or buckets (`s3://`, `gs://`).
"""

import hashlib
import importlib
import importlib.metadata
import json
import os
import platform
import socket
import uuid
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache

import apache_beam as beam

from questloom.files.locations import Location, listed, location
from questloom.pipeline.runners.distribution import installed_files

JOBS = (
    "questloom.pipeline.ingest.store_job",
    "questloom.pipeline.synth.synth_job",
    "questloom.pipeline.teach.teach_job",
)
"""The modules that a worker imports in order to import all stages. They are given by name, because
this file may not import modules of a higher layer."""
NUM_PROBES = 16
"""The tiny job has this number of elements, which is large enough to give every worker one."""


@dataclass(frozen=True)
class Worker:
    """What a worker tells about itself. If two workers differ in `python`, `beam` or `code`, their
    results may differ too."""

    host: str
    pid: int
    python: str
    beam: str
    code: str
    no_sandbox: str = ""
    """Why the worker cannot run a policy's code in a sandbox; "" if it can."""


@dataclass(frozen=True)
class Mark:
    """The mark (a small file) that the submitter writes into the job's folders."""

    name: str
    folders: tuple[str, ...]

    @classmethod
    def new(cls, folders: tuple[str, ...]) -> "Mark":
        return cls(f".questloom-probe-{uuid.uuid4().hex}", tuple(dict.fromkeys(folders)))

    def write(self) -> None:
        """Writes the mark into each folder. If writing fails, OSError or an error of the bucket's
        library is raised (`files/buckets.py`)."""
        for folder in self.folders:
            write(location(folder, self.name), self.name)

    def notes(self, folder: str) -> list[Worker]:
        """The notes that workers left in a folder."""
        return [
            Worker(**json.loads(path.read_bytes()))
            for path in listed(location(folder), f"{self.name}-*")
        ]

    def remove(self) -> None:
        for folder in self.folders:
            for path in listed(location(folder), f"{self.name}*"):
                path.unlink(missing_ok=True)


def write(path: Location, text: str) -> None:
    """Writes a small file. The file's folder is created too, unless the storage has no folders (a
    bucket)."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


@cache
def here() -> Worker:
    """Imports all stages, as a worker does, and describes this process as a worker would describe
    itself."""
    import_jobs()
    from questloom.agent.sandbox import open_sandbox

    return Worker(
        socket.gethostname(),
        os.getpid(),
        ".".join(platform.python_version_tuple()[:2]),
        importlib.metadata.version("apache-beam"),
        code_digest(),
        open_sandbox()[1],
    )


def import_jobs() -> None:
    """Imports all stages.

    Raises:
        ImportError: a package is missing on this machine, so the worker must not start.
    """
    for name in JOBS:
        importlib.import_module(name)


def code_digest() -> str:
    """A digest of the names and bytes of all installed files of the package, both code and data
    (prompts, phrases, scripts). Machines with the same version have the same digest."""
    digest = hashlib.sha256()
    for name, path in installed_files():
        digest.update(f"{name}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


class LeaveNote(beam.DoFn):
    """A step that passes numbers on unchanged. The worker that runs the step writes its note into
    every folder in which it finds the mark."""

    def __init__(self, mark: Mark) -> None:
        self.mark = mark

    def process(self, number: int) -> Iterator[int]:
        me = here()
        for folder in self.mark.folders:
            try:
                seen = location(folder, self.mark.name).read_bytes().decode() == self.mark.name
            except FileNotFoundError:
                seen = False  # without a note the submitter reports the problem
            if seen:
                write(
                    location(folder, f"{self.mark.name}-{me.host}-{me.pid}"), json.dumps(asdict(me))
                )
        yield number


def build(pipeline: beam.Pipeline, mark: Mark) -> None:
    """Adds the steps of the tiny job to a pipeline."""
    (
        pipeline
        | "probes" >> beam.Create(range(NUM_PROBES), reshuffle=False)
        | "spread" >> beam.Reshuffle()
        | "note" >> beam.ParDo(LeaveNote(mark))
    )
