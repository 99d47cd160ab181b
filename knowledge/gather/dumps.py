"""Writes gathered things as ordinary dumps, which `ingest` reads like any other dump.

```
OUT/wikidata-DAY.json.gz  OUT/enwiki-DAY-articles.xml.bz2  OUT/pictures/<file>  OUT/pictures/metadata.jsonl
OUT/class-counts.json  OUT/popularity.tsv
OUT/gather.json (written last: without this file the dumps are incomplete)
```
"""

import bz2
import gzip
import json
import os
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

import orjson

from questloom.files.parquet import write_whole
from questloom.knowledge.gather import gathered as state
from questloom.knowledge.gather.closure import Links, classes_above
from questloom.knowledge.gather.fetcher import PICTURES
from questloom.knowledge.gather.gather import Gathering
from questloom.knowledge.gather.gathered import MERGED, Gathered
from questloom.knowledge.gather.page_views import POPULARITY, write_popularity
from questloom.knowledge.gather.request import ClassCount
from questloom.knowledge.gather.wikimedia import VIEW_DAYS, revision_of
from questloom.knowledge.readers.folder import METADATA_NAMES

SUMMARY, CLASS_COUNTS = "gather.json", "class-counts.json"
PAGES_PER_STREAM = 100

Json = dict[str, Any]


def write_dumps(run: Gathering, *, day: str, asked: Json) -> Json:
    """Writes all things of a folder as dumps, and returns the contents of `gather.json`.

    Args:
        run: a finished gathering.
        day: date of the first request, YYYY-MM-DD; the dumps' names contain this date.
        asked: the request, which `gather.json` repeats.
    """
    out, gathered, request = run.fetcher.out, run.gathered, run.request
    (out / SUMMARY).unlink(missing_ok=True)
    names = {
        "entities": f"wikidata-{day.replace('-', '')}.json.gz",
        "articles": f"{request.wiki}-{day.replace('-', '')}-articles.xml.bz2",
        "images": PICTURES,
        "popularity": POPULARITY,
    }
    revisions = {
        "entities": _write_entities(out / names["entities"], gathered),
        "articles": _write_articles(out / names["articles"], gathered),
    }
    pictures = _write_metadata(out / PICTURES / METADATA_NAMES[0], gathered)
    viewed = write_popularity(out / POPULARITY, run.fetcher)
    counts = stated_counts(run.counts, run.fetcher.links)
    write_whole(out / CLASS_COUNTS, json.dumps(counts, sort_keys=True).encode())
    failed = gathered.failures()
    summary = {
        "asked": asked,
        "day": day,
        "dumps": names,
        "gathered": {**{kind: len(some) for kind, some in revisions.items()}, "pictures": pictures},
        "slice": run.slice_counts(),
        "page_views": {"days": VIEW_DAYS, "items": viewed, "stopped": run.views_fault},
        "classes": {name: asdict(c) | {"whole": c.is_whole} for name, c in run.counts.items()},
        "failed": {kind: dict(some) for kind, some in failed.items()},
        "revisions": revisions,
    }
    write_whole(out / SUMMARY, json.dumps(summary, indent=1, ensure_ascii=False).encode() + b"\n")
    return summary


def stated_counts(counts: Mapping[str, ClassCount], links: Mapping[str, Links]) -> dict[str, int]:
    """For each class, the number of its members according to Wikidata.

    If the query service counted a class, the number is the service's count. For a subclass of a
    wholly gathered class, the number counts the gathered members of the subclass. No member of such
    a subclass is missing, because the whole class above it was gathered.
    """
    whole = {name for name, count in counts.items() if count.is_whole}
    below: dict[str, int] = {}
    above: dict[tuple[str, ...], set[str]] = {}
    for thing in links.values():
        if thing.classes not in above:
            found = classes_above(thing.classes, links)
            above[thing.classes] = {c for c in found if whole & classes_above([c], links)}
        for name in above[thing.classes]:
            below[name] = below.get(name, 0) + 1
    return below | {name: count.members for name, count in counts.items()}


def _write_entities(path: Path, gathered: Gathered) -> dict[str, int]:
    """Writes one entity per line; returns the revision of each entity."""
    revisions = {}
    with _whole(path, lambda raw: gzip.GzipFile("", "wb", fileobj=raw, mtime=0)) as file:
        comma = b"[\n"
        for name, body in gathered.each(state.ENTITY):
            file.write(comma + body)
            revisions[name] = int(orjson.loads(body).get("lastrevid") or 0)
            comma = b",\n"
        for name, target in gathered.each(state.ENTITY, MERGED):
            file.write(comma + orjson.dumps({"entity": name, "redirect": target.decode()}))
            comma = b",\n"
        file.write(b"\n]\n")
    return revisions


def _write_articles(path: Path, gathered: Gathered) -> dict[str, int]:
    """Writes a MediaWiki export with a hundred pages per bz2 stream; returns the revision of each page."""
    revisions = {}
    with _whole(path) as file:
        file.write(bz2.compress(gathered.body(state.NOTE, "header") or b"<mediawiki>\n"))
        stream: list[bytes] = []
        for title, xml in gathered.each(state.PAGE):
            revisions[title] = revision_of(xml.decode())
            stream.append(xml)
            if len(stream) == PAGES_PER_STREAM:
                file.write(bz2.compress(b"".join(stream)))
                stream = []
        file.write(bz2.compress(b"".join(stream)))
        file.write(bz2.compress(b"</mediawiki>\n"))
    return revisions


def _write_metadata(path: Path, gathered: Gathered) -> int:
    """Writes one line of metadata for each fetched picture. The line names the file in the same way
    as claims do. Returns how many pictures were written."""
    lines = []
    for name, _ in gathered.each(state.PICTURE):
        page = orjson.loads(gathered.body(state.FILE, name) or b"{}")
        lines.append(orjson.dumps(page | {"title": f"File:{name}"}) + b"\n")
    write_whole(path, b"".join(lines))
    return len(lines)


@contextmanager
def _whole(path: Path, packed: Callable[[IO[bytes]], gzip.GzipFile] | None = None) -> Iterator[Any]:
    """Opens a file under a temporary name. The opened file gets its final name only when it is
    complete."""
    part = path.with_name(f".{path.name}.part")
    try:
        with open(part, "wb") as raw:
            if packed is None:
                yield raw
            else:
                with packed(raw) as file:
                    yield file
            raw.flush()
            os.fsync(raw.fileno())
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
