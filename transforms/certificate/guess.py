"""Guessing: how often somebody is right who hears the question but does not see its picture.

To somebody who does not see the picture, any thing of the class that the words name might be the
pictured thing. Therefore somebody who guesses has several answers to choose from. If two answers
are possible, half of all guesses are right. Some answers are the most common of their kind,
whatever the picture shows ("Northern Hemisphere", "mayor"). The ingest job counts how common each
value of a property is (`PropertyProfile.num_commonest`). For a chain of several steps, this module
counts how often each thing is the last thing of the whole chain.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace

from questloom.knowledge.store.profiles import answer_key
from questloom.records.form import (
    Ask,
    ClaimClause,
    ClassClause,
    Compute,
    Form,
    Image,
    Reads,
    variables,
)
from questloom.records.knowledge import PropertyProfile, Value
from questloom.transforms.certificate.effective import chain
from questloom.transforms.certificate.execute import Binding, TooLarge, answers, coarsen_to_ask
from questloom.transforms.facts.century import CENTURY, commonest_century
from questloom.transforms.facts.indexed import INSTANCE_OF, things_named
from questloom.transforms.facts.lookups import Facts
from questloom.transforms.facts.said_class import find_descriptor_class
from questloom.transforms.facts.value_index import MOST_PAIRS, count_things
from questloom.transforms.facts.values import (
    ENUMERATION_LIMIT,
    best_values,
    classes_of,
    values_by_key,
)
from questloom.transforms.remembered import remembered

MOST_ANSWERS = 5
"""Maximum number of possible answers that are counted. With more possible answers, the
chance that a guess is right is hardly lower."""
BETWEEN_TWO = ("earliest", "latest", "largest", "smallest")
"""Operations whose answer is one of the things that they compare."""
WEIGHT = 10
"""A share in a class is averaged with the share over all subjects, which weighs as much as this
number of subjects. Otherwise the values of three members would count as typical of a whole
class."""

MOST_COUNTED = 25_000
"""Maximum number of members of a class that are examined one by one."""
PAIRS_A_MEMBER = 50
"""To read one member's claims takes as long as to read this number of pairs (value, subject) of a
property."""
WAYS_KEPT = 1_024
"""Maximum number of results of `_all_answers` in the cache."""
MIN_IN_COUNTRY = 20
"""Minimum number of other values in a country. With fewer values, the most common one does not
count as a guess."""
MIN_SHOWN = 5
"""Minimum number of other pictured things from which the same chain of steps has an end. With fewer
such things, the most common end of the chains does not count as a guess."""


@dataclass(frozen=True)
class Guess:
    """How many answers the words alone leave possible (counted up to `MOST_ANSWERS`), and how often
    the best guess is right (1 if no answer is possible)."""

    num_answers: int
    share: float


def guess(form: Form, facts: Facts, binding: Binding) -> Guess:
    """The possible answers and the best guess of somebody who does not see the picture."""
    number = num_answers_without_picture(form, facts, binding)
    share = 1 / number if number else 1.0
    return Guess(
        number, max(share if number < MOST_ANSWERS else 0.0, guess_of_kind(form, facts, binding))
    )


def guess_of_kind(form: Form, facts: Facts, binding: Binding) -> float:
    """How often the best guess is right if only the kind of answer is known. The best guess is one
    of the compared things, or the most common value of the asked relation. A picture often shows
    from which country it is, so the most common value in the answer's country counts too."""
    compared = [
        1 / len(c.args) for c in form.of(Compute) if c.op in BETWEEN_TWO and c.out == form.ask.var
    ]
    by_century = form.ask.precision == CENTURY
    asked = [
        commonest_century(facts, _subject(c, binding), c.property, WEIGHT)
        if by_century
        else commonest_share(facts, c.property, _subject(c, binding))
        for c in form.of(ClaimClause)
        if c.object == form.ask.var
    ]
    at_home = [
        share_in_country(facts, c.property, _subject(c, binding), binding[form.ask.var].entity)
        for c in form.of(ClaimClause)
        if c.object == form.ask.var
    ]
    return max(*compared, *asked, *at_home, _share_of_chain(form, facts, binding), 0.0)


