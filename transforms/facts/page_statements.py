"""What the sentences of a page say about other things: the links of a page, and the ends of a
sentence clause. A sentence clause is a step that no claim states."""

import re

from questloom.language.names_in_text import stands_in
from questloom.records.form import Clause, SentenceClause
from questloom.records.knowledge import Article, Value
from questloom.transforms.facts.lookups import Facts, languages_of
from questloom.transforms.remembered import remembered

MIN_WORD = 4
"""Minimum number of letters of the word that names a relation. "is in" names none."""


def telling_word(relation: str) -> str:
    """The first word of a relation that says more than "is in".

    >>> telling_word("was restored in 1850 by"), telling_word("is in")
    ('restored', '')
    """
    words = re.findall(r"[^\W\d]+", relation.casefold())
    return next((w for w in words if len(w) >= MIN_WORD or not w.isascii()), "")


@remembered()
def linked_things(facts: Facts, thing: str) -> tuple[str, ...]:
    """The other things to whose pages a thing's page links, sorted."""
    article = facts.article(thing)
    titles = {link.target for link in article.links} if article is not None else set()
    found = {facts.entity_of_title(title) for title in titles}
    return tuple(sorted(e for e in found if e and e != thing))


def objects_of(facts: Facts, clause: SentenceClause, subject: str) -> tuple[str, ...]:
    """The things that may be the object of a sentence clause for a given subject.

    For the thing whose page has the sentence, this is the one thing that the sentence names. Nobody
    has read the pages of other things for this relation; each thing to which such a page links may
    be the object.
    """
    article = facts.article(subject)
    if article is None:
        return ()
    if article.id == clause.article_id:
        return (clause.target,) if clause.target else ()
    return linked_things(facts, subject)


def sentence_of(facts: Facts, clause: SentenceClause, subject: str) -> Article | None:
    """The page of a clause's subject, if the clause's sentence stands there word for word; else
    None."""
    article = facts.article(subject)
    if (
        article is None
        or (article.id, article.revision) != (clause.article_id, clause.revision)
        or not 0 <= clause.section < len(article.sections)
        or not clause.text
        or article.sections[clause.section].text[clause.start : clause.end] != clause.text
    ):
        return None
    return article


@remembered()
def names_in_sentence(facts: Facts, clause: SentenceClause, subject: str, thing: str) -> bool:
    """Whether a clause's sentence, on the page of the given subject, links to a thing or contains
    one of the thing's names."""
    article, about = facts.article(subject), facts.article(thing)
    if about is not None and any(
        link.target == about.title
        and link.section == clause.section
        and clause.start <= link.sentence_start < clause.end
        for link in (article.links if article is not None else ())
    ):
        return True
    return any(stands_in(name, clause.text) for name in _names(facts, thing))


@remembered()
def names_on_page(facts: Facts, subject: str, thing: str) -> bool:
    """Whether the page of a subject links to a thing or contains one of the thing's names."""
    article = facts.article(subject)
    if article is None:
        return False
    texts = [*(s.text for s in article.sections), *(f.text for f in article.infobox)]
    return thing in linked_things(facts, subject) or any(
        stands_in(name, text) for name in _names(facts, thing) for text in texts
    )


def leads_to_target(clause: Clause, known: Value) -> bool:
    """Whether a clause leads from a known subject to the object that its sentence names."""
    return isinstance(clause, SentenceClause) and clause.target not in ("", known.entity)


def rival_status(facts: Facts, rival: str, clause: SentenceClause, known: Value) -> str:
    """Compares a rival with a sentence clause whose one end is known: "match", "contradicted" or
    "gap".

    The readers of the page said that the subject has one such object only. Another thing that the
    same sentence names may be meant by the sentence. Another thing that the page names elsewhere is
    a gap. Nobody read the page of another subject, so another subject is always a gap.
    """
    if not leads_to_target(clause, known):
        return "gap"
    if names_in_sentence(facts, clause, known.entity, rival):
        return "match"
    return "gap" if names_on_page(facts, known.entity, rival) else "contradicted"


def _names(facts: Facts, thing: str) -> tuple[str, ...]:
    entity = facts.entity(thing)
    return tuple(n for n in entity.names(languages_of(facts)) if len(n) > 2) if entity else ()
