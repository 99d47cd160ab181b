"""Keeps the oracle's plays of the filter `solvable` for a teacher that would play the same. The
teacher finds the finished episode in its journal. A run drops the kept plays when it ends.

A play is kept under everything that decides it: the player's settings, the question and its
picture. The teacher plays anew what is not there: a question whose picture was damaged since, or a
run in a bucket, which has no folder for journals.
"""

import shutil
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

from questloom.agent.play.journal import Journal
from questloom.agent.play_settings import PlaySettings
from questloom.agent.tool_settings import ToolSettings
from questloom.agent.tools.model_reader import ROLE as READER
from questloom.files.locations import remove_tree
from questloom.records.identity import canonical_json, sha256_hex
from questloom.records.synthesis import Question
from questloom.transforms.stages.run_folder import RunFolder

FOLDER = "solvable"


def filter_settings(recipe: Any) -> PlaySettings:
    """The settings with which the oracle plays in the filter. They do not depend on the teacher's."""
    return PlaySettings(tools=ToolSettings(tools=recipe.filters.oracle_tools))


def teacher_plays_alike(recipe: Any) -> bool:
    """Whether a recipe's teacher plays with the filter's settings and without a model that reads
    pages."""
    settings = filter_settings(recipe)
    alike = (
        getattr(recipe.teach, f.name) == getattr(settings, f.name) for f in fields(PlaySettings)
    )
    return all(alike) and READER not in recipe.models.roles


def kept_play(run: RunFolder, settings: Mapping[str, Any], question: Question) -> Path | None:
    """The folder of the journal of a question's play; None if the run lies in a bucket.

    Args:
        settings: the player's settings (`Player.settings`).
    """
    key = sha256_hex(canonical_json([dict(settings), question.image_id]))[:16]
    path = run.at(FOLDER, f"{question.id}-{key}")
    return path if isinstance(path, Path) else None


@contextmanager
def new_journal(path: Path | None, settings: Mapping[str, Any]) -> Iterator[Journal | None]:
    """An empty journal in a folder. What a killed process has left there is removed."""
    if path is None:
        yield None
        return
    shutil.rmtree(path, ignore_errors=True)
    with Journal(path, settings) as journal:
        yield journal


def drop_kept_plays(run: RunFolder) -> None:
    """Removes all kept plays of a run."""
    remove_tree(run.at(FOLDER), ignore_errors=True)
