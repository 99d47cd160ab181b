"""Describes a plan in the request to a model for the plan's words. The description has the steps
with hints and sentences, the asked value, the kinds of things, and the hidden names."""

from typing import Any

from questloom.prompts.fence import capped, fenced
from questloom.prompts.phrases.words import answer_words
from questloom.prompts.render import language_name, render
from questloom.prompts.roles import ROLES
from questloom.records.form import ClaimClause, ClassClause, Clause, Compute, Fuzzy, Reads
from questloom.records.knowledge import Value, value_of_key
from questloom.records.plan import Plan
from questloom.transforms.certificate.stating import statement_of
from questloom.transforms.facts.signs import SIGNS
from questloom.transforms.writing.form_edits import constants
from questloom.transforms.writing.llm.everyday_words import word_claim, word_question
from questloom.transforms.writing.llm.evidence_words import (
    about,
    clause_claim,
    clause_line,
    kinds_lines,
    roles_of,
)
from questloom.transforms.writing.llm.word_proof import relation_of, things
from questloom.transforms.writing.writer import Draft

MAX_TOKENS = 1_500
"""Maximum number of tokens of a first request, estimated by `CHARS_PER_TOKEN`. A request for a
correction may be longer."""
CHARS_PER_TOKEN = 4
MAX_SENTENCE_CHARS = 200
MIN_SENTENCE_CHARS = 40
"""Minimum number of characters that are shown of a sentence. A shorter part of a sentence would
tell nothing."""
MAX_HINTS = 3


def request_values(store: Any, plan: Plan, language: str, max_words: int) -> dict[str, Any]:
    """The values that fill the template `word_plan`. Parts of the evidence's sentences fill the
    request up to `MAX_TOKENS`.

    Args:
        store: the store.
        plan: the plan to word.
        language: the recipe's language.
        max_words: maximum number of words of the question.
    """
    bare = _values(store, plan, language, max_words, 0)
    used = len(render(ROLES["word_plan"], language=language_name(language), **bare).text)
    room = (MAX_TOKENS * CHARS_PER_TOKEN - used) // max(1, len(plan.logical_form.clauses)) - 10
    chars = min(MAX_SENTENCE_CHARS, room)
    return bare if chars < MIN_SENTENCE_CHARS else _values(store, plan, language, max_words, chars)


def _values(store: Any, plan: Plan, language: str, max_words: int, chars: int) -> dict[str, Any]:
    draft, form = Draft.of(plan), plan.logical_form
    anchor = store.entity(plan.anchor)
    steps = [step for c in form.clauses if (step := _step(store, draft, c, language, chars))]
    hidden = dict.fromkeys(
        [
            *(
                store.label(v.entity, language)
                for key in plan.bindings.values()
                if (v := value_of_key(key)).kind == "entity"
            ),
            plan.answer.text,
        ]
    )
    return {
        "shown": shown_words(store, plan, language),
        "seen": "" if form.sign else about(store, anchor, language, pictured=True),
        "sign": SIGNS.get(form.sign, ""),
        "steps": fenced("steps", "\n".join(f"{n}. {s}" for n, s in enumerate(steps, start=1))),
        "asked": _asked(store, draft, language),
        "answer": answer_words(plan.answer, language),
        "answer_type": " ".join(
            filter(None, (plan.answer.type, plan.answer.precision, plan.answer.unit))
        ),
        "example": _example(store, draft, language),
        "kinds": fenced(
            "kinds", kinds_lines(store, things(draft), draft.anchor, language, roles_of(draft))
        ),
        "hidden": fenced("hidden", "; ".join(hidden)),
        "named": "; ".join(store.label(e, language) for e in constants(form)),
        "written": bool(form.of(Reads)),
        "counted": any(c.op == "difference" for c in form.of(Compute)),
        "max_words": max_words,
    }


def shown_words(store: Any, plan: Plan, language: str) -> str:
    """The name of the pictured thing ("Peru"), or of the sign that is shown in its place ("the flag
    of Peru")."""
    name, sign = store.label(plan.anchor, language), plan.logical_form.sign
    return f"the {SIGNS[sign]} of {name}" if sign else name


def _step(store: Any, draft: Draft, clause: Clause, language: str, chars: int) -> str:
    """A clause in words, with hints for its relation and up to `chars` characters of the sentence
    that states the clause; "" for the clause that says what the picture shows."""
    line = clause_line(store, draft, clause, language)
    if not line or not isinstance(clause, ClaimClause | Fuzzy):
        return line
    hints = relation_of(store, clause.property, language).hints[:MAX_HINTS]
    if isinstance(clause, Fuzzy):  # the page's sentence has the value that is not to be said
        return f"{line} [{', '.join(hints)}]"
    claim = clause_claim(store, draft, clause)
    said = statement_of(store, claim) if claim is not None and chars and '"' not in line else None
    plain = word_claim(store, claim, language) if claim is not None else ""
    return (
        line
        + (f" ({plain})" if plain else "")
        + f" [{', '.join(hints)}]"
        + (f' ("{capped(" ".join(said.text.split()), chars)}")' if said else "")
    )


def _asking(draft: Draft) -> ClaimClause | None:
    """The claim whose value the question asks for."""
    return next((c for c in draft.form.of(ClaimClause) if c.object == draft.form.ask.var), None)


def _subject(draft: Draft, clause: ClaimClause) -> str:
    return (
        clause.subject.entity
        if isinstance(clause.subject, Value)
        else value_of_key(draft.bindings[clause.subject]).entity
    )


def _asked(store: Any, draft: Draft, language: str) -> str:
    """The asked value, in words for the model."""
    form = draft.form
    computed = next((c for c in form.of(Compute) if c.out == form.ask.var), None)
    if computed is not None:
        return f'what is computed: "{clause_line(store, draft, computed, language)}"'
    if (clause := _asking(draft)) is not None:
        return f'the value of "{clause_line(store, draft, clause, language)}"'
    kind = next((c for c in form.of(ClassClause) if c.var == form.ask.var), None)
    called = f"which {store.label(kind.class_id, language)} " if kind else "which thing "
    return f"{called}it is"


def _example(store: Any, draft: Draft, language: str) -> str:
    clause = _asking(draft)
    if clause is None or draft.answer.precision == "century":
        return ""
    value = value_of_key(draft.bindings[clause.object])  # type: ignore[index]
    return word_question(
        store, _subject(draft, clause), clause.property, value, language, draft.answer.precision
    )
