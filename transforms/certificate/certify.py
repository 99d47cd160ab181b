"""The certificate of a question. Code computes and stores every check, and a failed check refuses
the question. No model tries to repair a refused question."""

from collections.abc import Iterable
from dataclasses import dataclass

from questloom.language.names_in_text import folded
from questloom.records.form import ClaimClause, Form, Fuzzy, Image, SentenceClause
from questloom.records.knowledge import Value
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Certificate, Check, Question
from questloom.records.table import Json
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.certificate.description import connected, descriptions
from questloom.transforms.certificate.effective import chain, composed, effective_hops
from questloom.transforms.certificate.evidence import (
    evidence,
    num_hops,
    unstated,
    volatile_claims,
)
from questloom.transforms.certificate.execute import (
    Binding,
    TooLarge,
    answers,
    coarsen_to_ask,
    only_answer,
    solutions,
)
from questloom.transforms.certificate.fitting import num_fitting
from questloom.transforms.certificate.guess import Guess, guess
from questloom.transforms.certificate.kinds import kind_hops
from questloom.transforms.certificate.leak import find_leak
from questloom.transforms.certificate.margin import NO_RIVAL, Margin, margins
from questloom.transforms.facts.fuzzy import count_candidates
from questloom.transforms.facts.lookups import Facts, Lookups
from questloom.transforms.facts.values import held_at

COMPOSED = "graph"
"""The name of the writer that makes the words from the logical form. No reader checks the words of
this writer, since they follow from the form."""


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """Why a logical form gets no certificate."""

    reason: Reason
    evidence: dict


@dataclass(frozen=True, kw_only=True)
class Needed:
    """The smallest part of a form that still has one answer, with the number of hops that the words
    state, the number of hops that are needed, and the answers that remain without the picture."""

    part: Form
    nominal: int
    effective: int
    without: Guess


def given_by_picture(form: Form, binding: Binding) -> Binding:
    """The values that a look at the question's picture gives: the pictured entity, and the details
    read there. Details of later pictures (of things that must be found first) are left out."""
    return {v: binding[v] for v in (form.anchor, *(r.var for r in form.shown_reads))}


def intended_binding(
    form: Form, facts: Facts, anchor: Binding, bindings: dict[str, str]
) -> Binding | None:
    """The solution of the logical form in which every variable has the intended value; None if
    there is no such solution."""
    for found in solutions(form, facts, anchor):
        if all(found[v].key() == key for v, key in bindings.items() if v in found):
            return found
    return None


def smallest_part(form: Form, facts: Facts, binding: Binding) -> Form:
    """The logical form without the clauses that its single answer does not need. Each clause is
    tried in order. A clause is dropped if the form has the same single answer without it."""
    wanted = coarsen_to_ask(binding[form.ask.var], form.ask).key()
    kept = form
    for clause in form.clauses:
        if isinstance(clause, Image) or clause not in kept.clauses:
            continue
        smaller = kept.without(clause)
        found = only_answer(smaller, facts, given_by_picture(form, binding))
        if found is not None and found.key() == wanted:
            kept = smaller
    return kept


def unclear_names(form: Form, facts: Facts) -> tuple[str, ...]:
    """Things that a question names as the start of a claim, although their article has another
    title than the name.

    For example, "published by the publisher of The Glass Parish" starts from a name. Another work
    with the same name would lead to another publisher. An encyclopedia uses a plain name as a title
    only for the best known thing with this name.

    (Things of the same name among the values of a claim are handled in `margin.py`.)
    """
    named = {c.subject.entity for c in form.of(ClaimClause) if isinstance(c.subject, Value)}
    labels = {e: entity.label(facts.language) for e in sorted(named) if (entity := facts.entity(e))}
    return tuple(label for e, label in labels.items() if facts.entity_of_title(label) != e)


SAINTS = frozenset({"saint", "st"})
"""The title before a saint's name, in full and abbreviated."""


def named_alike(form: Form, facts: Facts, binding: Binding) -> tuple[str, str] | None:
    """The name of the answer and the name of a thing on the path, if one of the names contains the
    other. If one name contains the other, a solver could give the name of the earlier thing as the
    answer."""
    labels = {
        v: entity.label(facts.language)
        for v, value in binding.items()
        if value.kind == "entity" and (entity := facts.entity(value.entity))
    }
    answer = labels.pop(form.ask.var, "")
    words = _telling_words(answer)
    return next(
        (
            (answer, other)
            for other in labels.values()
            if words and (theirs := _telling_words(other)) and (words <= theirs or theirs < words)
        ),
        None,
    )


def _telling_words(name: str) -> set[str]:
    """The words of a name without a saint's title. Without the titles, "St Ysolde's Church"
    contains the whole name "Saint Ysolde"."""
    return set(folded(name).split()) - SAINTS


def decorations(form: Form, facts: Lookups, binding: Binding) -> tuple[str, ...]:
    """Variables whose description fits only one entity even without the previous step. A solver
    does not need the path to such a variable: the path is decoration."""
    found = []
    for description in descriptions(form, binding):
        if binding[description.var].kind != "entity":
            continue
        for before in description.predecessors:
            if num_fitting(facts, description, before) == 1:
                found.append(description.var)
    return tuple(found)


