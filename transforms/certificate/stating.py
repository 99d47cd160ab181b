"""Finds where an encyclopedia states a claim.

A sentence on the page of the subject or the object states the claim if it has the relation and
names the other of the two. If there is no such sentence, a line of the subject's infobox may state
the claim.

A page that only names a value (`evidence.is_named`) proves less: "Vess Tower stands beside Lake
Orm" names the lake, but does not say who dug it. The words for relations are those with which the
oracle (a solver without a model) reads pages (`agent/oracle/relation_words.py`). Therefore the
oracle can find the evidence on the page.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from questloom.agent.oracle.relation_words import Cue, Cues, Relation, cues_of
from questloom.knowledge.dates import day_of
from questloom.language.date_words import date_words, is_ordinal_stop
from questloom.language.english import MONTHS
from questloom.language.sentences import tells
from questloom.records.knowledge import Article, Claim, Value, entity_value
from questloom.transforms.certificate.text_veto import spellings
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.remembered import remembered

Stated = Literal["sentence", "infobox", "no"]
STATEMENTS_KEPT = 8_192
"""Maximum number of statements that are remembered; each keeps its article in memory."""


@dataclass(frozen=True, kw_only=True)
class Statement:
    """The place where a page states a claim."""

    article: Article
    section: int
    """Number of the section, from 0; -1 for the infobox."""
    start: int = -1
    end: int = -1
    text: str
    """The sentence, or the infobox line as "parameter: value"."""

    @property
    def kind(self) -> Stated:
        """Whether a sentence or the infobox states the claim."""
        return "infobox" if self.section < 0 else "sentence"


@remembered(STATEMENTS_KEPT)
def statement_of(facts: Facts, claim: Claim) -> Statement | None:
    """The first sentence that states a claim, on the page of the subject or of the object. If there
    is no such sentence, the line of the subject's infobox; else None.

    If the value is a day, a text with the whole day is preferred. For example, "17 September 1915"
    in the infobox is better than "(1846–1915)" in a sentence.
    """
    info = facts.property(claim.property)
    label = info.label(facts.edition) if info else claim.property
    cues = cues_of(
        Relation(
            property=claim.property,
            label=label,
            datatype=info.datatype if info else "wikibase-item",
        ),
        facts.edition,
    )
    own = facts.article(claim.subject)
    if own is not None and (day := _written_days(claim.value, facts.edition)):
        whole = _first_with(facts, own, claim.value, cues.subject, day) or _infobox(own, cues, day)
        if whole is not None:
            return whole
    about_object = facts.article(claim.value.entity) if claim.value.kind == "entity" else None
    found: Statement | None = None
    if own is not None:
        found = _first_with(facts, own, claim.value, cues.subject, spellings(facts, claim.value))
    if found is None and about_object is not None:
        subject = entity_value(claim.subject)
        found = _first_with(facts, about_object, subject, cues.object, spellings(facts, subject))
    if found is None and own is not None:
        found = _infobox(own, cues, spellings(facts, claim.value))
    return found


def _written_days(value: Value, language: str) -> tuple[str, ...]:
    """The forms in which texts of a language write a day; empty for a value that is no day."""
    day = day_of(value)
    if day is None:
        return ()
    if language != "en":
        return (date_words(day.year, day.month, day.day, language),)
    month = MONTHS[day.month - 1]
    return (f"{day.day} {month} {day.year}", f"{month} {day.day}, {day.year}")


def _first_with(
    facts: Facts, article: Article, value: Value, cues: tuple[Cue, ...], names: tuple[str, ...]
) -> Statement | None:
    """The first sentence that has a word for the relation on the correct side of the value (before
    or after it)."""
    target = facts.article(value.entity) if value.kind == "entity" else None
    links = {
        (link.section, link.sentence_start)
        for link in article.links
        if target is not None and link.target == target.title
    }
    for number, section in enumerate(article.sections):
        for start, end in sentences(section.text):
            text = section.text[start:end]
            if not tells(text):
                continue
            spots = _spots(text, names)
            linked = any(n == number and start <= at < end for n, at in links)
            for cue in cues:
                for found in cue.words.finditer(text):
                    if (linked and not spots) or any(
                        spot >= found.end() if cue.after else spot < found.start() for spot in spots
                    ):
                        return Statement(
                            article=article, section=number, start=start, end=end, text=text
                        )
    return None


def _infobox(article: Article, cues: Cues, names: tuple[str, ...]) -> Statement | None:
    wanted = set(map(_key, cues.keys))
    for field in article.infobox:
        if _key(field.name) in wanted and _spots(field.text, names):
            return Statement(article=article, section=-1, text=f"{field.name}: {field.text}")
    return None


def _key(name: str) -> str:
    return re.sub(r"[\s-]", "_", name.strip().casefold())


def _spots(text: str, names: tuple[str, ...]) -> list[int]:
    """The positions at which a text contains one of the names as whole words."""
    return [
        found.start()
        for name in names
        for found in re.finditer(rf"(?<![\w.,]){re.escape(name)}(?!\w)", text)
    ]


def sentences(text: str) -> Iterator[tuple[int, int]]:
    """The start and end of each sentence in a text. A sentence ends at a newline, or at a full stop
    that is followed by a space and a capital.

    >>> text = "Built in 1850 by A. Lund. It fell.\\nNobody knows why."
    >>> [text[start:end] for start, end in sentences(text)]
    ['Built in 1850 by A. Lund.', 'It fell.', 'Nobody knows why.']
    """
    for line in re.finditer(r"[^\n]+", text):
        start = line.start()
        for stop in re.finditer(
            r"(?<!\b[A-Z])[.!?][\"'”)]*(?=\s+[\"'“(]?[A-ZÀ-Ý0-9])", line.group()
        ):
            end = line.start() + stop.end()
            if is_ordinal_stop(text, end - 1):
                continue
            yield start, end
            start = end + len(text[end:]) - len(text[end:].lstrip(" "))
        if start < line.end():
            yield start, line.end()
