"""Writes a whole world to a folder, part by part. Memory does not grow with the size of the world.

```
DIR/articles.xml.bz2  DIR/articles-index.txt.bz2  DIR/entities.json.bz2  DIR/truth.jsonl
DIR/class-counts.json  DIR/images/<file>  DIR/images/metadata.jsonl  DIR/world.json (last: a folder without it is not a world)
```
"""

import bz2
import hashlib
import json
import os
from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from questloom.files.parquet import write_whole
from questloom.knowledge.world import gaps as gap_rules
from questloom.knowledge.world import vocabulary
from questloom.knowledge.world.article_texts import Page, pages
from questloom.knowledge.world.export import footer, header, streams
from questloom.knowledge.world.learning import MOST_ARTICLES, learning_pages, make_learning_part
from questloom.knowledge.world.model import Picture, Thing
from questloom.knowledge.world.part import Part
from questloom.knowledge.world.pictures.draw import draw
from questloom.knowledge.world.pictures.metadata import metadata_line
from questloom.knowledge.world.populate import make_part, part_sizes
from questloom.knowledge.world.wikibase import item_line, term_lines, truth_line
from questloom.knowledge.world.workers import in_order, worker_pool
from questloom.records.errors import InputError

FORMAT_VERSION = 1
UNFINISHED = "world.unfinished"
"""A file with this name marks a folder in which a world is being written, so that a later run may
replace the half-written world."""
PICTURES_PER_TASK = 24
FILES = (
    "articles.xml.bz2",
    "articles-index.txt.bz2",
    "entities.json.bz2",
    "truth.jsonl",
    "images/metadata.jsonl",
    "class-counts.json",
)
MAX_ARTICLES = 1_100_000
"""Maximum number of articles for which the invented languages have enough names."""

Progress = Callable[[str, int, int], None]


@dataclass(frozen=True, kw_only=True)
class WorldSummary:
    """The summary of a written world, as in world.json: the settings, counts, and sha256 of every dump."""

    articles: int
    seed: int
    gaps: int
    absent: float
    with_pictures: bool
    pages: int
    entities: int
    hidden_items: int
    absent_things: int
    pictures: int
    digests: dict[str, str]
    learning: bool = False


@dataclass(frozen=True)
class PartFiles:
    """One part of the world, ready to be appended to the dumps."""

    number: int
    streams: list[tuple[bytes, str]]
    entities: bytes
    truth: bytes
    num_pages: int
    num_entities: int
    num_hidden: int
    num_absent: int
    members: Counter[str]
    """The number of members of each class in the world. Members of subclasses, and members that the dumps lack, are
    included."""
    pictures: list["Drawings"]
    """The tasks for the processes that draw pictures."""


class Which(NamedTuple):
    """The settings that together determine every byte of a world."""

    seed: int
    articles: int
    learning: bool


class Drawings(NamedTuple):
    """A task for a process that draws pictures: some pictures of one part."""

    world: Which
    number: int
    """The number of the part to which the pictures belong."""
    drawings: list[tuple[str, int]]
    """The pictures to draw, each as (thing id, index of the picture)."""


