"""Measures how well the filter finds near-duplicate questions. The result depends on the true
Jaccard similarity of the questions' word triples.

    python -m benchmarks.near_duplicates [--pairs 2000] [--similarity 0.85] [--texts 100000]

A pair is a question with made-up names, and a copy in which some words are changed. The pairs are
sorted into bins by similarity, with up to `--pairs` pairs in a bin. The script calls the functions
of the real filter. Each pair has its own answer, so questions of different pairs are not compared.
The script counts two kinds of errors. The first kind is a pair below the threshold that the filter
calls duplicates. The second kind is a pair at or above the threshold that the filter overlooks.

The script also measures the cost for `--texts` distinct questions in one process. The cost is the
CPU time, the bytes of the pickled keys and members, and the largest group of questions with the
same key.
"""

import argparse
import datetime
import os
import pickle
import platform
import random
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator

from questloom.language.names_in_text import folded
from questloom.transforms.filters.duplicate_losers import (
    TEXT,
    banded,
    losers_of,
    near_losers_of,
    rank,
)
from questloom.transforms.filters.near_duplicates import banding, jaccard, triples

SEED = 20261122
BINS = tuple(round(0.5 + 0.05 * n, 2) for n in range(10))
TEMPLATES = (
    "In which year was the {thing} in {name}, the birthplace of the {person} of the {thing} in the picture, opened to the public?",
    "Who designed the {thing} that stands by the same river as the {thing} of {name} and was paid for by the {person} shown here?",
    "Consider the {person} of the football club that has its seat in {name}, the town of the {thing} in the picture. In which city did that {person} die?",
    "How many years are there between the year given on the plaque on the {thing} in the picture and the year the {person} of {name} was born?",
    "What is the height, in metres, of the {thing} that the {person} shown here built in {name} after the great fire?",
    "Take the {person} who taught the {person} of the {thing} in the picture. Which university in {name} did that {person} attend as a student?",
    "The {person} in the picture belonged to a family that owns a company in {name}. Which {thing} did the {person} of that company pay for?",
)
THINGS = (
    "lighthouse",
    "castle",
    "cathedral",
    "bridge",
    "windmill",
    "observatory",
    "library",
    "theatre",
    "museum",
    "chapel",
    "abbey",
    "fortress",
    "palace",
    "station",
    "harbour",
    "mill",
)
PEOPLE = (
    "architect",
    "founder",
    "painter",
    "author",
    "composer",
    "discoverer",
    "sculptor",
    "bishop",
    "engineer",
    "mayor",
    "admiral",
    "botanist",
    "patron",
)
SYLLABLES = (
    "ba",
    "den",
    "gor",
    "li",
    "mar",
    "no",
    "pel",
    "ri",
    "sa",
    "tor",
    "ul",
    "ve",
    "wick",
    "zan",
    "esk",
    "holm",
    "fel",
    "dra",
    "qui",
    "mond",
)


def name(draws: random.Random) -> str:
    """Makes up a name."""
    return "".join(draws.choices(SYLLABLES, k=draws.randint(2, 4))).capitalize()


def question(draws: random.Random) -> str:
    """Makes a question from a random template. A third of all questions get an additional
    clause."""
    parts = draws.choice(TEMPLATES).split(" ")
    for number, part in enumerate(parts):
        for slot, made in (
            ("{thing}", draws.choice(THINGS)),
            ("{person}", draws.choice(PEOPLE)),
            ("{name}", f"{name(draws)} {name(draws)}"),
        ):
            parts[number] = part = part.replace(slot, made)
    more = (
        f" Do not count the {draws.choice(THINGS)} of {name(draws)}."
        if draws.random() < 0.33
        else ""
    )
    return " ".join(parts) + more


def edited(text: str, draws: random.Random) -> str:
    """Replaces, removes or inserts one to five words of a text."""
    words = text.split(" ")
    for _ in range(draws.randint(1, 5)):
        at = draws.randrange(len(words))
        words[at : at + draws.randint(0, 1)] = draws.choice(
            ([name(draws)], [draws.choice(THINGS)], [])
        )
    return " ".join(words)


def pairs(most: int) -> dict[float, list[tuple[str, str, float]]]:
    """Makes pairs of different questions, each question as normalised words, and each pair with its
    similarity.

    The result has the pairs of each bin, by the bin's lower bound of similarity. The last bin also
    includes pairs at its upper bound.
    """
    draws = random.Random(SEED)
    found: dict[float, list[tuple[str, str, float]]] = defaultdict(list)
    for _ in range(400 * most):
        text = question(draws)
        mine, theirs = folded(text).strip(), folded(edited(text, draws)).strip()
        similarity = jaccard(triples(mine), triples(theirs))
        low = max((b for b in BINS if b <= similarity), default=None)
        if low is not None and mine != theirs and len(found[low]) < most:
            found[low].append((mine, theirs, similarity))
        if all(len(found[low]) == most for low in BINS):
            break
    return found


