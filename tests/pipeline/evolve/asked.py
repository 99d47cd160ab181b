"""Questions with a small form, for tests that play nothing."""

from questloom.records.form import Ask, ClaimClause, Form, Image
from questloom.records.knowledge import Value
from questloom.records.synthesis import Answer, Question
from questloom.records.table import Json

CLAIM = ClaimClause(subject="x0", property="P84", object="x1")
FORM = Form(clauses=(Image(var="x0"), CLAIM), ask=Ask(var="x1", type="entity"))


def question(
    name: str = "s", level: str = "easy", form: Form | None = FORM, domain: str = "arts"
) -> Question:
    return Question(
        seed_id=name,
        seed_entity="Q1",
        method="paths",
        level=level,
        domain=domain,
        text=f"What is {name}?",
        writer="graph",
        answer=Answer(value=Value(kind="string", text="x"), text="x", type="string"),
        form=Json(form.to_json() if form else None),
    )
