"""A tiny job that goes first: do workers start, do they run this very code, and do they see the folders that the job will use?

The submitter writes a mark into each folder; every worker reads it and leaves a note beside it, which the submitter
reads back. Folders are local paths or buckets (`s3://`, `gs://`).
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
"""Modules that import all stages; by name, since the jobs stand above what runs them."""
NUM_PROBES = 16
"""Elements of the job: with as many, every worker gets one."""


@dataclass(frozen=True)
class Worker:
    """What a worker is; two that differ in `python`, `beam` or `code` may not give the same bytes."""

    host: str
    pid: int
    python: str
    beam: str
    code: str
    no_sandbox: str = ""
    """Why it cannot confine a policy's code; "" where it can."""


@dataclass(frozen=True)
class Mark:
    """A submitter's mark in its folders."""

    name: str
    folders: tuple[str, ...]

    @classmethod
    def new(cls, folders: tuple[str, ...]) -> "Mark":
        return cls(f".questloom-probe-{uuid.uuid4().hex}", tuple(dict.fromkeys(folders)))

    def write(self) -> None:
        """Raises: OSError, or what a bucket's library makes of it (`files/buckets.py`)."""
        for folder in self.folders:
            write(location(folder, self.name), self.name)

    def notes(self, folder: str) -> list[Worker]:
        """What workers left in a folder."""
        return [
            Worker(**json.loads(path.read_bytes()))
            for path in listed(location(folder), f"{self.name}-*")
        ]

    def remove(self) -> None:
        for folder in self.folders:
            for path in listed(location(folder), f"{self.name}*"):
                path.unlink(missing_ok=True)


def write(path: Location, text: str) -> None:
    """Writes a small file; its folder is made where there is such a thing."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


@cache
def here() -> Worker:
    """This process. It imports all stages, since a worker that cannot is none."""
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
        ImportError: something is missing here, and a worker that lacks it must not begin.
    """
    for name in JOBS:
        importlib.import_module(name)


def code_digest() -> str:
    """Of the distribution's files, code and data (prompts, phrases, scripts), by name: the same wherever it is installed."""
    digest = hashlib.sha256()
    for name, path in installed_files():
        digest.update(f"{name}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


class LeaveNote(beam.DoFn):
    """Numbers in, the same out; leaves the note of its worker in every folder where the mark is seen."""

    def __init__(self, mark: Mark) -> None:
        self.mark = mark

    def process(self, number: int) -> Iterator[int]:
        me = here()
        for folder in self.mark.folders:
            try:
                seen = location(folder, self.mark.name).read_bytes().decode() == self.mark.name
            except FileNotFoundError:
                seen = False  # then there is no note, and the submitter says so
            if seen:
                write(
                    location(folder, f"{self.mark.name}-{me.host}-{me.pid}"), json.dumps(asdict(me))
                )
        yield number


def build(pipeline: beam.Pipeline, mark: Mark) -> None:
    """The probe's graph."""
    (
        pipeline
        | "probes" >> beam.Create(range(NUM_PROBES), reshuffle=False)
        | "spread" >> beam.Reshuffle()
        | "note" >> beam.ParDo(LeaveNote(mark))
    )
