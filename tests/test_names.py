"""Names of public Python objects use the field's terms; a banned part of a name fails."""

import ast
import re

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

# Names that stay: a reply's JSON schema names this class, so requests and their hashes hold it.
STORED = {"prompts/replies.py:SaidLine"}


def parts_of_name(name: str) -> list[str]:
    """The words of a snake or camel name, in lower case."""
    return [part.lower() for part in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)]


def public_names(text: str) -> list[str]:
    """Public functions, classes and constants at the top of a module, and `Class.method`."""
    names = []
    for node in ast.parse(text).body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            names.append(node.name)
        elif isinstance(node, ast.ClassDef):
            names += [node.name, *(f"{node.name}.{name}" for name in public_methods(node))]
        elif isinstance(node, ast.Assign):
            names += [target.id for target in node.targets if isinstance(target, ast.Name)]
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.append(node.target.id)
    return [name for name in names if not name.startswith("_")]


def public_methods(node: ast.ClassDef) -> list[str]:
    """Public methods and properties of a class."""
    return [
        member.name
        for member in node.body
        if isinstance(member, ast.FunctionDef | ast.AsyncFunctionDef)
        and not member.name.startswith("_")
    ]


def banned_names(text: str) -> list[str]:
    """Public names of a module whose last component holds a banned part."""
    return [
        name
        for name in public_names(text)
        if BANNED.keys() & set(parts_of_name(name.rpartition(".")[2]))
    ]


def test_public_names_hold_no_banned_word() -> None:
    found = {
        f"{path.relative_to(ROOT)}:{name}"
        for folder in FOLDERS
        for path in sorted((ROOT / folder).rglob("*.py"))
        for name in banned_names(path.read_text("utf-8"))
    }
    assert not found - STORED, "use the wanted term of BANNED"
    assert not STORED - found, "no longer there: remove it from STORED"


@pytest.mark.parametrize(
    "text",
    [
        "class AskedWords: pass",
        "def told(): pass",
        "LESSON_SIZE = 3",
        "slips: int = 2",
        "class Words:\n    def said(self): pass",
        "class Words:\n    @property\n    def asked(self): pass",
        "class Words:\n    async def told_all(self): pass",
    ],
)
def test_a_banned_word_is_refused(text: str) -> None:
    assert banned_names(text)


def test_a_part_of_a_word_is_no_banned_word() -> None:
    assert not banned_names("def masked_slippage(): pass\ndef _told(): pass")


def test_a_banned_class_counts_once_and_a_hidden_member_not_at_all() -> None:
    assert banned_names("class Told:\n    def read(self): pass") == ["Told"]
    assert not banned_names("class Words:\n    def _said(self): pass")
    assert not banned_names("class _Words:\n    def said(self): pass")