def num_answers_without_picture(form: Form, facts: Facts, binding: Binding) -> int:
    """The number of answers that the logical form has if the picture is not given, counted up to
    `MOST_ANSWERS`. If the answers are too many to enumerate, the number is `MOST_ANSWERS`."""
    anchor = form.anchor
    kind = find_descriptor_class(facts, binding[anchor].entity)
    extra = (
        ()
        if not kind or any(isinstance(c, ClassClause) and c.var == anchor for c in form.clauses)
        else (ClassClause(var=anchor, class_id=kind),)
    )
    said = tuple(c for c in form.clauses if not isinstance(c, Image))
    whole = Form(clauses=(*said, *extra), ask=form.ask)
    try:
        if (cut := _cut_at_reading(whole)) is None:
            return len(answers(whole, facts, {}, most=MOST_ANSWERS))
        before, after = cut
        found: set[str] = set()
        for value in _all_answers(facts, before):
            given = {before.ask.var: value}
            found.update(v.key() for v in answers(after, facts, given, most=MOST_ANSWERS))
            if len(found) >= MOST_ANSWERS:
                break
    except TooLarge:
        return MOST_ANSWERS
    return min(len(found), MOST_ANSWERS)


def _cut_at_reading(form: Form) -> tuple[Form, Form] | None:
    """Cuts a form in two at a detail that the question reads in a picture. The first part leads to
    the detail, and the second part follows from the detail. The result is None if the two parts of
    the form share more than the detail.

    The search for answers begins with the first part, because few pictures show writing. A search
    that began with the second part would have to try all pictures of a class for each thing.
    """
    for read in form.of(Reads):
        before, known = {read}, {read.of}
        while more := {
            c
            for c in form.clauses
            if c not in before and known & {*variables(c)} and read.var not in variables(c)
        }:
            before |= more
            known |= {v for c in more for v in variables(c)}
        after = tuple(c for c in form.clauses if c not in before)
        if after and not known & {v for c in after for v in variables(c)}:
            first = tuple(c for c in form.clauses if c in before)
            return Form(clauses=first, ask=Ask(var=read.var, type="")), replace(form, clauses=after)
    return None


@remembered(WAYS_KEPT)
def _all_answers(facts: Facts, form: Form) -> tuple[Value, ...]:
    """All answers of a logical form. The answers are cached, because many things of a class lead to
    the same writing in pictures."""
    return answers(form, facts, {}, most=ENUMERATION_LIMIT)


def commonest_share(facts: Facts, property: str, subject: str) -> float:
    """How often the most common value of a property is right for things of the subject's classes.
    The subject itself does not count, and neither do members of the class without a value.

    The result is the largest share among the subject's direct classes. Each share is mixed with the
    share over all subjects of the property, which counts as much as `WEIGHT` subjects.
    """
    everywhere = _share(facts.profile(property), 0.0, 0)
    return max(
        (
            _share_in(facts, property, c, everywhere)
            for c in classes_of(facts, subject)
            if facts.profile(property, c).num_subjects
        ),
        default=everywhere,
    )


@remembered()
def _share_in(facts: Facts, property: str, class_id: str, everywhere: float) -> float:
    """How often a certain guess is right in a class, mixed with how often it is right over all
    subjects. The most common value in the class may be rare among all subjects."""
    profile, of_all = facts.profile(property, class_id), facts.profile(property)
    bound = _share(profile, everywhere, WEIGHT)
    if profile.num_instances > MOST_COUNTED:
        return bound
    others = profile.num_subjects - 1 + WEIGHT
    most = WEIGHT * everywhere
    counted = _entities_in(facts, property, class_id).most_common()
    for key, n in counted:
        if n - 1 + WEIGHT * of_all.num_commonest / of_all.num_subjects <= most:
            break  # no value that is rarer in the class can be a better guess
        most = max(most, n - 1 + WEIGHT * facts.num_subjects(property, key) / of_all.num_subjects)
    return min(bound, most / others) if counted else bound


def share_in_country(facts: Facts, property: str, subject: str, answer: str) -> float:
    """How often the answer is right for things of the subject's classes whose value of the property
    lies in the answer's country. The result is 0 if too few values lie there, or if the answer is
    no place in a country.

    A painting looks French, and nearly half of those who were born in France were born in Paris.
    """
    shares, countries = [0.0], best_values(facts, answer, "P17") if answer else ()
    for class_id in classes_of(facts, subject) if countries else ():
        if facts.profile(property, class_id).num_instances <= MOST_COUNTED:
            own = _entities_in(facts, property, class_id)[answer] - 1
            for country in countries:
                others = _countries_in(facts, property, class_id)[country.key()] - 1
                shares += [own / others] if others >= MIN_IN_COUNTRY else []
    return max(shares)


