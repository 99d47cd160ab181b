"""Reads the questions of a finished run, and makes each question a task. The teacher or a policy in
training plays the task."""

from questloom.agent.play.player import Task
from questloom.files.parquet import read_metadata
from questloom.records.errors import InputError
from questloom.records.synthesis import Question
from questloom.transforms.stages.run_folder import RunFolder


def finished_stage(run: RunFolder, num_shards: int) -> str:
    """The folder of a run's last stage, which holds the run's questions.

    Raises:
        InputError: the run is not finished.
    """
    labels = run.labels()
    for shard in range(num_shards):
        last = read_metadata(run.shard(labels[-1], "kept", shard)) if labels else None
        if (
            last is None
            or last.get("record") != Question.__name__
            or last.get("num_pending") != "0"
        ):
            raise InputError(
                run.path, "is not finished", "Run the same `questloom synth` command again."
            )
    return labels[-1]


def task_of(question: Question, picture: bytes, *, withhold_own: bool) -> Task:
    """The task that a policy plays for a question.

    Args:
        picture: the question's picture as the policy sees it.
        withhold_own: whether picture search withholds the question's own picture (see
            `PictureRules`).
    """
    withheld = frozenset({question.source_image_id} - {""}) if withhold_own else frozenset()
    return Task(
        task_id=question.id, question=question.text, pictures=(picture,), withheld_pictures=withheld
    )
