"""constraints.txt pins all that setup.py asks for, at versions that it allows."""

import ast
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]


def asked() -> list[Requirement]:
    """What setup.py asks for, with the extras that `make` installs."""
    tree = ast.parse((ROOT / "setup.py").read_text(encoding="utf-8"))
    given = {
        each.arg: ast.literal_eval(each.value)
        for each in ast.walk(tree)
        if isinstance(each, ast.keyword) and each.arg in ("install_requires", "extras_require")
    }
    found, waiting = [*map(Requirement, given["install_requires"])], ["dev", "docs"]
    while waiting:
        for each in map(Requirement, given["extras_require"][waiting.pop()]):
            if each.name == "questloom":
                waiting += sorted(each.extras)
            else:
                found.append(each)
    return found


def unpinned(wanted: list[Requirement], text: str) -> list[str]:
    """Requirements that no line of `text` pins, or pins to a version that they exclude."""
    pins = [Requirement(line) for line in text.splitlines() if line and not line.startswith("#")]
    versions = {canonicalize_name(pin.name): str(pin.specifier)[2:] for pin in pins}
    return [
        str(each)
        for each in wanted
        if (found := versions.get(canonicalize_name(each.name))) is None
        or not each.specifier.contains(found)
    ]


def test_every_requirement_is_pinned():
    assert unpinned(asked(), (ROOT / "constraints.txt").read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("text", ["# nothing", "torch==2.14.0", "pytorch==2.16.0"])
def test_a_requirement_without_a_pin_or_with_an_older_one_is_named(text):
    assert unpinned([Requirement("torch>=2.15")], text) == ["torch>=2.15"]
