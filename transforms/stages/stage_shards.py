"""Writes the files of a stage for one shard, and tests whether a shard is finished. `run_folder.py`
defines the paths.

The metadata of the file `kept` hold the digest of the input, the stage's fingerprint and the
counts. A shard is repeated if its input or fingerprint changed, or if an item is pending. The call
cache holds all replies that arrived, so that no reply is paid for twice.
"""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from questloom.files.locations import Location, open_binary
from questloom.files.parquet import read_metadata, write_records, write_whole
from questloom.records.outcomes import Pending, Rejection, StageCount
from questloom.records.table import Record
from questloom.transforms.stages.run_folder import COUNTS, RunFolder, count_of
from questloom.transforms.stages.stage import Stage


def file_digest(path: Location) -> str:
    """The sha256 of a file's bytes. The same version of the Parquet library always writes the same
    bytes."""
    with open_binary(path) as file:
        return hashlib.file_digest(file, "sha256").hexdigest()  # type: ignore[arg-type]


def source_digest(paths: Iterable[Location]) -> str:
    """One digest over the input files of a shard."""
    return hashlib.sha256("".join(file_digest(p) for p in paths).encode()).hexdigest()


@dataclass
class Outcomes:
    """The outcomes of the records of one shard."""

    kept: list[Record]
    rejected: list[Rejection]
    pending: list[Pending]
    num_in: int = 0
    num_kept: int = 0
    num_rejected: int = 0
    seconds: float = 0.0

    @classmethod
    def empty(cls) -> "Outcomes":
        return cls([], [], [])

    def take(self, outcome) -> None:
        """Counts the outcome of one record. A record counts as kept if the stage made at least one
        record of it."""
        self.num_in += 1
        parts = outcome if isinstance(outcome, list) else [outcome]
        kept = [p for p in parts if not isinstance(p, Rejection | Pending)]
        waiting = [p for p in parts if isinstance(p, Pending)]
        self.kept.extend(kept)
        self.rejected.extend(p for p in parts if isinstance(p, Rejection))
        self.pending.extend(waiting)
        if not waiting:
            self.num_kept += bool(kept)
            self.num_rejected += not kept


def finished(run: RunFolder, stage: Stage, shard: int, digest: str) -> StageCount | None:
    """The counts of a stage's shard if the shard is finished, otherwise None."""
    facts = read_metadata(run.shard(stage.label, "kept", shard))
    if facts is None or (
        facts.get("source"),
        facts.get("fingerprint"),
        facts.get("num_pending"),
    ) != (digest, stage.fingerprint, "0"):
        return None
    return count_of(stage.label, shard, facts)


def shard_facts(fingerprint: str, digest: str, counts: Iterable[int]) -> dict[str, str]:
    """Reads the metadata of a file `kept`: the digest of its input ("" where the file states none),
    and the numbers that `COUNTS` names."""
    return {
        "source": digest,
        "fingerprint": fingerprint,
        **{name: str(number) for name, number in zip(COUNTS, counts, strict=True)},
    }


def write_shard(
    run: RunFolder, stage: Stage, shard: int, digest: str, outcomes: Outcomes
) -> StageCount:
    """Writes the outcomes of one shard under the stage's name. The file of kept items is written
    last, so that it marks a finished shard."""
    assert outcomes.num_in == outcomes.num_kept + outcomes.num_rejected + len(outcomes.pending), (
        "an item was lost"
    )
    rejected = sorted(
        (r.replace(stage=stage.name) for r in outcomes.rejected),
        key=lambda r: (r.item_id, r.reason),
    )
    pending = sorted(
        (p.replace(stage=stage.name) for p in outcomes.pending), key=lambda p: p.item_id
    )
    pending_path = run.shard(stage.label, "pending", shard)
    write_records(run.shard(stage.label, "rejected", shard), Rejection, rejected)
    if pending:
        write_records(pending_path, Pending, pending)
    else:
        pending_path.unlink(missing_ok=True)
    kept = sorted(outcomes.kept, key=lambda r: r.id)  # type: ignore[attr-defined]
    facts = shard_facts(
        stage.fingerprint,
        digest,
        (outcomes.num_in, outcomes.num_kept, outcomes.num_rejected, len(pending), len(kept)),
    )
    # Time is no part of the result, so it stands beside the stages and not in their files.
    # It is written before `kept`, because a finished shard is not repeated.
    write_whole(run.timing(stage.label, shard), str(round(outcomes.seconds, 3)).encode())
    write_records(run.shard(stage.label, "kept", shard), stage.gives, kept, **facts)
    return count_of(stage.label, shard, facts)
