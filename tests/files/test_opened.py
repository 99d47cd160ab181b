"""What a process has open: made once, closed by its owner in reverse order, and found again by name after pickling."""

import gc
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from questloom.files.opened import Opened


def test_a_thing_is_made_once_even_when_many_threads_ask_at_once():
    made = []
    opened = Opened()
    threads = [
        threading.Thread(target=lambda: opened.once("thing", lambda: made.append(1)))
        for _ in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert made == [1]


def test_things_are_closed_in_reverse_order_and_made_anew_afterwards():
    closed = []
    with Opened() as opened:
        opened.once(
            "store",
            lambda: opened.once("connection", lambda: "c", closed.append) + "s",
            closed.append,
        )
    assert closed == ["cs", "c"]
    assert opened.once("connection", lambda: "new") == "new"


def test_what_was_laid_there_is_taken_and_belongs_to_who_laid_it():
    closed = []
    with Opened() as opened:
        opened.put("engine", "mine")
        assert (
            opened.once("engine", lambda: "other", closed.append) == opened.get("engine") == "mine"
        )
        with pytest.raises(AssertionError):
            opened.put("engine", "second")
    assert closed == [] and opened.get("engine") is None


def test_a_thing_that_cannot_be_made_is_tried_again():
    opened = Opened()
    with pytest.raises(ZeroDivisionError):
        opened.once("thing", lambda: 1 // 0)
    assert opened.once("thing", lambda: 1) == 1


def test_pickled_it_is_itself_in_the_same_process():
    opened = Opened()
    assert pickle.loads(pickle.dumps(opened)) is opened


def test_in_another_process_it_is_one_of_that_process_filled_as_it_is_used_and_closed_at_its_end():
    opened = Opened()
    opened.put("thing", "of the first process")
    code = (
        "import pickle, sys\nfirst, second = (pickle.loads(bytes.fromhex(sys.argv[1])) for _ in range(2))\n"
        "assert first is second and first.get('thing') is None\nfirst.once('thing', lambda: 'here', lambda thing: print('closed', thing))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code, pickle.dumps(opened).hex()],
        capture_output=True,
        text=True,
        cwd=Path(__file__).parents[2],
        check=True,
    )
    assert run.stdout == "closed here\n"


def test_an_owner_that_is_forgotten_closes_all_the_same():
    closed = []
    Opened().once("thing", lambda: "t", closed.append)
    gc.collect()
    assert closed == ["t"]


def test_who_takes_what_stands_does_not_wait_for_what_another_thread_opens():
    opened, opening, go_on = Opened(), threading.Event(), threading.Event()
    opened.once("store", lambda: "s")

    def slow() -> str:
        opening.set()
        assert go_on.wait(10)
        return "checkpoint"

    thread = threading.Thread(target=lambda: opened.once("checkpoint", slow))
    thread.start()
    assert opening.wait(10)
    assert opened.once("store", lambda: "other") == "s"
    go_on.set()
    thread.join()


def test_what_is_closed_may_wait_for_a_thread_that_asks_for_something_here():
    opened = Opened()

    def close(thing: str) -> None:
        asks = threading.Thread(target=lambda: opened.once("late", lambda: "l"))
        asks.start()
        asks.join(10)
        assert not asks.is_alive()

    opened.once("client", lambda: "c", close)
    opened.close()
