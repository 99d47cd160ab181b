"""Runs a German edition of a slice of Wikidata from dump to questions.

    python -m benchmarks.german_edition SHARED/data/slice OUT [--seeds 40] [--hops 2]

The German labels come from the slice, else from `german/terms.yaml`; a thing without either keeps
its English label. Templates write the articles from the claims: German sentences, dates, infobox
parameters and categories. The writer and the reader of words are rules (`german/rules.py`) behind
a local endpoint. The script prints how many items each stage kept, the reasons of the others, where
the evidence stands, and the kept questions.
"""

import argparse
import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from benchmarks.german.articles import write_edition
from benchmarks.german.edition import read_slice
from benchmarks.german.rules import answering
from benchmarks.real_inputs import command
from questloom.records.outcomes import Rejection
from questloom.records.plan import PlannedSeed
from questloom.records.synthesis import Question
from questloom.transforms.stages.run_folder import RunFolder, name_of

DUMP = "entities-sitelinked.json.gz"
SNAPSHOT = "2021-02-01"
SHOWN = 5


def german_recipe(seeds: int, models: dict[str, Any]) -> dict[str, Any]:
    """The recipe of the edition: the slice's, in German. Pages must name what claims say. The
    slice has no plan of the level "medium", in English neither."""
    return {
        "name": "german",
        "base": "slice",
        "language": "de",
        "writer": "llm",
        "models": models,
        "seeds": {"count": seeds, "levels": {"easy": 1.0, "medium": 0.0}},
        "certificate": {"stated": True},
    }


def report(run: RunFolder) -> Iterator[str]:
    """The lines about each stage, the evidence and the kept questions."""
    for label in run.labels():
        count = run.count(label)
        reasons = Counter(r.reason for r in run.read(label, "rejected", Rejection))
        told = ", ".join(f"{reason} {num}" for reason, num in reasons.most_common())
        yield f"{label}: kept {count.num_kept}, dropped {count.num_rejected}" + (
            f" ({told})" if told else ""
        )
    planned = list(run.read(run.label("plan"), "kept", PlannedSeed))
    yield f"seeds with plans {sum(bool(p.plans) for p in planned)}, plans {sum(len(p.plans) for p in planned)}"
    refused = Counter[str]()
    for rejection in run.read(run.label("draft"), "rejected", Rejection):
        refused.update(rejection.evidence["tried"] if isinstance(rejection.evidence, dict) else {})
    yield f"refusals of words: {dict(refused)}"
    if name_of(run.labels()[-1]) != "split":
        return
    kept = list(run.read(run.labels()[-1], "kept", Question))
    stated = Counter(h.stated for q in kept if q.certificate for h in q.certificate.evidence)
    yield f"claims behind the kept questions, by where a page states them: {dict(stated)}"
    for question in kept[:SHOWN]:
        yield f"\n{question.text}\n  = {question.answer.text} {question.answer.unit}".rstrip()
        for hop in question.certificate.evidence if question.certificate else ():
            yield f"  {hop.property} {hop.stated}: {hop.evidence}"


def main() -> None:
    """Writes the edition, runs it, and prints the report."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("slice", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--seeds", type=int, default=40)
    parser.add_argument("--hops", type=int, default=2, help="how far from a picture articles reach")
    asked = parser.parse_args()
    dump, store, run = asked.out / "dump", str(asked.out / "store"), str(asked.out / "run")
    print(write_edition(read_slice(asked.slice / DUMP, asked.slice), dump, asked.hops), flush=True)
    known = asked.slice / "popularity.tsv"
    images = [
        word
        for folder in sorted(p.parent for p in asked.slice.glob("*/metadata.jsonl"))
        for word in ("--images", str(folder))
    ]
    made, error, seconds = command(
        *("ingest", "--store", store, "--snapshot", SNAPSHOT, *images),
        *(("--popularity", str(known)) if known.exists() else ()),
        *("--articles", str(dump / "articles.xml.bz2")),
        *("--entities", str(dump / "entities.json.gz")),
    )
    print(f"ingest {seconds:.0f} s {error} {json.dumps(made.get('reasons', {}))}", flush=True)
    recipe = asked.out / "german.yaml"
    with answering() as models:
        told = yaml.safe_dump(german_recipe(asked.seeds, models), allow_unicode=True)
        recipe.write_text(told, encoding="utf-8")
        _, error, seconds = command(
            "synth", "--recipe", str(recipe), "--store", store, "--out", run
        )
    print(f"synth {seconds:.0f} s {error}")
    print(*report(RunFolder(run)), sep="\n")


if __name__ == "__main__":
    main()
