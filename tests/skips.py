"""`pytest -p tests.skips --allowed-skips FILE` tells every skipped test with its reason, and refuses some.

It fails on a reason that no line of the file allows. A line is a reason, or a pattern of reasons (`*`); empty lines and
lines that begin with # are comments. Without the option nothing is refused.
"""

from fnmatch import fnmatchcase
from pathlib import Path

import pytest

REFUSED = pytest.StashKey[list[str]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--allowed-skips",
        metavar="FILE",
        type=Path,
        help="fail on a skipped test whose reason no line of this file allows",
    )


def allowed_by(text: str) -> list[str]:
    """The patterns of a file."""
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]


def _skipped(config: pytest.Config) -> dict[str, list[str]]:
    """By reason: what was skipped, tests and whole files."""
    reporter = config.pluginmanager.get_plugin("terminalreporter")
    found: dict[str, list[str]] = {}
    for report in reporter.stats.get("skipped", []) if reporter else []:
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        found.setdefault(reason.removeprefix("Skipped: "), []).append(report.nodeid)
    return found


@pytest.hookimpl(tryfirst=True)  # before the terminal's summary, which tells what is found here
def pytest_sessionfinish(session: pytest.Session) -> None:
    path = session.config.getoption("--allowed-skips")
    if path is None or hasattr(session.config, "workerinput"):
        return
    patterns = allowed_by(path.read_text(encoding="utf-8"))
    refused = [
        reason
        for reason in _skipped(session.config)
        if not any(fnmatchcase(reason, pattern) for pattern in patterns)
    ]
    session.config.stash[REFUSED] = refused
    if refused and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    if REFUSED not in config.stash:
        return
    terminalreporter.section("skipped tests", sep="=")
    for reason, tests in sorted(_skipped(config).items()):
        word = "NOT ALLOWED" if reason in config.stash[REFUSED] else "allowed"
        terminalreporter.line(f"{word}: {reason}")
        for test in sorted(tests):
            terminalreporter.line(f"    {test}")
