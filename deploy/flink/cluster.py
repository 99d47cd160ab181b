"""Runs a Flink session cluster on one machine, for trials and tests.

The cluster has its own pools of Python workers.

```
python -m deploy.flink.cluster start --task-managers 2 --pools 2 --folder build/flink
python -m deploy.flink.cluster status --folder build/flink
python -m deploy.flink.cluster stop --folder build/flink
```

Each task manager (Flink's worker process) has one slot and one pool of Python workers, as in a
Kubernetes pod with a side-car container. The first pool listens at 127.0.0.2, the next at
127.0.0.3, and so on, all on the same port. Each task manager has its own hosts file. In the hosts
file, the name `questloom-pool` stands for the pool of the task manager. The cluster runs only on
Linux. The job manager takes 0.7 GB of memory. A task manager takes at most 1.4 GB (0.7 GB in the
tests), and a Python worker takes 0.5 to 1.5 GB. The job server takes 0.5 GB while a job runs.
"""

import argparse
import json
import os
import signal
import socket
import sys
import time
import urllib.error
import urllib.request
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from deploy.flink.downloads import FLINK_VERSION, Parts, fetch, missing
from deploy.flink.processes import Process, end, launch

ROOT = Path(__file__).resolve().parents[2]
STATE, POOL_NAME = "cluster.json", "questloom-pool"
READY_SECONDS = 120.0
OPENED = (
    "lang",
    "net",
    "io",
    "nio",
    "lang.reflect",
    "text",
    "time",
    "util",
    "util.concurrent",
    "util.concurrent.atomic",
    "util.concurrent.locks",
)
"""The packages of java.base that Flink reads by reflection. By default, Java 17 forbids reflection
on these packages.
"""
TASK_MANAGER_MEMORY = {
    "network.min": "192m",
    "network.max": "192m",
    "task.heap.size": "384m",
    "managed.size": "128m",
    "task.off-heap.size": "0b",
    "framework.heap.size": "128m",
    "framework.off-heap.size": "128m",
    "jvm-metaspace.size": "256m",
    "jvm-overhead.min": "192m",
    "jvm-overhead.max": "192m",
}
"""The memory settings for a task manager. Flink's start scripts usually compute the memory
settings, but the installed jars come without the scripts.
"""


