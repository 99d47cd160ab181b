"""Cited claims held against the words that are to state them, and answers held against the claims that speak of the same."""

from collections.abc import Callable, Sequence
from typing import TypeVar

from questloom.language.names_in_text import folded, leaked, names_of_entity
from questloom.prompts.replies import CitedClaim, Description
from questloom.records.form import ClassClause, Clause
from questloom.transforms.certificate.kinds import stated_kinds
from questloom.transforms.writing.llm.everyday_words import find_role_nouns
from questloom.transforms.writing.llm.kind_clauses import find_descriptor_words, kind_clause
from questloom.transforms.writing.llm.material import ClaimLine, Material, property_label, states
from questloom.transforms.writing.llm.question_checks import (
    check_kinds,
    check_language,
    check_names,
    check_plain,
    check_relations,
    check_words,
)
from questloom.transforms.writing.llm.relation_words import (
    LANGUAGE,
    relation_words,
    telling_words,
    unsupported_words,
)
from questloom.transforms.writing.llm.rewriting import check_supported
from questloom.transforms.writing.writer import Fact

Item = TypeVar("Item")
Made = TypeVar("Made")
MAX_COMPLAINTS = 2
OPEN = "mend what can be mended; if nothing can, reply with an empty list"


def each(items: Sequence[Item], read: Callable[[Item], Made], otherwise: str = OPEN) -> list[Made]:
    """What can be read of a reply's items; those that do not fit are left out. `otherwise` says what is open where none fits.

    Raises:
        ValueError: none fits, with what is wrong with each, by its number where there are several.
    """
    made, wrong = [], dict[str, list[int]]()
    for number, item in enumerate(items, start=1):
        try:
            made.append(read(item))
        except ValueError as error:
            wrong.setdefault(str(error), []).append(number)
    if wrong and not made:
        said = [
            f"number {' and '.join(map(str, numbers))} of your list: {error}"
            if len(items) > 1
            else error
            for error, numbers in wrong.items()
        ]
        raise ValueError("; ".join((*said[:MAX_COMPLAINTS], otherwise)))
    return made


def check_relation_stated(
    store, line: ClaimLine, words: str, language: str, within: tuple[str, int] | None = None
) -> None:
    """Raises ValueError, with words for the model, where English words do not say the cited relation of the thing described.

    `within` is the text that they stand in, and where: of several values one verb may serve all.
    """
    if language != LANGUAGE or line.claim.property == "P31":
        return
    relation = relation_words(
        line.claim.property, property_label(store, line.claim.property, LANGUAGE)
    )
    end = store.entity(line.claim.subject) if line.inverse else None
    if end is not None and relation.turned_at(words, end.names((LANGUAGE,))):
        raise ValueError(f'"{words}" says "{line.words}" in the other direction')
    before = (
        within is not None
        and not telling_words(words)
        and relation.is_stated_before(*within, of_object=line.inverse)
    )
    if not before and not relation.is_stated(words, of_object=line.inverse):
        raise ValueError(
            f'"{words}" does not say "{line.words}", in this direction; use a word such as {", ".join(relation.hints)}'
        )


def around(text: str, cited: list[CitedClaim], at: int) -> str:
    """The part of a description that speaks of one citation: its words, with what lies between them and the others'.

    >>> described = "the painter born in Tolm who died in Merren"
    >>> around(described, [CitedClaim(number=1, words="Tolm"), CitedClaim(number=2, words="Merren")], 1)
    ' who died in Merren'
    """
    spans = [(text.find(c.words), text.find(c.words) + len(c.words)) for c in cited]
    start, end = spans[at]
    before = max((e for i, (_, e) in enumerate(spans) if i != at and e <= start), default=0)
    after = min((s for i, (s, _) in enumerate(spans) if i != at and s >= end), default=len(text))
    return text[before:after]


