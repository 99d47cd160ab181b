"""`questloom plan --lacking`: which plans a gathered slice gives, what it lacks, and that fetching this frees plans."""

import csv
import json
from dataclasses import dataclass
from pathlib import Path

import pytest
from typer.testing import CliRunner

from benchmarks.wikimedia import serving
from benchmarks.wikimedia_world import World
from questloom.files.opened import Opened
from questloom.knowledge.gather.request import GatherRequest
from questloom.pipeline.cli import app
from questloom.pipeline.commands.gather import gather, what_is_lacking
from questloom.pipeline.ingest.store_job import IngestOptions, run_ingest
from questloom.pipeline.plan.plan_supply import MAX_SEEDS, PlanSupply, measure_supply
from questloom.pipeline.recipe import Recipe
from questloom.pipeline.synth.lacking import COLUMNS
from questloom.records.errors import InputError
from tests.pipeline.small_world import small_recipe
from tests.small_wikimedia import CONTACT, HUMAN, QUICK, small_world, without_waits


@pytest.fixture(scope="module")
def world(tmp_path_factory) -> World:
    return small_world(tmp_path_factory)


@pytest.fixture(autouse=True)
def _quick(monkeypatch):
    without_waits(monkeypatch)


def recipe() -> Recipe:
    return small_recipe(
        certificate={"margin": 1, "stated": False},
        seeds={"count": 20, "rare_min_statements": 4, "anchor_min_in_degree": 0},
    )


def gather_into(world: World, out: Path, **request) -> None:
    with serving(world) as base:
        options = {"base": base, "contact": CONTACT, "retry": QUICK, "say": lambda line: None}
        gather(GatherRequest(**request), out, **options)


def ingested(out: Path, store: Path) -> str:
    dumps = json.loads((out / "gather.json").read_text())["dumps"]
    run_ingest(
        IngestOptions(
            store=str(store),
            entities=(str(out / dumps["entities"]),),
            articles=(str(out / dumps["articles"]),),
            images=(str(out / dumps["images"]),),
            popularity=str(out / dumps["popularity"]),
        )
    )
    return str(store)


def supply(store: str, file: Path) -> PlanSupply:
    with Opened() as opened:
        return measure_supply(recipe(), store, str(file), opened)


def planned(found: PlanSupply) -> int:
    return sum(level.planned for level in found.by_level.values())


@dataclass(frozen=True)
class Slice:
    """What a slice gives, and what it gives once it has what it lacked."""

    lacking: Path
    before: PlanSupply
    after: PlanSupply
    store: str
    """That after."""


@pytest.fixture(scope="module")
def completed(world, tmp_path_factory) -> Slice:
    folder = tmp_path_factory.mktemp("completed")
    out, file = folder / "out", folder / "lacking.tsv"
    with pytest.MonkeyPatch.context() as patch:
        without_waits(patch)
        gather_into(world, out, class_id=HUMAN, limit=30, depth=2, rivals=2, views=2)
        before = supply(ingested(out, folder / "before"), file)
        lacking, ways = what_is_lacking(file)
        gather_into(world, out, lacking=lacking, ways=ways)
    store = ingested(out, folder / "after")
    return Slice(file, before, supply(store, folder / "none.tsv"), store)


def test_what_a_slice_lacks_is_named_fetched_and_frees_plans(completed):
    file, before, after = completed.lacking, completed.before, completed.after
    rows = list(csv.DictReader(file.read_text().splitlines(), delimiter="\t"))
    assert list(rows[0]) == list(COLUMNS) and len(rows) == len(before.lacking)
    refused = [int(row["refused"]) for row in rows]
    assert refused == sorted(refused, reverse=True) and HUMAN in what_is_lacking(file)[0]
    assert before.num_classes == sum(row["kind"] == "members" for row in rows) > 1
    assert f"members of {before.num_classes} classes" in before.as_text()
    assert f"--complete {file}" in before.as_text()
    assert planned(after) > planned(before) and after.num_classes < before.num_classes


def test_the_plans_are_counted_by_level_shape_and_hops(completed):
    found = completed.after
    assert 0 < planned(found) == sum(found.kinds.values())
    assert sum(level.seeds for level in found.by_level.values()) == 20
    assert found.hops == sum(hops * number for (_, _, hops), number in found.kinds.items())
    assert found.queries > 0
    text, data = found.as_text(), found.as_json()
    for (level, shape, hops), number in found.kinds.items():
        assert {"level": level, "shape": shape, "hops": hops, "seeds": number} in data["plans"]
        (line,) = [line for line in text.splitlines() if line.startswith(f"  {level}: ")]
        assert f"{shape} of {hops} hop" in line
    assert json.loads(json.dumps(data)) == data


def test_the_command_shows_plans_and_writes_the_table(completed, tmp_path):
    store, file = completed.store, tmp_path / "lacking.tsv"
    (tmp_path / "file").touch()
    few = ["--set", "seeds.count=5", "--set", "seeds.anchor_min_in_degree=0"]
    command = ["plan", "--store", store, "--recipe", "demo_without_python", *few]
    ended = CliRunner().invoke(app, [*command, "--lacking", str(file)])
    assert ended.exit_code == 0, ended.exception
    assert "have a plan" in ended.stdout and file.read_text().startswith("\t".join(COLUMNS))
    assert "have a plan" not in CliRunner().invoke(app, command).stdout
    away = CliRunner().invoke(app, [*command, "--lacking", str(tmp_path / "file" / "x")])
    assert isinstance(away.exception, InputError) and "cannot be" in away.exception.what


def test_a_store_without_seeds_says_so_and_writes_nothing(world, tmp_path):
    gather_into(world, tmp_path / "out", class_id=HUMAN, limit=2, depth=0, rivals=0, views=0)
    store = ingested(tmp_path / "out", tmp_path / "store")
    none = small_recipe(
        seeds={"count": 5, "rare_min_statements": 10_000, "anchor_min_in_degree": 10_000}
    )
    with Opened() as opened, pytest.raises(InputError, match="has no seeds"):
        measure_supply(none, store, str(tmp_path / "lacking.tsv"), opened)
    assert not (tmp_path / "lacking.tsv").exists() and MAX_SEEDS == 200
