"""Outside rows in the main job: each has one final outcome, what is kept says `external`, and no picture without a licence is left."""

import io
import json
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from questloom.files.locations import location
from questloom.files.opened import Opened
from questloom.pipeline.synth.job import Job
from questloom.pipeline.synth.outside_stages import open_sources
from questloom.pipeline.synth.splits import keys_of
from questloom.pipeline.synth.synth_job import run_synth
from questloom.records.errors import InputError
from questloom.records.outcomes import Rejection
from questloom.records.synthesis import Question, Seed
from questloom.transforms.external.external_rules import ExternalRules
from questloom.transforms.external.outside_rows import open_source
from questloom.transforms.pictures.shown import shown
from questloom.transforms.stages.run_folder import RunFolder
from tests.pipeline.small_world import small_recipe
from tests.run_files import read_stage, stage_names

NUM_ROWS = 8


def photo(number: int) -> bytes:
    coarse = np.random.default_rng(number).integers(0, 255, (12, 16, 3), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(coarse).resize((640, 480), Image.Resampling.BICUBIC).save(out, "JPEG")
    return out.getvalue()


def write_rows(folder: Path) -> str:
    """Rows 0 to 4 are good; 5 has no licence, 6 no answer, 7 the picture and answer of row 0 in nearly the same words."""
    rows = []
    for number in range(NUM_ROWS):
        picture = 0 if number == 7 else number
        (folder / f"{picture}.jpg").write_bytes(photo(picture))
        rows.append(
            {
                "image": f"{picture}.jpg",
                "question": "Who owned the ship that is being painted here?",
                "answer": f"Nobody {picture}",
                "licence": "" if number == 5 else "CC0",
            }
        )
    rows[6]["answer"] = ""
    (folder / "ships.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    return str(folder / "ships.jsonl")


@pytest.fixture(scope="module")
def run(small, tmp_path_factory) -> str:
    folder = tmp_path_factory.mktemp("outside")
    recipe = small_recipe(
        seeds={"count": 1, "rare_min_statements": 6, "anchor_min_in_degree": 1},
        enhancement={"share": 1.0},
        external=[{"path": write_rows(folder), "licence_column": "licence"}],
    )
    run_synth(recipe, store=small, out=str(folder / "run"), opened=Opened())
    return str(folder / "run")


def outcomes(run: str) -> dict[str, str]:
    """What became of each row: "kept" or the reason."""
    rows = {
        s.id: s.entity_id for s in read_stage(run, "seeds", "kept", Seed) if s.rule == "external"
    }
    ends = [(q.seed_id, "kept") for q in read_stage(run, "split", "kept", Question)]
    ends += [
        (r.seed_id, r.reason)
        for name in stage_names(run)
        for r in read_stage(run, name, "rejected", Rejection)
    ]
    mine = [(rows[seed], end) for seed, end in ends if seed in rows]
    assert len(mine) == len(rows) == NUM_ROWS, "every row is a seed with one final outcome"
    return dict(mine)


def test_every_row_has_one_final_outcome_with_its_reason(run):
    found = outcomes(run)
    assert found["ships:5"] == "no_licence"
    assert found["ships:6"] == "no_answer"
    assert sorted([found["ships:0"], found["ships:7"]]) == ["kept", "near_duplicate"]
    assert {found[f"ships:{n}"] for n in range(1, 5)} == {"kept"}, (
        "the same words about other pictures are other questions"
    )


def test_what_is_kept_has_a_certificate_that_says_external_every_verdict_and_its_picture(run):
    kept = [q for q in read_stage(run, "split", "kept", Question) if q.method == "external"]
    for question in kept:
        assert question.certificate.basis == "external"
        assert {v.filter for v in question.verdicts} == {
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
        assert question.split and question.enhancement.original_image_id == question.source_image_id
        assert {
            Path(run, "pictures", f"{i}.jpg").is_file()
            for i in (question.image_id, question.source_image_id)
        } == {True}
    assert [keys_of(q) for q in kept] == [(f"picture:{q.source_image_id}",) for q in kept], (
        "no two rows are bound to the same split"
    )


def test_a_picture_without_a_licence_cannot_be_found_in_the_run(run):
    assert shown(photo(1)).id in {p.stem for p in Path(run, "pictures").iterdir()}
    assert shown(photo(5)).id not in {p.stem for p in Path(run, "pictures").iterdir()}


def test_two_sources_of_one_name_and_a_misspelt_key_are_refused(tmp_path):
    path = write_rows(tmp_path)
    with pytest.raises(InputError, match="called 'ships' too"):
        open_sources(
            Job(RunFolder(""), "", small_recipe(external=[{"path": path}, {"path": path}]))
        )
    with pytest.raises(InputError, match=r"Did you mean external\.0\.licence"):
        small_recipe(external=[{"path": path, "license": "CC0"}])


def test_rows_and_pictures_in_a_bucket_are_read_from_their_own_prefix_only(s3, tmp_path):
    (tmp_path / "rows").mkdir()
    write_rows(tmp_path / "rows")
    for file in (tmp_path / "rows").iterdir():
        location(s3, "rows", file.name).write_bytes(file.read_bytes())
    location(s3, "secret.jpg").write_bytes(photo(9))
    source = open_source(ExternalRules(path=f"{s3}/rows/ships.jsonl", licence="CC0"))
    local = open_source(ExternalRules(path=str(tmp_path / "rows/ships.jsonl"), licence="CC0"))
    assert source.rows == local.rows and [source.picture(n) for n in range(NUM_ROWS)] == [
        local.picture(n) for n in range(NUM_ROWS)
    ]
    for name in ("../secret.jpg", "a/../../secret.jpg", f"{s3}/secret.jpg", "/secret.jpg"):
        source.rows[0]["image"] = name
        assert source.picture(0) is None
    with pytest.raises(InputError, match="nothing is there"):
        open_source(ExternalRules(path=f"{s3}/none.jsonl"))
