"""A run's files by the names of its stages."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from questloom.files.locations import Location
from questloom.transforms.episodes.episode_folder import EpisodeFolder
from questloom.transforms.stages.run_folder import RunFolder, name_of


def folder(run: str | Path | RunFolder) -> RunFolder:
    """A run's folder."""
    return run if isinstance(run, RunFolder) else RunFolder(str(run))


def taught(run: str | Path) -> EpisodeFolder:
    """The folder of a run's teacher."""
    return EpisodeFolder.of(folder(run))


def stage_names(run: str | Path | RunFolder) -> list[str]:
    """The stages that stand, in order."""
    return [name_of(label) for label in folder(run).labels()]


def shard_path(run: str | Path | RunFolder, stage: str, kind: str, shard: int) -> Location:
    """One file of a stage that stands."""
    return folder(run).shard(folder(run).label(stage), kind, shard)


def read_stage(
    run: str | Path | RunFolder, stage: str, kind: str, record: type[Any]
) -> Iterator[Any]:
    """All records of one kind of a stage."""
    return folder(run).read(folder(run).label(stage), kind, record)


def counts(run: str | Path | RunFolder, stage: str) -> list[Any]:
    """The counts of a stage's shards."""
    return folder(run).counts(folder(run).label(stage))
