"""A certificate from end to end: each refusal in its turn, what is stored, and what is read back of words and votes."""

import pytest

from questloom.records.form import Ask, ClaimClause, ClassClause, Form, Image, Reads
from questloom.records.knowledge import (
    Article,
    Detail,
    Entity,
    ImageAsset,
    Qualifier,
    Section,
    Value,
    entity_value,
)
from questloom.records.outcomes import Reason
from questloom.records.synthesis import Answer, Question
from questloom.records.table import Json
from questloom.transforms.certificate.certificate_rules import CertificateRules
from questloom.transforms.certificate.certify import (
    Refusal,
    certify,
    certify_form,
    decorations,
    given_by_picture,
    hidden_nodes,
    intended_binding,
    rival_fits,
    smallest_part,
    too_near,
    unclear_names,
    words_agree,
)
from questloom.transforms.certificate.margin import Margin
from questloom.transforms.facts.lookups import Lookups
from questloom.transforms.facts.trust import Trust
from tests.small_facts import SmallFacts, claim, year
from tests.transforms.certificate.lighthouses import LIGHTHOUSE, crowd

BORN = Form(
    clauses=(
        Image(var="x0"),
        ClaimClause(subject="x0", property="P84", object="x1"),
        ClaimClause(subject="x1", property="P569", object="a"),
    ),
    ask=Ask(var="a", type="date", precision="year"),
)
BINDINGS = {"x0": "Q1000", "x1": "Q2000", "a": year(1660).key()}
ANCHOR = {"x0": entity_value("Q1000")}
RULES = CertificateRules(stated=False)
FACTS = SmallFacts(crowd())


def asked(
    text: str = "When was its architect born?",
    writer: str = "graph",
    votes: list | None = None,
    **changes,
) -> Question:
    made = {
        "answer": Answer(value=year(1660), text="1660", type="date"),
        "form": Json(BORN.to_json()),
        "bindings": BINDINGS,
        "votes": Json(votes),
        **changes,
    }
    return Question(
        seed_id="s",
        seed_entity="Q1000",
        method="paths",
        level="easy",
        domain="other",
        text=text,
        writer=writer,
        anchor="Q1000",
        **made,
    )


def test_the_defaults_are_as_the_documents_say():
    rules = CertificateRules()
    assert (
        rules.margin,
        rules.languages,
        rules.min_answers_without_picture,
        rules.max_guess,
        rules.min_hops,
        rules.stated,
        rules.bases,
    ) == (2, ("en",), 2, 0.4, 2, True, ("closed", "margin"))


def test_what_is_given_is_the_pictures_thing_and_what_is_read_on_it():
    form = Form(clauses=(*BORN.clauses, Reads(var="y", of="x0", property="P1684")), ask=BORN.ask)
    binding = {
        "x0": entity_value("Q1000"),
        "x1": entity_value("Q2000"),
        "a": year(1660),
        "y": year(1700),
    }
    assert given_by_picture(form, binding) == {"x0": binding["x0"], "y": binding["y"]}
    assert set(hidden_nodes(binding)) == {"x0", "x1"}


def test_the_intended_solution_is_the_one_with_the_writers_values():
    two = SmallFacts([*crowd(), claim("Q1000", "P84", "Q2001")])
    assert intended_binding(BORN, two, ANCHOR, {"x1": "Q2001"})["a"] == year(
        1661
    ) and intended_binding(BORN, two, ANCHOR, {"x1": "Q2000"})["a"] == year(1660)
    assert intended_binding(BORN, two, ANCHOR, {"x1": "Q2002"}) is None and intended_binding(
        BORN, two, ANCHOR, {"z": "Q7"}
    )["x1"] == entity_value("Q2000")


def test_the_smallest_part_drops_what_the_one_answer_does_not_need():
    binding = {v: entity_value(k) if k.startswith("Q") else year(1660) for v, k in BINDINGS.items()}
    more = Form(clauses=(*BORN.clauses, ClassClause(var="x1", class_id="Q5")), ask=BORN.ask)
    assert (
        smallest_part(more, FACTS, binding) == BORN and smallest_part(BORN, FACTS, binding) == BORN
    )


def test_a_certificate_stores_what_was_measured():
    made = certify_form(BORN, FACTS, ANCHOR, BINDINGS, RULES)
    assert (
        made.basis,
        made.margin,
        made.nominal_hops,
        made.effective_hops,
        made.answers_without_picture,
        made.nearest_rival,
    ) == ("margin", 9, 2, 2, 5, None)
    assert made.smallest_part == BORN.to_json() and len(made.evidence) == 2
    assert {c.name: c.score for c in made.checks} == {
        "claims": 2.0,
        "stated": 0.0,
        "connected": None,
        "one_answer": None,
        "margin": 9.0,
        "no_decoration": None,
        "needs_picture": 5.0,
        "no_guess": made.checks[7].score,
        "effective_hops": 2.0,
    }
    assert all(c.passed for c in made.checks)


