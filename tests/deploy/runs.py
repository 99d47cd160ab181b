"""Jobs of a small fictional world as a user starts them, in processes of their own, in process or on a cluster."""

import hashlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ARTICLES, SEED = 300, 11
SETTINGS = (
    "seeds.count=60",
    "run.shards=8",
    "seeds.anchor_min_in_degree=1",
    "seeds.rare_min_statements=5",
)
JOB_SECONDS = 900
MAX_LOG = 3_000


def questloom(*arguments: str, log: Path) -> subprocess.Popen:
    """Starts the command line; its output goes to a file."""
    log.parent.mkdir(parents=True, exist_ok=True)
    with open(log, "ab") as out:
        return subprocess.Popen(
            [sys.executable, "-m", "questloom.pipeline.cli", *arguments],
            cwd=ROOT,
            stdout=out,
            stderr=subprocess.STDOUT,
            env={**os.environ, "OMP_NUM_THREADS": "1"},
            start_new_session=True,
        )


def ingest(world: Path, store: Path, *further: str) -> subprocess.Popen:
    return questloom(
        "ingest",
        "--store",
        str(store),
        "--articles",
        str(world / "articles.xml.bz2"),
        "--entities",
        str(world / "entities.json.bz2"),
        "--images",
        str(world / "images"),
        "--snapshot",
        "2026-01-01",
        *further,
        log=store.parent / "logs" / f"{store.name}.log",
    )


def synth(
    store: Path, out: Path, *further: str, settings: tuple[str, ...] = SETTINGS
) -> subprocess.Popen:
    sets = [word for setting in settings for word in ("--set", setting)]
    return questloom(
        "synth",
        "--store",
        str(store),
        "--out",
        str(out),
        *sets,
        *further,
        log=out.parent / "logs" / f"{out.name}.log",
    )


def ended(process: subprocess.Popen, place: Path) -> int:
    """Waits for a job; prints the end of its log where it failed."""
    try:
        code = process.wait(JOB_SECONDS)
    finally:
        process.kill()
    if code:
        print((place.parent / "logs" / f"{place.name}.log").read_text(errors="replace")[-MAX_LOG:])
    return code


def digests(run: Path) -> dict[str, str]:
    """Digest of every file of a run that must not depend on how it was run."""
    files = [
        p
        for folder in ("stages", "pictures", "dataset")
        for p in sorted((run / folder).rglob("*"))
        if p.is_file() and not p.name.startswith(".")
    ]
    return {str(p.relative_to(run)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def until(true: Callable[[], bool], seconds: float = 300) -> None:
    """Waits until something is true."""
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, f"it did not come true within {seconds:.0f} s"
        time.sleep(0.1)