@remembered()
def _countries_in(facts: Facts, property: str, class_id: str) -> Counter[str]:
    """Counts in which countries the values of a property lie, among the members of a class."""
    found: Counter[str] = Counter()
    for key, n in _entities_in(facts, property, class_id).items():
        found.update(dict.fromkeys((v.key() for v in things_named(facts, key, "P17")), n))
    return found


@remembered()
def _entities_in(facts: Facts, property: str, class_id: str) -> Counter[str]:
    """Counts how often each thing is a value of the property, among the members that state this
    class directly."""
    members = frozenset(facts.subjects(INSTANCE_OF, class_id, limit=MOST_COUNTED))
    if facts.profile(property).num_pairs <= max(MOST_PAIRS, PAIRS_A_MEMBER * len(members)):
        return count_things(facts, property, members)
    return Counter(
        v.key() for m in members for v in best_values(facts, m, property) if v.kind == "entity"
    )


def _share_of_chain(form: Form, facts: Facts, binding: Binding) -> float:
    """How often the most common end of a chain of forward steps is right, over all pictured things
    of the same kind as the pictured thing. If too few of these things have an end, the result is 0.

    Only ends of the answer's kind count, because the words of the question state this kind. For
    example, "Who gave their name to the city where this man died?" has the answer Washington for
    all pictured presidents, although most of them died in cities without a person's name.
    """
    steps = chain(form)
    if len(steps) < 2 or any(reverse for _, reverse in steps):
        return 0.0
    return _commonest_end(
        facts,
        find_descriptor_class(facts, binding[form.anchor].entity),
        tuple(p for p, _ in steps),
        form.ask,
        find_descriptor_class(facts, binding[form.ask.var].entity),
    )


@remembered()
def _commonest_end(
    facts: Facts, class_id: str, properties: tuple[str, ...], ask: Ask, kind: str
) -> float:
    """How often the most common end of a chain is right, among the ends of one kind. The chain
    starts at the pictured members of a class. A date counts by its year, unless the question asks
    for another precision."""
    found: Counter[str] = Counter()
    for value, number in _only_values(facts, class_id, properties):
        found[value.entity or answer_key(coarsen_to_ask(value, ask).key())] += number
    ends = [n for end, n in found.items() if find_descriptor_class(facts, end) == kind]
    others = sum(ends) - 1
    return (max(ends) - 1) / others if others >= MIN_SHOWN else 0.0


@remembered(WAYS_KEPT)
def _things_along(facts: Facts, class_id: str, properties: tuple[str, ...]) -> Counter[str]:
    """Counts the things at which a chain arrives that starts at the pictured members of a class.
    Longer chains continue from here, so that they need not start at each member again."""
    if not properties:
        members = facts.members(class_id, limit=MOST_COUNTED)
        return Counter(m for m in members if facts.is_pictured(m))
    found: Counter[str] = Counter()
    for value, number in _only_values(facts, class_id, properties):
        if value.entity:
            found[value.entity] += number
    return found


def _only_values(
    facts: Facts, class_id: str, properties: tuple[str, ...]
) -> Iterator[tuple[Value, int]]:
    """Gives the values at which a chain arrives, with the number of its starts. Every step of the
    chain must have exactly one value; else the chain is not counted."""
    for thing, number in _things_along(facts, class_id, properties[:-1]).items():
        values = values_by_key(facts, thing, properties[-1])
        if len(values) == 1 and values[0].kind not in ("somevalue", "novalue"):
            yield values[0], number


def _share(profile: PropertyProfile, believed: float, weight: int) -> float:
    others = profile.num_subjects - 1
    return (
        (max(0, profile.num_commonest - 1) + weight * believed) / (others + weight)
        if others + weight > 0
        else 0.0
    )


def _subject(clause: ClaimClause, binding: Binding) -> str:
    return (
        clause.subject.entity
        if isinstance(clause.subject, Value)
        else binding[clause.subject].entity
    )
