"""Runs a logical form as a query on the store. A solution gives each variable of the form a value,
so that the best claims support every clause. The result has all solutions.

The query evaluates the cheapest clause first. Clauses whose variables all have values are cheapest,
then look-ups from one known end, then enumerations. An unknown value (`somevalue`) is never the
answer of a query. For an unknown value, `margin.py` assumes that it may match.
"""

from collections.abc import Iterator, Mapping
from itertools import product

from questloom.knowledge.dates import PRECISIONS, Date, coarsened, dates_of, dates_overlap
from questloom.records.form import (
    Ask,
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
from questloom.records.knowledge import Value, entity_value, value_of_key
from questloom.records.periods import DAY, YEAR
from questloom.transforms.certificate.compute import compute
from questloom.transforms.facts.fuzzy import fits
from questloom.transforms.facts.indexed import is_instance, things_named
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.facts.page_statements import objects_of
from questloom.transforms.facts.readings import readings
from questloom.transforms.facts.values import ENUMERATION_LIMIT, values_by_key, values_match
from questloom.transforms.facts.within import num_within, subjects_within

Binding = dict[str, Value]


def binding_of(bindings: Mapping[str, str]) -> Binding:
    """Makes values from the value keys in the bindings of a plan or question."""
    return {var: value_of_key(key) for var, key in bindings.items()}


class TooLarge(Exception):
    """A clause has more matches than may be enumerated. The caller of the query decides what
    happens after this error."""


def resolve(term: Term, binding: Binding) -> Value | None:
    """The value of a term; None for a variable without a value."""
    return binding.get(term) if isinstance(term, str) else term


def holds(op: str, left: Value, right: Value) -> bool | None:
    """Whether a comparison holds; None if the two values cannot be compared."""
    if left.kind == right.kind == "time":
        if op == "=":
            return dates_overlap(left, right)
        # Two days are compared in one calendar. A source that states a year or month may mean
        # either calendar.
        since = -1 if left.precision == right.precision == DAY else 0
        found = {
            _in_order(op, a, b) for a, b in product(dates_of(left)[since:], dates_of(right)[since:])
        }
        return found.pop() if len(found) == 1 else None
    if left.kind == right.kind == "quantity" and left.unit == right.unit and op != "=":
        (least, most), (other_least, other_most) = left.bounds, right.bounds
        if most < other_least or other_most < least:
            return (most < other_least) == (op == "<")
        return False if least == most == other_least == other_most else None
    return left.key() == right.key() if op == "=" else None


def _in_order(op: str, left: Date, right: Date) -> bool | None:
    """Whether `left` is before ("<") or after (">") `right`; None if the dates overlap.

    A year or a day counts as a whole: no day of 1832 is before or after 1832.
    """
    (first, last), (other_first, other_last) = left.span, right.span
    if last < other_first or other_last < first:
        return (last < other_first) == (op == "<")
    return (
        False
        if right.precision in (YEAR, DAY) and other_first <= first and last <= other_last
        else None
    )


def cost(clause: Clause, names: tuple[str, ...], binding: Binding, facts: Facts) -> float:
    """The cost of evaluating a clause next: 0 for a test, 1 for a look-up, more for an enumeration,
    infinity if the clause cannot be evaluated yet."""
    free = [v for v in names if v not in binding]
    if isinstance(clause, Compute):
        return 0 if set(free) <= {clause.out} else float("inf")
    if isinstance(clause, Compare | Fuzzy):
        return 0 if not free else float("inf")
    if not free:
        return 0
    if isinstance(clause, ClaimClause):
        if resolve(clause.subject, binding) is not None:
            return 1
        value = resolve(clause.object, binding)
        return 1 + num_within(facts, clause.property, value) if value is not None else float("inf")
    if isinstance(clause, ClassClause):
        return 1 + facts.num_members(clause.class_id)
    if isinstance(clause, Reads):
        return 1 if clause.of in binding else float("inf")
    if isinstance(clause, SentenceClause):
        return 1 if clause.subject in binding else float("inf")
    return float("inf")


def extend(clause: Clause, binding: Binding, facts: Facts, limit: int) -> Iterator[Binding]:
    """Adds values to a binding in all ways that satisfy one more clause."""
    match clause:
        case ClaimClause():
            yield from _extend_claim(clause, binding, facts, limit)
        case ClassClause():
            bound = binding.get(clause.var)
            if bound is not None:
                if is_instance(facts, bound.entity, clause.class_id):
                    yield binding
                return
            if facts.num_members(clause.class_id) > limit:
                raise TooLarge(clause.class_id)
            for member in facts.members(clause.class_id, limit=limit):
                yield {**binding, clause.var: entity_value(member)}
        case Compare():
            left, right = resolve(clause.left, binding), resolve(clause.right, binding)
            assert left is not None and right is not None
            if holds(clause.op, left, right):
                yield binding
        case Compute():
            args = tuple(resolve(a, binding) for a in clause.args)
            keys = tuple(resolve(k, binding) for k in clause.keys)
            value = compute(clause.op, args, keys)  # type: ignore[arg-type]
            if value is not None and (
                clause.out not in binding or binding[clause.out].key() == value.key()
            ):
                yield {**binding, clause.out: value}
        case Fuzzy():
            other = resolve(clause.object, binding)
            if fits(facts, clause, binding[clause.subject].entity, other):
                yield binding
        case Reads():
            yield from _extend_reads(clause, binding, facts)
        case SentenceClause():
            yield from _extend_sentence(clause, binding, facts)
        case Image():
            yield binding


def _extend_claim(
    clause: ClaimClause, binding: Binding, facts: Facts, limit: int
) -> Iterator[Binding]:
    subject, value = resolve(clause.subject, binding), resolve(clause.object, binding)
    if subject is not None:
        # Only a day depends on the calendar.
        read = values_by_key if value is not None and value.precision < DAY else things_named
        for found in read(facts, subject.entity, clause.property):
            if found.kind in ("somevalue", "novalue"):
                continue
            if value is None:
                assert isinstance(clause.object, str)
                yield {**binding, clause.object: found}
            elif values_match(facts, clause.property, value, found):
                yield binding
                return
        return
    assert value is not None and isinstance(clause.subject, str)
    for candidate in matching_subjects(facts, clause.property, value, limit):
        yield {**binding, clause.subject: entity_value(candidate)}


def matching_subjects(
    facts: Facts, property: str, value: Value, limit: int = ENUMERATION_LIMIT
) -> tuple[str, ...]:
    """Entities that have this value of the property in the store. Entities whose place lies within
    the value, or whose date may be the same, count too. Raises `TooLarge` if there are more than
    `limit`."""
    found = subjects_within(facts, property, value, limit)
    if found is None:
        raise TooLarge(f"{property} {value.key()}")
    return found


def _extend_reads(clause: Reads, binding: Binding, facts: Facts) -> Iterator[Binding]:
    wanted = binding.get(clause.var)
    for value in readings(facts, binding[clause.of].entity, clause.property, clause.part):
        if wanted is None:
            yield {**binding, clause.var: value}
        elif wanted.key() == value.key():
            yield binding


def _extend_sentence(clause: SentenceClause, binding: Binding, facts: Facts) -> Iterator[Binding]:
    """A hop that only a sentence states. The subject has a value; `objects_of` gives the objects."""
    value = resolve(clause.object, binding)
    for end in objects_of(facts, clause, binding[clause.subject].entity):
        if value is None:
            assert isinstance(clause.object, str)
            yield {**binding, clause.object: entity_value(end)}
        elif value.key() == end:
            yield binding
            return


def solutions(
    form: Form, facts: Facts, given: Binding, limit: int = ENUMERATION_LIMIT, asked: str = ""
) -> Iterator[Binding]:
    """The solutions of a logical form: the ways to give every variable a value so that every clause
    holds.

    Args:
        form: the form.
        facts: the store.
        given: the values of the pictured entity and of details read in the picture.
        limit: a clause with more matches raises `TooLarge`.
        asked: a variable of which only the values matter: most solutions without a new value of it
            are left out. Without it, all solutions are given.
    """
    clauses = tuple((c, variables(c)) for c in form.clauses if not isinstance(c, Image))
    told: set[Value] = set()
    tried: set[tuple] = set()
    rests: dict[int, tuple[str, ...]] = {}

    def is_new(left: int, binding: Binding) -> bool:
        """Whether the clauses left may give a new value. They depend only on their own variables,
        and which of these are known depends only on the clauses done."""
        if left not in rests:
            names = {v for n, (_, used) in enumerate(clauses) if left >> n & 1 for v in used}
            rests[left] = tuple(v for v in binding if v in names or v == asked)
        known = (left, *(binding[v] for v in rests[left]))
        if binding.get(asked) in told or known in tried:
            return False
        tried.add(known)
        return True

    def search(left: int, binding: Binding) -> Iterator[Binding]:
        if not left:
            yield binding
            return
        least, place = float("inf"), 0
        for number, (clause, names) in enumerate(clauses):
            if not left >> number & 1:
                continue
            work = cost(clause, names, binding, facts)
            if work < least:
                least, place = work, number
                if not work:
                    break
        if least == float("inf"):
            raise TooLarge("no clause with a bound end is left")
        rest = left & ~(1 << place)
        for more in extend(clauses[place][0], binding, facts, limit):
            if asked and not is_new(rest, more):
                continue
            for found in search(rest, more):
                yield found
                if asked:
                    told.add(found[asked])
                    if asked in binding:
                        return

    yield from search((1 << len(clauses)) - 1, dict(given))


def coarsen_to_ask(value: Value, ask: Ask) -> Value:
    """A date, made as exact as the question asks for. A value that is not a date stays
    unchanged."""
    return (
        coarsened(value, PRECISIONS.get(ask.precision, value.precision))
        if value.kind == "time"
        else value
    )


def answers(
    form: Form, facts: Facts, given: Binding, most: int = 3, limit: int = ENUMERATION_LIMIT
) -> tuple[Value, ...]:
    """Up to `most` different values of the asked variable, in a fixed order."""
    found: dict[str, Value] = {}
    for binding in solutions(form, facts, given, limit, form.ask.var):
        value = coarsen_to_ask(binding[form.ask.var], form.ask)
        found.setdefault(value.key(), value)
        if len(found) >= most:
            break
    return tuple(found.values())


def only_answer(form: Form, facts: Facts, given: Binding) -> Value | None:
    """The only value of the asked variable. None if no value or several values fit, if there are
    too many possible solutions, or if a clause has a variable that no other clause gives a value.

    Args:
        form: a form, or a part of one.
        facts: the store.
        given: the known values of variables.
    """
    try:
        found = answers(form, facts, given, most=2)
    except (TooLarge, KeyError):
        return None
    return found[0] if len(found) == 1 else None
