"""Shows that a description fits one entity only, although facts may be missing from the store.

The margin is this number: how many facts must be missing before another entity could fit.

Wikidata is incomplete. Therefore it proves little that only one entity matches. Each variable of a
form has a description. Each clause of the description is tested on every other entity (a *rival*),
with one of three results:

* match: the store says that the rival fits. A place within the stated place, a subclass, an
  overlapping date and a thing of the same name count as matches;
* contradicted: the store says that the rival does not fit, so the rival is out;
* gap: the store says nothing.

The *margin* is the smallest number of gaps among the rivals that are not out. A margin of 0 means
that another entity fits. To prove a margin of m, it is enough to test the entities that match one
of the m cheapest clauses. An entity that matches none of the m cheapest clauses is out, or has at
least m gaps.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from questloom.records.form import ClassClause, Form, Fuzzy, SentenceClause
from questloom.records.knowledge import Claim, Value
from questloom.records.synthesis import Rival
from questloom.transforms.certificate.description import Description, Part, descriptions
from questloom.transforms.certificate.execute import Binding, holds
from questloom.transforms.certificate.text_veto import text_says
from questloom.transforms.facts.century import CENTURY, has_one_century
from questloom.transforms.facts.completeness import nearly_complete
from questloom.transforms.facts.fuzzy import fits
from questloom.transforms.facts.indexed import classes_named, things_named
from questloom.transforms.facts.lookups import Facts, Lookups
from questloom.transforms.facts.one_of_class import single_value
from questloom.transforms.facts.page_statements import leads_to_target, linked_things, rival_status
from questloom.transforms.facts.values import (
    ENUMERATION_LIMIT,
    best_values,
    classes_of,
    is_functional,
    is_instance,
    is_less_specific,
    is_namesake,
    values_match,
)
from questloom.transforms.facts.within import num_within, subjects_within
from questloom.transforms.remembered import remembered

NO_RIVAL = 9
"""The margin if no rival is left."""
MAX_VETOED = 50
"""Maximum number of rivals whose articles are read. The rivals with the fewest gaps come first."""
MAX_BREAKING = 20


@dataclass(frozen=True, kw_only=True)
class Margin:
    """The margin of the description of one variable."""

    var: str
    margin: int
    nearest: Rival | None = None
    breaking: tuple[str, ...] = ()
    """Claims that alone rule out a rival which fits all other clauses. The margin would shrink if
    one of these claims were missing or wrong."""
    too_large: bool = False
    """Whether some clause had too many matches to enumerate. With too many matches, the margin is
    only a lower bound."""
    incomplete: str = ""
    """A class of which the store may lack members, so that rivals may be missing from the list; ""
    if there is no such class. If the store may lack members of a class, the margin is 0."""


@remembered()
def status(facts: Lookups, rival: str, part: Part) -> str:
    """Compares a rival with one part of a description: "match", "contradicted" or "gap"."""
    unknown = "contradicted" if facts.trust.complete else "gap"
    if part.role == "kind":
        assert isinstance(part.clause, ClassClause)
        instance = is_instance(facts, rival, part.clause.class_id)
        if instance is None:
            return unknown
        return (
            "match"
            if instance
            else "contradicted"
            if not is_less_specific(facts, rival, part.clause.class_id)
            else unknown
        )
    assert part.value is not None
    if isinstance(part.clause, Fuzzy):
        return _fuzzy_status(facts, rival, part.clause, part.value)
    if isinstance(part.clause, SentenceClause):
        return rival_status(facts, rival, part.clause, part.value)
    subject = rival if part.role in ("has", "range") else part.value.entity
    values = (
        things_named(facts, subject, part.property)
        if part.role == "has" and part.value.kind == "entity"
        else best_values(facts, subject, part.property)
    )
    known = [v for v in values if v.kind not in ("somevalue", "novalue")]
    if part.role == "range":
        verdicts = [
            holds(part.op, *((v, part.value) if part.own_side_left else (part.value, v)))
            for v in known
        ]
        if any(verdicts):
            return "match"
        fits_not = bool(verdicts) and None not in verdicts
    elif part.role == "has":
        if any(
            values_match(facts, part.property, part.value, v) or is_namesake(facts, part.value, v)
            for v in known
        ):
            return "match"
        # A coarser place or date neither fits nor contradicts.
        fits_not = bool(known) and not any(
            values_match(facts, part.property, v, part.value) for v in known
        )
    else:
        if any(v.kind == "entity" and v.entity == rival for v in known):
            return "match"
        fits_not = bool(known)
    if any(v.kind == "somevalue" for v in values):
        return "gap"
    if not known and any(v.kind == "novalue" for v in values):
        return "contradicted"
    if fits_not and (
        facts.trust.complete
        or is_functional(facts, part.property, classes_named(facts, subject), subject)
    ):
        return "contradicted"
    return unknown


def _fuzzy_status(facts: Lookups, rival: str, clause: Fuzzy, value: Value) -> str:
    """Compares a rival with a vague clause.

    A rival whose value is unknown counts as a match, not as a gap: a vague clause fits most values.
    """
    fit = fits(facts, clause, rival, value)
    if fit is None:
        silent = facts.trust.complete and clause.kind != "exclusion"
        return "contradicted" if silent else "match"
    if fit:
        return "match"
    one_value = clause.kind == "exclusion" or is_functional(
        facts, clause.property, classes_of(facts, rival), rival
    )
    return "contradicted" if facts.trust.complete or one_value else "gap"


def _claims(facts: Facts, subject: str, property: str) -> list[Claim]:
    return [c for c in facts.claims(subject) if c.property == property and c.best]


def settles(facts: Lookups, part: Part, parts: Iterable[Part]) -> bool:
    """Whether a part of a description rules out every entity that it does not match. A part rules
    out all other entities if its property has a single value, or if every member of the class has
    the property exactly once."""
    assert part.value is not None or part.role == "kind"
    if part.role == "sentence":
        return part.value is not None and leads_to_target(part.clause, part.value)
    if facts.trust.complete:
        return part.role in ("has", "of", "kind")
    if part.role == "of" and part.value is not None:
        kinds = [p.clause.class_id for p in parts if isinstance(p.clause, ClassClause)]
        return (
            single_value(facts, part.value.entity, part.property, kinds[0] if kinds else "")
            is not None
        )
    if part.role == "has":
        kinds = [p.clause.class_id for p in parts if isinstance(p.clause, ClassClause)]
        for class_id in kinds:
            profile = facts.profile(part.property, class_id)
            if profile.num_instances and profile.coverage == 1.0 and profile.functionality == 1.0:
                return True
    return False


def _matches(facts: Facts, part: Part) -> tuple[str, ...] | None:
    """The entities that match a part of a description; None if they cannot be enumerated."""
    if part.role == "kind":
        assert isinstance(part.clause, ClassClause)
        return (
            facts.members(part.clause.class_id, limit=ENUMERATION_LIMIT)
            if facts.num_members(part.clause.class_id) <= ENUMERATION_LIMIT
            else None
        )
    assert part.value is not None
    if part.role == "has":
        return subjects_within(facts, part.property, part.value)
    if part.role == "of":
        return tuple(
            v.entity
            for v in best_values(facts, part.value.entity, part.property)
            if v.kind == "entity"
        )
    if leads_to_target(part.clause, part.value):
        return linked_things(facts, part.value.entity)
    return None


def _size(facts: Facts, part: Part) -> int:
    if part.role == "kind":
        assert isinstance(part.clause, ClassClause)
        return facts.num_members(part.clause.class_id)
    if part.role == "has" and part.value is not None:
        return num_within(facts, part.property, part.value)
    if part.value is not None and leads_to_target(part.clause, part.value):
        return len(linked_things(facts, part.value.entity))
    return 0 if part.role == "of" else ENUMERATION_LIMIT + 1


def margin_of(
    facts: Lookups,
    description: Description,
    intended: Value,
    required: int = 2,
    *,
    exact: bool = True,
) -> Margin:
    """The margin of a description. A margin below `required` is exact. A margin of `required` or
    more is a lower bound.

    Args:
        facts: the store.
        description: the variable and the parts that describe it.
        intended: the entity or value that the variable should be.
        required: the minimum margin that the recipe accepts.
        exact: whether to test all rivals. If false, the search ends at the first rival that is too
            near, since one such rival is enough to refuse a description. The result then names no
            breaking claims.
    """
    var, parts = description.var, description.parts
    if not parts:
        return Margin(var=var, margin=0)
    if intended.kind != "entity":
        return _literal_margin(facts, description, intended)
    listed: dict[str, None] = {}
    num_enumerated, too_large = 0, False
    if not any(p.role in ("of", "sentence") and settles(facts, p, parts) for p in parts) and (
        lacking := _incomplete(facts, parts, intended)
    ):
        return Margin(var=var, margin=0, incomplete=lacking)
    sure = tuple(p for p in parts if settles(facts, p, parts))
    # The part that most entities match tells least about a rival, so it comes last.
    ranked = sorted(parts, key=lambda p: (_size(facts, p), parts.index(p)))
    for part in ranked:
        if num_enumerated >= required:
            break
        matches = _matches(facts, part)
        if matches is None:
            too_large = True
            continue
        listed |= dict.fromkeys(sorted(matches))
        # A page may also name things without a link, so another part lists rivals too.
        num_enumerated += part.role != "sentence"
    unlisted = NO_RIVAL if sure else num_enumerated
    listed.pop(intended.entity, None)
    return _fewest_gaps(
        facts,
        var,
        ranked,
        sure,
        # The rivals that match the first part are few, and are most often too near.
        sorted(listed) if exact else list(listed),
        unlisted,
        too_large,
        stop_below=0 if exact else required,
    )


@remembered(4_096)
def _margin_of(facts: Lookups, description: Description, intended: Value, required: int) -> Margin:
    """The margin of a description, from a cache. Forms that differ only in later clauses share the
    cached margin."""
    return margin_of(facts, description, intended, required)


def _incomplete(facts: Lookups, parts: tuple[Part, ...], intended: Value) -> str:
    """A class that a description uses and of which the store may lack members; "" if the store
    holds nearly all members."""
    kinds = [p.clause.class_id for p in parts if isinstance(p.clause, ClassClause)] or list(
        classes_of(facts, intended.entity)
    )
    return next((k for k in kinds or [intended.entity] if not nearly_complete(facts, k)), "")


def _fewest_gaps(
    facts: Lookups,
    var: str,
    parts: list[Part],
    sure: tuple[Part, ...],
    rivals: list[str],
    unlisted: int,
    too_large: bool,
    *,
    stop_below: int,
) -> Margin:
    left: list[tuple[int, str, list[Part]]] = []
    breaking: set[str] = set()
    for rival in rivals:
        gaps, against = _held_against(facts, rival, parts, sure, most=0 if stop_below else 1)
        if not against:
            num_gaps = len(gaps) - (
                _num_vetoed(facts, rival, gaps) if len(gaps) <= stop_below else 0
            )
            if num_gaps < stop_below:
                return Margin(
                    var=var,
                    margin=num_gaps,
                    nearest=_rival(facts, var, rival, num_gaps, gaps),
                    too_large=too_large,
                )
            left.append((len(gaps), rival, gaps))
        elif not stop_below and len(against) == 1 and not gaps:
            about = (
                against[0].value.entity if against[0].role == "of" and against[0].value else rival
            )
            breaking.update(c.id for c in _claims(facts, about, against[0].property))
    left.sort(key=lambda entry: entry[:2])
    nearest: Rival | None = None
    margin = unlisted
    for position, (num_gaps, rival, gaps) in enumerate(left):
        if position < MAX_VETOED:
            num_gaps -= _num_vetoed(facts, rival, gaps)
        if num_gaps < margin or nearest is None:
            nearest = _rival(facts, var, rival, num_gaps, gaps)
        margin = min(margin, num_gaps)
    return Margin(
        var=var,
        margin=margin,
        nearest=nearest,
        breaking=tuple(sorted(breaking)[:MAX_BREAKING]),
        too_large=too_large,
    )


def _held_against(
    facts: Lookups, rival: str, parts: list[Part], sure: tuple[Part, ...], *, most: int
) -> tuple[list[Part], list[Part]]:
    """Two lists: the parts on which the store says nothing about a rival (gaps), and the parts that
    rule the rival out. The search ends when the second list has more than `most` parts, or when
    neither list is empty.

    The parts in `sure` leave no gap, since each of them leads to only one thing of a class, even if
    its property may have several values. For example, a town lies in one county, so any other
    county is ruled out.
    """
    gaps: list[Part] = []
    against: list[Part] = []
    for part in parts:
        verdict = status(facts, rival, part)
        if verdict == "gap" and part.role == "of" and part in sure:
            verdict = "contradicted"
        if verdict == "gap":
            gaps.append(part)
        elif verdict == "contradicted":
            against.append(part)
            if len(against) > most or gaps:
                break  # out, and not by one claim alone
    return gaps, against


def is_too_near(facts: Lookups, rival: str, parts: Iterable[Part], required: int) -> bool:
    """Whether a rival is known to be too near: the rival fits the description, or would fit if
    fewer than `required` missing claims were true.

    Args:
        facts: the store.
        rival: an entity other than the intended one.
        parts: the parts of the description.
        required: the minimum margin.

    Returns:
        False also if only `margin_of` could decide, because it reads the rival's page and knows
            which steps lead to a single thing.
    """
    num_gaps = 0
    for part in parts:
        verdict = status(facts, rival, part)
        num_gaps += verdict == "gap"
        if (
            verdict == "contradicted"
            or num_gaps >= required
            or (verdict, part.role) == ("gap", "of")
        ):
            return False
    return True


def _num_vetoed(facts: Facts, rival: str, gaps: list[Part]) -> int:
    return sum(text_says(facts, rival, part) for part in gaps)


def _rival(facts: Facts, var: str, entity_id: str, num_gaps: int, gaps: list[Part]) -> Rival:
    entity = facts.entity(entity_id)
    return Rival(
        var=var,
        entity_id=entity_id,
        label=entity.label(facts.language) if entity else entity_id,
        num_gaps=num_gaps,
        gaps=tuple(part_in_words(p) for p in gaps),
    )


def _literal_margin(facts: Lookups, description: Description, intended: Value) -> Margin:
    """The margin of a value such as a date or a number. The value is unique if it is the only best
    value of a property that has one value. No other clause can identify a date or a number."""
    for part in description.parts:
        if part.role == "of" and part.value is not None:
            found = best_values(facts, part.value.entity, part.property)
            others = [v for v in found if v.key() != intended.key()]
            if others:
                return Margin(
                    var=description.var,
                    margin=0,
                    nearest=Rival(
                        var=description.var, entity_id=others[0].key(), label=others[0].key()
                    ),
                )
            if found and settles(facts, part, description.parts):
                return Margin(
                    var=description.var,
                    margin=NO_RIVAL,
                    breaking=tuple(c.id for c in _claims(facts, part.value.entity, part.property)),
                )
            return Margin(var=description.var, margin=1)
    return Margin(var=description.var, margin=0)


def _century_margin(facts: Lookups, description: Description) -> Margin:
    """The margin of a century. A century is unique if all dates of the thing lie in it."""
    for part in description.parts:
        if (
            part.role == "of"
            and part.value is not None
            and has_one_century(facts, part.value.entity, part.property)
        ):
            return Margin(
                var=description.var,
                margin=NO_RIVAL,
                breaking=tuple(c.id for c in _claims(facts, part.value.entity, part.property)),
            )
    return Margin(var=description.var, margin=0)


def part_in_words(part: Part) -> str:
    """How the certificate names a part of a description: "P84=Q12" or "class Q39715"."""
    if isinstance(part.clause, ClassClause):
        return f"class {part.clause.class_id}"
    key = part.value.key() if part.value else ""
    if isinstance(part.clause, Fuzzy):
        return f"{part.property} by {part.clause.kind}"
    words = {
        "has": f"{part.property}={key}",
        "of": f"{part.property} of {key}",
        "range": f"{part.property}{part.op}{key}",
    }
    return words.get(part.role, f"sentence about {key}")


def margins(form: Form, facts: Lookups, binding: Binding, required: int = 2) -> tuple[Margin, ...]:
    """The margins of all variables of a form, in the order in which the variables are
    identified."""
    return tuple(
        _century_margin(facts, d)
        if form.ask.precision == CENTURY and d.var == form.ask.var
        else _margin_of(facts, d, binding[d.var], required)
        for d in descriptions(form, binding)
    )


def num_fitting(
    facts: Lookups, description: Description, without: str, most: int = 2
) -> int | None:
    """How many entities fit a description without the parts that refer to `without`, which is a
    variable or the id of a named entity. The count stops at `most`. The result is None if no
    remaining part can be enumerated. If no part can be enumerated, surely more than one entity
    fits.
    """
    parts = [p for p in description.parts if not _rests_on(p, without)]
    found = _fitting(facts, parts, most)
    return None if found is None else len(found)


def fitting(facts: Lookups, description: Description, most: int) -> tuple[str, ...] | None:
    """The entities that fit a description, up to `most` of them; None if they cannot be
    enumerated."""
    return _fitting(facts, list(description.parts), most)


def _fitting(facts: Lookups, parts: list[Part], most: int) -> tuple[str, ...] | None:
    if not parts:
        return None
    matches = _matches(facts, min(parts, key=lambda p: _size(facts, p)))
    if matches is None:
        return None
    fit = (c for c in matches if all(status(facts, c, p) == "match" for p in parts))
    return tuple(islice(fit, most))


def constants_of(description: Description) -> tuple[str, ...]:
    """The entities that a description mentions by name."""
    terms = [
        getattr(p.clause, end, None) for p in description.parts for end in ("subject", "object")
    ]
    return tuple(t.entity for t in terms if isinstance(t, Value) and t.kind == "entity")


def _rests_on(part: Part, end: str) -> bool:
    terms = [getattr(part.clause, name, None) for name in ("subject", "object", "left", "right")]
    return any(t == end or (isinstance(t, Value) and t.entity == end) for t in terms if t)
