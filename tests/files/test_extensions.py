"""An object of another package is found by import path or entry point, known by its version, and what cannot be found is refused with a way out."""

import importlib
import sys

import pytest

from questloom.files.extensions import load_extension
from questloom.records.errors import InputError

MODULE = "class Good:\n    pass\n"


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A folder on the path of imports, as a stranger's package lies there; gives what writes a file of it."""
    monkeypatch.syspath_prepend(tmp_path)
    before = set(sys.modules)

    def write(name: str, text: str) -> None:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
        importlib.invalidate_caches()
        load_extension.cache_clear()
        for module in set(sys.modules) - before:
            if getattr(sys.modules[module], "__file__", "").startswith(str(tmp_path)):
                del sys.modules[module]

    yield write
    load_extension.cache_clear()
    for module in [m for m in set(sys.modules) - before if m.startswith("theirs")]:
        del sys.modules[module]


def load(named: str):
    return load_extension(named, "filters", "recipe key filters.custom")


def install(write, version: str = "1.2", name: str = "theirs-package") -> None:
    folder = f"{name.replace('-', '_')}-{version}.dist-info"
    write(f"{folder}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n")
    write(f"{folder}/entry_points.txt", "[questloom.filters]\ngood = theirs:Good\n")
    write(f"{folder}/top_level.txt", "theirs\n")
    write(f"{folder}/RECORD", "theirs.py,,\n")


def test_an_import_path_gives_the_object(elsewhere):
    elsewhere("theirs.py", MODULE)
    found = load("theirs:Good")
    assert (found.object.__name__, found.path) == ("Good", "theirs:Good")


def test_a_file_of_the_current_folder_is_found(elsewhere, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    elsewhere("here/theirs_here.py", MODULE)
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setattr(sys, "path", list(sys.path))
    assert load("theirs_here:Good").path == "theirs_here:Good"


def test_an_entry_point_gives_the_object_and_its_version_is_that_of_its_package(elsewhere):
    elsewhere("theirs.py", MODULE)
    install(elsewhere)
    assert load("good").path == "theirs:Good"
    assert load("good").version.startswith("theirs-package 1.2, source ")
    assert load("good").identity == load("theirs:Good").identity


def test_another_text_or_another_version_is_another_identity(elsewhere):
    elsewhere("theirs.py", MODULE)
    first = load("theirs:Good").identity
    elsewhere("theirs.py", MODULE + "# changed\n")
    second = load("theirs:Good").identity
    install(elsewhere)
    assert len({first, second, load("theirs:Good").identity}) == 3


def test_the_file_that_holds_the_class_counts_too(elsewhere):
    elsewhere("theirs.py", "from theirs_inside import Good\n")
    elsewhere("theirs_inside.py", MODULE)
    first = load("theirs:Good").identity
    elsewhere("theirs_inside.py", MODULE + "# changed\n")
    assert load("theirs:Good").identity != first


@pytest.mark.parametrize(
    ("named", "what", "fix"),
    [
        ("theirs_nowhere:Good", "there is no module 'theirs_nowhere'", "start in the folder"),
        ("theirs.sub:Good", "there is no module 'theirs.sub'", "Install its package"),
        ("theirs:Bad", "the module theirs has no 'Bad'", "It has: Good"),
        ("theirs_lacking:Good", "its module needs 'theirs_nowhere', which is", "Install that"),
        ("theirs_broken:Good", r"fails \(ZeroDivisionError: division by zero\)", "Try it alone"),
        ("bad", "no installed package has it as entry point of questloom.filters", "good"),
    ],
)
def test_what_cannot_be_found_is_refused_with_its_place_and_a_way_out(elsewhere, named, what, fix):
    elsewhere("theirs.py", MODULE)
    elsewhere("theirs_lacking.py", "import theirs_nowhere\n")
    elsewhere("theirs_broken.py", "1 / 0\n")
    install(elsewhere)
    with pytest.raises(InputError, match=what) as refused:
        load(named)
    assert refused.value.where == f"recipe key filters.custom: {named}" and fix in refused.value.fix


def test_an_entry_point_of_two_packages_is_refused(elsewhere):
    elsewhere("theirs.py", MODULE)
    install(elsewhere)
    install(elsewhere, name="others-package")
    elsewhere(
        "others_package-1.2.dist-info/entry_points.txt", "[questloom.filters]\ngood = os:getcwd\n"
    )
    with pytest.raises(InputError, match="is an entry point of several packages") as refused:
        load("good")
    assert refused.value.fix == "Write one of os:getcwd, theirs:Good."
