"""Extracts pages, search hits, names, dates and amounts from the text of tool results
(observations). The functions of this module have no other input than the text of tool results."""

import datetime
import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from questloom.agent.oracle.relation_words import Cue, Relation, cues_of, with_object
from questloom.knowledge.dates import Date, dates_in
from questloom.language.english import MONTHS
from questloom.language.normalise import fold_all_marks

_AMOUNT = re.compile(
    r"(?<![\w.,])(\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"(?:\s*([^\W\d]+[²³]?(?: (?:mile|metre|meter|kilometre|kilometer|foot|feet)s?)?))?"
)
_CAPITAL = r"(?:[A-ZÀ-ÖØ-ÞĀ-Ž][\w’'.-]*|\"[^\"]+\")"
_NAME = re.compile(
    rf"(?<!\w){_CAPITAL}(?:(?: (?:of|the|de|la|le|du|van|von|with|and the|in|off|at|for|to|&))* {_CAPITAL})*(?: family\b)?"
)
_OBJECT = re.compile(r"\b(?:it|him|her(?= (?:in|at|on|by|for)\b)|the (?:building|house))\b")
_JOINED = re.compile(r" (?:in|off|at|for|to|with|and)\b")
_NOUN = re.compile(r" *(?:an? )?([a-z][a-z -]*[a-z])(?= and |[.,;]|$)")
_BINOMIAL = re.compile(r"[(,] ?([A-Z]\w+ [^\W\d_]{3,})(?:\)|, )")
FAMILY = "P53"
_KIN = re.compile(r"\b(?:family|house|dynasty|clan)\b", re.IGNORECASE)
_SPECIES = re.compile(
    rf"(?<!\w)({_CAPITAL}(?: [a-z]{{3,}}){{1,2}}?)(?=, | and | (?:was|were|is|are) |[.;]|$)"
)
_SOME_OF = re.compile(r"^(?:Members|Natives|Children|Pupils|Works) (?:of|by) (?:the )?(?=[A-Z])")
_OF = re.compile(r"(?:The )?[A-Z]\w+ of (?:the )?[A-Z]")
_LIFE = re.compile(r"\((?:[^()]*?\D)?(\d{3,4})\s*[–-]\s*(?:[^()]*?\D)?(\d{3,4})\)")
UNITS = {
    "m": "metre",
    "km": "kilometre",
    "cm": "centimetre",
    "mm": "millimetre",
    "km²": "square kilometre",
    "kg": "kilogram",
    "t": "tonne",
    "g": "gram",
    "ha": "hectare",
    "ft": "foot",
    "feet": "foot",
    "inches": "inch",
    "min": "minute",
    "nmi": "nautical mile",
    "kv": "kilovolt",
    "mw": "megawatt",
}


@dataclass(frozen=True)
class Thing:
    """A thing that a text names. The field `title` has the title of the thing's page, or else the
    name in the text."""

    title: str
    url: str = ""

    @property
    def name(self) -> str:
        """The title without the words that only distinguish it from other titles, such as
        "(river)"."""
        return base(self.title)


@dataclass(frozen=True)
class Literal:
    """A date or an amount that was read from a text."""

    text: str
    year: int | None = None
    month: int | None = None
    day: int | None = None
    number: float | None = None
    unit: str = ""

    @property
    def calendar_day(self) -> datetime.date | None:
        """The calendar day of a date, in the form that `Date.calendar_day` returns."""
        return Date(self.year or 0, self.month or 0, self.day or 0).calendar_day


Read = Thing | Literal


@dataclass(frozen=True)
class Line:
    """One line of text in an observation (tool result)."""

    text: str
    turn: int


@dataclass(frozen=True)
class Candidate:
    """A candidate for the unknown subject or object of a relation, with the line of text that names
    it and a score."""

    value: Read
    line: Line
    score: float