def misshapen(form: Form) -> Refusal | None:
    """A refusal if the form's clauses do not connect, or if two steps together have a shorter name
    ("the father's wife" is "the mother")."""
    if not connected(form):
        return Refusal(reason=Reason.NOT_CONNECTED, evidence={"form": form.to_json()})
    steps = chain(form)
    if composed(steps) < len(steps):
        return Refusal(
            reason=Reason.COLLAPSES, evidence={"steps": len(steps), "composed": composed(steps)}
        )
    return None


def needed_of(
    form: Form, facts: Lookups, binding: Binding, rules: CertificateRules
) -> Needed | Refusal:
    """The part of a form that its answer needs; or a refusal if a part of the path, or the picture,
    is not needed. More clauses can make a part of the path unnecessary, but cannot make an
    unnecessary part necessary."""
    if decorated := decorations(form, facts, binding):
        return Refusal(reason=Reason.DECORATION, evidence={"variables": list(decorated)})
    if alike := named_alike(form, facts, binding):
        return Refusal(reason=Reason.COLLAPSES, evidence={"answer": alike[0], "node": alike[1]})
    part = smallest_part(form, facts, binding)
    nominal, effective = num_hops(form), effective_hops(form, part, facts, binding)
    if effective < min(nominal, rules.min_hops):
        return Refusal(
            reason=Reason.COLLAPSES, evidence={"nominal": nominal, "effective": effective}
        )
    without = guess(form, facts, binding)
    if without.num_answers < rules.min_answers_without_picture:
        return Refusal(
            reason=Reason.PICTURE_NOT_NEEDED,
            evidence={"answers_without_picture": without.num_answers},
        )
    if without.share > rules.max_guess:
        return Refusal(
            reason=Reason.GUESSABLE,
            evidence={
                "share": round(without.share, 3),
                "answers_without_picture": without.num_answers,
            },
        )
    return Needed(part=part, nominal=nominal, effective=effective, without=without)


def certify_form(
    form: Form, facts: Lookups, anchor: Binding, bindings: dict[str, str], rules: CertificateRules
) -> Certificate | Refusal:
    """Runs all checks that need no text: evidence, connection, one answer, decoration, need of the
    picture, number of hops.

    Args:
        form: the question's logical form.
        facts: the store.
        anchor: the values that the picture gives (`given_by_picture`).
        bindings: the intended entity or value key of each variable.
        rules: the recipe's settings for the certificate.
    """
    if shape := misshapen(form):
        return shape
    try:
        binding = intended_binding(form, facts, anchor, bindings)
    except TooLarge as error:
        return Refusal(reason=Reason.NOT_UNIQUE, evidence={"too_large": str(error)})
    if binding is None:
        return Refusal(
            reason=Reason.NO_EVIDENCE,
            evidence={"what": "the form does not have the intended solution"},
        )
    hops = evidence(form, facts, binding)
    if hops is None:
        return Refusal(reason=Reason.NO_EVIDENCE, evidence={"what": "a clause has no claim"})
    if changing := volatile_claims(form, facts, binding):
        return Refusal(
            reason=Reason.VOLATILE,
            evidence={
                "claims": [
                    {"subject": c.subject, "property": c.property, "as_of": held_at(c)}
                    for c in changing
                ]
            },
        )
    if rules.stated and (missing := unstated(form, facts, binding)):
        return Refusal(reason=Reason.NOT_STATED, evidence={"claims": [c.id for c in missing]})
    if unclear := unclear_names(form, facts):
        return Refusal(reason=Reason.NOT_UNIQUE, evidence={"names": list(unclear)})
    try:
        found = answers(form, facts, anchor)
    except TooLarge as error:
        return Refusal(reason=Reason.NOT_UNIQUE, evidence={"too_large": str(error)})
    if len(found) != 1:
        return Refusal(reason=Reason.NOT_UNIQUE, evidence={"answers": [v.key() for v in found]})
    measured = margins(form, facts, binding, rules.margin)
    least = min(measured, key=lambda m: m.margin) if measured else None
    margin = least.margin if least else NO_RIVAL
    if margin < facts.trust.least_margin(rules.margin):
        assert least is not None
        return too_near(least, measured)
    needed = needed_of(form, facts, binding, rules)
    if isinstance(needed, Refusal):
        return needed
    rivals = sorted(
        (m.nearest for m in measured if m.nearest), key=lambda r: (r.num_gaps, r.var, r.entity_id)
    )
    told = form.of(SentenceClause)
    basis = "votes" if told else "closed" if facts.trust.complete else "margin"
    if basis not in rules.bases:
        return Refusal(reason=Reason.WEAK_BASIS, evidence={"basis": basis})
    said = sum(hop.stated != "no" for hop in hops)
    checks = (
        Check(name="claims", passed=True, score=float(len(hops))),
        Check(name="stated", passed=True, score=float(said)),
        Check(name="connected", passed=True),
        Check(name="one_answer", passed=True),
        Check(name="margin", passed=True, score=float(margin)),
        Check(name="no_decoration", passed=True),
        Check(name="needs_picture", passed=True, score=float(needed.without.num_answers)),
        Check(name="no_guess", passed=True, score=needed.without.share),
        Check(name="effective_hops", passed=True, score=float(needed.effective)),
        *(Check(name="text_votes", passed=True, score=float(c.votes)) for c in told),
    )
    return Certificate(
        basis=basis,
        margin=margin,
        nearest_rival=rivals[0] if rivals else None,
        breaking_claims=tuple(sorted({c for m in measured for c in m.breaking})),
        evidence=hops,
        nominal_hops=needed.nominal,
        effective_hops=needed.effective,
        smallest_part=Json(needed.part.to_json()),
        answers_without_picture=needed.without.num_answers,
        checks=checks,
        fuzzed=tuple(
            counted
            for clause in form.of(Fuzzy)
            if (counted := count_candidates(facts, form, clause, binding)) is not None
        ),
    )


