"""Outside rows: three kinds of source, and each reason why a row is no question or its picture will not do."""

import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from datasets import Dataset, Features, List
from datasets import Image as ImageFeature
from datasets import Value as Text
from PIL import Image

from questloom.records.errors import InputError
from questloom.records.outcomes import Reason
from questloom.transforms.external.external_rules import ExternalRules
from questloom.transforms.external.outside_rows import (
    Source,
    certified,
    open_source,
    picture_of,
    question_of,
)
from questloom.transforms.pictures.choose import perceptual_hash
from questloom.transforms.pictures.picture_rules import PictureRules

RULES = PictureRules(min_side=200)
ROW = {
    "image": "p.jpg",
    "question": "Who  built\nthis?",
    "answer": ["Ada Bruck", "A. Bruck"],
    "who": "Ed",
    "rights": "CC BY 4.0",
}


@pytest.fixture(scope="module")
def picture() -> bytes:
    """As rich in colours and tones as a photograph."""
    coarse = np.random.default_rng(5).integers(0, 255, (12, 16, 3), dtype=np.uint8)
    out = io.BytesIO()
    Image.fromarray(coarse).resize((640, 480), Image.Resampling.BICUBIC).save(out, "JPEG")
    return out.getvalue()


@pytest.fixture
def jsonl(tmp_path, picture):
    """Writes rows beside a picture p.jpg; gives the source."""

    def write(*rows: dict, **rules) -> Source:
        (tmp_path / "p.jpg").write_bytes(picture)
        (tmp_path / "rows.jsonl").write_text("\n".join(json.dumps(row) for row in rows))
        return open_source(ExternalRules(path=str(tmp_path / "rows.jsonl"), **rules))

    return write


def question(source: Source, number: int = 0):
    return question_of(source.seed(number), source, number, "en")


def with_picture(source: Source, number: int = 0, excluded: frozenset[str] = frozenset()):
    return picture_of(question(source, number), source, number, RULES, excluded)


def test_a_row_of_json_lines_becomes_a_question_with_provenance_and_a_certificate_that_says_external(
    jsonl,
):
    made, shown = with_picture(jsonl(ROW, licence_column="rights", author_column="who"))
    assert (made.text, made.answer.text, made.answer.aliases) == (
        "Who built this?",
        "Ada Bruck",
        ("A. Bruck",),
    )
    assert (made.method, made.form, made.seed_entity) == ("external", None, "rows:0")
    assert {**made.provenance, "sha256": ""} == {
        "source": "rows",
        "row": 0,
        "licence": "CC BY 4.0",
        "author": "Ed",
        "page": "",
        "sha256": "",
    }
    assert made.image_id == made.source_image_id == shown.id
    certificate = certified(made).certificate
    assert (certificate.basis, certificate.margin, certificate.checks) == ("external", -1, ())


def test_parquet_with_an_image_column_and_a_folder_of_the_hub_give_the_same_question(
    tmp_path, picture, jsonl
):
    table = pa.table(
        {
            "image": [{"bytes": picture, "path": None}],
            "question": ["Who built this?"],
            "answer": [["Ada Bruck", "A. Bruck"]],
        }
    )
    (tmp_path / "hub" / "data").mkdir(parents=True)
    for path in (
        tmp_path / "rows.parquet",
        tmp_path / "hub" / "data" / "train-00000-of-00001.parquet",
    ):
        pq.write_table(table, path)
    expected = with_picture(jsonl(ROW, licence="CC0"))[0]
    for path in (tmp_path / "rows.parquet", tmp_path / "hub"):
        assert (
            with_picture(open_source(ExternalRules(path=str(path), name="rows", licence="CC0")))[0]
            == expected
        )


def test_a_column_of_lists_gives_the_one_picture_of_each_and_a_row_with_several_has_none(
    tmp_path, picture, jsonl
):
    expected = with_picture(jsonl(ROW, licence="CC0"))[0]
    assert with_picture(jsonl({**ROW, "image": ["p.jpg"]}, licence="CC0"))[0] == expected
    assert (
        with_picture(jsonl({**ROW, "image": ["p.jpg", "p.jpg"]}, licence="CC0")).reason
        == Reason.NO_PICTURE
    )
    assert with_picture(jsonl({**ROW, "image": []}, licence="CC0")).reason == Reason.NO_PICTURE
    features = Features(
        {"images": List(ImageFeature()), "question": Text("string"), "answer": List(Text("string"))}
    )
    row = {
        "images": [[{"bytes": picture, "path": None}]],
        "question": ["Who built this?"],
        "answer": [["Ada Bruck", "A. Bruck"]],
    }
    Dataset.from_dict(row, features=features).to_parquet(tmp_path / "lists.parquet")
    source = open_source(
        ExternalRules(
            path=str(tmp_path / "lists.parquet"), name="rows", image_column="images", licence="CC0"
        )
    )
    assert with_picture(source)[0] == expected


