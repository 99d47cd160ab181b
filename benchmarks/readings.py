"""Summarises the verdicts that readers gave on questions.

    python -m benchmarks.readings [--set WORDS] [--refused]

`benchmarks/readings/` holds one row for each verdict of a reader on a question. Strict readers saw
the question, a description of its picture, and the answer. A strict reader's verdict is `accept`,
`refuse` or `false` (refused because the answer is wrong). Readers of questions about real claims
used other verdicts. `fair` means that the question is true, has one answer, and is one that a
person might ask. `stilted` means that the words are unnatural. `unfair` means that the question is
wrong or ambiguous, or that a guess can answer it. Naturalness and interest are marks from 1 to 5.
The reader called `author` wrote the rules of the question writer. A reader called `stranger` did
not know the rules of the question writer.
"""

import argparse
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from statistics import mean

from benchmarks.measured import read_rows
from questloom.records.share import Share

FOLDER = Path(__file__).parent / "readings"
FILES = ("slice", "demo", "llm", "planned_questions", "wordings")
"""Questions about real claims, about the invented world, worded by a model, and planned; and several
wordings of one question each, which got marks and no verdict. `sets.tsv` says from which questions each set was drawn.
"""
GOOD = ("accept", "fair")
FALSE = ("false", "unfair")
VERDICTS = (*GOOD, "stilted", "refuse", *FALSE)


@dataclass(frozen=True, slots=True)
class Verdict:
    """One reader's verdict on one question. A field is empty if the reader was not asked for it, or
    if it was not stored.
    """

    date: str
    set: str
    reader: str
    number: str
    kind: str
    picture: str
    question: str
    answer: str
    verdict: str
    naturalness: str
    interest: str
    remark: str


def read_verdicts() -> list[Verdict]:
    return [Verdict(**row) for name in FILES for row in read_rows(FOLDER / f"{name}.tsv")]


def average(marks: Iterable[str]) -> str:
    """The mean of the given marks as text. The text is empty if there are no marks."""
    given = [float(mark) for mark in marks if mark]
    return f"{mean(given):.2f}" if given else ""


def of_level(verdicts: Iterable[Verdict], level: str) -> str:
    """The accepted questions of a level and the mean naturalness; empty where none has that level."""
    group = [verdict for verdict in verdicts if verdict.kind.startswith(level)]
    good = sum(verdict.verdict in GOOD for verdict in group)
    return f"{good} of {len(group)}, {average(v.naturalness for v in group)}" if group else ""


def summary(verdicts: Iterable[Verdict]) -> list[tuple[str, ...]]:
    """The summary table, with one line per set and reader.

    Each line has the date, the set, the reader and the number of questions read. Further columns
    hold the accepted share with its 95 % interval, and the counts of `stilted`, `refused` and false
    or unfair questions. Then come the mean marks, and the accepted questions with their naturalness
    for the levels medium and hard.
    """
    groups: dict[tuple[str, str, str], list[Verdict]] = {}
    for verdict in verdicts:
        groups.setdefault((verdict.date, verdict.set, verdict.reader), []).append(verdict)
    lines = []
    for key, group in groups.items():
        said = [verdict.verdict for verdict in group]
        good = sum(word in GOOD for word in said)
        low, high = Share(good, len(said)).interval
        lines.append(
            (
                *key,
                str(len(said)),
                f"{good} ({100 * low:.0f} to {100 * high:.0f} %)" if any(said) else "",
                str(said.count("stilted")),
                str(said.count("refuse")),
                str(sum(word in FALSE for word in said)),
                average(verdict.naturalness for verdict in group),
                average(verdict.interest for verdict in group),
                *(of_level(group, level) for level in ("medium", "hard")),
            )
        )
    return lines


HEAD = "date,set,reader,read,accepted,stilted,refused,false,naturalness,interest,medium,hard"


def main() -> None:
    parser = argparse.ArgumentParser(description="What readers said of questions")
    parser.add_argument("--set", default="", help="only sets whose name contains these words")
    parser.add_argument("--refused", action="store_true", help="print what was not accepted, too")
    arguments = parser.parse_args()
    chosen = [verdict for verdict in read_verdicts() if arguments.set in verdict.set]
    lines = [tuple(HEAD.split(",")), *summary(chosen)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for line in lines:
        print("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)))
    if not arguments.set:
        names = [row["verdict"] for row in read_rows(FOLDER / "names.tsv")]
        print(f"names: {names.count('right')} of {len(names)} read right")
    for verdict in chosen if arguments.refused else ():
        if verdict.verdict not in ("", *GOOD):
            print(f"\n{verdict.set} {verdict.kind} {verdict.number}, {verdict.reader}:", end=" ")
            print(f"{verdict.verdict}. {verdict.question} [{verdict.answer}]\n  {verdict.remark}")


if __name__ == "__main__":
    main()
