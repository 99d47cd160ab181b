"""What is known of each benchmark: where it lies, how large it is, what its columns are called. Read from `benchmarks.yaml`, where every one stands."""

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
    """The columns of a row. A name may lead inwards: "prompt.0.content" is the text of the first message."""

    question: str
    answer: str
    """A text, a number, or a list of which any is right."""
    id: str = ""
    """"" counts the rows."""
    aliases: str = ""
    """More right answers."""
    pictures: tuple[str, ...] = ()
    """Each holds a picture, a list of them, or none."""
    options: tuple[str, ...] = ()
    """One column with the list of options, or a column an option (A, B, …)."""
    language: str = ""
    category: str = ""


@dataclass(frozen=True, kw_only=True)
class Cipher:
    """Texts that are hidden from crawlers: base64 of the text XORed with the key's sha256, repeated."""

    columns: tuple[str, ...]
    key: str = ""
    key_column: str = ""
    """The key is in each row."""


@dataclass(frozen=True, kw_only=True)
class Subset:
    """A part of a benchmark that somebody published scores on."""

    size: int = 0
    """How many questions it must have; 0 where that was not published."""
    ids_known: bool
    """Whether these are the very questions; else a draw of ours of the same size."""
    note: str
    pictures: Literal["any", "some", "one"] = "any"
    where: Mapping[str, str] = field(default_factory=dict)
    """Values of `language` or `category`."""
    first: int | None = None
    last: int | None = None
    """Ids, as numbers, both included."""
    draw: bool = False
    """Draws `size` questions by their ids, the same ones on every machine."""


@dataclass(frozen=True, kw_only=True)
class Statement:
    """One benchmark."""

    __pydantic_config__ = ConfigDict(extra="forbid")

    name: str
    title: str
    paper: str
    size: int
    licence: str
    columns: Columns
    verified: Literal["yes", "columns", "no"]
    """How much of this was seen; `benchmarks.yaml` says what each word means."""
    hub: str = ""
    """Its id on the Hub, or "" where it lies in a repository on GitHub."""
    config: str = ""
    split: str = ""
    data_files: str = ""
    revision: str = ""
    repository: str = ""
    file: str = ""
    each: tuple[str, ...] = ()
    """Columns of which each holds a question: a row then gives as many."""
    cipher: Cipher | None = None
    answer_is: Literal["text", "letter"] = "text"
    """"letter": where a question has options, the answer is the letter of one."""
    note: str = ""
    subsets: Mapping[str, Subset] = field(default_factory=dict)

    @property
    def place(self) -> str:
        """Where it is had from, for people."""
        if self.hub:
            return (
                f"the data set {self.hub} of the Hub"
                + (f", configuration {self.config}" if self.config else "")
                + f", split {self.split}"
            )
        return f"{self.file} of github.com/{self.repository}"

    def as_line(self) -> str:
        """The statement on one line."""
        parts = ", ".join(
            f"{name} {subset.size or '(size not published)'}"
            for name, subset in self.subsets.items()
        )
        return (
            f"{self.name:<20}{self.size:>7,}  {self.verified:<9}{self.place}; licence {self.licence}"
            + (f"; subsets: {parts}" if parts else "")
        )

    def as_text(self) -> str:
        """Everything that a user must know to have it and to ask it."""
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
    """Every benchmark by its name. One is added in `benchmarks.yaml`, and nowhere else."""
    return read_statements(TABLE)


def statement_of(name: str) -> Statement | None:
    """A benchmark by its name, or one of another package by `module:BENCHMARK` or entry point; None where there is none of the name.

    Raises:
        InputError: the package's object cannot be had, is no `Statement`, or is named like a benchmark of the table.
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
    """The benchmarks of a table.

    Raises:
        ValueError: two have one name (of which YAML would keep the last), a key is missing, unknown or of a wrong type.
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
    """All benchmarks as a table for people."""
    head = f"{'benchmark':<20}{'size':>7}  {'verified':<9}where it lies"
    return "\n".join([head, *(statement.as_line() for statement in statements().values())])
