"""Stated numbers of members beside the entity dumps: what is read, and what is refused."""

import pytest

from questloom.pipeline.ingest.store_job import IngestOptions, _class_counts
from questloom.records.errors import InputError


def options(*folders) -> IngestOptions:
    return IngestOptions(
        store="store", entities=tuple(str(folder / "entities.json.bz2") for folder in folders)
    )


def test_counts_beside_the_dumps_are_read_and_the_largest_holds(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    assert _class_counts(options(tmp_path / "a")) == {}
    (tmp_path / "a" / "class-counts.json").write_text('{"Q5": 7, "Q515": 2}')
    (tmp_path / "b" / "class-counts.json").write_text('{"Q5": 9}')
    assert _class_counts(options(tmp_path / "a", tmp_path / "b")) == {"Q5": 9, "Q515": 2}


@pytest.mark.parametrize("text", ['{"Q5": 0}', '{"Q5": "7"}', "[7]", "{"])
def test_what_is_no_number_of_members_is_refused(tmp_path, text):
    (tmp_path / "class-counts.json").write_text(text)
    with pytest.raises(InputError):
        _class_counts(options(tmp_path))
