"""Turns the rows of a benchmark into `Item`s (questions). The entry in `benchmarks.yaml` says how
rows become questions.

The entry names the columns, the answer options, the cipher of hidden texts, and the published
subsets.
"""

import base64
import contextlib
import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from questloom.eval.items import Item
from questloom.eval.rows import Rows, named
from questloom.eval.statements import Cipher, Statement, Subset
from questloom.records.errors import InputError
from questloom.records.identity import priority, sha256_hex
from questloom.records.knowledge import Value
from questloom.records.synthesis import Answer

_NUMBER = re.compile(r"[-+]?\d+(?:\.\d+)?")
_PLACEHOLDER = re.compile(r"<image(?:[ _]?\d+)?>")
_LABEL = re.compile(r"\(?([A-Z])[.):]\s*")


@dataclass(frozen=True)
class Entry:
    """An `Item` (one benchmark question) before its pictures are read."""

    item: Item
    cells: tuple[Any, ...]
    """The pictures of the item, in the form in which the row stores them."""


def entries(statement: Statement, rows: Rows) -> list[Entry]:
    """Reads all rows of a benchmark.

    Raises:
        InputError: a column is missing, a row holds no question or no answer, or two rows have the
            same id.
    """
    made: list[Entry] = []
    for number, row in enumerate(rows.rows):
        for part in statement.each or ("",):
            made.append(_entry(statement, row, number, part))
    ids = [entry.item.row for entry in made]
    if len(set(ids)) < len(ids):
        twice = next(i for i in ids if ids.count(i) > 1)
        raise InputError(
            f"benchmark {statement.name}",
            f"has the id {twice} twice",
            "Fetch the benchmark again; the file holds a row twice.",
        )
    return made


def chosen(
    statement: Statement, found: Sequence[Entry], subset: str = "", *, partial: bool = False
) -> list[Entry]:
    """Selects the entries of a subset, or all entries. Compares the number of entries with the
    number that `benchmarks.yaml` states.

    Args:
        partial: whether the user accepts fewer questions than `benchmarks.yaml` states.

    Raises:
        InputError: the subset is unknown, or the number of questions is not the stated number.
    """
    if subset and subset not in statement.subsets:
        raise InputError(
            f"--subset {subset}",
            f"is none that {statement.name} has",
            f"Known: {', '.join(statement.subsets) or 'none'}; without --subset all questions are asked.",
        )
    if len(found) != statement.size and not partial:
        raise InputError(
            f"benchmark {statement.name}",
            f"has {statement.size:,} questions by its statement, but {len(found):,} were read",
            "Fetch it again, at the stated revision; or give --partial, and every table will say that it is not the whole.",
        )
    rule = statement.subsets.get(subset)
    kept = list(found) if rule is None else _subset(statement, found, rule)
    if rule is not None and rule.size and len(kept) != rule.size and not partial:
        raise InputError(
            f"--subset {subset}",
            f"has {rule.size:,} questions by its statement, but {len(kept):,} fit",
            "Fetch the benchmark again.",
        )
    if not kept:
        raise InputError(
            f"--subset {subset}", "fits no question that was read", "Give the whole benchmark."
        )
    return kept


def with_pictures(entry: Entry, rows: Rows, keep: Callable[[str, bytes], None]) -> Item:
    """Reads the pictures of the item. Stores each picture once, under its sha256."""
    hashes = []
    for cell in entry.cells:
        for data in rows.pictures(cell):
            hashes.append(sha256_hex(data))
            keep(hashes[-1], data)
    return entry.item.replace(pictures=tuple(hashes))


def deciphered(text: str, key: str) -> str:
    """Decodes a text that its publisher hid from crawlers. The text is base64; the decoded bytes
    are XORed with the repeated sha256 of the key.

    Raises:
        ValueError: the text is not encoded with this cipher.

    >>> deciphered("4zyi", "k")
    'aha'
    """
    hidden, stream = base64.b64decode(text, validate=True), hashlib.sha256(key.encode()).digest()
    return bytes(byte ^ stream[place % len(stream)] for place, byte in enumerate(hidden)).decode()


def field_of(row: Any, path: str) -> Any:
    """Returns the value at a path within a row, such as "prompt.0.content". Returns None if the row
    has nothing at the path.

    If a value on the path is a text, the function reads the text as JSON.

    >>> field_of({"prompt": '[{"content": "Who?"}]'}, "prompt.0.content"), field_of({}, "answer")
    ('Who?', None)
    """
    value = row
    for step in path.split("."):
        if isinstance(value, str):
            try:
                value = json.loads(value)
            except ValueError:
                return None
        if isinstance(value, Mapping):
            value = value.get(step)
        elif (
            isinstance(value, list | tuple)
            and re.fullmatch(r"-?\d+", step)
            and -len(value) <= int(step) < len(value)
        ):
            value = value[int(step)]
        else:
            return None
    return value


