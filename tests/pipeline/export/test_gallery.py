"""The gallery, a static page of data sets (`benchmarks/gallery.py`)."""

import re
import shutil

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from lxml import html
from PIL import Image

from benchmarks.gallery import drawn, rows, shown, solved, turns_of, write_gallery
from questloom.pipeline.report.people_names import Names


def test_each_data_set_gives_its_share_with_answer_picture_and_credit(exported, tmp_path):
    made = write_gallery([exported, exported], tmp_path, number=4, seed=1)
    cards = html.parse(str(tmp_path / "index.html")).xpath("//article")
    assert made == len(cards) == 4
    known = {row["question"]: row["answer"] for row in rows(exported)}
    for card in cards:
        question = card.findtext("h3").partition(". ")[2]
        assert card.findtext("details/p/b").startswith(known[question])
        summaries = [each.text for each in card.findall("details/summary")]
        assert summaries == ["Answer and route", "Path", "Certificate"]
        assert card.xpath("details/ol/li") and "nearest rival: Other" in card.text_content()
        assert card.findtext("small").startswith("Picture: ") and "hops" in card.findtext("p")
        with Image.open(tmp_path / card.find("img").get("src")) as picture:
            assert max(picture.size) <= 320


def test_a_picture_whose_licence_is_inferred_is_linked_and_not_copied(exported, tmp_path):
    shutil.copytree(exported, tmp_path / "dataset")
    ledger = tmp_path / "dataset" / "attribution.parquet"
    table = pq.read_table(ledger)
    place = table.schema.names.index("credit")
    credits = [["somebody; inferred: by age"] * table.num_rows]
    pq.write_table(table.set_column(place, table.schema.field("credit"), credits), ledger)
    write_gallery([tmp_path / "dataset"], tmp_path / "gallery", number=3, seed=1)
    page = html.parse(str(tmp_path / "gallery" / "index.html"))
    assert len(page.xpath("//article")) == 3 and not page.xpath("//img")
    assert not list((tmp_path / "gallery").glob("*.jpg"))
    assert all("(inferred: by age)" in each.text for each in page.xpath("//article/small"))


def test_a_real_question_counts_as_one_and_links_a_picture_that_is_not_copied(exported, tmp_path):
    shutil.copytree(exported, tmp_path / "dataset")
    ledger = tmp_path / "dataset" / "attribution.parquet"
    rows_now = pq.read_table(ledger).to_pylist()
    found = [
        row | {"source_page": "https://commons.wikimedia.org/wiki/File:A", "credit": "inferred: x"}
        for row in rows_now
    ]
    pq.write_table(pa.Table.from_pylist(found), ledger)
    write_gallery([tmp_path / "dataset"], tmp_path / "gallery", number=3, seed=1)
    page = html.parse(str(tmp_path / "gallery" / "index.html"))
    assert page.findtext(".//h1") == "3 questions, 3 of them about real things"
    assert len(page.xpath("//article/p/a[text()='The picture at its source']")) == 3


def test_the_same_words_are_drawn_last_and_with_one_picture_once():
    found = [
        {"id": str(i), "question": f"Who? {i // 3}", "image_sha256": str(i % 3 // 2)}
        for i in range(9)
    ]
    words = [row["question"] for row in drawn(found, 10, 1)]
    assert sorted(words[:3]) == sorted(words[3:]) == ["Who? 0", "Who? 1", "Who? 2"]


def test_a_folder_without_questions_is_refused(tmp_path):
    with pytest.raises(FileNotFoundError, match="no kept questions"):
        rows(tmp_path)


def test_a_route_is_drawn_and_one_with_an_unknown_move_is_refused(exported):
    row = rows(exported)[0]
    page = "https://commons.example/wiki/File:A"
    credit = {"author": "A", "licence": "L", "credit": "", "source_page": page}
    moves = ["image_search x0", "text_search a"]
    row["route"] = {"moves": moves, "calls": 2}
    row["bindings"] = row["bindings"].replace(row["anchor"], "<b>&Q1</b>")
    found = shown(row, credit, "", Names(None), [])
    assert "text search: answer" in found.route and "&lt;b&gt;&amp;Q1&lt;/b&gt;" in found.route
    assert found.calls == 2 and found.source == "", "nobody can look up an invented page"
    moves.append("teleport a")
    with pytest.raises(ValueError, match="no move of a route"):
        shown(row, credit, "", Names(None), [])


def test_a_solved_episode_is_shown_with_thoughts_calls_returns_and_answer_escaped(taught, tmp_path):
    episodes = solved(taught / "dataset")
    assert episodes
    write_gallery([taught / "dataset"], tmp_path, number=50, seed=1)
    page = html.parse(str(tmp_path / "index.html"))
    turns = page.xpath("//article/details[summary='An episode that solved it']/ol/li")
    moves = [move for each in episodes.values() for move in each]
    assert len(turns) == len(moves) and not page.xpath("//script")
    for each in episodes.values():
        *calls, last = each
        assert last.answer and last.thought and not last.call
        assert all(move.call and move.thought and move.returned for move in calls)
    shown_calls = [turn.findtext("code") for turn in turns]
    assert sorted(filter(None, shown_calls)) == sorted(m.call for m in moves if m.call)
    assert all(re.fullmatch(r"\w+\(\w+=.*\)", call) for call in shown_calls if call)


def test_questions_with_an_episode_are_drawn_first():
    found = [{"id": str(i), "question": f"Who? {i}", "image_sha256": ""} for i in range(9)]
    assert {row["id"] for row in drawn(found, 2, 1, {"3", "7"})} == {"3", "7"}
    assert {row["id"] for row in drawn(found, 9, 1, {"3"})} == {str(i) for i in range(9)}


def test_a_turn_that_breaks_the_format_is_refused():
    message = {"role": "assistant", "content": [{"text": "<think>So.</think>"}]}
    with pytest.raises(ValueError, match="turn 0: no_action"):
        turns_of([message], "[]")
