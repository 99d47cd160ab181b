"""Reads the English words of kept questions. Checks that the stored answer is the only right
answer.

```
python -m benchmarks.truth --world WORLD --run RUN [--loose RUN] [--list]
python -m benchmarks.truth --all --out FOLDER [--articles 5000] [--seeds 1000] [--worlds 9001 9002 9003] [--gaps 0 1 2] [--absent 0 0.2 0.5]
```

The check uses the truth of the fictional world, which is the complete list of its facts. The check
imports nothing from `transforms/`, `prompts/` or `pipeline/`, so it is independent of the code that
it checks. `benchmarks/truth_reader` reads the words, and `records/` reads the rows. With `--all`,
the script first makes the worlds, stores and runs, with Questloom's command line in separate
processes. Shares have 95 % intervals (Wilson). If a question cannot be read, it counts neither as
true nor as false. The script prints how many questions cannot be read.
"""

import argparse
import itertools
import json
import math
import os
import platform
import re
import subprocess
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from benchmarks.truth_reader.judge import Finding, Judged, judge
from benchmarks.truth_reader.reader import Reader
from benchmarks.truth_reader.world import Truth, literal_of
from questloom.files.parquet import read_records
from questloom.records.outcomes import Rejection
from questloom.records.synthesis import Question, Seed

GOALS = {0: 0.0, 1: 0.007, 2: 0.015}
"""For each number of gaps in the world's dump: the highest share of certified questions that may be
ambiguous.
"""
ABSENT_GOALS = {0.0: 0.0, 0.2: 0.01, 0.5: 0.02}
"""For each share of things that the dumps leave out: the highest share of certified questions that
may be ambiguous.
"""
LEAST_READ = 0.97
SHORTCUTS = {
    "answer_in_question": "answer_in_question",
    "text_search_shortcut": "text_search",
    "image_search_shortcut": "image_search",
}
"""The reasons for rejecting a question that come with quoted evidence, each with the name of the
filter."""


def wilson(hits: int, of: int) -> tuple[float, float]:
    """The 95 % interval of a share, by Wilson's method (1927).

    >>> [round(x, 3) for x in wilson(0, 100)]
    [0.0, 0.037]
    """
    if not of:
        return 0.0, 1.0
    z, p = 1.959964, hits / of
    middle, spread = (p + z * z / (2 * of)), z * math.sqrt(p * (1 - p) / of + z * z / (4 * of * of))
    return max(0.0, (middle - spread) / (1 + z * z / of)), min(
        1.0, (middle + spread) / (1 + z * z / of)
    )


@dataclass
class Measured:
    """The counts of one run, or the sums over several runs."""

    name: str
    gaps: int
    absent: float = 0.0
    num_seeds: int = 0
    num_kept: int = 0
    findings: Counter = field(default_factory=Counter)
    num_certified: int = 0
    num_wrong_pictures: int = 0
    num_leaks: int = 0
    num_disagreements: int = 0
    filters: Counter = field(default_factory=Counter)
    """For each filter, how many cases the filter flagged, how many of them in error, and how many
    the truth cannot decide. The keys are (filter, "flagged" | "in error" | "unknown")."""
    refused: Counter = field(default_factory=Counter)
    lines: list[str] = field(default_factory=list)
    """The lines of the output that a person should check."""

    def add(self, other: "Measured") -> None:
        """Adds the counts of another run to these counts."""
        for name in (
            "num_seeds",
            "num_kept",
            "num_certified",
            "num_wrong_pictures",
            "num_leaks",
            "num_disagreements",
        ):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for name in ("findings", "filters", "refused"):
            getattr(self, name).update(getattr(other, name))
        self.lines += other.lines


# ---------------------------------------------------------------- a run's files


def rows(run: Path, stage: str, kind: str, of: type) -> Iterator:
    """The records of one stage of a run; empty if the stage did not run."""
    for path in sorted((run / "stages").glob(f"*-{stage}/{kind}-*.parquet")):
        yield from read_records(path, of)


def certified(run: Path) -> list[Question]:
    """Every question that got a certificate, including questions that later filters dropped."""
    return list(rows(run, "certify", "kept", Question))


