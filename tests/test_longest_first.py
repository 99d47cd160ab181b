"""The longest files of tests begin first, and all of them are there."""
from types import SimpleNamespace

from tests.longest_first import FOLDER, LONGEST, pytest_collection_modifyitems


def test_every_file_that_begins_first_is_there():
    assert [name for name in LONGEST if not (FOLDER / name).is_file()] == []


def test_the_longest_begin_and_the_others_keep_their_order():
    others = ["agent/test_b.py", "agent/test_a.py"]
    items = [SimpleNamespace(path=FOLDER / name) for name in (*others, *reversed(LONGEST))]
    pytest_collection_modifyitems(items)
    assert [str(item.path.relative_to(FOLDER)) for item in items] == [*LONGEST, *others]
