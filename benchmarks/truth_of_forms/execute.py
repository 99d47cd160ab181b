"""Finds all assignments of values to the variables of a question's form that agree with the truth.
An assignment gives each variable the key of its value, in the notation of truth.jsonl.

An unknown clause or operation raises an error. The code never skips a clause. A clause about a
known place also holds for every place within the place. An unknown variable takes only values that
the truth states.
"""

import re
from collections.abc import Iterator

from benchmarks.truth_of_forms.fuzzy import is_like
from benchmarks.truth_of_forms.world import Span, World, same, span
from questloom.records.form import (
    ClaimClause,
    ClassClause,
    Clause,
    Compare,
    Compute,
    Form,
    Fuzzy,
    Image,
    Reads,
    SentenceClause,
    Term,
    variables,
)

Binding = dict[str, str]
"""Maps each variable to the id of an item or to the key of a value."""
_YEAR = re.compile(r"(?<!\d)(?:1\d{3}|20[0-2]\d)(?!\d)")
_NOT_YET = 9


class Unknown(ValueError):
    """Some part of the form is unknown to this executor: a clause, an operation or a comparison.
    The executor also raises this error if some clauses share no variable with the others.
    """


def coarse(key: str, precision: str) -> str:
    """Rounds the key of a time to the precision that the question asks for. Other keys stay
    unchanged.

    >>> coarse("time:+1832-05-03/11", "year"), coarse("time:+1832-05-03/11", "century")
    ('time:+1832/9', 'time:+18/7')
    """
    if not key.startswith("time:") or not precision:
        return key
    if precision not in ("century", "year", "month", "day"):
        raise Unknown(f"unknown precision {precision!r}")
    wanted = {"century": 7, "year": 9, "month": 10, "day": 11}[precision]
    digits, _, stated = key.removeprefix("time:").rpartition("/")
    if int(stated) <= wanted:
        return key
    if wanted == 7:
        if int(stated) < 9:
            return key  # a decade lies in one century, but its key has no year that tells which
        year = int(digits[1:].split("-")[0])
        return f"time:{digits[0]}{(year - 1) // 100:02d}/7"
    return f"time:{digits[0]}{'-'.join(digits[1:].split('-')[: wanted - 8])}/{wanted}"


def reading(detail: dict) -> str:
    """The key for the value of a picture's detail. If the words of a picture's detail contain
    exactly one year, the key is this year.
    """
    years = set(_YEAR.findall(detail["value"])) if detail["property"] == "P1684" else set()
    return f"time:+{years.pop()}/9" if len(years) == 1 else detail["value"]


def compute(op: str, args: list[str], keys: list[str]) -> str | None:
    """Returns the key of an operation's result. Returns None if the operation has no result."""
    if op in ("earliest", "latest", "largest", "smallest"):
        return _extreme(op in ("earliest", "smallest"), args, keys)
    if op not in ("difference", "ratio", "sum", "duration_years"):
        raise Unknown(f"unknown operation {op!r}")
    if len(args) != 2:
        return None
    spans = [span(a) for a in args]
    if op == "duration_years":
        return _full_years(args, spans)
    numbers, units = [], set()
    for key, dates in zip(args, spans, strict=True):
        if dates:
            year = dates[0][0]
            numbers.append(float(year + (year < 0)))
        elif key.startswith("quantity:"):
            numbers.append(float(key.split(":")[1]))
            units.add(key.split(":")[2])
        else:
            return None
    if len(units) > 1:
        return None
    unit = units.pop() if units else ""
    if op == "ratio":
        if not numbers[1] or any(spans) != all(spans):
            return None
        return f"quantity:{numbers[0] / numbers[1]:.10g}:"
    result = numbers[0] + numbers[1] if op == "sum" else abs(numbers[0] - numbers[1])
    return f"quantity:{result:.10g}:{unit}"


def _extreme(least: bool, args: list[str], keys: list[str]) -> str | None:
    if len(args) < 2 or len(args) != len(keys):
        return None
    op = "<" if least else ">"
    for place, arg in enumerate(args):
        if all(compare(op, keys[place], k) for i, k in enumerate(keys) if i != place):
            return arg
    return None


def _full_years(args: list[str], spans: list[Span | None]) -> str | None:
    days = [s[0] for s in spans if s]
    if len(days) != 2:
        return None
    precisions = {a.rpartition("/")[2] for a in args}
    (y1, *first), (y2, *last) = sorted(days)
    if precisions == {"11"}:
        return f"quantity:{y2 - y1 - (last < first)}:"
    years = (y2 + (y2 < 0)) - (y1 + (y1 < 0))
    return f"quantity:{years}:" if precisions == {"9"} else None


def compare(op: str, left: str, right: str) -> bool:
    """Whether a comparison is certainly true."""
    if op not in ("<", ">", "="):
        raise Unknown(f"unknown comparison {op!r}")
    if op == "=":
        return same(left, right)
    if op == ">":
        left, right = right, left
    first, second = span(left), span(right)
    if first and second:
        return first[1] < second[0]
    if left.startswith("quantity:") and right.startswith("quantity:"):
        (_, a, unit), (_, b, other) = left.split(":"), right.split(":")
        return unit == other and float(a) < float(b)
    return False


