"""Uses the questions of a run as a benchmark: the certified questions of one split."""

import re
from collections.abc import Iterator

from questloom.eval.items import Item
from questloom.records.errors import InputError
from questloom.records.synthesis import Question
from questloom.transforms.stages.run_folder import RunFolder

BENCHMARK = "benchmark"
_ENTITY = re.compile(r"Q\d+")


def is_run(path: str) -> bool:
    """Whether a text is the path of a run's folder; if not, it is the name of a benchmark."""
    return RunFolder(path).recipe.is_file()


def questions_of(run: RunFolder, split: str) -> Iterator[Question]:
    """Yields the certified questions of a split ("benchmark", "rl/validation", …), one output file
    after the other.

    Raises:
        InputError: no stage of the run has kept questions.
    """
    labels = run.labels()
    if not labels:
        raise InputError(
            run.path, "has no stage yet", "Run the same `questloom synth` command again."
        )
    for question in run.read(labels[-1], "kept", Question):
        if (
            question.split == split
            and question.certificate is not None
            and question.certificate.passed
        ):
            yield question


def run_items(run: RunFolder, name: str, split: str, *, withhold_own: bool) -> list[Item]:
    """The questions of a split as benchmark items, in the order of their ids.

    Args:
        run: the folder of a finished run.
        name: name of the benchmark in tables.
        split: name of one of the run's splits.
        withhold_own: whether searches must leave out a question's own picture.

    Raises:
        InputError: the split has no certified question.
    """
    found = sorted(questions_of(run, split), key=lambda q: q.id)
    if not found:
        raise InputError(
            f"{run.path}, split {split}",
            "holds no certified question",
            "Set questions aside in the recipe (export.benchmark_share, or seeds.levels with benchmark), or name another split with --split."
            if split == BENCHMARK
            else "Name another split with --split.",
        )
    return [
        Item(
            benchmark=name,
            row=q.id,
            question=q.text,
            answer=q.answer,
            language=q.language,
            category=q.level,
            pictures=(q.image_id,),
            entities=tuple(
                sorted({v for v in q.bindings.values() if _ENTITY.fullmatch(v)} | {q.anchor} - {""})
            ),
            question_id=q.id,
            withheld=q.source_image_id if withhold_own else "",
        )
        for q in found
    ]
