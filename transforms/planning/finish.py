"""Ends a walk (a chain of steps): the question asks for an attribute of the last thing, for
that thing itself, or for a count of years. Then `certify_plan` makes the whole certificate."""

from collections.abc import Iterator
from datetime import date
from functools import partial
from random import Random

from questloom.knowledge.dates import coarsened, dates_in, dates_of
from questloom.language.date_words import years_in
from questloom.language.names_in_text import HUMAN, leaked
from questloom.records.form import Ask, ClaimClause, ClassClause, Clause, Compute, Form
from questloom.records.knowledge import Claim, Value, entity_value, value_of_key
from questloom.records.outcomes import Reason
from questloom.records.periods import DAY, YEAR
from questloom.records.plan import Plan
from questloom.records.synthesis import Answer, Certificate
from questloom.records.table import Json
from questloom.transforms.certificate.certify import (
    Refusal,
    certify_form,
    given_by_picture,
    hidden_nodes,
)
from questloom.transforms.certificate.compute import compute
from questloom.transforms.certificate.description import distances
from questloom.transforms.certificate.effective import chain, skips_a_step
from questloom.transforms.certificate.evidence import is_named, num_hops
from questloom.transforms.certificate.guess import (
    MOST_ANSWERS,
    guess_of_kind,
    num_answers_without_picture,
)
from questloom.transforms.certificate.leak import answer_names, find_leak
from questloom.transforms.drafting.interest import interest
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.facts.signs import with_sign
from questloom.transforms.planning.ground import Ground, Refusals
from questloom.transforms.planning.lacking import lack_behind
from questloom.transforms.planning.looks import reads, years_seen
from questloom.transforms.planning.route import find_route
from questloom.transforms.planning.steps import separating_class
from questloom.transforms.remembered import remembered
from questloom.transforms.writing.answers import answer_of
from questloom.transforms.writing.form_edits import constants
from questloom.transforms.writing.graph.clues import answerable, attributes, centuries
from questloom.transforms.writing.graph.graph_writer import ask_for, belong_together

LEAST_YEARS = 2
"""Least number of years that is asked for. From a year to a day of the next year, no whole year may
pass."""
MAX_ENDS = 6
"""Maximum number of ends that are tried for one walk (a chain of steps)."""


def is_open_without_picture(
    at: Ground,
    clauses: tuple[Clause, ...],
    bindings: dict[str, str],
    last: str,
    refusals: Refusals,
) -> bool:
    """Whether the walk could end at enough different things for a solver who does not see the
    picture. The check runs once per walk, before any end is tried.

    Args:
        at: the store, and the rules for planning.
        clauses: the clauses of the walk (a chain of steps).
        bindings: the values of all variables on the walk.
        last: the variable that stands for the last thing on the walk.
        refusals: counts a refused walk.
    """
    form = Form(clauses=clauses, ask=Ask(var=last, type="entity"))
    binding = {var: value_of_key(key) for var, key in bindings.items()}
    num = num_answers_without_picture(form, at.facts, binding)
    if num < at.certificate.min_answers_without_picture:
        refusals.add(Reason.PICTURE_NOT_NEEDED)
        return False
    if num < MOST_ANSWERS and num * at.certificate.max_guess < 1:
        refusals.add(Reason.GUESSABLE)
        return False
    return True


def ask_attributes(
    at: Ground, clauses: tuple[Clause, ...], bindings: dict[str, str], last: str, draw: Random
) -> Iterator[tuple[Form, dict[str, str], Answer]]:
    """Gives forms (questions as queries) that ask for an attribute of the last thing of a walk. The
    order is random, but informative attributes tend to come first. A date also gives a form that
    asks for the century.

    Args:
        at: the store, and the rules for planning.
        clauses: the clauses of the walk (a chain of steps).
        bindings: the values of all variables on the walk.
        last: the variable that stands for the last thing on the walk.
        draw: random generator for the order.
    """
    facts, thing = at.facts, at.facts.entity(bindings[last])
    if thing is None:
        return
    avoid = frozenset(bindings.values())
    found = answerable(facts, thing, at.draft.max_answer_words, avoid)
    ranked = sorted(found, key=lambda f: (-f[0] * draw.random(), f[1].id))
    pairs = [(claim, answer) for _, claim, answer in ranked]
    pairs += centuries(facts, thing, at.draft.max_answer_words)
    if at.certificate.stated:
        pairs = [
            (claim, as_stated(facts, claim, answer))
            for claim, answer in pairs
            if is_named(facts, claim)
        ]
    for claim, answer in pairs[:MAX_ENDS]:
        target = claim.value.entity
        form = Form(
            clauses=(
                *clauses,
                ClaimClause(subject=last, property=claim.property, object="a"),
                *(separating_class(facts, thing.id, claim.property, target, "a") if target else ()),
            ),
            ask=ask_for("a", answer),
        )
        yield form, {**bindings, "a": claim.value.key()}, answer


