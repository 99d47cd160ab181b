"""The end of the teacher's job: the run's data set and report, built again with what is new."""
import json
from typing import Any

from pipeline.export.dataset import export_dataset
from pipeline.recipe import recipe_of
from pipeline.report import build_report
from pipeline.resources import Job, absolute
from pipeline.teach import TeachSummary, run_facts
from records.identity import canonical_json
from records.parquet import write_whole
from records.places import place


def finish_teach(run: str, *, store: str, summary: TeachSummary) -> dict[str, str]:
    """Builds data set and report; gives their places. While something waits, the data set stays as it was."""
    folder = absolute(run)
    made = {"dataset": "", "report": ""}
    if not summary.pending_causes:
        made["dataset"] = export_dataset(Job(run=folder, store=absolute(store), recipe=recipe_of(run_facts(folder)["recipe"], f"{run}/recipe.json"))).path
    _note(folder, summary)
    made["report"] = str(build_report(place(folder)))
    return made


def _note(run: str, summary: TeachSummary) -> None:
    """Notes the teacher's calls in `run.json`, for the report's sum of what the run cost."""
    path = place(run, "run.json")
    if path.is_file():
        facts: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        write_whole(path, (canonical_json({**facts, "teach_cost": summary.cost}) + "\n").encode())
