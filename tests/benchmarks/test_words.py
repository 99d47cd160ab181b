"""The figures of a set of questions' words, on sets whose figures are plain to see."""

import gzip
import json

from benchmarks.words import COLUMNS, bones, drawn, read_questions, row

VARIED = [
    f"Which {a} was {b} by the {c} of this {d}?"
    for a, b, c, d in (
        ("bridge", "designed", "founder", "library"),
        ("novel", "written", "teacher", "painter"),
        ("mineral", "found", "uncle", "queen"),
    )
]
TWINS = [f"In which year was the tower in {place} opened?" for place in ("Velm", "Karsk", "Orla")]


def _figures(texts: list[str]) -> dict[str, float]:
    return dict(zip(COLUMNS, row(texts, 2400), strict=True))


def test_questions_that_differ_by_a_name_are_twins_and_others_are_not():
    assert _figures(TWINS)["near twins"] == 3 and _figures(VARIED)["near twins"] == 0
    assert bones(TWINS[0]) == bones(TWINS[1])


def test_openers_repetitions_and_starts_are_shares_of_the_questions():
    texts = [
        "Take the town. When was it founded?",
        "Who painted this painting?",
        "Who founded this town?",
        "In which year was it built?",
    ]
    found = _figures(texts)
    assert (found["openers %"], found["said twice %"], found["commonest start %"]) == (
        25.0,
        25.0,
        25.0,
    )


def test_so_many_words_are_drawn_in_an_order_of_the_seed():
    assert len(drawn(TWINS * 10, 20, 1)) == 3 and drawn(VARIED, 12, 1) == drawn(VARIED, 12, 1)
    assert _figures(VARIED)["different"] > _figures(TWINS)["different"]


def test_questions_are_read_from_json_lines_plain_or_packed(tmp_path):
    lines = "\n".join(json.dumps({"question": t}) for t in VARIED)
    (tmp_path / "a.jsonl").write_text(lines)
    with gzip.open(tmp_path / "b.jsonl.gz", "wt") as out:
        out.write(lines)
    assert (
        read_questions(str(tmp_path / "a.jsonl"))
        == read_questions(str(tmp_path / "b.jsonl.gz"))
        == VARIED
    )
