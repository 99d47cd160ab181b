"""Counts the requests to language models for each kept question, in a run whose writer is "llm".
The script counts the requests by role, and measures their size.

    python -m benchmarks.llm_requests RUN --store STORE

The counts come from `calls.sqlite`, the run's ledger of calls. A question counts as kept if the
stage that drafts questions kept it. Questions that later stages drop are counted separately. The
script also prints why seeds (things from which questions start) gave no question. The size of a
request is the number of tokens in the writer's prompt, estimated as four characters per token. The
script prints the median and the maximum over all planned questions of the run.
"""

import argparse
import sqlite3
from collections import Counter
from pathlib import Path
from statistics import median

from questloom.files.opened import Opened
from questloom.pipeline.recipe import recipe_of
from questloom.pipeline.synth.job import Job
from questloom.prompts.render import language_name, render
from questloom.prompts.roles import ROLES
from questloom.records.outcomes import Rejection
from questloom.records.plan import PlannedSeed, Preference
from questloom.records.synthesis import Question
from questloom.transforms.stages.run_folder import RunFolder
from questloom.transforms.writing.llm.plan_words import CHARS_PER_TOKEN, request_values


def num_requests(run: Path) -> int:
    """The number of requests of the drafting stage that got an answer."""
    with sqlite3.connect(run / "calls.sqlite") as ledger:
        found = ledger.execute(
            "select count(*) from attempts where stage = 'draft' and status = 'ok'"
        )
        return found.fetchone()[0]


def sizes(job: Job, planned: list[PlannedSeed]) -> list[int]:
    """The number of tokens in each request that asks a model to put a planned question into
    words."""
    language, most = job.recipe.language, job.recipe.draft.max_words
    return [
        len(
            render(
                ROLES["word_plan"],
                language=language_name(language),
                **request_values(job.store, plan, language, most),
            ).text
        )
        // CHARS_PER_TOKEN
        for seed in planned
        for plan in seed.plans
    ]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("run", type=Path)
    parser.add_argument("--store", required=True)
    asked = parser.parse_args()
    run = RunFolder(str(asked.run))
    job = Job(run, asked.store, recipe_of(run.read_recipe()["recipe"], "the run"), Opened())

    def records(stage: str, kind: str, record: type) -> list:
        return list(run.read(run.label(stage), kind, record))

    planned = records("plan", "kept", PlannedSeed)
    kept, dropped = records("draft", "kept", Question), records("draft", "rejected", Rejection)
    ends = records("split", "kept", Question)
    requests = num_requests(asked.run)
    reasons = Counter[str]()
    for each in dropped:
        reasons.update(each.evidence.get("tried", [each.reason]))
    ordered = sum(bool(p.order) for p in records("draft", "side", Preference))
    tokens = sizes(job, planned)
    print(
        f"seeds with a plan of their own: {ordered:,}; worded and kept: {len(kept):,}; kept to the end: {len(ends):,}"
    )
    print(
        f"requests: {requests:,}; a worded question {requests / max(1, len(kept)):.2f}; a question kept to the end {requests / max(1, len(ends)):.2f}"
    )
    print(
        f"tokens of a request for words over {len(tokens):,} plans: median {median(tokens):,.0f}, most {max(tokens):,}"
    )
    print(
        "refusals of the seeds that gave none: "
        + (", ".join(f"{r} {n:,}" for r, n in reasons.most_common()) or "none")
    )


if __name__ == "__main__":
    main()
