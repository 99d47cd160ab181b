"""The main job end to end on a small world: conservation, the same bytes however it is run, and resume after kill -9."""

import hashlib
import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks import kills
from questloom.agent.sandbox import open_sandbox
from questloom.files.opened import Opened
from questloom.pipeline.recipe import load_recipe
from questloom.pipeline.synth.synth_job import run_synth
from questloom.records.errors import InputError
from questloom.records.outcomes import Rejection
from questloom.records.synthesis import Question, Seed
from questloom.transforms import reason_words
from tests.agent.tools.calling import WITHOUT_PYTHON
from tests.run_files import counts, read_stage, stage_names

WIDE = (
    *kills.SETTINGS,
    *(() if open_sandbox()[0] else (f"filters.oracle_tools=[{','.join(WITHOUT_PYTHON)}]",)),
)
SETTINGS = (
    *WIDE,
    "seeds.levels.hard=0",
    "seeds.rare_min_statements=4",
    "pictures.min_side=200",
    "certificate.max_guess=0.5",
    "grounding.mode=optional",
)
"""Of a run over eighty articles, too few to measure how well a checkpoint tells pictures apart."""
SCRIPT = """
import sys
from questloom.pipeline.recipe import load_recipe
from questloom.pipeline.synth.synth_job import run_synth
from questloom.files.opened import Opened
if __name__ == "__main__":
    run_synth(load_recipe("demo", tuple(sys.argv[4:])), store=sys.argv[1], out=sys.argv[2], opened=Opened(), workers=int(sys.argv[3]))
"""


@pytest.fixture(scope="module")
def store(small) -> str:
    return small


@pytest.fixture(scope="module")
def whole(store, tmp_path_factory) -> Path:
    """A run in one process, never interrupted."""
    out = tmp_path_factory.mktemp("whole") / "run"
    run_synth(load_recipe("demo", SETTINGS), store=store, out=str(out), opened=Opened())
    return out


def tree(run: Path) -> dict[str, str]:
    """Digest of every file of a run that must not depend on how it was run."""
    files = [
        p
        for folder in ("stages", "pictures")
        for p in sorted((run / folder).rglob("*"))
        if p.is_file()
    ]
    return {str(p.relative_to(run)): hashlib.sha256(p.read_bytes()).hexdigest() for p in files}


def start(store: str, out: Path, workers: int) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, "-c", SCRIPT, store, str(out), str(workers), *SETTINGS],
        cwd=Path(__file__).parents[3],
        start_new_session=True,
        stderr=subprocess.DEVNULL,
    )


FILTERS = {
    "answer_in_question",
    "duplicates",
    "text_search",
    "image_search",
    "text_only",
    "no_tools",
    "too_simple",
    "solvable",
    "quotas",
}


def test_every_seed_has_one_final_outcome(whole):
    seeds = {s.id for s in read_stage(str(whole), "seeds", "kept", Seed)}
    kept = {q.seed_id for q in read_stage(str(whole), "split", "kept", Question)}
    rejected = [
        r.seed_id
        for name in stage_names(str(whole))
        for r in read_stage(str(whole), name, "rejected", Rejection)
    ]
    assert len(seeds) == 60 and kept
    assert sorted(kept | set(rejected)) == sorted(seeds) and len(kept) + len(rejected) == len(seeds)


def test_at_every_stage_what_came_in_is_kept_rejected_or_pending(whole):
    for name in stage_names(str(whole))[1:]:
        for count in counts(str(whole), name):
            assert count.num_in == count.num_kept + count.num_rejected + count.num_pending


def test_every_kept_question_has_a_passed_certificate_a_picture_and_all_verdicts(whole):
    for question in read_stage(str(whole), "split", "kept", Question):
        assert question.certificate.passed and question.certificate.margin >= 2
        assert (whole / "pictures" / f"{question.image_id}.jpg").is_file()
        assert {v.filter for v in question.verdicts} == FILTERS


def test_the_report_has_words_for_every_check_and_filter(whole):
    for question in read_stage(str(whole), "split", "kept", Question):
        assert {check.name for check in question.certificate.checks} <= set(reason_words.CHECKS)
    assert set(reason_words.FILTERS) >= FILTERS


