"""A puzzle is the input of the oracle (a scripted solver): the question's logical form, with names
in place of identifiers. The puzzle contains only facts that a reader of the question knows.

The type `Puzzle` has no field that could give the answer away: no identifiers, values of variables,
certificates, evidence or answers. A puzzle has names for things from the question, and labels for
classes and relations.
"""

from collections.abc import Callable
from dataclasses import dataclass

from questloom.agent.oracle.relation_words import Relation
from questloom.knowledge.dates import coarsened, dates_of
from questloom.knowledge.store import Store
from questloom.records.form import (
    ClaimClause,
    ClassClause,
    Compare,
    Compute,
    Form,
    Fuzzy,
    Reads,
    SentenceClause,
    Term,
)
from questloom.records.knowledge import Value
from questloom.records.synthesis import Question


@dataclass(frozen=True, kw_only=True)
class Const:
    """A thing, a time or an amount that the question names."""

    kind: str
    """The kind of the constant: "thing", "date", "amount" or "text"."""
    text: str
    """The constant as text: the name of a thing, the number of an amount, or the date in ISO 8601
    form, as far as it is known."""
    unit: str = ""
    """The name of the unit; "" without a unit."""


COLOUR, INSCRIPTION = "P462", "P1684"
End = str | Const
"""The subject or object of a fact: a variable, or a constant from the question."""


@dataclass(frozen=True, kw_only=True)
class Fact:
    """A fact of the puzzle: `subject` has the `relation` to `object`. If the page of the subject or
    of the object only mentions the other, `relation` is None."""

    subject: End
    relation: Relation | None
    object: End


@dataclass(frozen=True, kw_only=True)
class Kind:
    """A statement that the thing `var` is of the kind that `words` name."""

    var: str
    words: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Order:
    """A comparison that is true: `left` is smaller than ("<"), greater than (">") or equal to ("=")
    `right`. If the two sides are things, the comparison can also say that they differ ("!=")."""

    left: End
    op: str
    right: End


