"""Ids and random draws that are the same in every run.

Every id is a hash of content. Every random draw gets its seed from an id.

An id does not depend on order, shard, worker, file path or time. Therefore the same recipe
(settings of a run) gives the same bytes from the same inputs on every machine.
"""

import hashlib
import json
import random
from collections.abc import Iterable
from typing import Any

ID_HEX_DIGITS = 32
SCORE_DIGITS = 4


def canonical_json(value: Any) -> str:
    """The JSON text of a value, with sorted keys and no spaces. NaN and infinity raise an error.

    >>> canonical_json({"b": 1, "a": "é"})
    '{"a":"é","b":1}'
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def sha256_hex(data: bytes | str) -> str:
    """The sha256 of bytes, or of a text in UTF-8, as 64 hex digits."""
    return hashlib.sha256(data.encode("utf-8") if isinstance(data, str) else data).hexdigest()


def record_id(kind: str, *parents: Any, version: int = 1, index: int = 0) -> str:
    """The id of a record: 32 hex digits of a hash over the record's type, schema version, parents
    (or natural key) and index.

    Args:
        kind: name of the record type.
        parents: ids of the parent records, or the natural key. Only JSON values are allowed. A
            recipe, a file path or the text of a model's reply must not be part of an id.
        version: schema version of the record type.
        index: number of this record among the records with the same parents.
    """
    return sha256_hex(canonical_json([kind, version, list(parents), index]))[:ID_HEX_DIGITS]


def chance(recipe_seed: int, item_id: str, stage: str) -> random.Random:
    """A random generator whose seed is a hash of the recipe's seed, a record's id and the name of a
    stage. Jobs take all their random numbers from these generators."""
    return random.Random(
        int.from_bytes(
            hashlib.sha256(canonical_json([recipe_seed, item_id, stage]).encode()).digest()[:16],
            "big",
        )
    )


def priority(recipe_seed: int, item_id: str, purpose: str) -> str:
    """A sort key that gives items a random but repeatable order. The items with the smallest keys are a random
    sample."""
    return sha256_hex(canonical_json([recipe_seed, item_id, purpose]))[:ID_HEX_DIGITS]


def shard_of(item_id: str, num_shards: int) -> int:
    """The number of the shard to which an item belongs.

    The number is computed from the item's hash alone. Neither other items nor the order of arrival
    influence the shard's number.
    """
    return int(sha256_hex(item_id)[:12], 16) % num_shards


def digest_of(parts: Iterable[str]) -> str:
    """One hash over many strings in their order, for manifests and tables."""
    digest = hashlib.sha256()
    for part in parts:
        raw = part.encode("utf-8")
        digest.update(len(raw).to_bytes(8, "big"))
        digest.update(raw)
    return digest.hexdigest()


def rounded(score: float) -> float:
    """Rounds a model's score before it is compared or stored. Without rounding, the score's last
    digits would depend on the size of the batch in which it was computed."""
    return round(float(score), SCORE_DIGITS) + 0.0
