"""Names of public Python objects use the field's terms; a banned part of a name fails."""

import ast
import re
from pathlib import Path

import pytest

from tests.doctests import ROOT

FOLDERS = (
    "records language files calls knowledge models prompts agent transforms train eval recipes"
    " pipeline benchmarks"
).split()

# A whole part of a name -> the wanted term.
BANNED = {
    "asked": "question or request",
    "taught": "kept or sample",
    "told": "stated, or the noun for what is held",
    "said": "message or statement",
    "slip": "violation",
    "slips": "violations",
    "slipping": "violating",
    "lesson": "sample",
    "lessons": "samples",
}

# Names that fail today. Remove a line when its name is mended; never add one.
EXCEPTIONS = Path(__file__).with_name("names_to_mend.txt")


def parts_of_name(name: str) -> list[str]:
    """The words of a snake or camel name, in lower case."""
    return [part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def public_names(text: str) -> list[str]:
    """Public functions, classes and constants at the top of a module."""
    names = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.append(node.name)
        elif isinstance(node, ast.Assign):
            names += [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.append(node.target.id)
    return [name for name in names if not name.startswith("_")]


def banned_names(text: str) -> list[str]:
    """Public names of a module that hold a banned part."""
    return [name for name in public_names(text) if BANNED.keys() & set(parts_of_name(name))]


def test_public_names_hold_no_banned_word() -> None:
    found = {
        f"{path.relative_to(ROOT)}:{name}"
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
        for name in banned_names(path.read_text("utf-8"))
    }
    known = set(EXCEPTIONS.read_text("utf-8").split())
    assert not found - known, "use the wanted term of BANNED"
    assert not known - found, "mended: remove these lines from names_to_mend.txt"


@pytest.mark.parametrize(
    "text",
    ["class AskedWords: pass", "def told(): pass", "LESSON_SIZE = 3", "slips: int = 2"],
)
def test_a_banned_word_is_refused(text: str) -> None:
    assert banned_names(text)


def test_a_part_of_a_word_is_no_banned_word() -> None:
    assert not banned_names("def masked_slippage(): pass\ndef _told(): pass")
