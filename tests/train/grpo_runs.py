"""Runs of `grpo_world.py`, in a process of their own."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def made(folder: Path, names: str) -> Path:
    ran = subprocess.run(
        [sys.executable, "-m", "tests.train.grpo_world", str(folder), *names.split()],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1800,
        env={**os.environ, "OMP_NUM_THREADS": "1", "HF_HUB_OFFLINE": "1"},
    )
    assert ran.returncode == 0, ran.stderr[-5000:]
    codes = json.loads((folder / "codes.json").read_text())
    assert all(
        set(code) == {0} for name, code in codes.items() if name not in ("faults", "stale_server")
    ), (codes, ran.stderr[-5000:])
    return folder
