"""Which stage of a run has its questions, when the run is not finished, and what a question is to whoever plays it."""

import pytest

from questloom.records.errors import InputError
from questloom.records.outcomes import Pending
from questloom.records.synthesis import Question, Seed
from questloom.transforms.episodes.run_questions import finished_stage, task_of
from questloom.transforms.stages.run_folder import RunFolder
from questloom.transforms.stages.stage import Stage, in_order
from questloom.transforms.stages.stage_shards import Outcomes, write_shard
from tests.transforms.episodes.made import question


def run_of(
    folder, *, shards: int = 2, last: type = Question, pending: bool = False, skipped: int = -1
) -> RunFolder:
    """A run of two stages; its last one keeps records of the type `last`."""
    run = RunFolder(str(folder))
    for stage in in_order(
        Stage(name="seeds", takes=Seed, gives=Seed), Stage(name="split", takes=Seed, gives=last)
    ):
        for shard in range(shards):
            if stage.name == "split" and shard == skipped:
                continue
            outcomes = Outcomes.empty()
            if pending and stage.name == "split" and shard == shards - 1:
                outcomes.take(
                    Pending(item_id="q", seed_id="s", stage="", cause="provider", message="down")
                )
            write_shard(run, stage, shard, "", outcomes)
    return run


def test_the_last_stage_of_a_whole_run_has_its_questions(tmp_path):
    assert finished_stage(run_of(tmp_path), 2) == "02-split"


@pytest.mark.parametrize(
    "flaw", [{"last": Seed}, {"pending": True}, {"skipped": 1}, {"skipped": 0}, {"shards": 0}]
)
def test_a_run_that_lacks_a_shard_waits_or_ends_before_its_questions_is_not_finished(
    tmp_path, flaw
):
    with pytest.raises(InputError, match="is not finished"):
        finished_stage(run_of(tmp_path, **flaw), 2)


def test_a_question_is_played_with_its_picture_and_where_told_its_own_is_withheld_from_search():
    own, other = (
        task_of(question(), b"p", withhold_own=True),
        task_of(question(), b"p", withhold_own=False),
    )
    assert (own.task_id, own.question, own.pictures) == (question().id, question().text, (b"p",))
    assert own.withheld_pictures == {"own"} and other.withheld_pictures == frozenset()
    assert (
        task_of(question().replace(source_image_id=""), b"p", withhold_own=True).withheld_pictures
        == frozenset()
    )
