"""On a real Flink cluster of two task managers and two worker pools: the same bytes as in process, and after a kill -9 as well."""

import json
import time

import pytest

from tests.deploy.runs import SETTINGS, digests, ended, ingest, synth, until

pytestmark = pytest.mark.flink


def facts(store) -> dict:
    """What a store says of itself, without the time of its writing."""
    return {
        k: v for k, v in json.loads((store / "meta.json").read_text()).items() if k != "written"
    }


@pytest.mark.usefixtures("begun")
def test_the_store_is_the_same_as_in_process(on_cluster, world, store):
    out = world.parent / "store-flink"
    assert ended(ingest(world, out, *on_cluster), out) == 0
    assert facts(out) == facts(store)


@pytest.mark.slow
def test_the_run_is_the_same_as_in_process(on_cluster, store, whole):
    """That after a kill is compared in every `make test-flink`."""
    out = store.parent / "run-flink"
    assert ended(synth(store, out, *on_cluster), out) == 0
    assert digests(out) == whole


def test_a_task_manager_killed_in_mid_job_and_another_started_leave_the_same_bytes_and_both_pools_worked(
    on_cluster, cluster, store, whole
):
    out = store.parent / "run-killed"
    job = synth(store, out, *on_cluster)
    until(lambda: any(out.glob("stages/03-draft/kept-*.parquet")))
    cluster.kill("task-manager-0")
    time.sleep(3)
    cluster.start_task_manager(0)
    assert ended(job, out) == 0
    assert digests(out) == whole
    for number in range(cluster.pools):
        assert (
            "worker" in cluster.log(f"pool-{number}").read_text()
            and ": started" in cluster.log(f"pool-{number}").read_text()
        )


@pytest.mark.slow
def test_a_custom_filter_and_writer_are_run_by_the_pools_and_give_the_same_bytes_as_in_process(
    on_cluster, store
):
    own = ("filters.custom=[examples.no_sports:NoSports]", "writer=examples.terse:Terse")
    settings = (*SETTINGS, *own)
    here, there = store.parent / "custom", store.parent / "custom-flink"
    assert ended(synth(store, here, "--workers", "1", settings=settings), here) == 0
    assert ended(synth(store, there, *on_cluster, settings=settings), there) == 0
    assert digests(there) == digests(here)
    assert any("no_sports" in name for name in digests(there))
