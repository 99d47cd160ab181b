"""`docs/numerics.md` names tests that exist, one at least on every line."""

import re
from pathlib import Path

HERE = Path(__file__).parent
PAGE = (HERE.parents[1] / "docs" / "numerics.md").read_text()


def test_every_test_that_the_page_names_exists():
    named = re.findall(r"`([\w/]*test_\w+\.py)::(test_\w+)`", PAGE)
    assert len(named) > 70
    missing = [
        f"{file}::{name}"
        for file, name in named
        if f"def {name}(" not in (HERE.parent / file if "/" in file else HERE / file).read_text()
    ]
    assert not missing


def test_every_line_of_the_page_has_a_test():
    rows = [
        line
        for line in PAGE.splitlines()
        if line.startswith("| ") and not line.startswith("| what goes wrong")
    ]
    assert len(rows) > 50 and all("::test_" in row.rsplit("|", 2)[1] for row in rows)
