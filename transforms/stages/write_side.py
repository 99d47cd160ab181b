"""Writes the second input of a stage into the stage's folder."""

from collections.abc import Iterator
from typing import Any

import apache_beam as beam

from questloom.files.parquet import write_records
from questloom.records.identity import canonical_json


class WriteSide(beam.DoFn):
    """Writes the second input of a stage, which comes from a step over all shards. The DoFn takes
    pairs of a shard number and its side records, and gives the shard numbers."""

    def __init__(self, job: Any, stage: str, kind: type) -> None:
        self.job, self.stage, self.kind = job, stage, kind

    def process(self, group) -> Iterator[int]:
        shard, records = group
        found = sorted(
            (r for r in records if r is not None),
            key=lambda r: canonical_json(r.to_row()),
            reverse=True,
        )
        rows = {r.item_id: r for r in found}
        write_records(
            self.job.run.shard(self.stage, "side", shard),
            self.kind,
            [rows[i] for i in sorted(rows)],
        )
        yield shard