REVERSE = Form(
    clauses=(
        Image(var="x0"),
        ClaimClause(subject="x1", property="P84", object="x0"),
        ClassClause(var="x1", class_id=LIGHTHOUSE),
        ClaimClause(subject="x1", property="P571", object="a"),
    ),
    ask=Ask(var="a", type="date", precision="year"),
)
BACK = {"x0": "Q2000", "x1": "Q1000", "a": year(1700).key()}
SILENT = SmallFacts(
    [*crowd(), claim("Q1999", "P31", LIGHTHOUSE), claim("Q1998", "P31", LIGHTHOUSE)]
)


def test_a_margin_below_the_recipes_is_refused_with_the_nearest_rival():
    back = {"x0": entity_value("Q2000")}
    refused = certify_form(REVERSE, SILENT, back, BACK, RULES)
    assert (
        refused.reason == Reason.MARGIN_TOO_SMALL
        and refused.evidence["margin"] == 1
        and refused.evidence["rival"]["entity_id"] == "Q1998"
    )
    made = certify_form(REVERSE, SILENT, back, BACK, CertificateRules(stated=False, margin=1))
    assert (made.margin, made.nearest_rival) == (1, None), (
        "for a margin of one no rival need be listed"
    )


POPULATION = Form(
    clauses=(Image(var="x0"), ClaimClause(subject="x0", property="P1082", object="a")),
    ask=Ask(var="a", type="number"),
)


@pytest.mark.parametrize("as_of", ["", "+2011-00-00T00:00:00Z"])
def test_a_population_is_refused_since_no_words_state_its_day(as_of):
    dated = (Qualifier(property="P585", value=year(2011)),) if as_of else ()
    towns = [
        claim(f"Q3{i:03}", p, o, qualifiers=dated if p == "P1082" else ())
        for i in range(60)
        for p, o in (("P31", "Q515"), ("P1082", Value(kind="quantity", number=900 + i)))
    ]
    bindings = {"x0": "Q3000", "a": Value(kind="quantity", number=900).key()}
    refused = certify_form(
        POPULATION, SmallFacts(towns), {"x0": entity_value("Q3000")}, bindings, RULES
    )
    assert refused.reason == Reason.VOLATILE
    assert refused.evidence == {
        "claims": [{"subject": "Q3000", "property": "P1082", "as_of": as_of}]
    }


def test_in_a_closed_world_a_margin_of_one_is_enough_and_the_basis_says_so():
    closed, rules = Trust(complete=True), CertificateRules(stated=False)
    silent = Lookups(SILENT, closed)
    made = certify_form(REVERSE, silent, {"x0": entity_value("Q2000")}, BACK, rules)
    assert made.basis == "closed"
    unknown = SmallFacts(
        [
            *crowd(),
            claim("Q1999", "P31", LIGHTHOUSE),
            claim("Q1999", "P84", Value(kind="somevalue")),
        ]
    )
    believed = Lookups(unknown, closed)
    assert certify_form(REVERSE, believed, {"x0": entity_value("Q2000")}, BACK, rules).margin == 1
    for trust, basis in ((Trust(), "closed"), (closed, "margin")):
        only = CertificateRules(stated=False, bases=(basis,))
        refused = certify_form(BORN, Lookups(FACTS, trust), ANCHOR, BINDINGS, only)
        assert refused.reason == Reason.WEAK_BASIS and refused.evidence["basis"] != basis


def test_a_form_that_cannot_be_executed_or_whose_hop_has_no_claim_is_refused():
    loose = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x1", property="P84", object="x0"),
            ClaimClause(subject="x1", property="P571", object="a"),
        ),
        ask=BORN.ask,
    )
    refused = certify_form(loose, FACTS, {}, {}, RULES)
    assert refused.reason == Reason.NOT_UNIQUE and "too_large" in refused.evidence
    gone = certify_form(BORN, SmallFacts(crowd(5)), {"x0": entity_value("Q1077")}, BINDINGS, RULES)
    assert gone == Refusal(
        reason=Reason.NO_EVIDENCE, evidence={"what": "the form does not have the intended solution"}
    )


def test_several_answers_are_told():
    two = SmallFacts([*crowd(), claim("Q1000", "P84", "Q2001")])
    refused = certify_form(BORN, two, ANCHOR, BINDINGS, RULES)
    assert refused == Refusal(
        reason=Reason.NOT_UNIQUE, evidence={"answers": [year(1660).key(), year(1661).key()]}
    )


