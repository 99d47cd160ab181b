"""What a rewriting must keep, and what it does to the form.

A model rewrites the words; code rewrites the form beside them. So that the two stay one question, the new words are
held against the old ones: every number and every name that was not to be hidden must still be there.
"""

import re

from questloom.language.names_in_text import folded
from questloom.records.form import ClaimClause, ClassClause, Clause, SentenceClause
from questloom.records.knowledge import Value, entity_value
from questloom.transforms.writing.form_edits import SELF
from questloom.transforms.writing.llm.material import (
    MIN_STEM,
    SentenceLine,
    linked_entities,
    names_stand,
)
from questloom.transforms.writing.writer import Draft, Fact

_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")


def check_kept(
    store,
    before: Draft,
    after: str,
    surface: str,
    facts: tuple[Fact, ...],
    hidden: str,
    languages: tuple[str, ...],
) -> None:
    """Holds a rewritten question against what it was made from.

    Args:
        store: for the names of entities.
        before: the draft.
        after: the new words.
        surface: the name that was to go; "" where the entity was not named.
        facts: what was to take its place.
        hidden: the entity that was to go.
        languages: whose names are compared.

    Raises:
        ValueError: with words for the model: the name still stands there, or a number, a name or the picture is lost.
    """
    if surface and names_stand(after, surface):
        raise ValueError(f'the question still contains "{surface}"')
    wanted = set(_DIGITS.findall(before.text.replace(surface, " ") if surface else before.text))
    wanted.update(d for fact in facts for d in _DIGITS.findall(fact.text))
    lost = sorted(wanted - set(_DIGITS.findall(after)))
    if lost:
        raise ValueError(f"the question has lost {', '.join(lost)}")
    if before.anchor_phrase and not standing(after, before.anchor_phrase):
        raise ValueError(
            f'the question has lost its reference to the picture, "{before.anchor_phrase}"'
        )
    clauses = (
        *(before.form.clauses if before.form else ()),
        *(c for fact in facts for c in fact.clauses),
    )
    for entity_id in _named(clauses):
        entity = store.entity(entity_id)
        if entity is None or entity_id == hidden:
            continue
        names = entity.names(languages)
        said = [
            n
            for n in names
            if names_stand(before.text, n) or any(names_stand(f.text, n) for f in facts)
        ]
        if said and not any(names_stand(after, n) for n in names):
            raise ValueError(f'the question no longer names "{max(said, key=len)}"')


def check_supported(text: str, sources: list[str]) -> None:
    """Holds a description against the lines that it cites: every number, and a word or number of every line, must be shared.

    It catches wrong citations, not false words; those are for the votes.

    Raises:
        ValueError: with words for the model.
    """
    lost = sorted(
        set(_DIGITS.findall(text)) - {d for source in sources for d in _DIGITS.findall(source)}
    )
    if lost:
        raise ValueError(f"no cited line says {', '.join(lost)}, as {text!r} does")
    words = folded(text).split()
    for source in sources:
        # An inflected language changes a word's end; a language without blanks has no words to compare.
        parts = [w for w in folded(source).split() if len(w) >= MIN_STEM or w.isdigit()]
        if len(parts) > 3 and not any(
            w.startswith(p[:MIN_STEM]) if not p.isdigit() else w == p for p in parts for w in words
        ):
            raise ValueError(f"{text!r} has nothing to do with the cited line {source!r}")


def _named(clauses: tuple[Clause, ...]) -> tuple[str, ...]:
    found = [
        t.entity
        for c in clauses
        if isinstance(c, ClaimClause | SentenceClause)
        for t in (c.subject, c.object)
        if isinstance(t, Value) and t.kind == "entity"
    ]
    return tuple(dict.fromkeys(found))


def clauses_of(store, fact: Fact, after: str) -> tuple[Clause, ...]:
    """A fact's clauses over `SELF`: its claims', and one for each further entity that its sentence links and the question names.

    A class alone describes nothing: then there are none, and the step is for votes.
    """
    found = list(fact.clauses)
    said = set(_named(fact.clauses))
    if fact.article_id:
        line = SentenceLine(
            text=fact.sentence, section=fact.section, start=fact.start, end=fact.end
        )
        for entity_id, names in linked_entities(store, store.article(fact.entity_id), line):
            if entity_id not in (*said, fact.entity_id) and any(
                names_stand(after, n) for n in names
            ):
                said.add(entity_id)
                found.append(
                    SentenceClause(
                        subject=SELF,
                        object=entity_value(entity_id),
                        article_id=fact.article_id,
                        revision=fact.revision,
                        section=fact.section,
                        start=fact.start,
                        end=fact.end,
                        text=fact.sentence,
                    )
                )
    return () if all(isinstance(c, ClassClause) for c in found) else tuple(found)


def standing(text: str, phrase: str) -> str:
    """A phrase as it stands in a text, where it may begin a sentence now; "" where it does not stand there."""
    match = re.search(re.escape(phrase), text, re.IGNORECASE) if phrase else None
    return match[0] if match else ""
