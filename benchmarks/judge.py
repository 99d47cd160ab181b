"""Measures how often the answer judge's rules accept wrong answers and reject right ones.

    python -m benchmarks.judge FOLDER [--list KIND]

FOLDER has the file `mintaka_dev.jsonl.gz`: questions and answers by people, from the data set
Mintaka (amazon-science/mintaka). Each line is a JSON object. For every question with one answer,
the script makes three kinds of answers: the answer itself ("right"), paraphrases made by rules, and
near misses. The rules judge each of these answers without a model.

* Some paraphrases change the spelling: they drop diacritics, change the letter case, add or drop
  the article, or add quotes. Other paraphrases are the human annotator's own words, another
  notation of a date or number, number words, and a short sentence with the answer.
* Some near misses are wrong values: other answers of the same kind, neighbouring years, days and
  numbers, a wrong unit or scale, or a vague date. Other near misses name two candidates, deny the
  answer, express doubt, or repeat the question's words with the answer.

If a near miss happens to be right (same entity, same number), it is left out. `--list` prints the
cases that one row of the table counts.
"""

import argparse
import gzip
import json
import random
import unicodedata
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from num2words import num2words

from benchmarks.truth import wilson
from questloom.agent.judges.answer import judge_by_rules
from questloom.agent.judges.match import match
from questloom.knowledge.dates import date_of
from questloom.language.amounts import amounts, readable
from questloom.language.english import MONTHS
from questloom.language.normalise import clean, name_key
from questloom.language.units import unit_of
from questloom.records.episodes import Outcome
from questloom.records.knowledge import Value, entity_value
from questloom.records.synthesis import Answer

FILE = "mintaka_dev.jsonl.gz"
OWN_WORDS = "the annotator's words"
"""The name of the table's row for the human annotators' own words. The row "all" leaves the
annotators' own words out. Mintaka has no aliases, and some annotators' words mean something else
than the answer.
"""
NUM_OTHERS = 20
"""For each question, the number of wrong answers to try that have the same kind as the right
answer."""


@dataclass(frozen=True)
class Task:
    """A question that has exactly one answer."""

    question: str
    answer: Answer
    mention: str = ""
    """The answer in the human annotator's own words. The annotator's words may say more or less
    than the typed answer."""