def test_a_thing_that_is_named_for_its_claims_must_have_the_plain_title():
    named = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x0", property="P84", object="x1"),
            ClaimClause(subject=entity_value("Q77"), property="P50", object="x1"),
            ClaimClause(subject="x1", property="P569", object="a"),
        ),
        ask=BORN.ask,
    )
    claims = [*crowd(), claim("Q77", "P50", "Q2000")]
    refused = certify_form(named, SmallFacts(claims), ANCHOR, BINDINGS, RULES)
    assert refused == Refusal(reason=Reason.NOT_UNIQUE, evidence={"names": ["Q77"]})
    titled = Article(wiki="enwiki", title="Q77", page_id=1, revision=1, entity_id="Q77")
    assert unclear_names(named, SmallFacts(claims, articles={"Q77": titled})) == ()


def test_a_decoration_is_a_thing_whose_clues_alone_single_it_out_and_never_a_literal():
    def found(*clues) -> tuple[str, ...]:
        form = Form(clauses=(*REVERSE.clauses, *clues), ask=REVERSE.ask)
        return decorations(
            form, FACTS, {"x0": entity_value("Q2000"), "x1": entity_value("Q1000"), "a": year(1700)}
        )

    assert found() == () and found(
        ClaimClause(subject="x1", property="P571", object=year(1700))
    ) == ("x1",)


def test_a_margin_over_an_incomplete_class_is_refused_as_such():
    assert too_near(Margin(var="x1", margin=0, incomplete="Q5")) == Refusal(
        reason=Reason.CLASS_INCOMPLETE, evidence={"var": "x1", "class": "Q5"}
    )
    assert too_near(Margin(var="x1", margin=1)) == Refusal(
        reason=Reason.MARGIN_TOO_SMALL, evidence={"var": "x1", "margin": 1, "rival": None}
    )


def test_a_question_gets_its_certificate_with_the_check_of_its_words():
    made = certify(asked(), FACTS, ANCHOR, RULES)
    assert [c.name for c in made.certificate.checks][
        -1
    ] == "no_leak" and made.certificate.votes is None
    assert "words_agree" not in {c.name for c in made.certificate.checks}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("When was Q2000 born?", {}),
        ("Was it 1660?", {}),
        ("When?", {"caption": "by Q2000"}),
        ("When, at Q1000?", {}),
    ],
)
def test_a_question_whose_words_or_whose_other_texts_name_a_node_or_the_answer_is_refused(
    text, shown
):
    assert certify(asked(text), FACTS, ANCHOR, RULES, shown).reason == Reason.LEAK
    assert not isinstance(
        certify(asked("When?"), FACTS, ANCHOR, RULES, {"caption": "a tower"}), Refusal
    )


def test_an_answer_that_the_form_does_not_give_is_refused():
    other = certify(
        asked(answer=Answer(value=year(1661), text="1661", type="date")), FACTS, ANCHOR, RULES
    )
    assert other == Refusal(
        reason=Reason.ANSWER_CHANGED,
        evidence={"executed": year(1660).key(), "stated": year(1661).key()},
    )
    assert (
        certify(asked(bindings={**BINDINGS, "x1": "Q2007"}), FACTS, ANCHOR, RULES).reason
        == Reason.NO_EVIDENCE
    )


WORDS = {"check": "words", "holds": True}


def test_a_models_words_need_readers_who_all_agree():
    made = certify(
        asked(writer="llm", votes=[WORDS, WORDS, {"check": "unique", "holds": True}]),
        FACTS,
        ANCHOR,
        RULES,
    )
    assert {c.name: c.score for c in made.certificate.checks}["words_agree"] == 2.0 and len(
        made.certificate.votes
    ) == 3
    for votes in (
        None,
        [],
        [{"check": "unique", "holds": True}],
        [WORDS, {**WORDS, "holds": False}],
    ):
        assert (
            certify(asked(writer="llm", votes=votes), FACTS, ANCHOR, RULES).reason
            == Reason.WORDS_DIFFER
        )
    against = words_agree(asked(writer="llm", votes=[WORDS, {**WORDS, "holds": False}]))
    assert (
        against.evidence == {"votes": 2, "against": [{**WORDS, "holds": False}]}
        and words_agree(asked()) == ()
    )


def test_another_answer_that_fits_the_form_fells_the_question():
    two = SmallFacts([*crowd(), claim("Q1000", "P84", "Q2001")])
    assert rival_fits(asked(), two, ANCHOR, year(1661).key()) and not rival_fits(
        asked(), two, ANCHOR, year(1662).key()
    )
    assert not rival_fits(asked(), two, ANCHOR, year(1660).key()), (
        "the answer is no rival of itself"
    )
    assert not rival_fits(asked(form=Json(None)), two, ANCHOR, year(1661).key())
    assert rival_fits(asked(form=Json(REVERSE.to_json())), FACTS, {}, "Q7") is False
    unbound = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x1", property="P84", object="x0"),
            ClaimClause(subject="x1", property="P571", object="a"),
        ),
        ask=BORN.ask,
    )
    assert rival_fits(asked(form=Json(unbound.to_json())), FACTS, {}, "Q7"), (
        "what is too large to try may fit"
    )


