"""Embedding as a job of its own: the same vectors as in one process, and after a kill what stood is not computed again."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from questloom.knowledge.store import vectors
from questloom.knowledge.store.layout import VECTORS
from questloom.knowledge.store.vectors import (
    PARTS,
    finished_parts,
    gather_parts,
    have_vectors,
    load_vectors,
    num_parts,
    write_part,
)
from questloom.models.clip import Clip
from questloom.pipeline.ingest import store_vectors as embed
from questloom.pipeline.ingest.store_vectors import embed_store
from questloom.pipeline.runners.runner_kind import RunnerKind
from questloom.pipeline.runners.runner_options import RunnerOptions
from tests.transforms.pictures.drawn_store import drawn_store


@pytest.fixture(scope="module")
def drawn(tmp_path_factory) -> Path:
    """A store with the vectors that one process computed in one part."""
    return Path(drawn_store(tmp_path_factory.mktemp("embed") / "store", Clip.load("small")).path)


@pytest.fixture
def store(drawn, tmp_path, monkeypatch) -> str:
    """The same without vectors; parts are so small from now on that a job is worth it."""
    shutil.copytree(drawn, tmp_path / "store", ignore=shutil.ignore_patterns(VECTORS))
    monkeypatch.setattr(vectors, "PART", 20)
    monkeypatch.setattr(embed, "FEW", 0)
    return str(tmp_path / "store")


def same(one: str | Path, other: str | Path) -> bool:
    (ids, rows, model), (other_ids, other_rows, other_model) = (
        load_vectors(str(one)),
        load_vectors(str(other)),
    )
    return ids == other_ids and model == other_model and np.array_equal(rows, other_rows)


def test_a_job_gives_the_vectors_that_one_process_gives_and_leaves_no_parts(store, drawn):
    assert num_parts(store) > 3
    clip = embed_store(store, "small")
    assert have_vectors(store, clip.name) and same(store, drawn)
    assert not (Path(store) / PARTS).exists()


def test_a_part_that_stands_is_not_computed_again(store, drawn, monkeypatch):
    clip = Clip.load("small")
    write_part(store, clip.embed_pictures, clip.name, 1)
    computed = []
    monkeypatch.setattr(
        Clip,
        "embed_pictures",
        lambda self, files, real=Clip.embed_pictures: (
            computed.append(len(files)) or real(self, files)
        ),
    )
    embed_store(store, "small")
    assert sum(computed) == len(load_vectors(store)[0]) - 20 and same(store, drawn)


def test_parts_of_another_model_are_not_taken_for_ours(store, drawn):
    write_part(store, lambda files: np.ones((len(files), 4)) / 2, "another", 0)
    assert finished_parts(store, "another") == 1
    embed_store(store, "small")
    assert same(store, drawn)


def test_who_gathers_second_finds_the_work_done(store, drawn):
    clip = embed_store(store, "small")
    gather_parts(store, clip.name)
    assert same(store, drawn)


def test_parts_that_are_missing_are_an_error(store):
    with pytest.raises(FileNotFoundError):
        gather_parts(store, "small")


def test_a_template_cannot_embed_so_this_process_does(store, drawn):
    embed_store(
        store,
        "small",
        runner=RunnerOptions(kind=RunnerKind.DATAFLOW, beam_args=("--template_location=gs://b/t",)),
    )
    assert same(store, drawn)


def test_only_with_a_gpu_do_the_workers_ask_for_one(store):
    import apache_beam as beam

    from questloom.transforms.pictures.embed_pictures import EmbedPictures

    def hints(given: dict[str, str]) -> set[str]:
        pipeline = beam.Pipeline()
        pipeline | EmbedPictures(store, "small", given)
        return {
            urn
            for environment in pipeline.to_runner_api().components.environments.values()
            for urn in environment.resource_hints
        }

    assert not any("accelerator" in urn for urn in hints({}))
    assert any("accelerator" in urn for urn in hints({"accelerator": "type:nvidia-l4;count:1"}))
