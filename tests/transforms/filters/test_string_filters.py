"""`answer_in_question`, `solvable` without a model and the search shortcuts: each with what it drops and what it lets pass."""
import pytest

from records.form import Ask, ClaimClause, Form, Image
from records.knowledge import Entity, entity_value
from records.outcomes import Reason, Rejection
from records.synthesis import Answer, Certificate, Question
from records.table import Json
from tests.small_facts import SmallFacts, claim, year
from transforms.certificate.certify import CertificateRules, certify_form
from transforms.certificate.evidence import evidence
from transforms.filters.answer_in_question import answer_in_question
from transforms.filters.evidence_only import solvable
from transforms.filters.search_shortcuts import Found, search_shortcut

NAMES = {"Q2": Entity(id="Q2", labels={"en": "Ilse Varga", "de": "Ilse Warga"}, aliases={"en": ("The Baroness",)})}
FORM = Form(clauses=(Image(var="x0"), ClaimClause(subject="x0", property="P84", object="a")), ask=Ask(var="a", type="entity"))
FACTS = SmallFacts([claim("Q1", "P84", "Q2"), claim("Q1", "P571", year(1800))], dict(NAMES))


def question(text: str = "Who designed the tower shown here?", answer: Answer | None = None, **more) -> Question:
    answer = answer or Answer(value=entity_value("Q2"), text="Ilse Varga", type="entity")
    return Question(seed_id="s", seed_entity="Q1", method="paths", level="easy", domain="other", text=text, writer="graph", answer=answer, anchor="Q1",
                    form=Json(FORM.to_json()), bindings={"x0": "Q1", "a": "Q2"}, **more)


@pytest.mark.parametrize(("text", "found"), [
    ("Did Ilse Varga design it?", "Ilse Varga"), ("Is it the ilse-várga’s tower?", "Ilse Varga"), ("Did the Baroness design it?", "The Baroness"),
    ("Did Ilse Vargas design it?", "Ilse Varga"), ("Did Ilse design it?", ""), ("Did Ilse Warga design it?", "")])
def test_a_question_that_says_its_answer_or_an_alias_is_dropped(text, found):
    kept = answer_in_question(question(text), FACTS, ("en",))
    assert isinstance(kept, Rejection) == bool(found)
    if isinstance(kept, Rejection):
        assert kept.reason == Reason.ANSWER_IN_QUESTION and kept.evidence == {"found": found}
    else:
        assert kept.verdicts[-1].filter == "answer_in_question"


def test_a_year_is_found_as_digits_and_in_words():
    answer = Answer(value=year(1832), text="1832", type="date")
    assert isinstance(answer_in_question(question("Was it 1832?", answer), FACTS, ("en",)), Rejection)
    assert isinstance(answer_in_question(question("Was it eighteen thirty-two?", answer), FACTS, ("en",)), Rejection)
    assert isinstance(answer_in_question(question("Was it 18320?", answer), FACTS, ("en",)), Question)


def certified(**more) -> Question:
    hops = evidence(FORM, FACTS, {"x0": entity_value("Q1"), "a": entity_value("Q2")})
    return question(certificate=Certificate(basis="margin", margin=9, evidence=hops), **more)


def test_a_question_whose_evidence_leads_to_its_answer_is_solvable():
    kept = solvable(certified(), FACTS)
    assert isinstance(kept, Question) and kept.verdicts[-1].solver == "evidence_execution"


def test_without_a_claim_for_a_hop_or_with_another_answer_it_is_not():
    bare = certified()
    assert isinstance(solvable(bare.replace(certificate=bare.certificate.replace(evidence=())), FACTS), Rejection)
    other = solvable(bare.replace(answer=Answer(value=entity_value("Q9"), text="Q9", type="entity")), FACTS)
    assert isinstance(other, Rejection) and other.reason == Reason.NOT_SOLVABLE and other.evidence == {"found": ["Q2"]}


def test_without_a_form_or_a_certificate_nothing_is_executed():
    for plain in (question(), certified().replace(form=Json(None))):
        assert solvable(plain, FACTS).verdicts[-1].solver == "not_run"


def test_a_page_that_states_the_answer_is_a_shortcut_and_is_quoted_with_its_rank():
    pages = [Found(title="Nothing", entity_id="Q8", text="of use"), Found(title="Tower", entity_id="Q1", text="Built by Ilse Varga.")]
    dropped = search_shortcut(question(), pages, FACTS, ("en",), filter="text_search")
    assert isinstance(dropped, Rejection) and dropped.reason == Reason.TEXT_SEARCH_SHORTCUT
    assert dropped.evidence["rank"] == 1 and dropped.evidence["found"] == "Ilse Varga"
    assert isinstance(search_shortcut(question(), pages, FACTS, ("en",), filter="image_search"), Rejection)
    kept = search_shortcut(question(), pages[:1], FACTS, ("en",), filter="text_search")
    assert isinstance(kept, Question) and kept.verdicts[-1].num_samples == 1


def test_a_name_on_a_page_about_something_else_counts_only_beside_another_name_of_the_question():
    facts = SmallFacts([claim("Q1", "P84", "Q2"), claim("Q2", "P31", "Q5")], {**NAMES, "Q1": Entity(id="Q1", labels={"en": "Old Tower"})})
    pages = {("Q8", "By Ilse Varga."): True, ("Q8", "By Ilse Varga, as the Old Tower."): False, ("Q8", "A Varga owned it, and the Old Tower."): True,
             ("Q1", "By Varga."): False}
    for (about, text), kept in pages.items():
        found = search_shortcut(question(), [Found(title="T", entity_id=about, text=text)], facts, ("en",), filter="image_search")
        assert isinstance(found, Question) == kept, text


def test_a_bare_year_counts_only_on_a_page_about_a_node():
    asked = question(answer=Answer(value=year(1832), text="1832", type="date"))
    stranger, node = (Found(title="T", entity_id=e, text="In 1832.") for e in ("Q8", "Q1"))
    assert isinstance(search_shortcut(asked, [stranger], FACTS, ("en",), filter="text_search"), Question)
    assert isinstance(search_shortcut(asked, [node], FACTS, ("en",), filter="text_search"), Rejection)


def test_the_certificate_of_a_form_names_what_it_checked():
    facts = SmallFacts([c for i in range(60) for c in (claim(f"Q1{i}", "P31", "Qt"), claim(f"Q1{i}", "P84", f"Q2{i}"))])
    made = certify_form(FORM, facts, {"x0": entity_value("Q13")}, {"x0": "Q13", "a": "Q23"}, CertificateRules(stated=False))
    assert {c.name for c in made.checks} == {"claims", "stated", "connected", "one_answer", "margin", "no_decoration", "needs_picture",
                                               "no_guess", "effective_hops"}