def test_a_reading_that_the_picture_gives_counts_as_given():
    plaque = Detail(property="P1684", part="Qp", value=Value(kind="string", text="ANNO 1703"))
    image = ImageAsset(
        id="i",
        file="i.jpg",
        mime="image/jpeg",
        width=9,
        height=9,
        num_bytes=1,
        licence="CC0",
        details=(plaque,),
    )
    facts = SmallFacts(crowd(), images={f"Q{n}": (image,) for n in range(1003, 1010)})
    form = Form(
        clauses=(
            Image(var="x0"),
            Reads(var="y", of="x0", property="P1684", part="Qp"),
            ClaimClause(subject="x0", property="P84", object="x1"),
            ClaimClause(subject="x1", property="P569", object="a"),
        ),
        ask=BORN.ask,
    )
    bindings = {"x0": "Q1003", "x1": "Q2003", "y": year(1703).key(), "a": year(1663).key()}
    made = certify_form(
        form, facts, {"x0": entity_value("Q1003"), "y": year(1703)}, bindings, RULES
    )
    assert not isinstance(made, Refusal) and (made.nominal_hops, made.smallest_part) == (
        2,
        BORN.to_json(),
    )


def test_the_number_of_hops_that_a_page_says_is_told():
    page = Article(
        wiki="enwiki",
        title="Q1000",
        page_id=1,
        revision=1,
        entity_id="Q1000",
        sections=(Section(title="", level=1, text="It was designed by Q2000."),),
    )
    made = certify_form(
        BORN, SmallFacts(crowd(), articles={"Q1000": page}), ANCHOR, BINDINGS, RULES
    )
    assert {c.name: c.score for c in made.checks}["stated"] == 1.0 and [
        h.stated for h in made.evidence
    ] == ["sentence", "no"]


def test_the_share_of_a_guess_is_told_to_three_places():
    towns = [claim(f"Q2{i:03}", "P27", "Q30" if i < 40 else f"Q8{i:03}") for i in range(60)]
    form = Form(
        clauses=(
            Image(var="x0"),
            ClaimClause(subject="x0", property="P84", object="x1"),
            ClaimClause(subject="x1", property="P27", object="a"),
        ),
        ask=Ask(var="a", type="entity"),
    )
    refused = certify_form(
        form,
        SmallFacts([*crowd(), *towns]),
        ANCHOR,
        {"x0": "Q1000", "x1": "Q2000", "a": "Q30"},
        RULES,
    )
    assert refused == Refusal(
        reason=Reason.GUESSABLE, evidence={"share": 0.661, "answers_without_picture": 5}
    )


def test_an_answer_that_is_named_as_a_thing_on_the_way_is_refused_with_both_names():
    entities = {
        "Q2000": Entity(id="Q2000", labels={"en": "Ivo Mersk"}),
        "Q3000": Entity(id="Q3000", labels={"en": "Mersk"}),
    }
    towns = [claim(f"Q2{i:03}", "P19", f"Q3{i:03}") for i in range(60)]
    form = Form(
        clauses=(*BORN.clauses[:2], ClaimClause(subject="x1", property="P19", object="a")),
        ask=Ask(var="a", type="entity"),
    )
    refused = certify_form(
        form,
        SmallFacts([*crowd(), *towns], entities),
        ANCHOR,
        {"x0": "Q1000", "x1": "Q2000", "a": "Q3000"},
        RULES,
    )
    assert refused == Refusal(
        reason=Reason.COLLAPSES, evidence={"answer": "Mersk", "node": "Ivo Mersk"}
    )


@pytest.mark.parametrize(
    ("least", "most", "reason"),
    [(2, 0.5, None), (3, 0.5, Reason.PICTURE_NOT_NEEDED), (2, 0.49, Reason.GUESSABLE)],
)
def test_as_many_answers_as_the_recipe_asks_for_without_the_picture_are_enough_and_a_guess_may_be_right_as_often_as_it_allows(
    least, most, reason
):
    two_years = [
        *(c for c in crowd() if c.property != "P569"),
        *(claim(f"Q2{i:03}", "P569", year(1660 + i % 2)) for i in range(60)),
    ]
    made = certify_form(
        BORN,
        SmallFacts(two_years),
        ANCHOR,
        BINDINGS,
        CertificateRules(stated=False, min_answers_without_picture=least, max_guess=most),
    )
    assert getattr(made, "reason", None) == reason
    if reason is None:
        assert made.answers_without_picture == 2