def measure(world: Path, run: Path, reader: Reader | None = None) -> Measured:
    """Checks a run's certified questions against the truth of its world."""
    reader = reader or Reader(Truth(world))
    told = json.loads((world / "world.json").read_text(encoding="utf-8"))
    made = Measured(name=run.name, gaps=told["gaps"], absent=told.get("absent", 0.0))
    made.num_seeds = sum(1 for _ in rows(run, "seeds", "kept", Seed))
    made.num_kept = sum(1 for _ in rows(run, "split", "kept", Question))
    for question in certified(run):
        made.num_certified += 1
        judged = judge(reader, question)
        made.findings[judged.finding] += 1
        _note(made, question, judged)
        if wrong := wrong_picture(reader.truth, question, judged):
            made.num_wrong_pictures += 1
            made.lines.append(f"PICTURE {wrong}: {question.text}")
        for name in leaks(reader.truth, question):
            made.num_leaks += 1
            made.lines.append(f"LEAK {name!r}: {question.text}")
    _filters(made, run, reader)
    _pictures_refused(made, run, reader.truth)
    for rejection in (
        *rows(run, "draft", "rejected", Rejection),
        *rows(run, "certify", "rejected", Rejection),
    ):
        made.refused[rejection.reason] += 1
    return made


def _note(made: Measured, question: Question, judged: Judged) -> None:
    if judged.finding == Finding.UNREAD:
        made.lines.append(f"UNREAD {question.text}")
    elif judged.finding != Finding.GOOD:
        why = " (good if “in” is taken directly)" if judged.only_direct else ""
        made.lines.append(
            f"{judged.finding.upper()}{why} {question.text} => {question.answer.text}; by the truth: {'; '.join(judged.answers) or 'none'}"
        )
        made.findings["only_direct"] += judged.only_direct
    if judged.disagreements:
        made.num_disagreements += 1
        made.lines.append(f"FORM {'; '.join(judged.disagreements)}: {question.text}")


def wrong_picture(truth: Truth, question: Question, judged: Judged) -> str:
    """Why the picture does not show the item that the question starts from. The text is empty if
    the picture shows the item.
    """
    files = truth.files.get(question.source_image_id)
    if files is None:
        return "unknown file"
    anchor = truth.id_of(question.anchor)
    if truth.shows(files) != {anchor}:
        return f"{sorted(files)} shows {sorted(truth.shows(files))}, not {anchor}"
    if judged.pictured and judged.pictured != {anchor}:
        return f"the words start from {sorted(judged.pictured)}, not {anchor}"
    return ""


def folded(text: str) -> str:
    """The text in lower case, without accents and punctuation, and with single spaces."""
    plain = "".join(c for c in unicodedata.normalize("NFKD", text) if not unicodedata.combining(c))
    return " ".join(re.findall(r"\w+", plain.casefold()))


def leaks(truth: Truth, question: Question) -> list[str]:
    """Returns the names of hidden things, and of the answer, that occur in the question's words."""
    hidden = {truth.id_of(v) for v in (*question.bindings.values(), question.anchor)}
    names = {n for e in hidden if e in truth.things for n in truth.things[e].names} | {
        question.answer.text,
        *question.answer.aliases,
    }
    said = f" {folded(question.text)} "
    return sorted(n for n in names if folded(n) and f" {folded(n)} " in said)


# ---------------------------------------------------------------- filters


def _filters(made: Measured, run: Path, reader: Reader) -> None:
    """Counts how often the evidence of a filter was wrong. The function counts only cases that the
    truth can decide.
    """
    before = {q.id: q for q in certified(run)}
    for path in sorted((run / "stages").glob("*/rejected-*.parquet")):
        for rejection in read_records(path, Rejection):
            name = SHORTCUTS.get(rejection.reason)
            question = before.get(rejection.item_id)
            if name and question is not None and isinstance(rejection.evidence, dict):
                made.filters[name, "flagged"] += 1
                made.filters[name, "in error"] += not _gives_away(
                    reader.truth, question, rejection.evidence, name
                )


def _pictures_refused(made: Measured, run: Path, truth: Truth) -> None:
    """Counts the pictures that the grounding check refused although they show the right thing and
    nothing else.
    """
    drafts = {q.id: q for q in rows(run, "draft", "kept", Question)}
    for rejection in rows(run, "pictures", "rejected", Rejection):
        question = drafts.get(rejection.item_id)
        candidates = (
            rejection.evidence.get("candidates", ()) if isinstance(rejection.evidence, dict) else ()
        )
        for candidate in candidates:
            if question is not None and candidate["reason"] == "not_grounded":
                made.filters["grounding", "flagged"] += 1
                made.filters["grounding", "in error"] += truth.shown.get(candidate["file"]) == {
                    truth.id_of(question.anchor)
                }


