"""Compares the words of generated questions with the words of people's questions: how varied they
are, how often they repeat, and how questions open.

    python -m benchmarks.words [NAME=RUN_OR_JSONL ...] [--words 2400] [--shared FOLDER]

A question set is either the kept questions in a run's folder, or a file of JSON lines with the key
`question`. The script also compares the question sets under `qa` in the shared data, if they exist.
Each figure is the mean of ten random draws with a fixed seed. A draw takes questions until they
have `--words` words. The figures are:

* the number of different words in lower case: once for all words, and once without names and
  numbers;
* near twins: among a hundred questions, the pairs that share four of five words; names and numbers
  do not count;
* the share of questions that open like an exam paper ("Identify the …"), and the share that open
  with the two most frequent words;
* the mean length in words, and the share of questions that repeat a content word
  (`lints.repeated`).
"""

import argparse
import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from statistics import mean

from questloom.records.synthesis import Question
from questloom.transforms.stages.run_folder import RunFolder
from questloom.transforms.writing.graph.lints import problems, repeated
from tests.run_files import read_stage
from tests.shared_data import SHARED

DRAWS, SEED, AMONG, ALIKE = 10, 20261122, 100, 0.8
COLUMNS = (
    "questions",
    "different",
    "lower case",
    "near twins",
    "openers %",
    "commonest start %",
    "length",
    "said twice %",
)


def words_of(text: str) -> list[str]:
    """The words of a text, with their capital letters."""
    return re.findall(r"[^\W_]+(?:['’-][^\W_]+)*", text)


def read_questions(place: str) -> list[str]:
    """Reads the questions from a run's folder or from a file of JSON lines."""
    if Path(place).is_dir():
        return [q.text for q in read_stage(RunFolder(place), "split", "kept", Question)]
    with (
        gzip.open(place, "rt", encoding="utf-8")
        if place.endswith(".gz")
        else open(place, encoding="utf-8")
    ) as lines:
        return [text for line in lines if line.strip() and (text := json.loads(line)["question"])]


def drawn(texts: Sequence[str], num_words: int, seed: int) -> list[str]:
    """Draws questions at random until they have the given number of words."""
    order = random.Random(seed).sample(list(texts), len(texts))
    found, total = [], 0
    for text in order:
        if total >= num_words:
            break
        found.append(text)
        total += len(words_of(text))
    return found


def bones(text: str) -> frozenset[str]:
    """The words of a question without names and numbers: the words that a template would
    contain.
    """
    return frozenset(w.lower() for k, w in enumerate(words_of(text)) if w[0].islower() or k == 0)


def row(texts: Sequence[str], num_words: int) -> list[float]:
    """The figures of one set, in the order of `COLUMNS`."""
    draws = [drawn(texts, num_words, SEED + k) for k in range(DRAWS)]
    few = [bones(t) for t in random.Random(SEED).sample(list(texts), min(AMONG, len(texts)))]
    twins = sum(len(a & b) >= ALIKE * len(a | b) for a, b in combinations(few, 2))
    starts = Counter(" ".join(words_of(t)[:2]).lower() for t in texts)
    return [
        len(texts),
        mean(len({w.lower() for t in d for w in words_of(t)}) for d in draws),
        mean(len({w for t in d for w in bones(t)}) for d in draws),
        twins,
        100 * mean("opener of an exam paper" in problems(t) for t in texts),
        100 * starts.most_common(1)[0][1] / len(texts),
        mean(len(words_of(t)) for t in texts),
        100 * mean(bool(repeated(t)) for t in texts),
    ]


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("sets", nargs="*", help="NAME=PLACE")
    parser.add_argument("--words", type=int, default=2400)
    parser.add_argument("--shared", default=str(SHARED))
    arguments = parser.parse_args()
    places = dict(s.split("=", 1) for s in arguments.sets)
    places |= {
        path.name.split(".")[0]: str(path)
        for path in sorted(Path(arguments.shared, "data", "qa").glob("*.jsonl*"))
    }
    print(f"{'set':16}" + "".join(f"{c:>19}" for c in COLUMNS))
    for name, place in places.items():
        print(
            f"{name:16}"
            + "".join(f"{x:19.1f}" for x in row(read_questions(place), arguments.words))
        )


if __name__ == "__main__":
    main()