@dataclass
class PageRead:
    """Everything that tool results have shown of one page so far."""

    title: str
    url: str
    facts: dict[Line, tuple[str, str]] = field(default_factory=dict)
    """The lines of the page's infobox, each as a parameter and its value."""
    sentences: list[Line] = field(default_factory=list)
    links: dict[str, str] = field(default_factory=dict)
    """The links on the page: a dictionary from title to web address."""
    images: tuple[int, ...] = ()
    """Handles (numbers) of the page's pictures, and of earlier pictures that look the same."""
    visited: bool = False
    whole: bool = False
    """Whether tool results showed the whole page."""
    goals: tuple[str, ...] = ()
    """The goals (what to look for) with which the oracle visited this page."""

    @property
    def thing(self) -> Thing:
        return Thing(self.title, self.url)

    def lines(self) -> Iterator[Line]:
        yield from self.facts
        yield from self.sentences


@functools.lru_cache(1 << 14)
def base(title: str) -> str:
    """A title without the bracketed words that distinguish it from other titles."""
    return re.sub(r"\s*\([^()]*\)$", "", title)


@functools.lru_cache(1 << 14)
def key(name: str) -> str:
    """The name in a form for comparisons: in lower case, without accents, article and
    punctuation."""
    words = re.findall(r"\w+", fold_all_marks(base(name)))
    return re.sub(r"^the ", "", " ".join(words))


@functools.lru_cache(1 << 12)
def flat(text: str) -> str:
    """The text in the form that `key` gives to names, so that the key of a name can be found in the
    text."""
    return " " + " ".join(re.findall(r"\w+", fold_all_marks(text))) + " "


def says(text: str, name: str) -> bool:
    """Whether a text contains a name."""
    return bool(key(name)) and f" {key(name)} " in flat(text)


# -- observations


def hits_of(text: str) -> list[tuple[Thing, str]]:
    """Reads the titles, web addresses and snippets from the text of a search result."""
    found: list[tuple[Thing, str]] = []
    for block in re.split(r"(?m)^\[\d+\] ", text)[1:]:
        title, _, rest = block.partition("\n")
        address = re.match(r"(?:URL|File, on no page): (.*)\n?", rest)
        found.append(
            (
                Thing(title.strip(), address[1].strip() if address else ""),
                rest[address.end() if address else 0 :].strip(),
            )
        )
    return found


def read_page(text: str, turn: int, images: Sequence[int]) -> PageRead | None:
    """Reads a page from the text that `visit` returned."""
    lines = text.split("\n")
    if len(lines) < 2 or not lines[1].startswith("URL: "):
        return None
    alike = (
        int(h) for h in re.findall(r"(?m)^Picture: <image:\d+>.*, looks like <image:(\d+)>$", text)
    )
    page = PageRead(
        lines[0].strip(),
        lines[1][5:].strip(),
        images=(*images, *alike),
        visited=True,
        whole="\n[…]\n" not in text,
    )
    body = lines[2:]
    links = next((i for i, line in enumerate(body) if line == "Links:"), len(body))
    for line in body[links + 1 :]:
        if found := re.match(r"- (.*): (\S+)$", line):
            page.links[found[1]] = found[2]
    end = next((i for i, line in enumerate(body) if line.startswith("On the page:")), links)
    said = body[:end]
    gap = next((i for i, line in enumerate(said) if not line.strip()), 0)
    for number, line in enumerate(said):
        if number < gap:
            name, _, value = line.partition(": ")
            page.facts[Line(line, turn)] = (name.strip().casefold(), value.strip())
        elif line.strip() and not line.startswith(("## ", "[…]", "The page says nothing")):
            page.sentences.append(Line(line.strip(), turn))
    return page


def texts_read(text: str) -> list[tuple[str, list[float]]]:
    """Reads texts and their boxes from the text that `layout_parsing` returned, in the same order."""
    return [
        (found[2].strip(), [float(x) for x in found[1].split(",")])
        for line in text.split("\n")
        if (found := re.match(r"\[([\d., ]+)\] (.*)$", line))
    ]


# -- literals


def dates(text: str) -> list[tuple[int, Literal]]:
    """The dates and years in a text, each with its position. A number that begins with 0 ("0850") is not read as a
    year."""
    return [
        (start, Literal(text[start:end], date.year, date.month or None, date.day or None))
        for date, start, end in dates_in(text, "plain")
        if date.month or "1" <= text[start] <= "9"
    ]


