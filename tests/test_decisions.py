"""`docs/decisions.md` holds decisions as they stand: dated, short, none twice."""

import re
from pathlib import Path

PAGE = Path(__file__).parent.parent / "docs" / "decisions.md"
ENTRY = re.compile(r"^- .*?(?=^- |^#|\Z)", re.MULTILINE | re.DOTALL)
HEAD = re.compile(r"- \*\*(?P<title>[^*]+)\.\*\*\s+\((?P<date>20\d\d-\d\d-\d\d)\)\s")


def faults(text: str) -> list[str]:
    """What is wrong with the entries of a page of decisions."""
    found, titles = [], set()
    for entry in (match[0].strip() for match in ENTRY.finditer(text)):
        head = HEAD.match(entry)
        if head is None:
            found.append(f"no title and date: {entry[:40]}")
            continue
        title, lines = head["title"], entry.splitlines()
        if len(lines) > 5 or max(map(len, lines)) > 100:
            found.append(f"more than five lines of 100 columns: {title}")
        if title.casefold() in titles:
            found.append(f"twice: {title}")
        titles.add(title.casefold())
    return found


def test_every_decision_is_dated_short_and_said_once():
    text = PAGE.read_text(encoding="utf-8")
    assert len(ENTRY.findall(text)) > 20 and faults(text) == []


def test_an_entry_without_a_date_a_long_one_and_a_second_one_are_refused():
    long = "- **Long.** (2026-11-22) " + "word\n  " * 5 + "word\n"
    text = f"# Page\n\n- **No date.** Text.\n{long}- **Once.** (2026-11-22) A.\n- **Once.** (2026-11-23) B.\n"
    assert faults(text) == [
        "no title and date: - **No date.** Text.",
        "more than five lines of 100 columns: Long",
        "twice: Once",
    ]
