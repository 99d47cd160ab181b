"""LLaMA-Factory, verl and ms-swift as their users install them, in a folder of their own, and scripts that run on it in a process of their own.

They declare versions of transformers, datasets and more that are not ours, so none can be an extra. A folder holds them, and of what they
declare only what their readers import and what they check at import, each at a version that both declare; torch, numpy, pandas, pyarrow and the rest
are the environment's. 35 MB to download, 160 MB on disk under `build/`, kept between runs.
"""

import hashlib
import importlib.util
import json
import os
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path
from typing import Any

import pytest

PACKAGES = (
    "llamafactory==0.9.5",
    "verl==0.9.1",
    "transformers==5.5.4",
    "tokenizers==0.22.2",
    "huggingface_hub==1.33.0",  # LLaMA-Factory: transformers <= 5.6.0; verl: >= 5.5.3, not 5.6.0
    "httpx==0.28.1",
    "httpcore==1.0.9",  # that huggingface_hub; ours needs neither
    "datasets==4.0.0",
    "dill==0.3.8",
    "multiprocess==0.70.16",
    "fsspec==2025.3.0",  # LLaMA-Factory: datasets <= 4.0.0
    "peft==0.18.1",
    "trl==0.24.0",  # LLaMA-Factory looks at their versions
    "tensordict==0.10.0",
    "pyvers==0.1.0",
    "cloudpickle==3.1.2",
    "qwen-vl-utils==0.0.14",  # verl
)
SWIFT = ("ms-swift==4.6.0", "modelscope==1.38.0", "modelscope_hub==0.5.1", "json_repair==0.64.6")
"""ms-swift wants a later `datasets` than LLaMA-Factory allows: it reads with the environment's own."""
PYTHON_BELOW = (3, 13)
"""What verl 0.9.1 declares."""
UNREACHABLE = ("from versions: none", "connection broken", "timed out")
"""What pip says where no package index answers; anything else that it says is an error."""
_BUILD = Path(__file__).parents[3] / "build" / "readers"


def folder(packages: tuple[str, ...] = PACKAGES) -> Path:
    """Where packages are; installs them first where they are not there yet. Skips the test where that is not possible."""
    if sys.version_info >= PYTHON_BELOW:
        pytest.skip(f"verl 0.9.1 is for Python below {'.'.join(map(str, PYTHON_BELOW))}")
    key = hashlib.sha256(
        "\n".join((*packages, sys.version, sysconfig.get_platform())).encode()
    ).hexdigest()[:16]
    if not (_BUILD / key).exists():
        _install(_BUILD / key, packages)
    return _BUILD / key


def _install(target: Path, packages: tuple[str, ...]) -> None:
    """Whole or not at all, also where two runs do it at a time."""
    if importlib.util.find_spec("pip") is None:
        pytest.skip(
            "this environment has no pip to install LLaMA-Factory's and verl's readers with"
        )
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent) as part:
        command = [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "--no-deps",
            "--no-compile",
            "--only-binary",
            ":all:",
            "--retries",
            "2",
            "--target",
            f"{part}/packages",
            *packages,
        ]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode and any(sign in done.stderr for sign in UNREACHABLE):
            pytest.skip(
                "no package index can be reached, so LLaMA-Factory's and verl's readers cannot be installed"
            )
        assert done.returncode == 0, done.stderr
        try:
            os.rename(f"{part}/packages", target)
        except OSError:
            if not target.exists():  # else another run was first
                raise


def read(packages: Path, script: str, job: dict[str, Any], work: Path) -> dict[str, Any]:
    """Runs one of the scripts beside this file.

    Args:
        packages: the folder of the packages.
        script: the script's name.
        job: what it is told, as its docstring says.
        work: an empty folder for its cache.

    Returns:
        What it has read.
    """
    out = work / "read.json"
    environment = {
        **os.environ,
        "PYTHONPATH": str(packages),
        "HF_HOME": str(work / "cache"),
        "HF_HUB_OFFLINE": "1",
        "MODELSCOPE_CACHE": str(work / "modelscope"),
        "OMP_NUM_THREADS": "1",
    }
    command = [
        sys.executable,
        "-P",
        str(Path(__file__).with_name(script)),
        json.dumps({**job, "work": str(work)}),
        str(out),
    ]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-4000:]
    return json.loads(out.read_text())
