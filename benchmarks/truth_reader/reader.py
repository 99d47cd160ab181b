"""Reads the text of a question. Returns the text's readings, each with its answers."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date

from benchmarks.truth_reader.lexicon import Lexicon, data, is_kind, tokens
from benchmarks.truth_reader.query import (
    ONE,
    ORDER,
    Another,
    Atom,
    Back,
    Called,
    Differ,
    Execution,
    Has,
    Kind,
    Number,
    Pictured,
    Query,
    Related,
    Target,
    Text,
    Together,
    TooMany,
    Winner,
    inverse,
    renamed,
)
from benchmarks.truth_reader.sentences import Sentences
from benchmarks.truth_reader.world import Truth, century_of

MOST_READINGS = 40
"""The maximum number of readings of one text that are run as queries. The most natural readings
come first.
"""


@dataclass(frozen=True)
class Reading:
    """One way to understand a text, with the answers that the truth gives for it."""

    query: Query
    answers: frozenset
    pictured: frozenset[str]
    """All things that the picture may show if the text is read in this way."""


class Reader:
    """Reads questions about one fictional world."""

    def __init__(self, truth: Truth) -> None:
        self.truth, self.lexicon = truth, Lexicon(truth)

    def readings(self, text: str, picture: frozenset[str], *, beyond: bool = True) -> list[Reading]:
        """Returns all readings of a text that can be run as a query, the most natural first. The
        list is empty if the text cannot be read.

        Args:
            text: the text of the question.
            picture: the names of the files that hold the question's picture.
            beyond: whether "in a place" includes smaller places inside the place.
        """
        found: dict[Query, Reading] = {}
        for query in self.queries(text):
            if len(found) == MOST_READINGS:
                break
            execution = Execution(self.truth, is_kind, picture, beyond=beyond)
            try:
                answers, pictured = answered(execution, query)
            except TooMany:
                if not found:
                    return []  # the most natural reading cannot be executed, and no other may replace it
                continue
            found.setdefault(query, Reading(query, frozenset(answers), frozenset(pictured)))
        return list(found.values())

    def queries(self, text: str) -> list[Query]:
        """Every reading as a query in which each reference stands for its thing."""
        sentences = Sentences(tokens(text), self.lexicon)
        starts = (0, *(i + 1 for i, word in enumerate(sentences.text) if word == "."))
        starts = tuple(s + 2 * sentences.at(s, "there", "is") for s in starts)  # its subject
        found = [r for q in sentences.readings()[:200] for r in resolved(q, starts)]
        return sorted(dict.fromkeys(found), key=lambda q: (q.cost, repr(q)))


# ---------------------------------------------------------------- references


def _place(var: str) -> int:
    """The position in the text at which a variable's phrase begins."""
    digits = "".join(c for c in var if c.isdigit())
    return int(digits) if digits else 10_000


def called(atoms: tuple[Atom, ...]) -> tuple[dict[str, set[str]], dict[str, set[str]]]:
    """Returns the nouns for each thing. Some nouns stand in the text, and other nouns follow from
    the thing's relations ("the person who taught x" is a teacher).
    """
    roles = data()["roles"]
    outright: dict[str, set[str]] = {}
    implied: dict[str, set[str]] = {}
    for atom in atoms:
        if isinstance(atom, Kind | Called):
            outright.setdefault(atom.var, set()).add(atom.noun)
        elif isinstance(atom, Related):
            for var, relation in ((atom.var, atom.relation), (atom.other, inverse(atom.relation))):
                found = {
                    role
                    for role, meaning in roles.items()
                    if set(meaning.split()) & set(relation.split())
                }
                implied.setdefault(var, set()).update(found)
    return outright, implied


