"""A tiny job that goes first: do workers start, do they run this very code, and do they see the folders that the job will use?

The submitter writes a mark into each folder; every worker reads it and leaves a note beside it, which the submitter
reads back. Folders are local paths or URLs of fsspec (`s3://`, `gs://`).
"""
import hashlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import socket
import uuid
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path

import apache_beam as beam
import fsspec

CODE = ("records", "calls", "knowledge", "models", "prompts", "agent", "transforms", "pipeline")
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


@dataclass(frozen=True)
class Mark:
    """A submitter's mark in its folders."""

    name: str
    folders: tuple[str, ...]

    @classmethod
    def new(cls, folders: tuple[str, ...]) -> "Mark":
        return cls(f".questloom-probe-{uuid.uuid4().hex}", tuple(dict.fromkeys(folders)))

    def write(self) -> None:
        """Raises: OSError, or whatever the file system's library raises."""
        for folder in self.folders:
            write(f"{folder}/{self.name}", self.name)

    def notes(self, folder: str) -> list[Worker]:
        """What workers left in a folder."""
        files, _, places = fsspec.get_fs_token_paths(f"{folder}/{self.name}")
        files.invalidate_cache()
        return [Worker(**json.loads(files.cat_file(path))) for path in sorted(files.glob(f"{places[0]}-*"))]

    def remove(self) -> None:
        for folder in self.folders:
            files, _, places = fsspec.get_fs_token_paths(f"{folder}/{self.name}")
            for path in files.glob(f"{places[0]}*"):
                files.rm_file(path)


def write(path: str, text: str) -> None:
    """Writes a small file at a path or URL; its folder is made where that means something."""
    with fsspec.open(path, "wb", auto_mkdir=True) as out:
        out.write(text.encode())


@cache
def here() -> Worker:
    """This process. It imports all stages, since a worker that cannot is none."""
    import pipeline.ingest
    import pipeline.synth  # noqa: F401

    return Worker(socket.gethostname(), os.getpid(), ".".join(platform.python_version_tuple()[:2]), importlib.metadata.version("apache-beam"), code_digest())


def code_digest() -> str:
    """Of the package's source files, by name: the same wherever it is installed."""
    digest = hashlib.sha256()
    for package in CODE:
        spec = importlib.util.find_spec(package)
        for place in (spec.submodule_search_locations or ()) if spec else ():
            for path in sorted(Path(place).rglob("*.py")):
                digest.update(f"{package}/{path.relative_to(place).as_posix()}\0".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


class LeaveNote(beam.DoFn):
    """Numbers in, the same out; leaves the note of its worker in every folder where the mark is seen."""

    def __init__(self, mark: Mark) -> None:
        self.mark = mark

    def process(self, number: int) -> Iterator[int]:
        me = here()
        for folder in self.mark.folders:
            path = f"{folder}/{self.mark.name}"
            try:
                with fsspec.open(path, "rb") as file:
                    seen = file.read().decode() == self.mark.name
            except FileNotFoundError:
                seen = False  # then there is no note, and the submitter says so
            if seen:
                write(f"{path}-{me.host}-{me.pid}", json.dumps(asdict(me)))
        yield number


def build(pipeline: beam.Pipeline, mark: Mark) -> None:
    """The probe's graph."""
    pipeline | "probes" >> beam.Create(range(NUM_PROBES), reshuffle=False) | "spread" >> beam.Reshuffle() | "note" >> beam.ParDo(LeaveNote(mark))
