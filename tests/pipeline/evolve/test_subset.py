"""A run of some of a run's questions: they, their pictures and what was left out, as files that any run has."""

import json

from questloom.pipeline.evolve.subset import LABEL, questions_of, write_subset
from questloom.records.outcomes import Rejection
from questloom.transforms.stages.run_folder import RunFolder
from tests.agent import tiny
from tests.pipeline.evolve.made import recipe
from tests.pipeline.evolve.made_run import a_run, asked


def test_a_subset_is_a_finished_run_of_the_chosen_questions_with_their_pictures_in_the_same_shards(
    tmp_path,
):
    source, target = RunFolder(str(tmp_path / "a")), RunFolder(str(tmp_path / "b"))
    a_run(source, recipe(), [asked(1), asked(2)], [asked(3)], [])
    write_subset(source, target, {asked(1).id, asked(3).id})
    assert questions_of(target) == [asked(1), asked(3)] and target.labels() == [LABEL]
    assert [target.read_picture(asked(n).image_id) for n in (1, 3)] == [
        tiny.picture(1),
        tiny.picture(3),
    ]
    assert not target.picture(asked(2).image_id).exists()
    assert target.read_recipe() == source.read_recipe()
    assert list(target.read(LABEL, "rejected", Rejection)) == [], "no filter rejected the others"
    assert json.loads(target.at("subset.json").read_bytes()) == {
        "of": 3,
        "questions": sorted([asked(1).id, asked(3).id]),
    }
    counts = target.count(LABEL)
    assert (
        counts.num_in,
        counts.num_kept,
        counts.num_rejected,
        counts.num_pending,
        counts.num_out,
    ) == (2, 2, 0, 0, 2)
    assert len(target.shards(LABEL, "kept")) == 3


def test_written_again_a_subset_is_the_same_and_what_it_shows_stays(tmp_path):
    source, target = RunFolder(str(tmp_path / "a")), RunFolder(str(tmp_path / "b"))
    a_run(source, recipe(), [asked(1), asked(2)])
    write_subset(source, target, {asked(1).id})
    before = {
        p: (p.read_bytes(), p.stat().st_mtime_ns if p.suffix == ".jpg" else 0)
        for p in (tmp_path / "b").rglob("*")
        if p.is_file()
    }
    write_subset(source, target, {asked(1).id})
    assert {
        p: (p.read_bytes(), p.stat().st_mtime_ns if p.suffix == ".jpg" else 0)
        for p in (tmp_path / "b").rglob("*")
        if p.is_file()
    } == before


def test_the_questions_of_a_run_are_those_of_its_last_stage(tmp_path):
    run = a_run(RunFolder(str(tmp_path / "a")), recipe(), [asked(1), asked(2)])
    a_later = RunFolder(str(tmp_path / "b"))
    a_run(a_later, recipe(), [asked(2)])
    (tmp_path / "b" / "stages" / "09-split").rename(tmp_path / "a" / "stages" / "10-split")
    assert questions_of(run) == [asked(2)]
