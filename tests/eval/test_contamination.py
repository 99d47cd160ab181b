"""What of a benchmark is in training data: by entity, by words, by picture; its own benchmark part is none."""

from pathlib import Path

import datasets
import pytest

from questloom.eval.adapter import answer_of
from questloom.eval.contamination import compare, n_grams, read_training
from questloom.eval.items import Item
from questloom.records.errors import InputError
from questloom.records.identity import sha256_hex
from tests.models.pictures import file_of, scene

LONG = "Who was the architect of the town hall that stands beside the bridge shown here?"
PICTURES = {
    sha256_hex(data): data for data in (file_of(scene(n, (160, 120)), quality=95) for n in range(4))
}
SHAS = tuple(PICTURES)


def item(row: str, question: str, picture: int, *entities: str) -> Item:
    return Item(
        benchmark="b",
        row=row,
        question=question,
        answer=answer_of(["x"]),
        pictures=(SHAS[picture],),
        entities=entities,
    )


def data_set(folder: Path, part: str, question: str, picture: bytes, bindings: str = "{}") -> None:
    (folder / "data" / part).mkdir(parents=True, exist_ok=True)
    row = {
        "question": [question],
        "image": [{"bytes": picture, "path": None}],
        "bindings": [bindings],
        "anchor": ["Q1"],
    }
    features = datasets.Features(
        {**dict.fromkeys(row, datasets.Value("string")), "image": datasets.Image()}
    )
    datasets.Dataset.from_dict(row, features=features).to_parquet(
        str(folder / "data" / part / "train-000.parquet")
    )


@pytest.fixture
def training(tmp_path) -> Path:
    again = file_of(
        scene(1, (160, 120)).resize((120, 90)), quality=70
    )  # the same picture, smaller and compressed again
    data_set(tmp_path, "rl", LONG, again, '{"x0": "Q7", "a": "1871"}')
    data_set(
        tmp_path,
        "benchmark",
        "Is this one left out, as the benchmark's own part must be?",
        PICTURES[SHAS[2]],
        '{"x0": "Q99"}',
    )
    return tmp_path


def test_each_kind_of_match_is_found_and_told_apart(training):
    items = [
        item("words", f"{LONG[:-1]} in Lund?", 0),
        item("picture", "What is it?", 1),
        item("entity", "Who is he?", 3, "Q7", "Q2"),
        item("anchor", "When?", 3, "Q1"),
        item("none", "Which river flows through the second largest city of that country?", 3, "Q3"),
    ]
    found = compare(items, read_training([str(training)]), PICTURES.__getitem__)
    by_row = {i.row: found.matches.get(i.id) for i in items}
    assert by_row == {
        "words": ("question",),
        "picture": ("pictures",),
        "entity": ("entities",),
        "anchor": ("entities",),
        "none": None,
    }
    assert found.as_json() == {
        "training_data": [training.name],
        "training_rows": 1,
        "questions": 5,
        "with_known_entities": 3,
        "any": 4,
        "entities": 2,
        "question": 1,
        "pictures": 1,
    }


def test_the_data_sets_own_benchmark_is_no_training_data(training):
    found = compare(
        [item("x", "Is this one left out, as the benchmark's own part must be?", 2, "Q99")],
        read_training([str(training)]),
        PICTURES.__getitem__,
    )
    assert not found.matches


def test_a_question_that_shares_a_few_words_of_a_template_is_no_match(training):
    found = compare(
        [
            item(
                "x",
                "Who was the architect of the town hall that burned down in the year of the great flood of the lower valley?",
                0,
            )
        ],
        read_training([str(training)]),
        PICTURES.__getitem__,
    )
    assert not found.matches


def test_a_folder_without_training_data_is_refused(tmp_path):
    with pytest.raises(InputError, match="holds no Parquet file"):
        read_training([str(tmp_path)])


def test_short_questions_are_compared_as_a_whole():
    assert (
        list(n_grams("Who, built THIS?")) == ["who built this"]
        and len(list(n_grams(LONG))) == len(LONG.split()) - 7
        and not list(n_grams("?"))
    )