@dataclass
class Cluster:
    """A Flink cluster, which may or may not be running. The cluster's folder holds all its files.

    Args:
        folder: the folder for configuration, logs and state.
        parts: paths of Flink's jars and of the job server.
        rest_port: the port of Flink's REST interface and web pages.
        pool_port: the port of the worker pools.
    """

    folder: Path
    parts: Parts
    rest_port: int = 8081
    rpc_port: int = 6123
    pool_port: int = 50000
    task_managers: int = 2
    pools: int = 2
    processes: dict[str, Process] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: Path) -> "Cluster | None":
        """Returns the cluster that was started in a folder, or None."""
        try:
            state = json.loads((folder / STATE).read_text())
        except FileNotFoundError:
            return None
        processes = {name: Process(**facts) for name, facts in state.pop("processes").items()}
        return cls(
            folder=folder, parts=Parts(Path(state.pop("parts"))), processes=processes, **state
        )

    @property
    def rest(self) -> str:
        return f"localhost:{self.rest_port}"

    @property
    def environment(self) -> str:
        """The address of the worker pools, as the task managers see it."""
        return f"{POOL_NAME}:{self.pool_port}"

    def pool_address(self, number: int) -> str:
        return f"127.0.0.{2 + number}"

    @property
    def options(self) -> list[str]:
        """The command-line options that start a job on this cluster."""
        return [
            "--runner",
            "flink",
            "--flink-master",
            self.rest,
            "--job-server-jar",
            str(self.parts.jar),
            "--environment",
            self.environment,
        ]

    def start(self) -> None:
        """Starts all processes and waits until all slots and pools are ready.

        Raises:
            SystemExit: the cluster is not ready within two minutes; `start` then stops all its
                processes.
        """
        if any(p.alive for p in self.processes.values()):
            raise SystemExit(f"a cluster runs already in {self.folder}; stop it first")
        self._write_configuration()
        self.start_job_manager()
        for number in range(self.pools):
            self.start_pool(number)
        for number in range(self.task_managers):
            self.start_task_manager(number)
        self.wait()

    def start_job_manager(self) -> None:
        self._launch(
            "job-manager",
            ["-Xmx700m", "-XX:MaxMetaspaceSize=256m"],
            "entrypoint.StandaloneSessionClusterEntrypoint",
            ["--executionMode", "cluster"],
        )

    def start_task_manager(self, number: int) -> None:
        hosts = self.folder / "conf" / f"hosts-{number}"
        names = dict.fromkeys(("localhost", socket.gethostname(), socket.getfqdn()))
        pool = self.pool_address(number % self.pools) if self.pools else "127.0.0.1"
        hosts.write_text("".join(f"127.0.0.1 {name}\n" for name in names) + f"{pool} {POOL_NAME}\n")
        memory = [f"taskmanager.memory.{name}={size}" for name, size in TASK_MANAGER_MEMORY.items()]
        settings = [
            *memory,
            "taskmanager.cpu.cores=1",
            "taskmanager.numberOfTaskSlots=1",
            f"taskmanager.resource-id=tm-{number}-{time.time_ns()}",
        ]
        self._launch(
            f"task-manager-{number}",
            ["-Xmx512m", "-XX:MaxDirectMemorySize=512m", f"-Djdk.net.hosts.file={hosts}"],
            "taskexecutor.TaskManagerRunner",
            [word for setting in settings for word in ("-D", setting)],
        )

    def start_pool(self, number: int) -> None:
        command = [
            sys.executable,
            "-m",
            "questloom.pipeline.runners.worker_pool",
            "--bind",
            f"{self.pool_address(number)}:{self.pool_port}",
        ]
        self._note(
            f"pool-{number}",
            launch(
                command,
                self.log(f"pool-{number}"),
                cwd=ROOT,
                environment={"OMP_NUM_THREADS": "1", **os.environ},
            ),
        )

    def _launch(self, name: str, java: list[str], main: str, arguments: list[str]) -> None:
        opens = [f"--add-opens=java.base/java.{package}=ALL-UNNAMED" for package in OPENED]
        logging = f"-Dlog4j.configurationFile={self.folder / 'conf' / 'log4j.properties'}"
        command = [
            "java",
            *java,
            *opens,
            logging,
            "-cp",
            f"{self.parts.libraries}/*",
            f"org.apache.flink.runtime.{main}",
            "-c",
            str(self.folder / "conf"),
            *arguments,
        ]
        self._note(
            name, launch(command, self.log(name), cwd=self.folder, environment=dict(os.environ))
        )

    def log(self, name: str) -> Path:
        return self.folder / "logs" / f"{name}.log"

    def _note(self, name: str, process: Process) -> None:
        self.processes[name] = process
        state = {
            "parts": str(self.parts.folder),
            "rest_port": self.rest_port,
            "rpc_port": self.rpc_port,
            "pool_port": self.pool_port,
            "task_managers": self.task_managers,
            "pools": self.pools,
            "processes": {n: asdict(p) for n, p in self.processes.items()},
        }
        part = self.folder / f".{STATE}"
        part.write_text(json.dumps(state, indent=1))
        part.replace(self.folder / STATE)

    def _write_configuration(self) -> None:
        conf = self.folder / "conf"
        for made in (conf, self.folder / "tmp"):
            made.mkdir(parents=True, exist_ok=True)
        settings = {
            "jobmanager.rpc.address": "localhost",
            "jobmanager.rpc.port": self.rpc_port,
            "jobmanager.bind-host": "localhost",
            "rest.address": "localhost",
            "rest.bind-address": "localhost",
            "rest.port": self.rest_port,
            "rest.bind-port": f'"{self.rest_port}"',
            "taskmanager.host": "localhost",
            "taskmanager.bind-host": "localhost",
            "jobmanager.memory.process.size": "1024m",
            "parallelism.default": self.task_managers,
            "io.tmp.dirs": self.folder / "tmp",
            "heartbeat.timeout": 20000,
            "heartbeat.interval": 2000,
            "restart-strategy.type": "fixed-delay",
            "restart-strategy.fixed-delay.attempts": 10,
            "restart-strategy.fixed-delay.delay": "2s",
            "web.submit.enable": "false",
        }
        (conf / "config.yaml").write_text(
            "".join(f"{name}: {value}\n" for name, value in settings.items())
        )
        (conf / "log4j.properties").write_text(
            "rootLogger.level = INFO\nrootLogger.appenderRef.out.ref = Out\nappender.out.name = Out\nappender.out.type = CONSOLE\n"
            "appender.out.layout.type = PatternLayout\nappender.out.layout.pattern = %d{HH:mm:ss,SSS} %-5p %c{1} %m%n\n"
        )

    def overview(self) -> dict[str, Any] | None:
        """Returns the job manager's overview of the cluster. Returns None while the job manager
        does not answer.
        """
        try:
            with urllib.request.urlopen(f"http://{self.rest}/overview", timeout=5) as reply:
                return json.load(reply)
        except (urllib.error.URLError, OSError, ValueError):
            return None

    def ready(self) -> bool:
        """Whether the cluster can run jobs: every task manager offers its slot, and every pool
        listens on its port.
        """
        found = self.overview()
        if found is None or found["slots-total"] < self.task_managers:
            return False
        for number in range(self.pools):
            try:
                socket.create_connection(
                    (self.pool_address(number), self.pool_port), timeout=2
                ).close()
            except OSError:
                return False
        return True

    def wait(self) -> None:
        """Waits until the cluster is `ready`; raises SystemExit if a process ends or the wait is
        too long.
        """
        until = time.monotonic() + READY_SECONDS
        while not self.ready():
            dead = [name for name, process in self.processes.items() if not process.alive]
            if dead or time.monotonic() > until:
                name = dead[0] if dead else "job-manager"
                self.stop()
                what = f"{name} ended" if dead else f"not ready after {READY_SECONDS:.0f} s"
                raise SystemExit(
                    f"{what}; the end of {self.log(name)}:\n{self.log(name).read_text(errors='replace')[-2000:]}"
                )
            time.sleep(0.5)

    def kill(self, name: str) -> None:
        """Kills one process and its child processes with `kill -9`."""
        end([self.processes[name]], signal.SIGKILL)

    def start_again(self, name: str) -> None:
        """Restarts one process of the cluster that has ended."""
        kind, _, number = name.rpartition("-")
        if name == "job-manager":
            self.start_job_manager()
        elif kind == "pool":
            self.start_pool(int(number))
        else:
            self.start_task_manager(int(number))

    def stop(self) -> None:
        """Stops all running processes. The task managers and the pools stop before the job
        manager.
        """
        order = sorted(self.processes, key=lambda name: name.startswith("job-manager"))
        end([self.processes[name] for name in order])
        (self.folder / STATE).unlink(missing_ok=True)

    def as_text(self) -> str:
        """The state of the cluster, with one line for each process, and the options that start a
        job.
        """
        found = self.overview()
        lines = [
            f"{name:16} {'runs' if p.alive else 'gone'}  pid {p.pid}"
            for name, p in sorted(self.processes.items())
        ]
        slots = (
            f"{found['slots-available']} of {found['slots-total']} slots are free"
            if found
            else "the job manager does not answer"
        )
        return "\n".join(
            [
                f"Flink {FLINK_VERSION} at http://{self.rest}: {slots}",
                *lines,
                "options of a job: " + " ".join(self.options),
            ]
        )