def _gives_away(truth: Truth, question: Question, evidence: dict, name: str) -> bool:
    """Whether the quoted evidence of a filter really reveals the answer.

    The words of the question may reveal the answer. The page of a thing may also reveal the answer,
    if the truth ties this thing to the answer. The check finds a page by its title ("Karsk (town)")
    or by a label of its thing. A thing is tied to the answer in several cases: its page names the
    answer, the answer's page names it, its page names another thing of the question, or its page
    contains the answer's date, number or text. A quoted passage from any page reveals the answer if
    the passage also names another thing of the question.
    """
    if name == "answer_in_question":
        return bool(leaks(truth, question)) or folded(str(evidence.get("found", ""))) in folded(
            question.text
        )
    title = str(evidence.get("title", ""))
    subjects = truth.by_label.get(title, set()) | (
        {truth.articles[title]} if title in truth.articles else set()
    )
    nodes = {truth.id_of(v) for v in question.bindings.values()}
    answer, literal = (
        truth.id_of(question.answer.value.entity),
        literal_of(question.answer.value.key()),
    )
    ends = {
        v for s in subjects for found in truth.things[s].items.values() for v in found
    } | subjects
    back = (
        {v for found in truth.things[answer].items.values() for v in found}
        if answer in truth.things
        else set()
    )
    if subjects & (nodes | back) or ends & (nodes | {answer}):
        return True
    if any(
        literal == v for s in subjects for found in truth.things[s].literals.values() for v in found
    ):
        return True
    passage = f" {folded(str(evidence.get('passage', '')))} "
    others = {n for e in nodes - {answer} if e in truth.things for n in truth.things[e].names}
    return f" {folded(str(evidence.get('found', '')))} " in passage and any(
        f" {folded(n)} " in passage for n in others if folded(n)
    )


# ---------------------------------------------------------------- tables


def share(hits: int, of: int) -> str:
    """Formats a share with its interval, as in "3/250 = 1.2 % (0.4–3.5)"."""
    low, high = wilson(hits, of)
    return f"{hits}/{of} = {100 * hits / max(of, 1):.2f} % ({100 * low:.2f}–{100 * high:.2f})"


def goal_of(made: Measured) -> float:
    """The highest share of certified questions that may be ambiguous."""
    return max(GOALS[made.gaps], ABSENT_GOALS.get(made.absent, 1.0))


def table(made: Measured) -> str:
    """The figures of one run."""
    found = made.findings
    read = made.num_certified - found[Finding.UNREAD]
    false = sum(found[f] for f in (Finding.NOT_UNIQUE, Finding.WRONG, Finding.NONE))
    goal = goal_of(made)
    lines = [
        f"{made.name}, gaps {made.gaps}, absent {made.absent:.0%}",
        f"  seeds that end with a question   {share(made.num_kept, made.num_seeds)}",
        f"  read by the reader               {share(read, made.num_certified)}; goal {100 * LEAST_READ:.0f} %",
        f"  certified but not true           {share(false, read)}; goal at most {100 * goal:.1f} %",
        *(
            f"    {f.value:<30} {found[f]}"
            for f in (Finding.NOT_UNIQUE, Finding.WRONG, Finding.NONE)
        ),
        f"    of them true if “in” is direct {found['only_direct']}",
        f"  two natural readings             {share(found[Finding.AMBIGUOUS], read)}",
        f"  leaks                            {share(made.num_leaks, made.num_certified)}; goal none",
        f"  wrong picture                    {share(made.num_wrong_pictures, made.num_certified)}; goal under 0.5 %",
        f"  words and form differ            {share(made.num_disagreements, read)}",
        *(
            f"  {name + ' in error':<33}{share(made.filters[name, 'in error'], made.filters[name, 'flagged'])}"
            for name in SHORTCUTS.values()
        ),
        f"  grounding refused in error       {share(made.filters['grounding', 'in error'], made.filters['grounding', 'flagged'])} of the pictures refused",
        "  the other filters                not decided by the truth: they compare questions, ask models, or read the picture's pixels",
        f"  refused at draft or certificate  {dict(sorted(made.refused.items()))}",
    ]
    return "\n".join(lines)


def loose_table(loose: Path, reader: Reader, margin: int) -> str:
    """Counts the good questions that the margin check refuses. (The margin of a question says how
    many missing facts its answer survives.) The questions come from a run that requires a smaller
    margin, and their own margin is below `margin`.
    """
    below = [
        q
        for q in certified(loose)
        if q.certificate is not None and 0 <= q.certificate.margin < margin
    ]
    found = Counter(judge(reader, q).finding for q in below)
    read = len(below) - found[Finding.UNREAD]
    return f"  truly good, refused for margin < {margin}  {share(found[Finding.GOOD], read)} of the drafts that a smaller margin accepts"


# ---------------------------------------------------------------- running it all


