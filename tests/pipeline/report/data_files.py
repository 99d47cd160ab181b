"""What a report's data files hand to its page."""

import json
import re
from pathlib import Path
from typing import Any


def payload(report: Path, name: str) -> Any:
    """The JSON that a data file hands to the page."""
    text = (report / "data" / f"{name}.js").read_text(encoding="utf-8")
    found = re.fullmatch(r'questloom\.put\("([\w-]+)", (.*)\);\n', text, re.DOTALL)
    assert found and found[1] == name
    return json.loads(found[2])
