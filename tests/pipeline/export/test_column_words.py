"""The words for the columns and the columns themselves are held together."""

from datasets import Features

from questloom.pipeline.export.column_words import COLUMNS
from questloom.pipeline.export.columns import ATTRIBUTION, REJECTED, TASK, task_features
from questloom.pipeline.export.sft_rows import SFT


def test_every_column_has_its_words_and_no_words_are_left_over():
    made = {
        "tasks, rl, benchmark": TASK,
        "sft": SFT,
        "rejected": REJECTED,
        "attribution": ATTRIBUTION,
    }
    assert {name: list(words) for name, words in COLUMNS.items()} == {
        name: list(features) for name, features in made.items()
    }


def test_columns_that_the_recipe_leaves_empty_are_not_there():
    least, most = (task_features(enhanced=x, outside=x, taught=x) for x in (False, True))
    assert most == TASK and isinstance(least, Features)
    assert set(most) - set(least) == {
        "original_image",
        "original_image_sha256",
        "enhancement",
        "provenance",
        "teacher_rollouts",
        "teacher_correct",
    }


def test_the_card_explains_the_columns_that_the_files_have(exported, taught):
    for folder, has_teacher in ((exported, False), (taught / "dataset", True)):
        card = (folder / "README.md").read_text()
        assert "| `effective_hops` | claims that remain" in card and "| `provenance` |" not in card
        assert ("| `teacher_correct` |" in card) is has_teacher and (
            "| `calls_by_tool` |" in card
        ) is has_teacher
