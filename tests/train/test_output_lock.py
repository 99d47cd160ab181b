"""What a run is stands in its folder once its inputs are checked; and ranks end together, each for the reason that weighs most."""

from typing import Any

import pytest

from questloom.records.errors import InputError, QuestloomError
from questloom.train.run.output_lock import (
    UNLOCKED,
    check_output,
    lock_output,
    remove_unlocked,
    together,
)
from questloom.train.run.stopping import STOPPED, Stopped
from tests.train.ranks import among


def failing(error: Exception) -> Any:
    def fail() -> None:
        raise error

    return fail


def test_what_any_rank_refuses_ends_all_and_the_one_that_met_it_tells_it():
    assert together(among(0, 0), lambda: 5) == 5
    for code in (1, 2):
        with pytest.raises(SystemExit) as ended:
            together(among(0, code), lambda: 5)
        assert ended.value.code == code
    with pytest.raises(InputError, match="mine"):
        together(among(0, 1), failing(InputError("mine", "is wrong", "mend it")))


def test_where_one_rank_was_asked_to_stop_all_stop_to_write_a_checkpoint_together_unless_something_worse_happened():
    with pytest.raises(Stopped):
        together(among(0, STOPPED), lambda: 5)
    with pytest.raises(Stopped, match="this one"):
        together(among(0), failing(Stopped("this one")))
    for do in (lambda: 5, failing(Stopped("this one"))):
        with pytest.raises(SystemExit) as ended:
            together(among(STOPPED, 1), do)
        assert ended.value.code == 1
    with pytest.raises(QuestloomError, match="broken"):
        together(among(STOPPED), failing(QuestloomError("broken")))


def test_a_folder_is_claimed_once_and_looked_at_without_a_trace(tmp_path):
    out = tmp_path / "out"
    check_output(out, {"lr": 1})
    assert not out.exists()
    lock_output(out, {"lr": 1}, {"lr": 1, "log": 2})
    check_output(out, {"lr": 1})
    with pytest.raises(InputError, match="holds another run: lr was 1 and is 2"):
        check_output(out, {"lr": 2})
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / UNLOCKED).mkdir()
    check_output(tmp_path / "full", {})
    (tmp_path / "full" / "notes").write_text("")
    with pytest.raises(InputError, match="is not empty, and no run"):
        check_output(tmp_path / "full", {})


def test_what_did_not_come_about_is_taken_away_and_nothing_else(tmp_path):
    (tmp_path / "out" / UNLOCKED).mkdir(parents=True)
    (tmp_path / "out" / UNLOCKED / "documents.arrow").write_text("")
    (tmp_path / "out" / "mine").write_text("")
    remove_unlocked(tmp_path / "out", True)
    assert [path.name for path in (tmp_path / "out").iterdir()] == ["mine"]
    (tmp_path / "out" / "mine").unlink()
    remove_unlocked(tmp_path / "out", False)
    assert (tmp_path / "out").exists()
    remove_unlocked(tmp_path / "out", True)
    assert not (tmp_path / "out").exists()