def test_no_stage_ended_in_an_error_of_ours(whole):
    errors = [
        r.evidence
        for name in stage_names(str(whole))
        for r in read_stage(str(whole), name, "rejected", Rejection)
        if r.reason == "error"
    ]
    assert errors == []


@pytest.mark.slow
def test_two_processes_give_the_same_bytes_as_one(store, whole, tmp_path):
    assert start(store, tmp_path / "run", 2).wait() == 0
    assert tree(tmp_path / "run") == tree(whole)


def test_a_second_run_changes_nothing(store, whole):
    before = tree(whole)
    run_synth(load_recipe("demo", SETTINGS), store=store, out=str(whole), opened=Opened())
    assert tree(whole) == before


def test_another_recipe_is_refused_in_the_same_folder(store, whole):
    with pytest.raises(InputError, match="another recipe"):
        run_synth(
            load_recipe("demo", (*SETTINGS, "seed=8")), store=store, out=str(whole), opened=Opened()
        )


def test_a_run_that_is_refused_leaves_its_folder_free(store, whole, tmp_path):
    missing = f"models.clip={tmp_path / 'no-checkpoint'}"
    with pytest.raises(InputError, match="no-checkpoint"):
        run_synth(
            load_recipe("demo", (*SETTINGS, missing)),
            store=store,
            out=str(tmp_path / "run"),
            opened=Opened(),
        )
    assert not (tmp_path / "run" / "recipe.json").exists()


def test_a_run_whose_stages_had_other_names_is_refused(store, whole, tmp_path):
    shutil.copytree(whole, tmp_path / "run")
    (tmp_path / "run" / "stages" / "05-answer-in-question").mkdir()
    with pytest.raises(InputError, match="earlier version"):
        run_synth(
            load_recipe("demo", SETTINGS), store=store, out=str(tmp_path / "run"), opened=Opened()
        )


def test_a_folder_that_holds_something_else_is_refused(store, tmp_path):
    (tmp_path / "letter.txt").write_text("mine")
    with pytest.raises(InputError, match="is not empty"):
        run_synth(load_recipe("demo", SETTINGS), store=store, out=str(tmp_path), opened=Opened())


@pytest.fixture(scope="module")
def wide(tmp_path_factory) -> str:
    """A store whose runs last long enough to be ended at many points."""
    return kills.small_store(tmp_path_factory.mktemp("world"))


@pytest.fixture(scope="module")
def finished(wide, tmp_path_factory) -> Path:
    """The command's run with data set and report, never interrupted."""
    return kills.Start(wide, "demo", WIDE).finish(tmp_path_factory.mktemp("finished") / "run")


@pytest.mark.slow
@pytest.mark.parametrize("way", kills.WAYS, ids=str)
def test_ended_at_random_points_and_gone_on_with_every_file_is_the_same(
    wide, finished, tmp_path, way
):
    found = kills.broken(
        kills.Start(wide, "demo", WIDE),
        tmp_path / "run",
        finished,
        way,
        random.Random(str(way)),
    )
    assert found.differing == (), found


@pytest.mark.parametrize(
    ("name", "compared"),
    [
        ("stages/02-draft/kept-00000.parquet", True),
        ("stages/02-draft/.kept-00000.parquet.0f.part", True),
        ("stages/06-duplicates/side-00000.parquet", True),
        ("pictures/a.jpg", True),
        ("recipe.json", True),
        ("new.txt", True),
        ("dataset/README.md", True),
        ("report/data/questions-0000.js", True),
        ("timing/02-draft/00000", False),
        ("run.json", False),
        ("report/index.html", False),
        ("calls.sqlite-wal", False),
    ],
)
def test_kills_compare_every_file_but_those_of_times_and_spend(tmp_path, name, compared):
    before = kills.files(tmp_path)
    (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / name).write_bytes(b"1")
    first = kills.files(tmp_path)
    (tmp_path / name).write_bytes(b"2")
    assert (before != first, first != kills.files(tmp_path)) == (compared, compared)
