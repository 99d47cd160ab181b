"""SIGTERM asks a run to stop, once it is under way; one rank that is asked is enough."""

import os
import signal
import threading

import pytest

from questloom.records.errors import InputError, QuestloomError
from questloom.train.run.stopping import Stop, Stopped, exit_code, stop_error, stopping
from tests.train.ranks import among


def test_sigterm_is_noted_and_ends_the_process_again_afterwards(capfd):
    before, stop = signal.getsignal(signal.SIGTERM), Stop()
    with stopping(stop):
        assert not stop.asked
        os.kill(os.getpid(), signal.SIGTERM)
        assert stop.asked and "SIGTERM: the run stops after this update" in capfd.readouterr().err
    assert signal.getsignal(signal.SIGTERM) == before


def test_another_thread_than_the_main_one_leaves_the_signal_alone():
    before, seen = signal.getsignal(signal.SIGTERM), []

    def run() -> None:
        with stopping(Stop()):
            seen.append(signal.getsignal(signal.SIGTERM))

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert seen == [before]


def test_one_rank_that_is_asked_stops_all():
    assert (
        Stop().of_any(among(False, True))
        and Stop(asked=True).of_any(among(False))
        and not Stop().of_any(among(False, False))
    )


@pytest.mark.parametrize(
    ("error", "code"),
    [(InputError("a", "is wrong", "mend it"), 2), (Stopped("x"), 143), (QuestloomError("x"), 1)],
)
def test_exit_codes_say_what_ended_a_command(error, code):
    assert exit_code(error) == code


def test_the_words_say_what_is_kept():
    assert (
        str(stop_error(3, 6))
        == "the run was stopped by SIGTERM after update 3 of 6; a checkpoint of it stands. The same command continues"
    )
    assert "before its first update. The same command" in str(stop_error(0, 6))
