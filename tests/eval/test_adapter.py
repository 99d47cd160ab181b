"""Rows in the benchmarks' own formats become questions with typed answers and pictures; counts are checked, and what does not fit is refused."""

import base64
import hashlib
import json
from pathlib import Path

import datasets
import pytest

from questloom.eval.adapter import answer_of, chosen, deciphered, entries, with_pictures
from questloom.eval.rows import Rows, open_hub, open_local
from questloom.eval.statements import statements
from questloom.records.errors import InputError
from tests.agent import tiny

PNG = tiny.picture(3, (60, 40))


def hidden(text: str, key: str) -> str:
    """As MM-BrowseComp and MMSearch-Plus hide a text."""
    stream = hashlib.sha256(key.encode()).digest()
    return base64.b64encode(
        bytes(byte ^ stream[place % len(stream)] for place, byte in enumerate(text.encode()))
    ).decode()


def parquet(folder: Path, rows: dict[str, list], **features) -> Path:
    """A file as the Hub has it, with pictures in the Image feature."""
    datasets.Dataset.from_dict(rows, features=datasets.Features(features)).to_parquet(
        str(folder / "rows.parquet")
    )
    return folder / "rows.parquet"


def read(name: str, path: Path, pictures: Path | None = None, subset: str = ""):
    """The items of a file, with pictures, and the pictures by their hashes."""
    statement, rows, kept = statements()[name], open_local(path, pictures), {}
    found = chosen(statement, entries(statement, rows), subset, partial=True)
    return [with_pictures(entry, rows, kept.__setitem__) for entry in found], kept


STRING, IMAGE = datasets.Value("string"), datasets.Image()
CELL = {"bytes": PNG, "path": None}


def test_mm_browsecomp_is_deciphered_and_its_pictures_are_found_by_the_last_part_of_their_addresses(
    tmp_path,
):
    rows = [
        {
            "id": str(n),
            "images": [f"https://raw.githubusercontent.com/x/MMBC_images/{n}.png"] * (n % 3),
            "question": hidden(f"Who is number {n}?", "c:1"),
            "answer": hidden(f"Ann é {n}", "c:1"),
            "checklist": [],
            "subtask": "OCR",
            "canary": "c:1",
        }
        for n in range(6)
    ]
    (tmp_path / "MMBrowseComp.jsonl").write_text("\n".join(map(json.dumps, rows)))
    (tmp_path / "MMBC_images").mkdir()
    for n in (1, 2, 4, 5):
        (tmp_path / "MMBC_images" / f"{n}.png").write_bytes(tiny.picture(n, (50, 50)))
    items, kept = read("mm_browsecomp", tmp_path / "MMBrowseComp.jsonl", tmp_path / "MMBC_images")
    assert (
        [len(item.pictures) for item in items] == [0, 1, 2, 0, 1, 2]
        and items[1].question == "Who is number 1?"
        and items[1].answer.text == "Ann é 1"
    )
    assert set(items[1].pictures) <= set(kept) and items[0].category == "OCR"
    one, _ = read(
        "mm_browsecomp", tmp_path / "MMBrowseComp.jsonl", tmp_path / "MMBC_images", "vsearcher"
    )
    assert [item.row for item in one] == ["1", "4"], "those with one picture"


def test_mmsearch_keeps_questions_without_a_picture_and_its_subset_does_not(tmp_path):
    path = parquet(
        tmp_path,
        {
            "sample_id": ["a", "b"],
            "query": ["Who?", "When?"],
            "query_image": [CELL, None],
            "image_search_result": [CELL, None],
            "gt_answer": ["Ann", "1871"],
            "alternative_gt_answers": [["Anna"], []],
            "subfield": ["arts", "news"],
        },
        sample_id=STRING,
        query=STRING,
        query_image=IMAGE,
        image_search_result=IMAGE,
        gt_answer=STRING,
        alternative_gt_answers=datasets.List(STRING),
        subfield=STRING,
    )
    items, kept = read("mmsearch", path)
    assert (
        [len(item.pictures) for item in items] == [1, 0]
        and items[0].answer.aliases == ("Anna",)
        and list(kept.values()) == [PNG]
    )
    assert items[1].answer.type == "quantity" and items[1].answer.value.number == 1871
    assert [item.row for item in read("mmsearch", path, subset="vsearcher")[0]] == ["a"]


def test_mmsearch_plus_is_deciphered_and_shows_its_pictures_in_order(tmp_path):
    pictures = {
        f"img_{n}": [{"bytes": tiny.picture(n, (50, 50)), "path": None} if n < 3 else None]
        for n in range(1, 6)
    }
    path = parquet(
        tmp_path,
        {
            "question": [hidden("Which talk is it?", "MMSearch-Plus")],
            "answer": [[hidden(w, "MMSearch-Plus") for w in ("RLHF", "RL")]],
            "num_images": [2],
            "category": ["Academic"],
            **pictures,
        },
        question=STRING,
        answer=datasets.List(STRING),
        num_images=datasets.Value("int64"),
        category=STRING,
        **dict.fromkeys(pictures, IMAGE),
    )
    (item,), kept = read("mmsearch_plus", path)
    assert item.question == "Which talk is it?" and (item.answer.text, item.answer.aliases) == (
        "RLHF",
        ("RL",),
    )
    assert [kept[sha] for sha in item.pictures] == [
        tiny.picture(1, (50, 50)),
        tiny.picture(2, (50, 50)),
    ]


