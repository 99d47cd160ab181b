"""The evidence graph of an explored question on its page: what was found, what the question takes of it, and that hostile names stay text."""

from pathlib import Path

import pytest

from questloom.files.parquet import read_records, write_records
from questloom.pipeline.report import build_report
from questloom.pipeline.report.evidence_graph import evidence_graph
from questloom.pipeline.report.people_names import Names
from questloom.pipeline.report.run_reader import open_run
from questloom.records.knowledge import Value
from questloom.records.synthesis import Question
from questloom.records.table import Json
from tests.pipeline.browser import CHROMIUM, Page
from tests.pipeline.hostile_run import HostileSources
from tests.pipeline.report.data_files import payload
from tests.pipeline.synthetic_run import write_run

AGE = Value(kind="quantity", number=41)


def explored(question: Question) -> Question:
    """The question as if it had been explored: its thing, the maker, a neighbour that it does not take, a detail and a span of years."""
    key, maker, other = question.seed_entity, question.bindings["x1"], "thing:elsewhere"
    built, born = (
        Value(kind="time", time="+1871-00-00T00:00:00Z", precision=9),
        Value(kind="time", time="+1830-00-00T00:00:00Z", precision=9),
    )
    graph = {
        "nodes": [[key, True, ""], [maker, False, key], [other, True, key]],
        "links": [
            [key, "P84", maker, False],
            [key, "P131", other, True],
            [other, "P131", key, False],
        ],
        "perceptions": [[key, "P1684", "part:plaque", built.key()]],
        "reasonings": [
            [
                "difference",
                [key, "P571", "", built.key()],
                [maker, "P569", "", born.key()],
                AGE.key(),
            ]
        ],
    }
    return question.replace(method="exploration", explored=Json(graph))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """(run of explored questions, sources)."""
    folder = tmp_path_factory.mktemp("runs") / "run"
    sources = write_run(folder, num_seeds=20, num_pictures=5)
    for path in sorted(folder.glob("stages/*/kept-*.parquet")):
        if "seeds" not in path.parent.name:
            write_records(
                path,
                Question,
                [explored(q) if "x1" in q.bindings else q for q in read_records(path, Question)],
            )
    return folder, sources


def some(run: tuple[Path, object]) -> Question:
    return next(
        q for q in open_run(run[0]).last.questions() if q.explored and q.answer.type == "entity"
    )


def test_what_the_question_takes_is_told_from_what_was_only_found(run):
    question, names = some(run), Names(run[1])
    graph = evidence_graph(question, names)
    kinds = {node["id"]: node["kind"] for node in graph["nodes"]}
    assert (
        kinds[question.seed_entity] == kinds[question.bindings["x1"]] == "entity"
        and kinds["thing:elsewhere"] == "found"
    )
    assert kinds[graph["answer"]] == "answer" and kinds["quantity:41:"] == "constant"
    assert {(e["from"], e["to"]) for e in graph["edges"] if e["kind"] == "shows"} == {
        ("picture", question.anchor)
    }
    assert [e["label"] for e in graph["edges"] if e["kind"] == "reads"] == [
        f"reads: {names.property('P1684')}, {names.entity('part:plaque')}"
    ]
    assert "has a picture" in {n["sub"] for n in graph["nodes"] if n["id"] == "thing:elsewhere"}


def test_a_claim_points_from_its_subject_whichever_way_it_was_walked_and_is_drawn_once(run):
    graph = evidence_graph(some(run), Names(run[1]))
    assert [
        (e["from"], e["to"]) for e in graph["edges"] if "thing:elsewhere" in (e["from"], e["to"])
    ] == [("thing:elsewhere", some(run).seed_entity)]


def test_a_step_beyond_the_graph_is_added_from_the_form(run):
    question = some(run)
    assert "x2" in question.bindings and question.bindings["x2"] not in [
        node for node, *_ in question.explored["nodes"]
    ]
    assert question.bindings["x2"] in {
        n["id"] for n in evidence_graph(question, Names(run[1]))["nodes"]
    }


def test_a_question_of_another_method_has_no_evidence_graph(run):
    question = some(run)
    assert evidence_graph(question.replace(explored=Json(None)), Names(run[1])) is None
    assert (
        evidence_graph(question.replace(form=Json(None), bindings={}), Names(run[1]))["answer"]
        == ""
    ), "without a form nothing is known to be taken"
    assert question.anchor in {n["id"] for n in evidence_graph(question, Names(None))["nodes"]}, (
        "ids without a store"
    )


@pytest.mark.skipif(CHROMIUM is None, reason="Chromium is not installed")
def test_the_page_draws_it_and_hostile_names_in_it_stay_text(run):
    report = build_report(run[0], sources=HostileSources(run[1])).parent
    questions = list(open_run(run[0]).last.questions())
    assert [bool(detail["explored"]) for detail in payload(report, "questions-0000")] == [
        bool(q.explored) for q in questions
    ]
    place = next(n for n, q in enumerate(questions) if q.explored)
    with Page() as page:
        page.open(f"{(report / 'index.html').as_uri()}#question/{place}")
        page.wait("document.querySelectorAll('dialog .graph svg').length === 2")
        assert "Evidence graph" in page.run(
            "[...document.querySelectorAll('dialog h3')].map((h) => h.textContent).join()"
        )
        assert page.run("document.querySelectorAll('dialog .graph .node.found').length") == 1
        assert "</script><script>" in page.run(
            "document.querySelectorAll('dialog .graph')[1].textContent"
        )
        assert page.run(
            "window.hacked === undefined && document.querySelectorAll('script:not([src])').length === 0"
        )
        assert not page.messages, page.messages
