"""States what is known about each benchmark: where it lies, its size and its columns.

Each benchmark has one entry in `benchmarks.yaml`. A `Statement` holds one entry of
`benchmarks.yaml`.
"""

import functools
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import yaml
from pydantic import ConfigDict, TypeAdapter

from questloom.files.extensions import is_extension, load_extension
from questloom.records.errors import InputError
from questloom.records.registry import check_names

TABLE = Path(__file__).parent / "benchmarks.yaml"


@dataclass(frozen=True, kw_only=True)
class Columns:
    """The names of the columns in a row of the benchmark. A name may be a path into the row:
    "prompt.0.content" is the text of the first message.
    """

    question: str
    answer: str
    """The column of the right answer. A cell of the answer column holds a text, a number, or a list
    of texts that are all right.
    """
    id: str = ""
    """The column of the id; "" if the rows have no ids and are numbered instead."""
    aliases: str = ""
    """The column that holds further right answers."""
    pictures: tuple[str, ...] = ()
    """The columns that hold pictures. A cell of a picture column holds a picture, a list of
    pictures, or nothing.
    """
    options: tuple[str, ...] = ()
    """The column that holds the list of answer options, or one column for each option (A, B, …)."""
    language: str = ""
    category: str = ""


@dataclass(frozen=True, kw_only=True)
class Cipher:
    """How texts are hidden from crawlers: the text is XORed with the repeated sha256 of the key,
    and then written in base64.
    """

    columns: tuple[str, ...]
    key: str = ""
    key_column: str = ""
    """The column that holds each row's key for the hidden texts."""


@dataclass(frozen=True, kw_only=True)
class Subset:
    """A part of a benchmark for which scores were published."""

    size: int = 0
    """The number of questions in the subset; 0 if the number was not published."""
    ids_known: bool
    """Whether the subset holds exactly the published questions. If False, the subset is our own
    random draw of the same size.
    """
    note: str
    pictures: Literal["any", "some", "one"] = "any"
    where: Mapping[str, str] = field(default_factory=dict)
    """The values of `language` or `category` that the subset's questions must have."""
    first: int | None = None
    last: int | None = None
    """The last id of the subset, as a number. The questions with the ids `first` and `last` belong
    to the subset.
    """
    draw: bool = False
    """Whether the subset is a random draw of `size` questions. The draw depends only on the
    questions' ids, so it is the same on every machine.
    """


@dataclass(frozen=True, kw_only=True)
class Statement:
    """The description of one benchmark."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    name: str
    title: str
    paper: str
    size: int
    licence: str
    columns: Columns
    verified: Literal["yes", "columns", "no"]
    """How far this entry was checked against the real data. `benchmarks.yaml` explains the possible
    values.
    """
    hub: str = ""
    """The id of the benchmark on the Hub; "" if the benchmark lies in a repository on GitHub."""
    config: str = ""
    split: str = ""
    data_files: str = ""
    revision: str = ""
    repository: str = ""
    file: str = ""
    each: tuple[str, ...] = ()
    """The columns that each hold a question. With several such columns, one row gives several
    questions.
    """
    cipher: Cipher | None = None
    answer_is: Literal["text", "letter"] = "text"
    """The form of an answer: "letter" for the letter of an answer option, else "text"."""
    note: str = ""
    subsets: Mapping[str, Subset] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """Where the benchmark can be found, in words."""
        if self.hub:
            return (
                f"the data set {self.hub} of the Hub"
                + (f", configuration {self.config}" if self.config else "")
                + f", split {self.split}"
            )
        return f"{self.file} of github.com/{self.repository}"

    def as_line(self) -> str:
        """The facts about the benchmark on one line."""
        parts = ", ".join(
            f"{name} {subset.size or '(size not published)'}"
            for name, subset in self.subsets.items()
        )
        return (
            f"{self.name:<20}{self.size:>7,}  {self.verified:<9}{self.place}; licence {self.licence}"
            + (f"; subsets: {parts}" if parts else "")
        )

    def as_text(self) -> str:
        """A text that tells a user how to get the benchmark and run it."""
        lines = [
            f"{self.name}: {self.title} ({self.paper}), {self.size:,} questions",
            f"  place     {self.place}",
            f"  licence   {self.licence}",
            f"  verified  {self.verified}",
            *([f"  note      {self.note}"] if self.note else []),
        ]
        lines += [
            f"  subset    {name}: {f'{subset.size} questions' if subset.size else 'size not published'}; {subset.note}"
            for name, subset in self.subsets.items()
        ]
        return "\n".join(lines)


@functools.cache
def statements() -> Mapping[str, Statement]:
    """Every benchmark by its name. To add a benchmark, add an entry to `benchmarks.yaml`; no other
    change is needed.
    """
    return read_statements(TABLE)


def statement_of(name: str) -> Statement | None:
    """Returns the benchmark with this name, or None if no benchmark has the name.

    A name like `module:BENCHMARK`, or an entry point, loads a benchmark from another package.

    Raises:
        InputError: the object from the package cannot be loaded, is not a `Statement`, or has the
            same name as a listed benchmark.
    """
    if name in statements() or not is_extension(name, "benchmarks"):
        return statements().get(name)
    found = load_extension(name, "benchmarks", "--benchmark").object
    if (
        not isinstance(found, Statement)
        or not re.fullmatch(r"\w+", found.name)
        or found.name in statements()
    ):
        raise InputError(
            f"--benchmark {name}",
            f"is {found!r}"[:300],
            "Make it a `Statement` with a name of its own, of letters, digits and _; see examples/own_benchmark.py.",
        )
    return found


def read_statements(table: Path) -> dict[str, Statement]:
    """Reads the benchmarks of a table.

    Raises:
        ValueError: two benchmarks have the same name, or a key is missing, unknown or of a wrong
            type.
    """
    text = table.read_text(encoding="utf-8")
    root = yaml.compose(text, yaml.SafeLoader)
    if not isinstance(root, yaml.MappingNode):
        raise ValueError(f"{table} is no table of benchmarks")
    check_names("two benchmarks have the name", (key.value for key, _ in root.value))
    found: dict[str, Any] = yaml.safe_load(text)
    reader = TypeAdapter(Statement)
    return {name: reader.validate_python({"name": name, **facts}) for name, facts in found.items()}


def listing() -> str:
    """A text table of all benchmarks."""
    head = f"{'benchmark':<20}{'size':>7}  {'verified':<9}where it lies"
    return "\n".join([head, *(statement.as_line() for statement in statements().values())])
