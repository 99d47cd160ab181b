"""Evidence: the claim behind each hop with its revision, and the place where an encyclopedia states
the claim."""

from math import inf

from questloom.records.form import ClaimClause, Form, Fuzzy, SentenceClause
from questloom.records.knowledge import Article, Claim, entity_value
from questloom.records.synthesis import Hop
from questloom.transforms.certificate.description import distances
from questloom.transforms.certificate.execute import Binding, resolve
from questloom.transforms.certificate.stating import statement_of
from questloom.transforms.certificate.text_veto import article_names, names_of, spellings
from questloom.transforms.facts.fuzzy import claims_behind
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.facts.page_statements import names_in_sentence, sentence_of
from questloom.transforms.facts.values import is_volatile, values_match


def claim_of(facts: Facts, clause: ClaimClause, binding: Binding) -> Claim | None:
    """The best claim that supports a clause with the given values; None if there is none."""
    subject, value = resolve(clause.subject, binding), resolve(clause.object, binding)
    if subject is None or value is None:
        return None
    matching = [
        c
        for c in facts.claims(subject.entity)
        if c.property == clause.property
        and c.best
        and c.value.kind not in ("somevalue", "novalue")
        and values_match(facts, clause.property, value, c.value)
    ]
    exact = [c for c in matching if c.value.key() == value.key()]
    return min(exact or matching, key=lambda c: c.id, default=None)


def is_named(facts: Facts, claim: Claim) -> bool:
    """Whether the subject's page names the value, or the value's page names the subject. If neither
    page names the other thing, no reader could learn the claim."""
    value = claim.value
    article = facts.article(claim.subject)
    if article is not None and article_names(facts, article, value, spellings(facts, value)):
        return True
    subject = entity_value(claim.subject)
    other = facts.article(value.entity) if value.kind == "entity" else None
    return other is not None and article_names(facts, other, subject, names_of(facts, subject))


def evidence_clauses(
    form: Form, facts: Facts, binding: Binding
) -> tuple[ClaimClause | SentenceClause, ...]:
    """The claims and sentences that support the clauses of a logical form, in the order of the
    clauses. For a vague clause, the claims behind the clause are given."""
    return tuple(
        said
        for c in form.clauses
        if isinstance(c, ClaimClause | SentenceClause | Fuzzy)
        for said in (claims_behind(facts, c, binding) if isinstance(c, Fuzzy) else (c,))
    )


def _claims_told(form: Form, facts: Facts, binding: Binding) -> tuple[Claim, ...]:
    claims = (
        claim_of(facts, c, binding)
        for c in evidence_clauses(form, facts, binding)
        if isinstance(c, ClaimClause)
    )
    return tuple(c for c in claims if c is not None)


def unstated(form: Form, facts: Facts, binding: Binding) -> tuple[Claim, ...]:
    """The claims of a logical form that no page supports: the subject's page does not name the
    object, and the object's page does not name the subject."""
    return tuple(c for c in _claims_told(form, facts, binding) if not is_named(facts, c))


def volatile_claims(form: Form, facts: Facts, binding: Binding) -> tuple[Claim, ...]:
    """The claims of a logical form that may become wrong with time. A question does not state the
    day on which its answer is true. Therefore a question must not depend on claims that may become
    wrong."""
    return tuple(c for c in _claims_told(form, facts, binding) if is_volatile(facts, c))


def _told_on(facts: Facts, clause: SentenceClause, binding: Binding) -> Article | None:
    """The page that supports a sentence clause. None if the sentence does not stand on the
    subject's page, if it does not name the object, or if no reply of a model states the
    relation."""
    about, value = binding.get(clause.subject), resolve(clause.object, binding)
    if about is None or value is None or clause.votes < 1 or value.entity != clause.target:
        return None
    article = sentence_of(facts, clause, about.entity)
    if article is None or not names_in_sentence(facts, clause, about.entity, clause.target):
        return None
    return article


def evidence(form: Form, facts: Facts, binding: Binding) -> tuple[Hop, ...] | None:
    """One hop for each claim and sentence of the logical form, from the picture to the answer. The
    result is None if a hop has no evidence."""
    depth = distances(form)
    hops = []
    if not all(claims_behind(facts, c, binding) for c in form.of(Fuzzy)):
        return None
    for clause in evidence_clauses(form, facts, binding):
        if isinstance(clause, SentenceClause):
            article = _told_on(facts, clause, binding)
            if article is None:
                return None
            hops.append(
                Hop(
                    source=clause.subject,
                    target=clause.object if isinstance(clause.object, str) else "",
                    evidence=clause.text,
                    stated="sentence",
                    page=article.title,
                    revision=clause.revision,
                    article_id=clause.article_id,
                    section=clause.section,
                    start=clause.start,
                    end=clause.end,
                )
            )
            continue
        claim = claim_of(facts, clause, binding)
        if claim is None:
            return None
        ends = [t if isinstance(t, str) else "" for t in (clause.subject, clause.object)]
        # A hop leads towards the asked variable, so it starts at the end that lies farther from it.
        reverse = depth.get(ends[0], inf) < depth.get(ends[1], inf)
        hop = Hop(
            source=ends[1] if reverse else ends[0],
            target=ends[0] if reverse else ends[1],
            property=clause.property,
            reverse=reverse,
            claim_id=claim.id,
            revision=claim.revision,
            stated="no",
        )
        said = statement_of(facts, claim)
        if said is not None:
            hop = hop.replace(
                stated=said.kind,
                page=said.article.title,
                article_id=said.article.id,
                section=said.section,
                start=said.start,
                end=said.end,
                evidence=said.text,
            )
        hops.append(hop)
    return tuple(
        sorted(hops, key=lambda h: (-depth.get(h.source, inf), h.source, h.target, h.property))
    )


def num_hops(form: Form) -> int:
    """Number of claims, sentences and later pictures on the way from the picture to the asked
    variable. The step to the value that is asked for counts too.

    A claim that only connects a thing with a named thing or value is a clue, not a hop. Clauses
    that do not connect to the asked variable do not count.
    """
    near = distances(form)
    edges = [c for c in form.clauses if isinstance(c, ClaimClause | SentenceClause)]
    return sum(
        isinstance(c.subject, str) and isinstance(c.object, str) and c.subject in near
        for c in edges
    ) + sum(c.of in near for c in form.later_reads)