def test_an_id_is_by_name_and_row_and_not_by_where_the_file_lies(jsonl):
    source = jsonl(ROW, ROW)
    elsewhere = Source(ExternalRules(path="/elsewhere/copy.jsonl", name="rows"), source.rows)
    assert source.seed(1).id == elsewhere.seed(1).id != source.seed(0).id


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"question": " "}, Reason.NO_WORDING),
        ({"question": "x" * 5000}, Reason.NO_WORDING),
        ({"answer": None}, Reason.NO_ANSWER),
        ({"answer": []}, Reason.NO_ANSWER),
        ({"answer": {"a": 1}}, Reason.NO_ANSWER),
    ],
)
def test_a_row_without_usable_words_is_rejected_as_a_draft(jsonl, changed, reason):
    assert question(jsonl({**ROW, **changed}, licence="CC0")).reason == reason


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"rights": ""}, Reason.NO_LICENCE),
        ({"rights": "All rights reserved"}, Reason.LICENCE_NOT_ALLOWED),
        ({"image": ""}, Reason.NO_PICTURE),
        ({"image": "gone.jpg"}, Reason.NO_PICTURE),
        ({"image": "../../../../etc/hostname"}, Reason.NO_PICTURE),
        ({"image": "rows.jsonl"}, Reason.PICTURE_UNREADABLE),
    ],
)
def test_a_picture_that_will_not_do_is_rejected_with_its_reason(jsonl, changed, reason):
    assert with_picture(jsonl({**ROW, **changed}, licence_column="rights")).reason == reason


def test_a_small_a_flat_and_an_excluded_picture_are_rejected_as_a_stores_are(
    tmp_path, jsonl, picture
):
    Image.new("RGB", (64, 64), "red").save(tmp_path / "small.jpg")
    Image.new("RGB", (400, 400), "red").save(tmp_path / "flat.png")
    source = jsonl(ROW, {**ROW, "image": "small.jpg"}, {**ROW, "image": "flat.png"}, licence="CC0")
    assert with_picture(source, 1).reason == Reason.PICTURE_TOO_SMALL
    assert with_picture(source, 2).reason == Reason.PICTURE_TOO_SIMPLE
    assert (
        with_picture(source, 0, frozenset({perceptual_hash(picture)})).reason
        == Reason.PICTURE_DUPLICATE
    )


def test_a_number_is_a_quantity_and_a_text_a_string(jsonl):
    source = jsonl({**ROW, "answer": 12}, {**ROW, "answer": "12"}, {**ROW, "answer": 2.5})
    assert [question(source, n).answer.type for n in range(3)] == ["quantity", "string", "quantity"]
    assert [question(source, n).answer.text for n in range(3)] == ["12", "12", "2.5"]


def test_the_limit_takes_the_first_rows(jsonl):
    assert len(jsonl(ROW, ROW, ROW, limit=2)) == 2


@pytest.mark.parametrize(
    ("text", "where", "what"),
    [
        ("", "", "holds no row"),
        ('{"image": 1}\nno json', "line 2", "no JSON"),
        ("[1]", "line 1", "no JSON object"),
        ('{"image": "p", "question": "q"}', "", "no column answer"),
    ],
)
def test_a_damaged_source_is_refused_with_its_place(tmp_path, text, where, what):
    (tmp_path / "bad.jsonl").write_text(text)
    with pytest.raises(InputError, match=what) as caught:
        open_source(ExternalRules(path=str(tmp_path / "bad.jsonl")))
    assert where in caught.value.where


def test_a_missing_file_and_one_that_is_no_parquet_are_refused(tmp_path):
    (tmp_path / "bad.parquet").write_bytes(b"no parquet")
    for name, what in (("gone.jsonl", "is not there"), ("bad.parquet", "cannot be read")):
        with pytest.raises(InputError, match=what):
            open_source(ExternalRules(path=str(tmp_path / name)))
