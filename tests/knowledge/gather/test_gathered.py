"""The file of what a folder has: whole rows or none, one run at a time."""

import pytest

from questloom.knowledge.gather.gathered import (
    ENTITY,
    FETCHED,
    MERGED,
    MISSING,
    PAGE,
    Gathered,
    row,
)
from questloom.records.errors import InputError


def test_things_come_back_by_kind_and_outcome_and_failures_with_their_reason(tmp_path):
    gathered = Gathered(tmp_path)
    gathered.keep([row(ENTITY, "Q2", FETCHED, b"{}"), row(ENTITY, "Q1", MERGED, "Q2")])
    gathered.keep([row(PAGE, "Tower", MISSING, why="gone")])
    gathered.close()
    again = Gathered(tmp_path)
    assert again.outcomes(ENTITY) == {"Q1": MERGED, "Q2": FETCHED}
    assert list(again.each(ENTITY)) == [("Q2", b"{}")]
    assert list(again.each(ENTITY, MERGED)) == [("Q1", b"Q2")]
    assert again.failures() == {PAGE: [("Tower", "gone")]}
    assert again.body(ENTITY, "Q2") == b"{}" and again.body(ENTITY, "Q3") is None
    again.close()


def test_of_rows_that_are_kept_together_none_stays_where_one_fails(tmp_path):
    gathered = Gathered(tmp_path)

    def rows():
        yield row(ENTITY, "Q1", FETCHED)
        raise OSError("cut")

    with pytest.raises(OSError, match="cut"):
        gathered.keep(rows())
    assert gathered.outcomes(ENTITY) == {}
    gathered.close()


def test_two_runs_in_one_folder_are_refused(tmp_path):
    gathered = Gathered(tmp_path)
    with pytest.raises(InputError, match="another run of gather works in it"):
        Gathered(tmp_path)
    gathered.close()
    Gathered(tmp_path).close()