def test_simplevqa_has_pictures_in_base64_and_a_language(tmp_path):
    path = parquet(
        tmp_path,
        {
            "data_id": [1011, 1012, 1311, 1312],
            "image": [base64.b64encode(tiny.picture(n, (200, 100))).decode() for n in range(4)],
            "question": ["谁?"] + ["Who?"] * 3,
            "answer": ["安", "Ann", "Bob", "Cid"],
            "language": ["CN", "EN", "EN", "EN"],
            "vqa_category": ["x"] * 4,
        },
        data_id=datasets.Value("int64"),
        image=STRING,
        question=STRING,
        answer=STRING,
        language=STRING,
        vqa_category=STRING,
    )
    items, kept = read("simplevqa", path)
    assert [item.language for item in items] == ["zh", "en", "en", "en"] and kept[
        items[2].pictures[0]
    ] == tiny.picture(2, (200, 100))
    assert [item.row for item in read("simplevqa", path, subset="webwatcher")[0]] == [
        "1012",
        "1311",
    ]
    assert {item.language for item in read("simplevqa", path, subset="vsearcher")[0]} == {"en"}


def test_livevqa_gives_two_questions_a_row_and_fvqa_leads_inwards(tmp_path):
    one = {
        "question": "What event is it?",
        "question_type": "event",
        "options": ["A. x"],
        "Ground_Truth": "A",
        "Ground_Truth_List": ["A debate", "debate"],
        "img_path": "a.png",
    }
    (tmp_path / "benchmark.json").write_text(
        json.dumps(
            [
                {
                    "id": "0",
                    "img_path": "a.png",
                    "level1_qa": one,
                    "level2_qa": {**one, "question": "How many?"},
                }
            ]
        )
    )
    (tmp_path / "a.png").write_bytes(PNG)
    items, _ = read("livevqa", tmp_path / "benchmark.json")
    assert [(item.row, item.question) for item in items] == [
        ("0/level1_qa", "What event is it?"),
        ("0/level2_qa", "How many?"),
    ]
    path = parquet(
        tmp_path,
        {
            "data_id": ["f1"],
            "prompt": [[{"role": "user", "content": "<image>\nWho built it?"}]],
            "images": [[CELL]],
            "category": ["x"],
            "reward_model": [{"ground_truth": "Ann", "candidate_answers": '["Ann Lee"]'}],
        },
        data_id=STRING,
        prompt=datasets.List({"role": STRING, "content": STRING}),
        images=datasets.List(IMAGE),
        category=STRING,
        reward_model={"ground_truth": STRING, "candidate_answers": STRING},
    )
    (item,), kept = read("fvqa", path)
    assert (
        item.question == "Who built it?"
        and item.answer.aliases == ("Ann Lee",)
        and kept[item.pictures[0]] == PNG
    )


def test_hr_bench_and_mathvision_show_their_options_and_take_the_letter_or_its_words(tmp_path):
    (tmp_path / "hr.tsv").write_text(
        "index\tquestion\tanswer\tA\tB\tC\tD\tcategory\timage\n"
        f"0\tWhat colour?\tB\tred\tblue\tgreen\tgrey\tsingle\t{base64.b64encode(tiny.picture(1, (300, 200))).decode()}\n"
    )
    (item,), _ = read("hr_bench_4k", tmp_path / "hr.tsv")
    assert (
        item.question == "What colour?\nA. red\nB. blue\nC. green\nD. grey"
        and item.answer.aliases == ("blue", "B. blue", "(B) blue")
    )
    path = parquet(
        tmp_path,
        {
            "id": ["1", "2"],
            "question": ["Which?", "How many?\n<image1>"],
            "options": [["3", "5"], []],
            "decoded_image": [CELL, CELL],
            "image": ["images/1.jpg"] * 2,
            "answer": ["A", "2.5"],
            "subject": ["algebra"] * 2,
        },
        id=STRING,
        question=STRING,
        options=datasets.List(STRING),
        decoded_image=IMAGE,
        image=STRING,
        answer=STRING,
        subject=STRING,
    )
    first, second = read("mathvision", path)[0]
    assert (
        first.answer.text == "A"
        and "3" in first.answer.aliases
        and second.question == "How many?"
        and second.answer.value.number == 2.5
    )


