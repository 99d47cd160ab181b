"""What is said of a job while it runs: from files alone, in words, each shard read once, and nothing of it read in a bucket."""

import pytest

from questloom.pipeline.recipe import load_recipe
from questloom.pipeline.runners import stage_progress
from questloom.pipeline.runners.stage_progress import StageProgress
from questloom.pipeline.runners.stage_words import DOING
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.synth_stages import synth_stages
from questloom.pipeline.teach.play_job import PlayJob
from questloom.pipeline.teach.teach_stages import teach_stages
from questloom.records.outcomes import Pending, PendingCause, Reason
from questloom.records.synthesis import Question, Seed
from questloom.transforms.episodes.episode_folder import EpisodeFolder
from questloom.transforms.stages.run_folder import RunFolder
from questloom.transforms.stages.stage import Stage, in_order, reject
from questloom.transforms.stages.stage_shards import Outcomes, write_shard
from tests.transforms.episodes.made import question

SEEDS, DRAFT, CERTIFY = STAGES = in_order(
    Stage(name="seeds", takes=Seed, gives=Seed),
    Stage(name="draft", takes=Seed, gives=Question),
    Stage(name="certify", takes=Question, gives=Question),
)


def seeds(shard: int, number: int = 4) -> list[Seed]:
    return [
        Seed(entity_id=f"Q{shard}{i}", method="paths", rule="rare", level="easy", domain="places")
        for i in range(number)
    ]


def write(run: RunFolder, stage: Stage, shard: int, *outcomes) -> None:
    made = Outcomes.empty()
    for outcome in outcomes:
        made.take(outcome)
    write_shard(run, stage, shard, "", made)


@pytest.fixture
def run(tmp_path) -> RunFolder:
    """Both shards of the seeds, and one of the drafts: three questions and one refusal."""
    run = RunFolder(str(tmp_path))
    for shard in (0, 1):
        write(run, SEEDS, shard, *seeds(shard))
    write(run, DRAFT, 0, *map(question, range(3)), reject(seeds(0)[3], Reason.NO_PATH))
    return run


def test_the_words_name_the_step_under_way_with_what_is_done_and_made(run):
    assert StageProgress(run, STAGES, 2).look() == (
        3,
        "writing questions, 4 of 8 seeds done, 3 questions so far",
    )


def test_a_job_that_has_not_begun_tells_the_parts_of_its_first_step(tmp_path):
    assert StageProgress(RunFolder(str(tmp_path)), STAGES, 2).look() == (
        0,
        "choosing what to ask about, 0 of 2 parts done",
    )


def test_a_time_is_told_only_from_the_pace_of_this_step_as_it_was_watched(run):
    progress = StageProgress(run, STAGES, 2)
    assert "left" not in progress.look()[1], "what stood before says nothing of the pace"
    progress._stood, progress._since = 0, progress._since - 60
    assert progress.look()[1].endswith("about 60 s left for this step")


def test_a_finished_stage_is_told_once_with_the_reasons_in_sentences(run):
    progress = StageProgress(run, STAGES, 2)
    progress.look()
    assert progress.news() == ["8 seeds chosen"]
    write(
        run,
        DRAFT,
        1,
        question(7),
        *(reject(s, Reason.NO_PATH) for s in seeds(1, 2)),
        reject(seeds(1)[2], Reason.NOT_UNIQUE),
    )
    progress.look()
    why = (
        "no path of the wanted length leads away from the entity (3); more than one answer fits (1)"
    )
    assert progress.news() == [f"4 questions from 8 seeds; 4 dropped: {why}"]
    assert progress.news() == []


def test_a_filter_that_dropped_nothing_is_not_worth_a_line(run):
    progress = StageProgress(run, STAGES, 2)
    write(run, DRAFT, 1, question(7))
    write(run, CERTIFY, 0, *map(question, range(3)))
    write(run, CERTIFY, 1, question(7))
    progress.look()
    assert all("proving" not in line for line in progress.news())


def test_a_shard_of_which_something_waits_is_not_done_until_it_was_done_again(run):
    progress = StageProgress(run, STAGES, 2)
    waiting = Pending(item_id="s", seed_id="s", stage="", cause=PendingCause.PROVIDER.value)
    write(run, DRAFT, 1, question(7), waiting)
    assert progress.look()[0] == 3
    write(run, DRAFT, 1, question(7), question(8))
    assert progress.look()[0] == 4


def test_each_shard_is_read_once(run, monkeypatch):
    progress = StageProgress(run, STAGES, 2)
    before = progress.look()
    monkeypatch.setattr(stage_progress, "read_metadata", None)
    assert progress.look() == before


def test_in_a_bucket_parts_are_told_and_no_file_is_read(run, monkeypatch):
    monkeypatch.setattr(stage_progress, "is_remote", lambda path: True)
    monkeypatch.setattr(stage_progress, "read_metadata", None)
    progress = StageProgress(run, STAGES, 2)
    assert progress.look() == (3, "writing questions, 1 of 2 parts done") and progress.news() == []


def test_every_stage_of_the_jobs_has_words_and_no_other():
    run, recipe = RunFolder("run"), load_recipe("demo")
    play = PlayJob(
        run=run, store_path="store", recipe=recipe, out=EpisodeFolder.of(run), questions=""
    )
    only_elsewhere = {"items", "mark", "text_facts"}  # evaluations; a recipe that reads pages
    assert {
        stage.name for stage in (*synth_stages(Job(run, "store", recipe)), *teach_stages(play))
    } | only_elsewhere == set(DOING)
