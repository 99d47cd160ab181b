"""A run's own questions as a benchmark: the certified questions of one split."""

import re
from collections.abc import Iterator

from questloom.eval.items import Item
from questloom.records.errors import InputError
from questloom.records.synthesis import Question
from questloom.transforms.stages.run_folder import RunFolder

BENCHMARK = "benchmark"
_ENTITY = re.compile(r"Q\d+")


def is_run(path: str) -> bool:
    """Whether a path is a run's folder; any other text is a benchmark's name."""
    return RunFolder(path).recipe.is_file()


def questions_of(run: RunFolder, split: str) -> Iterator[Question]:
    """Yields the certified questions of a split ("benchmark", "rl/validation", …), shard by shard.

    Raises:
        InputError: the run has no stage that keeps questions.
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
    """The questions of a split as items, in order of their ids.

    Args:
        run: a finished run.
        name: the benchmark's name in tables.
        split: one of the run's splits.
        withhold_own: whether searches must not return a question's own picture.

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