def as_stated(facts: Lookups, claim: Claim, answer: Answer) -> Answer:
    """The answer as exactly as the thing's page states it: a date by its year, if an English page
    does not state the day."""
    if answer.precision != "day" or facts.language != "en":
        return answer
    days = {d.calendar_day for d in dates_of(claim.value)}
    if days & days_stated(facts, claim.subject):
        return answer
    return answer_of(facts, claim.value, precision="year") or answer


@remembered()
def days_stated(facts: Lookups, thing: str) -> frozenset[date]:
    """The days that the thing's English page states."""
    found = (d for text in page_texts(facts, thing) for d, _, _ in dates_in(text, "plain"))
    return frozenset(day for d in found if (day := d.calendar_day))


def ask_last_thing(
    at: Ground, clauses: tuple[Clause, ...], bindings: dict[str, str], last: str
) -> tuple[Form, dict[str, str], Answer] | None:
    """The form (a question as a query) that asks for the last thing of a walk: "Which film was shot
    at this castle?". None where the name of the thing is too long for an answer."""
    kind = find_descriptor_class(at.facts, bindings[last])
    answer = answer_of(at.facts, entity_value(bindings[last]))
    if not kind or answer is None or len(answer.text.split()) > at.draft.max_answer_words:
        return None
    told = ClassClause(var=last, class_id=kind)
    return (
        Form(clauses=(*clauses, *(() if told in clauses else (told,))), ask=ask_for(last, answer)),
        bindings,
        answer,
    )


def count_years(
    at: Ground, form: Form, bindings: dict[str, str], before: str, draw: Random
) -> Iterator[tuple[Form, dict[str, str], Answer]]:
    """Takes a form (a question as a query) that asks for an attribute. If the attribute is a date,
    gives forms that ask for the number of years between the date and another date of the walk.

    The other date is a year in a picture of the dated thing, or a claim of the thing before it.
    (Readers found it pointless to count from the plaque of one thing to a date of another.)
    `is_compared` decides which dates may be compared.

    Args:
        at: the store, and the rules for planning.
        form: a form that asks for the value of a claim of a thing.
        bindings: the values of all variables of the form.
        before: the variable of another thing, the one before the dated thing.
        draw: random generator for the choice of the date.
    """
    claim = next(c for c in form.of(ClaimClause) if c.object == form.ask.var)
    assert isinstance(claim.subject, str), "the last thing of a walk is not named"
    second = value_of_key(bindings[form.ask.var])
    if second.year is None:
        return
    own, shown = claim.subject, claim.subject == form.anchor
    written = years_seen(at.facts, bindings[own], shown=shown) if at.draft.detail_share else ()
    if written and is_compared(at.facts, form, bindings, own, own):
        detail = draw.choice(written)
        seen = reads("r", own, detail)
        yield from _years_between(at.facts, form, bindings, seen, "r", detail.value, second)
    if not at.draft.computation_share or not is_compared(
        at.facts, form, bindings, before, claim.subject
    ):
        return
    one, other = at.facts.entity(bindings[before]), at.facts.entity(bindings[claim.subject])
    assert one is not None and other is not None, "what is compared is in the store"
    dates = [
        c
        for _, c, a in attributes(at.facts, one, at.draft.max_answer_words, frozenset())
        if a.type == "date"
        # Births of two people are compared, or deaths, but never a death with a birth.
        and (c.property == claim.property or not {HUMAN} <= {*one.classes} & {*other.classes})
        and (not at.certificate.stated or is_named(at.facts, c))
    ]
    if dates:
        dated = draw.choice(dates)
        said = ClaimClause(subject=before, property=dated.property, object="b")
        yield from _years_between(at.facts, form, bindings, said, "b", dated.value, second)


def is_compared(facts: Lookups, form: Form, bindings: dict[str, str], one: str, other: str) -> bool:
    """Whether a question may compare dates of two things of a form.

    A question may compare two dates of the same thing, or dates of linked things that belong
    together. Without a link, a question may compare dates of the pictured thing and a later thing
    of its kind. A question never compares dates of places. Readers would find the number of years
    between a coin and a church contrived.
    """
    first, second = facts.entity(bindings[one]), facts.entity(bindings[other])
    if first is None or second is None:
        return False
    links = {c.property for c in form.of(ClaimClause) if {c.subject, c.object} == {one, other}}
    if not links:
        near = one in (form.anchor, other)
        return near and first.domain == second.domain != "location"
    return any(belong_together(first, second, link) for link in links)


def _years_between(
    facts: Lookups,
    form: Form,
    bindings: dict[str, str],
    more: Clause,
    name: str,
    first: Value,
    second: Value,
) -> Iterator[tuple[Form, dict[str, str], Answer]]:
    span = compute("difference", (coarsened(first, YEAR), coarsened(second, YEAR)))
    num = (span and span.number) or 0
    if span is None or num < LEAST_YEARS or not whole_years_agree(first, second):
        return
    answer = answer_of(facts, span, unit_label=years_in(facts.language))
    assert answer is not None, "a number is an answer"
    difference = Compute(out="n", op="difference", args=(name, form.ask.var))
    yield (
        Form(
            clauses=(*form.clauses, more, difference),
            ask=Ask(var="n", type="quantity", unit="years"),
        ),
        {**bindings, name: first.key(), "n": span.key()},
        answer,
    )


