"""A store of the small world in which some relations stand on pages only: the dump of entities lost their claims, the pages kept their sentences."""

import bz2
import json
from pathlib import Path

from questloom.knowledge.world.write import write_world
from questloom.pipeline.ingest.store_job import IngestOptions, run_ingest

SILENT = ("P69", "P84", "P112", "P119", "P1066")
"""Educated at, architect, founded by, place of burial, student of."""


def silent_store(folder: Path, *, articles: int = 80, seed: int = 11) -> str:
    """Writes the world, takes the claims out of its dump and ingests it. `world/truth.jsonl` still has them."""
    write_world(folder / "world", articles=articles, seed=seed, gaps=0)
    path = folder / "world/entities.json.bz2"
    lines = []
    for line in bz2.decompress(path.read_bytes()).decode().splitlines():
        if line.startswith("{"):
            entity = json.loads(line.rstrip(","))
            for property_id in SILENT:
                entity.get("claims", {}).pop(property_id, None)
            line = json.dumps(entity) + ","
        lines.append(line)
    if lines[-1] == "]":
        lines[-2] = lines[-2].rstrip(",")
    path.write_bytes(bz2.compress("\n".join(lines).encode()))
    run_ingest(
        IngestOptions(
            store=str(folder / "store"),
            articles=(str(folder / "world/articles.xml.bz2"),),
            snapshot="2026-01-01",
            entities=(str(path),),
            images=(str(folder / "world/images"),),
        )
    )
    return str(folder / "store")


def truth(folder: Path) -> set[tuple[str, str, str]]:
    """Subject, relation and value of every statement of the world."""
    things = map(
        json.loads, (folder / "world/truth.jsonl").read_text(encoding="utf-8").splitlines()
    )
    return {(t["id"], prop, value) for t in things for prop, value, *_ in t["claims"]}
