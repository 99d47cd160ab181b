"""Puts evidence into words for prompts. Each clause becomes a statement about its intended
things."""

from collections.abc import Iterable

from questloom.language.names_in_text import HUMAN
from questloom.records.form import (
    ClaimClause,
    ClassClause,
    Clause,
    Compare,
    Compute,
    Fuzzy,
    Reads,
    SentenceClause,
    Term,
)
from questloom.records.knowledge import Claim, Entity, Value, value_of_key
from questloom.transforms.certificate.evidence import claim_of
from questloom.transforms.certificate.kinds import stated_kinds
from questloom.transforms.writing.llm.everyday_words import Role, noun_of, role_nouns
from questloom.transforms.writing.llm.kind_words import find_descriptor, noun_phrase, seen_kind
from questloom.transforms.writing.llm.material import page_words, property_label, value_words
from questloom.transforms.writing.llm.relation_words import LANGUAGE
from questloom.transforms.writing.llm.vague_words import vague_line
from questloom.transforms.writing.writer import Draft


def about(
    store, entity: Entity, language: str, roles: Iterable[Role] = (), pictured: bool = False
) -> str:
    """The words that a question may use for a thing's kind. For a person, the words come from
    claims, including the `roles` ("painter", for a painting's creator). For other things, the word
    is a common noun. If the thing is `pictured`, the noun may be more specific."""
    if HUMAN not in (*entity.classes, *entity.class_closure):
        return (seen_kind if pictured else find_descriptor)(store, entity.id, language)
    person = noun_of(store, entity.id, language)
    kinds = (
        person if person and kind.claim.value.entity == HUMAN else kind.label
        for kind in stated_kinds(store, entity.id, language)
    )
    return ", ".join(dict.fromkeys((*kinds, *role_nouns(store, roles, entity.id, language))))


def roles_of(draft: Draft) -> tuple[Role, ...]:
    """The claims of a draft's form that may give a person a role. In the returned claims, the
    intended things replace the variables."""

    def key(term: Term) -> str:
        return term.entity if isinstance(term, Value) else draft.bindings.get(term, "")

    return tuple((key(c.subject), c.property, key(c.object)) for c in draft.form.of(ClaimClause))


def kinds_lines(
    store, entity_ids: Iterable[str], anchor: str, language: str, roles: Iterable[Role] = ()
) -> str:
    """One line for each thing, with the kinds, sexes and occupations that claims state. The line
    also has the `roles` and the common noun for the thing.

    In English, the line of the pictured thing has the beginning of the thing's description, since
    everybody sees the thing's kind.
    """
    found = {
        store.label(e, language): [
            *(k.label for k in stated_kinds(store, e, language)),
            find_descriptor(store, e, language),
            *role_nouns(store, roles, e, language),
        ]
        for e in entity_ids
    }
    shown = store.entity(anchor)
    if shown is not None and language == LANGUAGE:
        found.setdefault(shown.label(language), []).append(
            noun_phrase(shown.descriptions.get(language, ""))
        )
    return (
        "\n".join(
            f"{name}: {', '.join(dict.fromkeys(filter(None, kinds)))}"
            for name, kinds in found.items()
            if any(kinds)
        )
        or "(none)"
    )


def evidence_lines(store, draft: Draft, language: str) -> str:
    """The statements behind a draft: one line for each clause of the form that states something."""
    lines = dict.fromkeys(clause_line(store, draft, c, language) for c in draft.form.clauses)
    return "\n".join(filter(None, lines)) or "(none)"


def clause_claim(store, draft: Draft, clause: ClaimClause) -> Claim | None:
    """The claim behind a clause, with the intended things in place of variables; None if there is
    no such claim."""
    return claim_of(store, clause, {var: value_of_key(key) for var, key in draft.bindings.items()})


def clause_line(store, draft: Draft, clause: Clause, language: str) -> str:
    """The statement of one clause in words; "" for the clause that says what the picture shows."""

    def words(term: Term) -> str:
        value = (
            term
            if isinstance(term, Value)
            else value_of_key(draft.bindings[term])
            if term in draft.bindings
            else None
        )
        return (
            "?"
            if value is None
            else value_words(store, value, language) or value.entity or value.text
        )

    match clause:
        case ClaimClause():
            line = f"{words(clause.subject)} — {property_label(store, clause.property, language)}: {words(clause.object)}"
            return line + page_words(store, clause_claim(store, draft, clause))
        case ClassClause():
            return f"{words(clause.var)} is a kind of: {store.label(clause.class_id, language)}"
        case Fuzzy():
            return vague_line(store, clause, words(clause.subject), words(clause.object), language)
        case Compare():
            return f"{words(clause.left)} {clause.op} {words(clause.right)}"
        case Compute():
            by = f" ({', '.join(words(k) for k in clause.keys)})" if clause.keys else ""
            return f"{words(clause.out)} is the {clause.op} of {', '.join(words(a) for a in clause.args)}{by}"
        case Reads():
            on = f" on the {store.label(clause.part, language)}" if clause.part else ""
            shown = clause.of == draft.form.anchor
            where = "the picture" if shown else f"a picture of {words(clause.of)}"
            return f"Read on {where}, {property_label(store, clause.property, language)}{on}: {words(clause.var)}"
        case SentenceClause():
            said = " ".join(clause.text.split())
            line = f"{words(clause.subject)} — {clause.relation}: {words(clause.object)}"
            return f'{line} (the page: "{said}")'
    return ""
