"""Every reason for which an item may be rejected is given somewhere."""

import re
from pathlib import Path

from questloom.records.outcomes import Reason
from tests.doctests import PACKAGES

ROOT = Path(__file__).parents[2]
SENTENCES = ROOT / "transforms" / "reason_words.py"


def test_no_reason_is_left_that_no_stage_gives():
    given = {
        name
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if path != SENTENCES
        for name in re.findall(r"\bReason\.([A-Z_]+)", path.read_text(encoding="utf-8"))
    }
    assert set(Reason.__members__) <= given
