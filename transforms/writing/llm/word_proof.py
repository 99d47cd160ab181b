"""Checks whether the words of a question say what its form and evidence say. Rules check one part
of the evidence, and a reader confirms the lines of the other part."""

import re
from dataclasses import dataclass

from questloom.language.names_in_text import folded, leaked, names_of_entity
from questloom.language.sentences import sentence_spans
from questloom.prompts.replies import WordsRead
from questloom.records.form import ClaimClause, ClassClause, Compute, Fuzzy, Reads, SentenceClause
from questloom.records.knowledge import Value, value_of_key
from questloom.records.plan import Plan
from questloom.transforms.certificate.description import distances
from questloom.transforms.certificate.evidence import evidence_clauses
from questloom.transforms.certificate.execute import binding_of
from questloom.transforms.certificate.kinds import find_sex_words, stated_kinds
from questloom.transforms.certificate.leak import find_leak
from questloom.transforms.facts.page_statements import telling_word
from questloom.transforms.facts.signs import SIGNS
from questloom.transforms.writing.form_edits import constants
from questloom.transforms.writing.llm.allowed_words import COMPARING, SEEING
from questloom.transforms.writing.llm.everyday_words import find_role_nouns
from questloom.transforms.writing.llm.evidence_words import clause_claim, clause_line, roles_of
from questloom.transforms.writing.llm.kind_words import find_descriptor_words
from questloom.transforms.writing.llm.material import page_words, property_label
from questloom.transforms.writing.llm.question_checks import (
    MIN_STEM,
    check_events,
    check_exactness,
    check_kinds,
    check_language,
    check_names,
    check_plain,
    check_relations,
    check_words,
    other_language,
)
from questloom.transforms.writing.llm.relation_words import LANGUAGE, RelationWords, relation_words
from questloom.transforms.writing.llm.vague_words import check_vague, vague_sources
from questloom.transforms.writing.writer import Draft, Vote, Wording

FAR = 99
_POINTS = {
    LANGUAGE: re.compile(
        r"\b(?:picture|pictured|photo|photograph|image|portrait|shown|seen|here|this|these)\b",
        re.IGNORECASE,
    ),
    "de": re.compile(
        r"\b(?:(?:ab)?bild\w*|foto\w*|(?:ab)?gebildet\w*|gezeigt\w*|zeigt|zu sehen|hier|dies\w*)",
        re.IGNORECASE,
    ),
}
"""Words that point to a picture, by language."""
READING = ("read", "reads", "written", "says", "number")
"""Words for reading. A question that reads the picture but names no part of the thing must contain
a word for reading."""


def relation_of(store, property_id: str, language: str = LANGUAGE) -> RelationWords:
    """The words for a property of the store, in English or in a language with a table."""
    return relation_words(property_id, property_label(store, property_id, language), language)


@dataclass(frozen=True, kw_only=True)
class ProofLine:
    """One fact that a question must state. The fact is a claim or a sentence of a page. For a
    claim, `of_object` tells which end the question describes. A sentence of a page has no property;
    the question must have the first telling word of its `relation`."""

    words: str
    property: str = ""
    of_object: bool = True
    relation: str = ""

    def is_stated(self, store, text: str, language: str = LANGUAGE) -> bool:
        """Whether a text can state the fact about the intended end of the claim. A relation that
        needs no words of its own ("a bridge in Merren") is not checked here.

        If the text has several sentences, the fact may describe either end, since a later sentence
        may ask about it: "The woman shown was taught by an architect; where did …".
        """
        if self.relation:
            return telling_word(self.relation)[:MIN_STEM] in text.casefold()
        relation = relation_of(store, self.property, language) if self.property else None
        ends = (self.of_object,) if len(sentence_spans(text)) == 1 else (True, False)
        return (
            relation is None
            or relation.bare
            or any(relation.is_stated(text, of_object=end) for end in ends)
        )


def proof_lines(store, draft: Draft, language: str) -> tuple[ProofLine, ...]:
    """The facts that the question must state.

    Of the two things of a claim, the question describes the one that lies nearer to the asked
    variable. Classes are left out, because the words that refer to the picture state the kind of
    the pictured thing.
    """
    lines: list[ProofLine] = []
    depth = distances(draft.form)
    for clause in draft.form.clauses:
        if isinstance(clause, ClaimClause):
            ends = [
                depth.get(t, FAR) if isinstance(t, str) else FAR
                for t in (clause.subject, clause.object)
            ]
            lines.append(
                ProofLine(
                    words=clause_line(store, draft, clause, language),
                    property=clause.property,
                    of_object=ends[1] < ends[0],
                )
            )
        elif isinstance(clause, Fuzzy):
            said = clause_line(store, draft, clause, language)
            lines.append(ProofLine(words=said, property=clause.property, of_object=False))
        elif isinstance(clause, SentenceClause | Reads | Compute):
            said = clause_line(store, draft, clause, language)
            lines.append(ProofLine(words=said, relation=getattr(clause, "relation", "")))
    return tuple(dict.fromkeys(lines))


