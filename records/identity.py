"""Identity and chance: every id is a hash of content, every draw is seeded by an id.

Nothing here depends on order, shard, worker, path on disk or clock, so that the same recipe over the
same inputs gives the same bytes on any runner.
"""

import hashlib
import json
import random
from collections.abc import Iterable
from typing import Any

ID_HEX_DIGITS = 32
SCORE_DIGITS = 4


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces; NaN and infinity are refused.

    >>> canonical_json({"b": 1, "a": "é"})
    '{"a":"é","b":1}'
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def sha256_hex(data: bytes | str) -> str:
    """The sha256 of bytes, or of a text's UTF-8, as 64 hex digits."""
    return hashlib.sha256(data.encode("utf-8") if isinstance(data, str) else data).hexdigest()


def record_id(kind: str, *parents: Any, version: int = 1, index: int = 0) -> str:
    """The id of a record: 32 hex digits over (type, schema version, parents or natural key, index).

    Args:
        kind: the record type's name.
        parents: ids of the parents, or the natural key; JSON values only. Never a recipe, a path on
            disk or a reply's text.
        version: the record type's schema version.
        index: the place among siblings of the same parents.
    """
    return sha256_hex(canonical_json([kind, version, list(parents), index]))[:ID_HEX_DIGITS]


def chance(recipe_seed: int, item_id: str, stage: str) -> random.Random:
    """A generator for one (recipe seed, record, stage): the only source of randomness in a job."""
    return random.Random(
        int.from_bytes(
            hashlib.sha256(canonical_json([recipe_seed, item_id, stage]).encode()).digest()[:16],
            "big",
        )
    )


def priority(recipe_seed: int, item_id: str, purpose: str) -> str:
    """A key that orders items at random but always the same way: for sampling by smallest key."""
    return sha256_hex(canonical_json([recipe_seed, item_id, purpose]))[:ID_HEX_DIGITS]


def shard_of(item_id: str, num_shards: int) -> int:
    """The shard of an item, by its own hash: independent of arrival order and of neighbours."""
    return int(sha256_hex(item_id)[:12], 16) % num_shards


def digest_of(parts: Iterable[str]) -> str:
    """One digest over many strings, order mattering; for manifests and table digests."""
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8")
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.hexdigest()


def rounded(score: float) -> float:
    """A model's score as it is compared and stored: floats differ in their last digits by batch shape."""
    return round(float(score), SCORE_DIGITS) + 0.0
