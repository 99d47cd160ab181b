"""What a Flink cluster on one machine is made of: Flink's jars, and Beam's job server for them. Fetched once into a folder."""
import hashlib
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

FLINK_VERSION = "1.19.3"
"""Flink's jars come from PyPI's `apache-flink-libraries`; the runner for this minor version is the newest that is published as a library."""
POM = Path(__file__).with_name("pom.xml")
JAVA_VERSION = 17


@dataclass(frozen=True)
class Parts:
    """Where the parts stand."""

    folder: Path

    @property
    def jar(self) -> Path:
        """Beam's job server."""
        return self.folder / "job-server.jar"

    @property
    def libraries(self) -> Path:
        """The folder of Flink's jars."""
        return self.folder / "libraries" / "pyflink" / "lib"


def fetch(folder: Path, say: Callable[[str], None]) -> Parts:
    """Fetches or builds what is missing: about 600 MB, some minutes the first time, nothing later.

    Raises:
        SystemExit: a program is missing, or a step failed; its output is shown.
    """
    parts = Parts(folder.absolute())
    parts.folder.mkdir(parents=True, exist_ok=True)
    _need("java", f"Install Java {JAVA_VERSION} (Debian: openjdk-17-jdk-headless).")
    if not list(parts.libraries.glob("flink-dist-*.jar")):
        say(f"fetching Flink {FLINK_VERSION} (230 MB)")
        # Installed aside: the package pins nothing itself, but `apache-flink` beside Beam would.
        _run([sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-cache-dir", "--upgrade",
              "--target", str(parts.folder / "libraries"), f"apache-flink-libraries=={FLINK_VERSION}"], parts.folder)
    built = parts.folder / "job-server.sha256"
    digest = hashlib.sha256(POM.read_bytes()).hexdigest()
    if not parts.jar.exists() or not built.exists() or built.read_text() != digest:
        _need("mvn", "Install Maven (Debian: maven).")
        say("building the job server (160 MB; minutes the first time)")
        work = parts.folder / "job-server"
        work.mkdir(exist_ok=True)
        shutil.copy(POM, work / "pom.xml")
        _run(["mvn", "-B", "-q", "package"], work)
        (work / "target" / "job-server.jar").replace(parts.jar)
        built.write_text(digest)
    return parts


def _need(program: str, fix: str) -> None:
    if shutil.which(program) is None:
        raise SystemExit(f"{program} is not on PATH. {fix}")


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout[-3000:]}")
