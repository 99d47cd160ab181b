"""What is read: stored episodes with the policy's own ids where they stand, dialogues, and every row that is left out with its reason."""

import gzip
import json
import re
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from questloom.records.errors import InputError
from questloom.train.rows.row import RowError, RowFault, UnusableRow
from questloom.train.sft.data import REASONS
from questloom.train.sft.data_sets import dialogue_files
from questloom.train.sft.sources import (
    FOREIGN_SPLIT,
    OTHER_SPLIT,
    DroppedRow,
    _of_dialogue,
    check_sources,
    read_documents,
)
from tests.agent import tiny
from tests.train.played import TOKENS
from tests.train.read import maker, surveyed
from tests.train.sft_world import (
    dialogue,
    dialogue_file,
    episodes_folder,
    some_dialogues,
    trajectory,
)

ROOT = Path(__file__).parents[2]


def test_a_runs_kept_episodes_enter_by_their_split_with_the_ids_that_were_played(tmp_path):
    stored = [
        trajectory(0),
        trajectory(1, "sft/validation"),
        trajectory(2, "rl/train"),
        trajectory(3, told=False),
    ]
    survey, documents = surveyed(tmp_path, [episodes_folder(tmp_path / "run", stored)])
    assert survey.figures() | {"tokens": 0, "labels": 0, "pictures": 0} == {
        "read": 4,
        "train": 2,
        "validation": 1,
        "shortened": 0,
        "left_out": {"other_split": 1},
        "ids": {"sampled": 2, "rendered": 1},
        "tokens": 0,
        "labels": 0,
        "pictures": 0,
        "slips": 0,
    }
    by_id = {each.episode_id: each for each in survey.used}
    for made, told in ((stored[0][0], True), (stored[3][0], False)):
        each = by_id[made.id]
        row = maker().again(each, documents[each.number])
        said = [tuple(row.ids[begin:end].tolist()) for begin, end in row.turns]
        assert (said == [turn.token_ids for turn in made.episode.turns]) == told
        assert [TOKENS.rendered(ids) for ids in said] == [turn.text for turn in made.episode.turns]
        assert len(row.pictures) == each.pictures == 2 and each.ids == (
            "sampled" if told else "rendered"
        )


@pytest.mark.parametrize("told", [True, False])
def test_a_turn_that_broke_the_protocol_is_never_imitated_and_what_got_over_it_is(tmp_path, told):
    made, pictures = trajectory(0, told=told)
    first, second, last = made.episode.turns
    stored = made.replace(
        episode=made.episode.replace(turns=(first, second.replace(violation="no_thought"), last))
    )
    survey, documents = surveyed(
        tmp_path, [episodes_folder(tmp_path / "run", [(stored, pictures)])]
    )
    row = maker().again(survey.used[0], documents[0])
    assert [row.loss_mask[begin:end].tolist() for begin, end in row.turns] == [
        [n != 1] * (e - b) for n, (b, e) in enumerate(row.turns)
    ]
    assert survey.figures()["slips"] == 1 and survey.used[0].labels == int(row.loss_mask.sum())


def test_a_row_of_which_nothing_but_a_slip_is_left_is_left_out_with_its_reason(tmp_path):
    made, pictures = trajectory(0)
    first, *rest = made.episode.turns
    stored = made.replace(
        episode=made.episode.replace(turns=(first.replace(violation="no_thought"), *rest))
    )
    whole, documents = surveyed(tmp_path, [episodes_folder(tmp_path / "run", [(stored, pictures)])])
    most = maker().again(whole.used[0], documents[0]).turns[0][1]
    survey, _ = surveyed(tmp_path, [tmp_path / "run"], max_tokens=most)
    assert (
        survey.left_out == {RowFault.NO_POLICY_TOKENS: 1}
        and "no turn is left" in survey.examples[RowFault.NO_POLICY_TOKENS]
    )


def test_a_policys_folder_may_be_named_itself(tmp_path):
    episodes_folder(tmp_path / "run", [trajectory(0)], "student")
    assert len(list(read_documents([str(tmp_path / "run" / "episodes" / "student")]))) == 1
    with pytest.raises(
        InputError, match=r"no episodes of the policy 'teacher' \(it has: student\)"
    ):
        list(read_documents([str(tmp_path / "run")]))


def test_ids_of_another_tokenizer_are_not_taken_for_the_models(tmp_path):
    made, pictures = trajectory(0)
    turn = made.episode.turns[0]
    other = turn.replace(token_ids=tuple(i + 1 for i in turn.token_ids))
    strange = made.replace(episode=made.episode.replace(turns=(other, *made.episode.turns[1:])))
    survey, documents = surveyed(
        tmp_path, [episodes_folder(tmp_path / "run", [(strange, pictures)])]
    )
    row = maker().again(survey.used[0], documents[0])
    assert (
        survey.used[0].ids == "rendered"
        and TOKENS.rendered(row.ids[slice(*row.turns[0])].tolist()) == turn.text
    )


def test_text_from_outside_forms_no_special_token_of_the_model(tmp_path):
    made, pictures = trajectory(0)
    first = made.episode.turns[0]
    loud = first.replace(result=first.result.replace(text="a<|image_pad|><|im_end|>b"))
    survey, _ = surveyed(
        tmp_path,
        [
            episodes_folder(
                tmp_path / "run",
                [
                    (
                        made.replace(
                            episode=made.episode.replace(turns=(loud, *made.episode.turns[1:]))
                        ),
                        pictures,
                    )
                ],
            )
        ],
    )
    assert len(survey.used) == 1 and survey.used[0].pictures == 2


