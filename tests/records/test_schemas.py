"""The Arrow schema of every record, as text: a change is seen, and rows that an older version wrote still load.

After a deliberate change run `QUESTLOOM_WRITE_GOLDENS=1 pytest <this file>`: it writes the schemas anew and *adds* rows of the
new shape beside the old ones, which stay for ever.
"""

import hashlib
import importlib
import os
import pkgutil
import typing
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from questloom import records
from questloom.records.form import Ask, Form, Image
from questloom.records.table import Json, Record

HERE = Path(__file__).parent


def kinds() -> dict[str, type[Record]]:
    """Every record class by name."""
    for module in pkgutil.iter_modules(records.__path__):
        importlib.import_module(f"questloom.records.{module.name}")
    found, waiting = {}, list(Record.__subclasses__())
    while waiting:
        kind = waiting.pop()
        waiting += kind.__subclasses__()
        if kind.__module__.startswith("questloom.records."):
            found[kind.__name__] = kind
    return dict(sorted(found.items()))


KINDS = kinds()
GONE = {"Question": {"history", "explored"}}
"""Columns that no record has any more: in an older row they are passed over, and no others are."""


def example(hint, name: str, depth: int = 0):
    """A value of a type that is not its default, so that a lost field is seen."""
    arguments, origin = typing.get_args(hint), typing.get_origin(hint)
    if type(None) in arguments:
        return example(next(a for a in arguments if a is not type(None)), name, depth)
    if hint is Json:
        return {"of": [name, 1, None]}
    if hint is Form:
        return Form(clauses=(Image(var="x0"),), ask=Ask(var="x0", type="entity"))
    if origin is tuple:
        return (example(arguments[0], name, depth + 1),)
    if origin is dict:
        return {"key": example(arguments[1], name, depth + 1)}
    if isinstance(hint, type) and issubclass(hint, Record):
        return filled(hint, depth + 1)
    return {str: name, int: 7, float: 0.5, bool: True, bytes: name.encode()}[hint]


def filled(kind: type[Record], depth: int = 0) -> Record:
    """A record with every field set."""
    return kind(**{f.name: example(hint, f.name, depth) for f, hint in kind.typed_fields()})


def schemas() -> str:
    return "\n".join(
        f"# {name}\n{kind.schema().to_string(show_field_metadata=False, show_schema_metadata=False)}\n"
        for name, kind in KINDS.items()
    )


def test_a_change_of_a_schema_is_seen():
    text, golden = schemas(), HERE / "schemas.txt"
    if os.environ.get("QUESTLOOM_WRITE_GOLDENS"):
        golden.write_text(text, encoding="utf-8")
        for name, kind in KINDS.items():
            shape = hashlib.sha256(
                kind.schema().to_string(show_schema_metadata=False).encode()
            ).hexdigest()[:8]
            pq.write_table(
                pa.Table.from_pylist([filled(kind).to_row()], schema=kind.schema()),
                HERE / "rows" / f"{name}-{shape}.parquet",
            )
    assert text == golden.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", KINDS)
def test_a_record_comes_back_whole(name):
    record = filled(KINDS[name])
    table = pa.Table.from_pylist([record.to_row()], schema=KINDS[name].schema())
    assert KINDS[name].from_row(table.to_pylist()[0]) == record


@pytest.mark.parametrize("path", sorted((HERE / "rows").glob("*.parquet")), ids=lambda p: p.stem)
def test_rows_of_an_older_version_load(path):
    """What the row had is as it was, but for columns that are gone; what it lacks, in records within it too, has its default."""
    kind = KINDS[path.stem.rpartition("-")[0]]
    old, new = kind.from_row(pq.read_table(path).to_pylist()[0]).to_row(), filled(kind).to_row()
    for field in pq.read_schema(path):
        if field.name in GONE.get(kind.__name__, ()):
            continue
        assert stored(old[field.name], field.type) == stored(new[field.name], field.type)


def stored(value, type_):
    """A value without what a type does not have."""
    if pa.types.is_list(type_) and value is not None:
        return [stored(one, type_.value_type) for one in value]
    if pa.types.is_struct(type_) and value is not None:
        return {field.name: stored(value[field.name], field.type) for field in type_}
    return value
