"""The readers' verdicts are whole, and their summary counts what they said."""

from collections import Counter

from benchmarks import readings
from benchmarks.measured import read_rows


def test_every_verdict_is_known_and_every_mark_is_one_to_five():
    verdicts = readings.read_verdicts()
    assert len(verdicts) >= 1631
    assert {verdict.verdict for verdict in verdicts} <= {"", *readings.VERDICTS}
    marks = {mark for verdict in verdicts for mark in (verdict.naturalness, verdict.interest)}
    assert marks <= {"", "1", "2", "3", "4", "5"}


def test_every_set_says_what_it_was_drawn_from_and_nobody_judged_a_question_twice():
    verdicts = readings.read_verdicts()
    assert {row["set"] for row in read_rows(readings.FOLDER / "sets.tsv")} == {
        v.set for v in verdicts
    }
    judged = Counter((v.set, v.reader, v.kind, v.number) for v in verdicts)
    assert [key for key, number in judged.items() if number > 1] == []


def test_the_summary_counts_by_set_and_reader():
    def said(reader: str, verdict: str, interest: str, kind: str = "") -> readings.Verdict:
        return readings.Verdict(
            "2026-11-23", "slice", reader, "1", kind, "", "?", "", verdict, "4", interest, ""
        )

    lines = readings.summary(
        [
            said("A", "fair", "3"),
            said("A", "unfair", "2"),
            said("A", "stilted", ""),
            said("B", "false", "1"),
            said("B", "refuse", "2", "hard paths"),
        ]
    )
    assert lines == [
        ("2026-11-23", "slice", "A", "3", "1 (6 to 79 %)", "1", "0", "1", "4.00", "2.50", "", ""),
        (
            "2026-11-23",
            "slice",
            "B",
            "2",
            "0 (0 to 66 %)",
            "0",
            "1",
            "1",
            "4.00",
            "1.50",
            "",
            "0 of 1, 4.00",
        ),
    ]


def test_every_table_of_the_folder_is_read():
    """A reading under other columns would be printed by nobody."""
    others = {"names", "sets", "relations_lost"}
    assert {path.stem for path in readings.FOLDER.iterdir()} == {*readings.FILES, *others}
    columns = list(readings.Verdict.__dataclass_fields__)
    assert all(
        list(read_rows(readings.FOLDER / f"{name}.tsv")[0]) == columns for name in readings.FILES
    )
