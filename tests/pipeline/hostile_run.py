"""A run every string of which is an attack: what shows it must show text."""

import json
from pathlib import Path
from typing import Any

from questloom.files.parquet import read_records, write_records
from questloom.records.outcomes import Rejection
from questloom.records.synthesis import Hop, Question, Seed
from questloom.records.table import Record

HOSTILE = (
    '</script><script>window.hacked=1;alert(1)</script><img src=x onerror="window.hacked=1">"\' onmouseover=window.hacked=1 '
    "{{7*7}} ${window.hacked=1} \u202egnp.exe \u2028\u2029\r\n<!-- שלום &lt;b&gt; javascript:window.hacked=1 ]]> \\u003cscript\\u003e"
)
JOINED = {
    "level",
    "method",
    "image_id",
    "source_image_id",
    "seed_id",
    "kind",
    "var",
    "target",
    "claim_id",
    "article_id",
    "item_id",
}
"""Fields by which rows are joined, or which an id is made of."""
FORMAL = {"form", "smallest_part", "bindings"}


def poisoned(value: Any) -> Any:
    """A record with hostile text at the end of every string that is shown and is no key."""
    if isinstance(value, Record):
        kept = JOINED | FORMAL | ({"source"} if isinstance(value, Hop) else set())
        return value.replace(
            **{
                f.name: poisoned(getattr(value, f.name))
                for f, _ in value.typed_fields()
                if f.name not in kept
            }
        )
    if isinstance(value, str):
        return value + HOSTILE
    if isinstance(value, tuple):
        return tuple(poisoned(v) for v in value)
    if isinstance(value, dict):
        return {k: poisoned(v) for k, v in value.items()}
    return value


class HostileSources:
    """Labels and attribution as an enemy would write them."""

    def __init__(self, inner) -> None:
        self.inner = inner

    def label(self, entity_id, language="en"):
        return self.inner.label(entity_id) + HOSTILE

    def property(self, property_id):
        found = self.inner.property(property_id)
        return found and found.replace(labels={"en": found.labels["en"] + HOSTILE})

    def claims(self, subject):
        return self.inner.claims(subject)

    def image(self, image_id):
        found = self.inner.image(image_id)
        return found and found.replace(
            file=HOSTILE,
            author=HOSTILE,
            licence=HOSTILE,
            licence_url="javascript:window.hacked=1",
            source_page=HOSTILE,
        )

    def image_bytes(self, image_id):
        return self.inner.image_bytes(image_id)


def poison(run: Path) -> None:
    """Makes every row of a run hostile."""
    for path in sorted((run / "stages").rglob("*.parquet")):
        kind = {"rejected": Rejection}.get(path.name.split("-")[0])
        if kind is None and path.name.startswith("kept"):
            kind = Seed if "seeds" in path.parent.name else Question
        if kind is not None:
            write_records(path, kind, [poisoned(r) for r in read_records(path, kind)])
    facts = json.loads((run / "run.json").read_text())
    (run / "run.json").write_text(
        json.dumps({**facts, "started": HOSTILE, "versions": {HOSTILE: HOSTILE}}), encoding="utf-8"
    )
    (run / "recipe.json").write_text(
        json.dumps({"name": HOSTILE, HOSTILE: HOSTILE}), encoding="utf-8"
    )
