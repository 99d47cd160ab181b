"""What of an exception the user is told: the error of ours behind it, or what a path that the system refuses means."""

import logging
import threading

from questloom.pipeline.runners.run_log import VARIABLE, known_cause, log_errors_to_file
from questloom.records.errors import InputError


def caught(act) -> BaseException:
    try:
        act()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def test_an_input_error_that_crossed_a_process_as_text_has_its_three_parts_again():
    sent = InputError(
        "/x/store", "a table cannot be read (LanceError: cut)", "Remove the store. Ingest again."
    )
    error = RuntimeError(
        f"Traceback …\nrecords.errors.InputError: {sent} [while running '03-pictures/run']\n"
    )
    known = known_cause(error)
    assert isinstance(known, InputError) and (known.where, known.what, known.fix) == (
        sent.where,
        sent.what,
        sent.fix,
    )


def test_a_path_that_the_system_refuses_is_the_users_to_correct(tmp_path):
    known = known_cause(caught(lambda: (tmp_path / "no" / "such").read_text()))
    assert isinstance(known, InputError) and known.where.endswith("no/such")


def test_a_fault_of_ours_is_not_taken_for_the_missing_file_that_it_was_raised_over(tmp_path):
    def act():
        try:
            (tmp_path / "no").read_text()
        except OSError:
            1 / 0  # noqa: B018  # the fault

    assert known_cause(caught(act)) is None


def test_an_error_that_ends_a_thread_goes_to_the_log_and_not_to_the_terminal(
    tmp_path, monkeypatch, capfd
):
    monkeypatch.setenv(VARIABLE, str(tmp_path / "log"))
    monkeypatch.setattr(threading, "excepthook", threading.excepthook)
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    monkeypatch.setattr(logging.getLogger(), "level", logging.getLogger().level)
    log_errors_to_file()
    thread = threading.Thread(target=lambda: 1 / 0)
    thread.start()
    thread.join()
    assert "ZeroDivisionError" in (tmp_path / "log").read_text() and capfd.readouterr().err == ""
