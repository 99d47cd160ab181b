"""The READMEs are the map of the tree: what they name is there, what is there they name, and their links lead somewhere."""

import os
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.doctests import FOLDERS, PACKAGES

ROOT = Path(__file__).parent.parent

TREE = {*FOLDERS, "docs", "questloom", "tests"}
"""The project's folders; no other is looked into, since commands make folders of any name in a checkout."""
NAMED = re.compile(r"`((?:[a-z0-9_.]+/)*[a-z0-9_]+\.py|(?:[a-z0-9_]+/)+)(?:::\w+)?`")
"""A module, or a folder, in backticks. What a command makes is written with the command's own word in front (`RUN/dataset/`), which is neither."""
PATH = re.compile(r"`([a-z]+/[^`\s*:]+)(?:::\w+)?`")
"""Any path in backticks; it counts where it begins with a folder of the tree."""
LINK = re.compile(r"\]\(([^)\s]+)\)|\bsrc=\"([^\"]+)\"")
CODE = re.compile(r"^```.*?^```$", re.DOTALL | re.MULTILINE)


def is_ours(name: str, root: Path) -> bool:
    """Whether a folder at the top of a tree belongs to it."""
    return name in TREE if root == ROOT else (root / name).is_dir()


def walk(root: Path) -> Iterator[tuple[Path, list[str]]]:
    """The folders of a tree with their files; without those that are hidden or made by commands."""
    for folder, inner, files in os.walk(root):
        inner[:] = sorted(
            name
            for name in inner
            if not name.startswith((".", "__")) and is_ours(name, Path(folder))
        )
        yield Path(folder), files


def documents(root: Path) -> list[Path]:
    return [folder / name for folder, files in walk(root) for name in files if name.endswith(".md")]


def named(document: Path, root: Path) -> set[str]:
    """The modules, folders and paths of the tree that a document names."""
    text = CODE.sub("", document.read_text(encoding="utf-8"))
    paths = {found[1] for found in PATH.finditer(text) if is_ours(found[1].partition("/")[0], root)}
    return {name.rstrip("/") for name in paths | {found[1] for found in NAMED.finditer(text)}}


def absent(document: Path, root: Path) -> list[str]:
    """What a document names that is neither below its folder nor at that path of the tree. A document in `docs/` and a reference speak of the whole tree."""
    whole = document.parent.name == "docs" or document.name == "REFERENCE.md"
    base = root if whole else document.parent
    below = [str(folder / name) for folder, files in walk(base) for name in [*files, ""]]

    def stands(name: str) -> bool:
        return (root / name).exists() or any(
            path.rstrip("/").endswith(f"/{name}") for path in below
        )

    return sorted(name for name in named(document, root) if not stands(name))


def dead_links(document: Path) -> list[str]:
    """The relative links of a document that lead to nothing."""
    links = [a or b for a, b in LINK.findall(CODE.sub("", document.read_text(encoding="utf-8")))]
    return [
        link
        for link in links
        if "://" not in link
        and not (document.parent / (link.partition("#")[0] or document.name)).exists()
    ]


def repeated(document: Path) -> list[str]:
    """The beginnings of a document's longer paragraphs that stand in it twice."""
    counts = Counter(
        paragraph.strip()
        for paragraph in document.read_text(encoding="utf-8").split("\n\n")
        if len(paragraph) > 200
    )
    return [paragraph[:80] for paragraph, number in counts.items() if number > 1]


def unnamed(package: Path) -> list[str]:
    """The folders and modules of a package that neither their folder's README names nor, for what lies in a folder without one, the next README above."""
    missing = []
    for folder, files in walk(package):
        if "__init__.py" not in files:
            continue
        home = next(above for above in (folder, *folder.parents) if (above / "README.md").is_file())
        short = {word.rpartition("/")[2] for word in named(home / "README.md", package.parent)}
        inside = folder.relative_to(home).as_posix()
        if home != folder and folder.name not in short:
            missing.append(f"{home.name}/README.md: {inside}/")
        missing += [
            f"{home.name}/README.md: {name} in {inside}"
            for name in sorted(files)
            if name.endswith(".py")
            and not name.startswith("__")
            and name not in short
            and home != package.parent
        ]
    return missing


def test_what_a_document_names_is_there():
    assert {
        str(document.relative_to(ROOT)): names
        for document in documents(ROOT)
        if (names := absent(document, ROOT))
    } == {}


def test_every_relative_link_leads_somewhere():
    assert {
        str(document.relative_to(ROOT)): links
        for document in documents(ROOT)
        if (links := dead_links(document))
    } == {}


def test_no_document_says_a_thing_twice(tmp_path):
    assert {
        str(document.relative_to(ROOT)): twice
        for document in documents(ROOT)
        if (twice := repeated(document))
    } == {}
    (tmp_path / "twice.md").write_text(
        f"# A page\n\n{'long ' * 50}\n\nshort\n\nshort\n\n{'long ' * 50}\n", encoding="utf-8"
    )
    assert repeated(tmp_path / "twice.md") == [("long " * 16)]


def test_every_package_and_module_is_named_by_the_readme_that_covers_it():
    assert [line for name in PACKAGES for line in unnamed(ROOT / name)] == []


def test_what_a_command_made_in_the_checkout_is_no_document_of_it(tmp_path, monkeypatch):
    for folder in ("docs", "demo", "demo-train/run/dataset", "my-run/dataset"):
        (tmp_path / folder).mkdir(parents=True)
        (tmp_path / folder / "README.md").write_text("[gone](gone.md)", encoding="utf-8")
    (tmp_path / "docs" / "README.md").write_text(
        "`docs/gone.md`, and `demo/run/report/index.html`, which `make demo` writes",
        encoding="utf-8",
    )
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    assert documents(tmp_path) == [tmp_path / "docs" / "README.md"]
    assert absent(tmp_path / "docs" / "README.md", tmp_path) == ["docs/gone.md"]


def test_a_name_that_moved_a_dead_link_and_a_module_nobody_names_are_refused(tmp_path):
    (tmp_path / "README.md").write_text(
        "`house/` has [a map](house/README.md#cellar) and [no roof](roof.md).", encoding="utf-8"
    )
    (tmp_path / "house" / "cellar").mkdir(parents=True)
    for path in (
        "house/__init__.py",
        "house/door.py",
        "house/cellar/__init__.py",
        "house/cellar/wine.py",
        "house/window.py",
    ):
        (tmp_path / path).touch()
    readme = tmp_path / "house" / "README.md"
    readme.write_text(
        "`door.py`, `gate.py`, `cellar/wine.py`, `attic/`, `RUN/rooms/`, `house/door.py::knock`",
        encoding="utf-8",
    )
    assert absent(readme, tmp_path) == ["attic", "gate.py"]
    assert dead_links(tmp_path / "README.md") == ["roof.md"]
    assert unnamed(tmp_path / "house") == [
        "house/README.md: window.py in .",
        "house/README.md: cellar/",
    ]
