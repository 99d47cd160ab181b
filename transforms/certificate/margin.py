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

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from questloom.records.form import ClassClause, Form
from questloom.records.knowledge import Claim, Value
from questloom.records.synthesis import Rival
from questloom.transforms.certificate.description import Description, Part, descriptions
from questloom.transforms.certificate.execute import Binding
from questloom.transforms.certificate.fitting import matches_of, size_of_part
from questloom.transforms.certificate.part_status import part_in_words, settles, status
from questloom.transforms.certificate.text_veto import text_says
from questloom.transforms.facts.century import CENTURY, has_one_century
from questloom.transforms.facts.completeness import nearly_complete
from questloom.transforms.facts.lookups import Facts, Lookups
from questloom.transforms.facts.values import ENUMERATION_LIMIT, best_values, classes_of
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


def _claims(facts: Facts, subject: str, property: str) -> list[Claim]:
    return [c for c in facts.claims(subject) if c.property == property and c.best]


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
    if not any(p.role in ("of", "sentence") and settles(facts, p, parts) for p in parts) and (
        lacking := _incomplete(facts, parts, intended)
    ):
        return Margin(var=var, margin=0, incomplete=lacking)
    sure = tuple(p for p in parts if settles(facts, p, parts))
    # The part that most entities match tells least about a rival, so it comes last.
    ranked = sorted(parts, key=lambda p: (size_of_part(facts, p), parts.index(p)))
    listing: list[Part] = []
    num_enumerated, too_large = 0, False
    for part in ranked:
        if num_enumerated >= required:
            break
        if size_of_part(facts, part) > ENUMERATION_LIMIT:
            too_large = True
            continue
        listing.append(part)
        # A page may also name things without a link, so another part lists rivals too.
        num_enumerated += part.role != "sentence"
    rivals = _listed(facts, listing, intended.entity)
    return _fewest_gaps(
        facts,
        var,
        ranked,
        sure,
        # The rivals that match the first part are few, and are most often too near.
        sorted(rivals) if exact else rivals,
        NO_RIVAL if sure else num_enumerated,
        too_large,
        stop_below=0 if exact else required,
    )


def _listed(facts: Lookups, listing: list[Part], intended: str) -> Iterator[str]:
    """Gives each thing once that matches a part in `listing`."""
    seen = {intended}
    for part in listing:
        for rival in sorted(matches_of(facts, part) or ()):
            if rival not in seen:
                seen.add(rival)
                yield rival


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
    rivals: Iterable[str],
    unlisted: int,
    too_large: bool,
    *,
    stop_below: int,
) -> Margin:
    left: list[tuple[int, str, list[Part]]] = []
    least = facts.trust.least_margin(stop_below) if stop_below else 0
    breaking: set[str] = set()
    for rival in rivals:
        gaps, against = _held_against(facts, rival, parts, sure, most=0 if stop_below else 1)
        if not against:
            # A rival with fewer gaps than `least` is too near, whatever its page says.
            num_gaps = len(gaps) - (
                _num_vetoed(facts, rival, gaps) if least <= len(gaps) <= stop_below else 0
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


def margins(form: Form, facts: Lookups, binding: Binding, required: int = 2) -> tuple[Margin, ...]:
    """The margins of all variables of a form, in the order in which the variables are
    identified."""
    return tuple(
        _century_margin(facts, d)
        if form.ask.precision == CENTURY and d.var == form.ask.var
        else _margin_of(facts, d, binding[d.var], required)
        for d in descriptions(form, binding)
    )