def grouped(entries: Iterable[tuple]) -> list[tuple]:
    """Groups (key, value) pairs by key, as Beam's GroupByKey does."""
    groups: dict = defaultdict(list)
    for key, member in entries:
        groups[key].append(member)
    return list(groups.items())


def losers(groups: list[tuple], similarity: float) -> Iterator[str]:
    """The ids of the questions that the real filter
    (`questloom.transforms.filters.duplicate_losers.Losers`) drops as duplicates.
    """
    for group in groups:
        yield from (loser for loser, _ in losers_of(group))
    for band in grouped(entry for group in groups for entry in banded(group, similarity)):
        yield from (loser for loser, _ in near_losers_of(band, similarity))


def detection(most: int, threshold: float) -> None:
    """For each bin of similarity, prints the share of pairs that the filter calls duplicates. Also
    prints the two kinds of errors, below and above the threshold."""
    found = pairs(most)
    members = [
        (f"{TEXT}:Q{number}:{words}", (rank(SEED, f"{number}{side}"), f"{number}{side}"))
        for number, (mine, theirs, _) in enumerate(pair for low in BINS for pair in found[low])
        for side, words in (("a", mine), ("b", theirs))
    ]
    fell = {int(loser[:-1]) for loser in losers(grouped(members), threshold)}
    calls = [
        (similarity, number in fell)
        for number, (_, _, similarity) in enumerate(pair for low in BINS for pair in found[low])
    ]
    for low in BINS:
        mine = [
            called for similarity, called in calls if max(b for b in BINS if b <= similarity) == low
        ]
        print(f"{low:.2f} to {low + 0.05:.2f}: {share(mine)} called duplicates")
    print(
        f"below {threshold}: {share([called for similarity, called in calls if similarity < threshold])} called"
    )
    for top in (threshold + 0.01, 1.0):
        print(
            f"{threshold} to {top:.2f}: {share([not called for similarity, called in calls if threshold <= similarity <= top])} overlooked"
        )


def share(marks: list[bool]) -> str:
    """Formats the number of pairs that the filter marked, and the number of all pairs."""
    return f"{sum(marks)} of {len(marks)} pairs ({sum(marks) / max(1, len(marks)):.2%})"


def cost(num_texts: int, threshold: float) -> None:
    """Prints the CPU time, the bytes and the largest group for a given number of different
    questions."""
    draws = random.Random(SEED)
    texts: set[str] = set()
    while len(texts) < num_texts:
        texts.add(folded(question(draws)).strip())
    groups = grouped(
        (f"{TEXT}::{words}", (rank(SEED, words), f"{number:032x}:17"))
        for number, words in enumerate(sorted(texts))
    )
    started = time.process_time()
    entries = [entry for group in groups for entry in banded(group, threshold)]
    signed = time.process_time()
    size = (
        sum(len(pickle.dumps(group)) for group in groups),
        sum(len(pickle.dumps(entry)) for entry in entries),
    )
    bands = grouped(entries)
    grouping = time.process_time()
    fell = {loser for band in bands for loser, _ in near_losers_of(band, threshold)}
    compared = time.process_time()
    micros = [seconds / num_texts * 1e6 for seconds in (signed - started, compared - grouping)]
    print(
        f"{num_texts} texts of {sum(len(triples(t)) for t in texts) / num_texts:.1f} triples, {len(fell)} fall; largest group "
        f"{max(len(m) for _, m in bands)}; a question: {micros[0]:.0f} µs for its bands, {micros[1]:.0f} µs for comparing; "
        f"{size[0] / num_texts:.0f} B by text, {size[1] / num_texts:.0f} B by band"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pairs", type=int, default=2_000, help="in each bin of similarity")
    parser.add_argument("--similarity", type=float, default=0.85)
    parser.add_argument("--texts", type=int, default=100_000)
    asked = parser.parse_args()
    print(
        f"{datetime.date.today()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}"
    )
    bands, rows = banding(asked.similarity)
    print(
        f"threshold {asked.similarity}: {bands} bands of {rows} rows, {(1 - asked.similarity**rows) ** bands:.2%} overlooked at it by arithmetic"
    )
    detection(asked.pairs, asked.similarity)
    cost(asked.texts, asked.similarity)


if __name__ == "__main__":
    main()
