"""The measure of wrong and ambiguous answers: a small run against a small world, and that it stands on nothing that it measures."""

import ast
import hashlib
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent / "truth_reader"))
from tiny_world import write_tiny_world

import benchmarks.truth as truth_module
from benchmarks.truth import certified, leaks, measure, missed, table, wilson
from benchmarks.truth_reader.judge import Finding
from benchmarks.truth_reader.world import Truth
from questloom.files.parquet import write_records
from questloom.records.form import Ask, ClaimClause, Form, Image
from questloom.records.knowledge import Value, entity_value
from questloom.records.outcomes import Rejection
from questloom.records.synthesis import Answer, Question, Seed
from questloom.records.table import Json

ROOT = Path(truth_module.__file__).parent


def image_id(picture: str) -> str:
    return hashlib.sha256(picture.encode()).hexdigest()


def question(
    text: str, answer: Value, said: str, *, picture: str = "old.jpg", index: int = 0, **more
) -> Question:
    form = Form(
        clauses=(Image(var="x0"), ClaimClause(subject="x0", property="P84", object="x1")),
        ask=Ask(var="x1", type="entity"),
    )
    given = {
        "form": Json(form.to_json()),
        "bindings": {"x0": "Q1", "x1": "Q2"},
        "anchor": "Q1",
        **more,
    }
    return Question(
        seed_id="s",
        seed_entity="Q1",
        method="paths",
        level="easy",
        domain="other",
        text=text,
        writer="graph",
        answer=Answer(value=answer, text=said, type="entity"),
        source_image_id=image_id(picture),
        image_id=image_id(picture),
        index=index,
        **given,
    )


@pytest.fixture
def world(tmp_path):
    return write_tiny_world(tmp_path / "world")


STAGES = ("seeds", "certify", "text_search", "split")


def write_run(run: Path, questions: list[Question], rejections: list[Rejection] = ()) -> Path:
    def path(stage: str, kind: str) -> Path:
        made = run / "stages" / f"{STAGES.index(stage) + 1:02d}-{stage}" / f"{kind}-00000.parquet"
        made.parent.mkdir(parents=True, exist_ok=True)
        return made

    seeds = [
        Seed(entity_id="Q1", method="paths", rule="anchor", level="easy", domain="other", index=i)
        for i in range(4)
    ]
    write_records(path("seeds", "kept"), Seed, seeds)
    write_records(path("certify", "kept"), Question, questions)
    write_records(path("split", "kept"), Question, questions[:1])
    write_records(path("text_search", "rejected"), Rejection, rejections)
    return run


GOOD = question("Who designed the bridge in the picture?", entity_value("Q2"), "Ivo Mersk")


def test_a_true_run_misses_no_goal(world, tmp_path):
    made = measure(world, write_run(tmp_path / "run", [GOOD]))
    assert (made.num_seeds, made.num_kept, made.findings[Finding.GOOD], made.lines) == (4, 1, 1, [])
    assert not missed(made)
    assert "1/4 = 25.00 %" in table(made)


@pytest.mark.parametrize(
    ("bad", "word"),
    [
        (
            question(
                "Who designed the bridge in the picture?",
                entity_value("Q3"),
                "Ansgar Mersk",
                index=1,
            ),
            "WRONG_ANSWER",
        ),
        (
            question(
                "Who taught the bridge in the picture?", entity_value("Q2"), "Ivo Mersk", index=1
            ),
            "NO_ANSWER",
        ),
        (
            question("Who wrote gibberish of the?", entity_value("Q2"), "Ivo Mersk", index=1),
            "UNREAD",
        ),
        (
            question(
                "Who, if not Ivo Mersk, designed it?", entity_value("Q2"), "Ivo Mersk", index=1
            ),
            "LEAK",
        ),
        (
            question(
                "Who designed the bridge in the picture?",
                entity_value("Q2"),
                "Ivo Mersk",
                picture="north.jpg",
                index=1,
            ),
            "PICTURE",
        ),
        (
            question(
                "Who was the father of the architect of the bridge in the picture?",
                entity_value("Q3"),
                "Ansgar Mersk",
                index=1,
            ),
            "FORM",
        ),
    ],
)
def test_each_fault_is_listed_by_its_name(world, tmp_path, bad, word):
    made = measure(world, write_run(tmp_path / "run", [GOOD, bad]))
    assert any(line.startswith(word) for line in made.lines), made.lines


def test_an_alias_without_accents_is_a_leak(world):
    assert leaks(Truth(world), GOOD.replace(text="Who is i mersk, really?")) == ["I. Mersk"]
    assert leaks(Truth(world), GOOD) == []


def test_a_search_that_found_the_answer_on_an_unrelated_page_erred(world, tmp_path):
    def rejection(title: str) -> Rejection:
        return Rejection(
            item_id=GOOD.id,
            seed_id="s",
            stage="text_search",
            reason="text_search_shortcut",
            evidence=Json({"title": title}),
        )

    made = measure(world, write_run(tmp_path / "one", [GOOD], [rejection("Vell")]))
    assert (made.filters["text_search", "flagged"], made.filters["text_search", "in error"]) == (
        1,
        1,
    )
    made = measure(world, write_run(tmp_path / "two", [GOOD], [rejection("North Light")]))
    assert (made.filters["text_search", "flagged"], made.filters["text_search", "in error"]) == (
        1,
        0,
    )


@pytest.mark.parametrize(
    ("evidence", "in_error"),
    [
        (
            {
                "title": "Vell",
                "found": "Ivo Mersk",
                "passage": "The mill of Vell was drawn by Ivo Mersk.",
            },
            1,
        ),
        (
            {
                "title": "Vell",
                "found": "Ivo Mersk",
                "passage": "Ivo Mersk also drew the Old Bridge.",
            },
            0,
        ),
        ({"title": "Nowhere", "found": "Ivo Mersk", "passage": ""}, 1),
    ],
)
def test_a_passage_that_says_the_answer_beside_another_thing_of_the_question_tells_it_on_any_page(
    world, tmp_path, evidence, in_error
):
    rejection = Rejection(
        item_id=GOOD.id,
        seed_id="s",
        stage="text_search",
        reason="text_search_shortcut",
        evidence=Json(evidence),
    )
    assert (
        measure(world, write_run(tmp_path / "run", [GOOD], [rejection])).filters[
            "text_search", "in error"
        ]
        == in_error
    )


def test_a_run_without_certified_questions_has_none(tmp_path):
    assert certified(tmp_path) == []


def test_intervals_are_wide_where_little_was_seen():
    assert wilson(0, 0) == (0.0, 1.0)
    assert wilson(0, 10)[1] > wilson(0, 1000)[1] > 0
    assert wilson(5, 10)[0] < 0.5 < wilson(5, 10)[1]


def test_the_reader_imports_nothing_of_what_it_measures():
    for path in (ROOT / "truth.py", *(ROOT / "truth_reader").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = (
                [a.name for a in node.names]
                if isinstance(node, ast.Import)
                else [node.module or ""]
                if isinstance(node, ast.ImportFrom)
                else []
            )
            for name in names:
                assert not name.startswith(
                    tuple(
                        f"questloom.{floor}"
                        for floor in ("transforms", "prompts", "pipeline", "knowledge", "models")
                    )
                ), f"{path.name} imports {name}"
