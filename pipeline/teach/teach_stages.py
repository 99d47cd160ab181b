"""Lists the stages that play a run's questions, in order, and makes the function that each stage
runs. To add a stage, change only this module."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import apache_beam as beam

from questloom.agent.judges.answer import ROLE as ANSWER_ROLE
from questloom.agent.judges.answer import AnswerJudge
from questloom.agent.judges.process import ROLE as PROCESS_ROLE
from questloom.agent.judges.process import ProcessJudge
from questloom.agent.setup import open_player
from questloom.files.parquet import read_records, write_records
from questloom.knowledge.licences import may_be_given_on
from questloom.knowledge.store.store import Store
from questloom.pipeline.teach.play_job import PlayJob
from questloom.records.outcomes import Pending, Rejection
from questloom.records.synthesis import Question
from questloom.records.table import Record
from questloom.records.trajectories import EpisodeTimes, TaskResult, Trajectory
from questloom.transforms.episodes.episode_folder import ANSWER, KEEP, PLAY, PROCESS, SOLVED, TASKS
from questloom.transforms.episodes.judging import check_process, judge_answer
from questloom.transforms.episodes.kept_play import kept_play, teacher_plays_alike
from questloom.transforms.episodes.playing import Play
from questloom.transforms.episodes.selection import Chosen, Tally, choose, keep, solved, tally
from questloom.transforms.stages.stage import Apply, Side, Stage, in_order


def teach_stages(job: PlayJob) -> tuple[Stage, ...]:
    """The stages of a job that plays questions. `WriteTasks` writes the first stage. The last stage
    reads the tasks again, to record how each task ended."""
    rules, window = job.recipe.teach, job.recipe.run.in_flight
    played, judged = job.play_fingerprint, job.judge_fingerprint
    at_once = max(1, rules.episodes_at_once // rules.rollouts)
    return in_order(
        Stage(name=TASKS, takes=Question, gives=Question, fingerprint=played),
        Stage(
            name=PLAY,
            takes=Question,
            gives=Trajectory,
            make=make_play,
            fingerprint=played,
            in_flight=at_once,
        ),
        Stage(
            name=ANSWER,
            takes=Trajectory,
            gives=Trajectory,
            make=make_answer,
            fingerprint=judged,
            in_flight=window,
        ),
        Stage(
            name=PROCESS,
            takes=Trajectory,
            gives=Trajectory,
            make=make_process,
            fingerprint=judged,
            in_flight=window,
        ),
        Stage(
            name=KEEP,
            takes=Trajectory,
            gives=Trajectory,
            make=make_keep,
            fingerprint=judged,
            side=Side(record=Chosen, gather=gather_ranks),
        ),
        Stage(
            name=SOLVED,
            takes=Question,
            gives=TaskResult,
            make=make_solved,
            fingerprint=judged,
            source=TASKS,
            side=Side(record=Tally, gather=gather_tallies),
        ),
    )


def make_play(job: PlayJob) -> Apply:
    """Makes the function with which a worker process plays the questions."""
    made = open_player(job.recipe.teach, job.place)
    player, files = made.player, job.out.files
    files.write_prompt(
        made.toolbox.schemas(),
        max_calls=player.limits.calls,
        handles=job.recipe.teach.tools.handles,
        brief=job.recipe.teach.tools.brief,
        special_tokens=made.special_tokens,
    )

    def picture(question: Question) -> bytes:
        return job.run.read_picture(question.image_id)

    takes_up = teacher_plays_alike(job.recipe)

    def journal(question: Question) -> Path:
        kept = kept_play(job.run, player.settings, question) if takes_up else None
        return kept if kept and kept.is_dir() else files.journal(player.settings, question.id)

    def note(question: Question, times: Sequence[EpisodeTimes]) -> None:
        job.out.note_times(question.seed_id, job.recipe.run.shards, question.id, times)

    return Play(
        player=player,
        rollouts=job.recipe.teach.rollouts,
        picture=picture,
        journal=journal,
        keep=files.keep_picture,
        note=note,
        source=_source_finder(job),
        withhold_own=job.recipe.pictures.withhold_own,
        begin=made.begin,
    ).__call__


def _source_finder(job: PlayJob) -> Callable[[str, str], str]:
    """Returns a function that finds, for a picture from a tool, the same picture in the store: it
    has equal bytes, or comes from the same source page.
    """
    if job.recipe.teach.live is not None:
        return lambda sha256, url: ""
    store = job.store

    def find(sha256: str, url: str) -> str:
        return (
            sha256
            if store.image(sha256) is not None
            else job.opened.once(("source pages", job.store_path), lambda: source_pages(store)).get(
                url, ""
            )
        )

    return find


def source_pages(store: Store) -> Mapping[str, str]:
    """For each source page of pictures in the store, the id of its picture. If several pictures
    come from the same page, the lowest id is taken."""
    found: dict[str, str] = {}
    for image in store.scan_images():
        if image.source_page and image.id < found.get(image.source_page, "~"):
            found[image.source_page] = image.id
    return found


def make_answer(job: PlayJob) -> Apply:
    """Makes the judge of answers. The judge applies rules first. If a model for `judge_answer` is
    configured, the judge then asks this model."""
    judge = AnswerJudge(
        client=job.client(ANSWER) if job.recipe.models.judged_by_model(ANSWER_ROLE) else None
    )

    async def check(trajectory: Trajectory) -> Any:
        return await judge_answer(trajectory, judge)

    return check


def make_process(job: PlayJob) -> Apply:
    """Makes the judge of processes, which checks how an episode reached its answer. The judge of
    the process applies rules first. If a model for `judge_process` is configured, the judge then
    asks this model."""
    rules = job.recipe.teach
    judge = ProcessJudge(
        client=job.client(PROCESS) if job.recipe.models.judged_by_model(PROCESS_ROLE) else None,
        least=rules.least_process_score,
        max_unfounded=rules.max_unfounded,
        max_slips=rules.max_slips,
    )

    async def check(trajectory: Trajectory) -> Any:
        return await check_process(trajectory, judge)

    return check


def licences(job: PlayJob) -> Callable[[str], bool]:
    """Returns a function that says whether a picture of the store may be redistributed. The
    recipe's list of licences decides which pictures may be redistributed."""
    store, families = job.store, job.recipe.pictures.licences

    def licensed(image_id: str) -> bool:
        image = store.image(image_id)
        return image is not None and may_be_given_on(image, families)

    return licensed


