"""The entities of a slice with German labels, and the dump of them."""

import bz2
import functools
import gzip
import json
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

TERMS = Path(__file__).with_name("terms.yaml")


@functools.cache
def german_terms() -> dict[str, Any]:
    """The content of `terms.yaml`."""
    return yaml.safe_load(TERMS.read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Edition:
    """The entities of a slice, with their German labels.

    Args:
        entities: the lines of the dump by id.
        pictured: ids of the things in the pictures.
    """

    entities: dict[str, dict[str, Any]]
    pictured: frozenset[str]

    def label(self, entity_id: str) -> str:
        """The German label, else the English one."""
        entity = self.entities.get(entity_id, {})
        terms = german_terms()
        made = terms["names"].get(entity_id) or next(iter(terms["classes"].get(entity_id, ())), "")
        labels = entity.get("labels", {})
        said = labels.get("de") or ({"value": made} if made else labels.get("en"))
        return said["value"] if said else ""

    def values(self, entity_id: str, property_id: str = "") -> Iterator[tuple[str, Any]]:
        """The pairs of a property and a value of a thing."""
        claims = self.entities.get(entity_id, {}).get("claims", {})
        for name in [property_id] if property_id else sorted(claims):
            for claim in claims.get(name, ()):
                if "datavalue" in claim["mainsnak"]:
                    yield name, claim["mainsnak"]["datavalue"]["value"]

    @functools.cached_property
    def classes(self) -> dict[str, list[str]]:
        return {e: [v["id"] for _, v in self.values(e, "P31")] for e in self.entities}

    def near(self, hops: int) -> list[str]:
        """The things at most `hops` relations away from the pictured things, with a label each."""
        told = [p for p, term in german_terms()["relations"].items() if "say" in term]
        found = set(self.pictured) & self.entities.keys()
        edge = set(found)
        for _ in range(hops):
            edge = {
                v["id"]
                for e in edge
                for p, v in self.values(e)
                if p in told and isinstance(v, dict) and v.get("id") in self.entities
            } - found
            found |= edge
        return sorted((e for e in found if self.label(e)), key=lambda e: (len(e), e))

    def titles(self, ids: list[str]) -> dict[str, str]:
        """The titles of the articles: the label, with the id where another thing has the label."""
        often = Counter(map(self.label, ids))
        return {e: self.label(e) + (f" ({e})" if often[self.label(e)] > 1 else "") for e in ids}


def read_slice(dump: Path, pictures: Path) -> Edition:
    """Reads the entities of a dump, and the things in the folders of pictures below a folder."""
    opened = bz2.open if dump.suffix == ".bz2" else gzip.open
    with opened(dump, "rt", encoding="utf-8") as lines:
        found = (json.loads(line.strip().rstrip(",")) for line in lines if len(line) > 3)
        entities = {entity["id"]: entity for entity in found}
    tables = (p.read_text(encoding="utf-8") for p in sorted(pictures.glob("*/metadata.jsonl")))
    pictured = {name for text in tables for name in re.findall(r'"id": ?"(Q\d+)"', text)}
    return Edition(entities, frozenset(pictured))
