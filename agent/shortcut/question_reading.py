"""Reads a question for the shortcut solver, a cheap baseline script. The functions find the type of
the answer, the clauses, the names and search queries in the question's words."""

import re
from dataclasses import dataclass
from itertools import pairwise

from questloom.agent.oracle.observation_reading import key
from questloom.agent.oracle.relation_words import Relation
from questloom.language.relations import relation_table

MAX_CLAUSES = 12
_VERB = (
    r"(?:[a-z-]+ (?:was|is|were|are|did|has|had)|was|is|were|are|did|has|had|in|of|by|on|at|and|who|that|as"
    r"|[a-z]{3,}(?:ed|ies)|[a-z-]{3,}[^us]s|dies?|born|won|lies|wrote|flows|rises)\b"
)
"""Words that are no nouns but may follow the noun for the pictured thing."""
_PICTURED = re.compile(
    r"\b(?:the|this) (?:[a-z-]+ ){1,3}?(?:(?:shown |seen )?in (?:the|this) (?:picture|photograph|image)|with this [a-z ]+)"
    rf"|\bthis (?:(?!{_VERB})[a-z-]+ (?!{_VERB}))?[a-z-]+(?=['’]s\b|\b)",
)
_NAME = re.compile(
    r"(?<![\w.])(?:[A-ZÀ-ÖØ-Þ][\w’'-]*(?: (?:of|the|de|la|van|von) (?=[A-ZÀ-Þ])| (?=[A-ZÀ-Þ]))?)+|\b\d{3,4}\b"
)
_CLAUSE = re.compile(r"[,;.?]|\b(?:and|that|who|whose|which|where|when|whom)\b", re.IGNORECASE)
_DATE = re.compile(r"\b(?:when|(?:what|which) (?:year|date|day|century))\b", re.IGNORECASE)
_ASKING = re.compile(r"\b(?:(?:in|on) )?(?:what|which) (?:year|date|day|century)\b", re.IGNORECASE)
"""Words that only ask, such as "in which year", and state no relation."""
_AMOUNT = re.compile(
    r"\bhow (?:many|much|tall|high|long|wide|deep|heavy|large|big|far)\b", re.IGNORECASE
)
_LOOSE = frozenset(
    "in at of on by to from near who whom whose which what when where was were is are had has the this that".split()
)
"""Words such as "in" that state no relation by themselves."""
MAX_ENDING = 4
"""Two words match if one is the other with at most this number of letters more: "design" matches
"designed", but "light" does not match "lighthouse"."""
_ENDING = re.compile(r"\w*")
_REFERS = re.compile(r"\s*(?:who|that|which)?\s*", re.IGNORECASE)
_HEAD = re.compile(r"\b(?:which|what) ([a-z]+(?: [a-z]+)?)", re.IGNORECASE)


@dataclass(frozen=True, kw_only=True)
class Clause:
    """A part of the question that states a relation."""

    words: str
    relations: tuple[Relation, ...]
    """All relations that the words of the clause may mean."""
    names: tuple[str, ...] = ()
    """Names and years in the clause, which restrict the things that the clause can mean."""
    distance: int = 0
    """The distance, in words, between the clause and the words for the pictured thing. The solver
    first follows the clauses that are nearest to the words for the pictured thing."""


@dataclass(frozen=True, kw_only=True)
class QuestionRead:
    """What the shortcut solver learns from reading a question."""

    text: str
    kind: str
    """The type of the answer: "thing", "date" or "amount"."""
    part: str
    """The part of a date that the question asks for: "year", "century" or "" for the whole date."""
    placement: str
    """"person" if the question asks for a person, "place" if it asks for a place, else ""."""
    head: str
    """The noun for the thing for which the question asks ("town"); "" if there is none."""
    pictured: str
    """The words for the pictured thing; "" if none are found."""
    clauses: tuple[Clause, ...]

    def queries(self, pictured: str) -> tuple[str, ...]:
        """Makes search queries from the question; queries that fit few pages come first.

        Args:
            pictured: name of the pictured thing; "" if unknown.
        """
        whole = self.text.replace(self.pictured, pictured) if self.pictured and pictured else ""
        named = sorted(
            (c for c in self.clauses if c.names), key=lambda c: (-len(c.names), -len(c.words))
        )
        plain = [c.words for c in self.clauses if not c.names and len(c.words.split()) > 2]
        return tuple(
            dict.fromkeys(q for q in (*(c.words for c in named), whole, self.text, *plain) if q)
        )


