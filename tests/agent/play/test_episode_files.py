"""Where a policy keeps what is under way."""

import tempfile

import pytest

from questloom.agent.play.episode_files import EpisodeFiles
from questloom.records.errors import InputError

BUCKET = EpisodeFiles("s3://some-bucket/run/episodes/teacher")


def test_the_journals_of_a_run_in_a_bucket_lie_in_a_private_folder_and_go_when_their_questions_are_done(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folders = [BUCKET.journal({"calls": 30}, question) for question in ("a", "b")]
    for folder in folders:
        folder.mkdir(parents=True)
    (private,) = tmp_path.iterdir()
    assert private.stat().st_mode & 0o777 == 0o700 and folders[0].is_relative_to(private)
    assert (
        EpisodeFiles("s3://some-bucket/other/episodes/teacher").journal({"calls": 30}, "a")
        not in folders
    )
    BUCKET.drop_journals(["a"])
    assert not folders[0].exists() and folders[1].exists()
    BUCKET.drop_journals(["b"])
    assert list(private.iterdir()) == []


def test_a_folder_that_somebody_else_may_write_is_not_played_from(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    private = BUCKET.journal({}, "a").parents[2]
    private.chmod(0o777)
    with pytest.raises(InputError, match="private"):
        BUCKET.journal({}, "a")
    private.rmdir()
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    private.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(InputError, match="private"):
        BUCKET.journal({}, "a")
