"""The files of a cluster, without starting one."""

import json
import os
import subprocess
import sys
import xml.etree.ElementTree as ET

import yaml

from deploy.flink.cluster import ROOT, STATE, TASK_MANAGER_MEMORY, Cluster, main
from deploy.flink.downloads import FLINK_VERSION, POM, Parts
from deploy.flink.processes import end, launch

MAVEN = {"m": "http://maven.apache.org/POM/4.0.0"}


def test_the_job_server_is_for_the_flink_that_is_fetched():
    names = [
        e.text for e in ET.parse(POM).findall("./m:dependencies/m:dependency/m:artifactId", MAVEN)
    ]
    assert f"beam-runners-flink-{'.'.join(FLINK_VERSION.split('.')[:2])}" in names


def test_no_registry_is_named():
    assert "repositor" not in POM.read_text().lower()


def test_a_task_managers_memory_is_bounded_and_all_of_it_is_set():
    sizes = {
        name: int(size.rstrip("mb"))
        for name, size in TASK_MANAGER_MEMORY.items()
        if not name.endswith("max")
    }
    assert 900 <= sum(sizes.values()) <= 1450
    assert {
        "task.heap.size",
        "managed.size",
        "network.min",
        "jvm-metaspace.size",
        "jvm-overhead.min",
    } <= set(sizes)


def test_a_process_is_ended_with_its_children_and_never_one_that_took_its_number(tmp_path):
    process = launch(
        [
            sys.executable,
            "-c",
            "import subprocess, sys; subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)']).wait()",
        ],
        tmp_path / "log",
        cwd=tmp_path,
        environment=dict(os.environ),
    )
    assert process.alive
    stranger = type(process)(os.getpid(), "1")
    assert not stranger.alive
    end([process, stranger])
    assert not process.alive and os.getpid()
    groups = subprocess.run(
        ["ps", "-eo", "pgid="], capture_output=True, text=True, check=True
    ).stdout.split()
    assert str(process.pid) not in groups


def test_a_cluster_that_was_started_is_found_again_and_none_is_none(tmp_path):
    assert Cluster.load(tmp_path) is None
    cluster = Cluster(
        folder=tmp_path,
        parts=Parts(tmp_path / "parts"),
        rest_port=1,
        rpc_port=2,
        pool_port=3,
        task_managers=4,
        pools=5,
    )
    cluster._note(
        "pool-0",
        launch(
            [sys.executable, "-c", "pass"],
            tmp_path / "log",
            cwd=tmp_path,
            environment=dict(os.environ),
        ),
    )
    again = Cluster.load(tmp_path)
    assert (again.options, again.processes, again.task_managers) == (
        cluster.options,
        cluster.processes,
        4,
    )
    assert json.loads((tmp_path / STATE).read_text())["pools"] == 5


def test_stop_and_status_of_no_cluster(tmp_path, capsys):
    assert main(["stop", "--folder", str(tmp_path)]) == 0
    assert main(["status", "--folder", str(tmp_path)]) == 1
    assert "no cluster" in capsys.readouterr().out


def test_the_manifest_for_kubernetes_parses_and_has_a_pool_beside_each_task_manager():
    documents = list(
        yaml.safe_load_all((ROOT / "deploy" / "flink" / "kubernetes.yaml").read_text())
    )
    deployment = next(d for d in documents if d["kind"] == "FlinkDeployment")
    containers = deployment["spec"]["taskManager"]["podTemplate"]["spec"]["containers"]
    pool = next(c for c in containers if c["name"] == "worker-pool")
    assert pool["command"][:3] == ["python", "-m", "questloom.pipeline.runners.worker_pool"]