def read(folder: Path) -> tuple[list[Task], dict[str, int]]:
    """Reads the questions that have exactly one typed answer. Returns the questions that were read,
    and the number of all other questions by the reason for leaving them out."""
    tasks: list[Task] = []
    left: dict[str, int] = defaultdict(int)
    with gzip.open(folder / FILE, "rt", encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            given = row["answer"]["answer"] or []
            if len(given) != 1:
                left["several answers or none"] += 1
                continue
            answer = _answer(row["answer"]["answerType"], given[0])
            if answer is None:
                left[f"{row['answer']['answerType']} that is none"] += 1
            else:
                tasks.append(Task(row["question"], answer, row["answer"]["mention"]))
    return tasks, left


def _answer(kind: str, given: Any) -> Answer | None:
    match kind:
        case "entity":
            label = (
                given["label"]
                if isinstance(given["label"], str)
                else (given["label"] or {}).get("en")
            )
            return (
                Answer(value=entity_value(given["name"]), text=label, type="entity")
                if label
                else None
            )
        case "boolean":
            text = "Yes" if given else "No"
            return Answer(value=Value(kind="string", text=text), text=text, type="string")
        case "date":
            parts = [p for p in str(given).split("-") if p]
            if (
                not all(p.isdecimal() for p in parts)
                or len(parts) not in (1, 2, 3)
                or len(parts[0]) != 4
            ):
                return None
            precision = 8 + len(parts)
            time = f"+{'-'.join([*parts, '00', '00'][:3])}T00:00:00Z"
            year, month, day = [int(p) for p in [*parts, "0", "0"][:3]]
            text = " ".join(
                filter(
                    None, [str(day) if day else "", MONTHS[month - 1] if month else "", str(year)]
                )
            )
            return Answer(
                value=Value(kind="time", time=time, precision=precision),
                text=text,
                type="date",
                precision=("year", "month", "day")[precision - 9],
            )
    found = amounts(readable(str(given)))
    if len(found) != 1 or found[0].end - found[0].start != len(readable(str(given))):
        return None
    unit = "foot" if found[0].unit == unit_of("foot") else ""
    if found[0].unit is not None and not unit:
        return None
    number = found[0].number
    return Answer(
        value=Value(kind="quantity", number=number),
        text=f"{number:.10g}",
        type="quantity",
        unit=unit,
    )


def paraphrases(task: Task) -> Iterator[tuple[str, str]]:
    """Yields right answers to a question, as pairs (kind of answer, words)."""
    answer = task.answer
    yield "as given", answer.text
    yield OWN_WORDS, task.mention
    for word in _notations(answer):
        yield "notation", word
    if answer.type == "entity":
        text = answer.text
        yield (
            "diacritics dropped",
            "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c)),
        )
        yield "case", text.upper()
        yield "case", text.lower()
        yield "article", text.removeprefix("The ") if text.startswith("The ") else f"the {text}"
        yield "quotation marks", f"“{text}”"
        yield "quotation marks", f"**{text}**."
        yield "punctuation", text.replace("-", " ").replace(":", "").replace("'", "’")
    subject = {
        "entity": "It is",
        "date": "It was in" if answer.precision != "day" else "It was on",
        "quantity": "There were",
    }.get(answer.type)
    if subject:
        yield "sentence", f"The answer is {answer.text}{_unit(answer)}."
        yield "sentence", f"{subject} {answer.text}{_unit(answer)}."
        yield "sentence", f"Final answer: {answer.text}{_unit(answer)}"
    else:
        yield "sentence", f"The answer is {answer.text.lower()}."
        yield "sentence", f"{answer.text}."
    yield (
        "report",
        f"Several pages were read, and two of them agree.\n\n**Final answer:** {answer.text}{_unit(answer)}",
    )


def _unit(answer: Answer) -> str:
    return f" {answer.unit}" if answer.unit else ""


def _notations(answer: Answer) -> Iterator[str]:
    if answer.type == "date":
        date = date_of(answer.value.time, answer.value.precision)
        month = MONTHS[date.month - 1] if date.month else ""
        if date.day:
            ordinal = (
                "th" if 10 < date.day < 14 else {1: "st", 2: "nd", 3: "rd"}.get(date.day % 10, "th")
            )
            yield f"{month} {date.day}, {date.year}"
            yield f"{date.day}{ordinal} of {month}, {date.year}"
            yield f"{month[:3]} {date.day}, {date.year}"
            yield f"{date.year:04d}-{date.month:02d}-{date.day:02d}"
            yield f"{date.day:02d}.{date.month:02d}.{date.year}"
            yield f"{date.year}年{date.month}月{date.day}日"
        elif not date.month:
            yield f"in {date.year}"
            yield f"the year {date.year}"
            yield f"12 May {date.year}"
            yield num2words(date.year, to="year").replace(" and ", " ")
    if answer.type == "quantity" and answer.value.number is not None:
        number = answer.value.number
        if answer.unit == "foot":
            inches = round(number * 12)
            yield f"{inches // 12} ft {inches % 12} in"
            yield f"{inches // 12}'{inches % 12}\""
            yield f"{inches * 2.54:.0f} cm"
            yield f"{inches * 0.0254:.2f} m"
        elif number.is_integer():
            yield f"{number:,.0f}"
            yield f"{number:.0f}"
            yield f"about {number:,.0f}"
            yield num2words(int(number))
            if number >= 1e6:
                yield f"{number / 1e6:.10g} million"


def near_misses(task: Task, tasks: list[Task], draws: random.Random) -> Iterator[tuple[str, str]]:
    """Yields wrong answers and texts without an answer, as pairs (kind of answer, words). A lenient
    reader may accept a few of these texts, such as the right answer with a doubt.
    """
    answer = task.answer
    others = [
        t.answer for t in tasks if t.answer.type == answer.type and not _same(t.answer, answer)
    ]
    drawn = draws.sample(others, min(NUM_OTHERS, len(others)))
    yield from (("another answer", o.text) for o in drawn)
    if answer.type == "entity":
        yield from (
            ("the most similar answers", o.text)
            for o in sorted(others, key=lambda o: -_overlap(o, answer))[:5]
        )
        words = answer.text.split()
        if len(words) > 1:
            for part in (words[0], words[-1]):
                if name_key(part) != name_key(
                    answer.text
                ):  # the part may name the whole: "The Shard"
                    yield "a part of the name", part
        yield "a longer name", f"{answer.text} Junior High School"
        yield "a longer name", f"House of {answer.text}"
        yield "a relative", f"{answer.text}'s father"
        yield "sequel", f"{answer.text} 2"
    yield from _neighbours(answer)
    if drawn:
        rival = drawn[0].text
        yield "two candidates", f"{answer.text} or {rival}"
        yield "two candidates", f"{rival}, {answer.text}"
        yield "negated", f"It is not {answer.text} but {rival}."
        yield "another in a sentence", f"The answer is {rival}, which comes after {answer.text}."
    yield "negated", f"It is not {answer.text}."
    yield "hedged", f"Possibly {answer.text}, but I am not sure."
    yield "hedged", f"{answer.text}?"
    yield "the question", task.question
    yield "report", f"{answer.text} was looked at, and two others.\n\nFinal answer: unknown"


def _neighbours(answer: Answer) -> Iterator[tuple[str, str]]:
    if answer.type == "date":
        date = date_of(answer.value.time, answer.value.precision)
        for years in (-10, -1, 1, 10, 100):
            month = f"{date.day} {MONTHS[date.month - 1]} " if date.day else ""
            yield "neighbour", f"{month}{date.year + years}"
        yield "too vague", f"the {date.year // 10 * 10}s"
        yield "too vague", f"before {date.year + 1}"
        yield "too vague", f"around {date.year}"
        yield "too vague", f"{(date.year - 1) // 100 + 1}th century"
        yield "other era", f"{date.year} BC"
        if date.day:
            yield "too vague", str(date.year)
            yield "too vague", f"{MONTHS[date.month - 1]} {date.year}"
            yield "neighbour", f"{date.day % 28 + 1} {MONTHS[date.month - 1]} {date.year}"
            yield "neighbour", f"{date.day} {MONTHS[date.month % 12]} {date.year}"
    if answer.type == "quantity" and answer.value.number is not None:
        number, unit = answer.value.number, _unit(answer)
        step = 1 / 12 if unit else 1
        for near in (number - step, number + step, number * 10, number / 10, -number, number + 0.5):
            if abs(near - number) > 1e-9:
                yield "neighbour", f"{near:.12g}{unit}"
        yield "other unit", f"{number:.10g} kg"
        yield "other unit", f"{number:.10g} million"
        yield "too vague", f"more than {number:.10g}{unit}"
        yield "too vague", f"{number:.10g} to {number + 2:.10g}{unit}"
        yield "too vague", f"at least {number:.10g}{unit}"
    if answer.text in ("Yes", "No"):
        yield "neighbour", "No" if answer.text == "Yes" else "Yes"
        yield "neighbour", "No, it did not." if answer.text == "Yes" else "Yes, it did."
        yield "two candidates", "Yes and no"


def _same(a: Answer, b: Answer) -> bool:
    return a.value.key() == b.value.key() or name_key(a.text) == name_key(b.text) or _within(a, b)


def _within(a: Answer, b: Answer) -> bool:
    """Whether one answer is a year and the other is a date in this year. An answer with the same
    year cannot serve as a wrong answer.
    """
    return a.type == b.type == "date" and a.value.time[:5] == b.value.time[:5]


def _overlap(a: Answer, b: Answer) -> float:
    x, y = set(name_key(a.text)), set(name_key(b.text))
    return len(x & y) / max(1, len(x | y))


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--list",
        default="",
        help="print the faults of rows that hold these words, as 'entity: sentence'",
    )
    args = parser.parse_args()
    tasks, left = read(args.folder)
    counts: dict[tuple[str, str, str], list[int]] = defaultdict(lambda: [0, 0])
    for number, task in enumerate(tasks):
        kind = "yes or no" if task.answer.text in ("Yes", "No") else task.answer.type
        cases = [("false reject", *c) for c in paraphrases(task)]
        cases += [("false accept", *c) for c in near_misses(task, tasks, random.Random(number))]
        for what, how, words in dict.fromkeys(cases):
            accepted = (
                judge_by_rules(task.answer, words, question=task.question).outcome
                is Outcome.CORRECT
            )
            fault = accepted == (what == "false accept")
            for row in (how,) if how == OWN_WORDS else (how, "all"):
                counts[what, kind, row][0] += fault
                counts[what, kind, row][1] += 1
            if fault and args.list and args.list in f"{what}: {kind}: {how}":
                print(
                    f"{what}: {kind}: {how}: {task.question} | {task.answer.text} | {words} | {match(task.answer, clean(words), question=task.question)}"
                )
    print(
        f"{len(tasks)} questions; left out: "
        + ", ".join(f"{n} {why}" for why, n in sorted(left.items()))
    )
    for (what, kind, how), (hits, of) in sorted(
        counts.items(), key=lambda item: (item[0][0], item[0][1], item[0][2] != "all", item[0][2])
    ):
        low, high = wilson(hits, of)
        print(
            f"{what}  {kind:<10}{how:<26}{hits:>5} of {of:>6} = {hits / of:7.2%} ({low:.2%} to {high:.2%})"
        )


if __name__ == "__main__":
    main()
