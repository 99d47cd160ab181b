"""Counts how the members of each class use each property. A first pass counts subjects, partition
by partition. A second pass counts distinct values in sorted order."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator

import orjson
import pyarrow as pa

from questloom.files.locations import Location, listed
from questloom.files.parquet import write_whole
from questloom.knowledge.store.layout import SCHEMAS
from questloom.knowledge.store.profiles import (
    Counts,
    answer_key,
    count_commonest,
    count_values,
    profile_rows,
)


def write_counts(path: Location, counts: Counts) -> None:
    """Writes the counts of one partition."""
    write_whole(path, orjson.dumps([[*key, number] for key, number in sorted(counts.items())]))


def count_distinct(tables: Iterable[pa.Table], counts: Counts) -> Iterator[pa.Table]:
    """Passes on the rows of the table `values`, and counts each distinct value. The rows of one
    value may lie in several tables."""
    last, classes, answer, answering = "", set[tuple[str, ...]](), "", Counter[str]()
    for table in tables:
        for key, subject_classes in zip(
            table.column("key").to_pylist(), table.column("extra").to_pylist(), strict=True
        ):
            if key != last:
                _count(counts, last, classes)
                last, classes = key, set()
                if (found := _answer(key)) != answer:
                    _count_answer(counts, answer, answering)
                    answer, answering = found, Counter()
            own = tuple(subject_classes.decode().split())
            classes.add(own)
            answering.update({"", *own})
        yield table
    _count(counts, last, classes)
    _count_answer(counts, answer, answering)


def _count(counts: Counts, key: str, classes: set[tuple[str, ...]]) -> None:
    prop, _, value_key = key.partition(" ")
    if prop and value_key != "novalue":
        count_values(counts, prop, classes)


def _answer(key: str) -> str:
    """The part of a value's key that decides whether a guess counts as right: the guess must have
    the same part. Values with the same part are neighbours in the table."""
    prop, _, value_key = key.partition(" ")
    return f"{prop} {answer_key(value_key)}"


def _count_answer(counts: Counts, answer: str, answering: Counter[str]) -> None:
    prop, _, value_key = answer.partition(" ")
    if prop and value_key not in ("novalue", "somevalue"):
        count_commonest(counts, prop, answering)


def profiles_table(folder: Location, counts: Counts) -> pa.Table:
    """The store's table `profiles`, from the counts of all partitions and the distinct values."""
    for path in listed(folder, "*.json"):
        for what, prop, class_id, number in json.loads(path.read_bytes()):
            counts[what, prop, class_id] += number
    return pa.Table.from_pylist(
        [{"key": key, "record": data} for key, _, data in profile_rows(counts)], SCHEMAS["profiles"]
    )