def write_world(
    out: Path,
    *,
    articles: int,
    seed: int,
    gaps: int = 0,
    absent: float = 0.0,
    pictures: bool = True,
    learning: bool = False,
    workers: int | None = None,
    progress: Progress | None = None,
) -> WorldSummary:
    """Writes the world that the arguments articles, seed, gaps, absent and learning define. The written bytes are the
    same for any number of worker processes.

    Args:
        out: path of the folder, which is created; an earlier world in it, complete or not, is replaced.
        articles: number of articles about things; redirects, lists and disambiguation pages are not counted.
        seed: seed of the world.
        gaps: 0, 1 or 2; multiplies the rates in `gap_rates.json` at which the dump leaves out
            claims, values and items.
        absent: share of all things that have no item, page and pictures in the dumps; the country,
            its regions and cities always have them.
        pictures: whether to write picture files and their metadata.
        learning: whether to write the small world of `learning.py` instead of the country.
        workers: number of processes; default is all cores.
        progress: function that is called with (step, number done, total).

    Raises:
        InputError: a setting is out of range, or the folder holds other files.
    """
    _check(out, articles, gaps, absent, learning)
    (out / "images").mkdir(parents=True, exist_ok=True)
    (
        out / UNFINISHED
    ).touch()  # written before the other marker is removed, so that one of the two always marks the folder as ours
    (out / "world.json").unlink(missing_ok=True)
    for old in (out / "images").iterdir():
        old.unlink()
    workers = workers or os.cpu_count() or 1
    numbers = range(1 if learning else len(part_sizes(articles)))
    jobs = [
        (Which(seed, articles, learning), n, gaps, absent, pictures, n == numbers[-1])
        for n in numbers
    ]
    told = progress or (lambda what, done, total: None)
    with worker_pool(workers) as pool:
        counts, tasks = _write_dumps(
            out,
            (in_order(pool, _make, jobs, workers) if workers > 1 else map(_make, jobs)),
            len(jobs),
            told,
        )
        num_pictures = _write_pictures(out, tasks, pool if workers > 1 else None, workers, told)
    digests = {name: _digest(out / name) for name in FILES}
    summary = WorldSummary(
        articles=articles,
        seed=seed,
        gaps=gaps,
        absent=absent,
        with_pictures=pictures,
        pictures=num_pictures,
        digests=digests,
        learning=learning,
        **counts,
    )
    write_whole(
        out / "world.json",
        json.dumps({"format": FORMAT_VERSION, **asdict(summary)}, indent=1, sort_keys=True).encode()
        + b"\n",
    )
    (out / UNFINISHED).unlink()
    return summary


def _check(out: Path, articles: int, gaps: int, absent: float, learning: bool) -> None:
    least, most = (8, MOST_ARTICLES) if learning else (1, MAX_ARTICLES)
    if not least <= articles <= most:
        raise InputError(
            "articles",
            f"{articles} is not between {least} and {most:,}",
            "Choose a number in that range.",
        )
    if gaps not in (0, 1, 2):
        raise InputError(
            "gaps", f"{gaps} is not 0, 1 or 2", "Choose none, once or twice the measured rates."
        )
    if not 0 <= absent < 1:
        raise InputError(
            "absent", f"{absent} is no share", "Choose a number from 0 to less than 1."
        )
    if out.exists() and not out.is_dir():
        raise InputError(str(out), "is not a folder", "Name a folder, new or empty.")
    if (
        out.exists()
        and any(out.iterdir())
        and not ((out / "world.json").exists() or (out / UNFINISHED).exists())
    ):
        raise InputError(
            str(out),
            "holds files that are no world",
            "Name a folder that is new, empty, or an earlier world.",
        )


def _make(job: tuple[Which, int, int, float, bool, bool]) -> PartFiles:
    """Makes one part of the world and all its dump lines."""
    world, number, gap_level, absent, with_pictures, last = job
    part = _made(world, number)
    lines = term_lines(world.learning) if number == 0 else []
    hidden = 0
    truth = []
    gone = {
        t.id
        for t in part.things.values()
        if absent and gap_rules.absent_thing(world.seed, absent, t)
    }
    for thing in part.things.values():
        if thing.id in gone:
            pass
        elif gap_level and gap_rules.hidden_item(world.seed, gap_level, thing):
            hidden += 1
        else:
            lines.append(item_line(part, thing, gap_level))
        truth.append(truth_line(part, thing, pictures=with_pictures) + b"\n")
    dump = (b"[\n" if number == 0 else b"") + b",\n".join(lines) + (b"\n]\n" if last else b",\n")
    written = _without(
        learning_pages(part) if world.learning else pages(part),
        {part.things[i].title for i in gone if part.things[i].article},
    )
    drawings = (
        [
            (t.id, i)
            for t in part.things.values()
            if t.id not in gone
            for i in range(len(t.pictures))
        ]
        if with_pictures
        else []
    )
    tasks = [
        Drawings(world, number, drawings[i : i + PICTURES_PER_TASK])
        for i in range(0, len(drawings), PICTURES_PER_TASK)
    ]
    return PartFiles(
        number,
        list(streams(written, number)),
        bz2.compress(dump),
        b"".join(truth),
        len(written),
        len(part.things),
        hidden,
        len(gone),
        _members(part),
        tasks,
    )


