"""Decides whether English words state a relation, and whether they say it about the subject or the
object.

The value of a claim in a text proves little: "designed by Ivo Mersk" and "buried beside Ivo Mersk"
contain the same name. The words around a cited value are therefore compared with the entries `read`
in `language/relations.yaml`. A table of another language (`language/relations.de.yaml`) has the
beginnings of words that state a relation, about either end. The votes of readers decide the rest.
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
"""A word in a property's label can state the relation if it has at least this number of letters."""
MAX_HINTS = 6

_RELATED_BEFORE = re.compile(
    r"(?:'s|s'|\b(?:its|his|her|their|whose|by|by an?|by the|by that|by this))\s+$"
)
_RELATED_AFTER = re.compile(r"\s+(?:of|for|to)\b")
"""Matches the text after a noun for a role. The noun states a relation if this text follows it:
"the painter of the view"."""
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
    """The words that state a relation: one pattern for words about the subject (such as "designed
    by"), and one pattern for words about the object. A pattern is None if no words are known."""

    subject: re.Pattern[str] | None
    object: re.Pattern[str] | None
    bare: bool
    """Whether the value alone can state the relation, without words for the relation."""
    events: tuple[re.Pattern[str], ...] = ()
    """For a relation that names no particular event ("inception"), the words for each possible
    event. A text may state an event only if a page states the event."""
    hints: tuple[str, ...] = ()
    phrases: str = ""
    """The relation's label, and the sentences and questions of the graph writer. A model may copy
    the label, the sentences and the questions."""
    by_object: bool = False
    """Whether the object of the relation is the one who acts. "Designed by", for example, is said
    about the subject, and the object did the designing."""

    def is_stated(self, text: str, *, of_object: bool) -> bool:
        """Whether the text states the relation about its subject or, with `of_object`, about its
        object."""
        pattern = self.object if of_object else self.subject
        return (
            pattern is None
            or bool(pattern.search(_plain(text)))
            or (self.bare and not telling_words(text))
        )

    def done_by(self, text: str, subject: Iterable[str]) -> bool:
        """Whether the text swaps subject and object, so that the subject becomes the agent: "Which
        architect was designed by the cathedral?"."""
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
def relation_words(property_id: str, label: str, language: str = LANGUAGE) -> RelationWords:
    """The words that state a property, from the language's table of relations. In English, if the
    words need not show the direction of the relation, words from the property's label and from the
    graph writer's sentences are added.

    >>> burial = relation_words("P119", "place of burial")
    >>> burial.is_stated("the cathedral where Napoleon is buried", of_object=True), burial.is_stated("the cathedral designed by Napoleon", of_object=True)
    (True, False)
    >>> relation_words("P2632", "place of detention").is_stated("In which castle was Ada Orm imprisoned?", of_object=True)
    True
    """
    read = relation(property_id, language).read or ReadTerms(subject=())
    if language != LANGUAGE:
        found = _expression([term.casefold() for term in read.subject])
        plain = [t for t in read.subject if t.replace(" ", "").isalpha()][:MAX_HINTS]
        told = tuple(dict.fromkeys([label, *plain]))
        return RelationWords(subject=found, object=found, bare=read.bare, hints=told)
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
    """The graph writer's words for a relation: the nouns for its two ends, and the verbs of its
    sentences. For a sentence with "was", the words after "was" are used in place of the verb."""
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
            ):  # these verbs state a relation only with the next word: "came out in", "belongs to"
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
    """The words of a text that clearly state some relation.

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
    """The relation words of a text that occur in no relation of the evidence and in no source.

    >>> painter = frozenset({"painter"})
    >>> [unsupported_words(f"Where did {who} live?", [], [], painter) for who in ("the painter", "its painter", "the painter of the view")]
    [(), ('painter',), ('painter',)]
    >>> founder = [relation_words("P112", "founded by")]
    >>> [unsupported_words(f"It was {done} by a painter.", founder, [], painter) for done in ("founded", "seen")]
    [(), ('painter',)]

    Args:
        text: a question or description.
        relations: the relations that the text may state.
        sources: texts from which words may come, such as cited sentences and labels of classes and
            things.
        kinds: words for the kinds of the things. A word for a kind does not state a relation if it
            stands alone.
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
    """Whether a noun for a role ("painter") states a relation to its neighbour in the text. The
    noun does not state a relation after the "by" of another relation: "founded by a painter"."""
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
    """The words of a text that state an event of the relation, although neither the pages nor
    another relation of the evidence states this event.

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
    """Whether a single word ("architect") states one of the relations."""
    return bool(_covered(_plain(word), relations))


def find_relation_spans(text: str, relations: list[RelationWords]) -> list[tuple[int, int]]:
    """The spans of a text that contain words for one of the relations, about its subject or its
    object."""
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
    """The spans of a text that match a pattern. Each span is extended to the end of its last
    word."""
    ends = re.compile(r"\w*")
    return [(m.start(), ends.match(plain, m.end()).end()) for m in pattern.finditer(plain)]  # type: ignore[union-attr]