def check_wording(store, plan: Plan, wording: Wording, language: str) -> None:
    """Compares the words of a plan with the plan.

    Raises:
        ValueError: the words do not point to the picture, do not end in the question, or fail
            `check_words_proven`. The error has a message for the model.
    """
    phrase = wording.anchor_phrase
    if language in _POINTS and not _POINTS[language].search(phrase):
        raise ValueError(f'"{phrase}" does not point to the picture; say "this …"')
    sign = SIGNS.get(plan.logical_form.sign, "")
    if language == LANGUAGE and sign not in phrase.casefold():
        raise ValueError(
            f'"{phrase}" does not say that the picture is a {sign}; say "the … with this {sign}"'
        )
    if not wording.text.rstrip().endswith(("?", "？", "؟", ";")):
        raise ValueError("the question does not end in a question; tell first and ask last")
    languages = tuple(dict.fromkeys((language, LANGUAGE)))
    check_words_proven(store, Draft.of(plan, wording.text), language, languages)


def check_words_proven(store, draft: Draft, language: str, languages: tuple[str, ...]) -> None:
    """Compares the words of a draft with its evidence.

    Raises:
        ValueError: the text is in another language, contains a hidden name, or contains a name,
            number or relation without a source; or the text does not state the precision, a name or
            a relation of the form. The error has a message for the model.
    """
    check_language(draft.text, language)
    hidden = {
        var: value
        for var, key in draft.bindings.items()
        if (value := value_of_key(key)).kind == "entity"
    }
    if leak := find_leak(store, {"question": draft.text}, hidden, draft.answer, languages):
        raise ValueError(
            f'the question contains "{leak["name"]}", which {"is the answer" if leak["node"] == "answer" else "it is to hide"}'
        )
    check_exactness(draft.text, draft.answer, language)
    _check_named(store, draft, language, languages)
    sources = _sources(store, draft, language, languages)
    lines = proof_lines(store, draft, language)
    check_names(draft.text, sources, language)
    properties = sorted({line.property for line in lines if line.property})
    relations = [relation_of(store, p) for p in properties]
    stated = [kind for thing in things(draft) for kind in stated_kinds(store, thing, language)]
    roles, never = find_role_nouns(store, roles_of(draft), language)
    also = (
        find_sex_words(draft.form)
        | find_descriptor_words(store, things(draft), language, draft.anchor)
        | roles
    )
    check_relations(
        draft.text, relations, sources, language, also.union(*(kind.words for kind in stated))
    )
    check_kinds(draft.text, stated, sources, relations, language, also, never)
    check_plain(draft.text, language)
    comparing = [COMPARING] if draft.form.of(Compute) else []
    comparing += [SEEING] if draft.form.of(Reads) else []
    check_words(
        draft.text,
        relations,
        [*sources, *comparing, *(kind.label for kind in stated), *also, draft.answer.unit],
        language,
    )
    for property_id in properties:
        pages = [
            page_words(store, clause_claim(store, draft, c))
            for c in _claims(store, draft)
            if c.property == property_id
        ]
        others = [relation_of(store, p) for p in properties if p != property_id]
        check_events(
            draft.text,
            relation_of(store, property_id),
            others,
            " ".join(p for p in pages if '"' in p),
            language,
        )
    _check_agents(store, draft, language)
    _check_work(store, draft, language)
    for line in lines:
        if line.relation and not line.is_stated(store, draft.text, language):
            raise ValueError(
                f'the question does not say "{line.words}"; use the words "{line.relation}"'
            )
        if not line.is_stated(store, draft.text, language):
            raise ValueError(
                f'the question does not say "{line.words}", in this direction; use a word such as '
                + ", ".join(relation_of(store, line.property, language).hints)
            )


def _claims(store, draft: Draft) -> tuple[ClaimClause, ...]:
    """The claims of a draft's form, including the claims behind vague clues."""
    told = evidence_clauses(draft.form, store, binding_of(draft.bindings))
    return tuple(c for c in told if isinstance(c, ClaimClause))


def _check_named(store, draft: Draft, language: str, languages: tuple[str, ...]) -> None:
    """Raises ValueError if a text lacks the name of a thing that its form names. If the text says
    "born there" in place of a name, other answers fit too."""
    for thing in constants(draft.form):
        entity = store.entity(thing)
        names = names_of_entity(entity, languages) if entity is not None else ()
        if names and not (
            leaked(draft.text, names, languages)
            or any(folded(name) in folded(draft.text) for name in names)
        ):
            raise ValueError(
                f'the question does not name "{store.label(thing, language)}", which has to appear'
            )


