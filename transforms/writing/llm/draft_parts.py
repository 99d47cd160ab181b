"""Small pieces of drafts that every role of the llm writer needs: prompt values, places of sentences, free variables."""

from typing import Any

from questloom.knowledge.dates import PRECISIONS
from questloom.prompts.fence import fenced
from questloom.prompts.phrases.words import answer_words
from questloom.records.form import Ask, ClaimClause, Clause, Form, variables
from questloom.records.knowledge import Value
from questloom.records.synthesis import Answer, Hop
from questloom.transforms.writing.answers import telling
from questloom.transforms.writing.form_edits import (
    constants,
    describe_variable,
    hide_constant,
    show_constant,
)
from questloom.transforms.writing.llm.everyday_words import word_question
from questloom.transforms.writing.llm.evidence_words import about
from questloom.transforms.writing.llm.material import ClaimLine, Material
from questloom.transforms.writing.writer import Draft, Mention


def question_values(draft: Draft) -> dict[str, Any]:
    """A draft as prompts show it."""
    return {"question": fenced("question", draft.text), "answer": answer_words(draft.answer)}


def blocks(shown: Material) -> dict[str, Any]:
    """The numbered material as prompts show it; of sentences, where there are none, nothing."""
    return {
        "claims": shown.claims_block,
        "sentences": shown.sentences_block if shown.sentences else "",
    }


def asking_values(
    store, numbers: tuple[int, ...], shown: Material, most: int, language: str
) -> dict[str, Any]:
    """What a prompt says of the claims that may be asked for: a line each, those that people like best to know first, with number, kind of value and a wording
    ("3 (town): In which town was Ada Orm born?"); for how many questions that does, `most` at most; and whether there is a choice."""
    lines = sorted(
        ((n, shown.claim(n)) for n in numbers),
        key=lambda nl: -telling(nl[1].claim.property, nl[1].value),
    )
    said = (_askable_line(store, shown.entity.id, n, line, language) for n, line in lines)
    num_wanted = (
        most if shown.sentences else min(most, len({line.claim.property for _, line in lines}))
    )
    return {
        "askable": fenced("askable", "\n".join(said) or "(none)"),
        "num_wanted": num_wanted,
        "choice": bool(shown.sentences) or len(numbers) > 1,
    }


def _askable_line(store, subject: str, number: int, line: ClaimLine, language: str) -> str:
    kind, words = (
        _kind(store, line.value, language),
        word_question(store, subject, line.claim.property, line.value, language),
    )
    return f"{number}{f' ({kind})' if kind else ''}{f': {words}' if words else ''}"


def _kind(store, value: Value, language: str) -> str:
    """What sort of thing a value is, in the words in which a question asks for it; "" of a number, which has its unit, and of a text."""
    if value.kind == "time":
        return next(
            (name for name, precision in PRECISIONS.items() if precision == value.precision), ""
        )
    entity = store.entity(value.entity)
    return about(store, entity, language) if entity is not None else ""


def formal_first(drafts: list[Draft]) -> list[Draft]:
    """The reply's order, but drafts with a form before those that only votes can support."""
    return sorted(drafts, key=lambda d: d.form is None)


def ask_for(answer: Answer, var: str = "a") -> Ask:
    """What a form asks for."""
    return Ask(var=var, type=answer.type, unit=answer.unit, precision=answer.precision)


def place_of(shown: Material, number: int) -> dict[str, Any]:
    """Where a cited sentence stands, as fields of a fact or a rewrite."""
    line = shown.sentence(number)
    assert shown.article is not None
    return {
        "article_id": shown.article.id,
        "revision": shown.article.revision,
        "section": line.section,
        "start": line.start,
        "end": line.end,
    }


def hop_clause(hop: Hop) -> Clause:
    """A hop over a claim as a clause between its variables."""
    subject, value = (hop.target, hop.source) if hop.reverse else (hop.source, hop.target)
    return ClaimClause(subject=subject, property=hop.property, object=value)


def free_var(form: Form | None, bindings: dict[str, str]) -> str:
    """A variable that neither the form nor the bindings use: a draft without a form still says which entities are hidden."""
    used = set(bindings)
    for clause in form.clauses if form else ():
        used.update(variables(clause))
    return next(v for i in range(len(used) + 1) if (v := f"x{i}") not in used)


def described(
    draft: Draft, mention: Mention, clauses: tuple[Clause, ...]
) -> tuple[Form | None, dict[str, str], str]:
    """Form, bindings and the variable after an entity was described; no form where the draft has none, or nothing says the description formally."""
    if mention.var:
        form = (
            describe_variable(draft.form, mention.var, clauses)
            if draft.form is not None and clauses
            else None
        )
        return form, dict(draft.bindings), mention.var
    var = free_var(draft.form, draft.bindings)
    bindings = {**draft.bindings, var: mention.entity_id}
    if draft.form is None or not clauses or mention.entity_id not in constants(draft.form):
        return None, bindings, var
    return hide_constant(draft.form, mention.entity_id, var, clauses), bindings, var


def pictured(
    form: Form | None, bindings: dict[str, str], entity_id: str
) -> tuple[Form | None, dict[str, str]]:
    """Form and bindings after a named entity became the picture; no form where there was none, or it does not name the entity."""
    var = free_var(form, bindings)
    return show_constant(form, entity_id, var) if form is not None and entity_id in constants(
        form
    ) else None, {**bindings, var: entity_id}
