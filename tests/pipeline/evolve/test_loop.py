"""The chain of rounds: which steps run in which order, what is not done again, and what a diagnosis looks at."""

import json
from types import SimpleNamespace

import pytest

from questloom.files.opened import Opened
from questloom.pipeline.evolve import loop as chain
from questloom.pipeline.evolve.loop import diagnose, prepared, run_loop, run_step
from questloom.pipeline.evolve.loop_folder import STEPS, LoopFolder, RoundFolder
from questloom.records.errors import InputError
from tests.pipeline.evolve.made import a_loop, a_round


@pytest.fixture
def done(monkeypatch) -> list[str]:
    """Steps that are stood in for by the files that they would write; what was done, in order."""
    made: list[str] = []

    def stand_in(name: str):
        def step(loop: LoopFolder, at: RoundFolder, opened: object, **how: object) -> None:
            made.append(f"{at.path.parent.name} {at.number} {name}")
            source = loop.path.parent / f"made{len(made)}"
            given = a_round(a_loop(source), 1)
            if name == "update":
                at.write(
                    "update",
                    {
                        "next": at.recipe.resolved(),
                        "parent": at.number,
                        "dead_ends": [],
                        "edits": [],
                        "refused": [],
                        "rolled_back": None,
                        "note": "",
                        "score": 1.0,
                    },
                )
            elif name == "train":
                at.write(
                    "train", {"command": [], "model": f"model {at.number}", "tasks": 8, "why": ""}
                )
            else:
                at.write(name, given.read(name))
            if name == "forward":
                assert how.get("held_out", False) is (at.path.parent.name == "held_out")

        return step

    for name in STEPS:
        monkeypatch.setattr(chain, name, stand_in(name))
    return made


def test_all_rounds_are_gone_through_step_by_step_and_each_begins_with_what_the_one_before_left(
    tmp_path, done
):
    loop, said = a_loop(tmp_path, rounds=2), []
    page = run_loop(loop, Opened(), say=said.append)
    assert done == [f"rounds {number} {step}" for number in (1, 2) for step in STEPS]
    assert said == [f"evolve: round {number}, {step}" for number in (1, 2) for step in STEPS]
    first, second = loop.rounds()
    assert (first.model, first.parent, second.model, second.parent) == ("", 0, "model 1", 1)
    assert (
        page == str(loop.path / "report" / "index.html")
        and json.loads((loop.path / "best.json").read_text())["round"] == 1
    )


def test_gone_on_with_nothing_is_done_again(tmp_path, done):
    loop = a_loop(tmp_path, rounds=2)
    for step in STEPS[:3]:
        run_step(loop, 1, step, Opened())
    said: list[str] = []
    run_loop(loop, Opened(), say=said.append)
    assert len(done) == len(set(done)) == 10 and said[0] == "evolve: round 1, update"
    run_loop(loop, Opened(), say=said.append)
    assert len(done) == 10


def test_each_round_notes_what_the_ledger_said_before_and_after_it(tmp_path, done):
    loop = a_loop(tmp_path, rounds=1)
    run_step(loop, 1, "forward", Opened())
    noted = loop.round(1).path / "spent.json"
    assert json.loads(noted.read_text()) == {"before": {}}
    for step in STEPS[1:]:
        run_step(loop, 1, step, Opened())
    assert json.loads(noted.read_text()) == {"before": {}, "after": {}}


@pytest.mark.parametrize(
    ("number", "step"),
    [(0, "forward"), (4, "forward"), (-1, "forward"), (1, "dance"), (5, "forward")],
)
def test_a_step_or_a_round_that_there_is_not_is_refused(tmp_path, done, number, step):
    loop = a_loop(tmp_path, rounds=3)
    with pytest.raises(
        InputError, match="Rounds go from 1 to 3; steps: forward, verify, diagnose, update, train"
    ):
        run_step(loop, number, step, Opened())
    assert not done


def test_the_last_round_has_its_steps(tmp_path, done):
    loop = a_loop(tmp_path, rounds=1)
    run_step(loop, 1, "forward", Opened())
    assert done == ["rounds 1 forward"]


@pytest.mark.parametrize(
    ("step", "missing"), [("verify", "forward"), ("diagnose", "forward"), ("train", "forward")]
)
def test_a_step_waits_for_those_before_it(tmp_path, done, step, missing):
    with pytest.raises(InputError, match=f"the step {missing} has not ended there"):
        run_step(a_loop(tmp_path), 1, step, Opened())


