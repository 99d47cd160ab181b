"""After a policy has played a run's questions, builds the run's data set and report again, with the
new episodes."""

from dataclasses import dataclass
from typing import Any

from questloom.files.opened import Opened
from questloom.pipeline.export.dataset import export_dataset
from questloom.pipeline.export.episode_ledger import write_episode_ledger
from questloom.pipeline.recipe import recipe_of
from questloom.pipeline.report import build_report
from questloom.pipeline.synth.job import Job
from questloom.pipeline.teach.teach_job import TeachSummary
from questloom.transforms.episodes.episode_folder import TEACHER, EpisodeFolder
from questloom.transforms.stages.run_folder import RunFolder, absolute


@dataclass(frozen=True)
class TeachOutcome:
    """The result of playing, and the files that were built from the episodes."""

    summary: TeachSummary
    dataset: str
    """The data set's folder; "" if the data set was not built again."""
    report: str
    """The path of the report's first page."""
    note: str = ""
    """Text that says how to read the episodes of a policy that the report does not show."""

    @property
    def exit_code(self) -> int:
        """The exit code: 0 for success, 1 for a failure, 3 if the budget is used up.
        `summary.message` explains the exit code."""
        return self.summary.exit_code

    def as_json(self) -> dict[str, Any]:
        """The outcome as JSON, for programs."""
        return {**self.summary.as_json(), "dataset": self.dataset, "report": self.report}

    def as_text(self) -> str:
        """The outcome as text, for people."""
        places = {"dataset": self.dataset, "report": self.report}
        lines = [f"{name:<10}{path}" for name, path in places.items() if path]
        return "\n".join([self.summary.as_text(), *lines, *([self.note] if self.note else [])])


def finish_teach(run: str, *, store: str, summary: TeachSummary, opened: Opened) -> TeachOutcome:
    """Builds the data set and the report again. The data set changes only if the policy is
    `teacher` and no episode waits for a service or for budget."""
    dataset = note = ""
    job = Job.at(
        recipe_of(RunFolder(absolute(run)).read_recipe()["recipe"], f"{run}/recipe.json"),
        run=run,
        store=store,
        opened=opened,
    )
    out = EpisodeFolder(summary.out)
    if out == EpisodeFolder.of(job.run):
        if not summary.funnel.pending_causes:
            dataset = export_dataset(job).path
    else:
        write_episode_ledger(job.run, out, job.store, job.recipe.run.shards)
        name = out.at().name
        note = f"The report shows only the policy `{TEACHER}`; read these episodes with questloom.load_run({run!r}).episodes({name!r})."
    return TeachOutcome(summary, dataset, str(build_report(job.run.at())), note)
