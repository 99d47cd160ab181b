"""Records as table rows.

A record is a dataclass. The base class of all records derives the Arrow schema from the dataclass
fields.

`tests/records/schemas/` holds each schema as text, so that a change of a schema is seen in review.
The tests also keep rows of older versions and check that these rows still load.

Supported field types: str, int, float, bool, bytes, another Record, `T | None`, `tuple[T, ...]`,
`dict[str, T]` (an Arrow map, sorted by key) and `Json` (any JSON value, stored as canonical text).
"""

import dataclasses
import functools
import json
import types
import typing
from collections.abc import Callable
from typing import Any, ClassVar, NewType, Self

import pyarrow as pa

from questloom.records.identity import canonical_json

Json = NewType("Json", object)

_PLAIN: dict[Any, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
    bytes: pa.large_binary(),
    Json: pa.string(),
}


def _without_none(hint: Any) -> Any:
    """For a hint `T | None`, the type T; any other hint unchanged."""
    if typing.get_origin(hint) in (types.UnionType, typing.Union):
        rest = [a for a in typing.get_args(hint) if a is not type(None)]
        assert len(rest) == 1, f"only `T | None` unions can be stored, not {hint}"
        return rest[0]
    return hint


def _arrow_type(hint: Any) -> pa.DataType:
    hint = _without_none(hint)
    if hint in _PLAIN:
        return _PLAIN[hint]
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple:
        return pa.list_(_arrow_type(args[0]))
    if origin is dict:
        return pa.map_(pa.string(), _arrow_type(args[1]))
    if isinstance(hint, type) and issubclass(hint, Record):
        return pa.struct([pa.field(f.name, _arrow_type(t)) for f, t in hint.typed_fields()])
    raise TypeError(f"no Arrow type for {hint}")


def _same(value: Any) -> Any:
    return value


@functools.cache
def _encoder(hint: Any) -> Callable[[Any], Any] | None:
    """The function that turns a field's value, which is not None, into a table cell; None if the
    value is the cell."""
    hint = _without_none(hint)
    if hint is Json:
        return canonical_json
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple:
        each = _encoder(args[0]) or _same
        return list if each is _same else lambda value: [each(v) for v in value]
    if origin is dict:
        encode = _encoder(args[1]) or _same
        return lambda value: [(k, encode(value[k])) for k in sorted(value)]
    if isinstance(hint, type) and issubclass(hint, Record):
        return lambda value: value.to_row()  # of the value's own class
    return None


def decode_json(cell: str | None) -> Any:
    """Decodes a cell of a JSON column.

    Args:
        cell: JSON text; None if the row has no value.

    Raises: ValueError: the cell is not JSON.
    """
    return None if cell is None else json.loads(cell)


@functools.cache
def _decoder(hint: Any) -> Callable[[Any], Any] | None:
    """The function that turns a table cell, which is not None, into a field's value; None if the
    cell is the value. Each type's function is made only once, because runs read millions of rows."""
    hint = _without_none(hint)
    if hint is Json:
        return json.loads
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is tuple:
        each = _decoder(args[0]) or _same
        return tuple if each is _same else lambda value: tuple([each(v) for v in value])
    if origin is dict:
        decode = _decoder(args[1]) or _same
        return lambda value: {
            k: decode(v) for k, v in (value.items() if isinstance(value, dict) else value)
        }
    if isinstance(hint, type) and issubclass(hint, Record):
        return hint.from_row
    return None


@dataclasses.dataclass(frozen=True)
class Record:
    """Base class of all records that stages pass on. Subclasses are frozen, keyword-only dataclasses."""

    VERSION: ClassVar[int] = 1

    @classmethod
    @functools.cache
    def typed_fields(cls) -> tuple[tuple[dataclasses.Field, Any], ...]:
        """The dataclass fields with their resolved types, in order."""
        hints = typing.get_type_hints(cls)
        return tuple((f, hints[f.name]) for f in dataclasses.fields(cls))

    @classmethod
    @functools.cache
    def schema(cls) -> pa.Schema:
        """The Arrow schema, with name and version in its metadata."""
        fields = [pa.field(f.name, _arrow_type(t)) for f, t in cls.typed_fields()]
        return pa.schema(fields, metadata={"record": cls.__name__, "version": str(cls.VERSION)})

    def to_row(self) -> dict[str, Any]:
        """This record as a dict for `pyarrow.Table.from_pylist(…, schema=cls.schema())`."""
        row = {}
        for name, encode in self._encoders():
            value = getattr(self, name)
            row[name] = value if encode is None or value is None else encode(value)
        return row

    @classmethod
    @functools.cache
    def _encoders(cls) -> tuple[tuple[str, Callable[[Any], Any] | None], ...]:
        return tuple((f.name, _encoder(t)) for f, t in cls.typed_fields())

    @classmethod
    @functools.cache
    def _decoders(cls) -> tuple[tuple[str, Callable[[Any], Any] | None], ...]:
        return tuple((f.name, _decoder(t)) for f, t in cls.typed_fields())

    @classmethod
    def from_row(cls, row: dict[str, Any]) -> Self:
        """Makes a record from a row. If the row lacks a field, the field gets its default; rows of
        older versions lack newer fields.

        Raises:
            ValueError: the row lacks a field that has no default.
        """
        values = {}
        for name, decode in cls._decoders():
            if name in row:
                cell = row[name]
                values[name] = cell if decode is None or cell is None else decode(cell)
        try:
            return cls(**values)
        except TypeError as error:
            raise ValueError(
                f"a {cls.__name__} row (version {cls.VERSION}) cannot be read: {error}"
            ) from error

    def replace(self, **changes: Any) -> Self:
        """A copy with some fields changed."""
        return dataclasses.replace(self, **changes)
