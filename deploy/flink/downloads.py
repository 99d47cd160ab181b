"""Fetches the parts of a Flink cluster into a folder, once. The parts are Flink's jars, and Beam's
job server for the same version of Flink.
"""

import fcntl
import hashlib
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

FLINK_VERSION = "1.19.3"
"""The version of Flink. The jars are part of the PyPI package `apache-flink-libraries`. Beam
publishes no Flink runner for newer minor versions of Flink.
"""
POM = Path(__file__).with_name("pom.xml")
JAVA_VERSION = 17
"""The lowest version of Java that works."""


@dataclass(frozen=True)
class Parts:
    """The paths of the fetched parts: Flink's jars and Beam's job server."""

    folder: Path

    @property
    def jar(self) -> Path:
        """The path of the jar of Beam's job server."""
        return self.folder / "job-server.jar"

    @property
    def libraries(self) -> Path:
        """The folder of Flink's jars."""
        return self.folder / "libraries" / "pyflink" / "lib"


def missing() -> list[str]:
    """The programs that are missing on this machine, each with the way to install it; an empty list
    if a cluster can start.
    """
    found = []
    if shutil.which("java") is None:
        found.append(
            f"java is not on PATH. Install Java {JAVA_VERSION} or later (Debian: default-jdk-headless)."
        )
    elif (version := java_version()) < JAVA_VERSION:
        found.append(
            f"java is of version {version}. Install Java {JAVA_VERSION} or later (Debian: default-jdk-headless)."
        )
    if shutil.which("mvn") is None:
        found.append("mvn is not on PATH. Install Maven (Debian: maven).")
    return found


def java_version() -> int:
    """Returns the major version of the `java` on PATH. Returns 0 if `java` does not report a
    version.
    """
    said = subprocess.run(["java", "-version"], capture_output=True, text=True, check=False).stderr
    version = re.search(r'version "(?:1\.)?(\d+)', said)
    return int(version[1]) if version else 0


def fetch(folder: Path, say: Callable[[str], None]) -> Parts:
    """Fetches or builds the parts that are missing. Flink's jars and the job server are fetched at
    the same time. The first call takes some minutes and downloads about 600 MB. A call during
    another waits for it. Later calls download nothing.

    Raises:
        SystemExit: a program is missing, or one step failed. The message contains the output of the
            failed step.
    """
    parts = Parts(folder.absolute())
    parts.folder.mkdir(parents=True, exist_ok=True)
    digest, built = hashlib.sha256(POM.read_bytes()).hexdigest(), parts.folder / "job-server.sha256"
    with open(parts.folder / "lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        steps = []
        if not list(parts.libraries.glob("flink-dist-*.jar")):
            steps.append(_fetch_libraries)
        if not parts.jar.exists() or not built.exists() or built.read_text() != digest:
            steps.append(_build_job_server)
        if lacking := [
            line for line in missing() if line.startswith("java") or _build_job_server in steps
        ]:
            raise SystemExit("\n".join(lacking))
        with ThreadPoolExecutor() as pool:
            for done in [pool.submit(step, parts, say) for step in steps]:
                done.result()
    return parts


def _fetch_libraries(parts: Parts, say: Callable[[str], None]) -> None:
    say(f"fetching Flink {FLINK_VERSION} (230 MB)")
    # Installed into a separate folder: the package itself pins no versions, but `apache-flink` in
    # Beam's environment would.
    _run(
        [
            sys.executable,
            "-m",
            "pip",
            "install",
            "--quiet",
            "--no-deps",
            "--no-cache-dir",
            "--upgrade",
            "--target",
            str(parts.folder / "libraries"),
            f"apache-flink-libraries=={FLINK_VERSION}",
        ],
        parts.folder,
    )


def _build_job_server(parts: Parts, say: Callable[[str], None]) -> None:
    say("building the job server (160 MB; minutes the first time)")
    work = parts.folder / "job-server"
    work.mkdir(exist_ok=True)
    shutil.copy(POM, work / "pom.xml")
    _run(["mvn", "-B", "-q", "package"], work)
    (work / "target" / "job-server.jar").replace(parts.jar)
    (parts.folder / "job-server.sha256").write_text(hashlib.sha256(POM.read_bytes()).hexdigest())


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(
        command,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    if done.returncode:
        raise SystemExit(
            f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-3000:]}"
        )
