"""Counts certified questions about paintings that became ambiguous because the dump hides some
claims.

    python -m benchmarks.paintings_truth SHARED/paintings WORK [--hide 0 1 2] [--set seeds.per_entity=20 …]

For each value of `--hide`, the script writes the rows as a dump with hidden claims. The script then
ingests the dump and runs the recipe `paintings`. Every drafted question stores a form, which is a
query over claims. For every certified question, the script runs this query over *all* rows. The
script evaluates queries with its own code and imports nothing from `transforms`.
"""

import argparse
import json
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from benchmarks.paintings import write
from benchmarks.truth import certified, share
from benchmarks.truth_reader.world import century_of
from questloom.records.synthesis import Question

Triples = dict[str, dict[str, set[str]]]


def truth_of(path: Path) -> tuple[Triples, dict[tuple[str, str], set[str]]]:
    """Two maps: from subject to property to values, and from (property, value) to subjects."""
    by_subject: Triples = {}
    by_value: dict[tuple[str, str], set[str]] = defaultdict(set)
    for line in path.read_text(encoding="utf-8").splitlines():
        entity = json.loads(line)
        properties = by_subject.setdefault(entity["id"], {})
        for property_id, value in entity["claims"]:
            properties.setdefault(property_id, set()).add(value)
            by_value[property_id, value].add(entity["id"])
    return by_subject, by_value


def term(data: dict, binding: dict[str, str]) -> str | None:
    """The value of a term: an entity id or a year. The value is None for an unbound variable."""
    if "var" in data:
        return binding.get(data["var"])
    value = data["value"]
    return value.get("entity") or value["time"][1:5]


def solve(
    clauses: list[dict], binding: dict[str, str], truth: tuple[Triples, dict]
) -> Iterator[dict[str, str]]:
    """Yields every assignment of values to variables that agrees with the rows."""
    if not clauses:
        yield binding
        return
    by_subject, by_value = truth

    def work(clause: dict) -> int:
        if clause["is"] == "class":
            return 0 if clause["var"] in binding else 10**6
        if term(clause["subject"], binding) is not None:
            return 1
        value = term(clause["object"], binding)
        return 10**9 if value is None else len(by_value[clause["property"], value])

    clause = min(clauses, key=work)
    rest = [c for c in clauses if c is not clause]
    property_id = "P31" if clause["is"] == "class" else clause["property"]
    left = {"var": clause["var"]} if clause["is"] == "class" else clause["subject"]
    right = (
        {"value": {"entity": clause["class_id"]}} if clause["is"] == "class" else clause["object"]
    )
    subject, value = term(left, binding), term(right, binding)
    subjects = [subject] if subject is not None else sorted(by_value[property_id, value or ""])
    for found in subjects:
        values = by_subject.get(found, {}).get(property_id, set())
        for each in sorted(values if value is None else values & {value}):
            yield from solve(
                rest,
                binding
                | ({left["var"]: found} if "var" in left else {})
                | ({right["var"]: each} if "var" in right else {}),
                truth,
            )


def true_answers(question: Question, truth: tuple[Triples, dict]) -> set[str]:
    """Returns the form's answers over all rows. An answer is a value or a difference of two
    years.
    """
    form = question.form
    assert isinstance(form, dict)
    computed = next((c for c in form["clauses"] if c["is"] == "compute"), None)
    clauses = [c for c in form["clauses"] if c["is"] in ("claim", "class")]
    found = set()
    for binding in solve(
        clauses,
        {next(c["var"] for c in form["clauses"] if c["is"] == "image"): question.anchor},
        truth,
    ):
        if computed:
            years = [int(binding[a["var"]]) for a in computed["args"]]
            found.add(str(abs(years[0] - years[1])))
        elif form["ask"].get("precision") == "century":
            found.add(f"century {century_of(int(binding[form['ask']['var']]))[0]}")
        else:
            found.add(binding[form["ask"]["var"]])
    return found


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("work", type=Path)
    parser.add_argument("--hide", type=float, nargs="+", default=[0, 1, 2])
    parser.add_argument(
        "--set", action="append", default=["seeds.per_entity=12", "seeds.count=456"]
    )
    arguments = parser.parse_args()
    command = [sys.executable, "-m", "questloom.pipeline.cli"]
    for hide in arguments.hide:
        work = arguments.work / f"hide-{hide:g}"
        write(arguments.folder, work / "dump", hide=hide, seed=1)
        subprocess.run(
            [
                *command,
                "ingest",
                "--store",
                str(work / "store"),
                "--entities",
                str(work / "dump/entities.json"),
                "--images",
                str(work / "dump/images"),
                "--snapshot",
                "2026-01-01",
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        overrides = [part for one in arguments.set for part in ("--set", one)]
        subprocess.run(
            [
                *command,
                "synth",
                "--store",
                str(work / "store"),
                "--out",
                str(work / "run"),
                "--recipe",
                "paintings",
                *overrides,
            ],
            check=True,
            stdout=subprocess.DEVNULL,
        )
        truth = truth_of(work / "dump/truth.jsonl")
        questions = certified(work / "run")
        wrong = [q for q in questions if len(true_answers(q, truth)) != 1]
        print(
            f"gaps x{hide:g}: certified, but not unique over all rows: {share(len(wrong), len(questions))}",
            flush=True,
        )
        for question in wrong:
            print(f"   {question.text}  {sorted(true_answers(question, truth))}", flush=True)


if __name__ == "__main__":
    main()
