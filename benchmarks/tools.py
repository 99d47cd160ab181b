"""Measures the speed of the local text search and picture search, and of the tool box that agents
call.

* `python -m benchmarks.tools` first builds a store in a temporary folder (about two minutes).
* With `--store FOLDER`, the script keeps the store in FOLDER and reuses it in later runs.

The synthetic store has 100,000 passages and 20,000 pictures. The words of the passages follow
Zipf's law. The pictures are represented by random unit vectors. Eight calls run at the same time,
as in the episodes of an agent. The script turns off the cache of results. The input of a picture
search is a vector. The result of a picture search contains titles, addresses and files.
"""

import argparse
import asyncio
import datetime
import io
import itertools
import os
import platform
import random
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

import numpy as np
from PIL import Image

from questloom.agent.providers.local_provider import LocalProvider
from questloom.agent.tools import ToolBox, ToolSettings
from questloom.agent.turns.image_bank import ImageBank
from questloom.knowledge.store import Store
from questloom.knowledge.store.build import build_store
from questloom.knowledge.store.vectors import add_vectors
from questloom.models.clip import Clip
from questloom.records.episodes import ToolCall, ToolStatus
from questloom.records.identity import sha256_hex
from questloom.records.knowledge import Article, ImageAsset, Link, Section
from questloom.records.table import Json

PASSAGES, PICTURES, WORDS = 100_000, 20_000, 60_000
IN_FLIGHT = 8


def vocabulary(seed: int) -> tuple[list[str], list[float]]:
    """Makes random words and their cumulative weights, which follow Zipf's law."""
    rng = random.Random(seed)
    words = sorted(
        {
            "".join(
                rng.choice("bdfgklmnprstv") + rng.choice("aeiou") for _ in range(rng.randint(2, 5))
            )
            for _ in range(2 * WORDS)
        }
    )
    rng.shuffle(words)
    return words[:WORDS], list(itertools.accumulate(1 / rank for rank in range(1, WORDS + 1)))


def write_store(path: Path, model: str, width: int) -> None:
    """Writes articles of two passages each. Every tenth article has pictures."""
    rng, (words, weights) = random.Random(1), vocabulary(0)
    total = PASSAGES // 2
    titles = [f"{words[i % WORDS].title()} {words[rng.randrange(WORDS)]} {i}" for i in range(total)]

    def text(num: int) -> str:
        drawn = rng.choices(words, cum_weights=weights, k=num)
        return " ".join(f"{' '.join(drawn[i : i + 12]).capitalize()}." for i in range(0, num, 12))

    articles = (
        Article(
            wiki="enwiki",
            title=title,
            page_id=i,
            revision=1,
            entity_id=f"Q{i}",
            sections=(
                Section(title="", level=1, text=text(80)),
                Section(title="History", level=2, text=text(80)),
            ),
            links=tuple(
                Link(
                    target=titles[rng.randrange(total)],
                    anchor="x",
                    section=0,
                    sentence_start=0,
                    sentence_end=9,
                )
                for _ in range(8)
            ),
        )
        for i, title in enumerate(titles)
    )

    def pictures():
        for i in range(PICTURES):
            out = io.BytesIO()
            Image.frombytes("RGB", (24, 24), rng.randbytes(24 * 24 * 3)).resize((320, 240)).save(
                out, "JPEG", quality=60
            )
            data = out.getvalue()
            yield (
                ImageAsset(
                    id=sha256_hex(data),
                    file=f"{i}.jpg",
                    mime="image/jpeg",
                    width=320,
                    height=240,
                    num_bytes=len(data),
                    licence="CC0",
                    entity_ids=(f"Q{i * 10 % total}",),
                    perceptual_hash=f"{rng.getrandbits(64):016x}",
                ),
                data,
            )

    build_store(str(path), articles=articles, images=pictures(), snapshot="2026-01-01")
    draw = np.random.default_rng(0)

    def vectors(files: list[bytes]) -> np.ndarray:
        drawn = draw.normal(size=(len(files), width)).astype(np.float32)
        return drawn / np.linalg.norm(drawn, axis=1, keepdims=True)

    add_vectors(str(path), vectors, model, batch=256)


async def rate(call: Callable[[int], Awaitable[object]], seconds: float) -> float:
    """The number of calls per second over a given time, after a short warm-up."""
    done = 0

    async def worker(numbers: "itertools.count[int]", end: float) -> None:
        nonlocal done
        while time.monotonic() < end:
            await call(next(numbers))
            done += 1

    numbers = itertools.count()
    for length in (1.0, seconds):
        done, began = 0, time.monotonic()
        await asyncio.gather(*(worker(numbers, began + length) for _ in range(IN_FLIGHT)))
    return done / (time.monotonic() - began)


async def measure(provider: LocalProvider, seconds: float) -> None:
    """Prints one line per figure."""
    rng, (words, weights) = random.Random(2), vocabulary(0)
    queries = [" ".join(rng.choices(words, cum_weights=weights, k=6)) for _ in range(5_000)]
    draw = np.random.default_rng(1)
    vectors = draw.normal(size=(500, provider.clip.dimension)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    box = ToolBox(provider, settings=ToolSettings(tools=("text_search",), cache_bytes=0))

    async def by_tool(i: int) -> None:
        result = await box.call(
            ToolCall(name="text_search", arguments=Json({"query": queries[i % len(queries)]})),
            ImageBank(),
            turn=0,
        )
        assert result.status == ToolStatus.OK and result.text, result

    async def by_vector(i: int) -> None:
        found = await asyncio.to_thread(
            lambda: provider.hits(
                (h.image_id for h in provider.pictures.search(vectors[i % 500], 4)), 4
            )
        )
        assert len(found) == 4

    print(
        f"text search, six words, five results, through the tool box: {await rate(by_tool, seconds):.0f} queries/s"
    )
    print(
        f"picture search, given the vector, four pictures with their files: {await rate(by_vector, seconds):.0f} queries/s"
    )
    print(
        f"  of it the vectors alone: {await rate(lambda i: asyncio.to_thread(provider.pictures.search, vectors[i % 500], 4), seconds):.0f} queries/s"
    )


def main() -> None:
    """Builds the store if it is missing, measures the speeds and prints them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", type=Path, help="folder of the synthetic store")
    parser.add_argument("--seconds", type=float, default=10.0, help="of each measurement")
    asked = parser.parse_args()
    clip = Clip.load("small")
    with tempfile.TemporaryDirectory() as folder:
        path = asked.store or Path(folder, "store")
        if not (path / "meta.json").exists():
            began = time.monotonic()
            write_store(path, clip.name, clip.dimension)
            print(f"store written in {time.monotonic() - began:.0f} s")
        store = Store.open(str(path))
        print(
            f"{datetime.date.today()}, {os.cpu_count()} cores, Python {platform.python_version()}, load {os.getloadavg()[0]:.1f}; "
            f"{store.num_rows('passages'):,} passages, {store.num_rows('images'):,} pictures"
        )
        asyncio.run(measure(LocalProvider(store, clip), asked.seconds))


if __name__ == "__main__":
    main()