def amounts(text: str) -> list[tuple[int, Literal]]:
    """The numbers in a text, each with the words after it and its position."""
    return [
        (
            m.start(),
            Literal(
                m.group().strip(), number=float(m[1].replace(",", "")), unit=unit_name(m[2] or "")
            ),
        )
        for m in _AMOUNT.finditer(text)
    ]


def unit_name(unit: str) -> str:
    """Turns any spelling of a unit into the unit's standard name. Words that are no units stay
    unchanged."""
    low = unit.casefold().replace("meter", "metre").strip(" .")
    return UNITS.get(low, UNITS.get(low.removesuffix("s"), low.removesuffix("s")))


# -- relations


def candidates(
    page: PageRead,
    relation: Relation | None,
    *,
    kind: str,
    unit: str = "",
    guesses: bool = True,
) -> list[Candidate]:
    """Finds candidates for the object of a relation on the subject's page, most certain first.

    Args:
        kind: "thing", "date" or "amount".
        unit: unit of amounts, if it is known.
        guesses: whether to include all other links of the page. The other links of a page score far
            lower than candidates beside a cue (a phrase that states the relation).
    """
    if relation is None:
        return [
            Candidate(Thing(title, url), _line_with(page, title), 1.0)
            for title, url in page.links.items()
        ]
    cues = cues_of(relation)
    found = list(_of_facts(page, cues.keys, cues.weak_keys, kind, unit))
    found += _of_life(page, relation) if kind == "date" else []
    found += _of_sentences(page, cues.subject, kind, unit)
    if relation.property in with_object("noun"):
        found += _common_nouns(page, cues.subject)
    if relation.property == "P225" and page.sentences:
        found += [
            Candidate(Thing(m[1]), page.sentences[0], 4.0)
            for m in _BINOMIAL.finditer(page.sentences[0].text)
        ]
    if kind == "thing":
        land = [
            key(value)
            for name, value in page.facts.values()
            if name == "country" and relation.property != "P17"
        ]
        family = relation.property == FAMILY
        found = [
            Candidate(
                c.value,
                c.line,
                c.score
                - 3.0
                * (
                    isinstance(c.value, Thing)
                    and (key(c.value.title) in land or (family and not _KIN.search(c.value.title)))
                ),
            )
            for c in found
        ]
        if guesses:
            found += _guessed(page)
    return _best(found)


def subjects(
    page: PageRead, relation: Relation | None, *, species: bool = False
) -> list[Candidate]:
    """Finds candidates for the subject of a relation on the object's page, most certain first.

    Args:
        species: whether the subject is a species, whose name goes on in lower case ("Velm tern").
    """
    if relation is None:
        return []
    cues = cues_of(relation).object
    found = _best(_of_sentences(page, cues, "thing", ""))
    whole = list(_species(page, cues)) if species else []
    names = {c.value.title for c in whole if isinstance(c.value, Thing)}
    return whole + [
        c
        for c in found
        if isinstance(c.value, Thing)
        and c.value.title not in names
        and not any(name.startswith(f"{c.value.title} ") for name in names)
    ]


def _species(page: PageRead, cues: Sequence[Cue]) -> Iterator[Candidate]:
    """The names of species in sentences with a cue (a phrase that states a relation)."""
    for line in page.sentences:
        if any(cue.words.search(line.text) for cue in cues):
            for m in _SPECIES.finditer(line.text):
                yield Candidate(Thing(m[1], page.links.get(m[1], "")), line, 4.0)


def listed_under(page: PageRead, relation: Relation, subject: Thing) -> list[Candidate]:
    """A page may list things: "Ada Lund also built …", "People born in Velm include …". If a list
    contains the subject, the function finds the person or place to which the list belongs. If the
    sentence begins with a pronoun ("She also built …"), the list belongs to the thing that the page
    is about."""
    found = []
    for line in page.sentences:
        if not says(line.text, subject.name):
            continue
        named = names_in(line.text, page)
        for cue in cues_of(relation).object:
            m = cue.words.search(line.text)
            listed = (
                line.text[m.end() - 1 :] if m and cue.after else line.text[: m.start()] if m else ""
            )
            if m and says(listed, subject.name):
                begin = 0 if cue.after else m.start()
                within = [
                    t
                    for p, t in named
                    if begin <= p < m.end() and key(t.title) != key(subject.title)
                ]
                found.append(Candidate(within[-1] if within else page.thing, line, 3.5))
    return found


