"""The end of playing: the run's data set and report, built again with what is new."""

from questloom.files.opened import Opened
from questloom.pipeline.export.dataset import export_dataset
from questloom.pipeline.export.episode_ledger import write_episode_ledger
from questloom.pipeline.recipe import recipe_of
from questloom.pipeline.report import build_report
from questloom.pipeline.synth.job import Job
from questloom.pipeline.teach.teach_job import TeachSummary
from questloom.transforms.episodes.episode_folder import EpisodeFolder
from questloom.transforms.stages.run_folder import RunFolder, absolute


def finish_teach(run: str, *, store: str, summary: TeachSummary, opened: Opened) -> dict[str, str]:
    """Builds data set and report; gives their places. Another policy than the teacher changes no data set, and while something waits it stays as it
    was."""
    made = {"dataset": "", "report": ""}
    job = Job.at(
        recipe_of(RunFolder(absolute(run)).read_recipe()["recipe"], f"{run}/recipe.json"),
        run=run,
        store=store,
        opened=opened,
    )
    out = EpisodeFolder(summary.out)
    if out == EpisodeFolder.of(job.run):
        if not summary.funnel.pending_causes:
            made["dataset"] = export_dataset(job).path
    else:
        write_episode_ledger(job.run, out, job.store, job.recipe.run.shards)
    made["report"] = str(build_report(job.run.at()))
    return made
