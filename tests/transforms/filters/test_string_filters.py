"""`answer_in_question`, `solvable` without a model and the search shortcuts: each with what it drops and what it lets pass."""

import pytest

from questloom.records.form import Ask, ClaimClause, Form, Image, Reads
from questloom.records.knowledge import (
    Article,
    Detail,
    Entity,
    ImageAsset,
    InfoboxField,
    Section,
    Value,
    entity_value,
)
from questloom.records.outcomes import Reason, Rejection
from questloom.records.synthesis import Answer, Certificate, Question
from questloom.records.table import Json
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.certificate.certify import certify_form
from questloom.transforms.certificate.evidence import evidence
from questloom.transforms.filters.answer_in_question import answer_in_question
from questloom.transforms.filters.evidence_only import EvidenceFacts, solvable
from questloom.transforms.filters.search_shortcuts import Found, page_text, search_shortcut
from tests.small_facts import SmallFacts, claim, year

NAMES = {
    "Q2": Entity(
        id="Q2", labels={"en": "Ilse Varga", "de": "Ilse Warga"}, aliases={"en": ("The Baroness",)}
    )
}
FORM = Form(
    clauses=(Image(var="x0"), ClaimClause(subject="x0", property="P84", object="a")),
    ask=Ask(var="a", type="entity"),
)
FACTS = SmallFacts([claim("Q1", "P84", "Q2"), claim("Q1", "P571", year(1800))], dict(NAMES))


def question(
    text: str = "Who designed the tower shown here?", answer: Answer | None = None, **more
) -> Question:
    answer = answer or Answer(value=entity_value("Q2"), text="Ilse Varga", type="entity")
    return Question(
        seed_id="s",
        seed_entity="Q1",
        method="paths",
        level="easy",
        domain="other",
        text=text,
        writer="graph",
        answer=answer,
        anchor="Q1",
        form=Json(FORM.to_json()),
        bindings={"x0": "Q1", "a": "Q2"},
        **more,
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Did Ilse Varga design it?", "Ilse Varga"),
        ("Is it the ilse-várga’s tower?", "Ilse Varga"),
        ("Did the Baroness design it?", "The Baroness"),
        ("Did Ilse Vargas design it?", "Ilse Varga"),
        ("Did Ilse design it?", ""),
        ("Did Ilse Warga design it?", ""),
    ],
)
def test_a_question_that_says_its_answer_or_an_alias_is_dropped(text, found):
    kept = answer_in_question(question(text), FACTS, ("en",))
    assert isinstance(kept, Rejection) == bool(found)
    if isinstance(kept, Rejection):
        assert kept.reason == Reason.ANSWER_IN_QUESTION and kept.evidence == {"found": found}
    else:
        assert (kept.verdicts[-1].filter, kept.verdicts[-1].passed, kept.verdicts[-1].solver) == (
            "answer_in_question",
            True,
            "string_match",
        )


def test_a_year_is_found_as_digits_and_in_words():
    answer = Answer(value=year(1832), text="1832", type="date")
    assert isinstance(
        answer_in_question(question("Was it 1832?", answer), FACTS, ("en",)), Rejection
    )
    assert isinstance(
        answer_in_question(question("Was it eighteen thirty-two?", answer), FACTS, ("en",)),
        Rejection,
    )
    assert isinstance(
        answer_in_question(question("Was it 18320?", answer), FACTS, ("en",)), Question
    )


def certified(**more) -> Question:
    hops = evidence(FORM, FACTS, {"x0": entity_value("Q1"), "a": entity_value("Q2")})
    return question(certificate=Certificate(basis="margin", margin=9, evidence=hops), **more)


def test_a_question_whose_evidence_leads_to_its_answer_is_solvable():
    kept = solvable(certified(), FACTS)
    assert isinstance(kept, Question) and kept.verdicts[-1].solver == "evidence_execution"


def test_among_given_claims_a_century_and_a_julian_day_are_found_by_what_they_hold():
    dates = {
        "Q5": Value(kind="time", time="+1900-00-00T00:00:00Z", precision=7),
        "Q6": Value(kind="time", time="+1642-12-25T00:00:00Z", precision=11, unit="Q1985786"),
    }
    facts = EvidenceFacts(FACTS, dates, [claim(q, "P571", date) for q, date in dates.items()])
    found = {
        key: facts.subjects("P571", f"time:{key}")
        for key in (
            "+1850/9",
            "+1900/9",
            "+1901/9",
            "+1642/9",
            "+1643/9",
            "+1643-01-04/11",
            "+1642-12-25/11",
        )
    }
    assert found == {
        "+1850/9": ("Q5",),
        "+1900/9": ("Q5",),
        "+1901/9": (),
        "+1642/9": ("Q6",),
        "+1643/9": ("Q6",),
        "+1643-01-04/11": ("Q6",),
        "+1642-12-25/11": (),
    }