def _members(part: Part) -> Counter[str]:
    return Counter(
        c
        for thing in part.things.values()
        for c in {above for own in thing.classes for above in vocabulary.ancestors(own)}
    )


def _made(world: Which, number: int) -> Part:
    if world.learning:
        return make_learning_part(world.seed, world.articles)
    return make_part(
        world.seed,
        world.articles,
        number,
        None if number == 0 else _nation(world.seed, world.articles),
    )


def _without(written: list[Page], gone: set[str]) -> list[Page]:
    """Removes the pages whose titles are in `gone`, and the redirects to these pages. Links to removed pages stay as
    red links."""
    kept = []
    for page in written:
        if page.title in gone or page.redirect in gone:
            gone.add(page.title)
        else:
            kept.append(page)
    return kept


@lru_cache(maxsize=1)
def _nation(seed: int, articles: int) -> Part:
    return make_part(seed, articles, 0)


@lru_cache(maxsize=2)
def _part(world: Which, number: int) -> Part:
    return _made(world, number)


def _write_dumps(
    out: Path, parts: Iterable[PartFiles], total: int, told: Progress
) -> tuple[dict[str, int], list[Drawings]]:
    """Appends the parts to the dumps in order; returns the counts and the tasks for drawing pictures."""
    counts = {"pages": 0, "entities": 0, "hidden_items": 0, "absent_things": 0}
    tasks: list[Drawings] = []
    members: Counter[str] = Counter()
    with (
        open(out / FILES[0], "wb") as xml,
        open(out / FILES[1], "wb") as index_file,
        open(out / FILES[2], "wb") as entities,
        open(out / FILES[3], "wb") as truth,
    ):
        index = bz2.BZ2Compressor()
        xml.write(header())
        for part in parts:
            for stream, lines in part.streams:
                lines = "".join(line % xml.tell() + "\n" for line in lines.splitlines())
                index_file.write(index.compress(lines.encode("utf-8")))
                xml.write(stream)
            entities.write(part.entities)
            truth.write(part.truth)
            counts["pages"] += part.num_pages
            counts["entities"] += part.num_entities
            counts["hidden_items"] += part.num_hidden
            counts["absent_things"] += part.num_absent
            members.update(part.members)
            tasks.extend(part.pictures)
            told("parts", part.number + 1, total)
        xml.write(footer())
        index_file.write(index.flush())
    (out / FILES[5]).write_text(json.dumps(members, sort_keys=True) + "\n", encoding="utf-8")
    return counts, tasks


def _write_pictures(
    out: Path, tasks: list[Drawings], pool: Executor | None, workers: int, told: Progress
) -> int:
    """Draws every picture of a world. Worker processes write the files into the folder; the
    metadata is collected in order."""
    total = sum(len(task.drawings) for task in tasks)
    done = 0
    jobs = [(task, str(out / "images")) for task in tasks]
    with open(out / FILES[4], "wb") as metadata:
        for lines in in_order(pool, _draw_some, jobs, workers) if pool else map(_draw_some, jobs):
            metadata.write(b"".join(lines))
            done += len(lines)
            told("drawings", done, total)
    return done


def _draw_some(job: tuple[Drawings, str]) -> list[bytes]:
    task, folder = job
    part = _part(task.world, task.number)
    lines = []
    for qid, index in task.drawings:
        thing: Thing = part.things[qid]
        picture: Picture = thing.pictures[index]
        drawn = draw(task.world.seed, thing, picture)
        with open(Path(folder) / picture.file, "wb") as file:
            file.write(drawn.data)
        lines.append(metadata_line(part, thing, picture, drawn) + b"\n")
    return lines


def _digest(path: Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