def answer_of(wordings: Sequence[str]) -> Answer:
    """Makes a typed answer from several wordings that are all right.

    The answer is a number if the first wording is a number, and otherwise a text. The other
    wordings become aliases of the answer.

    >>> answer_of(["12.50"]).value.number, answer_of(["Rome", "Roma"]).aliases
    (12.5, ('Roma',))
    """
    first, *others = dict.fromkeys(wordings)
    if _NUMBER.fullmatch(first):
        return Answer(
            value=Value(kind="quantity", number=float(first)),
            text=first,
            type="quantity",
            aliases=tuple(others),
        )
    return Answer(
        value=Value(kind="string", text=first), text=first, type="string", aliases=tuple(others)
    )


def _entry(statement: Statement, row: Mapping[str, Any], number: int, part: str) -> Entry:
    columns = statement.columns
    where = f"benchmark {statement.name}, row {number + 1}"
    inner = row.get(part) if part else row
    if not isinstance(inner, Mapping):
        raise InputError(
            where, f"has no column {part}", f"Its columns: {', '.join(sorted(row))[:300]}."
        )
    plain = _plain(row, inner, statement.cipher, where)
    question, wordings = (
        _text(field_of(plain, columns.question)),
        _wordings(field_of(plain, columns.answer)),
    )
    for name, value in ((columns.question, question), (columns.answer, wordings)):
        if not value:
            raise InputError(
                where,
                f"has nothing in the column {name}",
                f"Its columns: {', '.join(sorted(inner))[:300]}.",
            )
    options = _options(plain, columns.options)
    wordings += _wordings(field_of(plain, columns.aliases)) if columns.aliases else []
    if options and statement.answer_is == "letter":
        wordings += _of_letter(wordings[0], options)
    own = _text(field_of(row, columns.id)) if columns.id else ""
    item = Item(
        benchmark=statement.name,
        row="/".join(filter(None, (own or str(number), part))),
        answer=answer_of(wordings),
        question="\n".join(
            [
                _PLACEHOLDER.sub("", question).strip(),
                *(f"{letter}. {text}" for letter, text in options),
            ]
        ),
        language=_language(plain, columns.language),
        category=_text(field_of(plain, columns.category)) if columns.category else "",
    )
    return Entry(
        item, tuple(cell for name in columns.pictures if named(cell := field_of(inner, name)))
    )


def _plain(
    row: Mapping[str, Any], inner: Mapping[str, Any], cipher: Cipher | None, where: str
) -> Mapping[str, Any]:
    if cipher is None:
        return inner
    key = cipher.key or str(row.get(cipher.key_column) or "")

    def read(value: Any) -> Any:
        return (
            [read(v) for v in value]
            if isinstance(value, list)
            else deciphered(value, key)
            if isinstance(value, str)
            else value
        )

    try:
        return {**inner, **{name: read(inner[name]) for name in cipher.columns}}
    except (ValueError, KeyError) as error:
        raise InputError(
            where,
            f"cannot be deciphered ({error!r})"[:300],
            "Give the file as its owner publishes it, with the key.",
        ) from error


def _options(row: Mapping[str, Any], names: tuple[str, ...]) -> list[tuple[str, str]]:
    values = [field_of(row, name) for name in names]
    listed = values[0] if len(values) == 1 and isinstance(values[0], list) else values
    texts = [_LABEL.sub("", _text(value), count=1) for value in listed or [] if _text(value)]
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    return list(zip(letters, texts, strict=False))


def _of_letter(letter: str, options: list[tuple[str, str]]) -> list[str]:
    text = dict(options).get(letter.strip("()."), "")
    return [text, f"{letter}. {text}", f"({letter}) {text}"] if text and text != letter else []


def _wordings(value: Any) -> list[str]:
    if isinstance(value, str) and value.startswith("[") and value.endswith("]"):
        with contextlib.suppress(ValueError):  # the value may be a plain answer in brackets
            value = json.loads(value)
    if isinstance(value, list | tuple):
        return [word for one in value for word in _wordings(one)]
    if isinstance(value, Mapping):  # InfoSeek's answers with a range: {"wikidata": …, "range": […]}
        return [word for one in value.values() for word in _wordings(one)]
    return [_text(value)] if _text(value) else []


def _text(value: Any) -> str:
    return "" if value is None or isinstance(value, Mapping | list) else str(value).strip()


def _language(row: Mapping[str, Any], column: str) -> str:
    said = _text(field_of(row, column)).lower() if column else "en"
    return {"cn": "zh", "chinese": "zh", "english": "en"}.get(said, said or "en")


def _subset(statement: Statement, found: Sequence[Entry], rule: Subset) -> list[Entry]:
    def fits(entry: Entry) -> bool:
        num = sum(len(named(cell)) for cell in entry.cells)
        item = entry.item
        return (
            {"any": True, "some": num > 0, "one": num == 1}[rule.pictures]
            and all(
                getattr(item, name).lower() == value.lower() for name, value in rule.where.items()
            )
            and (
                rule.first is None or rule.last is None or rule.first <= int(item.row) <= rule.last
            )
        )

    kept = [entry for entry in found if fits(entry)]
    if rule.draw:
        drawn = {
            e.item.id
            for e in sorted(kept, key=lambda e: priority(0, e.item.id, f"subset {statement.name}"))[
                : rule.size
            ]
        }
        kept = [entry for entry in kept if entry.item.id in drawn]
    return kept