def too_near(margin: Margin, all_: Iterable[Margin] = ()) -> Refusal:
    """The refusal of a description whose margin is too small, or whose rivals could not be listed.

    Args:
        margin: the smallest margin of a form.
        all_: all margins of the form. Other classes that the store may hold only in part are named
            too, since the form needs all of them.
    """
    if margin.incomplete:
        others = sorted({m.incomplete for m in all_} - {"", margin.incomplete})
        return Refusal(
            reason=Reason.CLASS_INCOMPLETE,
            evidence={"var": margin.var, "class": margin.incomplete}
            | ({"other_classes": others} if others else {}),
        )
    return Refusal(
        reason=Reason.MARGIN_TOO_SMALL,
        evidence={
            "var": margin.var,
            "margin": margin.margin,
            "rival": margin.nearest.to_row() if margin.nearest else None,
        },
    )


def hidden_nodes(binding: Binding) -> Binding:
    """The things that the question must not name: the values of all variables that are entities."""
    return {v: value for v, value in binding.items() if value.kind == "entity"}


def certify(
    question: Question,
    facts: Lookups,
    anchor: Binding,
    rules: CertificateRules,
    shown_texts: dict[str, str] | None = None,
) -> Question | Refusal:
    """The question with its certificate, or the reason why it gets no certificate.

    Args:
        question: a draft with a logical form, its intended values, the pictured thing and the
            words.
        facts: the store.
        anchor: the values that the question's picture gives.
        rules: the recipe's settings for the certificate.
        shown_texts: other texts that the policy sees, such as text that OCR finds in the picture.
    """
    form = question.logical_form
    assert form is not None, "every question that is made here has one"
    made = certify_form(form, facts, anchor, question.bindings, rules)
    if isinstance(made, Refusal):
        return made
    agree = words_agree(question)
    if isinstance(agree, Refusal):
        return agree
    binding = intended_binding(form, facts, anchor, question.bindings)
    assert binding is not None
    executed = coarsen_to_ask(binding[form.ask.var], form.ask).key()
    if executed != question.answer.value.key():
        return Refusal(
            reason=Reason.ANSWER_CHANGED,
            evidence={"executed": executed, "stated": question.answer.value.key()},
        )
    leak = find_leak(
        facts,
        {"question": question.text, **(shown_texts or {})},
        hidden_nodes(binding),
        question.answer,
        rules.languages,
    )
    if leak:
        return Refusal(reason=Reason.LEAK, evidence=leak)
    votes = Json(question.votes) if agree else Json(None)
    kinds = kind_hops(facts, question.text, binding, form, question.language) if agree else ()
    return question.replace(
        certificate=made.replace(
            evidence=(*made.evidence, *kinds),
            votes=votes,
            checks=(*made.checks, *agree, Check(name="no_leak", passed=True)),
        )
    )


def words_agree(question: Question) -> tuple[Check, ...] | Refusal:
    """The check that all readers understood a question's words as its form, or a refusal. If code
    made the words from the form, no reader reads the words, and the result is empty."""
    if question.writer == COMPOSED:
        return ()
    votes = (
        [v for v in question.votes if v["check"] == "words"]
        if isinstance(question.votes, list)
        else []
    )
    if not votes or not all(v["holds"] for v in votes):
        return Refusal(
            reason=Reason.WORDS_DIFFER,
            evidence={"votes": len(votes), "against": [v for v in votes if not v["holds"]]},
        )
    return (Check(name="words_agree", passed=True, score=float(len(votes))),)


def rival_fits(question: Question, facts: Facts, anchor: Binding, key: str) -> bool:
    """Whether an answer that differs from the expected one also satisfies the question's logical
    form. If another answer satisfies the form, the question has several answers and is dropped."""
    form = question.logical_form
    if form is None or key == question.answer.value.key():
        return False
    try:
        return any(v.key() == key for v in answers(form, facts, anchor, most=50))
    except TooLarge:
        return True
