"""What a store lacks for more plans: what was hidden is named, and where it is there plans come back."""

import json

import pytest

from questloom.files.opened import Opened
from questloom.knowledge.world.write import write_world
from questloom.pipeline.export.run_end import Outcome, finish_run
from questloom.pipeline.ingest.store_job import IngestOptions, run_ingest
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.lacking import COLUMNS, FILE, list_lacking
from questloom.pipeline.synth.synth_job import run_synth
from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Seed
from questloom.records.table import Json
from questloom.transforms.certificate.certify import Refusal
from questloom.transforms.planning.lacking import (
    CLAIMS,
    MEMBERS,
    STEPS,
    Lack,
    lack_behind,
)
from questloom.transforms.stages.run_folder import RunFolder
from tests.pipeline.small_world import LEAN, small_recipe
from tests.transforms.planning.coast import HUMAN, NOVEL, architect, coast


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    folder = tmp_path_factory.mktemp("lacking") / "world"
    write_world(folder, articles=120, seed=11)
    return folder


def finished(world, folder, counts: dict[str, int]) -> tuple[Outcome, list[list[str]]]:
    """A run over the world whose classes are said to have so many members, and the rows of its table."""
    (world / "class-counts.json").write_text(json.dumps(counts))
    store = str(folder / "store")
    run_ingest(
        IngestOptions(
            store=store,
            articles=(str(world / "articles.xml.bz2"),),
            entities=(str(world / "entities.json.bz2"),),
            images=(str(world / "images"),),
            snapshot="2026-01-01",
        )
    )
    recipe = small_recipe(
        filters=LEAN,
        certificate={"margin": 1},
        seeds={
            "count": 20,
            "levels": {"easy": 1.0},
            "rare_min_statements": 4,
            "anchor_min_in_degree": 1,
        },
    )
    job = Job(RunFolder(str(folder / "run")), store, recipe)
    funnel = run_synth(recipe, store=store, out=job.run.path, opened=Opened())
    ended = finish_run(job, funnel, started=0.0)
    path = folder / "run" / FILE
    text = path.read_text() if path.exists() else ""
    return ended, [line.split("\t") for line in text.splitlines()]


def test_what_is_hidden_is_named_and_plans_come_back_with_it(world, tmp_path):
    whole = json.loads((world / "class-counts.json").read_text())
    few, rows = finished(world, tmp_path / "few", {k: 3 * n for k, n in whole.items()})
    all_, _ = finished(world, tmp_path / "all", whole)
    assert rows[0] == list(COLUMNS) and rows[1][0] == MEMBERS
    members = [dict(zip(COLUMNS, row, strict=True)) for row in rows[1:] if row[0] == MEMBERS]
    assert members and all(int(m["of"]) == 3 * whole[m["class"]] for m in members)
    assert all(
        "the store holds" in m["what"] and f"there are {m['of']}" in m["what"]
        for m in members
        if int(m["of"]) < 1000
    )
    assert few.lacking[0].words in few.as_text() and FILE in few.as_text()
    planned = {
        name: count.by_stage["plan"].num_kept
        for name, count in {"few": few.funnel, "all": all_.funnel}.items()
    }
    assert planned["all"] > planned["few"]


def seed(number: int, thing: str) -> Seed:
    return Seed(
        entity_id=thing,
        method="paths",
        rule="pictured",
        level="easy",
        domain="other",
        index=number,
    )


def dropped(one: Seed, **lacks: int) -> Rejection:
    """A seed without a plan; `lacks` tells how often a class refused its steps."""
    return Rejection(
        item_id=one.id,
        seed_id=one.id,
        stage="plan",
        reason="no_path",
        evidence=Json({"lacks": {str(Lack(MEMBERS, kind)): n for kind, n in lacks.items()}}),
    )


def test_only_a_thing_whose_seeds_all_have_no_plan_counts_as_a_thing_without_one():
    seeds = [seed(0, "Q1"), seed(1, "Q1"), seed(0, "Q2")]
    gone = [dropped(seeds[0], Q8261=4), dropped(seeds[2], Q8261=4)]
    (only,) = list_lacking(seeds, gone, coast())
    assert (only.things, only.refused, only.lack) == (1, 8, Lack(MEMBERS, NOVEL))
    assert "1 thing has no plan" in only.words and "there are 120" in only.words
    (only,) = list_lacking(seeds, gone[:1], coast())
    assert (only.things, only.refused) == (0, 4)
    assert only.words.startswith("4 steps were refused: the store holds")


def test_the_class_that_refused_the_most_steps_comes_first():
    seeds = [seed(0, f"Q{n}") for n in range(1, 4)]
    gone = [dropped(seeds[0], Q5=40), *(dropped(one, Q8261=3) for one in seeds[1:])]
    found = list_lacking(seeds, gone, coast())
    assert [(one.lack.class_id, one.things, one.refused) for one in found] == [
        (HUMAN, 1, 40),
        (NOVEL, 2, 6),
    ]
    cells = dict(zip(COLUMNS, found[0].row().split("\t"), strict=True))
    assert (cells["class"], cells["things"], cells["refused"]) == (HUMAN, "1", "40")


def test_a_refusal_names_what_would_mend_it():
    facts = coast()
    too_few = Refusal(reason=Reason.CLASS_INCOMPLETE, evidence={"var": "x1", "class": NOVEL})
    assert lack_behind(facts, too_few) == (Lack(MEMBERS, NOVEL),)
    rival = {"entity_id": architect(3), "gaps": ["P19=Q3001"]}
    near = Refusal(reason=Reason.MARGIN_TOO_SMALL, evidence={"margin": 1, "rival": rival})
    assert lack_behind(facts, near) == (Lack(CLAIMS, HUMAN, "P19"),)
    # That a man may have had a second teacher is nothing that a claim of the rival's would settle.
    pupil = {"entity_id": architect(3), "gaps": ["P1066 of Q2001"]}
    assert (
        lack_behind(
            facts, Refusal(reason=Reason.MARGIN_TOO_SMALL, evidence={"margin": 1, "rival": pupil})
        )
        == ()
    )
    assert lack_behind(facts, Refusal(reason=Reason.GUESSABLE, evidence={})) == ()


def test_a_lack_is_written_and_read():
    for lack in (Lack(MEMBERS, "Q5"), Lack(CLAIMS, "Q5", "P19"), Lack(STEPS, "Q3957")):
        assert Lack.from_row(str(lack)) == lack