def resolved(
    query: Query, starts: tuple[int, ...] = (0,), mentions: tuple[tuple[int, str], ...] = ()
) -> Iterator[Query]:
    """Finds the thing that is meant by each word that refers back to an earlier thing. Yields the
    possible queries, the most likely first.

    Args:
        query: the query, which may contain words that refer back.
        starts: the positions where the text's sentences begin.
        mentions: the positions of words that refer to earlier things; each position comes with its
            thing.
    """
    back = next(
        (
            a
            for a in sorted(
                (a for a in query.atoms if isinstance(a, Back)), key=lambda a: _place(a.var)
            )
        ),
        None,
    )
    if back is None:
        yield _without_others(query)
        return
    rest = tuple(a for a in query.atoms if a != back)
    if back.mode == "compared":
        which, _, properties = back.noun.partition(" ")
        together = next((a for a in rest if isinstance(a, Together)), None)
        if together:
            keys = tuple(f"{v}k" for v in together.among)
            values = (Has(v, properties, k) for v, k in zip(together.among, keys, strict=True))
            yield from resolved(
                Query(
                    (*rest, *values, Winner(back.var, together.among, keys, which == "last")),
                    query.asked,
                    query.cost,
                )
            )
        return
    if back.mode == "one":
        yield from _one(back, rest, query)
        return
    if back.noun == ONE:
        back = replace(back, noun=_of_two(back, rest))
    pending = {a.var for a in rest if isinstance(a, Back)}
    outright, implied = called(rest)
    differ = {
        a.other if a.var == back.var else a.var
        for a in rest
        if isinstance(a, Differ) and back.var in (a.var, a.other)
    }
    beside = {
        v
        for a in rest
        if isinstance(a, Related) and back.var in (a.var, a.other)
        for v in (a.var, a.other)
    }
    out = {back.var, *pending, *differ, *beside}  # nobody is his own father
    out |= _owners(back, rest, outright, starts) if back.mode == "pronoun" else set()
    before = [
        v
        for v in {**outright, **implied}
        if v.startswith("n") and v not in out and _place(v) < _place(back.var)
    ]
    pictured = {a.var for a in rest if isinstance(a, Pictured)}
    kinds = {a.var for a in rest if isinstance(a, Kind)}
    for rank, target in enumerate(
        _candidates(back, before, outright, implied, pictured, kinds, starts, mentions)[:3]
    ):
        new = back.mode == "pronoun" or target not in kinds
        more: tuple[Atom, ...] = (
            (Kind(target, back.noun),)
            if back.noun and new and back.noun not in data()["roles"]
            else ()
        )
        atoms = tuple(renamed(a, back.var, target) for a in (*rest, *more))
        asked = Target(
            query.asked.kind,
            tuple(target if v == back.var else v for v in query.asked.vars),
            query.asked.unit,
        )
        yield from resolved(
            Query(tuple(dict.fromkeys(atoms)), asked, query.cost + 50 * rank),
            starts,
            (*mentions, (_place(back.var), target)),
        )


def _one(back: Back, rest: tuple[Atom, ...], query: Query) -> Iterator[Query]:
    """ "This one" means a thing in the picture. The thing must be of the same kind as the last
    named thing, but must not be that thing.
    """
    kinds = [a for a in rest if isinstance(a, Kind) and _place(a.var) < _place(back.var)]
    for rank, kind in enumerate(sorted(kinds, key=lambda a: -_place(a.var))):
        said = (Pictured(back.var), Kind(back.var, kind.noun), Differ(back.var, kind.var))
        yield from resolved(Query((*rest, *said), query.asked, query.cost + 50 * rank))


def _owners(
    back: Back, rest: tuple[Atom, ...], outright: dict[str, set[str]], starts: tuple[int, ...]
) -> set[str]:
    """Whose relative was the subject of the sentence before: "One of this man's sons died in 1910.
    On what date was he born?" asks for the son."""
    start = max(s for s in starts if s <= _place(back.var))
    last = max((s for s in starts if s < start), default=-1)
    kin, roles, sex = data()["kin"], data()["roles"], data()["sexes"][back.noun]
    return {
        a.other
        for a in rest
        if isinstance(a, Related) and _place(a.var) == last
        for noun in outright.get(a.var, ())
        if kin.get(noun) == sex and roles[noun] == a.relation
    }


