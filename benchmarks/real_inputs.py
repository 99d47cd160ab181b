"""Runs `ingest` and `synth` on real inputs. Reports how many rows and questions were dropped, and
why.

    python -m benchmarks.real_inputs SHARED/data OUT [--only enwiki cree …]

The output is Markdown. For each input, the output shows the commands, the number of rows in the
store, and the number of questions after each stage. For each reason for dropping something, the
output also shows the number of drops and an example. `docs/own-data.md` was written from this
output.
"""

import argparse
import json
import os
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable
from datetime import date
from pathlib import Path

from benchmarks.real_collections import Collection, write_dump, write_pictures
from questloom.files.parquet import read_records
from questloom.knowledge.store import Store
from questloom.records.outcomes import Rejection, StageCount
from questloom.transforms.stages.run_folder import RunFolder

SYNTH = [
    "--recipe",
    "demo",
    "--workers",
    "1",
    "--set",
    "seeds.count=40",
    "--set",
    "seeds.rules={pictured: 1, anchor: 1, rare: 1}",
    "--set",
    "seeds.rare_min_statements=1",
    "--set",
    "seeds.rare_max_sitelinks=1000",
    "--set",
    "seeds.anchor_min_in_degree=0",
    "--set",
    "pictures.min_side=50",
    "--set",
    "pictures.withhold_own=false",
    "--set",
    "grounding.mode=none",
    "--set",
    "filters.oracle=false",
    "--set",
    "run.shards=2",
]
"""Settings that demand almost nothing of a seed (the item that a question starts from). With
settings that demand almost nothing, even thin data gives questions.
"""
SNAPSHOT = "2026-01-31"
COLLECTIONS = {"enwiki": ("set", "hurricanes"), "dewiki": ("papier",), "simplewiki": ("tao",)}


def inputs(data: Path, out: Path) -> dict[str, list[str]]:
    """The options of `ingest` for each named input."""
    wikidata = data / "wikidata"
    entities = [
        "--entities",
        str(wikidata / "entities.json.gz"),
        "--entities",
        str(wikidata / "properties.json.gz"),
        "--snapshot",
        SNAPSHOT,
    ]
    return {
        "enwiki": [
            "--articles",
            str(data / "dumps/enwiki-20160501-pages-articles-shortened.xml.bz2"),
        ],
        "cree": ["--articles", str(data / "zim/wikipedia_cr_all_2015-04.zim")],
        "top100": ["--articles", str(data / "zim/wikipedia_en_100_mini_2022-10.zim")],
        "entities": entities,
        **{
            f"collections-{wiki}": [
                *("--articles", str(out / f"{wiki}.xml")),
                *("--images", str(out / f"{wiki}-pictures")),
            ]
            for wiki in COLLECTIONS
        },
    }


def command(*words: str) -> tuple[dict, str, float]:
    """Runs one command of Questloom; returns (result, error text, seconds)."""
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-m", "questloom.pipeline.cli", *words, "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    return (
        (json.loads(done.stdout) if done.stdout.startswith("{") else {}),
        done.stderr if done.returncode else "",
        time.monotonic() - started,
    )


def examples(rejections: Iterable[Rejection]) -> list[str]:
    """Maps each stage and reason to three things: the number of rejections, and the title and the
    evidence of the first rejection.
    """
    found: dict[tuple[str, str], list[Rejection]] = defaultdict(list)
    for rejection in rejections:
        found[rejection.stage, rejection.reason].append(rejection)
    return [
        f"    * {stage} · {reason}: {len(some):,}; {some[0].title[:60]!r}, {json.dumps(some[0].evidence, ensure_ascii=False, default=vars)[:240]}"
        for (stage, reason), some in sorted(found.items())
    ]


def show_store(store: str) -> None:
    """Prints what a store holds. Also prints one article and one entity as examples."""
    opened = Store.open(store)
    counts = Path(store, "rejected/stages.parquet")
    for count in read_records(counts, StageCount):
        if count.num_in:
            print(
                f"  * stage {count.stage}: in {count.num_in:,}, kept {count.num_kept:,}, rejected {count.num_rejected:,}, out {count.num_out:,}"
            )
    print(
        *examples(
            r
            for path in sorted(counts.parent.glob("**/*.parquet"))
            if path != counts
            for r in read_records(path, Rejection)
        ),
        sep="\n",
    )
    articles = list(opened.scan_articles())
    if articles:
        longest = max(articles, key=lambda a: (len(a.links), a.title))
        print(
            f"  * links {sum(len(a.links) for a in articles):,}, articles with an infobox {sum(bool(a.infobox) for a in articles)}, "
            f"pictures named {sum(len(a.pictures) for a in articles):,}"
        )
        print(
            f"  * article with most links: {longest.title!r}, {len(longest.links)} links, {len(longest.infobox)} fields, lead {longest.lead[:160]!r}"
        )
    entities = list(opened.scan_entities())
    richest = max(entities, key=lambda e: (len(opened.claims(e.id)), e.id))
    claims = opened.claims(richest.id)
    print(
        f"  * classes: {sum(bool(e.classes) for e in entities)} of {len(entities)} entities; most claims: {richest.id} {richest.label()!r} {len(claims)}, "
        f"such as {[(c.property, c.value.key(), c.rank) for c in claims if c.best][:4]}"
    )
    images = list(opened.scan_images())
    print(
        f"  * pictures {len(images)}; licences {dict(Counter(i.licence or 'none' for i in images).most_common(6))}; "
        f"shorter side {sorted(min(i.width, i.height) for i in images)[:: max(1, len(images) // 5)]}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("data", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", nargs="*", default=[])
    arguments = parser.parse_args()
    data, out = arguments.data, arguments.out
    out.mkdir(parents=True, exist_ok=True)

    for wiki, names in COLLECTIONS.items():
        bundles = [Collection(data / f"collections/{name}.zip") for name in names]
        write_dump(bundles, out / f"{wiki}.xml")
        write_pictures(bundles, out / f"{wiki}-pictures")
    print(f"{date.today()}; {len(os.sched_getaffinity(0))} cores\n")
    for name, options in inputs(data, out).items():
        if arguments.only and name not in arguments.only:
            continue
        store, run = str(out / f"store-{name}"), str(out / f"run-{name}")
        print(f"## {name}\n    ingest {' '.join(options)} --store {store}")
        made, error, seconds = command("ingest", *options, "--store", store)
        print(
            f"  * {seconds:.0f} s; rows {made.get('rows')}; dropped {made.get('dropped')} {error[-600:]}"
        )
        if not made:
            continue
        show_store(store)
        made, error, seconds = command("synth", "--store", store, "--out", run, *SYNTH)
        funnel = ", ".join(
            f"{stage} {c['kept']}/{c['in']}"
            for stage, c in made.get("stages", {}).items()
            if c["in"]
        )
        found = (
            f"seeds {made['seeds']}, kept {made['kept']}; {made['message']} {funnel}"
            if made
            else f"refused: {error.rpartition('questloom: ')[2]}"
        )
        print(f"  * synth: {seconds:.0f} s; {found}")
        folder = RunFolder(run)
        print(
            *examples(
                r for label in folder.labels() for r in folder.read(label, "rejected", Rejection)
            ),
            sep="\n",
            flush=True,
        )


if __name__ == "__main__":
    main()
