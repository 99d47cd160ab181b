"""A task's row is read back as it was written; what is no row is refused by name."""

import json
from dataclasses import replace

import pytest

from questloom.pipeline.evolve.rivals import FittingRival
from questloom.pipeline.evolve.rollouts import Played, Rollout
from questloom.pipeline.evolve.tags import Cause, TeacherResult
from questloom.pipeline.evolve.task_row import (
    read_rows,
    row_as_json,
    row_from_json,
)
from questloom.pipeline.evolve.verify import task_row
from questloom.records.errors import InputError
from questloom.records.trajectories import ToolStatistics
from tests.pipeline.evolve.asked import question
from tests.pipeline.evolve.made import IDS, a_loop, a_round

RIVAL = FittingRival("Ilse", "Q5", "certify")
RIGHT = Rollout(
    number=0,
    outcome="correct",
    said="x",
    provider_faults=0,
    chain=("visit",),
    process="",
    statistics=ToolStatistics(num_calls=1),
)


def made(num: int = 2, rival: FittingRival | None = None):
    return task_row(question(), Played((RIGHT,) * num), [RIGHT], Played(), rival, too_easy=0.75)


@pytest.mark.parametrize("row", [made(), made(rival=RIVAL), made(0)])
def test_a_row_read_back_is_the_row_and_is_written_the_same(row):
    text = json.dumps(row_as_json(row))
    again = row_from_json(json.loads(text), "verify.json")
    assert again == row and json.dumps(row_as_json(again)) == text


def test_closed_sets_are_enums_and_a_rival_a_record():
    row = row_from_json(row_as_json(made(rival=RIVAL)), "verify.json")
    assert row.cause is Cause.RIVAL_FITS and row.teacher is TeacherResult.NOT
    assert row.rival is not None and row.rival.passed_by == "certify"


@pytest.mark.parametrize("name", list(row_as_json(made())))
def test_a_missing_key_is_refused_by_name(name):
    told = row_as_json(made())
    del told[name]
    with pytest.raises(InputError, match=f"verify.json, row 3: the key '{name}' is missing"):
        row_from_json(told, "verify.json, row 3")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"hue": 1}, "row 3: unknown key 'hue'"),
        ({"correct": "2"}, "row 3, correct: '2' is no int"),
        ({"correct": True}, "row 3, correct: True is no int"),
        ({"rate": "all"}, "row 3, rate: 'all' is no float"),
        ({"id": None}, "row 3, id: None is no str"),
        ({"chains": "visit"}, "row 3, chains: 'visit' is no list"),
        ({"chains": [[1]]}, "row 3, chains: 1 is no str"),
        ({"outcomes": {"correct": "2"}}, "row 3, outcomes: '2' is no int"),
        ({"cause": "tired"}, "row 3, cause: 'tired' is none of '', 'rival_fits'"),
        ({"tag": []}, "row 3, tag: .* is none of 'infra_failure'"),
        ({"teacher": "ill"}, "row 3, teacher: 'ill' is none of '', 'solved'"),
        ({"rival": {"said": "x", "key": "Q5"}}, "row 3, rival: the key 'passed_by' is missing"),
    ],
)
def test_what_is_no_row_is_refused_by_name(changes, said):
    with pytest.raises(InputError, match=said):
        row_from_json({**row_as_json(made()), **changes}, "row 3")


def test_a_rounds_rows_are_read_from_its_file_and_a_fault_names_file_row_and_key(tmp_path):
    at = a_round(a_loop(tmp_path), 1)
    assert [row.id for row in read_rows(at)] == list(IDS)
    found = at.read("verify")
    assert [row_as_json(row) for row in read_rows(at)] == found["tasks"]
    found["tasks"][2]["judged"] = None
    at.write("verify", found)
    with pytest.raises(InputError, match=r"verify.json, row 3, judged: None is no int"):
        read_rows(at)


def test_a_row_of_the_first_version_has_no_outcome_or_answer_by_chain_and_lacks_nothing_else(
    tmp_path,
):
    at = a_round(a_loop(tmp_path), 1)
    now, found = read_rows(at), at.read("verify")
    old = [
        {k: v for k, v in row.items() if k not in ("chain_outcomes", "chain_answers")}
        for row in found["tasks"]
    ]
    at.write("verify", {**found, "tasks": old})
    assert read_rows(at) == [replace(row, chain_outcomes=[], chain_answers=[]) for row in now]
    at.write("verify", {**found, "tasks": [{k: v for k, v in old[0].items() if k != "chains"}]})
    with pytest.raises(InputError, match=r"verify.json, row 1: the key 'chains' is missing"):
        read_rows(at)