def test_a_prepared_round_keeps_its_recipe(tmp_path):
    loop = a_loop(tmp_path)
    loop.round(1).begin(loop.recipe, model="/mine", parent=7)
    assert (prepared(loop, 1).model, prepared(loop, 1).parent) == ("/mine", 7)


def test_held_out_tasks_are_made_played_and_diagnosed_once_for_each_recipe(
    tmp_path, done, monkeypatch
):
    loop = a_loop(tmp_path, rounds=2, held_out=8)

    def edited(loop: LoopFolder, at: RoundFolder, opened: object) -> None:
        changed = at.recipe.resolved() | {
            "draft": {**at.recipe.resolved()["draft"], "detail_share": 0.9}
        }
        at.write(
            "update",
            {
                "next": changed,
                "parent": at.number,
                "dead_ends": [],
                "edits": [],
                "refused": [],
                "rolled_back": None,
                "note": "",
                "score": 1.0,
            },
        )

    monkeypatch.setattr(chain, "update", edited)
    monkeypatch.setattr(chain, "compare", lambda *args, **how: None)
    said: list[str] = []
    run_loop(loop, Opened(), say=said.append)
    tried = [f"held_out {number} {step}" for number in (1, 2) for step in STEPS[:3]]
    assert done[-6:] == tried
    for name in ("best.json", "best.yaml"):
        (loop.path / name).unlink()
    (loop.held_out(2).path / "verify.json").unlink()
    (loop.held_out(2).path / "diagnosis.json").unlink()
    run_loop(loop, Opened(), say=said.append)
    assert done[-2:] == ["held_out 2 verify", "held_out 2 diagnose"] and len(done) == 16
    assert {loop.held_out(n).model for n in (1, 2)} == {"model 2"}


def test_held_out_tasks_of_a_loop_of_another_version_are_not_begun(tmp_path, done):
    loop = a_loop(tmp_path, rounds=1, held_out=8)
    at = loop.held_out(1)
    at.begin(loop.recipe, model="", parent=1)
    facts = json.loads((loop.path / "loop.json").read_text())
    (loop.path / "loop.json").write_text(json.dumps({**facts, "version": 99}))
    with pytest.raises(InputError, match="another version"):
        chain._forward(LoopFolder(loop.path), at, Opened(), 1)
    assert not done
    for step in STEPS[:3]:
        at.write(step, a_round(a_loop(tmp_path / "x"), 1).read(step))
    chain._forward(LoopFolder(loop.path), at, Opened(), 1)
    assert not done, "what stands can be read"


@pytest.mark.parametrize(("diagnoser", "by"), [("measured", "measured"), ("llm", "a model")])
def test_the_diagnoser_that_the_recipe_names_looks_at_the_tasks_that_no_provider_spoiled(
    tmp_path, monkeypatch, diagnoser, by
):
    loop = a_loop(tmp_path, diagnoser=diagnoser)
    at = a_round(loop, 1, tags=("infra_failure", *("good_match",) * 7))
    looked: list[tuple[str, list[str]]] = []

    class Looks:
        def __init__(self, by: str) -> None:
            self.by = by

        async def diagnose(self, questions, rows):
            looked.append((self.by, [row.id for row in rows]))
            return SimpleNamespace(by=self.by, tasks=(), batch={}, findings=(), all_findings=[])

    measured: list[tuple] = []
    monkeypatch.setattr(chain, "questions_of", lambda run: [])
    monkeypatch.setattr(RoundFolder, "as_run", property(lambda self: self.recipe))
    monkeypatch.setattr(
        chain,
        "MeasuredDiagnoser",
        lambda checks, tolerated, mode: (
            measured.append((checks.tools, tolerated, mode)) or Looks("measured")
        ),
    )
    monkeypatch.setattr(chain, "open_llm_diagnoser", lambda base, job, run, mode: Looks("a model"))
    diagnose(loop, at, Opened())
    assert looked == [(by, [f"task{n}" for n in range(1, 8)])] and at.read("diagnose")["by"] == by
    assert measured == [(loop.recipe.evolve.policy.tools.tools, loop.recipe.evolve.tolerated, "rl")]