class Executor:
    """Runs one form as a query.

    `intended` says which thing the picture shows, and which fact is stated by each sentence of the
    evidence.
    """

    def __init__(self, world: World, form: Form, intended: Binding) -> None:
        self.world, self.form, self.intended = world, form, intended

    def solutions(self) -> Iterator[Binding]:
        """Yields every assignment of values to variables that the truth allows.

        Raises:
            Unknown: the form has a part that this executor does not know.
        """
        start: Binding = {}
        for image in self.form.of(Image):
            start[image.var] = self.intended[image.var]
        yield from self.search([c for c in self.form.clauses if not isinstance(c, Image)], start)

    def search(self, left: list[Clause], at: Binding) -> Iterator[Binding]:
        """Yields the assignments that satisfy the given clauses and contain the given
        assignment.
        """
        if not left:
            yield at
            return
        clause = min(left, key=lambda c: self._work(c, at))
        if self._work(clause, at) == _NOT_YET:
            raise Unknown(f"nothing binds the terms of {clause}")
        rest = [c for c in left if c is not clause]
        for new in self._extend(clause, at):
            yield from self.search(rest, new)

    def key(self, term: Term, at: Binding) -> str | None:
        """Returns the key of a variable or constant. Returns None for a variable without a
        value.
        """
        return at.get(term) if isinstance(term, str) else self.world.id_of(term.key())

    def _work(self, clause: Clause, at: Binding) -> int:
        free = [v for v in variables(clause) if v not in at]
        if not free:
            return 0
        if isinstance(clause, ClaimClause):
            if self.key(clause.subject, at) is not None:
                return 1
            return 3 if self.key(clause.object, at) is not None else 5
        if isinstance(clause, ClassClause):
            return 4
        if isinstance(clause, Reads):
            return 1 if clause.of in at else _NOT_YET
        if isinstance(clause, SentenceClause):
            return 2 if clause.subject in at else 6
        if isinstance(clause, Compute):
            return 1 if free == [clause.out] else _NOT_YET
        if isinstance(clause, Compare | Fuzzy):
            return _NOT_YET
        raise Unknown(f"unknown clause {clause!r}")

    def _extend(self, clause: Clause, at: Binding) -> Iterator[Binding]:
        match clause:
            case ClaimClause():
                yield from self._claim(clause.subject, clause.property, clause.object, at)
            case ClassClause():
                if clause.var in at:
                    if clause.class_id in self.world.classes(at[clause.var]):
                        yield at
                else:
                    for member in self.world.members.get(clause.class_id, ()):
                        yield {**at, clause.var: member}
            case Compare():
                left, right = self.key(clause.left, at), self.key(clause.right, at)
                if compare(clause.op, left or "", right or ""):
                    yield at
            case Compute():
                yield from self._bind(clause.out, self._computed(clause, at), at)
            case Fuzzy():
                other = self.key(clause.object, at)
                if is_like(self.world, clause, at[clause.subject], other or ""):
                    yield at
            case Reads():
                seen = {
                    reading(d)
                    for d in self.world.details.get(at[clause.of], ())
                    if (d["property"], d["part"]) == (clause.property, clause.part)
                }
                for value in sorted(seen):
                    yield from self._bind(clause.var, value, at)
            case SentenceClause():
                for relation in self._told(clause):
                    yield from self._claim(clause.subject, relation, clause.object, at)
            case _:
                raise Unknown(f"unknown clause {clause!r}")

    def _bind(self, var: str, value: str | None, at: Binding) -> Iterator[Binding]:
        if value is not None and (var not in at or same(at[var], value)):
            yield {**at, var: value}

    def _claim(self, subject: Term, prop: str, value: Term, at: Binding) -> Iterator[Binding]:
        one, other = self.key(subject, at), self.key(value, at)
        if one is not None and other is not None:
            if self.world.holds(one, prop, other):
                yield at
        elif one is not None:
            for found in self.world.values(one, prop):
                yield {**at, str(value): found}
        elif other is not None:
            for found in self.world.with_value(prop, other):
                yield {**at, str(subject): found}
        else:
            for s in sorted({s for each in self.world.subjects[prop].values() for s in each}):
                for found in self.world.values(s, prop):
                    if subject != value or s == found:
                        yield {**at, str(subject): s, str(value): found}

    def _told(self, clause: SentenceClause) -> list[str]:
        """The relations that the truth states between the two things in a sentence clause. A
        sentence clause names no relation itself.
        """
        one, other = self.key(clause.subject, self.intended), self.key(clause.object, self.intended)
        return sorted(
            {p for (s, p), found in self.world.claims.items() if s == one and other in found}
        )

    def _computed(self, clause: Compute, at: Binding) -> str | None:
        if clause.op == "count":
            return f"quantity:{len(self._counted(clause, at))}:"
        args = [self.key(a, at) or "" for a in clause.args]
        return compute(clause.op, args, [self.key(k, at) or "" for k in clause.keys])

    def _counted(self, clause: Compute, at: Binding) -> set[str]:
        """Returns the whole set of things that a question asks to count.

        The set holds every value that the clauses allow for the counted variable, given the values
        of the other variables.
        """
        counted = set()
        for arg in clause.args:
            if not isinstance(arg, str):
                counted.add(arg.key())
                continue
            others = {k: v for k, v in at.items() if k != arg}
            about: list[Clause] = [
                c
                for c in self.form.clauses
                if not isinstance(c, Compute) and arg in variables(c) and not isinstance(c, Image)
            ]
            counted |= {b[arg] for b in self.search(about, others)} if about else {at[arg]}
        return counted
