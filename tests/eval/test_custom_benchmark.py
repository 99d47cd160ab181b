"""`examples/own_benchmark.py` as the command line names it: its rows are read by its statement, and its version is stored with them."""

import json

import pytest

from questloom.eval.statements import statement_of, statements
from questloom.pipeline.commands.evaluation import _listed
from questloom.pipeline.evaluate.benchmark_folder import BenchmarkRequest, read_benchmark
from questloom.records.errors import InputError
from tests.models.pictures import file_of, scene

OWN = "examples.own_benchmark:BENCHMARK"
ROWS = [
    {
        "id": "1",
        "asks": "Which river does it cross?",
        "reply": ["Elbe", "Labe"],
        "field": "geography",
    },
    {"id": "2", "asks": "Who built it?", "reply": "Ilse Varga", "field": "history"},
    {"id": "3", "asks": "How long is it, in metres?", "reply": 120, "field": "geography"},
]
HERE = "tests.eval.test_custom_benchmark"
NO_STATEMENT = "a text"
LIKE_OURS = next(iter(statements().values()))


@pytest.fixture
def data(tmp_path):
    (tmp_path / "bridge.jpg").write_bytes(file_of(scene(3, (320, 240))))
    path = tmp_path / "questions.jsonl"
    path.write_text("".join(json.dumps({**row, "photo": "bridge.jpg"}) + "\n" for row in ROWS))
    return path


def test_its_questions_answers_and_pictures_are_read(data, tmp_path):
    found = read_benchmark(BenchmarkRequest(benchmark=OWN, data=str(data)), str(tmp_path / "out"))
    assert [item.row for item in found.items] == ["1", "2", "3"]
    assert found.items[0].answer.text == "Elbe" and found.items[0].answer.aliases == ("Labe",)
    assert found.items[2].answer.type == "quantity" and len(found.items[0].pictures) == 1
    said = json.loads((tmp_path / "out/own_benchmark/statement.json").read_text())
    assert f"Of another package: {OWN} (source " in said["note"] and not said["partial"]


def test_a_subset_is_asked_by_its_rule(data, tmp_path):
    asked = BenchmarkRequest(benchmark=OWN, data=str(data), subset="geography")
    assert len(read_benchmark(asked, str(tmp_path / "out")).items) == 2


def test_the_list_tells_of_it():
    assert _listed(OWN).startswith("own_benchmark: Questions of our own (unpublished), 3 questions")


def test_the_programs_own_are_found_by_name_and_what_is_none_is_none():
    assert statement_of(LIKE_OURS.name) == LIKE_OURS
    assert statement_of("no_such_benchmark") is None


@pytest.mark.parametrize(
    ("named", "said"),
    [
        (f"{HERE}:NO_STATEMENT", "is 'a text'. Make it a `Statement`"),
        (f"{HERE}:LIKE_OURS", "with a name of its own"),
        ("no_such_module:BENCHMARK", "there is no module 'no_such_module'"),
    ],
)
def test_what_is_no_benchmark_is_refused(named, said):
    with pytest.raises(InputError, match=said) as refused:
        statement_of(named)
    assert refused.value.where.startswith("--benchmark")