def test_without_a_claim_for_a_hop_or_with_another_answer_it_is_not():
    bare = certified()
    assert isinstance(
        solvable(bare.replace(certificate=bare.certificate.replace(evidence=())), FACTS), Rejection
    )
    other = solvable(
        bare.replace(answer=Answer(value=entity_value("Q9"), text="Q9", type="entity")), FACTS
    )
    assert (
        isinstance(other, Rejection)
        and other.reason == Reason.NOT_SOLVABLE
        and other.evidence == {"found": ["Q2"]}
    )


def test_without_a_form_or_a_certificate_nothing_is_executed():
    for plain in (question(), certified().replace(form=Json(None))):
        assert solvable(plain, FACTS).verdicts[-1].solver == "not_run"


def test_a_page_that_states_the_answer_is_a_shortcut_and_is_quoted_with_its_rank():
    pages = [
        Found(title="Nothing", entity_id="Q8", text="of use"),
        Found(title="Tower", entity_id="Q1", text="Built by Ilse Varga."),
    ]
    dropped = search_shortcut(question(), pages, FACTS, ("en",), filter="text_search")
    assert isinstance(dropped, Rejection) and dropped.reason == Reason.TEXT_SEARCH_SHORTCUT
    assert dropped.evidence["rank"] == 1 and dropped.evidence["found"] == "Ilse Varga"
    assert isinstance(
        search_shortcut(question(), pages, FACTS, ("en",), filter="image_search"), Rejection
    )
    kept = search_shortcut(question(), pages[:1], FACTS, ("en",), filter="text_search")
    assert isinstance(kept, Question) and kept.verdicts[-1].num_samples == 1


def test_a_name_on_a_page_about_something_else_counts_only_beside_another_name_of_the_question():
    facts = SmallFacts(
        [claim("Q1", "P84", "Q2"), claim("Q2", "P31", "Q5")],
        {**NAMES, "Q1": Entity(id="Q1", labels={"en": "Old Tower"})},
    )
    pages = {
        ("Q8", "By Ilse Varga."): True,
        ("Q8", "By Ilse Varga, as the Old Tower."): False,
        ("Q8", "A Varga owned it, and the Old Tower."): True,
        ("Q1", "By Varga."): False,
    }
    for (about, text), kept in pages.items():
        found = search_shortcut(
            question(),
            [Found(title="T", entity_id=about, text=text)],
            facts,
            ("en",),
            filter="image_search",
        )
        assert isinstance(found, Question) == kept, text


def test_a_bare_year_counts_only_on_a_page_about_a_node():
    asked = question(answer=Answer(value=year(1832), text="1832", type="date"))
    stranger, node = (Found(title="T", entity_id=e, text="In 1832.") for e in ("Q8", "Q1"))
    assert isinstance(
        search_shortcut(asked, [stranger], FACTS, ("en",), filter="text_search"), Question
    )
    assert isinstance(
        search_shortcut(asked, [node], FACTS, ("en",), filter="text_search"), Rejection
    )


def test_the_certificate_of_a_form_names_what_it_checked():
    facts = SmallFacts(
        [
            c
            for i in range(60)
            for c in (claim(f"Q1{i}", "P31", "Qt"), claim(f"Q1{i}", "P84", f"Q2{i}"))
        ]
    )
    made = certify_form(
        FORM,
        facts,
        {"x0": entity_value("Q13")},
        {"x0": "Q13", "a": "Q23"},
        CertificateRules(stated=False),
    )
    assert {c.name for c in made.checks} == {
        "claims",
        "stated",
        "connected",
        "one_answer",
        "margin",
        "no_decoration",
        "needs_picture",
        "no_guess",
        "effective_hops",
    }


def test_a_question_without_a_form_or_a_certificate_is_not_run():
    for asked in (certified().replace(form=Json(None)), question()):
        kept = solvable(asked, FACTS)
        assert isinstance(kept, Question) and (
            kept.verdicts[-1].solver,
            kept.verdicts[-1].passed,
            kept.verdicts[-1].filter,
        ) == ("not_run", None, "solvable")
    verdict = solvable(certified(), FACTS).verdicts[-1]
    assert (verdict.passed, verdict.num_samples, verdict.num_correct) == (True, 1, 1)