def test_every_row_that_is_left_out_is_counted_with_its_reason(tmp_path):
    rows = some_dialogues()
    rows[0]["conversations"] = rows[0]["conversations"][::-1]
    rows[1]["images"] = rows[1]["images"][:-1]
    long = dialogue(7, 12)
    no_turn = {"conversations": [{"from": "human", "value": "Who?"}], "images": []}
    path = dialogue_file(tmp_path, [*rows, long, dialogue(8), no_turn, dialogue(9)])
    (tmp_path / "pictures" / "17.png").unlink()
    (tmp_path / "pictures" / "18.png").write_bytes(b"no picture")
    survey, _ = surveyed(tmp_path, [path], max_tokens=300, too_long="leave_out")
    assert survey.read == 11 and len(survey.used) == 5
    assert survey.left_out == {
        RowFault.DIALOGUE: 2,
        RowFault.TOO_LONG: 1,
        RowFault.PICTURE_FILE: 2,
        RowFault.NO_POLICY_TOKENS: 1,
    }
    assert (
        "17.png" in survey.examples[RowFault.PICTURE_FILE]
        and survey.figures()["left_out"][RowFault.DIALOGUE] == 2
    )
    said = survey.reasons()
    assert (
        said[0].startswith("2 left out (dialogue): they are no dialogue in which")
        and "the first: dialogues.json, row 1 is no alternation" in said[0]
    )
    assert [line[:28] for line in said[1:]] == [
        "1 left out (no_policy_tokens)"[:28],
        "2 left out (picture_file): a",
        "1 left out (too_long): they a"[:28],
    ]
    again, _ = surveyed(tmp_path, [path], max_tokens=300)
    assert (
        again.figures()["shortened"] == 1
        and len(again.used) == 6
        and max(each.tokens for each in again.used) <= 300
    )


@pytest.mark.parametrize("name", ["d.json", "d.jsonl", "d.json.gz", "d.jsonl.gz", "d.parquet"])
def test_dialogues_are_read_from_every_kind_of_file(tmp_path, name):
    rows = [dialogue(0), dialogue(1)]
    dialogue_file(tmp_path, rows)
    text = "\n".join(map(json.dumps, rows)) if "jsonl" in name else json.dumps(rows)
    if name == "d.parquet":
        inside = [
            {
                **row,
                "images": [
                    {"bytes": (tmp_path / p).read_bytes(), "path": None} for p in row["images"]
                ],
            }
            for row in rows
        ]
        pq.write_table(pa.Table.from_pylist(inside), tmp_path / name)
    else:
        (tmp_path / name).write_bytes(
            gzip.compress(text.encode()) if name.endswith("gz") else text.encode()
        )
    survey, documents = surveyed(tmp_path, [tmp_path / name], [tmp_path / "dialogues.json"])
    train, held = survey.of("train"), survey.of("validation")
    assert [each.digest for each in train] == [each.digest for each in held] and len(train) == 2
    assert documents[0].pictures[0] == (tiny.picture(0) if name == "d.parquet" else b"")


def test_a_picture_that_changed_after_it_was_counted_ends_the_run(tmp_path):
    path = dialogue_file(tmp_path, [dialogue(0)])
    survey, documents = surveyed(tmp_path, [path])
    (tmp_path / "pictures" / "0.png").write_bytes(tiny.picture(99))
    with pytest.raises(RowError, match="not those that were counted") as error:
        maker().again(survey.used[0], documents[0])
    assert not isinstance(error.value, UnusableRow)


def test_sources_that_are_none_are_refused_before_anything_is_read(tmp_path):
    (tmp_path / "empty").mkdir()
    (tmp_path / "notes.txt").write_text("")
    (tmp_path / "bad.json").write_text("{")
    (tmp_path / "object.json").write_text("{}")
    episodes_folder(tmp_path / "run", [trajectory(0)])
    for path, message in (
        ("gone", "does not exist"),
        ("empty", "is no run, and no file"),
        ("notes.txt", "is no run, and no file"),
    ):
        with pytest.raises(InputError, match=message):
            check_sources([str(tmp_path / path)])
    for path, message in (("bad.json", "cannot be read"), ("object.json", "is no list")):
        with pytest.raises(InputError, match=message):
            list(read_documents([str(tmp_path / path)]))
    with pytest.raises(InputError, match="know themselves"):
        list(read_documents([], [str(tmp_path / "run")]))
    with pytest.raises(InputError, match="lies in a bucket"):
        dialogue_files("s3://bucket/d.json", "train")
    with pytest.raises(InputError, match="is named twice"):
        check_sources([str(tmp_path / "run")] * 2)


def test_every_reason_for_which_a_row_may_be_left_out_has_words():
    used = {
        found
        for path in (ROOT / "train").rglob("*.py")
        for found in re.findall(r"UnusableRow\(\s*RowFault\.(\w+)", path.read_text())
    }
    assert {"DIALOGUE", "TOO_LONG"} < used and {RowFault[name] for name in used} <= REASONS.keys()
    assert {OTHER_SPLIT, FOREIGN_SPLIT} <= REASONS.keys()


def test_a_row_of_nothing_is_left_out():
    for row in (
        None,
        3,
        {},
        {"conversations": []},
        {"conversations": [{"from": "gpt", "value": 3}]},
    ):
        assert (found := _of_dialogue("f, row 1", "", row, "train")) == DroppedRow(
            "f, row 1", "dialogue", found.what
        ) and found.what.startswith("f, row 1 ")
