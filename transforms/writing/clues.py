"""What a graph writer can say of an entity: clues that help to describe it, and attributes that can be asked."""
from prompts.phrases import property_use
from records.form import ClaimClause, ClassClause, Clause
from records.knowledge import Claim, Entity, Value, entity_value
from records.synthesis import Answer
from transforms.certificate.facts import Facts, Trust, best_values, is_functional
from transforms.writing.answers import answer_of
from transforms.writing.forms import SELF


def class_clause(entity: Entity) -> ClassClause | None:
    """The entity's class as a clause over `SELF`."""
    return ClassClause(var=SELF, class_id=entity.classes[0]) if entity.classes else None


def clue_clauses(facts: Facts, entity: Entity, avoid: frozenset[str], trust: Trust) -> list[tuple[float, Clause]]:
    """Claims of an entity that can help to describe it, each as a weight and a clause over `SELF`; functional ones weigh more.

    A value that is one of `avoid` (path nodes, the answer) is left out.
    """
    found: list[tuple[float, Clause]] = []
    for claim in facts.claims(entity.id):
        use = property_use(claim.property)
        if not (claim.best and use.clue) or use.volatile or claim.value.key() in avoid or not _sayable(facts, claim.value):
            continue
        weight = use.weight * (2.0 if is_functional(facts, claim.property, entity.classes, trust, entity.id) else 1.0)
        found.append((weight, ClaimClause(subject=SELF, property=claim.property, object=_said(claim.value))))
    return found


def _sayable(facts: Facts, value: Value) -> bool:
    if value.kind == "entity":
        entity = facts.entity(value.entity)
        return entity is not None and bool(entity.labels)
    return (value.kind == "time" and value.year is not None) or value.kind in ("quantity", "string", "monolingual")


def _said(value: Value) -> Value:
    """A date as a clue is said by its year."""
    if value.kind == "time" and value.precision > 9:
        return Value(kind="time", time=f"{value.time[:5]}-00-00T00:00:00Z", precision=9)
    return entity_value(value.entity) if value.kind == "entity" else value


def answerable(facts: Facts, trust: Trust, entity: Entity, max_words: int, avoid: frozenset[str]) -> list[tuple[float, Claim, Answer]]:
    """The attributes of an entity that can be asked: functional, stable, short, and not one of the nodes already used."""
    found = []
    for claim in facts.claims(entity.id):
        use = property_use(claim.property)
        if not (claim.best and use.answer) or use.volatile or claim.value.key() in avoid:
            continue
        if len(best_values(facts, entity.id, claim.property)) != 1 or not is_functional(facts, claim.property, entity.classes, trust, entity.id):
            continue
        answer = answer_of(facts, claim.value)
        if answer is not None and len(answer.text.split()) <= max_words:
            found.append((use.weight, claim, answer))
    return found
