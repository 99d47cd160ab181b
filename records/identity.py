"""Identity and chance: every id is a hash of content, and an id seeds every random draw.

An id does not depend on order, shard, worker, path on disk or clock. The same recipe over the same
inputs therefore gives the same bytes on any runner.
"""

import hashlib
import json
import random
from collections.abc import Iterable
from typing import Any

ID_HEX_DIGITS = 32
SCORE_DIGITS = 4


def canonical_json(value: Any) -> str:
    """JSON with sorted keys and no spaces. NaN and infinity raise an error.

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
    """The id of a record: 32 hex digits of a hash over type, schema version, parents (or natural
    key) and index.

    Args:
        kind: the record type's name.
        parents: ids of the parents, or the natural key. Only JSON values are allowed; never a
            recipe, a path on disk or a reply's text.
        version: the record type's schema version.
        index: the place among siblings with the same parents.
    """
    return sha256_hex(canonical_json([kind, version, list(parents), index]))[:ID_HEX_DIGITS]


def chance(recipe_seed: int, item_id: str, stage: str) -> random.Random:
    """A random generator for one (recipe seed, record, stage). Jobs use no other source of randomness."""
    return random.Random(
        int.from_bytes(
            hashlib.sha256(canonical_json([recipe_seed, item_id, stage]).encode()).digest()[:16],
            "big",
        )
    )


def priority(recipe_seed: int, item_id: str, purpose: str) -> str:
    """A sort key that puts items into a random but repeatable order. A random sample takes the
    items with the smallest keys."""
    return sha256_hex(canonical_json([recipe_seed, item_id, purpose]))[:ID_HEX_DIGITS]


def shard_of(item_id: str, num_shards: int) -> int:
    """The shard of an item. The shard depends only on the item's hash, not on arrival order or neighbours."""
    return int(sha256_hex(item_id)[:12], 16) % num_shards


def digest_of(parts: Iterable[str]) -> str:
    """One digest over many strings in order, for manifests and tables."""
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8")
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.hexdigest()


def rounded(score: float) -> float:
    """A model's score, rounded for comparison and storage: the last digits of a float depend on the batch shape."""
    return round(float(score), SCORE_DIGITS) + 0.0
