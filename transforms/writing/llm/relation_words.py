"""Whether English words say a relation: which one, and which of its two ends they speak of.

A claim's value in a text proves little: "designed by Ivo Mersk" and "buried beside Ivo Mersk" hold the same name. So the words
around a cited value are held against `read` of `language/relations.yaml`. Other languages inflect too much for it: there the votes decide alone.
"""

import functools
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from questloom.language.frames import BE
from questloom.language.relations import ReadTerms, relation, relation_table
from questloom.prompts.phrases import property_phrase, variants, verb_forms

LANGUAGE = "en"
MIN_LABEL_WORD = 5
"""Letters from which a word of a property's label is one by which the relation can be said."""
MAX_HINTS = 6

_RELATED_BEFORE = re.compile(
    r"(?:'s|s'|\b(?:its|his|her|their|whose|by|by an?|by the|by that|by this))\s+$"
)
_RELATED_AFTER = re.compile(r"\s+(?:of|for|to)\b")
"""What makes a word for somebody ("painter") the word for a relation to something: "its painter", "the painter of the view"."""
_GENERAL = frozenset(
    """
about after before being country current entity first given instance known level location maximum member number object official other people
person place point title total value which
""".split()
)

_COMMON_VERBS = frozenset(
    "be begin bring come do get give go have hold keep lie live make put run see serve stand take tell use".split()
)


@dataclass(frozen=True, kw_only=True)
class RelationWords:
    """How a relation may be said of its subject and of its object; None where nothing is known of it."""

    subject: re.Pattern[str] | None
    object: re.Pattern[str] | None
    bare: bool
    """The value alone says it."""
    events: tuple[re.Pattern[str], ...] = ()
    """Of a relation that is of no event in particular ("inception") the events, each in its words: one may be told only where a page tells it."""
    hints: tuple[str, ...] = ()
    phrases: str = ""
    """Its label and the graph writer's sentences and questions, which may be copied."""
    by_object: bool = False
    """The object is the agent: "designed by" is said of the subject, whatever words serve both."""

    def is_stated(self, text: str, *, of_object: bool) -> bool:
        """Whether the text says it of the end that is meant."""
        pattern = self.object if of_object else self.subject
        return (
            pattern is None
            or bool(pattern.search(_plain(text)))
            or (self.bare and not telling_words(text))
        )

    def done_by(self, text: str, subject: Iterable[str]) -> bool:
        """Whether words for the subject stand where those for the object belong: "Which architect was designed by the cathedral?"."""
        if not self.by_object or self.subject is None:
            return False
        plain, ends = _plain(text), "|".join(re.escape(_plain(word)) for word in subject if word)
        agent = re.compile(rf"\s+by (?:(?:the|an?|this|that) )?(?:{ends})(?!\w)")
        return bool(ends) and any(agent.match(plain, end) for _, end in _spans(self.subject, plain))


def _plain(text: str) -> str:
    return text.casefold().replace("’", "'")


def _expression(terms: Sequence[str]) -> re.Pattern[str] | None:
    parts = [
        (t if t.startswith("'") else rf"(?<!\w){t}")
        + ("" if t.isalpha() else r"(?!\w)" if t[-1:].isalpha() else "")
        for t in terms
    ]
    return re.compile("|".join(parts)) if parts else None


@functools.cache
def _telling() -> re.Pattern[str]:
    found = _expression(relation_table().telling_words)
    assert found is not None
    return found


@functools.cache
def relation_words(property_id: str, label: str) -> RelationWords:
    """The words of a property: the table's, and where they need not tell direction those of its label and of the graph writer's sentences.

    >>> burial = relation_words("P119", "place of burial")
    >>> burial.is_stated("the cathedral where Napoleon is buried", of_object=True), burial.is_stated("the cathedral designed by Napoleon", of_object=True)
    (True, False)
    >>> relation_words("P2632", "place of detention").is_stated("In which castle was Ada Orm imprisoned?", of_object=True)
    True
    """
    read = relation(property_id).read or ReadTerms(subject=())
    subject, object_, bare = read.subject, read.object, read.bare
    events = tuple(e for terms in read.events if (e := _expression(terms)))
    named = [
        w[: max(MIN_LABEL_WORD, len(w) - 2)]
        for w in re.findall(r"[a-z]+", label.casefold())
        if len(w) >= MIN_LABEL_WORD and w not in _GENERAL
    ]
    texts = _phrase_texts(property_id)
    phrases, by_object = (
        "\n".join((label, *texts)),
        any("by {o}" in t for t in texts) and not any("by {s}" in t for t in texts),
    )
    if object_:
        return RelationWords(
            subject=_expression(subject),
            object=_expression(object_),
            bare=bare,
            events=events,
            hints=(label,),
            phrases=phrases,
            by_object=by_object,
        )
    both = _expression([*subject, *named, *_phrase_words(property_id)])
    hints = [t for t in (subject or _phrase_words(property_id)) if t.replace(" ", "").isalpha()][
        :MAX_HINTS
    ]
    return RelationWords(
        subject=both,
        object=both,
        bare=bare,
        events=events,
        hints=tuple(dict.fromkeys([label, *hints])),
        phrases=phrases,
        by_object=by_object,
    )