def test_a_detail_that_the_chosen_picture_does_not_show_cannot_be_solved():
    plaque = Detail(property="P1684", part="Qp", value=Value(kind="string", text="ANNO 1800"))
    images = tuple(
        ImageAsset(id=i, file="x", mime="image/jpeg", width=1, height=1, num_bytes=1, details=d)
        for i, d in (("with", (plaque,)), ("bare", ()))
    )
    facts = SmallFacts([claim("Q1", "P84", "Q2")], dict(NAMES), images={"Q1": images})
    form = Form(
        clauses=(*FORM.clauses, Reads(var="y", of="x0", property="P1684", part="Qp")), ask=FORM.ask
    )
    hops = evidence(FORM, facts, {"x0": entity_value("Q1"), "a": entity_value("Q2")})
    asked = question(certificate=Certificate(basis="margin", margin=9, evidence=hops)).replace(
        form=Json(form.to_json()), bindings={"x0": "Q1", "a": "Q2", "y": year(1800).key()}
    )
    assert isinstance(solvable(asked.replace(source_image_id="with"), facts), Question)
    refused = solvable(asked.replace(source_image_id="bare"), facts)
    assert (
        refused.evidence == {"what": "the chosen picture does not show the detail"}
        and refused.reason == Reason.NOT_SOLVABLE
    )
    later = Form(
        clauses=(*FORM.clauses, Reads(var="y", of="a", property="P1684", part="Qp")),
        ask=Ask(var="y", type="date", precision="year"),
    )
    elsewhere = asked.replace(
        source_image_id="bare",
        form=Json(later.to_json()),
        answer=Answer(value=year(1800), text="1800", type="date", precision="year"),
    )
    facts.images = {"Q1": images[1:], "Q2": images[:1]}
    assert isinstance(solvable(elsewhere, facts), Question), (
        "the picture of what was found shows it"
    )
    facts.images = {"Q1": images[:1]}
    assert solvable(elsewhere, facts).evidence == {"found": []}


def test_what_is_given_as_evidence_is_all_that_there_is():
    claims = [claim("Q1", "P84", "Q2"), claim("Q1", "P31", "Q39715"), claim("Q2", "P31", "Q5")]
    facts = SmallFacts(claims, {"Q1": Entity(id="Q1"), "Q2": Entity(id="Q2")})
    given = EvidenceFacts(facts, ["Q2", "Q1"], claims[:1])
    assert [c.property for c in given.claims("Q1")] == ["P84"] and given.claims(
        "Q2"
    ) == () == given.claims_into("Q2")
    assert given.subjects("P84", "Q2") == ("Q1",) and given.subjects(
        "P84", "Q3"
    ) == () == given.subjects("P31", "Q39715")
    assert given.num_subjects("P84", "Q2") == 1
    assert (
        given.members("Q39715") == ("Q1",)
        and given.members("Q5") == ("Q2",)
        and given.num_members("Q1") == 0
    )
    assert given.article("Q1") is None and given.entity_of_title("Q1") is None
    above = SmallFacts([claim("Q7", "P31", "Q8"), claim("Q8", "P279", "Q9")])
    assert EvidenceFacts(above, ["Q7", "Qnone"], []).members("Q9") == ("Q7",)


def test_a_shortcut_tells_the_rank_the_page_and_what_it_says_and_a_verdict_counts_the_pages():
    pages = [
        Found(title="Hill", entity_id="Q9", text="nothing"),
        Found(title="Tower", entity_id="Q1", text="x" * 300 + " Ilse Varga"),
    ]
    refused = search_shortcut(question(), pages, FACTS, ("en",), filter="image_search")
    assert refused.reason == Reason.IMAGE_SEARCH_SHORTCUT
    assert refused.evidence == {
        "rank": 1,
        "title": "Tower",
        "found": "Ilse Varga",
        "passage": "x" * 300,
    }
    kept = search_shortcut(question(), pages[:1] * 3, FACTS, ("en",), filter="text_search")
    assert (kept.verdicts[-1].filter, kept.verdicts[-1].num_samples, kept.verdicts[-1].passed) == (
        "text_search",
        3,
        True,
    )


def test_a_pages_text_is_its_sections_and_its_infobox():
    page = Article(
        wiki="enwiki",
        title="T",
        page_id=1,
        revision=1,
        sections=(
            Section(title="", level=1, text="One."),
            Section(title="b", level=2, text="Two."),
        ),
        infobox=(InfoboxField(name="height", text="30"),),
    )
    assert page_text(page) == "One.\nTwo.\nheight: 30"


def test_a_thing_that_the_question_only_names_counts_beside_the_answer_and_a_question_without_a_form_has_none():
    facts = SmallFacts(
        [claim("Q1", "P84", "Q2")],
        {**NAMES, "Q7": Entity(id="Q7", labels={"en": "Merren Harbour"})},
    )
    beside = Form(
        clauses=(
            *FORM.clauses,
            ClaimClause(subject="x0", property="P131", object=entity_value("Q7")),
        ),
        ask=FORM.ask,
    )
    page = Found(title="T", entity_id="Q8", text="Ilse Varga worked at Merren Harbour.")

    def passes(form: Form | None) -> bool:
        asked = question().replace(form=Json(form.to_json() if form else None))
        return isinstance(
            search_shortcut(asked, [page], facts, ("en",), filter="text_search"), Question
        )

    assert not passes(beside) and passes(FORM) and passes(None)


def test_where_nothing_else_is_known_of_a_question_any_page_that_names_the_answer_counts():
    alone = question().replace(form=Json(None), bindings={})
    page = Found(title="T", entity_id="Q8", text="Ilse Varga worked at Merren Harbour.")
    assert isinstance(
        search_shortcut(alone, [page], FACTS, ("en",), filter="text_search"), Rejection
    )