def whole_years_agree(one: Value, other: Value) -> bool:
    """Whether the number of whole years between two dates equals the difference of their years. If
    one of the dates has no day, the result is true.

    From 2 February 1856 to 29 January 1940, 83 whole years pass, but 1940 - 1856 is 84. Readers
    count in both ways.
    """
    if min(one.precision, other.precision) < DAY:
        return True
    (_, *early), (_, *late) = sorted((one.gregorian, other.gregorian))
    return late >= early


def names_leak(at: Ground, form: Form, bindings: dict[str, str], answer: Answer) -> bool:
    """Whether the name of a thing that a form names contains the name of a hidden thing or of the
    answer: "Honnuddan's copper" tells of the Honnuddan family."""
    names = {
        name: entity.label(at.facts.language)
        for name in constants(form)
        if (entity := at.facts.entity(name))
    }
    hidden = hidden_nodes({var: value_of_key(key) for var, key in bindings.items()})
    languages = (at.facts.language, *at.certificate.languages)
    return find_leak(at.facts, names, hidden, answer, languages) is not None


def certify_plan(
    at: Ground,
    form: Form,
    bindings: dict[str, str],
    answer: Answer,
    *,
    shape: str,
    refusals: Refusals,
) -> Plan | None:
    """Makes a plan from a form (the question as a query). None if the form gets no certificate, or
    if a name in the form contains the name of a hidden thing.

    Args:
        at: the store, and the rules for planning.
        form: a whole form (the question as a query).
        bindings: the values of all variables of the form.
        answer: the expected answer.
        shape: name of the shape that grew the form.
        refusals: counts the reasons for refusals.
    """
    form = with_sign(form, at.facts, bindings[form.anchor])
    if names_leak(at, form, bindings, answer):
        refusals.add(Reason.LEAK)
        return None
    made = certify_whole(at, form, bindings, answer, refusals)
    if made is None:
        return None
    binding = {var: value_of_key(key) for var, key in bindings.items()}
    return Plan(
        form=Json(form.to_json()),
        bindings=bindings,
        answer=answer,
        shape=shape,
        certificate=made,
        route=find_route(form, binding, at.facts),
        interest=round(interest(form, at.facts, binding), 2),
    )


def certify_whole(
    at: Ground, form: Form, bindings: dict[str, str], answer: Answer, refusals: Refusals
) -> Certificate | None:
    """The certificate of a form (the question as a query). None if the form gets no certificate, if
    some step is not needed, or if the page of the pictured thing contains the answer.

    Args:
        at: the store, and the rules for planning.
        form: a whole form (the question as a query).
        bindings: the values of all variables of the form.
        answer: the expected answer.
        refusals: counts the reasons for a refusal.
    """
    facts, rules = at.facts, at.certificate
    binding = {var: value_of_key(key) for var, key in bindings.items()}
    if guess_of_kind(form, facts, binding) > rules.max_guess:
        refusals.add(Reason.GUESSABLE)
        return None
    if not at.draft.own_page and _on_page(facts, bindings[form.anchor], answer, rules.languages):
        refusals.add(Reason.IMAGE_SEARCH_SHORTCUT)
        return None
    made = certify_form(form, facts, given_by_picture(form, binding), bindings, rules)
    if isinstance(made, Refusal):
        refusals.add(made.reason, partial(lack_behind, facts, made))
        return None
    if not is_needed_whole(form, made, at.draft.idle_rounds) or (
        skips_a_step(form, facts, binding) and not at.draft.idle_rounds
    ):
        refusals.add(Reason.COLLAPSES)
        return None
    return made


def is_needed_whole(form: Form, made: Certificate, idle: bool = False) -> bool:
    """Whether every step of the form is needed, and no shorter chain leads from the picture to the
    answer.

    Args:
        form: a form with a certificate.
        made: the certificate.
        idle: whether only the steps of the chain must be needed, and not those of side branches.
    """
    assert made.effective_hops is not None, "the form was executed"
    part, steps = Form.from_json(made.smallest_part), chain(form)
    if made.effective_hops < len(steps):
        return False
    if num_hops(part) == made.nominal_hops:
        return True
    has_picture = part.anchor in distances(part)  # without it, the part has no chain
    return idle and has_picture and bool(steps) and chain(part) == steps


def _on_page(facts: Lookups, anchor: str, answer: Answer, languages: tuple[str, ...]) -> bool:
    names = answer_names(facts, answer, languages)
    return any(leaked(text, names, languages) for text in page_texts(facts, anchor))


@remembered()
def page_texts(facts: Lookups, thing: str) -> tuple[str, ...]:
    """The texts of a thing's page: its sections and infobox lines."""
    article = facts.article(thing)
    if article is None:
        return ()
    return (*(s.text for s in article.sections), *(f.text for f in article.infobox))
