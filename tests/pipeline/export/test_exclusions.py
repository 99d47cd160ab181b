"""The lists that keep runs apart: each part's own, readable as the recipe's keys want them, and empty where there is no benchmark."""

import shutil

from questloom.files.opened import Opened
from questloom.pipeline.export.exclusions import write_exclusions
from questloom.pipeline.synth.id_files import words_of
from questloom.pipeline.synth.job import Job
from questloom.records.synthesis import Question
from questloom.transforms.pictures.choose import perceptual_hash, read_hashes
from questloom.transforms.stages.run_folder import RunFolder
from tests.pipeline.export import finished_run as world


def lists(made, tmp_path, change=lambda question: question):
    shutil.copytree(made / "run", tmp_path / "run")
    half = tmp_path / "run/exclude/.training_entities.txt.0a1b.part"
    half.parent.mkdir(exist_ok=True)
    half.write_text("Q1")
    with Opened() as opened:
        job = Job.at(
            world.recipe(), run=str(tmp_path / "run"), store=str(made / "store"), opened=opened
        )
        write_exclusions(job)
        questions = list(job.run.read(job.run.labels()[-1], "kept", Question))
    assert not half.exists(), "a killed run left it"
    folder = RunFolder(str(tmp_path / "run")).at("exclude")
    words = {
        part: words_of([str(folder / f"{part}_entities.txt")], "seeds.exclude")
        for part in ("training", "benchmark")
    }
    hashes = {
        part: read_hashes([str(folder / f"{part}_pictures.txt")])
        for part in ("training", "benchmark")
    }
    return questions, words, hashes


def test_training_lists_name_seeds_and_pictured_things_and_the_benchmarks_all_that_it_speaks_of(
    made, tmp_path
):
    questions, words, _ = lists(made, tmp_path)
    training, benchmark = (
        [q for q in questions if (q.split == "benchmark") is aside] for aside in (False, True)
    )
    assert (
        words["training"] == {i for q in training for i in (q.seed_entity, q.anchor)} and training
    )
    assert (
        words["benchmark"]
        == {i for q in benchmark for i in (q.seed_entity, q.anchor, *q.bindings.values())}
        and benchmark
    )
    assert not words["training"] & words["benchmark"]


def test_pictures_are_listed_by_their_perceptual_hashes(made, tmp_path):
    _, _, hashes = lists(made, tmp_path)
    own = {n for n in range(world.NUM_PICTURES) if world.split_of(n) == "benchmark"}
    assert hashes["benchmark"] == {perceptual_hash(world.source_bytes(n)) for n in own}
    assert hashes["training"] and not hashes["training"] & hashes["benchmark"]