def _guessed(page: PageRead) -> Iterator[Candidate]:
    """Guesses at the object of a relation: every other page that the shown sentences link to. A
    page may state a relation without a known cue (a phrase for the relation)."""
    for order, line in enumerate(page.sentences):
        for place, (_, thing) in enumerate(names_in(line.text, page)):
            if thing.url and key(thing.title) != key(page.title):
                yield Candidate(thing, line, 0.5 - order * 0.01 - place * 0.001)


def _of_facts(
    page: PageRead, keys: Sequence[str], weak: Iterable[str], kind: str, unit: str
) -> Iterator[Candidate]:
    for rank, wanted in enumerate(keys):
        for line, (name, value) in page.facts.items():
            if name.replace("-", "_") == wanted.replace("-", "_"):
                score = (2.0 if wanted in weak else 6.0) - rank * 0.01
                if kind == "thing":
                    things = [t for _, t in names_in(value, page)]
                    # A name may contain a comma ("St Odran's Church, Velm").
                    whole = (
                        [Thing(value)]
                        if not any(key(t.title) == key(value) for t in things) and ";" not in value
                        else []
                    )
                    for place, thing in enumerate([*whole, *things]):
                        yield Candidate(thing, line, score - place * 0.001)
                else:
                    yield from (Candidate(v, line, score) for _, v in _literals(value, kind, unit))


def _of_life(page: PageRead, relation: Relation) -> Iterator[Candidate]:
    """A person's years of birth and death, read from the brackets after the name."""
    place = {"P569": 1, "P570": 2}.get(relation.property)
    if place and page.sentences and (life := _LIFE.search(page.sentences[0].text)):
        yield Candidate(Literal(life[place], year=int(life[place])), page.sentences[0], 4.0)


def _of_sentences(page: PageRead, cues: Sequence[Cue], kind: str, unit: str) -> Iterator[Candidate]:
    own = key(page.title)
    for order, line in enumerate(page.sentences):
        if not any(cue.words.search(line.text) for cue in cues):
            continue  # to find the names in a sentence takes most of the time
        named = names_in(line.text, page)
        first = named[0][1] if named and named[0][0] <= len("The ") else None
        of_other = first is not None and key(first.title) != own and not _part_of(own, first.title)
        for rank, cue in enumerate(cues):
            for m in cue.words.finditer(line.text):
                # A sentence with another subject is about that subject, unless the page's thing is its object ("Ada
                # Lund built her in 1850").
                other = of_other and cue.after and not _OBJECT.search(line.text[: m.end()])
                # "of", "by" and "in" count only where the page's thing is the subject.
                weak = m.end() - m.start() < 4 and (first is None or of_other)
                score = (
                    4.0
                    - (2.0 if other else 0.0)
                    - rank * 0.01
                    - order * 0.001
                    - (1.5 if weak else 0.5 if m.end() - m.start() < 4 else 0.0)
                )
                spots = (
                    [(p, t) for p, t in named if key(t.title) != own]
                    if kind == "thing"
                    else _literals(line.text, kind, unit)
                )
                side = [
                    (p, v) for p, v in spots if (p >= m.end() - 1 if cue.after else p < m.start())
                ]
                near = sorted(side, key=lambda s: abs(s[0] - m.end()))
                if not cue.after and of_other:
                    near.sort(
                        key=lambda s: s[1] != first
                    )  # the person who "came from Velm and also designed" something is the sentence's subject
                closing = (
                    line.text.find("”", m.end())
                    if kind == "thing" and line.text[m.end() - 1] == "“"
                    else -1
                )
                if closing > 0:
                    yield Candidate(
                        Thing(line.text[m.end() : closing]), line, score + 0.05
                    )  # a quotation is the value, even if it contains names
                for distance, (_, value) in enumerate(near):
                    yield Candidate(value, line, score - distance * 0.1)