def fact_of(
    store, described: Description, shown: Material, language: str, called: str = ""
) -> Fact:
    """A description of a reply as a fact, with a clause for each cited claim that its words show.

    `called` are the kinds that the prompt shows behind the thing's name: they may be said without a citation.

    Raises:
        ValueError: the words do not show what is cited, or say it of the other end.
    """
    cited = [shown.claim(c.number) for c in described.claims]
    sources = [line.words for line in cited] + (
        [shown.sentence(described.sentence).text] if described.sentence is not None else []
    )
    check_language_of(described.text, language)
    if hit := leaked(
        described.text, names_of_entity(shown.entity, tuple(dict.fromkeys((language, "en"))))
    ):
        raise ValueError(f'{described.text!r} contains "{hit}", which it is to hide')
    check_supported(described.text, sources)
    known = [
        *sources,
        *(name for line in cited for name in _names(store, line, language)),
        *(store.label(c, language) for c in shown.entity.classes),
    ]
    check_names(described.text, known, language)
    relations = [
        relation_words(line.claim.property, property_label(store, line.claim.property, LANGUAGE))
        for line in cited
    ]
    things = (
        shown.entity.id,
        *(line.claim.subject if line.inverse else line.value.entity for line in cited),
    )
    stated = [kind for thing in things for kind in stated_kinds(store, thing, language)]
    also = frozenset(folded(called).split())
    check_relations(
        described.text, relations, known, language, also.union(*(kind.words for kind in stated))
    )
    # Who is a painter in the brackets, by another work, is not "the painter of" a sculpture.
    told = frozenset(unsupported_words(described.text, [], [], also))
    roles, never = find_role_nouns(
        store,
        [(line.claim.subject, line.claim.property, line.claim.value.entity) for line in cited],
        language,
    )
    told_words = find_descriptor_words(store, things, language) | roles
    check_kinds(described.text, stated, known, relations, language, told_words | also - told, never)
    check_plain(described.text, language)
    check_words(
        described.text,
        relations,
        [*known, called, *(kind.label for kind in stated), *told_words],
        language,
        described.sentence is not None,
    )
    kind = kind_clause(store, shown.entity, described.text, language)
    clauses: list[Clause] = [kind] if kind is not None else []
    unseen: list[str] = []
    for at, (line, citation) in enumerate(zip(cited, described.claims, strict=True)):
        if states(store, line, citation.words, language):
            check_relation_stated(
                store,
                line,
                around(described.text, described.claims, at),
                language,
                (described.text, described.text.find(citation.words)),
            )
            clauses += [line.clause] if line.clause not in clauses else []
        elif line.claim.property != "P31":
            unseen.append(line.words)
    if unseen and described.sentence is None:
        raise ValueError(f"the words of {described.text!r} do not show " + "; ".join(unseen))
    if described.sentence is not None:
        sentence = shown.sentence(described.sentence)
        assert shown.article is not None
        return Fact(
            entity_id=shown.entity.id,
            text=described.text,
            clauses=tuple(clauses),
            sentence=sentence.text,
            article_id=shown.article.id,
            revision=shown.article.revision,
            section=sentence.section,
            start=sentence.start,
            end=sentence.end,
        )
    if all(isinstance(c, ClassClause) for c in clauses):
        raise ValueError(
            f"the words of {described.text!r} do not show what the cited claims say: "
            + "; ".join(line.words for line in cited)
        )
    return Fact(
        entity_id=shown.entity.id,
        text=described.text,
        clauses=tuple(clauses),
        sentence="; ".join(line.words for line in cited),
        revision=max(line.claim.revision for line in cited),
    )


def _names(store, line: ClaimLine, language: str) -> tuple[str, ...]:
    """All names of a claim's other end."""
    entity = (
        store.entity(line.claim.subject if line.inverse else line.value.entity)
        if line.inverse or line.value.kind == "entity"
        else None
    )
    return entity.names(tuple(dict.fromkeys((language, "en")))) if entity is not None else ()


def check_language_of(text: str, language: str) -> None:
    """As `check_language`; a description is too short to be judged where it has fewer than four words."""
    if len(text.split()) > 3:
        check_language(text, language)


def check_one_value(shown: Material, line: ClaimLine) -> None:
    """Raises ValueError where the material lists several values of an asked property."""
    values = {
        c.claim.value.key()
        for c in shown.claims
        if c.claim.property == line.claim.property and not c.inverse
    }
    if len(values) > 1:
        raise ValueError(
            f"the material lists several values like {line.words!r}; ask for something else"
        )


def check_no_claim_against(
    store,
    shown: Material,
    question: str,
    agrees: Callable[[ClaimLine], bool],
    kind: str,
    language: str,
) -> None:
    """Holds an answer that only a sentence states against the claims: a page may be wrong, or written to mislead.

    Raises:
        ValueError: a claim of the relation that the question asks for has another value.
    """
    for line in shown.claims:
        named = ("entity", "string", "monolingual")
        if (
            line.inverse
            or language != LANGUAGE
            or not (line.value.kind == kind or {line.value.kind, kind} <= set(named))
        ):
            continue
        relation = relation_words(
            line.claim.property, property_label(store, line.claim.property, LANGUAGE)
        )
        if (
            len(
                {
                    c.claim.id
                    for c in shown.claims
                    if c.claim.property == line.claim.property and not c.inverse
                }
            )
            > 1
        ):
            continue  # of several values another one contradicts nothing
        if (
            relation.object is not None
            and not relation.bare
            and relation.is_stated(question, of_object=True)
            and not agrees(line)
        ):
            raise ValueError(
                f'the claim "{line.words}" says otherwise; cite it, or ask for something else'
            )