def _of_two(back: Back, rest: tuple[Atom, ...]) -> str:
    """The noun that "one" stands for in "the first one": that of the last "another" or "other"
    thing, or of the last two things of one kind. Empty if there is none."""
    before = [a for a in rest if isinstance(a, Another | Kind) and _place(a.var) < _place(back.var)]
    others = [a for a in before if isinstance(a, Another)]
    told = [a for a in before if a.var.startswith("n")]
    twice = [a for a in told if any(a.noun == b.noun and a.var != b.var for b in told)]
    return max(others or twice, key=lambda a: _place(a.var)).noun if others or twice else ""


def _candidates(
    back: Back,
    before: list[str],
    outright: dict[str, set[str]],
    implied: dict[str, set[str]],
    pictured: set[str],
    kinds: set[str],
    starts: tuple[int, ...],
    mentions: tuple[tuple[int, str], ...],
) -> list[str]:
    latest = sorted(before, key=_place, reverse=True)
    if back.mode == "twin":
        return [v for v in latest if v in kinds]
    if back.mode == "it":  # nobody calls a man "it"
        men = {"person", *data()["sexes"]}
        before = [v for v in before if not men & outright.get(v, set())] or before
    if back.mode == "it" and len(starts) > 1:
        before = [v for v in before if v in kinds] or before
        return _meant_by_it(_place(back.var), before, outright, starts, mentions)
    if back.mode == "it":
        return sorted(before, key=lambda v: (v not in pictured, _place(v)))
    if back.mode == "pronoun":
        sexes = {**data()["sexes"], **data()["kin"]}
        sexed = [
            v for v in latest if any(sexes.get(n) == sexes[back.noun] for n in outright.get(v, ()))
        ]
        # "A woman influenced the architect of this library. She designed a chapel."
        start = max(s for s in starts if s <= _place(back.var))
        last = max((s for s in starts if s < start), default=-1)
        here = any(_place(v) > start and _is_somebody(v, outright, implied) for v in latest)
        spoken = {*((_place(v), v) for v in latest), *mentions}
        # "That other man's portrait bears a year. How many years later did he die?"
        only = {v for p, v in spoken if last <= p < start and v in sexed}
        if not here and len(only) == 1:
            return list(only)
        unsexed = [v for v in latest if not any(n in sexes for n in outright.get(v, ()))]
        people = [v for v in unsexed if _is_somebody(v, outright, implied)]
        return [*sexed, *people, *(v for v in unsexed if v not in people)]
    if back.mode == "other":
        latest = [v for v in latest if v not in pictured] or latest
    if back.mode in ORDER:
        same = [v for v in reversed(latest) if back.noun in outright.get(v, ())]
        return same[ORDER.index(back.mode) :][:1]
    exact = [v for v in latest if back.noun in outright.get(v, ())]
    tail = [v for v in latest if any(n.split(" ")[-1] == back.noun for n in outright.get(v, ()))]
    found = (
        exact
        or tail
        or [v for v in latest if back.noun in implied.get(v, ())]
        or [v for v in latest if v not in kinds]
    )
    if back.mode == "that":  # the pictured thing is "this river"
        return [v for v in found if v not in pictured] or found
    unlike = [v for v in found if v in pictured]
    return [v for v in found if v not in unlike] + unlike if back.mode == "other" else found


def _is_somebody(var: str, outright: dict[str, set[str]], implied: dict[str, set[str]]) -> bool:
    """Whether the words call a thing a person."""
    people = {"person", *data()["sexes"], *data()["callings"], *KIN}
    return bool(people & (outright.get(var, set()) | implied.get(var, set())))


KIN = frozenset("father mother wife husband son daughter brother sister child parent".split())
"""Nouns for relatives: "it" means none of them."""