def test_mm_searchexam_and_hle_rows_are_read(tmp_path):
    (tmp_path / "a b.jpg").write_bytes(PNG)
    row = {
        "question": "What ring road?",
        "image_path": "https://x.example/d/a%20b.jpg",
        "answer": "Mittlerer Ring",
    }
    (tmp_path / "mmsearchexam.jsonl").write_text(json.dumps(row))
    (item,), kept = read("mm_searchexam", tmp_path / "mmsearchexam.jsonl")
    assert item.answer.text == "Mittlerer Ring" and kept[item.pictures[0]] == PNG
    row = {
        "prompt": "Mate in two?",
        "file_path": "infer/x/a b.jpg",
        "task": "hle/Other",
        "answers": [["Qa8, then mate"]],
    }
    (tmp_path / "hle.jsonl").write_text(json.dumps(row))
    assert read("hle_vl", tmp_path / "hle.jsonl")[0][0].answer.text == "Qa8, then mate"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"question": "Who?", "answers": ["Ann"], "image_path": "gone.png"}, "is not in"),
        ({"question": "Who?", "answers": ["Ann"], "image_path": "../outside.png"}, "is not in"),
        (
            {"question": " ", "answers": ["Ann"], "image_path": ""},
            "has nothing in the column question",
        ),
        (
            {"question": "Who?", "answers": [], "image_path": ""},
            "has nothing in the column answers",
        ),
        ({"problem": "Who?", "answers": ["Ann"]}, "Its columns: answers, problem"),
    ],
)
def test_a_row_that_is_no_question_or_names_no_picture_is_refused(tmp_path, row, said):
    (tmp_path / "outside.png").write_bytes(PNG)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "bc_vl_level1.jsonl").write_text(json.dumps(row))
    with pytest.raises(InputError) as refused:
        read("browsecomp_vl_1", tmp_path / "data" / "bc_vl_level1.jsonl")
    assert said in str(refused.value) + refused.value.fix


def test_another_number_of_questions_than_stated_an_id_twice_and_an_unknown_subset_are_refused():
    statement = statements()["mmsearch"]
    rows = [{"sample_id": str(n), "query": "Who?", "gt_answer": "Ann"} for n in range(3)]
    found = entries(statement, Rows(rows, "", Path()))
    with pytest.raises(InputError, match="300 questions by its statement, but 3 were read"):
        chosen(statement, found)
    with pytest.raises(InputError, match="fits no question"):
        chosen(statement, found, "vsearcher", partial=True)
    with pytest.raises(InputError, match="none that mmsearch has"):
        chosen(statement, found, "axpo", partial=True)
    with pytest.raises(InputError, match="has the id 1 twice"):
        entries(statement, Rows([*rows, rows[1]], "", Path()))


def test_what_was_not_hidden_cannot_be_deciphered():
    row = {"id": "1", "images": [], "question": "plain words", "answer": "x", "canary": "c"}
    with pytest.raises(InputError, match="cannot be deciphered"):
        entries(statements()["mm_browsecomp"], Rows([row], "", Path()))
    assert deciphered(hidden("Zürich", "k"), "k") == "Zürich"


def test_a_draw_is_the_same_whatever_the_order_of_the_rows():
    statement = statements()["fvqa"]
    rows = [
        {
            "data_id": str(n),
            "prompt": [{"content": "Who?"}],
            "reward_model": {"ground_truth": "Ann"},
            "images": [],
        }
        for n in range(400)
    ]
    drawn = [
        {
            e.item.row
            for e in chosen(
                statement, entries(statement, Rows(given, "", Path())), "ode", partial=True
            )
        }
        for given in (rows, rows[::-1])
    ]
    assert drawn[0] == drawn[1] and len(drawn[0]) == 300


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("gone.jsonl", "is not there"),
        ("bad.jsonl", "cannot be read"),
        ("empty.json", "holds no row"),
    ],
)
def test_a_file_that_is_no_benchmark_is_refused(tmp_path, path, said):
    (tmp_path / "bad.jsonl").write_text("{no json")
    (tmp_path / "empty.json").write_text("[]")
    with pytest.raises(InputError, match=said):
        open_local(tmp_path / path)


def test_a_benchmark_that_does_not_lie_on_the_hub_or_cannot_be_reached_is_refused():
    with pytest.raises(InputError, match="does not lie on the Hub"):
        open_hub(statements()["mm_browsecomp"])
    with pytest.raises(InputError, match="cannot be had"):
        open_hub(statements()["vstar"])  # the tests have no network


def test_a_data_sets_folder_is_read(tmp_path):
    features = datasets.Features(
        {"question_id": STRING, "text": STRING, "label": STRING, "image": IMAGE, "category": STRING}
    )
    row = {
        "question_id": ["1"],
        "text": ["Colour? (A) red (B) blue"],
        "label": ["B"],
        "image": [CELL],
        "category": ["c"],
    }
    datasets.Dataset.from_dict(row, features=features).save_to_disk(str(tmp_path / "vstar"))
    (item,), kept = read("vstar", tmp_path / "vstar")
    assert item.answer.text == "B" and kept[item.pictures[0]] == PNG


def test_a_number_is_typed_and_any_wording_is_right():
    assert (
        answer_of(["3,5"]).type == "string"
        and answer_of(["-2"]).value.number == -2
        and answer_of(["Rome", "Rome", "Roma"]).aliases == ("Roma",)
    )
