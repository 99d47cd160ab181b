"""Waiting for a job that does not end, or that the cluster has forgotten."""

import threading
import time

import pytest

from deploy.flink.cluster import free_port
from questloom.pipeline.runners import submit
from questloom.pipeline.runners.flink_rest import FlinkRest, Unreachable
from questloom.pipeline.runners.submit import Stalled, _FlinkLook, _wait, _Work
from questloom.records.errors import QuestloomError


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    monkeypatch.setattr(submit, "POLL_SECONDS", 0.02)
    monkeypatch.setattr(submit, "LOST_SECONDS", 0.2)


class Jobs(FlinkRest):
    """A job manager whose knowledge the test changes."""

    known = True

    def find(self, name):
        return ("id", "RUNNING") if self.known else None


def test_a_job_of_which_nothing_is_finished_is_given_up():
    never = threading.Event()
    with pytest.raises(Stalled, match=r"(?s)was cancelled.*--stall-minutes"):
        _wait(_Work(never.wait), lambda: 1, 0.3, lambda: "")
    never.set()


def test_a_job_that_gets_on_is_waited_for_however_long():
    steps = iter(range(1000))
    work = _Work(lambda: time.sleep(0.6))
    _wait(work, lambda: next(steps), 0.2, lambda: "")
    assert work.ended.is_set() and work.error is None


def test_what_the_job_raised_is_kept_for_whoever_waits():
    def broken():
        raise ValueError("inside")

    work = _Work(broken)
    _wait(work, lambda: 1, 10, lambda: "")
    assert str(work.error) == "inside"


def test_a_job_that_the_job_manager_has_forgotten_is_lost_but_not_at_once():
    look = _FlinkLook(Jobs("host:1"), "name")
    assert look() == "" and look.job_id == "id"
    look.rest.__class__.known = False
    try:
        assert look() == ""
        time.sleep(0.25)
        assert "does not know the job any more" in look()
    finally:
        look.rest.__class__.known = True


def test_a_job_that_was_not_there_yet_is_not_lost():
    class Empty(Jobs):
        known = False

    look = _FlinkLook(Empty("host:1"), "name")
    look()
    time.sleep(0.25)
    assert look() == ""


def test_a_job_manager_that_is_gone_ends_the_wait_with_what_to_do():
    never = threading.Event()
    with pytest.raises(
        QuestloomError, match=r"the job manager is lost.*run the same command again"
    ):
        _wait(
            _Work(never.wait),
            lambda: 1,
            60,
            _FlinkLook(FlinkRest(f"127.0.0.1:{free_port()}"), "name"),
        )
    never.set()


def test_a_dead_port_is_unreachable_and_says_where():
    port = free_port()
    with pytest.raises(Unreachable, match=f"127.0.0.1:{port} cannot be reached"):
        FlinkRest(f"127.0.0.1:{port}").overview()