def _check_work(store, draft: Draft, language: str) -> None:
    """Raises ValueError if an English text does not state its computation or a vague clue, or does
    not say where in the picture something must be read."""
    if language != LANGUAGE:
        return
    words = set(folded(draft.text).split())
    if draft.form.of(Compute) and not words & {*COMPARING.split()}:
        raise ValueError(
            'the question does not say what is computed; ask as in "how many years lie between … and …" or "how many years older"'
        )
    check_vague(store, draft.form, draft.text, language)
    for clause in draft.form.of(Reads):
        place = store.label(clause.part, language) if clause.part else ""
        said = folded(place or property_label(store, clause.property, language)).split()
        if not words & {*said, *(() if place else READING)}:
            raise ValueError(
                f'the question does not say "{clause_line(store, draft, clause, language)}"'
            )


def _check_agents(store, draft: Draft, language: str) -> None:
    """Raises ValueError if an English text swaps the two ends of a claim: the text says that the
    subject did what the object did."""
    for clause in draft.form.of(ClaimClause) if language == LANGUAGE else ():
        ends = [
            t if isinstance(t, Value) else value_of_key(draft.bindings[t])
            for t in (clause.subject, clause.object)
        ]
        called = [
            {
                w
                for kind in stated_kinds(store, v.entity, language)
                for w in (kind.label, *kind.words)
            }
            if v.entity
            else set()
            for v in ends
        ]
        entity = store.entity(ends[0].entity)
        names = entity.names((language,)) if entity is not None else ()
        if relation_of(store, clause.property).done_by(
            draft.text, (*names, *(called[0] - called[1]))
        ):
            raise ValueError(
                f'the question says "{clause_line(store, draft, clause, language)}" in the other direction'
            )


def _sources(store, draft: Draft, language: str, languages: tuple[str, ...]) -> list[str]:
    found = [line.words for line in proof_lines(store, draft, language)]
    found += [store.label(c.class_id, language) for c in draft.form.of(ClassClause)]
    for thing in things(draft):
        entity = store.entity(thing)
        if entity is not None:
            found += [*entity.names(languages), *(store.label(c, language) for c in entity.classes)]
            found += (
                entity.descriptions.values() if thing == draft.anchor else ()
            )  # everybody sees what a picture shows
    found += vague_sources(draft.form)
    sign = SIGNS.get(draft.form.sign)
    return [*found, sign] if sign else found


def things(draft: Draft) -> tuple[str, ...]:
    """The entities that a draft mentions."""
    things = {
        v.entity for key in draft.bindings.values() if (v := value_of_key(key)).kind == "entity"
    }
    told = (c.object for c in draft.form.of(SentenceClause))
    things.update(t.entity for t in told if isinstance(t, Value))
    return tuple(sorted(things.union(constants(draft.form))))


def words_vote(
    store, draft: Draft, lines: tuple[ProofLine, ...], reply: WordsRead, language: str
) -> Vote:
    """Turns a reader's reply into a vote. The vote is positive only if the reader found every fact
    in fitting words of the question, and found no other fact.

    Raises:
        ValueError: the reply quotes words that the question does not contain, or lines that were
            not shown. The error has a message for the model.
    """
    cited: dict[int, list[str]] = {}
    for said in reply.said:
        if said.words not in draft.text:
            raise ValueError(f'"{said.words}" does not stand in the question; copy the words')
        if not 1 <= said.line <= len(lines):
            raise ValueError(
                f"there is no line {said.line}; the lines are numbered 1 to {len(lines)}"
            )
        cited.setdefault(said.line, []).append(said.words)
    faults = (
        [f"not in the language asked for, {language}"]
        if other_language(draft.text, language)
        else []
    )
    faults += [f'says besides: "{words}"' for words in reply.beyond]
    faults += [
        f"does not say: {line.words}" for n, line in enumerate(lines, start=1) if n not in cited
    ]
    for n, quoted in sorted(cited.items()):
        if not lines[n - 1].is_stated(store, " … ".join(quoted), language):
            faults.append(f'"{quoted[0]}" does not say: {lines[n - 1].words}')
    if draft.answer.type == "date" and reply.precision != draft.answer.precision:
        faults.append(
            f"asks for the {reply.precision or 'date'}, and the answer is exact to the {draft.answer.precision}"
        )
    if reply.wrong:
        faults.append(reply.wrong)
    return Vote(holds=reply.holds and not faults, other="; ".join(faults), why=reply.why)