def read_question(text: str) -> QuestionRead:
    """Reads a question.

    >>> read = read_question("In which year did the architect of the tower in this picture die?")
    >>> read.kind, read.part, read.pictured
    ('date', 'year', 'the tower in this picture')
    """
    date, amount = _DATE.search(text), _AMOUNT.search(text)
    kind = "date" if date else "amount" if amount else "thing"
    part = next((p for p in ("year", "century") if date and p in date[0].casefold()), "")
    head = _HEAD.search(text)
    pictured = _PICTURED.search(text)
    return QuestionRead(
        text=text,
        kind=kind,
        part=part,
        placement="person"
        if re.search(r"\bwho(?:m|se)?\b", text.split(",")[0][:40], re.IGNORECASE) and not head
        else "place"
        if re.search(r"\bwhere\b|\b(?:which|what) (?:town|city|village|country)\b", text, re.I)
        else "",
        head=head[1].casefold() if head and kind == "thing" else "",
        pictured=pictured[0] if pictured else "",
        clauses=_clauses(text),
    )


def _clauses(text: str) -> tuple[Clause, ...]:
    """Finds the parts of a question that state a relation. If the same words may state several
    relations, they give one clause with all these relations."""
    pictured = _PICTURED.search(text)
    hidden = pictured.span() if pictured else (0, 0)
    asking = [m.span() for m in _ASKING.finditer(text)]
    spans: list[tuple[int, int, str]] = []
    for pid, pattern in _patterns():
        for m in pattern.finditer(text):
            rest = _ENDING.match(text, m.end())
            end = rest.end() if rest else m.end()
            if (
                end - m.end() <= MAX_ENDING
                and not set(text[m.start() : end].casefold().split()) <= _LOOSE
                and not any(low <= m.start() < high for low, high in (hidden, *asking))
            ):
                spans.append((m.start(), end, pid))
    spans.sort()
    groups: list[tuple[int, int, dict[str, None]]] = []
    for start, end, pid in spans:
        if groups and start < groups[-1][1]:
            first, last, known = groups[-1]
            groups[-1] = first, max(last, end), {**known, pid: None}
        else:
            groups.append((start, end, {pid: None}))
    names = [
        (m.start(), m[0].strip()) for m in _NAME.finditer(text) if m.start() or " " in m[0].strip()
    ]
    edges = [0, *(m.start() for m in _CLAUSE.finditer(text)), len(text)]
    found: list[Clause] = []
    last_end = 0
    for number, (start, end, pids) in enumerate(groups[:MAX_CLAUSES]):
        next_start = groups[number + 1][0] if number + 1 < len(groups) else len(text)
        low = max(e for e in edges if e <= start)
        high = min((e for e in edges if e >= end), default=len(text))
        names_here = tuple(
            name for at, name in names if max(low, start) <= at < min(high, next_start)
        )
        before = {r.property for r in found[-1].relations} if found else set()
        if before & set(pids) and _REFERS.fullmatch(text[last_end:start]):
            continue  # "the architect who designed" states one relation twice
        last_end = end
        found.append(
            Clause(
                words=text[low:high].strip(" ,.;?"),
                relations=tuple(_named(pid) for pid in pids),
                names=names_here,
                distance=_distance(text, (start, end), hidden),
            )
        )
    # A part with a name selects a thing, even without a known relation.
    for low, high in pairwise(edges):
        words = text[low:high].strip(" ,.;?")
        named = tuple(name for at, name in names if low <= at < high)
        if named and not any(set(named) <= set(c.names) for c in found):
            found.append(Clause(words=words, relations=(), names=named))
    return tuple(found[:MAX_CLAUSES])


def _distance(text: str, span: tuple[int, int], pictured: tuple[int, int]) -> int:
    """How far a clause is from the words for the picture, by the number of words between them. If
    two clauses are equally near, the one before the words for the picture counts as nearer.

    If the question's main verb comes after the words for the picture, the verb's clause counts as
    farthest away ("die" in "When did the teacher of this man's mother die?").
    """
    if span[1] <= pictured[0]:
        return 2 * len(text[span[1] : pictured[0]].split())
    num = len(text[pictured[1] : span[0]].removeprefix("’s").removeprefix("'s").split())
    is_main = num > 0 and not _CLAUSE.search(text, len(text.split()[0]), pictured[0])
    return 2 * num + 1 + 100 * is_main


def _named(pid: str) -> Relation:
    say = relation_table().relations[pid].say
    return Relation(property=pid, label=say.o[0] if say and say.o else pid)


def _patterns() -> list[tuple[str, re.Pattern[str]]]:
    return [
        (pid, re.compile(rf"(?<!\w)(?:{'|'.join(words)})", re.I))
        for pid, known in relation_table().relations.items()
        if known.read
        and (
            words := (*(known.say.o if known.say else ()), *known.read.subject, *known.read.object)
        )
    ]


def in_question(question: QuestionRead, name: str) -> bool:
    """Whether the question contains a given name, which then cannot be the answer."""
    return f" {key(name)} " in f" {key(question.text)} "
