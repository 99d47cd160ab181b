"""Records where every picture of a run comes from. The facts go into one ledger for each shard, and
into the data set's file `attribution.parquet`.

```
RUN/attribution/store.json              the snapshot behind the questions
                ledger-00003.parquet    the source of every picture that a question of shard 3 ever had
```

The ledgers cover all pictures in RUN/pictures, including the pictures of rejected questions.
Because of the ledgers, a picture can be found by its name and removed, even without the store.
`attribution.parquet` holds the rows of those pictures that are in the data set.
"""

import heapq
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pyarrow.parquet as pq

from questloom.files.locations import Location, readable
from questloom.files.parquet import read_metadata, read_records, write_records, write_whole
from questloom.knowledge.store.store import Store
from questloom.records.errors import InputError
from questloom.records.identity import canonical_json
from questloom.records.knowledge import ImageAsset
from questloom.records.synthesis import Enhancement, Question
from questloom.records.table import Json, Record
from questloom.transforms.stages.run_folder import RunFolder

STORE_FACTS = ("wiki", "base", "snapshot", "languages", "dumps", "digest")
RE_ENCODED = "re-encoded as JPEG without metadata, at most 2,048 pixels a side"
MAX_OPEN_FILES = 256


@dataclass(frozen=True, kw_only=True)
class Attribution(Record):
    """A picture of the run, and the source file that it was made from."""

    image_id: str
    """The sha256 of the picture in the form that the policy sees."""
    source_sha256: str
    """The sha256 of the source file's bytes."""
    file: str
    """The Commons file name, or the path inside the ZIM file or folder. If the picture comes from
    an external data set, the text is the data set's name, a colon and the row's number."""
    author: str = ""
    licence: str
    licence_url: str = ""
    source_page: str = ""
    credit: str = ""
    changes: str = RE_ENCODED


@dataclass(frozen=True, kw_only=True)
class _Shown(Record):
    """The columns of `Question` that describe the question's picture."""

    image_id: str
    source_image_id: str
    enhancement: Enhancement | None
    provenance: Json


def write_ledger(run: RunFolder, store: Store, num_shards: int) -> None:
    """Writes the attribution ledger of a run, and facts about its store.

    Raises:
        InputError: a picture is not in the store, or has no licence.
    """
    facts = {name: store.meta[name] for name in STORE_FACTS if name in store.meta}
    write_whole(run.at("attribution", "store.json"), (canonical_json(facts) + "\n").encode())
    for shard in range(num_shards):
        found = {a.image_id: a for a in _attributions(run, store, shard)}
        write_records(ledger_path(run, shard), Attribution, [found[i] for i in sorted(found)])


def ledger_path(run: RunFolder, shard: int) -> Location:
    """The path of a shard's ledger."""
    return run.at("attribution", f"ledger-{shard:05d}.parquet")


def read_ledger(run: RunFolder, shard: int) -> dict[str, Attribution]:
    """A shard's ledger. The key of a row is the hash of the picture that the policy sees."""
    return {a.image_id: a for a in read_records(ledger_path(run, shard), Attribution)}


def store_facts(run: RunFolder) -> dict:
    """Facts about the store from which the run was made."""
    return json.loads(run.at("attribution", "store.json").read_text(encoding="utf-8"))


def _attributions(run: RunFolder, store: Store, shard: int) -> Iterator[Attribution]:
    for stage in run.labels():
        path = run.shard(stage, "kept", shard)
        if (read_metadata(path) or {}).get("record") != Question.__name__:
            continue
        with pq.ParquetFile(readable(path)) as file:
            for batch in file.iter_batches(columns=_Shown.schema().names):
                for row in batch.to_pylist():
                    shown = _Shown.from_row(row)
                    if shown.image_id:
                        yield from _of_shown(shown, store)


def _of_shown(shown: _Shown, store: Store) -> Iterator[Attribution]:
    if isinstance(shown.provenance, dict):
        asset: ImageAsset | None = _outside(shown.provenance)
    else:
        asset = store.image(shown.source_image_id)
    if asset is None:
        raise InputError(
            f"picture {shown.source_image_id}",
            "is not in the store",
            "Give the store that the run was made from.",
        )
    if not asset.licence:
        raise InputError(
            f"picture {asset.file}",
            "has no licence",
            "Leave it out, or correct its metadata and ingest it again.",
        )

    def attributed(image_id: str, changes: str) -> Attribution:
        return Attribution(
            image_id=image_id,
            source_sha256=asset.id,
            file=asset.file,
            author=asset.author,
            licence=asset.licence,
            licence_url=asset.licence_url,
            source_page=asset.source_page,
            credit=asset.credit,
            changes=changes,
        )

    if shown.enhancement is None:
        yield attributed(shown.image_id, RE_ENCODED)
    else:
        yield attributed(
            shown.image_id,
            f"{RE_ENCODED}; degraded on purpose: {shown.enhancement.degradation.replace('_', ' ')}",
        )
        yield attributed(shown.enhancement.original_image_id, RE_ENCODED)


def _outside(provenance: dict) -> ImageAsset:
    """The picture of a question from an external data set, which the store does not contain; see
    `transforms/external/outside_rows.py`."""
    return ImageAsset(
        id=provenance["sha256"],
        file=f"{provenance['source']}:{provenance['row']}",
        mime="image/*",
        width=0,
        height=0,
        num_bytes=0,
        licence=provenance["licence"],
        author=provenance["author"],
        source_page=provenance["page"],
    )


def merged(parts: Iterable[Path], *, max_open: int = MAX_OPEN_FILES) -> Iterator[Attribution]:
    """Merges the rows of several sorted files into one sorted sequence, and keeps each picture
    once. Memory does not grow with the number of rows.

    Args:
        parts: the files. If there are more than `max_open` files, the function first merges groups
            of files into new files in the same folder.
        max_open: how many files may be open at the same time.
    """
    paths = list(parts)
    while len(paths) > max_open:
        groups = [paths[i : i + max_open] for i in range(0, len(paths), max_open)]
        paths = [group[0].with_name(f"{group[0].stem}+{len(group)}.parquet") for group in groups]
        for path, group in zip(paths, groups, strict=True):
            write_records(path, Attribution, merged(group))
    last = ""
    for row in heapq.merge(
        *(read_records(path, Attribution) for path in paths), key=lambda a: a.image_id
    ):
        if row.image_id != last:
            yield row
        last = row.image_id
