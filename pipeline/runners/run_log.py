"""The log of a command. The log holds what Beam, the workers and libraries report about an error.
The user sees only one message and the path of the log.

Only text can cross a process boundary. An error in a worker therefore reaches the command as a long
text. This module finds the cause of an error in the chain of exceptions, or in the text that a
worker has sent.
"""

import errno
import logging
import os
import re
import tempfile
import threading
import time
import traceback
from pathlib import Path

from questloom.files.extras import error_of_import
from questloom.records.errors import InputError, QuestloomError

VARIABLE = "QUESTLOOM_LOG"
"""The name of the environment variable that tells worker processes where the log is."""
_LINE = "%(asctime)s %(process)d %(name)s %(levelname)s %(message)s"
_RAISED = re.compile(r"records\.errors\.(InputError|ProviderFault|QuestloomError): (.+)")
_INPUT = re.compile(r"(.+?): (.+?)\. (.+)")
"""A pattern that finds the parts of an `InputError` in the error's text."""
MAX_MESSAGE = 600


def log_path() -> Path:
    """The path of this command's log. The file is created when its first line is written."""
    if VARIABLE not in os.environ:
        os.environ[VARIABLE] = os.path.join(
            tempfile.gettempdir(), f"questloom-{time.strftime('%Y%m%d-%H%M%S')}-{os.getpid()}.log"
        )
    return Path(os.environ[VARIABLE])


def is_log_written() -> bool:
    """Whether this process or its parent has a log, and the log has a line. A worker creates an
    empty log when the worker starts."""
    return VARIABLE in os.environ and log_path().exists() and log_path().stat().st_size > 0


def log_errors_to_file() -> None:
    """Writes the errors that libraries log into the command's log, so that they do not appear on the
    terminal. The same holds for errors that end a library's thread, as Ctrl-C ends Beam's."""
    handler = logging.FileHandler(log_path(), encoding="utf-8", delay=True)
    handler.setFormatter(logging.Formatter(_LINE))
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(logging.ERROR)
    logging.getLogger("apache_beam").setLevel(logging.ERROR)
    threading.excepthook = lambda thrown: note_fault(thrown.exc_value or thrown.exc_type())


def note_fault(error: BaseException) -> None:
    """Writes an exception with its traceback into the log."""
    with log_path().open("a", encoding="utf-8") as log:
        log.write("".join(traceback.format_exception(error)))


def note_known(error: BaseException) -> None:
    """Writes an exception into the command's log, if this process or its parent has such a log."""
    if VARIABLE in os.environ:
        note_fault(error)


def known_cause(error: BaseException) -> QuestloomError | None:
    """Finds the Questloom error that caused a library's exception, or makes an `InputError` if a
    path that cannot be used caused the exception. For any other cause, returns None."""
    seen: set[int] = set()
    at: BaseException | None = error
    while at is not None and id(at) not in seen:
        if isinstance(at, QuestloomError):
            return at
        if isinstance(at, ModuleNotFoundError) and (extra := error_of_import(at)) is not None:
            return extra
        seen.add(id(at))
        at = at.__cause__ or at.__context__
    if found := _RAISED.search(str(error)):
        said = found[2].partition(" [while running")[0]
        parts = _INPUT.fullmatch(said) if found[1] == "InputError" else None
        return QuestloomError(said) if parts is None else InputError(*parts.groups())
    return path_error(error) if isinstance(error, OSError) and error.filename else None


def path_error(error: OSError, where: object = "") -> InputError:
    """Makes an `InputError` for a path that cannot be read or written, or for a full disk. If the
    error names no path, the message names `where` instead."""
    if error.errno == errno.ENOSPC:
        return InputError(
            str(where or error.filename),
            "the disk is full",
            "Make room and run the same command again; finished parts are kept",
        )
    return InputError(
        str(error.filename or where),
        f"cannot be read or written ({error.strerror or error})",
        "Correct the path or the rights",
    )


def fault_message(error: BaseException) -> str:
    """Describes an unexpected exception in one line for people."""
    said = " ".join(str(error).split())[:MAX_MESSAGE]
    return f"{type(error).__name__}: {said}" if said else type(error).__name__