def make_keep(job: PlayJob) -> Apply:
    """Makes the function that selects the final trajectories. The selection drops repeats and
    pictures with wrong licences, and limits the number of trajectories for each task."""
    most, licensed = job.recipe.teach.keep, licences(job)
    return lambda trajectory, chosen: keep(trajectory, chosen, most, licensed)


def make_solved(job: PlayJob) -> Apply:
    """Makes the function that records how each task ended."""
    return solved


class WriteBeside(beam.DoFn):
    """Takes the number of each shard and returns it when the shard is done. Some stages have a
    second input, which is computed from files of the same shard. This transform computes the second
    input of a stage and writes it."""

    def __init__(
        self,
        job: PlayJob,
        label: str,
        kind: type[Record],
        make: Callable[[PlayJob, int], Sequence[Record]],
    ) -> None:
        self.job, self.label, self.kind, self.make = job, label, kind, make

    def process(self, shard: int) -> Iterator[int]:
        write_records(
            self.job.out.shard(self.label, "side", shard), self.kind, self.make(self.job, shard)
        )
        yield shard


def gather_ranks(
    shards: beam.PCollection, job: PlayJob, source: str, label: str
) -> beam.PCollection:
    """Ranks the good trajectories of each task against each other."""
    return shards | "rank" >> beam.ParDo(WriteBeside(job, label, Chosen, rank))


def gather_tallies(
    shards: beam.PCollection, job: PlayJob, source: str, label: str
) -> beam.PCollection:
    """Counts how the rollouts of each task ended."""
    return shards | "tally" >> beam.ParDo(WriteBeside(job, label, Tally, count_rollouts))


def rank(job: PlayJob, shard: int) -> Sequence[Chosen]:
    """For each good trajectory of a shard, its rank among the trajectories of the same task."""
    return choose(_read(job, PROCESS, "kept", shard, Trajectory), job.recipe.seed, licences(job))


def count_rollouts(job: PlayJob, shard: int) -> Sequence[Tally]:
    """For each task of a shard, how many rollouts had each outcome."""
    stages = (PLAY, ANSWER, PROCESS, KEEP)
    return tally(
        (q.id for q in _read(job, TASKS, "kept", shard, Question)),
        _read(job, PLAY, "kept", shard, Trajectory),
        [t.id for t in _read(job, ANSWER, "kept", shard, Trajectory)],
        [t.id for t in _read(job, KEEP, "kept", shard, Trajectory)],
        [r for name in stages for r in _read(job, name, "rejected", shard, Rejection)],
        [p for name in stages for p in _read(job, name, "pending", shard, Pending)],
    )


def _read(job: PlayJob, stage: str, kind: str, shard: int, record: type[Record]) -> Iterator[Any]:
    path = job.out.shard(job.out.label(stage), kind, shard)
    return read_records(path, record) if path.is_file() else iter(())