def questloom(*words: str) -> None:
    """Runs one command of the command line in a separate process.

    Raises:
        subprocess.CalledProcessError: the command failed.
    """
    workers = str(len(os.sched_getaffinity(0)))
    subprocess.run(
        [sys.executable, "-m", "questloom.pipeline.cli", *words, "--workers", workers],
        check=True,
        stdout=subprocess.DEVNULL,
    )


def make(
    out: Path,
    world_seed: int,
    gaps: int,
    articles: int,
    seeds: int,
    margin: int = 2,
    overrides: Sequence[str] = (),
    *,
    absent: float = 0.0,
) -> tuple[Path, Path]:
    """Makes the world, the store and the run for one setting. Reuses the folders that already
    exist.
    """
    name = f"{world_seed}-{gaps}" + (f"-absent{absent:g}" if absent else "")
    world, store, run = out / f"world-{name}", out / f"store-{name}", out / f"run-{name}-{margin}"
    if not (world / "world.json").exists():
        questloom(
            "world",
            "--out",
            str(world),
            "--articles",
            str(articles),
            "--seed",
            str(world_seed),
            "--gaps",
            str(gaps),
            "--absent",
            str(absent),
        )
    if not store.exists():
        questloom(
            "ingest",
            "--store",
            str(store),
            "--articles",
            str(world / "articles.xml.bz2"),
            "--entities",
            str(world / "entities.json.bz2"),
            "--images",
            str(world / "images"),
            "--snapshot",
            "2024-01-01",
        )
    questloom(
        "synth",
        "--store",
        str(store),
        "--out",
        str(run),
        "--set",
        f"seeds.count={seeds}",
        "--set",
        f"certificate.margin={margin}",
        *(word for override in overrides for word in ("--set", override)),
    )
    return world, run


def main() -> None:
    """Prints the figures. The exit code is 1 if a goal is missed."""
    options = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    options.add_argument("--world", type=Path)
    options.add_argument("--run", type=Path)
    options.add_argument(
        "--loose", type=Path, help="a run of the same world with a smaller certificate.margin"
    )
    options.add_argument(
        "--list",
        action="store_true",
        help="also print every question that is not good, and every disagreement",
    )
    options.add_argument("--all", action="store_true")
    options.add_argument("--out", type=Path)
    options.add_argument("--articles", type=int, default=5_000)
    options.add_argument("--seeds", type=int, default=1_000)
    options.add_argument("--worlds", type=int, nargs="*", default=[9001, 9002, 9003])
    options.add_argument("--gaps", type=int, nargs="*", default=[0, 1, 2])
    options.add_argument(
        "--absent",
        type=float,
        nargs="*",
        default=[0.0],
        help="shares of all things that the dumps lack",
    )
    options.add_argument(
        "--set",
        action="append",
        default=[],
        help="a key of the recipe, as for synth: filters.oracle=false saves time and certifies the same",
    )
    given = options.parse_args()
    print(f"{datetime.now(UTC):%Y-%m-%d}, {platform.processor() or platform.machine()}")
    sums: dict[tuple[int, float], Measured] = {}
    if given.all:
        if given.out is None:
            options.error("--all needs --out")
        for gaps, absent in itertools.product(given.gaps, given.absent):
            sums[gaps, absent] = Measured(
                name=f"all of worlds {given.worlds}", gaps=gaps, absent=absent
            )
            for world_seed in given.worlds:
                world, run = make(
                    given.out,
                    world_seed,
                    gaps,
                    given.articles,
                    given.seeds,
                    overrides=given.set,
                    absent=absent,
                )
                made = measure(world, run)
                print(table(made), flush=True)
                sums[gaps, absent].add(made)
        print("\n".join(table(made) for made in sums.values()))
    else:
        if given.world is None or given.run is None:
            options.error("name --world and --run, or --all")
        reader = Reader(Truth(given.world))
        made = measure(given.world, given.run, reader)
        sums[made.gaps, made.absent] = made
        print(table(made))
        if given.loose:
            print(loose_table(given.loose, reader, 2))
    if given.list:
        print("\n".join(line for made in sums.values() for line in made.lines))
    sys.exit(any(missed(made) for made in sums.values()))


def missed(made: Measured) -> bool:
    """Whether the counts are so bad that they miss a goal."""
    read = made.num_certified - made.findings[Finding.UNREAD]
    false = sum(made.findings[f] for f in (Finding.NOT_UNIQUE, Finding.WRONG, Finding.NONE))
    return (
        false > goal_of(made) * read
        or made.num_leaks > 0
        or made.num_wrong_pictures >= 0.005 * max(made.num_certified, 1)
        or read < LEAST_READ * made.num_certified
    )


if __name__ == "__main__":
    main()