def _meant_by_it(
    place: int,
    before: list[str],
    outright: dict[str, set[str]],
    starts: tuple[int, ...],
    mentions: tuple[tuple[int, str], ...],
) -> list[str]:
    """The thing that the word "it" means after a statement.

    The candidates come in this order: the last thing in this sentence, the subject of the previous
    sentence, and the other things of the previous sentence.
    """
    people = {"person", *data()["sexes"], *data()["callings"], *KIN}
    spoken = [(_place(v), v) for v in before] + [m for m in mentions if m[1] in before]
    things = sorted({(p, v) for p, v in spoken if not people & outright.get(v, set())})
    start = max(s for s in starts if s <= place)
    last = max((s for s in starts if s < start), default=0)
    here = [v for p, v in reversed(mentions) if start <= p < place and v in {t for _, t in things}]
    there = [v for p, v in things if last <= p < start]
    subject = [v for p, v in things if p == last]
    rest = [v for _, v in reversed(things)]
    return [*here, *subject, *reversed(there), *rest][:1]


SEXED = {"male": "man", "female": "woman"}


def _without_others(query: Query) -> Query:
    """Makes sure that "another bridge" differs from every bridge in the text before, and that a
    daughter is a woman."""
    nouns, _ = called(query.atoms)
    atoms: list[Atom] = []
    for atom in query.atoms:
        if isinstance(atom, Another):
            atoms += [
                Differ(atom.var, v)
                for v in nouns
                if v != atom.var
                and atom.noun in nouns[v]
                and v.startswith("n")
                and _place(v) < _place(atom.var)
            ]
        elif isinstance(atom, Called) and (sex := data()["kin"].get(atom.noun)):
            atoms.append(Kind(atom.var, SEXED[sex]))
        elif not isinstance(atom, Together | Called):
            atoms.append(atom)
    return Query(tuple(dict.fromkeys(atoms)), query.asked, query.cost)


# ---------------------------------------------------------------- answers


def answered(execution: Execution, query: Query, given: dict | None = None) -> tuple[set, set[str]]:
    """All answers to a query, and all things that its picture may show."""
    pictured = [a.var for a in query.atoms if isinstance(a, Pictured)]
    answers: set = set()
    shows: set[str] = set()
    counted: dict[tuple, set[str]] = {}
    for found in execution.solutions(query.atoms, given):
        shows.update(found[v] for v in pictured)
        values = [found[v] for v in query.asked.vars]
        if query.asked.kind == "count":
            counted.setdefault((), set()).add(values[0])
        elif (value := value_of(query.asked, values)) is not None:
            answers.add(value)
    answers.update(Number(float(len(things))) for things in counted.values())
    return answers, shows


def value_of(asked: Target, values: list):
    """Returns the answer that one solution gives to the question. Returns None if the answer
    is undefined.
    """
    first = values[0]
    match asked.kind:
        case "thing" | "text":
            return first
        case "year" | "month" | "day":
            return (
                first[: {"year": 1, "month": 2, "day": 3}[asked.kind]]
                if isinstance(first, tuple)
                else None
            )
        case "century":
            return century_of(first[0]) if isinstance(first, tuple) else None
        case "number":
            return first if isinstance(first, Number) and asked.unit in ("", first.unit) else None
        case "years":
            numbers = [
                v[0] if isinstance(v, tuple) else v.number
                for v in values
                if not isinstance(v, Text)
            ]
            return Number(float(abs(numbers[0] - numbers[1]))) if len(numbers) == 2 else None
        case "full_years":
            if not all(isinstance(v, tuple) and all(v) for v in values):
                return None
            one, two = sorted(date(*v) for v in values)
            return Number(
                float(two.year - one.year - ((two.month, two.day) < (one.month, one.day)))
            )
    if (
        not all(isinstance(v, Number) for v in values)
        or values[0].unit != values[1].unit
        or (asked.unit and values[0].unit != asked.unit)
    ):
        return None
    left, right = (v.number for v in values)
    if asked.kind == "ratio":
        return Number(left / right) if right else None
    return Number(abs(left - right) if asked.kind == "difference" else left + right, values[0].unit)
