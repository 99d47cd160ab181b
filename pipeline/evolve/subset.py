"""Makes a run from some of a run's questions. The loop uses the new run in three ways: it plays the
run, gives it to the teacher, and trains on it. The new run has a single stage. The new run also has
the pictures of its questions."""

import json
from collections.abc import Collection

from questloom.files.parquet import read_records, write_records, write_whole
from questloom.records.outcomes import Rejection
from questloom.records.synthesis import Question
from questloom.transforms.stages.run_folder import RunFolder
from questloom.transforms.stages.stage_shards import shard_facts

LABEL, SUBSET = "01-split", "subset.json"


def questions_of(run: RunFolder) -> list[Question]:
    """The questions of a finished run, shard by shard."""
    return list(run.read(run.labels()[-1], "kept", Question))


def write_subset(source: RunFolder, target: RunFolder, ids: Collection[str]) -> None:
    """Writes a run that consists of the questions with these ids. If the function is called again,
    the written bytes are the same.

    The questions that were not chosen were not rejected either, so the new run has no rejections.
    `subset.json` lists the chosen questions and the total number.
    """
    facts = source.read_recipe()
    last, wanted, total = source.labels()[-1], frozenset(ids), 0
    for path in source.shards(last, "kept"):
        shard = int(path.stem.split("-")[1])
        found = list(read_records(path, Question))
        kept = [q for q in found if q.id in wanted]
        for question in kept:
            shown = target.picture(question.image_id)
            if not shown.exists():
                write_whole(shown, source.read_picture(question.image_id))
        total += len(found)
        write_records(target.shard(LABEL, "rejected", shard), Rejection, [])
        write_records(
            target.shard(LABEL, "kept", shard),
            Question,
            kept,
            **shard_facts(facts["fingerprint"], "", (len(kept), len(kept), 0, 0, len(kept))),
        )
    chosen = {"of": total, "questions": sorted(wanted)}
    write_whole(target.at(SUBSET), json.dumps(chosen, indent=1).encode())
    write_whole(target.recipe, source.recipe.read_bytes())
