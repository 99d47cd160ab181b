"""A store in which nothing can be a seed: the command ends with 2, says why and what to set, and leaves its folder free."""

import sys

import pytest

from questloom.files.opened import Opened
from questloom.pipeline.cli import BAD_INPUT, main
from questloom.pipeline.plan import forecast
from questloom.pipeline.synth.synth_job import run_synth
from questloom.records.errors import InputError
from tests.pipeline.small_world import LEAN, small_recipe

NONE = ("seeds.rare_min_statements=5000", "seeds.anchor_min_in_degree=4000")


def test_the_command_ends_with_two_and_names_thresholds_and_what_the_store_has(
    small, tmp_path, capfd, monkeypatch
):
    out = tmp_path / "run"
    monkeypatch.setattr(
        sys,
        "argv",
        [
            "questloom",
            "synth",
            "--store",
            small,
            "--out",
            str(out),
            "--workers",
            "1",
            "--set",
            "filters.oracle=false",
            "--set",
            "run.shards=2",
            "--set",
            "grounding.mode=none",
            *(word for key in NONE for word in ("--set", key)),
        ],
    )
    with pytest.raises(SystemExit, match=str(BAD_INPUT)):
        main()
    said = capfd.readouterr()
    message = said.err[said.err.index("nothing in this store can be a seed") :]
    assert (
        "fit none of the rules (anchor, rare)" in message
        and "seeds.rare_min_statements; the most are" in message
    )
    assert (
        "seeds.anchor_min_in_degree" in message
        and "they have" in message
        and "--set KEY=VALUE" in message
        and "Traceback" not in said.err
    )
    assert (
        not (out / "recipe.json").exists()
        and not (out / "stages").exists()
        and not (out / "dataset").exists()
        and not (out / "report").exists()
    )


def test_the_folder_is_free_for_a_recipe_that_finds_seeds(small, tmp_path):
    out = str(tmp_path / "run")
    with pytest.raises(InputError, match="nothing in this store can be a seed"):
        run_synth(
            small_recipe(
                filters=LEAN,
                seeds={"count": 3, "rare_min_statements": 5_000, "anchor_min_in_degree": 5_000},
            ),
            store=small,
            out=out,
            opened=Opened(),
        )
    assert (
        run_synth(
            small_recipe(filters=LEAN, seeds={"count": 3, "rare_min_statements": 4}),
            store=small,
            out=out,
            opened=Opened(),
        )
        .counts[0]
        .num_out
        == 3
    )


def test_excluding_all_that_could_be_seeds_is_told_as_that(small, tmp_path):
    from questloom.knowledge.store.store import Store

    (tmp_path / "ids.txt").write_text("\n".join(e.id for e in Store.open(small).scan_entities()))
    recipe = small_recipe(
        filters=LEAN,
        seeds={"count": 3, "rare_min_statements": 4, "exclude": [str(tmp_path / "ids.txt")]},
    )
    with pytest.raises(InputError, match="nothing in this store can be a seed"):
        run_synth(recipe, store=small, out=str(tmp_path / "run"), opened=Opened())


def test_a_pilot_ends_so_too(small, tmp_path):
    recipe = small_recipe(
        filters=LEAN,
        seeds={"count": 3, "rare_min_statements": 5_000, "anchor_min_in_degree": 5_000},
    )
    with pytest.raises(InputError, match="nothing in this store can be a seed"):
        forecast(recipe, store=small, opened=Opened(), pilot=2, out=str(tmp_path / "run"))
    assert not (tmp_path / "run" / "recipe.json").exists()