def _common_nouns(page: PageRead, cues: Sequence[Cue]) -> Iterator[Candidate]:
    """The lower-case words from a cue (a phrase that states a relation) to the end of the clause
    ("typhoid fever" in "died of typhoid fever")."""
    for order, line in enumerate(page.sentences):
        for cue in cues:
            for m in cue.words.finditer(line.text) if cue.after else ():
                if noun := _NOUN.match(line.text, m.end()):
                    yield Candidate(Thing(noun[1]), line, 4.0 - order * 0.001)


def _literals(text: str, kind: str, unit: str) -> list[tuple[int, Read]]:
    if kind == "date":
        return list(dates(text))
    return [(p, a) for p, a in amounts(text) if not unit or a.unit == unit_name(unit) or not a.unit]


def names_in(text: str, page: PageRead) -> list[tuple[int, Thing]]:
    """Finds the things that a text names, in order. The thing of the page and linked things are
    found by their titles, other things by their capital letters."""
    found: list[tuple[int, int, Thing]] = []
    for title, url in {**page.links, page.title: page.url}.items():
        if _stem(title) in text:
            for m in re.finditer(
                rf"(?<!\w){re.escape(title)}(?!\w)|(?<!\w){re.escape(_stem(title))}(?!\w)", text
            ):
                found.append((m.start(), m.end(), Thing(title, url)))
    longest = [
        f
        for f in found
        if not any(o[0] <= f[0] and f[1] <= o[1] and (o[1] - o[0]) > (f[1] - f[0]) for o in found)
    ]
    spans = [(s, e) for s, e, _ in longest]
    last = base(page.title).split()[-1:]
    some = _SOME_OF.match(text)  # "Members of the Velm family" names the family
    for m in _NAME.finditer(text, some.end() if some else 0):
        inside = [e for s, e in spans if s < m.end() and m.start() < e]
        if [m.group()] == last:
            longest.append((m.start(), m.end(), page.thing))  # the family name of a person alone
        elif (
            inside
            and key(m.group()) != key(page.title)
            and any(
                o[2] == page.thing
                and m.start() <= o[0]
                and o[1] <= m.end()
                and not _JOINED.match(text, o[1])
                for o in longest
            )
        ):
            longest = [
                o
                for o in longest
                if not (o[2] == page.thing and m.start() <= o[0] and o[1] <= m.end())
            ]
            longest.append(
                (m.start(), m.end(), Thing(m.group().removeprefix("The ").rstrip(".,")))
            )  # "Velm Gazette" on the page of Velm
        elif (
            inside
            and _OF.match(m.group())
            and m.end() <= max(inside)
            and (m.start() > 0 or m.group().startswith("The "))
        ):
            name = text[m.start() : max(inside)]  # "Organ of" before a known name
            longest.append((m.start(), max(inside), Thing(name.removeprefix("The "))))
        elif (
            not inside
            and m.group().capitalize() not in MONTHS
            and (m.start() > 0 or " " in m.group() or m.group() in page.title)
        ):
            longest.append((m.start(), m.end(), Thing(m.group().rstrip(".,"))))
    return list(
        dict.fromkeys((s, t) for s, _, t in sorted(longest, key=lambda f: (f[0], f[2].title)))
    )


def _stem(title: str) -> str:
    """The shortest part of a title that a text may use instead of the whole title."""
    return base(title).removeprefix("The ")


def _part_of(own: str, title: str) -> bool:
    """Whether a name is part of the name of the thing that the page is about ("Mustela" on the page
    of Fiora Mustela)."""
    return f" {key(title)} " in f" {own} "


def _best(found: Iterable[Candidate]) -> list[Candidate]:
    best: dict[Read, Candidate] = {}
    for candidate in found:
        if candidate.value not in best or candidate.score > best[candidate.value].score:
            best[candidate.value] = candidate
    return sorted(best.values(), key=lambda c: -c.score)


def _line_with(page: PageRead, title: str) -> Line:
    return next((line for line in page.lines() if says(line.text, title)), Line(title, -1))
