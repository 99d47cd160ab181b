"""The end of a job: a stage that failed on every item fails the job, and the message has the exception."""

from questloom.pipeline.runners.stage_job import Funnel
from questloom.records.synthesis import Question
from questloom.transforms.stages.run_folder import RunFolder
from questloom.transforms.stages.stage import Stage, in_order
from questloom.transforms.stages.stage_shards import Outcomes, write_shard
from questloom.transforms.stages.stage_transform import apply_one
from tests.pipeline.evolve.asked import question

FIRST, SECOND = in_order(
    Stage(name="seeds", takes=Question, gives=Question),
    Stage(name="own", takes=Question, gives=Question),
)
QUESTIONS = [question("a"), question("b"), question("c")]


def failing(*seeds: str):
    def apply(item: Question) -> Question:
        if item.seed_id in seeds:
            raise AttributeError("no attribute 'topics'")
        return item

    return apply


def funnel(folder, apply) -> Funnel:
    run = RunFolder(str(folder))
    for stage, function in ((FIRST, failing()), (SECOND, apply)):
        outcomes = Outcomes.empty()
        for item in QUESTIONS:
            outcomes.take(apply_one(function, item, ()))
        write_shard(run, stage, 0, "", outcomes)
    return Funnel.of(run, (FIRST, SECOND))


def test_a_stage_that_failed_on_every_item_fails_the_job_whatever_share_of_errors_is_allowed(
    tmp_path,
):
    made = funnel(tmp_path, failing("a", "b", "c"))
    code, message = made.verdict(max_error_share=1, num_items=100)
    assert code == 1
    assert message.startswith("own failed on every item that came to it (3), the first: Attribute")
    assert "no attribute 'topics'" in message and "tracebacks" in message


def test_a_stage_that_failed_on_some_items_is_judged_by_the_share(tmp_path):
    made = funnel(tmp_path, failing("a", "b"))
    assert made.verdict(max_error_share=1, num_items=3) == (0, "")
    assert made.verdict(max_error_share=0.1, num_items=3)[0] == 1