def free_port() -> int:
    """Finds a port on which no process listens at the moment."""
    with socket.socket() as probe:
        probe.bind(("", 0))
        return probe.getsockname()[1]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m deploy.flink.cluster", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("command", choices=("check", "fetch", "start", "stop", "status"))
    parser.add_argument(
        "--folder",
        type=Path,
        default=ROOT / "build" / "flink",
        help="folder of the cluster's configuration, logs and state",
    )
    parser.add_argument(
        "--parts",
        type=Path,
        default=ROOT / "build" / "flink-parts",
        help="folder of Flink's jars and the job server, fetched once",
    )
    parser.add_argument("--task-managers", type=int, default=2)
    parser.add_argument(
        "--pools",
        type=int,
        default=2,
        help="worker pools; 0 for jobs with --environment loopback only",
    )
    parser.add_argument(
        "--rest-port", type=int, default=8081, help="0 for a free one; so for the other ports then"
    )
    parser.add_argument("--pool-port", type=int, default=50000)
    given = parser.parse_args(arguments)
    folder = given.folder.absolute()
    if given.command == "check":
        print("\n".join(missing()) or "Java and Maven are here")
        return 1 if missing() else 0
    if given.command == "fetch":
        print(fetch(given.parts, print).jar)
        return 0
    cluster = Cluster.load(folder)
    if given.command == "start":
        if cluster is not None and any(p.alive for p in cluster.processes.values()):
            raise SystemExit(f"a cluster runs already in {folder}; stop it first")
        free = given.rest_port == 0
        cluster = Cluster(
            folder=folder,
            parts=fetch(given.parts, print),
            rest_port=given.rest_port or free_port(),
            rpc_port=free_port() if free else 6123,
            pool_port=free_port() if free else given.pool_port,
            task_managers=given.task_managers,
            pools=given.pools,
        )
        cluster.start()
        print(cluster.as_text())
        return 0
    if cluster is None:
        print(f"no cluster in {folder}")
        return 0 if given.command == "stop" else 1
    if given.command == "stop":
        cluster.stop()
        print("stopped")
        return 0
    print(cluster.as_text())
    return 0 if cluster.ready() else 1


if __name__ == "__main__":
    raise SystemExit(main())
