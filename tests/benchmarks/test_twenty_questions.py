"""The page of questions with their routes as pictures (`benchmarks/twenty_questions.py`, `benchmarks/route_picture.py`)."""

from xml.etree import ElementTree as ET

import pytest
from PIL import Image as Picture

from benchmarks.route_picture import route_svg, steps
from benchmarks.twenty_questions import drawn, write_blind, write_page
from questloom.pipeline.report.people_names import Names
from questloom.records.form import Ask, ClaimClause, Compute, Form, Image
from questloom.records.knowledge import Value
from questloom.records.route import Route
from questloom.records.synthesis import Answer, Certificate, Question
from tests.models.pictures import file_of, scene

HOSTILE = 'Old <script>alert("&")</script> *Mill*'
BINDINGS = {"x0": f"string::{HOSTILE}", "x1": "Q1", "a": "time:+1714/9"}
MOVES = ("image_search x0", "text_search x1", "visit x1")


def question(number: int, level: str = "easy", *, computes: bool = False, moves=MOVES) -> Question:
    clauses = [
        Image(var="x0"),
        ClaimClause(subject="x0", property="P19", object="x1"),
        ClaimClause(subject="x1", property="P571", object="a"),
    ]
    if computes:
        clauses.append(Compute(out="n", op="difference", args=("a", "a")))
    return Question(
        seed_id=f"{number:032x}",
        seed_entity="Q1",
        method="paths",
        level=level,
        domain="person",
        text=f"When was {HOSTILE} number {number} founded?",
        writer="graph",
        answer=Answer(value=Value(kind="string", text="1714"), text="1714", type="date"),
        form=Form(clauses=tuple(clauses), ask=Ask(var="a", type="date")).to_json(),
        bindings=BINDINGS,
        image_id=f"picture {number}",
        certificate=Certificate(basis="margin", margin=9, effective_hops=2),
        route=Route(calls=len(moves), depth=3, pages=1, looks=1, moves=moves),
    )


def write(page, chosen):
    write_page(
        page, chosen, names=Names(None), read_picture=lambda _: file_of(scene(1, (800, 600))),
        command="python -m this",
    )  # fmt: skip
    return page.read_text(encoding="utf-8")


def test_each_question_has_its_words_answer_shape_level_hops_calls_picture_and_route(tmp_path):
    old = tmp_path / "page" / "19.jpg"
    old.parent.mkdir()
    old.touch()
    text = write(tmp_path / "page.md", [("chain", question(1)), ("tree", question(2, "hard"))])
    assert "*1714* (chain, easy, 2 hops, 3 calls)" in text
    assert "*1714* (tree, hard, 2 hops, 3 calls)" in text and "chain, hard; " in text
    assert "<script>" not in text and "\\*Mill\\*" in text and "→ Q1 → 1714](page/01.svg)" in text
    with Picture.open(tmp_path / "page" / "01.jpg") as picture:
        assert picture.size == (360, 270)
    assert not old.exists() and len(list(old.parent.iterdir())) == 4


def test_a_route_is_drawn_with_a_box_for_each_call_and_no_link_id_or_script():
    route = steps(MOVES, BINDINGS, Names(None), "a", "1714")
    svg = route_svg(route)
    root = ET.fromstring(svg)
    boxes = [e for e in root.iter() if e.tag.endswith("}rect")]
    arrows = [e for e in root.iter() if e.tag.endswith("}path")]
    assert [tool for tool, _, _ in route] == ["image search", "text search", "page", "answer"]
    assert len(boxes) == len(route) and len(arrows) == len(route) - 1
    assert root.get("role") == "img" and HOSTILE in root.get("aria-label")
    assert not any(name in e.attrib for e in root.iter() for name in ("id", "href", "onload"))
    assert "<script" not in svg and len(svg.encode()) < 6_000


def test_the_longest_route_stays_small_and_wraps():
    moves = [f"text_search x{n}" for n in range(12)]
    svg = route_svg(steps(moves, {}, Names(None), "a", "answer " * 40))
    assert len(svg.encode()) < 6_000 and ET.fromstring(svg).get("width") == "728"


def test_a_last_call_that_finds_the_answer_is_its_box():
    route = steps(("image_search x0", "text_search a"), BINDINGS, Names(None), "a", "1714")
    assert [tool for tool, _, _ in route] == ["image search", "text search: answer"]


@pytest.mark.parametrize("move", ["teleport x1", "visit", ""])
def test_a_route_whose_move_is_unknown_is_refused(tmp_path, move):
    with pytest.raises(ValueError, match="no move of a route"):
        write(tmp_path / "page.md", [("chain", question(1, moves=(*MOVES, move)))])


def test_every_shape_and_level_is_drawn_once_and_other_work_fills_up():
    found = [("chain", question(n)) for n in range(8)]
    found += [("tree", question(8, "hard")), ("chain", question(9, computes=True))]
    chosen = drawn(found, 3, 1)
    assert [(shape, q.level) for shape, q in chosen[:2]] == [("chain", "easy"), ("tree", "hard")]
    assert any(q.needs_computation for _, q in chosen)
    assert drawn(found[::-1], 3, 1) == chosen and len(drawn(found, 20, 1)) == 10


def test_no_picture_is_drawn_twice():
    assert len(drawn([("chain", question(1)), ("tree", question(1, "hard"))], 20, 1)) == 1


def test_the_blind_page_holds_questions_and_whole_pictures_alone(tmp_path):
    write_blind(tmp_path, [("chain", question(1))], lambda image: image.encode())
    assert (tmp_path / "01.jpg").read_bytes() == b"picture 1"
    assert (tmp_path / "questions.tsv").read_text() == f"01.jpg\t{question(1).text}\n"