@functools.cache
def _phrase_words(property_id: str) -> tuple[str, ...]:
    """The words by which the graph writer says a relation: what its ends are called, and of its sentences the verb, or what follows "was"."""
    if relation(property_id).say is None:
        return ()
    verbs, found = verb_forms(LANGUAGE), list[str]()
    for phrase in variants(property_phrase(property_id)):
        found += [*phrase.o, *phrase.s]
        for frame in phrase.say:
            base = verbs.bases.get(frame.verb, frame.verb)
            forms = dict.fromkeys(
                (
                    frame.verb,
                    base,
                    *(v for v, b in verbs.bases.items() if b == base),
                    verbs.participles.get(frame.verb, frame.verb),
                )
            )
            rest = re.sub(r"^(?:the|an?) ", "", frame.middle)
            if frame.verb in BE or base == "have":
                found += [rest] if rest else []
            elif (
                base in _COMMON_VERBS
            ):  # they say a relation only with what follows: "came out in", "belongs to"
                found += [
                    f"{form} {frame.middle or frame.preposition}".strip()
                    for form in forms
                    if frame.middle or frame.preposition
                ]
            else:
                found += [rf"{form}(?!\w)" for form in forms]
    return tuple(dict.fromkeys(found))


def _phrase_texts(property_id: str) -> list[str]:
    if relation(property_id).say is None:
        return []
    verbs = verb_forms(LANGUAGE)
    return [
        text
        for p in variants(property_phrase(property_id))
        for text in (
            *p.o,
            *p.s,
            *p.ask,
            *p.ask_shown,
            p.measure,
            *p.predicates("s", verbs),
            *p.predicates("o", verbs),
        )
    ]


def telling_words(text: str) -> tuple[str, ...]:
    """The words of a text that plainly tell some relation.

    >>> telling_words("the church in Merren that was closed for ever by its architect")
    ('closed', 'architect')
    """
    plain = _plain(text)
    return tuple(dict.fromkeys(plain[start:end] for start, end in _spans(_telling(), plain)))


def unsupported_words(
    text: str,
    relations: list[RelationWords],
    sources: list[str],
    kinds: frozenset[str] = frozenset(),
) -> tuple[str, ...]:
    """The telling words that neither a relation of the evidence nor one of its texts has.

    >>> painter = frozenset({"painter"})
    >>> [unsupported_words(f"Where did {who} live?", [], [], painter) for who in ("the painter", "its painter", "the painter of the view")]
    [(), ('painter',), ('painter',)]
    >>> founder = [relation_words("P112", "founded by")]
    >>> [unsupported_words(f"It was {done} by a painter.", founder, [], painter) for done in ("founded", "seen")]
    [(), ('painter',)]

    Args:
        text: a question or description.
        relations: those that it may speak of.
        sources: texts that it may take words from: cited sentences, labels of classes and things.
        kinds: words for what the things are: one says no relation where it stands by itself.
    """
    plain, known = _plain(text), _plain("\n".join(sources))
    covered = _covered(plain, relations)
    found = [
        plain[start:end]
        for start, end in _spans(_telling(), plain)
        if not any(start < last and first < end for first, last in covered)
        and not (
            plain[start:end].removesuffix("s") in kinds and not _related(plain, start, end, covered)
        )
    ]
    return tuple(
        w for w in dict.fromkeys(found) if not re.search(rf"(?<!\w){re.escape(w[:5])}", known)
    )


def _related(plain: str, start: int, end: int, covered: list[tuple[int, int]]) -> bool:
    """Whether a word for somebody says a relation to what stands beside it; not where "by" belongs to another relation: "founded by a painter"."""
    before = _RELATED_BEFORE.search(plain[:start])
    told = (
        before is not None
        and before[0].startswith("by")
        and any(last == before.start() - 1 for _, last in covered)
    )
    return bool((before and not told) or _RELATED_AFTER.match(plain[end:]))


def unsaid_events(
    text: str, relation: RelationWords, others: list[RelationWords], pages: str
) -> tuple[str, ...]:
    """The words of a text that tell an event of the relation which the pages do not tell, and no other relation of the evidence.

    >>> inception = relation_words("P571", "inception")
    >>> unsaid_events("In which year was the town founded?", inception, [], "It is first recorded as a town in 1260.")
    ('founded',)
    >>> unsaid_events("In which year was the tower built?", inception, [], "The tower was put up in 1850.")
    ()
    """
    plain, covered = _plain(text), _covered(_plain(text), others)
    told = [event for event in relation.events if not event.search(_plain(pages))]
    spans = sorted({span for event in told for span in _spans(event, plain)})
    return tuple(
        dict.fromkeys(
            plain[start:end]
            for start, end in spans
            if not any(start < last and first < end for first, last in covered)
        )
    )


def tells_relation(word: str, relations: list[RelationWords]) -> bool:
    """Whether a word is one by which one of the relations is said: "architect"."""
    return bool(_covered(_plain(word), relations))


def find_relation_spans(text: str, relations: list[RelationWords]) -> list[tuple[int, int]]:
    """Where a text has words of the relations, of either end."""
    return _covered(_plain(text), relations)


def _covered(plain: str, relations: list[RelationWords]) -> list[tuple[int, int]]:
    return [
        span
        for r in relations
        for p in (r.subject, r.object)
        if p is not None
        for span in _spans(p, plain)
    ]


def _spans(pattern: re.Pattern[str], plain: str) -> list[tuple[int, int]]:
    """Where a pattern stands, each time to the end of its last word."""
    ends = re.compile(r"\w*")
    return [(m.start(), ends.match(plain, m.end()).end()) for m in pattern.finditer(plain)]  # type: ignore[union-attr]