@dataclass(frozen=True, kw_only=True)
class Sum:
    """A computation whose result is the variable `out`; see `questloom.records.form.Compute`."""

    out: str
    op: str
    args: tuple[End, ...]
    keys: tuple[End, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Look:
    """A detail to read in a picture: `var` is the detail's value, and `of` is the thing in the
    picture. If the question's picture shows the thing, the detail is in this picture. If the
    question's picture does not show the thing, the detail is in a picture on the thing's page."""

    var: str
    of: str
    property: str
    part: str


@dataclass(frozen=True, kw_only=True)
class Puzzle:
    """A question in the logical form that the oracle (a scripted solver) gets."""

    pictured: str
    """The variable that stands for the thing in the question's picture, <image:0>."""
    pictured_as: str
    """The words that the question uses for the pictured thing ("the lighthouse in the picture")."""
    seen: tuple[str, ...] = ()
    """Words for what the picture visibly shows ("red", "tower", "7"). Only some solvers use the
    words for what the picture shows."""
    flaw: str = ""
    """A flaw that everybody sees in the picture: "blur" or "upside_down" (see
    `transforms/enhancement/degrade.py`); "" for none."""
    facts: tuple[Fact, ...]
    kinds: tuple[Kind, ...] = ()
    orders: tuple[Order, ...] = ()
    sums: tuple[Sum, ...] = ()
    looks: tuple[Look, ...] = ()
    ask: str
    ask_type: str
    """The type of the answer: "entity", "date", "quantity" or "string"."""
    unit: str = ""
    precision: str = ""


Naming = Callable[[str], tuple[str, ...]]
"""A function that takes an item's id and returns the item's names, the label first."""


def puzzle_from(question: Question, store: Store, *, sighted: bool = False) -> Puzzle | None:
    """Makes the puzzle (the oracle's input) of a kept question. Returns None if the question has no
    logical form. From the store, the function takes names and nothing else.

    Args:
        sighted: whether the puzzle states what the picture visibly shows, according to the
            picture's file page.
    """
    form = question.logical_form
    if form is None:
        return None

    def name(item: str) -> tuple[str, ...]:
        entity = store.entity(item)
        return (
            (entity.label(question.language), *entity.other_names(question.language))
            if entity
            else (item,)
        )

    def relation(property_id: str) -> Relation:
        info = store.property(property_id)
        return Relation(
            property=property_id,
            label=info.label(question.language) if info else property_id,
            datatype=info.datatype if info else "wikibase-item",
        )

    flaw = question.enhancement.degradation if question.enhancement else ""
    seen = _seen(question, store, name) if sighted else ()
    return puzzle_of(
        form, pictured_as=question.anchor_phrase, seen=seen, flaw=flaw, name=name, relation=relation
    )


def _seen(question: Question, store: Store, name: Naming) -> tuple[str, ...]:
    """Words for the colour and the kind of the pictured thing, followed by the text that is visible
    on the thing."""
    image = store.image(question.source_image_id)
    assert image is not None, "a kept question's picture is in its store"
    coloured = [
        word
        for d in image.details
        if d.property == COLOUR
        for word in (name(d.value.entity)[0], name(d.part)[0])
    ]
    return *coloured, *(d.value.text for d in image.details if d.property == INSCRIPTION)


def puzzle_of(
    form: Form,
    *,
    pictured_as: str,
    seen: tuple[str, ...] = (),
    flaw: str = "",
    name: Naming,
    relation: Callable[[str], Relation],
) -> Puzzle:
    """Turns a logical form into a puzzle with names.

    Args:
        form: logical form of the question; its identifiers are replaced by names.
        pictured_as: the question's words for the pictured thing.
        seen: words for what is visible in the picture.
        flaw: the obvious flaw of the picture.
        name: function that looks up the names of constants, classes, units and parts.
        relation: function that looks up the names of a property.
    """

    def end(term: Term) -> End:
        return term if isinstance(term, str) else _const(term, name)

    facts = [
        Fact(subject=end(c.subject), relation=relation(c.property), object=end(c.object))
        for c in form.of(ClaimClause)
    ]
    facts += [
        Fact(subject=c.subject, relation=None, object=end(c.object))
        for c in form.of(SentenceClause)
    ]
    kinds = [Kind(var=c.var, words=name(c.class_id)) for c in form.of(ClassClause)]
    orders = [Order(left=end(c.left), op=c.op, right=end(c.right)) for c in form.of(Compare)]
    for number, vague in enumerate(form.of(Fuzzy)):
        value = f"vague{number}"
        facts.append(Fact(subject=vague.subject, relation=relation(vague.property), object=value))
        if vague.kind in ("category", "meta-attribute") and isinstance(vague.object, Value):
            kinds.append(Kind(var=value, words=name(vague.object.entity)))
        elif vague.kind == "exclusion":
            orders.append(Order(left=value, op="!=", right=end(vague.object)))
        elif vague.kind == "range" and isinstance(vague.object, Value):
            orders += _within(value, vague.object)
        elif isinstance(vague.object, str):
            facts.append(
                Fact(subject=vague.object, relation=relation(vague.since), object=f"since{number}")
            )
    return Puzzle(
        pictured=form.anchor,
        pictured_as=pictured_as,
        seen=seen,
        flaw=flaw,
        facts=tuple(facts),
        ask=form.ask.var,
        ask_type=form.ask.type,
        unit=form.ask.unit,
        precision=form.ask.precision,
        kinds=tuple(kinds),
        orders=tuple(orders),
        sums=tuple(
            Sum(out=c.out, op=c.op, args=tuple(map(end, c.args)), keys=tuple(map(end, c.keys)))
            for c in form.of(Compute)
        ),
        looks=tuple(
            Look(
                var=c.var,
                of=c.of,
                property=c.property,
                part=next(iter(name(c.part)), "") if c.part else "",
            )
            for c in form.of(Reads)
        ),
    )


def _within(var: str, period: Value) -> list[Order]:
    """Makes the two comparisons that say: this year lies in that decade or century."""
    (first, *_), (last, *_) = dates_of(period)[-1].span
    before, after = (Const(kind="date", text=str(y)) for y in (first - 1, last + 1))
    return [Order(left=var, op=">", right=before), Order(left=var, op="<", right=after)]


def _const(value: Value, name: Naming) -> Const:
    match value.kind:
        case "entity":
            return Const(kind="thing", text=next(iter(name(value.entity)), ""))
        case "time":
            said = coarsened(value, value.precision).time.lstrip("+").partition("T")[0]
            return Const(kind="date", text=said.removesuffix("-00").removesuffix("-00"))
        case "quantity":
            return Const(
                kind="amount",
                text=f"{value.number:.12g}",
                unit=next(iter(name(value.unit)), "") if value.unit else "",
            )
    return Const(kind="text", text=value.text)
